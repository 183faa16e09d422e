/* Byte-pair encoding: a word begins as single characters, and the pair of the lowest rank becomes
 * one token, again and again (Sennrich et al. 2016). The pairs wait in a heap, so that a word of n
 * characters takes n log n steps. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/hash.h"
#include "tokenizers/inside.h"
#include "tokenizers/text/unicode.h"

/* ---------------------------------------------------------------- the table of merges */

static sac_merge *slot_of(const sac_tokenizer *t, int left, int right)
{
    const int pair[2] = {left, right};
    size_t slot = sac_table_hash(pair, sizeof pair) & (t->merge_slots - 1);
    while (t->merges[slot].merged >= 0 &&
           (t->merges[slot].left != left || t->merges[slot].right != right))
        slot = (slot + 1) & (t->merge_slots - 1);
    return &t->merges[slot];
}

/* NULL where the two do not become one. */
static const sac_merge *find_merge(const sac_tokenizer *t, int left, int right)
{
    if (!t->merge_slots)
        return NULL;
    const sac_merge *merge = slot_of(t, left, right);
    return merge->merged >= 0 ? merge : NULL;
}

bool sac_bpe_allocate_merges(sac_tokenizer *t, size_t count)
{
    size_t slots = 16;
    while (slots < 2 * (count + 1))
        slots *= 2;
    t->merges = malloc(slots * sizeof *t->merges);
    if (!t->merges)
        return false;
    t->merge_slots = slots;
    for (size_t i = 0; i < slots; i++)
        t->merges[i].merged = -1;
    return true;
}

bool sac_bpe_add_merge(sac_tokenizer *t, const char *left, size_t left_size, const char *right,
                       size_t right_size, int rank)
{
    size_t inside = strlen(t->prefix);
    int l = sac_vocabulary_find(&t->vocabulary, left, left_size);
    int r = sac_vocabulary_find(&t->vocabulary, right, right_size);
    if (l < 0 || r < 0)
        return false;
    inside = right_size >= inside && memcmp(right, t->prefix, inside) == 0 ? inside : 0;
    sac_text_clear(&t->both);
    sac_text_append(&t->both, left, left_size);
    sac_text_append(&t->both, right + inside, right_size - inside);
    if (t->both.failed)
        return false;
    int merged = sac_vocabulary_find(&t->vocabulary, t->both.bytes, t->both.size);
    sac_merge *slot = slot_of(t, l, r);
    if (merged < 0 || 2 * (t->merge_count + 1) > t->merge_slots)
        return false;
    if (slot->merged < 0) {
        *slot = (sac_merge){l, r, rank, merged};
        t->merge_count++;
    }
    return true;
}

bool sac_bpe_add_line(sac_tokenizer *t, const char *line, int rank)
{
    const char *space = line[0] ? strchr(line + 1, ' ') : NULL;
    return space &&
           sac_bpe_add_merge(t, line, (size_t)(space - line), space + 1, strlen(space + 1), rank);
}

/* ---------------------------------------------------------------- one word */

typedef struct symbol {
    int id, previous, next; /* −1: none */
    bool gone;              /* it became a part of the one before */
} symbol;

typedef struct candidate {
    int rank, at, merged; /* symbol `at` and the next one become `merged` */
} candidate;

typedef struct word {
    const sac_tokenizer *tokenizer;
    symbol *symbols;
    candidate *heap; /* the lowest rank on top, the first place among equals */
    int count, heap_count;
} word;

