/* The naive backward kernels: a work-item for each query, and then for each key. */
#include "attention/backward/backward_pass.h"

#define LAUNCH_OPERATIONS 2e9 /* of one launch: a display that shares the device still moves */

/* `items` work-items, each of which goes through `others`, and for each through some heads. */
static sac_backward_sweep sweep_of(const sac_backward *s, const char *kernel, size_t items,
                                   size_t others, size_t heads)
{
    size_t rounds = heads * (2 * s->o->dim + 2 * s->o->shape.value_dim + 24);
    return (sac_backward_sweep){.kernel = kernel,
                                .items = items,
                                .others = others,
                                .rounds = rounds,
                                .operations = 2 * (double)rounds * (double)items,
                                .most = LAUNCH_OPERATIONS};
}

sac_status sac_backward_naive(sac_backward *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    cl_mem weight = sac_backward_weight(s), padding = sac_backward_padding(s);
    cl_mem mask = sac_backward_mask(s), dweight = sac_backward_dweight(s);
    cl_mem dscale = sac_backward_dscale(s);
    size_t rows = s->b.matrices * o->shape.queries, cols = s->b.key_matrices * o->shape.keys;
    sac_backward_sweep keys = sweep_of(s, "add_keys", rows, o->shape.keys, 1);
    sac_backward_sweep queries = sweep_of(s, "add_queries", cols, o->shape.queries, s->b.p.group);
    keys.share = queries.done = 0.4;
    queries.share = 0.6;
    sac_arg args[13] = {SAC_ARG(s->b),
                        SAC_ARG(o->query.buffer),
                        SAC_ARG(o->key.buffer),
                        SAC_ARG(o->value.buffer),
                        SAC_ARG(weight),
                        SAC_ARG(padding),
                        SAC_ARG(mask),
                        SAC_ARG(g->stats.buffer),
                        SAC_ARG(s->delta),
                        SAC_ARG(g->doutput.buffer),
                        SAC_ARG(g->dquery.buffer),
                        SAC_ARG(dweight),
                        SAC_ARG(dscale)};
    sac_status status = sac_backward_sweep_run(s, &keys, args, 13, error);
    args[10] = SAC_ARG(g->dkey.buffer);
    args[11] = SAC_ARG(g->dvalue.buffer);
    return status == SAC_OK ? sac_backward_sweep_run(s, &queries, args, 12, error) : status;
}
