/* Sentence pairs of a person: cleaned, split and numbered. */
#include "pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/order.h"
#include "pairs/pair_rows.h"
#include "pairs/pair_words.h"
#include "pictures/words.h"

enum { MOST_HELD = 2000 /* source sentences */ };

/* ---------------------------------------------------------------- cleaning */

static bool record_skipped_line(sac_pairs *p, sac_pairs_skip kind, size_t line)
{
    char text[40];
    snprintf(text, sizeof text, "line %zu", line);
    return sac_pictures_skip_add(&p->skipped[kind], text);
}

/* What is seen of the rows so far. */
typedef struct seen {
    sac_text_table sources, pairs;
    size_t *first; /* [capacity of sources]: the first pair with that sentence; owned */
    int capacity;
} seen;

static void free_seen(seen *s)
{
    sac_text_table_free(&s->sources);
    sac_text_table_free(&s->pairs);
    free(s->first);
}

/* Remembers a pair's source sentence, and the first pair that has it. False: no memory. */
static bool note_source(seen *s, sac_pair *pair, size_t index)
{
    const char *source = pair->text[SAC_SOURCE_SIDE];
    int known = s->sources.count, number = sac_text_table_add(&s->sources, source, strlen(source));
    if (s->sources.capacity > s->capacity) {
        size_t *more = realloc(s->first, (size_t)s->sources.capacity * sizeof *more);
        if (!more)
            return false;
        s->first = more;
        s->capacity = s->sources.capacity;
    }
    if (number < 0)
        return false;
    if (number == known)
        s->first[number] = index;
    pair->same = s->first[number];
    return true;
}

/* True where the same pair was there before; *done false: no memory. */
static bool note_repeated_pair(seen *s, const sac_pair_row *row, bool *done)
{
    char *both;
    int known = s->pairs.count, number = -1;
    if (asprintf(&both, "%s\t%s", row->text[0], row->text[1]) >= 0) {
        number = sac_text_table_add(&s->pairs, both, strlen(both));
        free(both);
    }
    *done = number >= 0;
    return *done && number < known;
}

/* Takes a row over, or leaves it out. False: no memory. */
static bool add_row_unless_skipped(sac_pairs *p, sac_pair_tokens *tokens, seen *s,
                                   sac_pair_row *row)
{
    sac_sentence_tokens *of = tokens[p->count];
    bool done = sac_sentence_tokens_cut(row->text[SAC_SOURCE_SIDE], true, &of[SAC_SOURCE_SIDE]) &&
                sac_sentence_tokens_cut(row->text[SAC_TARGET_SIDE], false, &of[SAC_TARGET_SIDE]);
    if (!done)
        return false;
    int source = of[SAC_SOURCE_SIDE].count, target = of[SAC_TARGET_SIDE].count;
    bool left_out = true;
    if (source == 0 || target == 0)
        done = record_skipped_line(p, SAC_PAIRS_EMPTY, row->line);
    else if (source > SAC_PAIR_WORDS || target > SAC_PAIR_WORDS)
        done = record_skipped_line(p, SAC_PAIRS_LONG, row->line);
    else if (note_repeated_pair(s, row, &done))
        done = record_skipped_line(p, SAC_PAIRS_TWICE, row->line);
    else
        left_out = false;
    if (!done || left_out) {
        for (int side = 0; side < SAC_SIDES; side++)
            sac_sentence_tokens_free(&of[side]);
        return done;
    }
    sac_pair *pair = &p->items[p->count];
    for (int side = 0; side < SAC_SIDES; side++) {
        pair->text[side] = row->text[side];
        row->text[side] = NULL;
        pair->count[side] = of[side].count;
    }
    return note_source(s, pair, p->count++);
}

