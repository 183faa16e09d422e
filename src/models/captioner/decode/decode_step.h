/* The decoder at work on the device: all steps of a search in one launch (cl/layers/caption_step.cl). */
#ifndef SAC_CAPTIONER_DECODE_STEP_H
#define SAC_CAPTIONER_DECODE_STEP_H

#include "captioner/model.h"

/* Coordinates of a query and of each key as the kernel fills them up, at most. */
size_t sac_captioner_padded_keys(const sac_captioner *captioner);

/* The steps from beam->step on until the device thinks that the search is over, at least that one,
 * into decode->results. At step 0 it begins with the state the initial state, from the mean of the
 * features of the picture that was looked at, without the cells of decode->mask where
 * request->hidden is not NULL. With all cells hidden the mean is 0. Returns how many steps it may
 * take; enqueues. */
int sac_captioner_launch_steps(sac_captioner *captioner, const sac_beam *beam,
                               const sac_result_request *request);

/* Announces the programs that encoding a picture and a search for several sentences need
 * (sac_kernel_expect). */
void sac_captioner_expect(const sac_captioner *captioner);

#endif
