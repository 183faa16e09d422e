/* The memory of a training snapshot. */

#include "sources/training.h"

#include <stdlib.h>

void sac_training_snapshot_free(sac_training_snapshot *snapshot)
{
    if (!snapshot)
        return;
    free(snapshot->loss);
    free(snapshot->exact);
    free(snapshot->at);
    for (size_t i = 0; i < sizeof snapshot->picture / sizeof *snapshot->picture; i++) {
        sac_image_free(&snapshot->picture[i].image);
        sac_caption_free(&snapshot->picture[i].caption);
    }
    *snapshot = (sac_training_snapshot){0};
}
