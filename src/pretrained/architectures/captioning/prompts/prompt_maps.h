/* What is made of a decoder's rows over the tokens of a picture in its prompt. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_PROMPTS_PROMPT_MAPS_H
#define SAC_ARCHITECTURES_CAPTIONING_PROMPTS_PROMPT_MAPS_H

#include "architectures/captioning/text_decoder.h"

/* Brings cells to a sum of 1, and returns what that was; where it is 0 they stay. */
double sac_cells_close(float *cells, size_t count);

/* The cells [count,grid] of rows over tokens that lie in those boxes, each brought to a sum of 1; `sums`
 * (NULL: not wanted) is what they had. */
void sac_prompt_weigh_cells(const sac_pretrained_captioner *captioner, const sac_token_box *box,
                            size_t tokens, const float *seen, int count, float *cells, float *sums);
/* The same of rows [count,picture's tokens], or where those looked at cells [count,cells], that are carried on through the vision encoder, tile by
 * tile. */
sac_status sac_prompt_rollout(sac_pretrained_captioner *captioner, int count, const float *seen,
                              float *cells, sac_error *error);
/* Cells [count,grid] of the activations of the generated tokens. */
sac_status sac_prompt_activate(sac_pretrained_captioner *captioner, const int *words, int count,
                               float *cells, sac_error *error);

#endif
