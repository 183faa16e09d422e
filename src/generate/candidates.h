/* The candidates of a step of a generation, as sources/generation.h defines them. */
#ifndef SAC_GENERATE_CANDIDATES_H
#define SAC_GENERATE_CANDIDATES_H

#include "sources/generation.h"

/* The most probable tokens [SAC_GENERATION_CANDIDATES] of logits [vocabulary], and what the sampling leaves of
 * them where the model's rules have made `ruled` [vocabulary] of these (may be the same). The last is
 * `stands` where that is not among them; −1: nothing stands there. Their texts are the caller's. */
sac_status sac_find_candidates(const sac_sampling *how, const float *logits, const float *ruled,
                               int vocabulary, int stands, sac_candidate *candidates, int *count,
                               int *kept, sac_error *error);

#endif