static sac_status add_rows_unless_skipped(sac_pairs *p, sac_pair_tokens *tokens,
                                          sac_pair_rows *rows, sac_error *error)
{
    seen s = {0};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < rows->count && status == SAC_OK; i++) {
        status = i % 4096 ? SAC_OK : sac_cancel_check("pairs", error);
        if (status == SAC_OK && !add_row_unless_skipped(p, tokens, &s, &rows->rows[i]))
            status = sac_no_memory(error, "pairs");
    }
    free_seen(&s);
    p->skipped[SAC_PAIRS_BARE] = rows->bare;
    rows->bare = (sac_pictures_skipped){0};
    p->note = rows->note;
    rows->note = NULL;
    return status;
}

/* ---------------------------------------------------------------- the split */

/* Sentences that differ in marks and capitals alone are held out together. */
static sac_status hash_of(const char *source, uint32_t seed, uint64_t *hash, sac_error *error)
{
    char *plain = sac_caption_plain(source);
    if (!plain)
        return sac_no_memory(error, "pairs");
    const char *key = plain[0] ? plain : source;
    uint64_t of = sac_hash(sac_hash(SAC_HASH_START, &seed, sizeof seed), key, strlen(key));
    *hash = (of ^ of >> 32) * 0x9e3779b97f4a7c15u; /* all of it decides the highest bits */
    free(plain);
    return SAC_OK;
}

/* Holds out the source sentences of the lowest hashes, at least one, with all their translations: another
 * pair in the file hardly changes which. */
static sac_status hold_out(sac_pairs *p, const char *path, uint32_t seed, double share,
                           sac_error *error)
{
    uint64_t *hashes = calloc(p->count + 1, sizeof *hashes), *sorted = NULL;
    sac_status status = hashes ? SAC_OK : sac_no_memory(error, "pairs");
    for (size_t i = 0; i < p->count && status == SAC_OK; i++)
        status = hash_of(p->items[i].text[SAC_SOURCE_SIDE], seed, &hashes[i], error);
    if (status == SAC_OK && !(sorted = malloc((p->count + 1) * sizeof *sorted)))
        status = sac_no_memory(error, "pairs");
    if (status == SAC_OK) {
        size_t sentences = 0;
        memcpy(sorted, hashes, p->count * sizeof *sorted);
        qsort(sorted, p->count, sizeof *sorted, sac_compare_hashes);
        for (size_t i = 0; i < p->count; i++)
            if (i == 0 || sorted[i] != sorted[i - 1])
                sorted[sentences++] = sorted[i];
        size_t wanted = (size_t)(share * (double)sentences + 0.5);
        wanted = wanted < 1 ? 1 : wanted > MOST_HELD ? MOST_HELD : wanted;
        if (sentences < 2)
            status = sac_fail(error, SAC_E_ARGUMENT, path, "give more pairs",
                              sentences ? "has one sentence, and none can be held out"
                                        : "has no pair of sentences that can be used");
        for (size_t i = 0; i < p->count && status == SAC_OK; i++) {
            p->items[i].held = hashes[i] <= sorted[wanted - 1];
            p->held += p->items[i].held;
        }
    }
    free(sorted);
    free(hashes);
    return status;
}

/* ---------------------------------------------------------------- numbers */

static int number_tokens(const sac_language_pair *l, int side, const char *tokens, int *numbers)
{
    int at = 0;
    size_t size;
    for (const char *word = tokens; (word = sac_sentence_tokens_next(word, &size)); word += size)
        numbers[at++] = sac_language_pair_find(l, side, word, size);
    return at;
}

