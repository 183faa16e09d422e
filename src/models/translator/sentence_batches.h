/* Batches of sentences for a translator to learn from. */
#ifndef SAC_TRANSLATOR_SENTENCE_BATCHES_H
#define SAC_TRANSLATOR_SENTENCE_BATCHES_H

#include "language/sentence.h"
#include "models/batches.h"

/* Each takes its words out of the same vocabularies as sac_word_list_create. */
sac_status sac_sentence_batches(size_t size, uint32_t seed, sac_batch_maker *maker,
                                sac_error *error);

/* What is left of `pair` between source words `first` and `last` (both inclusive), with the
 * translation of just these: false, and `pair` as it was, where no unbroken part of the translation
 * stands for them alone, or where that ends with an elision, which the next word asks for. */
bool sac_sentence_cut(sac_sentence_pair *pair, int first, int last);

#endif
