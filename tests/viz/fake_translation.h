/* A made-up translator: each word of the sentence is generated in capitals, from the last to the first,
 * and looks at itself with most of its weight. */
#ifndef TESTS_VIZ_FAKE_TRANSLATION_H
#define TESTS_VIZ_FAKE_TRANSLATION_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_VOCABULARY = 9, FAKE_SPECIAL = 3 };
static const char *const fake_french[FAKE_VOCABULARY] = {"<pad>", "<start>", "<end>", "LE",  "ROI",
                                                         "DORT",  "été",     "ICI",   "HIER"};
static const char *const fake_english[FAKE_VOCABULARY] = {
    "", "", "", "the", "king", "sleeps", "summer", "here", "yesterday"};
static const char *const fake_sentences[] = {"the king sleeps", "the king here yesterday",
                                             "the summer sleeps here"};

typedef struct fake_translation {
    sac_source source;
    int words[SAC_MAX_TOKENS], count, reads, generates;
} fake_translation;

static inline int fake_english_word(const char *text)
{
    for (int i = FAKE_SPECIAL; i < FAKE_VOCABULARY; i++)
        if (strcmp(fake_english[i], text) == 0)
            return i;
    return -1;
}

static inline sac_status fake_translation_read(sac_source *source, const char *text,
                                               sac_error *error)
{
    fake_translation *fake = source->self;
    char copy[SAC_TEXT_SIZE], *rest = NULL;
    int words[SAC_MAX_TOKENS], count = 0;
    if (strcmp(text, source->result.text) == 0)
        return SAC_OK;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *t = strtok_r(copy, " ", &rest); t; t = strtok_r(NULL, " ", &rest)) {
        words[count] = fake_english_word(t);
        if (words[count++] < 0) {
            if (error) {
                *error = (sac_error){.status = SAC_E_ARGUMENT};
                snprintf(error->where, sizeof error->where, "%s", t);
                snprintf(error->what, sizeof error->what, "is no word");
            }
            return SAC_E_ARGUMENT;
        }
    }
    if (!count)
        return SAC_E_ARGUMENT;
    memcpy(fake->words, words, sizeof words);
    fake->count = count;
    fake->reads++;
    source->result.text[0] = '\0';
    for (int i = 0; i < count; i++)
        snprintf(source->result.text + strlen(source->result.text),
                 sizeof source->result.text - strlen(source->result.text), "%s%s", i ? " " : "",
                 fake_english[words[i]]);
    source->result.has_truth = false;
    return SAC_OK;
}

static inline sac_status fake_translation_turn(sac_source *source, int number, sac_error *error)
{
    sac_status status = fake_translation_read(source, fake_sentences[number % 3], error);
    fake_translation *fake = source->self;
    source->picture.number = number;
    source->result.has_truth = true;
    source->result.alignment = (sac_alignment_truth){.count = fake->count};
    for (int t = 0; t < fake->count; t++) {
        snprintf(source->result.alignment.words[t], SAC_MAX_TOKEN_TEXT, "%s",
                 fake_french[fake->words[fake->count - 1 - t]]);
        source->result.alignment.links[t] = (uint64_t)1 << (fake->count - 1 - t);
    }
    return status;
}

/* A word that is hidden gets no weight: its own word looks at all others alike. */
static inline void fake_row(const sac_result_request *q, int count, int own, float *row)
{
    int seen = 0;
    for (int i = 0; i < count; i++)
        seen += !(q->hidden && q->hidden[i]);
    bool sees = !(q->hidden && q->hidden[own]);
    for (int i = 0; i < count; i++)
        row[i] = q->hidden && q->hidden[i] ? 0
                 : !sees                   ? 1.0f / (float)seen
                 : i == own                ? (seen > 1 ? 0.8f : 1)
                                           : 0.2f / (float)(seen - 1);
}

static inline sac_status fake_translation_generate(void *self, const sac_result_request *q,
                                                   sac_result *c, sac_error *error)
{
    fake_translation *fake = self;
    int n = fake->count;
    (void)error;
    fake->generates++;
    *c = (sac_result){.grid_w = n, .grid_h = 1, .count = n, .finished = true, .milliseconds = 7};
    c->weights = calloc((size_t)(n * n), sizeof *c->weights);
    c->positions = calloc((size_t)n, sizeof *c->positions);
    c->max_weight = q->model == 1 ? 0 : 0.8f; /* the second one has no attention */
    for (int t = 0; t < n; t++) {
        sac_result_output *w = &c->outputs[t];
        int own = n - 1 - t;
        w->word = t < q->prefix_count ? q->prefix[t] : fake->words[own];
        w->probability = 0.97f;
        snprintf(w->text, sizeof w->text, "%s", fake_french[w->word]);
        for (int k = 0; k < 4; k++) {
            w->alternative[k] =
                k < 2 ? FAKE_SPECIAL + (w->word + k) % (FAKE_VOCABULARY - FAKE_SPECIAL) : -1;
            w->alternative_probability[k] = 0.01f;
        }
        snprintf(c->positions[t], SAC_MAX_TOKEN_TEXT, "%s", fake_english[fake->words[t]]);
        if (q->model != 1)
            fake_row(q, n, own, c->weights + t * n);
    }
    return SAC_OK;
}

static inline bool fake_translation_token_allowed(const void *self, int word)
{
    (void)self;
    return word >= FAKE_SPECIAL;
}

static inline void fake_translation_open(fake_translation *fake)
{
    *fake = (fake_translation){0};
    fake->source = (sac_source){.self = fake,
                                .result.models = 3,
                                .result.model = {"additive", "no attention", "bilinear"},
                                .result.vocabulary = fake_french,
                                .result.vocabulary_count = FAKE_VOCABULARY,
                                .result.source_words = fake_english + FAKE_SPECIAL,
                                .result.source_word_count = FAKE_VOCABULARY - FAKE_SPECIAL,
                                .result.token_allowed = fake_translation_token_allowed,
                                .picture.scenes = true,
                                .result.generate = fake_translation_generate,
                                .result.read = fake_translation_read,
                                .picture.turn = fake_translation_turn};
    strcpy(fake->source.origin.device, "no device");
    fake_translation_turn(&fake->source, 0, NULL);
}

#endif
