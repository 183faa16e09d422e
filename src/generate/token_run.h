/* Generation one token at a time, some of them chosen by a person, from what was encoded or after a text; after a text
 * by beam search, too. */
#ifndef SAC_GENERATE_TOKEN_RUN_H
#define SAC_GENERATE_TOKEN_RUN_H

#include "generate/generate.h"
#include "sources/generation.h"

typedef struct sac_token_run {
    int *
        words; /* [before + count]: the text, or the start, and what was generated after it; owned; NULL: nothing was
                   generated yet */
    int before, count;
    float *logits,
        *weights; /* [count + 1,V], before the model's rules; [count,N], of a decoder whose steps write
                                weights; owned; NULL after a text */
} sac_token_run;
void sac_token_run_free(sac_token_run *token_run); /* takes a zeroed one */

/* Generates in place of the last generation: from the last input (text NULL), token by token; or after the
 * text tokens [count], where a beam of width 0 is that of the decoder, unless tokens are drawn or chosen.
 * SAC_E_ARGUMENT where a token that is chosen does not exist. */
sac_status sac_token_run_generate(sac_token_run *token_run, const sac_decoder *decoder, void *self,
                                  const int *text, int count, const sac_sampling *how,
                                  sac_error *error);
/* What might have come at a step from the last input, as of sac_result_source; the texts are the caller's. */
sac_status sac_token_run_candidates(const sac_token_run *token_run, const sac_decoder *decoder,
                                    const void *self, size_t step, const sac_sampling *how,
                                    sac_candidate *candidates, int *count, int *kept,
                                    sac_error *error);

/* A token that may be drawn. */
typedef struct sac_drawable {
    int token;
    float
        probability; /* by the temperature, 1 where that is 0; of those that are left it is 1 together */
} sac_drawable;
/* What the draw leaves of the tokens with these logits [count], the most probable first, into `left`
 * [count]; returns how many. */
int sac_draw_rank_and_cut(const sac_draw *how, const float *logits, int count, sac_drawable *left);

/* The most probable token, or one drawn by `uniform`, from 0 to 1: of those that top-k and top-p leave, into `left`
 * [count], or (NULL) of all. */
int sac_draw_token(const sac_draw *how, const float *logits, int count, float uniform,
                   sac_drawable *left);
/* The most probable tokens [SAC_GENERATION_CANDIDATES] of logits [vocabulary], and what the sampling leaves of
 * them where the model's rules have made `ruled` [vocabulary] of these (may be the same). The last is
 * `stands` where that is not among them; −1: nothing stands there. Their texts are the caller's. */
sac_status sac_find_candidates(const sac_sampling *how, const float *logits, const float *ruled,
                               int vocabulary, int stands, sac_candidate *candidates, int *count,
                               int *kept, sac_error *error);

#endif
