/* The backward pass by attend_backward_gpu.cl: a group per tile of keys, and then one per tile of
 * queries. */
#include "attention/backward/backward_pass.h"
#include "base/round.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 2e9 /* of the first launch, before the device's speed is known */

static size_t widest(const sac_attention_operands *o)
{
    return o->dim > o->shape.value_dim ? o->dim : o->shape.value_dim;
}

/* Loops of a work-item for each pair of tiles, with those of its own tile: two comparisons, weights
 * and slopes, and the products of two gradients. */
static size_t rounds_of(const sac_specialisation *kernels, size_t dim)
{
    const sac_tiling *tiling = &kernels->tiling;
    size_t rows = tiling->rows_each, vectors = tiling->keys_each / 4, columns = kernels->columns;
    size_t slices = sac_ceil_div(dim, tiling->depth) + tiling->block_keys / tiling->depth;
    size_t scores = (dim / 4 + 2) * (10 + 5 * vectors + rows * (1 + vectors));
    size_t products = tiling->block_keys / 4 * (5 + 5 * columns + rows * (1 + columns));
    return 2 * (slices * (4 + 2 * rows + 2 * columns) + scores + products) + 4 * rows * vectors;
}

/* False where the device does not take such groups, or not such long loops, or where the rows of a
 * tile do not lie within 2^32 bytes. */
sac_status sac_backward_gpu_fits(sac_device *device, const sac_attention_operands *operands,
                                 bool *fits, sac_error *error)
{
    size_t limit = 0, dim = widest(operands);
    sac_specialisation kernels =
        sac_specialise_backward_gpu(sac_tiling_backward_gpu(&device->info), dim);
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    size_t furthest = UINT32_MAX / (sizeof(float) * kernels.tiling.block_keys);
    *fits = dim <= SAC_BACKWARD_GPU_WIDEST && operands->shape.heads * dim <= furthest &&
            device->info.max_work_group >= sac_tiling_group(&kernels.tiling) &&
            device->info.local_bytes >=
                sac_tiling_backward_local_bytes(&kernels.tiling, kernels.columns) &&
            (limit == 0 || rounds_of(&kernels, dim) * operands->shape.heads <= limit / 2);
    return status;
}

/* A group for each of `tiles`, which goes through the `others`, and for each through some heads. */
static sac_backward_sweep sweep_of(const sac_backward *s, const char *kernel, size_t tiles,
                                   size_t others, size_t heads)
{
    const sac_tiling *tiling = &s->kernels.tiling;
    double pairs = (double)tiling->tile_rows * tiling->block_keys;
    size_t group = sac_tiling_group(tiling);
    return (sac_backward_sweep){.kernel = kernel,
                                .items = tiles * group,
                                .group = group,
                                .others = others,
                                .rounds = heads * rounds_of(&s->kernels, widest(s->o)),
                                .operations =
                                    2 * pairs * (double)(heads * tiles * 4 * widest(s->o)),
                                .most = LAUNCH_OPERATIONS};
}

sac_status sac_backward_gpu(sac_backward *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    const sac_tiling *tiling = &s->kernels.tiling;
    size_t key_tiles = sac_ceil_div(shape->keys, tiling->tile_rows);
    size_t query_tiles = sac_ceil_div(shape->queries, tiling->tile_rows);
    sac_backward_sweep keys =
        sweep_of(s, "back_keys", s->b.key_matrices * key_tiles,
                 sac_ceil_div(shape->queries, tiling->block_keys), s->b.p.group);
    sac_backward_sweep queries = sweep_of(s, "back_queries", s->b.matrices * query_tiles,
                                          sac_ceil_div(shape->keys, tiling->block_keys), 1);
    keys.share = queries.done = 0.6;
    queries.share = 0.4;
    const sac_attention_operands *o = s->o;
    cl_mem weight = sac_backward_weight(s), padding = sac_backward_padding(s);
    cl_mem mask = sac_backward_mask(s), dweight = sac_backward_dweight(s);
    cl_mem dscale = sac_backward_dscale(s);
    sac_arg args[13] = {SAC_ARG(s->b),
                        SAC_ARG(o->query.buffer),
                        SAC_ARG(o->key.buffer),
                        SAC_ARG(o->value.buffer),
                        SAC_ARG(weight),
                        SAC_ARG(padding),
                        SAC_ARG(mask),
                        SAC_ARG(s->g->stats.buffer),
                        SAC_ARG(s->delta),
                        SAC_ARG(s->g->doutput.buffer),
                        SAC_ARG(s->g->dkey.buffer),
                        SAC_ARG(s->g->dvalue.buffer)};
    sac_status status = sac_backward_sweep_run(s, &keys, args, 12, error);
    args[10] = SAC_ARG(s->g->dquery.buffer);
    args[11] = SAC_ARG(dweight);
    args[12] = SAC_ARG(dscale);
    return status == SAC_OK ? sac_backward_sweep_run(s, &queries, args, 13, error) : status;
}
