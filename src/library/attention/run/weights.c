/* Any rectangle of the weights, from the statistics of its rows. */
#include <string.h>

#include "attention/run/run.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"

#define SLAB_FLOATS (1u << 20) /* 4 MiB of weights on the device at a time */

sac_status sac_tile_check(const sac_attention *self, const sac_tile *tile, sac_error *error)
{
    if (!tile)
        return sac_need(tile, "tile", error);
    const sac_attention_shape *shape = &self->shape;
    sac_status status = sac_need_numbers(self, false, error);
    if (status != SAC_OK)
        return status;
    if (tile->batch >= shape->batch || tile->head >= shape->heads)
        return sac_fail(error, SAC_E_ARGUMENT, "tile", "count from 0",
                        "there is no batch %zu, head %zu in [%zu,%zu]", tile->batch, tile->head,
                        shape->batch, shape->heads);
    if (!tile->rows || !tile->cols || tile->row >= shape->queries ||
        tile->rows > shape->queries - tile->row || tile->col >= shape->keys ||
        tile->cols > shape->keys - tile->col)
        return sac_fail(error, SAC_E_ARGUMENT, "tile", "choose a rectangle inside the matrix",
                        "%zu rows from %zu and %zu columns from %zu do not lie in [%zu,%zu]",
                        tile->rows, tile->row, tile->cols, tile->col, shape->queries, shape->keys);
    return SAC_OK;
}

static size_t stats_blocks(const sac_attention *self)
{
    return sac_ceil_div(self->shape.queries, SAC_STATS_ROWS);
}

void sac_stats_mark_known(sac_attention *self, size_t row, size_t rows)
{
    bool to_the_end = row + rows == self->shape.queries;
    size_t blocks = stats_blocks(self), first = sac_ceil_div(row, SAC_STATS_ROWS);
    size_t end = to_the_end ? blocks : (row + rows) / SAC_STATS_ROWS;
    for (size_t i = 0; i < self->matrices && first < end; i++)
        memset(self->stats_known + i * blocks + first, 1, end - first);
}

void sac_stats_forget(sac_attention *self)
{
    memset(self->stats_known, 0, self->matrices * stats_blocks(self));
}

sac_status sac_stats_ensure(sac_attention *self, size_t matrix, size_t row, size_t rows,
                            sac_error *error)
{
    size_t blocks = stats_blocks(self);
    size_t end = (row + rows - 1) / SAC_STATS_ROWS + 1;
    uint8_t *known = self->stats_known + matrix * blocks;
    sac_status status = SAC_OK;
    for (size_t i = row / SAC_STATS_ROWS; i < end && status == SAC_OK;) {
        size_t from = i;
        while (i < end && !known[i])
            i++;
        if (i == from) {
            i++;
            continue;
        }
        size_t last = i * SAC_STATS_ROWS;
        if (last > self->shape.queries)
            last = self->shape.queries;
        status =
            sac_attend_matrices(self, matrix, 1, from * SAC_STATS_ROWS, last, false, NULL, error);
        for (; from < i && status == SAC_OK; from++)
            known[from] = 1;
    }
    return status;
}

size_t sac_tile_slab_rows(const sac_attention *self, const sac_tile *tile)
{
    size_t rows = SLAB_FLOATS / tile->cols, multiple = self->plan.tile_rows;
    rows = rows < multiple ? rows : rows / multiple * multiple;
    if (rows == 0)
        rows = 1;
    return rows < tile->rows ? rows : tile->rows;
}

/* Units of work of a rectangle: some rows of one block of keys each. */
static size_t weight_units(const sac_attention *self, const sac_job *job)
{
    size_t block = self->plan.block_keys, rows = self->plan.weight_rows;
    size_t blocks = (job->col_end - 1) / block - job->col_begin / block + 1;
    return sac_ceil_div(job->row_end - job->row_begin, rows) * blocks;
}

