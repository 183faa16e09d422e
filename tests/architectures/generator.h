/* The generation of a tiny model of tests/reference, held against `generate` of `transformers`. */
#ifndef TESTS_ARCHITECTURES_GENERATOR_H
#define TESTS_ARCHITECTURES_GENERATOR_H

#include "architectures/captioning/text_decoder.h"
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

/* Edits from the sentence of make_texts.py to texts: exchanged, left out or put in. */
typedef struct text_edits {
    int words, characters;
} text_edits;

/* Of all texts that were compared in this program: of ours, and of those of `transformers`. */
typedef struct text_rates {
    int count;
    text_edits ours, theirs;
} text_rates;

typedef struct generator {
    const char *name;
    sac_pretrained_model *model;
    sac_pretrained_captioner *captioner;
    sac_arrays *expected, *texts;
    int read; /* tokens, where it translates */
} generator;

/* The model of that folder of tests/reference, which has seen and read nothing yet. */
static inline void load_generator(generator *s, const char *architecture)
{
    char folder[512], reference[600];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, architecture);
    snprintf(reference, sizeof reference, "%s/reference.safetensors", folder);
    OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &s->model, &failure));
    s->name = architecture;
    OK(sac_arrays_open(reference, &s->expected, &failure));
    OK(sac_arrays_open(REFERENCES "/texts.safetensors", &s->texts, &failure));
    OK(sac_pretrained_captioner_create(s->model, &s->captioner, &failure));
}

static inline void close_generator(generator *s)
{
    sac_pretrained_captioner_destroy(s->captioner);
    sac_arrays_close(s->expected);
    sac_arrays_close(s->texts);
    sac_pretrained_model_close(s->model);
}

/* ---------------------------------------------------------------- its text */

enum { MOST_ITEMS = 256 };
#define TRUE_SENTENCE "the river bank of a town is left of the red bank"

/* Words, or characters, of a text. */
typedef struct text_items {
    int count, size[MOST_ITEMS];
    const char *item[MOST_ITEMS];
} text_items;

static inline text_items text_items_of(const char *text, bool by_word)
{
    static const char blanks[] = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
    text_items items = {0};
    while (*text) {
        const char *end = text + 1;
        if (by_word) {
            text += strspn(text, blanks);
            end = text + strcspn(text, blanks);
        } else {
            while ((*end & 0xc0) == 0x80)
                end++;
        }
        if (end == text)
            break;
        assert_true(items.count < MOST_ITEMS);
        items.item[items.count] = text;
        items.size[items.count++] = (int)(end - text);
        text = end;
    }
    return items;
}

static inline int text_distance(const char *text, bool by_word)
{
    const text_items a = text_items_of(TRUE_SENTENCE, by_word), b = text_items_of(text, by_word);
    int row[MOST_ITEMS + 1];
    for (int k = 0; k <= b.count; k++)
        row[k] = k;
    for (int i = 0; i < a.count; i++) {
        int before = row[0];
        row[0] = i + 1;
        for (int k = 0; k < b.count; k++) {
            bool same =
                a.size[i] == b.size[k] && memcmp(a.item[i], b.item[k], (size_t)a.size[i]) == 0;
            int least = before + !same;
            least = row[k] + 1 < least ? row[k] + 1 : least;
            least = row[k + 1] + 1 < least ? row[k + 1] + 1 : least;
            before = row[k + 1];
            row[k + 1] = least;
        }
    }
    return row[b.count];
}

static inline text_rates *text_rates_so_far(void)
{
    static text_rates rates;
    return &rates;
}

/* The text is that of `transformers` to the letter, and has as many errors by word and by character. */
static inline void check_text(const generator *s, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s.%s.text", s->name, name);
    const sac_array *expected = sac_arrays_find(s->texts, path);
    snprintf(path, sizeof path, "%s.%s.errors", s->name, name);
    const sac_array *errors = sac_arrays_find(s->texts, path);
    if (!expected || !errors)
        fail_msg("%s, %s: make_texts.py has no text", s->name, name);
    const char *bytes = expected->data;
    const size_t size = bytes[0] ? sac_array_count(expected) : 0;
    if (strlen(text) != size || memcmp(text, bytes, size) != 0)
        fail_msg("%s, %s: “%s”, not “%.*s”", s->name, name, text, (int)size, bytes);
    const text_edits ours = {text_distance(text, true), text_distance(text, false)};
    const int *theirs = errors->data;
    assert_int_equal(ours.words, theirs[0]);
    assert_int_equal(ours.characters, theirs[1]);
    text_rates *rates = text_rates_so_far();
    rates->count++;
    rates->ours.words += ours.words;
    rates->ours.characters += ours.characters;
    rates->theirs.words += theirs[0];
    rates->theirs.characters += theirs[1];
}

