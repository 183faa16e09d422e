/* BLEU and chrF of translations. */
#include "pairs/translation_scores.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "pictures/caption_scores.h"
#include "pictures/letters.h"

/* ---------------------------------------------------------------- BLEU's tokens */

/* Those marks of ASCII that mteval-v13a.pl sets apart wherever they stand: all but ' , - . */
static bool is_separated_mark(uint32_t code)
{
    return code < 0x80 && code > ' ' && strchr("'-,.", (int)code) == NULL &&
           !(code >= '0' && code <= '9') && !((code | 0x20) >= 'a' && (code | 0x20) <= 'z');
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

static size_t encode_with_blanks(char *to, bool blank_before, uint32_t code, bool blank_behind)
{
    size_t used = 0;
    if (blank_before)
        to[used++] = ' ';
    used += sac_utf8_encode(code, to + used);
    if (blank_behind)
        to[used++] = ' ';
    return used;
}

/* One blank between two tokens, and none around them. */
static void collapse_blanks(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!strchr(" \t\r\n", *at))
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    to[-(to > text && to[-1] == ' ')] = '\0';
}

char *sac_bleu_tokens(const char *text)
{
    size_t room, used = 0;
    char *made = sac_checked_mul(strlen(text), 3, &room) && sac_checked_add(room, 1, &room)
                     ? malloc(room)
                     : NULL;
    uint32_t before = ' ';
    while (made && *text) {
        uint32_t code = sac_utf8_next(&text);
        const char *at = text;
        uint32_t next = *at ? sac_utf8_next(&at) : ' ';
        /* , and . stay within a number alone, and - goes on but behind a digit. */
        bool dot = code == '.' || code == ',';
        bool apart = is_separated_mark(code) || (dot && !(is_digit(before) && is_digit(next)));
        bool character = sac_script_of(code) == SAC_SCRIPT_UNSPACED;
        bool dash = code == '-' && is_digit(before);
        used += encode_with_blanks(made + used, apart || character || dash, code,
                                   apart || character || dash);
        before = code;
    }
    if (made) {
        made[used] = '\0';
        collapse_blanks(made);
    }
    return made;
}

/* ---------------------------------------------------------------- BLEU */

/* A precision of 0 is taken for half of the least that there could be, the next one for a quarter … */
static double bleu_of(const sac_bleu_counts *c)
{
    double logs = 0, smooth = 1;
    for (int n = 0; n < SAC_BLEU_GRAMS; n++) {
        if (c->guessed[n] == 0)
            return 0;
        if (c->right[n] == 0)
            smooth *= 2;
        double precision =
            c->right[n] > 0 ? c->right[n] / c->guessed[n] : 1 / (smooth * c->guessed[n]);
        logs += log(precision) / SAC_BLEU_GRAMS;
    }
    if (c->right[0] == 0)
        return 0;
    double brevity = c->length < c->reference_length ? exp(1 - c->reference_length / c->length) : 1;
    return 100 * brevity * exp(logs);
}

static sac_status find_bleu(const sac_scored_translation *all, size_t count, double *bleu,
                            sac_error *error)
{
    size_t texts = 0, made = 0;
    for (size_t i = 0; i < count; i++)
        texts += 1 + (size_t)all[i].reference_count;
    char **tokens = calloc(texts, sizeof *tokens);
    sac_scored_caption *captions = calloc(count, sizeof *captions);
    sac_status status = tokens && captions ? SAC_OK : sac_no_memory(error, "scores");
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        captions[i] = (sac_scored_caption){NULL, (const char *const *)tokens + made + 1,
                                           all[i].reference_count};
        for (int r = -1; r < all[i].reference_count && status == SAC_OK; r++)
            if (!(tokens[made++] =
                      sac_bleu_tokens(r < 0 ? all[i].candidate : all[i].references[r])))
                status = sac_no_memory(error, "scores");
        captions[i].candidate = captions[i].references[-1];
    }
    sac_caption_scores scores;
    if (status == SAC_OK)
        status = sac_caption_score(captions, count, &scores, error);
    *bleu = status == SAC_OK ? bleu_of(&scores.counts) : NAN;
    for (size_t i = 0; i < made; i++)
        free(tokens[i]);
    free(tokens);
    free(captions);
    return status;
}

/* ---------------------------------------------------------------- chrF */

enum { LONGEST = 6 };           /* characters of an n-gram */
static const double factor = 4; /* β² */

/* A text without blanks, and the places in it sorted by what begins there. */
typedef struct characters {
    uint32_t *codes; /* [count]; owned */
    size_t count;
    const uint32_t **sorted; /* [count]: places in `codes`; owned */
} characters;