sac_status sac_weights_launch(sac_attention *self, const sac_job *job, size_t matrices,
                              sac_error *error)
{
    cl_kernel kernel;
    sac_status status = sac_kernel_get(self->device, self->plan.source, self->plan.options,
                                       "weights", &kernel, error);
    if (status != SAC_OK)
        return status;
    cl_mem weight = self->score_weight ? self->score_weight : self->nothing;
    cl_mem padding = self->padding ? self->padding : self->nothing;
    cl_mem mask = self->mask ? self->mask : self->nothing;
    sac_arg args[] = {SAC_ARG(self->problem), SAC_ARG(*job),        SAC_ARG(self->query),
                      SAC_ARG(self->key),     SAC_ARG(weight),      SAC_ARG(padding),
                      SAC_ARG(mask),          SAC_ARG(self->stats), SAC_ARG(self->scratch)};
    size_t local[] = {self->plan.group, 1};
    size_t items = weight_units(self, job) * self->plan.items_per_unit;
    size_t global[] = {sac_round_up(items, local[0]), matrices};
    return sac_kernel_launch(self->device, kernel, args, 9, matrices > 1 ? 2 : 1, global, local,
                             error);
}

sac_status sac_tile_launch(sac_attention *self, const sac_tile *tile, size_t row, size_t rows,
                           sac_error *error)
{
    size_t matrix = tile->batch * self->shape.heads + tile->head;
    sac_job job = {.matrix = (cl_uint)matrix,
                   .row_begin = (cl_uint)(tile->row + row),
                   .row_end = (cl_uint)(tile->row + row + rows),
                   .col_begin = (cl_uint)tile->col,
                   .col_end = (cl_uint)(tile->col + tile->cols)};
    sac_status status = sac_scratch_reserve(self, rows * tile->cols * sizeof(float), error);
    return status == SAC_OK ? sac_weights_launch(self, &job, 1, error) : status;
}

static sac_status read_tile(sac_attention *attention, const sac_tile *tile, float *weights,
                            sac_error *error)
{
    sac_status status = sac_tile_check(attention, tile, error);
    if (status == SAC_OK)
        status = sac_need(weights, "weights", error);
    if (status == SAC_OK)
        status = sac_stats_ensure(attention, tile->batch * attention->shape.heads + tile->head,
                                  tile->row, tile->rows, error);
    if (status != SAC_OK)
        return status;
    size_t slab = sac_tile_slab_rows(attention, tile);
    for (size_t row = 0; row < tile->rows && status == SAC_OK; row += slab) {
        size_t rows = tile->rows - row < slab ? tile->rows - row : slab;
        status = sac_tile_launch(attention, tile, row, rows, error);
        if (status == SAC_OK)
            status = sac_buffer_read(attention->device, attention->scratch, 0,
                                     rows * tile->cols * sizeof(float), weights + row * tile->cols,
                                     error);
    }
    return status;
}

sac_status sac_attention_tile(sac_attention *attention, const sac_tile *tile, float *weights,
                              sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = read_tile(attention, tile, weights, error);
    sac_device_unlock(attention->device);
    return status;
}

/* ---------------------------------------------------------------- pooled */

/* The twin of `pooling` in cl/attention/around/pool.cl. */
typedef struct sac_pooling {
    cl_ulong rows, cols, out_rows, out_cols, begin, end, first, last;
    cl_uint maximum, unused;
} sac_pooling;

_Static_assert(sizeof(sac_pooling) == 9 * 8, "no padding: the kernel's twin has none");

/* Rows begin … end − 1 of the tile, as they lie in the scratch buffer, into `pooled` by way of
 * `lines`. */
static sac_status pool_slab(sac_attention *self, sac_pooling *pooling, size_t begin, size_t end,
                            cl_mem lines, cl_mem pooled, sac_error *error)
{
    pooling->begin = begin;
    pooling->end = end;
    /* Cell r begins at floor(r·rows/out_rows); the one that holds row i is ((i+1)·out_rows −
     * 1)/rows. */
    pooling->first = ((begin + 1) * pooling->out_rows - 1) / pooling->rows;
    pooling->last = (end * pooling->out_rows - 1) / pooling->rows;
    sac_arg columns[] = {SAC_ARG(*pooling), SAC_ARG(self->scratch), SAC_ARG(lines)};
    sac_arg rows[] = {SAC_ARG(*pooling), SAC_ARG(lines), SAC_ARG(pooled)};
    sac_status status = sac_launch_items(self->device, "pool", "pool_columns", columns, 3,
                                         (end - begin) * pooling->out_cols, error);
    size_t cells = (pooling->last - pooling->first + 1) * pooling->out_cols;
    if (status == SAC_OK)
        status = sac_launch_items(self->device, "pool", "pool_rows", rows, 3, cells, error);
    return status;
}

