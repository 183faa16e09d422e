/* The picture view's defaults and grid, and the memory of its result. */

#include "sources/picture.h"

#include <math.h>
#include <stdlib.h>

sac_picture_settings sac_picture_defaults(void)
{
    return (sac_picture_settings){.score = SAC_SCORE_GAUSSIAN,
                                  .inverse_width = 1.0f,
                                  .temperature = 1.0f,
                                  .position = 0.15f,
                                  .cells = 32};
}

void sac_picture_result_free(sac_picture_result *result)
{
    if (!result)
        return;
    free(result->weights);
    free(result->rebuilt);
    *result = (sac_picture_result){0};
}

void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h)
{
    int longer = width > height ? width : height, shorter = width > height ? height : width;
    int other = (int)lround((double)cells * shorter / longer);
    other = other < 1 ? 1 : other;
    *grid_w = width >= height ? cells : other;
    *grid_h = width >= height ? other : cells;
}
