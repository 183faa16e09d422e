/* Windows that go over one picture x [h·w,depth] without weights, forward alone: models that were
 * trained elsewhere have them. */
#ifndef SAC_NN_WINDOWS_H
#define SAC_NN_WINDOWS_H

#include "nn/pass.h"

/* y [⌈h/2⌉·⌈w/2⌉,depth] = the largest in each window of 3 × 3 around every other pixel. */
void sac_max_windows(sac_pass *pass, size_t height, size_t width, sac_tensor y, sac_tensor x);
/* y [side²,depth] = the mean of a window for each cell of a grid, whatever the picture's size: cell
 * i of a side of n pixels has those from ⌊i·n/side⌋ on, up to before ⌈(i + 1)·n/side⌉. PyTorch's
 * AdaptiveAvgPool2d. */
void sac_mean_windows(sac_pass *pass, size_t height, size_t width, size_t side, sac_tensor y,
                      sac_tensor x);

#endif
