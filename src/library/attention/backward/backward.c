/* Runs the backward pass of attention on the device: sets the arguments of its kernels and chooses
 * which of them run. */
#include "attention/backward/backward.h"

#include "attention/backward/backward_pass.h"
#include "attention/spec/resolve.h"
#include "gemm/launch.h"

static size_t key_heads_of(const sac_attention_shape *shape)
{
    return shape->key_heads ? shape->key_heads : shape->heads;
}

static sac_head_places places(const sac_backward *s, sac_span first, size_t heads, size_t rows,
                              size_t dim)
{
    bool whole = s->o->whole_heads;
    return (sac_head_places){.first = first.at,
                             .batch = heads * rows * dim,
                             .head = whole ? rows * dim : dim,
                             .row = whole ? dim : heads * dim};
}

static void set_job(sac_backward *s)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    const sac_attention_shape *shape = &o->shape;
    size_t key_heads = key_heads_of(shape);
    s->b = (sac_backward_job){
        .p = sac_problem_of(&o->spec, shape),
        .query = places(s, o->query, shape->heads, shape->queries, o->dim),
        .key = places(s, o->key, key_heads, shape->keys, o->dim),
        .value = places(s, o->value, key_heads, shape->keys, shape->value_dim),
        .output = places(s, g->output, shape->heads, shape->queries, shape->value_dim),
        .doutput = g->doutput.at,
        .dquery = g->dquery.at,
        .dkey = g->dkey.at,
        .dvalue = g->dvalue.at,
        .stats = g->stats.at,
        .weight = o->score_weight.at,
        .dweight = g->dscore_weight.at,
        .dscale = g->dscale.at,
        .matrices = (cl_uint)(shape->batch * shape->heads),
        .key_matrices = (cl_uint)(shape->batch * key_heads),
        .with_scale = g->dscale.buffer != NULL,
    };
    s->b.p.dim = (cl_uint)o->dim;
    sac_set_masks(&s->b.p, o);
}

static void set_kernels(sac_backward *s, sac_specialisation kernels)
{
    s->kernels = kernels;
    s->kernels.form = sac_score_form(s->o->spec.score);
    s->kernels.softcap = s->o->spec.softcap > 0;
    s->kernels.fast_fma = s->device->info.has_fma;
    s->kernels.on_gpu = !sac_profile_of(&s->device->info).is_cpu;
}

/* For kernels that add to the gradients; those of a CPU write each once. */
static sac_status clear(const sac_backward *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t matrices = s->b.matrices, queries = matrices * shape->queries;
    size_t keys = s->b.key_matrices * shape->keys;
    struct {
        sac_span span;
        size_t count;
    } written[] = {{s->g->dquery, queries * s->o->dim},
                   {s->g->dkey, keys * s->o->dim},
                   {s->g->dvalue, keys * shape->value_dim},
                   {s->g->dscore_weight, queries * s->o->dim},
                   {s->g->dscale, queries}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof written / sizeof *written && status == SAC_OK; i++)
        if (written[i].span.buffer)
            status = sac_span_fill(s->device, written[i].span, written[i].count, 0, error);
    return status;
}

/* The sinks' gradients, from delta. */
static sac_status slope_sinks(sac_backward *s, sac_error *error)
{
    const sac_operand_gradients *g = s->g;
    cl_ulong at = s->o->sinks.at, stats_at = g->stats.at, dsinks_at = g->dsinks.at;
    cl_uint matrices = s->b.matrices;
    sac_arg args[] = {SAC_ARG(s->b.p),   SAC_ARG(matrices),         SAC_ARG(s->o->sinks.buffer),
                      SAC_ARG(at),       SAC_ARG(g->stats.buffer),  SAC_ARG(stats_at),
                      SAC_ARG(s->delta), SAC_ARG(g->dsinks.buffer), SAC_ARG(dsinks_at)};
    if (!s->o->sinks.buffer || !g->dsinks.buffer)
        return SAC_OK;
    return sac_launch_items(s->device, "merge", "sink_slopes", args, 9,
                            (size_t)matrices * s->o->shape.queries, error);
}

static sac_status convert_mask(sac_backward *s, sac_error *error)
{
    const size_t *shape = s->o->mask_shape;
    cl_ulong count = (cl_ulong)shape[0] * shape[1] * shape[2] * shape[3];
    if (!s->o->mask || !s->o->mask_is_float)
        return SAC_OK;
    sac_status status =
        sac_buffer_create(s->device, (size_t)count * sizeof(float), NULL, &s->biases, error);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(s->o->mask), SAC_ARG(s->biases)};
    return status == SAC_OK
               ? sac_launch_items(s->device, "pack", "pack_biases", args, 3, (size_t)count, error)
               : status;
}

/* ---------------------------------------------------------------- all of it */

/* *variant becomes naive where its kernels do not take the sizes. */
static sac_status choose_kernels(sac_backward *s, sac_variant *variant, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    size_t wider = o->dim > o->shape.value_dim ? o->dim : o->shape.value_dim;
    sac_status status = SAC_OK;
    bool fits = false;
    if (*variant == SAC_VARIANT_CPU)
        status = sac_backward_cpu_fits(s->device, o, &fits, error);
    if (*variant == SAC_VARIANT_GPU)
        status = sac_backward_gpu_fits(s->device, o, &fits, error);
    if (!fits)
        *variant = SAC_VARIANT_NAIVE;
    if (*variant == SAC_VARIANT_CPU)
        set_kernels(
            s, sac_specialise_backward_cpu(sac_tiling_shipped(&s->device->info, SAC_VARIANT_CPU)));
    else if (*variant == SAC_VARIANT_GPU)
        set_kernels(s,
                    sac_specialise_backward_gpu(sac_tiling_backward_gpu(&s->device->info), wider));
    else
        set_kernels(s, sac_specialise_backward());
    return status;
}

sac_status sac_attention_backward_run(sac_device *device, const sac_attention_operands *operands,
                                      const sac_operand_gradients *gradients, sac_variant variant,
                                      const sac_progress *progress, sac_error *error)
{
    sac_backward s = {.device = device, .o = operands, .g = gradients, .progress = progress};
    set_job(&s);
    sac_status status = choose_kernels(&s, &variant, error);
    if (status == SAC_OK && variant != SAC_VARIANT_CPU)
        status = clear(&s, error);
    if (status == SAC_OK) {
        size_t rows = s.b.matrices * s.o->shape.queries;
        status = sac_buffer_create(s.device, rows * sizeof(float), NULL, &s.delta, error);
        sac_arg args[] = {SAC_ARG(s.b), SAC_ARG(s.g->output.buffer), SAC_ARG(s.g->doutput.buffer),
                          SAC_ARG(s.delta)};
        if (status == SAC_OK)
            status = sac_backward_launch(&s, "sum_products", args, 4, rows, error);
    }
    if (status == SAC_OK)
        status = slope_sinks(&s, error);
    if (status == SAC_OK)
        status = convert_mask(&s, error);
    if (status == SAC_OK) {
        status = variant == SAC_VARIANT_CPU   ? sac_backward_cpu(&s, error)
                 : variant == SAC_VARIANT_GPU ? sac_backward_gpu(&s, error)
                                              : sac_backward_naive(&s, error);
    }
    cl_mem buffers[] = {s.delta, s.biases, s.key_panels, s.value_panels, s.parts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        sac_buffer_release(buffers[i]);
    return status;
}
