/* The attention of every layer and head of a transformer. */
#ifndef SAC_TRANSFORMER_ATTENTIONS_H
#define SAC_TRANSFORMER_ATTENTIONS_H

#include "transformer/transformer.h"

/* The class's: models/model_class.h. */
sac_status sac_transformer_attentions(sac_model *model, const int *words, int count,
                                      sac_attentions *attentions, sac_error *error);

/* Finds the decoder's head that aligns words best. */

/* Scores every head of the decoder's attention over the sentence, unless that is known since the
 * model last learned: the share of words whose heaviest source word is a right one, on sentences of
 * the training stream. The best becomes t->aligner. */
sac_status sac_transformer_find_aligner(sac_transformer *transformer, sac_error *error);

#endif
