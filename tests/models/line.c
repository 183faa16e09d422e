#include "line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "nn/layers.h"
#include "saccade_arrays.h"

int line_makers;

typedef struct line {
    sac_model base;
    size_t width;
    const sac_parameter *w, *b;
    sac_arena arena;
    sac_tensor x, y, minus_y;
} line;

static const char *const widths[] = {"1", "2", "3", NULL};
static const sac_model_option options[] = {
    [LINE_WIDTH] = {.name = "width", .choices = widths, .initial = 2, .sizes = true},
    [LINE_OFFSET] = {.name = "offset", .remedy = "give 0 or more"},
    {0},
};

/* ---------------------------------------------------------------- making and keeping */

static void destroy(sac_model *model)
{
    line *l = (line *)model;
    sac_arena_release(&l->arena);
    sac_model_release(&l->base);
    free(l);
}

static sac_status make(sac_device *device, size_t width, bool training, uint32_t seed,
                       sac_model **model, sac_error *error)
{
    line *l = calloc(1, sizeof *l);
    *model = NULL;
    if (!l)
        return sac_fail(error, SAC_E_MEMORY, "line", NULL, "out of memory");
    l->base.class = &line_class;
    l->base.device = device;
    l->width = width;
    sac_pass_open(&l->base.pass, device);
    l->w = sac_parameter_matrix(&l->base.parameters, "w", 1, width);
    l->b = sac_parameter_vector(&l->base.parameters, "b", 1);
    sac_status status = sac_parameters_create(&l->base.parameters, device, training, seed, error);
    if (status == SAC_OK)
        *model = &l->base;
    else
        destroy(&l->base);
    return status;
}

static sac_status create(sac_device *device, const sac_model_values *values, uint32_t seed,
                         sac_model **model, sac_error *error)
{
    return make(device, 1 + (size_t)values->value[LINE_WIDTH], true, seed, model, error);
}

static size_t width_of(const sac_arrays *file)
{
    const char *text = sac_arrays_metadata(file, "model");
    return text ? strtoul(text, NULL, 10) : 0;
}

static sac_status create_like(sac_device *device, const sac_arrays *file, const char *path,
                              const sac_model_values *training, uint32_t seed, sac_model **model,
                              sac_error *error)
{
    size_t width = width_of(file);
    if (width < 1 || width > 3)
        return sac_fail(error, SAC_E_FORMAT, path, NULL, "is no line");
    return make(device, width, training != NULL, seed, model, error);
}

static sac_status check(const sac_model *model, const sac_arrays *file, const char *path,
                        sac_error *error)
{
    return width_of(file) == ((const line *)model)->width
               ? SAC_OK
               : sac_fail(error, SAC_E_SHAPE, path, NULL, "is another line");
}

static char *describe(const sac_model *model)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", ((const line *)model)->width);
    return strdup(text);
}

static void describe_short(const sac_model *model, char *text, size_t size)
{
    snprintf(text, size, "%zu numbers", ((const line *)model)->width);
}

/* ---------------------------------------------------------------- learning */

typedef struct points {
    size_t size;
    uint32_t seed;
    line_batch slots[SAC_BATCH_SLOTS];
} points;

static const void *make_batch(void *self, size_t number, int slot, sac_error *error)
{
    (void)error;
    points *p = self;
    line_batch *batch = &p->slots[slot];
    batch->size = 1 + (number * 7 + 3) % p->size;
    for (size_t i = 0; i < batch->size; i++) {
        for (uint32_t k = 0; k < 3; k++)
            batch->x[i][k] =
                2 * sac_philox_uniform((uint32_t)number, 3 * (uint32_t)i + k, p->seed) - 1;
        batch->minus_y[i] = -(0.5f + batch->x[i][0] - 2 * batch->x[i][1]);
    }
    return batch;
}

static void destroy_batches(void *self)
{
    free(self);
    line_makers--;
}

static sac_status batches(const sac_model *model, const sac_model_values *values, size_t size,
                          uint32_t seed, sac_batch_maker *maker, sac_error *error)
{
    points *p = calloc(1, sizeof *p);
    (void)model;
    (void)values;
    if (!p)
        return sac_fail(error, SAC_E_MEMORY, "line", NULL, "out of memory");
    p->size = size;
    p->seed = seed;
    line_makers++;
    *maker = (sac_batch_maker){p, make_batch, destroy_batches};
    return SAC_OK;
}

static void shape(line *l, size_t size)
{
    sac_arena_shape(&l->arena, &l->base.pass, &l->x, size, l->width);
    sac_arena_shape(&l->arena, &l->base.pass, &l->y, size, 1);
    sac_arena_shape(&l->arena, &l->base.pass, &l->minus_y, size, 1);
}

/* The loss is half the sum of (y − target)², whose gradient is y − target; `part` its root. */
static sac_status learn(sac_model *model, const void *samples, const sac_model_values *values,
                        sac_losses *losses, sac_error *error)
{
    line *l = (line *)model;
    sac_pass *pass = &model->pass;
    const line_batch *batch = samples;
    float x[64 * 3], y[64];
    for (size_t i = 0; i < batch->size; i++) {
        memcpy(x + i * l->width, batch->x[i], l->width * sizeof *x);
        y[i] = batch->minus_y[i] - values->value[LINE_OFFSET];
    }
    shape(l, 64); /* memory for all of them, the first time */
    shape(l, batch->size);
    sac_pass_write(pass, l->x, x);
    sac_pass_write(pass, l->minus_y, y);
    sac_linear_forward(pass, l->y, l->x, l->w, l->b);
    sac_add(pass, l->y, l->minus_y);
    sac_linear_backward_weights(pass, l->y, l->x, l->w, l->b);
    sac_pass_read(pass, l->y, y);
    *losses = (sac_losses){0};
    for (size_t i = 0; i < batch->size; i++)
        losses->total += y[i] * y[i] / 2;
    losses->part[0] = sqrtf(losses->total);
    return sac_pass_end(pass, error);
}

static sac_status no_samples(const sac_model *model, sac_watched *watched, sac_error *error)
{
    (void)model, (void)error;
    *watched = (sac_watched){0};
    return SAC_OK;
}

const sac_model_class line_class = {
    .name = "line",
    .samples = "points",
    .sample = "point",
    .losses = {"root"},
    .options = options,
    .training = {.steps = 50, .batch = 20, .rate = 0.1f},
    .create = create,
    .create_like = create_like,
    .check = check,
    .describe = describe,
    .describe_short = describe_short,
    .destroy = destroy,
    .batches = batches,
    .learn = learn,
    .watch = no_samples,
};