/* The words of all pairs, which of the source are rare, and the shares of unknown ones. */
static sac_status number_pairs(sac_pairs *p, const sac_pair_tokens *tokens, sac_error *error)
{
    size_t words[SAC_SIDES][2] = {{0}}, unknown[SAC_SIDES][2] = {{0}};
    size_t sources = (size_t)p->languages->words[SAC_SOURCE_SIDE].count;
    size_t *times = calloc(sources, sizeof *times);
    p->is_rare = calloc(sources, sizeof *p->is_rare);
    if (!times || !p->is_rare) {
        free(times);
        return sac_no_memory(error, "pairs");
    }
    for (size_t i = 0; i < p->count; i++)
        for (int side = 0; side < SAC_SIDES; side++) {
            sac_pair *pair = &p->items[i];
            size_t count = (size_t)pair->count[side];
            pair->words[side] = malloc((count + 1) * sizeof *pair->words[side]);
            if (!pair->words[side]) {
                free(times);
                return sac_no_memory(error, "pairs");
            }
            number_tokens(p->languages, side, tokens[i][side].text, pair->words[side]);
            words[side][pair->held] += count;
            for (size_t k = 0; k < count; k++) {
                int word = pair->words[side][k];
                pair->unknown[side] += word == SAC_PAIR_UNKNOWN;
                if (side == SAC_SOURCE_SIDE && !pair->held)
                    times[word]++;
            }
            unknown[side][pair->held] += (size_t)pair->unknown[side];
        }
    for (size_t i = SAC_PAIR_MARKS; i < sources; i++)
        p->is_rare[i] = times[i] == 1;
    free(times);
    for (int side = 0; side < SAC_SIDES; side++) {
        p->unlearnt[side] = words[side][0] ? (double)unknown[side][0] / (double)words[side][0] : 0;
        p->unknown[side] = words[side][1] ? (double)unknown[side][1] / (double)words[side][1] : 0;
    }
    return SAC_OK;
}

int sac_language_pair_number(const sac_language_pair *l, const char *sentence, int *numbers,
                             int most, char *unknown, size_t size)
{
    sac_sentence_tokens tokens;
    int count = -1;
    size_t length, used = unknown ? strlen(unknown) : 0;
    if (sac_sentence_tokens_cut(sentence, true, &tokens)) {
        const char *word = tokens.text;
        for (count = 0; (word = sac_sentence_tokens_next(word, &length)); word += length, count++) {
            int number = sac_language_pair_find(l, SAC_SOURCE_SIDE, word, length);
            if (count < most)
                numbers[count] = number;
            if (number == SAC_PAIR_UNKNOWN && unknown && used + length + 3 < size)
                used += (size_t)snprintf(unknown + used, size - used, "%s%.*s", used ? ", " : "",
                                         (int)length, word);
        }
    }
    sac_sentence_tokens_free(&tokens);
    return count;
}

/* ---------------------------------------------------------------- names and examples */

/* "de,en" as two names. */
static sac_status parse_language_names(const char *given, sac_language_pair *l, sac_error *error)
{
    const char *comma = strchr(given, ',');
    size_t first = comma ? (size_t)(comma - given) : 0, second = comma ? strlen(comma + 1) : 0;
    if (!first || !second || strchr(comma + 1, ',') || first >= SAC_LANGUAGE_NAME ||
        second >= SAC_LANGUAGE_NAME)
        return sac_fail(error, SAC_E_ARGUMENT, "--languages", "give both, such as de,en",
                        "\"%.60s\" is no pair of languages", given);
    snprintf(l->name[SAC_SOURCE_SIDE], SAC_LANGUAGE_NAME, "%.*s", (int)first, given);
    snprintf(l->name[SAC_TARGET_SIDE], SAC_LANGUAGE_NAME, "%s", comma + 1);
    return SAC_OK;
}

/* The same languages as those of the model that goes on. */
static sac_status check_language_names(const char *given, const sac_language_pair *known,
                                       sac_error *error)
{
    sac_language_pair named = {0};
    sac_status status = parse_language_names(given, &named, error);
    for (int side = 0; side < SAC_SIDES && status == SAC_OK; side++)
        if (strcmp(sac_language_pair_name(&named, side), sac_language_pair_name(known, side)) != 0)
            status = sac_fail(error, SAC_E_ARGUMENT, "--languages",
                              "leave it out, or train anew without --resume",
                              "the model was trained on %s and %s",
                              sac_language_pair_name(known, 0), sac_language_pair_name(known, 1));
    return status;
}

