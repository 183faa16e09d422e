/* The backward pass of attention on the device. */
#include <math.h>

#include "attention/internal.h"
#include "attention/operands.h"
#include "gemm/launch.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 2e9 /* of one launch: a display that shares the device still moves */

/* Where the vectors of all heads lie, in floats; the twin of `heads` in
 * cl/attend_backward_naive.cl, as those below are of what has their name there. */
typedef struct head_places {
    cl_ulong first, batch, head, row;
} head_places;

typedef struct backward {
    sac_problem p;
    head_places query, key, value, output;
    cl_ulong doutput, dquery, dkey, dvalue;
    cl_ulong stats, weight, dweight, dscale;
    cl_uint begin, end;
    cl_uint matrices, with_scale;
} backward;

_Static_assert(sizeof(backward) == sizeof(sac_problem) + (16 + 8) * 8 + 4 * 4,
               "no padding: the kernel's twin has none");

/* One pass, on its way. */
typedef struct pass {
    sac_device *device;
    const sac_attention_operands *o;
    const sac_attention_gradients *g;
    backward b;
    sac_specialisation kernels;
    cl_mem delta;  /* [B·H·Tq]: Σ_c dO O */
    cl_mem biases; /* the float mask in base 2; NULL: there is none */
} pass;

static head_places places(const pass *s, sac_span first, size_t rows, size_t dim)
{
    size_t heads = s->o->shape.heads;
    bool whole = s->o->whole_heads;
    return (head_places){.first = first.at,
                         .batch = heads * rows * dim,
                         .head = whole ? rows * dim : dim,
                         .row = whole ? dim : heads * dim};
}

static void set_backward(pass *s)
{
    const sac_attention_operands *o = s->o;
    const sac_attention_gradients *g = s->g;
    const sac_attention_shape *shape = &o->shape;
    double scale = sac_raw_scale(&o->spec, shape);
    s->b = (backward){
        .p = {.heads = (cl_uint)shape->heads,
              .queries = (cl_uint)shape->queries,
              .keys = (cl_uint)shape->keys,
              .group = 1,
              .key_room = (cl_uint)shape->keys,
              .dim = (cl_uint)o->dim,
              .value_dim = (cl_uint)shape->value_dim,
              .flags = (o->spec.causal ? SAC_CAUSAL : 0) | (o->spec.dropout > 0 ? SAC_DROPOUT : 0),
              .scale = (cl_float)(fabs(scale) * 1.4426950408889634),
              .dropout = o->spec.dropout,
              .keep = (cl_float)(1.0 / (1.0 - o->spec.dropout)),
              .seed_low = (cl_uint)o->spec.seed,
              .seed_high = (cl_uint)(o->spec.seed >> 32)},
        .query = places(s, o->query, shape->queries, o->dim),
        .key = places(s, o->key, shape->keys, o->dim),
        .value = places(s, o->value, shape->keys, shape->value_dim),
        .output = places(s, g->output, shape->queries, shape->value_dim),
        .doutput = g->doutput.at,
        .dquery = g->dquery.at,
        .dkey = g->dkey.at,
        .dvalue = g->dvalue.at,
        .stats = g->stats.at,
        .weight = o->score_weight.at,
        .dweight = g->dscore_weight.at,
        .dscale = g->dscale.at,
        .matrices = (cl_uint)(shape->batch * shape->heads),
        .with_scale = g->dscale.buffer != NULL,
    };
    sac_set_masks(&s->b.p, o);
    s->kernels = sac_specialise_backward();
    s->kernels.form = sac_score_form_of(o->spec.score);
    s->kernels.negate = scale < 0;
    s->kernels.fast_fma = s->device->info.has_fma;
    sac_set_window(&s->b.p, o->spec.window);
}

static sac_status clear(const pass *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t matrices = s->b.matrices, queries = matrices * shape->queries;
    size_t keys = matrices * shape->keys;
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

static sac_status launch(const pass *s, const char *kernel, const sac_arg *args, int arg_count,
                         size_t count, sac_error *error)
{
    char options[96];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_launch_built(s->device, s->kernels.source, options, kernel, args, arg_count, count,
                            error);
}

static sac_status sum_products(pass *s, sac_error *error)
{
    size_t rows = s->b.matrices * s->o->shape.queries;
    sac_status status = sac_buffer_create(s->device, rows * sizeof(float), NULL, &s->delta, error);
    sac_arg args[] = {SAC_ARG(s->b), SAC_ARG(s->g->output.buffer), SAC_ARG(s->g->doutput.buffer),
                      SAC_ARG(s->delta)};
    return status == SAC_OK ? launch(s, "sum_products", args, 4, rows, error) : status;
}

static sac_status convert_mask(pass *s, sac_error *error)
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

/* How many of the others one work-item of `items` goes through in a launch: so that its loops and
 * the launch stay short. */
static sac_status share(const pass *s, size_t items, size_t *each, sac_error *error)
{
    size_t limit = 0, rounds = 2 * s->o->dim + 2 * s->o->shape.value_dim + 24;
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    *each = (size_t)(LAUNCH_OPERATIONS / 2 / (double)rounds / (double)items) + 1;
    if (limit && *each > limit / 2 / rounds)
        *each = limit / 2 / rounds ? limit / 2 / rounds : 1;
    return status;
}

/* `kernel` with one work-item for each of `items`, over `others` in shares. */
static sac_status go_through(pass *s, const char *kernel, const sac_arg *args, int arg_count,
                             size_t items, size_t others, sac_error *error)
{
    size_t each;
    sac_status status = share(s, items, &each, error);
    for (size_t begin = 0; begin < others && status == SAC_OK; begin += each) {
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)(others - begin < each ? others : begin + each);
        status = launch(s, kernel, args, arg_count, items, error);
    }
    return status;
}

static sac_status add_all(pass *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_attention_gradients *g = s->g;
    size_t queries = s->b.matrices * o->shape.queries, keys = s->b.matrices * o->shape.keys;
    /* What is not there is not touched; anything stands in for it. */
    cl_mem weight = o->score_weight.buffer ? o->score_weight.buffer : o->query.buffer;
    cl_mem padding = o->padding ? o->padding : o->query.buffer;
    cl_mem mask = s->biases ? s->biases : o->mask ? o->mask : o->query.buffer;
    cl_mem dweight = g->dscore_weight.buffer ? g->dscore_weight.buffer : g->dquery.buffer;
    cl_mem dscale = g->dscale.buffer ? g->dscale.buffer : g->dquery.buffer;
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
    sac_status status = go_through(s, "add_keys", args, 13, queries, o->shape.keys, error);
    args[10] = SAC_ARG(g->dkey.buffer);
    args[11] = SAC_ARG(g->dvalue.buffer);
    if (status == SAC_OK)
        status = go_through(s, "add_queries", args, 12, keys, o->shape.queries, error);
    return status;
}

sac_status sac_attention_backward_run(sac_device *device, const sac_attention_operands *operands,
                                      const sac_attention_gradients *gradients, sac_error *error)
{
    pass s = {.device = device, .o = operands, .g = gradients};
    set_backward(&s);
    sac_status status = clear(&s, error);
    if (status == SAC_OK)
        status = sum_products(&s, error);
    if (status == SAC_OK)
        status = convert_mask(&s, error);
    if (status == SAC_OK)
        status = add_all(&s, error);
    sac_buffer_release(s.delta);
    sac_buffer_release(s.biases);
    return status;
}