/* The tile slab by slab; waits for each, which keeps the queue short. */
static sac_status pool_slabs(sac_attention *self, const sac_tile *tile, sac_pooling *pooling,
                             cl_mem pooled, sac_error *error)
{
    size_t slab = sac_tile_slab_rows(self, tile);
    cl_mem lines = NULL;
    sac_status status = sac_buffer_create(self->device, slab * pooling->out_cols * sizeof(float),
                                          NULL, &lines, error);
    for (size_t row = 0; row < tile->rows && status == SAC_OK; row += slab) {
        size_t rows = tile->rows - row < slab ? tile->rows - row : slab;
        status = sac_tile_launch(self, tile, row, rows, error);
        if (status == SAC_OK)
            status = pool_slab(self, pooling, row, row + rows, lines, pooled, error);
        if (status == SAC_OK)
            status = sac_device_finish(self->device, error);
    }
    sac_buffer_release(lines);
    return status;
}

static sac_status check_pooled(const sac_attention *attention, const sac_tile *tile, sac_pool pool,
                               size_t out_rows, size_t out_cols, const float *pooled,
                               sac_error *error)
{
    size_t cells, bytes;
    sac_status status = sac_tile_check(attention, tile, error);
    if (status == SAC_OK)
        status = sac_need(pooled, "pooled", error);
    if (status != SAC_OK)
        return status;
    if (pool != SAC_POOL_MEAN && pool != SAC_POOL_MAX)
        return sac_fail(error, SAC_E_ARGUMENT, "pool", "give SAC_POOL_MEAN or SAC_POOL_MAX",
                        "%d is no way to pool", (int)pool);
    if (!out_rows || !out_cols || out_rows > tile->rows || out_cols > tile->cols)
        return sac_fail(error, SAC_E_ARGUMENT, "pool", "choose a size from 1 to the tile's",
                        "[%zu,%zu] cannot be pooled to [%zu,%zu]", tile->rows, tile->cols, out_rows,
                        out_cols);
    if (!sac_checked_mul(out_rows, out_cols, &cells) ||
        !sac_checked_mul(cells, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, "pool", NULL, "the result is too large");
    return SAC_OK;
}

static sac_status read_pooled(sac_attention *attention, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    size_t cells = out_rows * out_cols, bytes = cells * sizeof(float);
    cl_mem buffer = NULL;
    sac_pooling pooling = {.rows = tile->rows,
                           .cols = tile->cols,
                           .out_rows = out_rows,
                           .out_cols = out_cols,
                           .maximum = pool == SAC_POOL_MAX};
    sac_status status = sac_stats_ensure(
        attention, tile->batch * attention->shape.heads + tile->head, tile->row, tile->rows, error);
    if (status == SAC_OK)
        status = sac_buffer_create(attention->device, bytes, NULL, &buffer, error);
    if (status == SAC_OK) {
        cl_ulong floats = cells;
        sac_arg args[] = {SAC_ARG(buffer), SAC_ARG(floats)};
        status = sac_launch_items(attention->device, "pool", "clear", args, 2, cells, error);
    }
    if (status == SAC_OK)
        status = pool_slabs(attention, tile, &pooling, buffer, error);
    if (status == SAC_OK)
        status = sac_buffer_read(attention->device, buffer, 0, bytes, pooled, error);
    sac_buffer_release(buffer);
    return status;
}

sac_status sac_attention_pool(sac_attention *attention, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = check_pooled(attention, tile, pool, out_rows, out_cols, pooled, error);
    if (status == SAC_OK)
        status = read_pooled(attention, tile, pool, out_rows, out_cols, pooled, error);
    sac_device_unlock(attention->device);
    return status;
}
