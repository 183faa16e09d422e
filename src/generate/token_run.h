/* Generation one word at a time, some of them chosen by a person. */
#ifndef SAC_GENERATE_TOKEN_RUN_H
#define SAC_GENERATE_TOKEN_RUN_H

#include "generate/decoder.h"
#include "sources/generation.h"

typedef struct sac_token_run {
    int *words; /* [count + 1], the start first; owned; NULL: nothing was generated yet */
    int count;
    float *logits,
        *weights; /* [count + 1,V], [count,N]: of a decoder whose steps write weights; owned */
} sac_token_run;
void sac_token_run_free(sac_token_run *token_run); /* takes a zeroed one */

/* Generates from the last input, in place of the last generation. */
sac_status sac_token_run_generate(sac_token_run *token_run, const sac_decoder *decoder, void *self,
                                  const sac_sampling *how, sac_error *error);
/* What might have come at a step, as of sac_generation_source; the texts are the caller's. */
sac_status sac_token_run_candidates(const sac_token_run *token_run, const sac_decoder *decoder,
                                    const void *self, size_t step, const sac_sampling *how,
                                    sac_candidate *candidates, int *count, int *kept,
                                    sac_error *error);

/* The most probable tokens [SAC_GENERATION_CANDIDATES] of logits [vocabulary], and what the sampling leaves of
 * them where the model's rules have made `ruled` [vocabulary] of these (may be the same). The last is
 * `stands` where that is not among them; −1: nothing stands there. Their texts are the caller's. */
sac_status sac_find_candidates(const sac_sampling *how, const float *logits, const float *ruled,
                               int vocabulary, int stands, sac_candidate *candidates, int *count,
                               int *kept, sac_error *error);

#endif