/* Held-out sentences for the model to keep, spread over the file; the short ones first. */
static bool keep_held_out_examples(sac_pairs *p)
{
    enum { SHORT = 12 };
    bool done = true;
    for (int pass = 0; pass < 2; pass++) {
        size_t held = 0, stride = p->held / SAC_PAIR_EXAMPLES + 1;
        for (size_t i = 0; i < p->count && done; i++) {
            const sac_pair *pair = &p->items[i];
            bool is_short = pair->count[SAC_SOURCE_SIDE] <= SHORT;
            if (!pair->held || pair->same != i || held++ % stride || is_short != (pass == 0))
                continue;
            done = sac_language_pair_add_example(p->languages, pair->text[SAC_SOURCE_SIDE],
                                                 pair->text[SAC_TARGET_SIDE]);
        }
    }
    return done;
}

/* ---------------------------------------------------------------- all of it */

static sac_status set_up_languages(sac_pairs *p, const sac_pairs_options *o,
                                   const sac_pair_rows *rows, const sac_pair_tokens *tokens,
                                   sac_error *error)
{
    if (o->known)
        return o->languages ? check_language_names(o->languages, o->known, error) : SAC_OK;
    sac_language_pair *l = p->languages;
    sac_status status = SAC_OK;
    l->seed = o->seed;
    for (int side = 0; side < SAC_SIDES; side++)
        snprintf(l->name[side], SAC_LANGUAGE_NAME, "%s", rows->name[side]);
    if (o->languages)
        status = parse_language_names(o->languages, l, error);
    if (status == SAC_OK)
        status = sac_pairs_find_words(p, tokens, o->least, error);
    return status == SAC_OK && !keep_held_out_examples(p) ? sac_no_memory(error, "pairs") : status;
}

static sac_status build_pairs_from_rows(sac_pairs *p, const sac_pairs_options *o,
                                        sac_pair_rows *rows, sac_error *error)
{
    sac_pair_tokens *tokens = calloc(rows->count + 1, sizeof *tokens);
    p->items = calloc(rows->count + 1, sizeof *p->items);
    p->languages = o->known ? sac_language_pair_retain(o->known) : sac_language_pair_create();
    sac_status status = SAC_OK;
    if (!tokens || !p->items || !p->languages)
        status = sac_no_memory(error, "pairs");
    if (status == SAC_OK)
        status = add_rows_unless_skipped(p, tokens, rows, error);
    if (status == SAC_OK)
        status = hold_out(p, o->files[0], o->known ? o->known->seed : o->seed,
                          o->held_out > 0 ? (double)o->held_out : 0.1, error);
    if (status == SAC_OK && !sac_pairs_settle_case(p, tokens))
        status = sac_no_memory(error, "pairs");
    if (status == SAC_OK)
        status = set_up_languages(p, o, rows, (const sac_pair_tokens *)tokens, error);
    if (status == SAC_OK)
        status = number_pairs(p, (const sac_pair_tokens *)tokens, error);
    for (size_t i = 0; tokens && i < p->count; i++)
        for (int side = 0; side < SAC_SIDES; side++)
            sac_sentence_tokens_free(&tokens[i][side]);
    free(tokens);
    return status;
}

sac_status sac_pairs_open(const sac_pairs_options *o, sac_pairs *p, sac_error *error)
{
    sac_pair_rows rows;
    *p = (sac_pairs){.least = o->least};
    sac_status status = sac_pair_rows_load(o->files, &rows, error);
    if (status == SAC_OK)
        status = build_pairs_from_rows(p, o, &rows, error);
    sac_pair_rows_free(&rows);
    if (status != SAC_OK)
        sac_pairs_free(p);
    return status;
}

void sac_pairs_free(sac_pairs *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (int side = 0; side < SAC_SIDES; side++) {
            free(p->items[i].text[side]);
            free(p->items[i].words[side]);
        }
    free(p->items);
    free(p->is_rare);
    free(p->note);
    for (int kind = 0; kind < SAC_PAIRS_SKIPS; kind++)
        sac_pictures_skip_free(&p->skipped[kind]);
    sac_language_pair_release(p->languages);
    *p = (sac_pairs){0};
}

/* ---------------------------------------------------------------- examples of a model */

