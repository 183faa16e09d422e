/* The backward pass by attend_backward_gpu.cl: a group per tile of keys, and then one per tile of
 * queries. */
#include "attention/backward/backward_pass.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 2e9 /* of one launch: a display that shares the device still moves */
#define LOCAL_BYTES (20 * 1024)

static size_t ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static size_t widest(const sac_attention_operands *o)
{
    return o->dim > o->shape.value_dim ? o->dim : o->shape.value_dim;
}

/* Loops of a work-item for each pair of tiles. */
static size_t rounds_of(const sac_attention_operands *o)
{
    return ceil_div(widest(o), 16) * 400 + 200;
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

/* A group of `groups` goes through `others` tiles, and for each through some heads. */
typedef struct pass {
    const char *kernel;
    size_t groups, others, heads;
    double done, share; /* of the whole, before this pass and in it */
} pass;

/* Finds how many of the others go into a launch, so that its loops and the launch stay short. */
static sac_status find_share(const sac_backward *s, const pass *p, size_t *each, sac_error *error)
{
    size_t limit = 0, rounds = p->heads * rounds_of(s->o);
    double pairs = (double)SAC_BACKWARD_GPU_TILE * SAC_BACKWARD_GPU_TILE;
    double operations = 2 * pairs * (double)(p->heads * p->groups * 4 * widest(s->o));
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    *each = (size_t)(LAUNCH_OPERATIONS / operations) + 1;
    if (limit && *each > limit / 2 / rounds)
        *each = limit / 2 / rounds ? limit / 2 / rounds : 1;
    return status;
}

static sac_status go_through(sac_backward *s, const pass *p, const sac_arg *args, int arg_count,
                             sac_error *error)
{
    size_t each, local = SAC_BACKWARD_GPU_GROUP, global = p->groups * local;
    cl_kernel kernel;
    char options[256];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    sac_status status = find_share(s, p, &each, error);
    if (status == SAC_OK)
        status = sac_kernel_get(s->device, s->kernels.source, options, p->kernel, &kernel, error);
    for (size_t begin = 0; begin < p->others && status == SAC_OK; begin += each) {
        size_t end = p->others - begin < each ? p->others : begin + each;
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)end;
        status = sac_kernel_launch(s->device, kernel, args, arg_count, 1, &global, &local, error);
        if (status == SAC_OK)
            status =
                sac_backward_tell(s, p->done + p->share * (double)end / (double)p->others, error);
    }
    return status;
}

sac_status sac_backward_gpu(sac_backward *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t row_tiles = ceil_div(shape->queries, SAC_BACKWARD_GPU_TILE);
    size_t key_tiles = ceil_div(shape->keys, SAC_BACKWARD_GPU_TILE);
    pass keys = {"back_keys", s->b.key_matrices * key_tiles, row_tiles, s->b.p.group, 0, 0.6};
    pass queries = {"back_queries", s->b.matrices * row_tiles, key_tiles, 1, 0.6, 0.4};
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
    sac_status status = go_through(s, &keys, args, 12, error);
    args[10] = SAC_ARG(s->g->dquery.buffer);
    args[11] = SAC_ARG(dweight);
    args[12] = SAC_ARG(dscale);
    return status == SAC_OK ? go_through(s, &queries, args, 13, error) : status;
}
