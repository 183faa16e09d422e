/* The captioner's sizes. */

#include <string.h>

#include "captioner/model.h"

/* What a dataset takes. */
typedef struct row {
    const char *dataset;
    sac_schedule training;
    sac_captioner_shape shape;
} row;

static const row rows[] = {
    /* Very small things are told apart by the layer that sees the picture at a quarter. */
    {"shapes",
     {.steps = 18000, .batch = 16, .rate = 1.5e-3f},
     {
         .side = 224,
         .layers = 7,
         .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {96, 2}, {96, 1}, {128, 1}},
         .attention = 96,
         .hidden = 192,
         .embedding = 64,
     }},
    /* More things in finer lines, and more to say of them: 20 × 20 cells, and cells that see more.
     */
    {"book",
     {.steps = 8000, .batch = 32, .rate = 2e-3f},
     {
         .side = 160,
         .layers = 7,
         .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {96, 1}, {128, 1}, {128, 1}},
         .attention = 128,
         .hidden = 256,
         .embedding = 96,
     }},
};

static const row *row_of(const sac_dataset *dataset)
{
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof *rows && strcmp(rows[i].dataset, dataset->name) != 0)
        i++;
    return &rows[i];
}

const sac_dataset *sac_captioner_dataset(const sac_captioner_shape *shape)
{
    return shape->dataset ? shape->dataset : sac_dataset_find("shapes");
}

sac_captioner_shape sac_captioner_default_shape(const sac_dataset *dataset, sac_score score)
{
    sac_captioner_shape shape = {.dataset = dataset};
    shape = row_of(sac_captioner_dataset(&shape))->shape;
    shape.dataset = dataset;
    shape.score = score;
    shape.masks_colours = true;
    shape.vocabulary = sac_captioner_dataset(&shape)->vocabulary;
    return shape;
}

sac_schedule sac_captioner_schedule(const sac_dataset *dataset)
{
    return row_of(dataset)->training;
}

int sac_captioner_grid(const sac_captioner_shape *shape)
{
    int side = shape->side;
    for (int i = 0; i < shape->layers; i++)
        side = (side + shape->layer[i].stride - 1) / shape->layer[i].stride;
    return side;
}
