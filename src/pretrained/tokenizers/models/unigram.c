/* Viterbi's algorithm over the places of a text. */
#include "tokenizers/models/unigram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "tokenizers/inside.h"
#include "tokenizers/text/text_buffer.h"
#include "tokenizers/text/unicode.h"

#define UNKNOWN_PENALTY 10.0 /* below the least score, as in SentencePiece */

sac_status sac_piece_check(const char *piece, size_t size, double score, size_t number,
                           sac_error *error)
{
    if (size > 0 && size <= SAC_PIECE_MOST && sac_utf8_valid(piece, size) &&
        !memchr(piece, '\0', size) && isfinite(score))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, "pieces", NULL,
                    "piece %zu is not a text of up to %d bytes with a score", number,
                    SAC_PIECE_MOST);
}

sac_status sac_unigram_add(sac_unigram *u, const char *piece, double score, sac_error *error)
{
    size_t number = u->pieces.size, size = strlen(piece);
    sac_status status = sac_piece_check(piece, size, score, number, error);
    if (status != SAC_OK)
        return status;
    double *scores = sac_list_grow(u->scores, number, &u->capacity, sizeof *scores);
    if (!scores)
        return sac_no_memory(error, "pieces");
    u->scores = scores;
    status = sac_vocabulary_add(&u->pieces, piece, (double)number, error);
    if (status != SAC_OK)
        return status;
    scores[number] = score;
    u->longest = size > u->longest ? size : u->longest;
    u->least = number == 0 || score < u->least ? score : u->least;
    return SAC_OK;
}

void sac_unigram_free(sac_unigram *u)
{
    sac_vocabulary_free(&u->pieces);
    free(u->scores);
    *u = (sac_unigram){0};
}

/* ---------------------------------------------------------------- the best way */

/* The best way to a place of the text. */
typedef struct way {
    double score;
    size_t begin; /* of its last piece; … */
    size_t end;   /* … and of the best way through the text: where the piece from here ends */
    bool reached, unknown;
} way;

static double add_scores(const sac_unigram *u, double a, double b)
{
    return u->sums_floats ? (double)(float)(a + b) : a + b;
}

/* Of ways that come out equal the first one stays. */
static void try_piece(way *ways, size_t begin, size_t end, double score, bool unknown)
{
    way *to = &ways[end];
    if (to->reached && !(score > to->score))
        return;
    *to = (way){.score = score, .begin = begin, .reached = true, .unknown = unknown};
}

/* All pieces that begin at a place, and where no piece is its character, that as unknown. */
static void try_pieces_at(const sac_unigram *u, const char *text, size_t size, size_t begin,
                          size_t character, way *ways)
{
    size_t most = size - begin < u->longest ? size : begin + u->longest;
    bool has_character = false;
    for (size_t end = begin; end < most;) {
        sac_unicode_next(text, size, &end);
        int piece = sac_vocabulary_find(&u->pieces, text + begin, end - begin);
        if (piece < 0)
            continue;
        has_character = has_character || end == character;
        try_piece(ways, begin, end, add_scores(u, u->scores[piece], ways[begin].score), false);
    }
    double unknown = add_scores(u, add_scores(u, u->least, -UNKNOWN_PENALTY), ways[begin].score);
    if (!has_character)
        try_piece(ways, begin, character, unknown, true);
}

/* A run of unknown characters becomes one piece. */
static void trace_best_cuts(way *ways, size_t size, sac_cut *cut)
{
    bool was_unknown = false;
    for (size_t at = size; at > 0; at = ways[at].begin)
        ways[ways[at].begin].end = at;
    for (size_t at = 0; at < size;) {
        at = ways[at].end;
        cut->count += !(was_unknown && ways[at].unknown);
        cut->ends[cut->count - 1] = at;
        was_unknown = ways[at].unknown;
    }
}

bool sac_unigram_cut(const sac_unigram *u, const char *text, size_t size, sac_cut *cut)
{
    way *ways = calloc(size + 1, sizeof *ways);
    *cut = (sac_cut){.ends = calloc(size + 1, sizeof *cut->ends)};
    bool made = ways && cut->ends;
    for (size_t at = 0, next = 0; at < size && made; at = next) {
        made = at % 64 || !sac_cancel_asked();
        sac_unicode_next(text, size, &next);
        try_pieces_at(u, text, size, at, next, ways);
    }
    if (made)
        trace_best_cuts(ways, size, cut);
    free(ways);
    return made;
}

/* ---------------------------------------------------------------- tokens */

/* What has no token: its bytes where all of them are tokens, else the unknown token. */
static bool append_unknown(const sac_tokenizer *t, const char *text, size_t size,
                           sac_tokens *tokens)
{
    bool bytes = t->byte_fallback, made = true;
    for (size_t i = 0; i < size && bytes; i++)
        bytes = sac_tokenizer_byte(t, (uint8_t)text[i]) >= 0;
    for (size_t i = 0; i < size && bytes && made; i++)
        made = sac_tokens_append(tokens, sac_tokenizer_byte(t, (uint8_t)text[i]));
    return bytes || t->unknown < 0 ? made : sac_tokens_append(tokens, t->unknown);
}

bool sac_unigram_tokens(const sac_tokenizer *t, const sac_unigram *u, const char *text, size_t size,
                        sac_tokens *tokens)
{
    sac_cut cut;
    bool made = sac_unigram_cut(u, text, size, &cut);
    for (size_t i = 0, begin = 0; i < cut.count && made; begin = cut.ends[i++]) {
        size_t length = cut.ends[i] - begin;
        int id = sac_vocabulary_find(&t->vocabulary, text + begin, length);
        made = id >= 0 ? sac_tokens_append(tokens, id)
                       : append_unknown(t, text + begin, length, tokens);
    }
    free(cut.ends);
    return made;
}
