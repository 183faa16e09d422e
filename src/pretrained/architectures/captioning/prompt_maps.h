/* What is made of a decoder's rows over the tokens of a picture in its prompt. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_PROMPT_MAPS_H
#define SAC_ARCHITECTURES_CAPTIONING_PROMPT_MAPS_H

#include "architectures/captioning/text_decoder.h"

/* Brings cells to a sum of 1, and returns what that was; where it is 0 they stay. */
double sac_cells_close(float *cells, size_t count);

/* Carries rows [count,picture's tokens] on through the vision encoder, tile by tile. */
sac_status sac_prompt_carry(sac_pretrained_captioner *captioner, int count, float *rows,
                            sac_error *error);
/* Cells [count,grid] of the activations of the tokens that were said. */
sac_status sac_prompt_activate(sac_pretrained_captioner *captioner, const int *words, int count,
                               float *cells, sac_error *error);

#endif