/* The last test of a program: the rates of errors over all texts that it compared. */
static inline void check_rates(void)
{
    const text_rates *r = text_rates_so_far();
    const double words = r->count * text_items_of(TRUE_SENTENCE, true).count,
                 characters = r->count * text_items_of(TRUE_SENTENCE, false).count;
    if (!r->count)
        return;
    print_message("%d texts: WER %.4f, of transformers %.4f; CER %.4f, of transformers %.4f\n",
                  r->count, r->ours.words / words, r->theirs.words / words,
                  r->ours.characters / characters, r->theirs.characters / characters);
    assert_true(r->ours.words / words == r->theirs.words / words);
    assert_true(r->ours.characters / characters == r->theirs.characters / characters);
}

/* What `generate` gave: the token that it begins with, those that follow, and perhaps the end. */
static inline void check_generation(const generator *s, const char *name, const sac_result *caption)
{
    const sac_array *array = sac_arrays_find(s->expected, name);
    assert_non_null(array);
    const int *generated = (const int *)array->data + 1;
    int count = (int)sac_array_count(array) - 1;
    bool ends = generated[count - 1] == s->model->decoder->text_decoder.search.end;
    assert_int_equal(caption->count, count - ends);
    bool is_cut = strstr(caption->note, "cut at") != NULL; /* the end is forced, or there is none */
    assert_int_equal(caption->finished, !is_cut);
    assert_true(ends || is_cut);
    for (int i = 0; i < caption->count; i++)
        assert_int_equal(caption->outputs[i].word, generated[i]);
    check_text(s, name, caption->line);
}

/* The probability of each word, from the reference's logits. */
static inline void check_probabilities(const generator *s, const sac_result *caption)
{
    size_t V = s->model->decoder->vocabulary;
    const float *logits = sac_arrays_find(s->expected, "logits")->data;
    for (int i = 0; i < caption->count; i++) {
        const float *row = logits + (size_t)i * V;
        double sum = 0, at = row[caption->outputs[i].word];
        for (size_t v = 0; v < V; v++)
            sum += exp((double)row[v] - at);
        assert_true(fabs(log(1 / sum) - log((double)caption->outputs[i].probability)) < 1e-3);
    }
}

/* Searches, and the output of `generate` in each. */
enum { SEARCHES = 6 };

/* Generates by search `which`, whose name is returned; *caption is the caller's to free. */
static inline const char *check_search(const generator *s, size_t which, sac_result *caption)
{
    static const struct {
        const char *name;
        int beam, length;
        double penalty;
        sac_beam_patience patience;
    } searches[SEARCHES] = {
        {"greedy", 1, 11, 1, SAC_BEAM_WHILE_BETTER}, {"two", 2, 11, 1, SAC_BEAM_WHILE_BETTER},
        {"beam", 3, 11, 1, SAC_BEAM_WHILE_BETTER},   {"long", 3, 11, 3, SAC_BEAM_WHILE_BETTER},
        {"short", 4, 11, -1, SAC_BEAM_UNTIL_FULL},   {"never", 2, 8, 1, SAC_BEAM_TO_THE_END}};
    sac_beam_options *o = &s->captioner->search;
    o->length = searches[which].length;
    o->length_penalty = searches[which].penalty;
    o->patience = searches[which].patience;
    OK(sac_pretrained_captioner_generate(
        s->captioner, &(sac_result_request){.beam = searches[which].beam}, caption, &failure));
    check_generation(s, searches[which].name, caption);
    return searches[which].name;
}

/* Against each head of each layer, the tokens before the cells among what it looks at. */
static inline void check_looks(const generator *s, int words)
{
    const sac_pretrained_model *d = s->model->decoder;
    size_t S = s->captioner->seen;
    float *weights = calloc(S, sizeof *weights);
    for (int layer = 0; layer < d->layers; layer++) {
        char name[40];
        snprintf(name, sizeof name, "cross_attentions.%d", layer);
        const sac_array *array = sac_arrays_find(s->expected, name);
        size_t T = array->shape[array->rank - 2];
        assert_true(T >= (size_t)words && sac_array_count(array) == (size_t)d->run.heads * T * S);
        for (int head = 0; head < d->run.heads; head++)
            for (int word = 0; word < words; word++) {
                const float *expected =
                    (const float *)array->data + ((size_t)head * T + (size_t)word) * S;
                OK(sac_pretrained_captioner_weights(s->captioner, word, layer, head, weights,
                                                    &failure));
                compare(weights, expected, S, 1e-4, name);
            }
    }
    free(weights);
}

/* The weights of one kind, against `outputs` of transformers, layer by layer. */
static inline void check_kind(const generator *s, const sac_attention_kind *kind,
                              const char *outputs)
{
    size_t map = kind->heads * kind->steps * kind->positions;
    for (size_t layer = 0; layer < kind->layers; layer++) {
        char name[40];
        snprintf(name, sizeof name, "%s.%zu", outputs, layer);
        const sac_array *array = sac_arrays_find(s->expected, name);
        assert_non_null(array);
        const float *expected = array->data, *made = kind->weights + layer * map;
        size_t T = array->shape[2], S = array->shape[3];
        for (size_t head = 0; head < kind->heads; head++)
            for (size_t row = 0; row < kind->steps; row++)
                compare(made + (head * kind->steps + row) * kind->positions,
                        expected + (head * T + row) * S, kind->positions, 1e-4, name);
    }
}

#endif
