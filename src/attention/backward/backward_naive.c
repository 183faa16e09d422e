/* The naive backward kernels: a work-item for each query, and then for each key. */
#include "attention/backward/backward_pass.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 2e9 /* of one launch: a display that shares the device still moves */

/* A work-item of `items` goes through `others`, and for each through some heads. */
typedef struct pass {
    const char *kernel;
    size_t items, others, heads;
    double done, share; /* of the whole, before this pass and in it */
} pass;

/* Finds how many of the others one work-item goes through in a launch, so that its loops and the
 * launch stay short. */
static sac_status find_share(const sac_backward *s, const pass *p, size_t *each, sac_error *error)
{
    size_t limit = 0, rounds = p->heads * (2 * s->o->dim + 2 * s->o->shape.value_dim + 24);
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    *each = (size_t)(LAUNCH_OPERATIONS / 2 / (double)rounds / (double)p->items) + 1;
    if (limit && *each > limit / 2 / rounds)
        *each = limit / 2 / rounds ? limit / 2 / rounds : 1;
    return status;
}

static sac_status go_through(sac_backward *s, const pass *p, const sac_arg *args, int arg_count,
                             sac_error *error)
{
    size_t each;
    sac_status status = find_share(s, p, &each, error);
    for (size_t begin = 0; begin < p->others && status == SAC_OK; begin += each) {
        size_t end = p->others - begin < each ? p->others : begin + each;
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)end;
        status = sac_backward_launch(s, p->kernel, args, arg_count, p->items, error);
        if (status == SAC_OK)
            status =
                sac_backward_tell(s, p->done + p->share * (double)end / (double)p->others, error);
    }
    return status;
}

sac_status sac_backward_naive(sac_backward *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    cl_mem weight = sac_backward_weight(s), padding = sac_backward_padding(s);
    cl_mem mask = sac_backward_mask(s), dweight = sac_backward_dweight(s);
    cl_mem dscale = sac_backward_dscale(s);
    pass keys = {"add_keys", s->b.matrices * o->shape.queries, o->shape.keys, 1, 0, 0.4};
    pass queries = {
        "add_queries", s->b.key_matrices * o->shape.keys, o->shape.queries, s->b.p.group, 0.4, 0.6};
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
    sac_status status = go_through(s, &keys, args, 13, error);
    args[10] = SAC_ARG(g->dkey.buffer);
    args[11] = SAC_ARG(g->dvalue.buffer);
    return status == SAC_OK ? go_through(s, &queries, args, 12, error) : status;
}
