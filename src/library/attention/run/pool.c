/* A rectangle of the weights shrunk to what a screen shows, on the device. */
#include "attention/run/run.h"
#include "base/checked.h"
#include "base/error.h"
#include "gemm/launch.h"

/* The twin of `pooling` in cl/attention/pool.cl. */
typedef struct sac_pooling {
    cl_ulong rows, cols, out_rows, out_cols, begin, end, first, last;
    cl_uint maximum, unused;
} sac_pooling;

_Static_assert(sizeof(sac_pooling) == 9 * 8, "no padding: the kernel's twin has none");

/* Rows begin … end − 1 of the tile, as they lie in the scratch buffer, into `pooled` by way of
 * `lines`. */
static sac_status add_slab(sac_attention *self, sac_pooling *pooling, size_t begin, size_t end,
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
            status = add_slab(self, pooling, row, row + rows, lines, pooled, error);
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
    sac_status status = sac_stats_need(attention, tile->batch * attention->shape.heads + tile->head,
                                       tile->row, tile->rows, error);
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