static bool goes_before(const candidate *a, const candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push(word *w, candidate c)
{
    int i = w->heap_count++;
    for (; i > 0 && goes_before(&c, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = c;
}

static candidate pop(word *w)
{
    candidate top = w->heap[0], last = w->heap[--w->heap_count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < w->heap_count; i = child) {
        child += child + 1 < w->heap_count && goes_before(&w->heap[child + 1], &w->heap[child]);
        if (!goes_before(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = last;
    return top;
}

/* Symbol `at` and the one after it, where they become one. */
static void push_merge_candidate(word *w, int at)
{
    if (at < 0 || w->symbols[at].next < 0)
        return;
    const sac_merge *merge =
        find_merge(w->tokenizer, w->symbols[at].id, w->symbols[w->symbols[at].next].id);
    if (merge)
        push(w, (candidate){merge->rank, at, merge->merged});
}

/* True where the candidate still matches the symbols: others may have come before it. */
static bool still_holds(const word *w, const candidate *c)
{
    const symbol *s = &w->symbols[c->at];
    if (s->gone || s->next < 0)
        return false;
    const sac_merge *merge = find_merge(w->tokenizer, s->id, w->symbols[s->next].id);
    return merge && merge->merged == c->merged;
}

static void merge_all(word *w)
{
    for (int i = 0; i < w->count; i++)
        push_merge_candidate(w, i);
    for (size_t steps = 1; w->heap_count; steps++) {
        candidate c = pop(w);
        if (steps % 65536 == 0 && sac_cancel_asked())
            break; /* what is left stays as it is: it will not be used */
        if (!still_holds(w, &c))
            continue;
        symbol *s = &w->symbols[c.at], *right = &w->symbols[s->next];
        s->id = c.merged;
        right->gone = true;
        s->next = right->next;
        if (s->next >= 0)
            w->symbols[s->next].previous = c.at;
        push_merge_candidate(w, s->previous);
        push_merge_candidate(w, c.at);
    }
}

static void add_symbol(word *w, int id)
{
    int at = w->count++;
    w->symbols[at] = (symbol){.id = id, .previous = at - 1, .next = -1};
    if (at)
        w->symbols[at - 1].next = at;
}

/* A character that is no token: its bytes where those are tokens, else the unknown token. */
static void add_unknown(word *w, const char *character, size_t size)
{
    const sac_tokenizer *t = w->tokenizer;
    int bytes[4];
    bool known = t->byte_fallback && size <= 4;
    for (size_t i = 0; i < size && known; i++) {
        bytes[i] = sac_tokenizer_byte(t, (uint8_t)character[i]);
        known = bytes[i] >= 0;
    }
    if (known) {
        for (size_t i = 0; i < size; i++)
            add_symbol(w, bytes[i]);
        return;
    }
    bool again = w->count && w->symbols[w->count - 1].id == t->unknown;
    if (t->unknown >= 0 && !(again && t->fuses_unknown))
        add_symbol(w, t->unknown);
}

static void read_symbols(word *w, const char *text, size_t size)
{
    const sac_tokenizer *t = w->tokenizer;
    for (size_t at = 0, begin = 0; at < size; begin = at) {
        char name[32];
        sac_unicode_next(text, size, &at);
        bool last = at == size;
        int length = snprintf(name, sizeof name, "%s%.*s%s", begin ? t->prefix : "",
                              (int)(at - begin), text + begin, last ? t->suffix : "");
        int id = sac_vocabulary_find(&t->vocabulary, name, (size_t)length);
        if (id >= 0)
            add_symbol(w, id);
        else
            add_unknown(w, text + begin, at - begin);
    }
}

bool sac_bpe(const sac_tokenizer *t, const char *text, size_t size, sac_tokens *tokens)
{
    int whole = t->ignores_merges ? sac_vocabulary_find(&t->vocabulary, text, size) : -1;
    if (whole >= 0)
        return sac_tokens_append(tokens, whole);
    /* Each character begins one candidate, and each of at most size − 1 merges two more; a text that is one word of characters
     * has none. */
    const size_t candidates = t->merge_count ? 3 * size : 1;
    word w = {.tokenizer = t,
              .symbols = malloc(size * sizeof *w.symbols),
              .heap = malloc(candidates * sizeof *w.heap)};
    bool there = w.symbols && w.heap && size < INT32_MAX / 4;
    if (there) {
        read_symbols(&w, text, size);
        merge_all(&w);
    }
    for (int i = w.count ? 0 : -1; i >= 0 && there; i = w.symbols[i].next)
        there = sac_tokens_append(tokens, w.symbols[i].id);
    free(w.symbols);
    free(w.heap);
    return there;
}
