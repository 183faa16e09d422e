/* The captioner's sizes. */

#include "captioner/captioner.h"
#include "scenes/vocabulary.h"

sac_captioner_shape sac_captioner_default_shape(sac_score score)
{
    return (sac_captioner_shape){
        .side = 112,
        .layers = 5,
        .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {128, 1}},
        .score = score,
        .attention = 96,
        .hidden = 192,
        .embedding = 64,
        .vocabulary = SAC_WORDS,
    };
}

int sac_captioner_grid(const sac_captioner_shape *shape)
{
    int side = shape->side;
    for (int i = 0; i < shape->layers; i++)
        side = (side + shape->layer[i].stride - 1) / shape->layer[i].stride;
    return side;
}
