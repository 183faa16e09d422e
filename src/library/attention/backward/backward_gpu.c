/* The backward pass by attend_backward_gpu.cl: a group per tile of keys, and then one per tile of
 * queries. */
#include "attention/backward/backward_pass.h"
#include "base/round.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 2e9 /* of one launch: a display that shares the device still moves */
#define LOCAL_BYTES (20 * 1024)

static size_t widest(const sac_attention_operands *o)
{
    return o->dim > o->shape.value_dim ? o->dim : o->shape.value_dim;
}

/* Loops of a work-item for each pair of tiles. */
static size_t rounds_of(const sac_attention_operands *o)
{
    return sac_ceil_div(widest(o), 16) * 400 + 200;
}

sac_status sac_backward_gpu_fits(sac_device *device, const sac_attention_operands *operands,
                                 bool *fits, sac_error *error)
{
    size_t limit = 0;
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    *fits = widest(operands) <= SAC_BACKWARD_GPU_WIDEST &&
            device->info.max_work_group >= SAC_BACKWARD_GPU_GROUP &&
            device->info.local_bytes >= LOCAL_BYTES &&
            (limit == 0 || rounds_of(operands) * operands->shape.heads <= limit / 2);
    return status;
}

/* A group for each of `tiles`, which goes through the `others`, and for each through some heads. */
static sac_backward_sweep sweep_of(const sac_backward *s, const char *kernel, size_t tiles,
                                   size_t others, size_t heads)
{
    double pairs = (double)SAC_BACKWARD_GPU_TILE * SAC_BACKWARD_GPU_TILE;
    return (sac_backward_sweep){.kernel = kernel,
                                .items = tiles * SAC_BACKWARD_GPU_GROUP,
                                .group = SAC_BACKWARD_GPU_GROUP,
                                .others = others,
                                .rounds = heads * rounds_of(s->o),
                                .operations =
                                    2 * pairs * (double)(heads * tiles * 4 * widest(s->o)),
                                .most = LAUNCH_OPERATIONS};
}

sac_status sac_backward_gpu(sac_backward *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t row_tiles = sac_ceil_div(shape->queries, SAC_BACKWARD_GPU_TILE);
    size_t key_tiles = sac_ceil_div(shape->keys, SAC_BACKWARD_GPU_TILE);
    sac_backward_sweep keys =
        sweep_of(s, "back_keys", s->b.key_matrices * key_tiles, row_tiles, s->b.p.group);
    sac_backward_sweep queries =
        sweep_of(s, "back_queries", s->b.matrices * row_tiles, key_tiles, 1);
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
