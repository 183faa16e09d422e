/* The decoder at work on the device: a launch for the state that a sentence begins with, and one
 * for a step of all sentences of a beam (cl/caption_step.cl). */
#ifndef SAC_CAPTIONER_DECODE_STEP_H
#define SAC_CAPTIONER_DECODE_STEP_H

#include "captioner/model.h"

/* Into row 0, from the mean of the features of the picture that was looked at; `hidden`: without
 * the cells of decode->mask. With all cells hidden the mean is 0. Both enqueue. */
void sac_captioner_launch_begin(sac_captioner *captioner, bool hidden);
/* One word further for the rows of beam->row[beam->step], into decode->results. */
void sac_captioner_launch_step(sac_captioner *captioner, const sac_beam *beam, bool hidden,
                               float temperature);

#endif
