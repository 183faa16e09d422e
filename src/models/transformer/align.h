/* Finds the decoder's head that aligns words best. */
#ifndef SAC_TRANSFORMER_ALIGN_H
#define SAC_TRANSFORMER_ALIGN_H

#include "transformer/transformer.h"

/* Scores every head of the decoder's attention over the sentence, unless that is known since the
 * model last learned: the share of words whose heaviest source word is a right one, on sentences of
 * the training stream. The best becomes t->aligner. */
sac_status sac_transformer_find_aligner(sac_transformer *transformer, sac_error *error);

#endif
