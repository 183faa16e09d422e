/* Vocabularies, capital letters and marks, as a person's pairs have them. */
#include "pairs/pair_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    MOST_WORDS = 16000, /* of a vocabulary; longer ones make slow models */
    LONGEST = 60        /* bytes of a word; longer ones are unknown */
};

/* ---------------------------------------------------------------- capital letters */

/* The tokens of a sentence one after the other. */
typedef struct walk {
    const char *token;
    size_t size;
    int index;
    bool begins; /* it is the first word of a sentence */
    bool inside; /* a word stood since the last end */
} walk;

static bool next_token(walk *w, const char *text)
{
    const char *from = w->token ? w->token + w->size : text;
    w->index = w->token ? w->index + 1 : 0;
    w->token = sac_sentence_tokens_next(from, &w->size);
    if (!w->token)
        return false;
    bool is_mark = sac_token_is_mark(w->token, w->size);
    w->begins = !is_mark && !w->inside;
    w->inside = is_mark ? w->inside && !sac_token_ends_sentence(w->token, w->size) : true;
    return true;
}

/* Words of the target within sentences, with the letters that they have there. */
static bool count_words_inside_sentences(const sac_pairs *p, const sac_pair_tokens *tokens,
                                         sac_text_counts *inner)
{
    bool done = true;
    for (size_t i = 0; i < p->count && done; i++)
        for (walk w = {0};
             !p->items[i].held && done && next_token(&w, tokens[i][SAC_TARGET_SIDE].text);)
            done = w.begins || sac_text_counts_add(inner, w.token, w.size);
    return done;
}

/* The first word with a small letter, in as many bytes; one whose letters have another size stays, as does
 * one with a second capital, "NATO". */
static void lower_usual_first_letter(const sac_text_counts *inner, char *token, size_t size)
{
    char small[LONGEST + 8], rest[LONGEST + 8];
    if (size > LONGEST || sac_token_lowercase_first(token, size, small) != size ||
        memcmp(small, token, size) == 0)
        return;
    size_t own = sac_text_counts_of(inner, token, size),
           other = sac_text_counts_of(inner, small, size);
    size_t first = 1;
    while (first < size && ((unsigned char)token[first] & 0xc0) == 0x80)
        first++;
    bool shouts = false;
    for (size_t at = first; at < size && !shouts; at++) {
        if (((unsigned char)token[at] & 0xc0) == 0x80)
            continue;
        size_t left = size - at;
        shouts = sac_token_lowercase_first(token + at, left, rest) != left ||
                 memcmp(rest, token + at, left) != 0;
    }
    if (!shouts && own <= other)
        memcpy(token, small, size);
}

bool sac_pairs_settle_case(const sac_pairs *p, sac_pair_tokens *tokens)
{
    sac_text_counts inner = {0};
    bool done = count_words_inside_sentences(p, (const sac_pair_tokens *)tokens, &inner);
    for (size_t i = 0; i < p->count && done; i++) {
        char *text = tokens[i][SAC_TARGET_SIDE].text;
        for (walk w = {0}; next_token(&w, text);)
            if (w.begins)
                lower_usual_first_letter(&inner, text + (w.token - text), w.size);
    }
    sac_text_counts_free(&inner);
    return done;
}

/* True where most sentences of the target, as they are written, begin with a capital of those that begin
 * with a letter that has one. */
static bool begins_with_capitals(const sac_pairs *p)
{
    size_t capital = 0, small = 0;
    char other[LONGEST + 8];
    for (size_t i = 0; i < p->count; i++) {
        const char *text = p->items[i].text[SAC_TARGET_SIDE];
        size_t size = strcspn(text, " ");
        if (p->items[i].held || size == 0 || size > LONGEST || sac_token_is_mark(text, size))
            continue;
        size_t now = sac_token_lowercase_first(text, size, other);
        capital += now != size || memcmp(other, text, now) != 0;
        now = sac_token_capitalize_first(text, size, other);
        small += now != size || memcmp(other, text, now) != 0;
    }
    return capital > small;
}

/* ---------------------------------------------------------------- marks */

/* How often a mark of the target stood behind a word and before one, and how often joined to it; of two marks
 * beside each other it is not known which of them joins. And how its even and its odd places in a sentence are
 * joined to whatever stands there, since quotes may open and close with one sign. */
typedef struct places {
    size_t behind, before, left, right;
    size_t all[2], joined[2][2]; /* even, odd; each with its left side and its right side */
    size_t sentence, count;      /* places in the sentence of this number, plus 1 */
} places;

static bool is_over_three_quarters(size_t part, size_t whole)
{
    return whole && 4 * part > 3 * whole;
}

static uint8_t usual_joins(const places *p)
{
    uint8_t joins = 0;
    if (is_over_three_quarters(p->joined[1][1], p->all[1]) &&
        is_over_three_quarters(p->joined[0][0], p->all[0]) &&
        !is_over_three_quarters(p->joined[1][0], p->all[1]) &&
        is_over_three_quarters(p->all[0], p->all[1]))
        return SAC_JOINS_TURNS;
    if (is_over_three_quarters(p->left, p->behind))
        joins |= SAC_JOINS_LEFT;
    if (is_over_three_quarters(p->right, p->before))
        joins |= SAC_JOINS_RIGHT;
    return joins;
}

