#include "language/bpe.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"

/* ---------------------------------------------------------------- pieces */

typedef enum kind { BLANK, DIGIT, MARK, LETTER } kind;

static kind kind_of(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' ? BLANK
           : c >= '0' && c <= '9'                          ? DIGIT
           : (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
                   (c >= '{' && c <= '~')
               ? MARK
               : LETTER;
}

/* Bytes of the piece that a text of `size` bytes, at least one, begins with. */
static size_t piece_size(const char *text, size_t size)
{
    const bool joined = text[0] == ' ' && size > 1 && kind_of((unsigned char)text[1]) != BLANK;
    const kind own = kind_of((unsigned char)text[joined]);
    size_t length = (size_t)joined + 1;
    while (length < size && kind_of((unsigned char)text[length]) == own)
        length++;
    return length;
}

/* The pieces of a text, each once, with the tokens that it has so far. */
typedef struct corpus {
    size_t count, capacity;
    struct piece {
        const char *text; /* lent */
        size_t size;
        uint32_t times;
        int *tokens; /* [length], in `all` */
        size_t length;
    } * pieces;
    size_t *slots, slot_count; /* by hash: a piece's number + 1; 0: none */
    int *all;
} corpus;

static void corpus_free(corpus *c)
{
    free(c->pieces);
    free(c->slots);
    free(c->all);
}

static size_t *find_slot(const corpus *c, const char *text, size_t size)
{
    size_t slot = sac_table_hash(text, size) & (c->slot_count - 1);
    for (; c->slots[slot]; slot = (slot + 1) & (c->slot_count - 1)) {
        const struct piece *p = &c->pieces[c->slots[slot] - 1];
        if (p->size == size && memcmp(p->text, text, size) == 0)
            break;
    }
    return &c->slots[slot];
}

/* Twice the room, half of which is free. */
static bool grow(corpus *c)
{
    const size_t capacity = c->capacity ? 2 * c->capacity : 1024;
    struct piece *pieces = realloc(c->pieces, capacity * sizeof *pieces);
    c->pieces = pieces ? pieces : c->pieces;
    size_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!pieces || !slots) {
        free(slots);
        return false;
    }
    free(c->slots);
    c->slots = slots;
    c->capacity = capacity;
    c->slot_count = 2 * capacity;
    for (size_t i = 0; i < c->count; i++)
        *find_slot(c, c->pieces[i].text, c->pieces[i].size) = i + 1;
    return true;
}

static sac_status corpus_open(const char *text, size_t size, corpus *c, sac_error *error)
{
    *c = (corpus){0};
    bool made = grow(c);
    size_t bytes = 0;
    for (size_t at = 0, length; at < size && made; at += length) {
        length = piece_size(text + at, size - at);
        size_t *slot = find_slot(c, text + at, length);
        if (!*slot && c->count == c->capacity) {
            made = grow(c);
            slot = made ? find_slot(c, text + at, length) : slot;
        }
        if (made && !*slot) {
            c->pieces[c->count++] = (struct piece){.text = text + at, .size = length};
            *slot = c->count;
            bytes += length;
        }
        if (made)
            c->pieces[*slot - 1].times++;
    }
    made = made && (c->all = malloc((bytes + 1) * sizeof *c->all));
    int *next = c->all;
    for (size_t i = 0; i < c->count && made; i++) {
        struct piece *p = &c->pieces[i];
        p->tokens = next;
        p->length = p->size;
        for (size_t k = 0; k < p->size; k++)
            *next++ = (unsigned char)p->text[k];
    }
    if (made)
        return SAC_OK;
    corpus_free(c);
    return sac_no_memory(error, "tokens");
}

/* ---------------------------------------------------------------- pairs */

/* How often each pair occurs, and the most frequent one of each left token. */
typedef struct pairs {
    size_t room;                /* tokens, at most */
    uint32_t *times;            /* [room,room] */
    size_t best[SAC_BPE_MOST];  /* by the left one: the right one … */
    bool stale[SAC_BPE_MOST];   /* … unless it has changed */
    size_t bytes[SAC_BPE_MOST]; /* of each token */
} pairs;

static void change(pairs *k, int left, int right, uint32_t times, bool more)
{
    uint32_t *at = &k->times[(size_t)left * k->room + (size_t)right];
    *at = more ? *at + times : *at - times;
    k->stale[left] = true;
}

/* Each such pair becomes one token. */
static void merge_pair(corpus *c, int left, int right, int merged, pairs *k)
{
    for (size_t i = 0; i < c->count; i++) {
        struct piece *p = &c->pieces[i];
        int *t = p->tokens;
        size_t out = 0;
        for (size_t at = 0; at < p->length;) {
            if (at + 1 == p->length || t[at] != left || t[at + 1] != right) {
                t[out++] = t[at++];
                continue;
            }
            change(k, left, right, p->times, false);
            if (out) {
                change(k, t[out - 1], left, p->times, false);
                change(k, t[out - 1], merged, p->times, true);
            }
            if (at + 2 < p->length) {
                change(k, right, t[at + 2], p->times, false);
                change(k, merged, t[at + 2], p->times, true);
            }
            t[out++] = merged;
            at += 2;
        }
        p->length = out;
    }
}

/* The most frequent pair of the first `count` tokens whose bytes a token may have; how often it occurs. */
static uint32_t find_best(pairs *k, size_t count, int pair[2])
{
    uint32_t most = 0;
    for (size_t left = 0; left < count; left++) {
        const uint32_t *times = k->times + left * k->room;
        for (size_t right = 0; right < count && k->stale[left]; right++) {
            const bool fits = k->bytes[left] + k->bytes[right] <= SAC_BPE_LONGEST;
            if (right == 0)
                k->best[left] = k->room;
            if (fits &&
                (k->best[left] == k->room ? times[right] > 0 : times[right] > times[k->best[left]]))
                k->best[left] = right;
        }
        k->stale[left] = false;
        if (k->best[left] < k->room && times[k->best[left]] > most) {
            most = times[k->best[left]];
            pair[0] = (int)left;
            pair[1] = (int)k->best[left];
        }
    }
    return most;
}

sac_status sac_bpe_learn(const char *text, size_t size, size_t most, int (*merges)[2],
                         size_t *count, sac_error *error)
{
    corpus c;
    *count = 0;
    sac_status status = corpus_open(text, size, &c, error);
    if (status != SAC_OK)
        return status;
    pairs *k = calloc(1, sizeof *k);
    if (k) {
        k->room = SAC_BPE_BYTES + most;
        k->times = calloc(k->room * k->room, sizeof *k->times);
    }
    if (!k || !k->times)
        status = sac_no_memory(error, "tokens");
    for (size_t i = 0; i < SAC_BPE_MOST && status == SAC_OK; i++) {
        k->stale[i] = true;
        k->bytes[i] = 1;
    }
    for (size_t i = 0; i < c.count && status == SAC_OK; i++)
        for (size_t at = 0; at + 1 < c.pieces[i].length; at++)
            change(k, c.pieces[i].tokens[at], c.pieces[i].tokens[at + 1], c.pieces[i].times, true);
    while (status == SAC_OK && *count < most) {
        const size_t tokens = SAC_BPE_BYTES + *count;
        int *pair = merges[*count];
        if (find_best(k, tokens, pair) < 2)
            break;
        k->bytes[tokens] = k->bytes[pair[0]] + k->bytes[pair[1]];
        merge_pair(&c, pair[0], pair[1], (int)tokens, k);
        (*count)++;
        status = sac_cancel_check("tokens", error);
    }
    if (k)
        free(k->times);
    free(k);
    corpus_free(&c);
    return status;
}