/* How many n-grams a candidate has, how many its reference, and how many both. */
typedef struct gram_counts {
    double own, there, both;
} gram_counts;

static bool read_characters(const char *text, characters *c)
{
    size_t length = strlen(text);
    *c = (characters){.codes = malloc((length + 1) * sizeof *c->codes),
                      .sorted = malloc((length + 1) * sizeof *c->sorted)};
    while (c->codes && *text) {
        uint32_t code = sac_utf8_next(&text);
        if (code != ' ' && code != 0xa0 && code != 0x3000 && !(code >= 9 && code <= 13))
            c->codes[c->count++] = code;
    }
    return c->codes && c->sorted;
}

static void free_characters(characters *c)
{
    free(c->codes);
    free(c->sorted);
}

static int compare_grams(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_longest(const void *a, const void *b)
{
    return compare_grams(*(const uint32_t *const *)a, *(const uint32_t *const *)b, LONGEST);
}

/* Behind the text stand zeros, so that n-grams of all lengths are in order. */
static bool sort_suffixes(characters *c)
{
    uint32_t *codes = realloc(c->codes, (c->count + LONGEST) * sizeof *codes);
    if (!codes)
        return false;
    c->codes = codes;
    memset(codes + c->count, 0, LONGEST * sizeof *codes);
    for (size_t i = 0; i < c->count; i++)
        c->sorted[i] = codes + i;
    qsort(c->sorted, c->count, sizeof *c->sorted, compare_longest);
    return true;
}

/* The first place at or after `at` with room for n characters. */
static size_t skip_short_suffixes(const characters *c, size_t at, size_t n)
{
    while (at < c->count && (size_t)(c->codes + c->count - c->sorted[at]) < n)
        at++;
    return at;
}

static gram_counts count_grams(const characters *a, const characters *b, size_t n)
{
    gram_counts counts = {.own = a->count >= n ? (double)(a->count - n + 1) : 0,
                          .there = b->count >= n ? (double)(b->count - n + 1) : 0};
    size_t i = skip_short_suffixes(a, 0, n), k = skip_short_suffixes(b, 0, n);
    while (i < a->count && k < b->count) {
        int order = compare_grams(a->sorted[i], b->sorted[k], n);
        counts.both += order == 0;
        if (order <= 0)
            i = skip_short_suffixes(a, i + 1, n);
        if (order >= 0)
            k = skip_short_suffixes(b, k + 1, n);
    }
    if (counts.there == 0)
        counts.own = 0; /* of no reference nothing can be right */
    return counts;
}

static double chrf_of(const gram_counts counts[LONGEST])
{
    double precision = 0, recall = 0;
    int orders = 0;
    for (int n = 0; n < LONGEST; n++)
        if (counts[n].own > 0 && counts[n].there > 0) {
            precision += counts[n].both / counts[n].own;
            recall += counts[n].both / counts[n].there;
            orders++;
        }
    if (precision + recall == 0)
        return 0;
    precision /= orders;
    recall /= orders;
    return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

/* Adds the counts with the reference that fits best. */
static bool add_chrf(const sac_scored_translation *t, gram_counts sums[LONGEST])
{
    characters own = {0};
    gram_counts best[LONGEST] = {{0}};
    double highest = -1;
    bool done = read_characters(t->candidate, &own) && sort_suffixes(&own);
    for (int r = 0; r < t->reference_count && done; r++) {
        characters reference = {0};
        gram_counts counts[LONGEST];
        done = read_characters(t->references[r], &reference) && sort_suffixes(&reference);
        for (size_t n = 0; n < LONGEST && done; n++)
            counts[n] = count_grams(&own, &reference, n + 1);
        if (done && chrf_of(counts) > highest) {
            highest = chrf_of(counts);
            memcpy(best, counts, sizeof best);
        }
        free_characters(&reference);
    }
    for (int n = 0; n < LONGEST && done; n++) {
        sums[n].own += best[n].own;
        sums[n].there += best[n].there;
        sums[n].both += best[n].both;
    }
    free_characters(&own);
    return done;
}

/* ---------------------------------------------------------------- */

sac_status sac_translation_score(const sac_scored_translation *translations, size_t count,
                                 sac_translation_scores *scores, sac_error *error)
{
    gram_counts sums[LONGEST] = {{0}};
    *scores = (sac_translation_scores){NAN, NAN};
    if (!count)
        return SAC_OK;
    sac_status status = find_bleu(translations, count, &scores->bleu, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        if (!add_chrf(&translations[i], sums))
            status = sac_no_memory(error, "scores");
    if (status == SAC_OK)
        scores->chrf = chrf_of(sums);
    return status;
}
