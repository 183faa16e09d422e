/* The unigram model (Kudo 2018): of all ways to cut a text into pieces the one whose scores have
 * the largest sum. */
#ifndef SAC_TOKENIZERS_MODELS_UNIGRAM_H
#define SAC_TOKENIZERS_MODELS_UNIGRAM_H

#include "tokenizers/models/token_ids.h"

enum { SAC_PIECE_MOST = 512 }; /* bytes; no piece is longer */

typedef struct sac_unigram {
    sac_vocabulary pieces;
    double *scores; /* [capacity], of the pieces: log probabilities */
    size_t capacity;
    size_t longest;   /* bytes of a piece */
    double least;     /* of the scores */
    bool sums_floats; /* sums of scores are rounded to float32, as SentencePiece does it */
} sac_unigram;

/* SAC_E_FORMAT where piece `number` of a list is empty, too long or not UTF-8, or its score is not finite. */
sac_status sac_piece_check(const char *piece, size_t size, double score, size_t number,
                           sac_error *error);
/* SAC_E_FORMAT for such a piece, and where it is there already. */
sac_status sac_unigram_add(sac_unigram *unigram, const char *piece, double score, sac_error *error);
void sac_unigram_free(sac_unigram *unigram);

/* The cut of a text: piece i ends at ends[i]. What has no piece is one piece, whatever its length.
 */
typedef struct sac_cut {
    size_t *ends, count;
} sac_cut;
/* False: out of memory. Free the ends. */
bool sac_unigram_cut(const sac_unigram *unigram, const char *text, size_t size, sac_cut *cut);

#endif