static void count_token_joins(const sac_language_pair *l, const sac_sentence_tokens *t,
                              size_t sentence, places *all)
{
    bool word_before = false;
    places *mark = NULL; /* the last token, where it may join what comes next */
    for (walk w = {0}; next_token(&w, t->text);) {
        places *of = &all[sac_language_pair_find(l, SAC_TARGET_SIDE, w.token, w.size)];
        bool joins = sac_token_may_join(w.token, w.size), joined = t->joined[w.index];
        if (mark)
            mark->joined[mark->count % 2][1] += joined;
        if (!joins && mark) {
            mark->before++;
            mark->right += joined;
        }
        if (joins && word_before) {
            of->behind++;
            of->left += joined;
        }
        if (joins) {
            of->count = of->sentence == sentence + 1 ? of->count + 1 : 1;
            of->sentence = sentence + 1;
            of->all[of->count % 2]++;
            of->joined[of->count % 2][0] += joined;
        }
        word_before = !joins;
        mark = joins ? of : NULL;
    }
}

static sac_status find_joins(const sac_pairs *p, const sac_pair_tokens *tokens, sac_error *error)
{
    sac_language_pair *l = p->languages;
    size_t words = (size_t)l->words[SAC_TARGET_SIDE].count;
    places *all = calloc(words, sizeof *all);
    l->joins = calloc(words, sizeof *l->joins);
    for (size_t i = 0; all && l->joins && i < p->count; i++)
        if (!p->items[i].held)
            count_token_joins(l, &tokens[i][SAC_TARGET_SIDE], i, all);
    for (size_t i = SAC_PAIR_MARKS; all && l->joins && i < words; i++) {
        const char *word = l->words[SAC_TARGET_SIDE].texts[i];
        if (sac_token_may_join(word, strlen(word)))
            l->joins[i] = usual_joins(&all[i]);
    }
    free(all);
    return all && l->joins ? SAC_OK : sac_no_memory(error, "pairs");
}

/* The mark that ends more than half of the sentences of the source; "": none does. */
static bool set_usual_end_mark(const sac_pairs *p, const sac_pair_tokens *tokens)
{
    sac_text_counts ends = {0};
    size_t all = 0;
    bool done = true;
    for (size_t i = 0; i < p->count && done; i++) {
        const char *text = tokens[i][SAC_SOURCE_SIDE].text, *blank = strrchr(text, ' ');
        const char *last = blank ? blank + 1 : text;
        if (p->items[i].held)
            continue;
        all++;
        if (sac_token_ends_sentence(last, strlen(last)))
            done = sac_text_counts_add(&ends, last, strlen(last));
    }
    for (int i = 0; i < ends.table.count && done; i++)
        if (2 * ends.counts[i] > all && strlen(ends.table.texts[i]) < sizeof p->languages->stop)
            strcpy(p->languages->stop, ends.table.texts[i]);
    sac_text_counts_free(&ends);
    return done;
}

/* ---------------------------------------------------------------- vocabularies */

/* A word's vector needs examples, and of little text every word is needed: once in up to 100,000 words,
 * twice in up to a million, and so on. */
static int least_word_count(size_t words)
{
    return words < 100000 ? 1 : (int)floor(log10((double)words)) - 3;
}

static sac_status add_frequent_words(sac_language_pair *l, int side, const sac_text_counts *all,
                                     int least, sac_error *error)
{
    int count, taken = 0;
    sac_counted_text *words = sac_text_counts_frequent(all, (size_t)least, &count);
    sac_status status = words ? SAC_OK : sac_no_memory(error, "pairs");
    for (int i = 0; i < count && taken < MOST_WORDS && status == SAC_OK; i++) {
        size_t size = strlen(words[i].text);
        if (size > LONGEST)
            continue;
        taken++;
        if (sac_text_table_find(&l->words[side], words[i].text, size) < 0)
            status = sac_language_pair_add_word(l, side, words[i].text, error);
    }
    free(words);
    return status;
}

sac_status sac_pairs_find_words(sac_pairs *p, const sac_pair_tokens *tokens, int least,
                                sac_error *error)
{
    sac_language_pair *l = p->languages;
    sac_text_counts all[SAC_SIDES] = {{{0}}};
    size_t words[SAC_SIDES] = {0};
    bool done = true;
    for (size_t i = 0; i < p->count && done; i++)
        for (int side = 0; side < SAC_SIDES && !p->items[i].held && done; side++) {
            words[side] += (size_t)tokens[i][side].count;
            for (walk w = {0}; done && next_token(&w, tokens[i][side].text);)
                done = sac_text_counts_add(&all[side], w.token, w.size);
        }
    p->least = least ? least : least_word_count(words[0] < words[1] ? words[0] : words[1]);
    sac_status status = done ? SAC_OK : sac_no_memory(error, "pairs");
    for (int side = 0; side < SAC_SIDES; side++) {
        if (status == SAC_OK)
            status = add_frequent_words(l, side, &all[side], p->least, error);
        sac_text_counts_free(&all[side]);
    }
    for (int side = 0; side < SAC_SIDES && status == SAC_OK; side++)
        if (l->words[side].count <= SAC_PAIR_MARKS)
            status = sac_fail(error, SAC_E_ARGUMENT, "--word-count", "give a smaller number",
                              "no word of the %s occurs %d times", sac_language_pair_name(l, side),
                              p->least);
    if (status == SAC_OK)
        status = find_joins(p, tokens, error);
    if (status == SAC_OK && !set_usual_end_mark(p, tokens))
        status = sac_no_memory(error, "pairs");
    l->capital = begins_with_capitals(p);
    return status;
}
