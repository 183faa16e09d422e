/* Batches of sentences for a model to learn to translate from. */
#ifndef SAC_TRANSLATION_SENTENCE_BATCHES_H
#define SAC_TRANSLATION_SENTENCE_BATCHES_H

#include "grammar/sentence.h"
#include "models/batches.h"
#include "pairs/pairs.h"

/* The sentences that are read, in host memory. */
typedef struct sac_source_words {
    size_t batch, steps;         /* B, S */
    const int *words, *reversed; /* [S,B]: by step, and each from its last word to its first */
    const int *lengths;          /* [B], falling */
    const uint8_t *padding;      /* [B,S], 1: there is no word */
} sac_source_words;

/* One batch in host memory, the longest source sentence first. */
typedef struct sac_sentence_batch {
    sac_source_words source;
    size_t number;         /* of the batch */
    sac_batch_share share; /* which of the whole batch's sentences these are */
    sac_batch_whole whole;
    size_t steps;                /* T: words of the longest translation with its end */
    const int *inputs, *targets; /* [T,B]: the words before, SAC_TOKEN_START first; and the next
                                    words, −1: none */
    const int *lengths;          /* [B]: words of the translations with their end */
    const float *links; /* [B,T,S]: 1 where target word t stands for source word i; NULL: that
                                    is not known */
    const int *linked;  /* [T,B]: t where it stands for any, else −1 */
} sac_sentence_batch;

/* Each is `size` sentences, or a share of them, and takes its words out of the same vocabularies as
 * sac_word_list_create. */
sac_status sac_sentence_batches(size_t size, sac_batch_share share, uint32_t seed,
                                sac_batch_maker *maker, sac_error *error);

/* The same of the pairs that are not held out, in the words of their languages. What they stand for is not
 * known. Lends the pairs. */
sac_status sac_pair_batches(const sac_pairs *pairs, size_t size, sac_batch_share share,
                            uint32_t seed, sac_batch_maker *maker, sac_error *error);

/* Cuts `pair` to the source words `first` to `last` (both inclusive) and the translation of just
 * these. False, and `pair` as it was, where no unbroken part of the translation stands for them
 * alone, or where that ends with an elision, which the next word asks for. */
bool sac_sentence_cut(sac_sentence_pair *pair, int first, int last);

#endif
