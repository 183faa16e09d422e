/* The last generation after a text, with the origin of each token. */
#ifndef SAC_ARCHITECTURES_INFERENCE_CONTINUATION_H
#define SAC_ARCHITECTURES_INFERENCE_CONTINUATION_H

#include "architectures/architecture.h"
#include "sources/generation.h"

/* Zeroed: nothing was asked yet. */
typedef struct sac_continuation {
    sac_inference *generated; /* the text and its continuation; NULL: nothing yet */
    float *logits;            /* [V] of step logits_of, from 1; 0: of none */
    size_t logits_of;
} sac_continuation;

/* Appends to ids[*count] what is generated after them, with heads scaled as those of `now` are. */
sac_status sac_continuation_generate_ids(const sac_inference *now, const sac_sampling *how,
                                         int *ids, size_t *count, sac_error *error);
/* After the text of `whole`, with heads scaled as those of `now` are. */
sac_status sac_continuation_generate(sac_continuation *continuation, const sac_inference *whole,
                                     const sac_inference *now, const sac_sampling *how,
                                     sac_generation *generation, sac_error *error);
/* Fills in the generated text of `p`, its tokens, and the attention of each, the mean over all layers and heads. */
sac_status sac_continuation_fill(const sac_inference *p, sac_generation *generation,
                                 sac_error *error);
/* Of the last generation; before there is one of `opened`, as it is. SAC_E_ARGUMENT where there is no such
 * step. */
sac_status sac_continuation_candidates(sac_continuation *continuation, const sac_inference *opened,
                                       size_t step, const sac_sampling *how,
                                       sac_candidate *candidates, int *count, int *kept,
                                       sac_error *error);
void sac_continuation_free(sac_continuation *continuation);

/* Gives candidates their texts; to a token that stands for no text its name. */
void sac_name_candidates(const sac_tokenizer *tokenizer, sac_candidate *candidates, int count);

#endif