/* The words of one side. The first of the target may be small within sentences. */
static sac_status number_example(const sac_language_pair *l, int side, const char *text,
                                 sac_pair *pair, sac_error *error)
{
    sac_sentence_tokens tokens;
    bool made = sac_sentence_tokens_cut(text, side == SAC_SOURCE_SIDE, &tokens);
    pair->words[side] = made ? malloc(((size_t)tokens.count + 1) * sizeof(int)) : NULL;
    sac_status status = pair->words[side] ? SAC_OK : sac_no_memory(error, "examples");
    if (status == SAC_OK && (tokens.count < 1 || tokens.count > SAC_PAIR_WORDS))
        status = sac_fail(error, SAC_E_FORMAT, "examples", NULL, "one has %d words", tokens.count);
    if (status == SAC_OK) {
        pair->count[side] = number_tokens(l, side, tokens.text, pair->words[side]);
        size_t size = strcspn(tokens.text, " ");
        char *small = pair->words[side][0] == SAC_PAIR_UNKNOWN ? malloc(size + 3) : NULL;
        if (small)
            pair->words[side][0] = sac_language_pair_find(
                l, side, small, sac_token_lowercase_first(tokens.text, size, small));
        free(small);
    }
    sac_sentence_tokens_free(&tokens);
    return status;
}

sac_status sac_pairs_open_examples(sac_language_pair *l, sac_pairs *p, sac_error *error)
{
    *p =
        (sac_pairs){.languages = sac_language_pair_retain(l),
                    .items = calloc(SAC_PAIR_EXAMPLES, sizeof *p->items),
                    .is_rare = calloc((size_t)l->words[SAC_SOURCE_SIDE].count, sizeof *p->is_rare)};
    sac_status status = p->items && p->is_rare ? SAC_OK : sac_no_memory(error, "examples");
    for (int i = 0; i < l->example_count && status == SAC_OK; i++) {
        p->count++;
        for (int side = 0; side < SAC_SIDES && status == SAC_OK; side++)
            status = number_example(l, side, l->examples[i][side], &p->items[i], error);
    }
    if (status != SAC_OK)
        sac_pairs_free(p);
    return status;
}

/* ---------------------------------------------------------------- the report */

bool sac_pairs_report_line(const sac_pairs *p, int index, char *text, size_t size)
{
    static const char *const kinds[SAC_PAIRS_SKIPS] = {
        [SAC_PAIRS_BARE] = "without a second text",
        [SAC_PAIRS_EMPTY] = "with an empty side",
        [SAC_PAIRS_LONG] = "of more than 40 words",
        [SAC_PAIRS_TWICE] = "given before",
    };
    _Static_assert(SAC_PAIR_WORDS == 40, "as in the text");
    if (index == 0) {
        snprintf(text, size, "%s to %s: %zu pairs, %zu of them held out",
                 sac_language_pair_name(p->languages, SAC_SOURCE_SIDE),
                 sac_language_pair_name(p->languages, SAC_TARGET_SIDE), p->count, p->held);
        return true;
    }
    if (index <= SAC_SIDES) {
        int side = index - 1;
        snprintf(text, size,
                 "%s: %d words; unknown are %.1f %% of the words of held-out sentences, %.1f %% of "
                 "the others",
                 sac_language_pair_name(p->languages, side),
                 p->languages->words[side].count - SAC_PAIR_MARKS, 100 * p->unknown[side],
                 100 * p->unlearnt[side]);
        return true;
    }
    index -= SAC_SIDES + 1;
    for (int kind = 0; kind < SAC_PAIRS_SKIPS; kind++) {
        const sac_pictures_skipped *s = &p->skipped[kind];
        if (!s->count || index-- > 0)
            continue;
        size_t used = (size_t)snprintf(text, size, "left out: %zu %s %s", s->count,
                                       s->count == 1 ? "pair" : "pairs", kinds[kind]);
        for (int i = 0; i < SAC_SKIP_NAMES && s->names[i] && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : ":", s->names[i]);
        if (s->count > SAC_SKIP_NAMES && used < size)
            snprintf(text + used, size - used, ", …");
        return true;
    }
    if (p->note && index == 0) {
        snprintf(text, size, "%s", p->note);
        return true;
    }
    return false;
}
