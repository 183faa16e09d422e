/* Generation of a model one word at a time after its last input, and the attention of each word. */
#ifndef SAC_MODELS_GENERATION_H
#define SAC_MODELS_GENERATION_H

#include "models/model_class.h"

/* The attention of all layers and heads, as of a class's `attentions`. */
typedef sac_status sac_model_attend(sac_model *model, const int *words, int count,
                                    sac_attentions *attentions, sac_error *error);

/* As of sac_result_source. Words look where `attend` has them look, in the mean of all layers and heads;
 * NULL: where the decoder's steps do, and at none of the words before them. */
sac_status sac_model_generate_tokens(sac_model *model, sac_model_attend *attend,
                                     const sac_sampling *how, sac_generation *generation,
                                     sac_error *error);
sac_status sac_model_candidates(sac_model *model, size_t step, const sac_sampling *how,
                                sac_candidate *candidates, int *count, int *kept, sac_error *error);

#endif
