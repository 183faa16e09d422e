/* A source of weights that are a formula of their place, softmaxed by row, so that a test knows
 * every number without storing one. */
#ifndef TESTS_TRACE_FAKE_MATRIX_H
#define TESTS_TRACE_FAKE_MATRIX_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/heads/reduce.h"
#include "sources/source.h"

typedef struct fake_matrix {
    sac_source source; /* self points back here */
    sac_image image;
    bool constant; /* every query gets the same weights */
    bool fails;
    size_t most_read;       /* the largest tile that was requested, in weights */
    float given_scale[128]; /* of its heads, last */
} fake_matrix;

/* Between 1/1000 and 1, different for each place, before rows are brought to sum 1. */
static float fake_raw(const fake_matrix *fake, size_t layer, size_t batch, size_t head, size_t row,
                      size_t col)
{
    size_t place = layer * 7 + batch * 3 + head * 11 + (fake->constant ? 0 : row * 5) + col * 13;
    float near = fake->constant ? 0 : 1.0f / (1.0f + fabsf((float)row - (float)col + (float)head));
    return 0.001f + near + (float)(place * 2654435761u % 1000) * 2e-4f;
}

static inline float fake_weight(const fake_matrix *fake, size_t layer, size_t batch, size_t head,
                                size_t row, size_t col)
{
    double sum = 0;
    for (size_t c = 0; c < fake->source.weights.positions; c++)
        sum += fake_raw(fake, layer, batch, head, row, c);
    return (float)(fake_raw(fake, layer, batch, head, row, col) / sum);
}

static sac_status fake_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                            sac_error *error)
{
    fake_matrix *fake = self;
    size_t count = tile->rows * tile->cols;
    if (fake->fails) {
        *error = (sac_error){.status = SAC_E_VALUE, .where = "fake", .what = "the weight is nan"};
        return SAC_E_VALUE;
    }
    fake->most_read = count > fake->most_read ? count : fake->most_read;
    for (size_t r = 0; r < tile->rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < fake->source.weights.positions; c++)
            sum += fake_raw(fake, layer, tile->batch, tile->head, tile->row + r, c);
        for (size_t c = 0; c < tile->cols; c++)
            weights[r * tile->cols + c] = (float)(fake_raw(fake, layer, tile->batch, tile->head,
                                                           tile->row + r, tile->col + c) /
                                                  sum);
    }
    return SAC_OK;
}

static sac_status fake_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                            size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    float *whole = malloc(tile->rows * tile->cols * sizeof *whole);
    sac_status status = fake_tile(self, layer, tile, whole, error);
    if (status == SAC_OK)
        sac_weights_pool(whole, tile->rows, tile->cols, pool, out_rows, out_cols, pooled);
    free(whole);
    return status;
}

/* Of scale_heads. Without any of its heads " b" is more probable than " a". */
static inline sac_status fake_scale_heads(void *self, const float *scale, sac_heads_effect *effect,
                                          sac_error *error)
{
    fake_matrix *fake = self;
    size_t count = fake->source.weights.layers * fake->source.weights.heads;
    (void)error;
    memcpy(fake->given_scale, scale, count * sizeof *scale);
    if (!effect)
        return SAC_OK;
    bool whole = sac_head_scales_are_all_one(scale, count);
    effect->next_count = 2;
    effect->next[0] = (sac_candidate){1, " a", 0.6f, whole ? 0.6f : 0.2f};
    effect->next[1] = (sac_candidate){2, " b\n", 0.3f, whole ? 0.3f : 0.5f};
    if (whole)
        return SAC_OK;
    effect->count = fake->source.weights.steps;
    effect->changes = calloc(effect->count, sizeof *effect->changes);
    effect->changes[effect->count / 2 - 1] = 0.4f;
    effect->change = 0.25f;
    effect->before = strdup(" a b c");
    effect->now = strdup(" b b b");
    return SAC_OK;
}

/* Of next_after: " x" stands there, but for the last one. */
static inline sac_status fake_next_after(void *self, size_t step, sac_candidate *next, int *count,
                                         sac_error *error)
{
    const fake_matrix *fake = self;
    (void)error;
    *count = 2;
    next[0] = (sac_candidate){10, " x", 0.7f, 0.7f, step + 1 < fake->source.weights.steps};
    next[1] = (sac_candidate){11 + (int)step, " y", 0.2f, 0.2f, false};
    return SAC_OK;
}

static inline sac_status fake_generate_instead(void *self, size_t step, int id, char **text,
                                               sac_error *error)
{
    (void)self;
    (void)error;
    return asprintf(text, "%zu %d", step, id) < 0 ? SAC_E_MEMORY : SAC_OK;
}

static void fake_destroy(void *self)
{
    sac_image_free(&((fake_matrix *)self)->image);
    free(self);
}

static inline fake_matrix *fake_create(size_t layers, size_t batch, size_t heads, size_t rows,
                                       size_t columns)
{
    fake_matrix *fake = calloc(1, sizeof *fake);
    fake->source = (sac_source){.self = fake,
                                .title = "fake.npz",
                                .weights.made.dtype = "float32",
                                .weights.layers = layers,
                                .weights.batch = batch,
                                .weights.heads = heads,
                                .weights.steps = rows,
                                .weights.positions = columns,
                                .weights.tile = fake_tile,
                                .weights.pool = fake_pool,
                                .destroy = fake_destroy};
    return fake;
}

/* The source holds what frees itself: it is copied out first. */
static inline void fake_free(fake_matrix *fake)
{
    sac_source source = fake->source;
    sac_source_destroy(&source);
}

/* A picture of that size under the columns, which are then grid_w × grid_h cells behind `prefix`
 * tokens. */
static inline void fake_see(fake_matrix *fake, int width, int height, int grid_w, int grid_h,
                            int prefix)
{
    if (sac_image_create(width, height, &fake->image, NULL) != SAC_OK)
        abort();
    fake->source.picture.image = &fake->image;
    fake->source.picture.grid_w = grid_w;
    fake->source.picture.grid_h = grid_h;
    fake->source.picture.prefix = prefix;
}

/* The second is freed with the first, whose source has a copy of its own. */
static inline void fake_stand_beside(fake_matrix *first, const fake_matrix *second)
{
    first->source.beside = malloc(sizeof *first->source.beside);
    *first->source.beside = second->source;
}

static inline void fake_label(sac_labels *labels, size_t count)
{
    static const char *const words[] = {"the", "european", "economic", "area", "was"};
    labels->count = count;
    labels->text = calloc(count, sizeof *labels->text);
    for (size_t i = 0; i < count; i++)
        labels->text[i] = strdup(words[i % 5]);
}

#endif
