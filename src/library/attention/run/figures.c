/* Rows of weights summarised by a few numbers each. */
#include "attention/run/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/run/run.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"

/* Twins of those in cl/attention/around/figures.cl. */
enum { CHUNK = 1024, PARTS = 6, FIGURES = 11 };

typedef struct sac_figuring {
    cl_uint rows, cols, chunks;
    cl_int place;
} sac_figuring;

_Static_assert(sizeof(sac_figuring) == 4 * 4, "no padding: the kernel's twin has none");

typedef struct sac_figure_buffers {
    cl_mem parts, figures, received; /* of a slab; received: NULL: not wanted */
} sac_figure_buffers;

static float float_from_bits(cl_uint bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The kernel's numbers of a row, but for its log-sum-exp. */
static sac_row_figures figures_from_kernel(const cl_uint *n)
{
    double sum = float_from_bits(n[0]), entropy = float_from_bits(n[1]);
    return (sac_row_figures){
        .sum = (float)sum,
        /* of weights w/s: −Σ w/s · log2(w/s) = E/s + log2 s */
        .entropy = sum > 0 ? (float)fmax(0, entropy / sum + log2(sum)) : 0,
        .distance = float_from_bits(n[2]),
        .keys = (float)n[3],
        .peak = float_from_bits(n[4]),
        .peak_at = n[5],
        .first = float_from_bits(n[6]),
        .diagonal = float_from_bits(n[7]),
        .previous = float_from_bits(n[8]),
        .next = float_from_bits(n[9]),
        .near = float_from_bits(n[10]),
    };
}

/* The slab in the scratch buffer, whose first row stands at `place`. */
static sac_status compute_slab_figures(sac_attention *self, const sac_figure_buffers *b,
                                       cl_uint rows, cl_uint cols, ptrdiff_t place, bool first,
                                       cl_uint *numbers, sac_error *error)
{
    sac_figuring f = {rows, cols, (cl_uint)sac_ceil_div(cols, CHUNK), (cl_int)place};
    cl_uint begins = first;
    sac_arg chunks[] = {SAC_ARG(f), SAC_ARG(self->scratch), SAC_ARG(b->parts)};
    sac_arg lines[] = {SAC_ARG(f), SAC_ARG(b->parts), SAC_ARG(self->scratch), SAC_ARG(b->figures)};
    sac_arg columns[] = {SAC_ARG(f), SAC_ARG(begins), SAC_ARG(self->scratch), SAC_ARG(b->received)};
    sac_status status = sac_launch_items(self->device, "figures", "figure_chunks", chunks, 3,
                                         (size_t)rows * f.chunks, error);
    if (status == SAC_OK)
        status = sac_launch_items(self->device, "figures", "figure_rows", lines, 4, rows, error);
    if (status == SAC_OK && b->received)
        status =
            sac_launch_items(self->device, "figures", "figure_columns", columns, 4, cols, error);
    if (status == SAC_OK)
        status = sac_buffer_read(self->device, b->figures, 0, rows * FIGURES * sizeof *numbers,
                                 numbers, error);
    return status;
}

/* The log-sum-exp of the tile's rows, whose statistics are there. */
static sac_status read_lse(sac_attention *self, const sac_tile *tile, float *lse, sac_error *error)
{
    size_t first = (tile->batch * self->shape.heads + tile->head) * self->shape.queries + tile->row;
    float *stats = malloc(tile->rows * 2 * sizeof *stats);
    if (!stats)
        return sac_no_memory(error, "rows");
    sac_status status = sac_buffer_read(self->device, self->stats, first * 2 * sizeof *stats,
                                        tile->rows * 2 * sizeof *stats, stats, error);
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
        lse[r] = sac_row_lse(self, stats + 2 * r);
    free(stats);
    return status;
}

static sac_status compute_tile_figures(sac_attention *self, const sac_tile *tile,
                                       sac_row_figures *figures, float *received, sac_error *error)
{
    size_t matrix = tile->batch * self->shape.heads + tile->head;
    size_t slab = sac_tile_slab_rows(self, tile), chunks = sac_ceil_div(tile->cols, CHUNK);
    sac_figure_buffers b = {0};
    cl_uint *numbers = malloc(slab * FIGURES * sizeof *numbers);
    float *lse = malloc(tile->rows * sizeof *lse);
    sac_status status = numbers && lse ? SAC_OK : sac_no_memory(error, "rows");
    if (status == SAC_OK)
        status = sac_stats_ensure(self, matrix, tile->row, tile->rows, error);
    if (status == SAC_OK)
        status = sac_buffer_create(self->device, slab * chunks * PARTS * sizeof(cl_uint), NULL,
                                   &b.parts, error);
    if (status == SAC_OK)
        status = sac_buffer_create(self->device, slab * FIGURES * sizeof(cl_uint), NULL, &b.figures,
                                   error);
    if (status == SAC_OK && received)
        status =
            sac_buffer_create(self->device, tile->cols * sizeof(float), NULL, &b.received, error);
    for (size_t row = 0; row < tile->rows && status == SAC_OK; row += slab) {
        size_t rows = tile->rows - row < slab ? tile->rows - row : slab;
        ptrdiff_t place = (ptrdiff_t)(tile->row + row) + self->problem.offset;
        status = sac_tile_launch(self, tile, row, rows, error);
        if (status == SAC_OK)
            status = compute_slab_figures(self, &b, (cl_uint)rows, (cl_uint)tile->cols, place,
                                          row == 0, numbers, error);
        for (size_t r = 0; r < rows && status == SAC_OK; r++)
            figures[row + r] = figures_from_kernel(numbers + r * FIGURES);
    }
    if (status == SAC_OK)
        status = read_lse(self, tile, lse, error);
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
        figures[r].lse = lse[r];
    if (status == SAC_OK && received)
        status = sac_buffer_read(self->device, b.received, 0, tile->cols * sizeof *received,
                                 received, error);
    sac_buffer_release(b.parts);
    sac_buffer_release(b.figures);
    sac_buffer_release(b.received);
    free(numbers);
    free(lse);
    return status;
}

sac_status sac_attention_lse(sac_attention *attention, const sac_tile *tile, float *lse,
                             sac_error *error)
{
    sac_device_lock(attention->device);
    sac_status status = sac_tile_check(attention, tile, error);
    if (status == SAC_OK)
        status = sac_stats_ensure(attention, tile->batch * attention->shape.heads + tile->head,
                                  tile->row, tile->rows, error);
    if (status == SAC_OK)
        status = read_lse(attention, tile, lse, error);
    sac_device_unlock(attention->device);
    return status;
}

sac_status sac_attention_figures(sac_attention *attention, size_t batch, size_t head, size_t row,
                                 size_t rows, sac_row_figures *figures, float *received,
                                 sac_error *error)
{
    sac_tile tile = {batch, head, row, rows, 0, attention->shape.keys};
    sac_device_lock(attention->device);
    sac_status status = sac_tile_check(attention, &tile, error);
    if (status == SAC_OK)
        status = compute_tile_figures(attention, &tile, figures, received, error);
    sac_device_unlock(attention->device);
    return status;
}
