/* The attention of every layer and head of a transformer. */
#ifndef SAC_TRANSFORMER_ATTENTIONS_H
#define SAC_TRANSFORMER_ATTENTIONS_H

#include "transformer/transformer.h"

/* The class's: models/model_class.h. */
sac_status sac_transformer_attentions(sac_model *model, const int *words, int count,
                                      sac_attentions *attentions, sac_error *error);

#endif
