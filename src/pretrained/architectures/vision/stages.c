/* The passage of a picture through an encoder in stages: cells are joined on the way into each of
 * them. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"

enum { ROWS = 1 << 14 };

/* Cells on the host: number c of cell n lies at numbers[n·along + c·across]. */
typedef struct cells {
    const float *numbers;
    size_t width, height, depth, along, across;
} cells;

/* The squares first … of the next grid, which is `wide`: rows of depth·taps² numbers. */
static void cut_squares(const sac_joining *j, const cells *from, size_t wide, size_t first,
                        size_t count, float *rows)
{
    size_t taps = (size_t)j->taps, area = taps * taps, depth = from->depth;
    memset(rows, 0, count * area * depth * sizeof *rows);
    for (size_t n = first; n < first + count; n++, rows += area * depth)
        for (size_t i = 0; i < area; i++) {
            int64_t x = (int64_t)(n % wide * (size_t)j->step + i % taps) - j->border;
            int64_t y = (int64_t)(n / wide * (size_t)j->step + i / taps) - j->border;
            if (x < 0 || y < 0 || x >= (int64_t)from->width || y >= (int64_t)from->height)
                continue;
            const float *cell = from->numbers + ((size_t)y * from->width + (size_t)x) * from->along;
            size_t part = i % taps * taps + i / taps;
            for (size_t c = 0; c < depth; c++)
                rows[j->by_column ? part * depth + c : c * area + i] = cell[c * from->across];
        }
}

/* Norms the cells before they are joined. */
static void norm_cells(sac_pretrained_model *m, const sac_layer_norm *norm, size_t count,
                       size_t depth, float *numbers)
{
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    sac_arena_shape(&arena, &m->pass, &x, count, depth);
    sac_arena_shape(&arena, &m->pass, &y, count, depth);
    sac_pass_write(&m->pass, x, numbers);
    sac_layer_norm_forward(&m->pass, norm, y, x);
    sac_pass_read(&m->pass, y, numbers);
    sac_arena_release(&arena);
}

/* What enters the stage of `p`. */
static sac_status embed_joined_cells(sac_inference *p, const cells *from, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    const sac_joining *j = &m->stage.joining;
    size_t in = (size_t)j->taps * (size_t)j->taps * from->depth;
    size_t most = p->count < ROWS ? p->count : ROWS;
    sac_arena arena = {0};
    sac_tensor squares = {0}, normed = {0}, x = {0}, y = {0};
    float *rows = malloc(most * in * sizeof *rows);
    if (!rows)
        return sac_no_memory(error, m->name);
    sac_device_lock(m->device);
    for (size_t first = 0, count; first < p->count && sac_pass_runs(pass); first += count) {
        count = p->count - first < most ? p->count - first : most;
        cut_squares(j, from, (size_t)p->grid_w, first, count, rows);
        sac_arena_shape(&arena, pass, &squares, count, in);
        sac_arena_shape(&arena, pass, &normed, j->squares.gain ? count : 1, in);
        sac_arena_shape(&arena, pass, &x, count, m->width);
        sac_arena_shape(&arena, pass, &y, count, m->width);
        sac_pass_write(pass, squares, rows);
        if (j->squares.gain)
            sac_layer_norm_forward(pass, &j->squares, normed, squares);
        sac_linear_forward(pass, x, j->squares.gain ? normed : squares, j->w, j->b);
        if (j->joined.gain)
            sac_layer_norm_forward(pass, &j->joined, y, x);
        sac_pass_read(pass, j->joined.gain ? y : x, p->entered + first * m->width);
    }
    sac_status status = sac_model_end_pass(m, &arena, error);
    free(rows);
    return status;
}

/* The stage's own part of scales [L,H]. */
static sac_status copy_stage_scales(sac_inference *p, const float *scale, sac_error *error)
{
    const sac_pretrained_model *stage = p->model, *whole = stage->whole;
    size_t first = 0, widest = 0, layers = (size_t)stage->layers, heads = (size_t)stage->run.heads;
    for (int i = 0; i < whole->stage_count; i++) {
        size_t own = (size_t)whole->stages[i]->run.heads;
        first += i < stage->stage.number - 1 ? (size_t)whole->stages[i]->layers : 0;
        widest = own > widest ? own : widest;
    }
    p->scale = malloc((layers * heads + 1) * sizeof *p->scale);
    if (!p->scale)
        return sac_no_memory(error, whole->name);
    for (size_t i = 0; i < layers; i++)
        memcpy(p->scale + i * heads, scale + (first + i) * widest, heads * sizeof *scale);
    return SAC_OK;
}

/* Through one stage. */
static sac_status run_stage(sac_pretrained_model *stage, const cells *from, bool keeps,
                            const float *scale, sac_inference **inference, sac_error *error)
{
    size_t step = (size_t)stage->stage.joining.step;
    size_t wide = (from->width + step - 1) / step, high = (from->height + step - 1) / step;
    sac_status status = sac_cancel_check("picture", error);
    if (status == SAC_OK)
        status = sac_inference_create(stage, wide * high, inference, error);
    if (status != SAC_OK)
        return status;
    (*inference)->grid_w = (int)wide;
    (*inference)->grid_h = (int)high;
    (*inference)->keeps = keeps;
    if (scale)
        status = copy_stage_scales(*inference, scale, error);
    if (status == SAC_OK)
        status = embed_joined_cells(*inference, from, error);
    return status == SAC_OK ? sac_inference_compute(*inference, NULL, NULL, *inference, error)
                            : status;
}

sac_status sac_stages_see(sac_pretrained_model *m, const float *pixels, int width, int height,
                          int number, bool keeps, const float *scale, sac_inference **inference,
                          sac_error *error)
{
    double begin = sac_now();
    cells from = {pixels, (size_t)width, (size_t)height, 3, 1, (size_t)width * (size_t)height};
    sac_inference *before = NULL, *p = NULL;
    sac_status status = SAC_OK;
    *inference = NULL;
    for (int i = 0; i < number && status == SAC_OK; i++) {
        const sac_layer_norm *norm = &m->stages[i]->stage.joining.cells;
        if (before && norm->gain) {
            sac_device_lock(m->device);
            norm_cells(m->stages[i], norm, before->count, from.depth, before->left);
            status = sac_pass_end(&m->stages[i]->pass, error);
            sac_device_unlock(m->device);
        }
        if (status == SAC_OK)
            status = run_stage(m->stages[i], &from, keeps && i == number - 1, scale, &p, error);
        sac_inference_free(before);
        before = p;
        if (status == SAC_OK)
            from = (cells){p->left,         (size_t)p->grid_w, (size_t)p->grid_h,
                           p->model->width, p->model->width,   1};
        p = NULL;
    }
    if (status != SAC_OK) {
        sac_inference_free(before);
        return status;
    }
    const size_t size = 3 * (size_t)width * (size_t)height * sizeof *pixels;
    before->pixels = malloc(size);
    if (!before->pixels) {
        sac_inference_free(before);
        return sac_no_memory(error, m->name);
    }
    memcpy(before->pixels, pixels, size);
    before->pixels_w = width;
    before->pixels_h = height;
    before->milliseconds = (sac_now() - begin) * 1e3;
    *inference = before;
    return SAC_OK;
}
