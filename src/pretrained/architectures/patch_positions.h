/* Trained positions, brought to a grid of patches of another size, as torch's bicubic interpolation
 * does it (align_corners=False). */
#ifndef SAC_ARCHITECTURES_PATCH_POSITIONS_H
#define SAC_ARCHITECTURES_PATCH_POSITIONS_H

#include <stdbool.h>

#include "saccade.h"

typedef struct sac_patch_grid {
    int width, height; /* in patches */
} sac_patch_grid;

/* trained [from.height,from.width,depth] → positions [to.height,to.width,depth]. `smooth`: with
 * antialias=True. SAC_E_MEMORY. */
sac_status sac_patch_positions(const float *trained, sac_patch_grid from, sac_patch_grid to,
                               size_t depth, bool smooth, float *positions, sac_error *error);

#endif
