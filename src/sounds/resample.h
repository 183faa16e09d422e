/* Another rate, of samples that come block by block. */
#ifndef SAC_SOUNDS_RESAMPLE_H
#define SAC_SOUNDS_RESAMPLE_H

#include "sounds/sound.h"

typedef struct sac_resampler sac_resampler;

/* NULL: no memory. */
sac_resampler *sac_resampler_create(int from, int to);
/* Takes `count` samples more, and appends to `sound` those of the new rate that they settle; with
 * `ends` all the rest. */
sac_status sac_resampler_push(sac_resampler *resampler, const float *samples, size_t count,
                              bool ends, sac_sound *sound, sac_error *error);
void sac_resampler_destroy(sac_resampler *resampler);

#endif
