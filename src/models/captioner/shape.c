/* The captioner's sizes. */

#include <string.h>

#include "captioner/captioner.h"

static const sac_captioner_shape of_shapes = {
    .side = 112,
    .layers = 5,
    .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {128, 1}},
    .attention = 96,
    .hidden = 192,
    .embedding = 64,
};

/* More things in finer lines, and more to say of them: 20 × 20 cells, and cells that see more. */
static const sac_captioner_shape of_the_book = {
    .side = 160,
    .layers = 7,
    .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {96, 1}, {128, 1}, {128, 1}},
    .attention = 128,
    .hidden = 256,
    .embedding = 96,
};

const sac_world *sac_captioner_world(const sac_captioner_shape *shape)
{
    return shape->world ? shape->world : sac_world_find("shapes");
}

sac_captioner_shape sac_captioner_default_shape(const sac_world *world, sac_score score)
{
    bool of_book = world && strcmp(world->name, "book") == 0;
    sac_captioner_shape shape = of_book ? of_the_book : of_shapes;
    shape.world = world;
    shape.score = score;
    shape.vocabulary = sac_captioner_world(&shape)->vocabulary;
    return shape;
}

int sac_captioner_grid(const sac_captioner_shape *shape)
{
    int side = shape->side;
    for (int i = 0; i < shape->layers; i++)
        side = (side + shape->layer[i].stride - 1) / shape->layer[i].stride;
    return side;
}
