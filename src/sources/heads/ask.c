/* Heads ranked by a pattern or a pair of tokens. */
#include "sources/heads/ask.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

static const struct {
    const char *name;
    sac_weights_kind kind;
} patterns[] = {{"previous", SAC_KIND_PREVIOUS},
                {"diagonal", SAC_KIND_SELF},
                {"next", SAC_KIND_NEXT},
                {"first", SAC_KIND_FIRST},
                {"duplicate", SAC_KIND_ALIKE},
                {"induction", SAC_KIND_REPEATS},
                {"delimiter", SAC_KIND_DELIMITER},
                {"gaze", SAC_KIND_GAZE},
                {NULL, SAC_KIND_COUNT}};

const char *sac_ask_pattern(sac_weights_kind kind)
{
    int i = 0;
    while (patterns[i].name && patterns[i].kind != kind)
        i++;
    return patterns[i].name;
}

/* ---------------------------------------------------------------- reading */

const char *sac_ask_letters(const char *label)
{
    static const char *const marks[] = {"·", "▁", "Ġ", "##"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        if (strncmp(label, marks[i], length) == 0 && label[length])
            return label + length;
    }
    return label;
}

static bool is_word(const sac_labels *labels, size_t i, const char *word, bool exact)
{
    const char *label = sac_ask_letters(labels->text[i]);
    return exact ? strcmp(label, word) == 0 : strcasecmp(label, word) == 0;
}

/* The token `word` that is nearest to `at`, and rather before it; false: none is. */
static bool find_word_token(const sac_labels *labels, const char *word, size_t at, size_t *found)
{
    for (int exact = 1; exact >= 0; exact--) {
        for (size_t i = at < labels->count ? at : labels->count; i-- > 0;)
            if (is_word(labels, i, word, exact)) {
                *found = i;
                return true;
            }
        for (size_t i = at; i < labels->count; i++)
            if (is_word(labels, i, word, exact)) {
                *found = i;
                return true;
            }
    }
    return false;
}

/* The last token of `word` where it is several, which has seen all of it; of those that end at or before
 * `at` the nearest, or else the first behind it. */
static bool find_word_of_pieces(const sac_labels *labels, const char *word, size_t at,
                                size_t *found)
{
    bool any = false;
    for (size_t i = 0; i < labels->count; i++) {
        const char *rest = word;
        for (size_t j = i; j < labels->count && *rest; j++) {
            const char *part = sac_ask_letters(labels->text[j]);
            size_t length = strlen(part);
            bool begins_other = j > i && strncmp(labels->text[j], "##", 2) != 0 &&
                                part != labels->text[j]; /* the mark of a new word */
            if (begins_other || !length || strncasecmp(part, rest, length) != 0)
                break;
            rest += length;
            if (*rest || (any && j > at))
                continue;
            *found = j;
            any = true;
        }
    }
    return any;
}

static sac_status find_token(const sac_labels *labels, size_t count, const char *word, size_t at,
                             size_t *found, sac_error *error)
{
    if (find_word_token(labels, word, at, found))
        return SAC_OK;
    if (word[0] && !word[strspn(word, "0123456789")] && strlen(word) < 10) {
        *found = strtoul(word, NULL, 10);
        if (*found < count)
            return SAC_OK;
    } else if (find_word_of_pieces(labels, word, at, found)) {
        return SAC_OK;
    }
    return sac_fail(error, SAC_E_ARGUMENT, "--ask", "give two tokens of the text, or their numbers",
                    "\"%.40s\" is none of the %zu tokens", word, count);
}

static sac_status read_pattern(const sac_source *source, size_t item, const char *text,
                               sac_ask *ask, sac_error *error)
{
    for (int i = 0; patterns[i].name; i++)
        if (strcmp(patterns[i].name, text) == 0) {
            if (patterns[i].kind == SAC_KIND_GAZE &&
                !sac_head_choice_words_see_cells(source, &(sac_head_choice){.batch = item}))
                return sac_fail(error, SAC_E_ARGUMENT, "--ask",
                                "ask for another pattern, or give a model that describes "
                                "pictures, and one of these",
                                "\"gaze\" is of words that look at a picture, which none do");
            *ask = (sac_ask){.of_kind = true, .kind = patterns[i].kind};
            return SAC_OK;
        }
    return sac_fail(error, SAC_E_ARGUMENT, "--ask",
                    "give two tokens, such as \"it animal\", or previous, diagonal, next, first, "
                    "duplicate, induction, delimiter or gaze",
                    "\"%.40s\" is neither two tokens nor a pattern", text);
}

sac_status sac_ask_read(const sac_source *source, size_t item, const char *text, sac_ask *ask,
                        sac_error *error)
{
    char query[128];
    size_t length = strcspn(text, " "), steps = sac_source_steps(source, item);
    const char *key = text + length;
    while (*key == ' ')
        key++;
    if (!length || !*key || strchr(key, ' ') || length >= sizeof query)
        return read_pattern(source, item, text, ask, error);
    sac_ask pair = {0};
    memcpy(query, text, length);
    query[length] = '\0';
    sac_status status =
        find_token(sac_source_step_labels(source, item), steps, query, steps, &pair.step, error);
    if (status == SAC_OK)
        status =
            find_token(sac_source_position_labels(source, item), sac_source_positions(source, item),
                       key, pair.step, &pair.position, error);
    if (status == SAC_OK)
        *ask = pair;
    return status;
}

/* ---------------------------------------------------------------- scores */

static sac_status score_kind(sac_reader *reader, const sac_head_choice *choice,
                             sac_weights_kind kind, float *score, sac_error *error)
{
    sac_weights_scan scan;
    sac_status status = sac_head_choice_scan_begin(reader->source, choice, 1, &scan, error);
    if (status != SAC_OK)
        return status;
    while (scan.next_row < scan.stats.rows && status == SAC_OK)
        status = sac_head_choice_scan(reader, choice, (size_t)1 << 20, &scan, error);
    *score = sac_weights_score(&scan.stats, kind);
    sac_weights_scan_free(&scan);
    return status;
}

sac_status sac_ask_scores(const sac_source *source, size_t item, const sac_ask *ask, float *scores,
                          sac_error *error)
{
    size_t heads = source->weights.heads, count = source->weights.layers * heads;
    sac_reader reader = {.source = source};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        sac_head_choice choice;
        memset(&choice, 0, sizeof choice);
        choice.layer = i / heads;
        choice.head = i % heads;
        choice.batch = item;
        const sac_tile tile = {item, choice.head, ask->step, 1, ask->position, 1};
        status = ask->of_kind
                     ? score_kind(&reader, &choice, ask->kind, &scores[i], error)
                     : source->weights.tile(source->self, choice.layer, &tile, &scores[i], error);
    }
    sac_reader_free(&reader);
    return status;
}

void sac_ask_rank(const float *scores, size_t count, size_t *places)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && scores[i] > scores[places[at - 1]]; at--)
            places[at] = places[at - 1];
        places[at] = i;
    }
}
