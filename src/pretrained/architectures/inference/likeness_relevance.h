/* What counted for the logit of a picture and a phrase. */
#ifndef SAC_INFERENCE_LIKENESS_RELEVANCE_H
#define SAC_INFERENCE_LIKENESS_RELEVANCE_H

#include "architectures/architecture.h"

/* row [count]: of the picture's tokens, with a sum of 1; `phrase` [P] is what it became, of length 1. */
sac_status sac_inference_patches_for(const sac_inference *picture, const float *phrase, float *row,
                                     sac_error *error);
/* row [count of the text]: of its tokens, but token `at`, whose state is compared; `seen` [P] is what
 * the picture became. */
sac_status sac_inference_words_for(const sac_inference *picture, const sac_inference *text,
                                   size_t at, const float *seen, float *row, sac_error *error);

#endif
