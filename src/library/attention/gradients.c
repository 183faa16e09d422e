/* The gradients of attention on arrays: forward again, and then back through the output projection,
 * the heads (backward.c), the score's own matrices and the projections. */
#include "attention/gradients.h"

#include <stddef.h>

#include "attention/attention.h"
#include "attention/run/run.h"
#include "attention/spec/device_array.h"
#include "attention/spec/resolve.h"
#include "base/error.h"

/* ---------------------------------------------------------------- what is asked */

void sac_gradients_sinks(const sac_attention_gradients *g, sac_sink sinks[SAC_GRADIENT_COUNT])
{
    for (int i = 0; i < SAC_GRADIENT_COUNT; i++)
        sinks[i] =
            (sac_sink){.host = *(float *const *)((const char *)g + sac_input_parts[i].gradient)};
}

sac_status sac_gradients_check(const sac_attention_input *input,
                               const sac_sink sinks[SAC_GRADIENT_COUNT], sac_error *error)
{
    for (int i = 0; i < SAC_GRADIENT_COUNT; i++)
        if ((sinks[i].host || sinks[i].buffer) && !sac_input_array(input, i))
            return sac_fail(error, SAC_E_ARGUMENT, sac_input_parts[i].name,
                            "ask for no gradient of it", "is not part of the input");
    return SAC_OK;
}

sac_status sac_gradients_resolve(const sac_attention_spec *spec, const sac_attention_input *input,
                                 sac_attention_shape *shape, sac_error *error)
{
    sac_status status = sac_attention_resolve(spec, input, shape, error);
    return status == SAC_OK ? sac_check_backward(spec, input, error) : status;
}

/* ---------------------------------------------------------------- linear layers backwards */

/* The backward pass that is under way. After the first failure its steps do nothing. */
typedef struct backward_pass {
    sac_device *device;
    const sac_attention_spec *spec;
    const sac_attention_input *in;
    const sac_attention_shape *shape;
    const sac_sink *sinks;
    sac_status status;
    sac_error *error;
    cl_mem held[64]; /* released at the end */
    size_t count;
} backward_pass;

static void hold_buffer(backward_pass *g, cl_mem buffer)
{
    if (buffer)
        g->held[g->count++] = buffer;
}

/* A buffer of so many floats, zeroed. */
static cl_mem create_zeroed_buffer(backward_pass *g, size_t floats)
{
    sac_span span = {0};
    if (g->status == SAC_OK)
        g->status = sac_span_create(g->device, floats, NULL, &span, g->error);
    hold_buffer(g, span.buffer);
    return span.buffer;
}

/* The same for what is written before it is read. */
static cl_mem create_unset_buffer(backward_pass *g, size_t floats)
{
    cl_mem buffer = NULL;
    if (g->status == SAC_OK)
        g->status = sac_buffer_create(g->device, floats * sizeof(float), NULL, &buffer, g->error);
    hold_buffer(g, buffer);
    return buffer;
}

static cl_mem upload_held_array(backward_pass *g, const sac_array *array)
{
    cl_mem buffer = NULL;
    if (g->status == SAC_OK && array)
        g->status = sac_upload_floats(g->device, array, &buffer, g->error);
    hold_buffer(g, buffer);
    return buffer;
}

static bool is_wanted(const backward_pass *g, sac_gradient which)
{
    return g->sinks[which].host || g->sinks[which].buffer;
}

static void deliver_gradient(backward_pass *g, sac_gradient which, cl_mem from, size_t floats)
{
    const sac_sink *sink = &g->sinks[which];
    if (g->status != SAC_OK || !is_wanted(g, which) || from == sink->buffer)
        return;
    if (sink->host)
        g->status =
            sac_buffer_read(g->device, from, 0, floats * sizeof(float), sink->host, g->error);
    else
        g->status = sac_cl_check(g->device, "clEnqueueCopyBuffer",
                                 clEnqueueCopyBuffer(g->device->queue, from, sink->buffer, 0, 0,
                                                     floats * sizeof(float), 0, NULL, NULL),
                                 g->error);
}

/* x [rows,width]: the sum of its rows. */
static void deliver_row_sum(backward_pass *g, sac_gradient which, cl_mem x, size_t rows,
                            size_t width)
{
    if (!is_wanted(g, which))
        return;
    cl_mem sum = create_zeroed_buffer(g, width);
    if (g->status == SAC_OK)
        g->status = sac_linear_dbias(g->device, rows, width, (sac_span){x, 0}, (sac_span){sum, 0},
                                     g->error);
    deliver_gradient(g, which, sum, width);
}

/* A linear layer of `rows` rows of x. */
typedef struct layer {
    sac_linear linear; /* empty: there is none, and y is x */
    cl_mem x;
    size_t rows;
    sac_gradient dweight, dbias; /* SAC_GRADIENT_COUNT: it has no bias */
} layer;

static cl_mem forward(backward_pass *g, layer *l, cl_mem x)
{
    l->x = x;
    if (!l->linear.weight.buffer)
        return x;
    cl_mem y = create_zeroed_buffer(g, l->rows * l->linear.out);
    if (g->status == SAC_OK)
        g->status = sac_linear_y(g->device, &l->linear, l->rows, (sac_span){x, 0}, (sac_span){y, 0},
                                 false, g->error);
    return y;
}

/* Goes from dy to dx; gives the gradients of weight and bias that are wanted. */
static cl_mem backward(backward_pass *g, const layer *l, cl_mem dy)
{
    if (!l->linear.weight.buffer)
        return dy;
    cl_mem dx = create_zeroed_buffer(g, l->rows * l->linear.in);
    if (g->status == SAC_OK)
        g->status = sac_linear_dx(g->device, &l->linear, l->rows, (sac_span){dy, 0},
                                  (sac_span){dx, 0}, false, g->error);
    if (is_wanted(g, l->dweight)) {
        size_t floats = l->linear.in * l->linear.out;
        cl_mem dweight = create_zeroed_buffer(g, floats);
        if (g->status == SAC_OK)
            g->status = sac_linear_dweight(g->device, &l->linear, l->rows, (sac_span){dy, 0},
                                           (sac_span){l->x, 0}, (sac_span){dweight, 0}, g->error);
        deliver_gradient(g, l->dweight, dweight, floats);
    }
    if (l->linear.bias.buffer)
        deliver_row_sum(g, l->dbias, dy, l->rows, l->linear.out);
    return dx;
}

/* `numbers` floats go in. */
static layer create_layer(backward_pass *g, const sac_array *weight, const sac_array *bias,
                          size_t numbers, bool transposed, sac_gradient dweight, sac_gradient dbias)
{
    layer l = {.dweight = dweight, .dbias = dbias};
    if (!weight)
        return l;
    if (g->status == SAC_OK)
        g->status = sac_projection_create(g->device, weight, bias, transposed, &l.linear, g->error);
    hold_buffer(g, l.linear.weight.buffer);
    hold_buffer(g, l.linear.bias.buffer);
    l.rows = l.linear.in ? numbers / l.linear.in : 0;
    return l;
}

/* ---------------------------------------------------------------- query, key and value */

/* One of the three, on its way to what is compared or summed up, and back. */
typedef struct side {
    size_t numbers; /* of the array */
    layer projection, score;
    cl_mem ready, dready;
    size_t dim, floats; /* of one head of what is ready, and of all */
} side;

static side prepare_side(backward_pass *g, sac_gradient which, const sac_array *W, bool transposed,
                         sac_gradient dW, size_t dim)
{
    sac_gradient weight = SAC_D_Q_PROJ + 2 * (which - SAC_D_QUERY);
    const sac_array *array = sac_input_array(g->in, which);
    const sac_array *projection = sac_input_array(g->in, weight);
    side s = {.numbers = sac_array_count(array), .dim = dim};
    s.projection = create_layer(g, projection, sac_input_array(g->in, weight + 1), s.numbers, false,
                                weight, weight + 1);
    size_t projected = projection ? s.projection.rows * s.projection.linear.out : s.numbers;
    s.score = create_layer(g, W, NULL, projected, transposed, dW, SAC_GRADIENT_COUNT);
    cl_mem x = forward(g, &s.projection, upload_held_array(g, array));
    s.ready = forward(g, &s.score, x);
    s.dim = W ? s.score.linear.out : dim;
    s.floats = W ? s.score.rows * s.score.linear.out : projected;
    return s;
}

/* Some kernels add to a gradient: they read it, too. */
static bool can_be_read(cl_mem buffer)
{
    cl_mem_flags flags = CL_MEM_WRITE_ONLY;
    clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    return !(flags & CL_MEM_WRITE_ONLY);
}

/* Where the gradient of what is ready is written: into the caller's buffer, if no layer lies between
 * and it holds nothing else. */
static cl_mem choose_gradient_buffer(backward_pass *g, const side sides[3], int i, cl_mem doutput)
{
    const side *s = &sides[i];
    cl_mem given = g->sinks[SAC_D_QUERY + i].buffer;
    bool does = given && given != doutput && !s->projection.linear.weight.buffer &&
                !s->score.linear.weight.buffer && can_be_read(given);
    for (int other = 0; other < 3; other++)
        does = does && given != sides[other].ready &&
               (other == i || given != g->sinks[SAC_D_QUERY + other].buffer);
    return does ? given : create_unset_buffer(g, s->floats);
}

/* ---------------------------------------------------------------- the heads */

static sac_attention_operands collect_operands(backward_pass *g, const side *query, const side *key,
                                               const side *value)
{
    sac_attention_operands o = {
        .spec = *g->spec,
        .shape = *g->shape,
        .dim = query->dim,
        .whole_heads = sac_attention_is_split(g->in) || g->spec->split == SAC_SPLIT_VIEW,
        .query = {query->ready, 0},
        .key = {key->ready, 0},
        .value = {value->ready, 0},
        .score_weight = {upload_held_array(g, g->in->score_w_v), 0},
        .sinks = {upload_held_array(g, g->in->sinks), 0},
    };
    if (g->status == SAC_OK)
        g->status = sac_upload_masks(g->device, g->in, &o, g->error);
    hold_buffer(g, o.padding);
    hold_buffer(g, o.mask);
    return o;
}

/* Goes from the gradient of the heads' output to those of the prepared arrays, the additive score's
 * w_v and the scale. */
static void run_heads_backward(backward_pass *g, const sac_attention_operands *o,
                               const side sides[3], sac_span output, sac_span stats, cl_mem doutput,
                               const sac_progress *progress)
{
    size_t rows = g->shape->batch * g->shape->heads * g->shape->queries;
    bool has_weight = o->score_weight.buffer != NULL;
    sac_operand_gradients back = {
        .output = output,
        .stats = stats,
        .doutput = {doutput, 0},
        .dquery = {sides[0].dready, 0},
        .dkey = {sides[1].dready, 0},
        .dvalue = {sides[2].dready, 0},
        .dscore_weight = {has_weight ? create_zeroed_buffer(g, rows * o->dim) : NULL, 0},
        .dscale = {is_wanted(g, SAC_D_LOG_SCALE) ? create_zeroed_buffer(g, rows) : NULL, 0},
        .dsinks = {is_wanted(g, SAC_D_SINKS) ? create_zeroed_buffer(g, rows) : NULL, 0},
    };
    if (g->status == SAC_OK)
        g->status = sac_attention_backward_on(g->device, o, &back, progress, g->error);
    if (has_weight)
        deliver_row_sum(g, SAC_D_W_V, back.dscore_weight.buffer, rows, o->dim);
    deliver_row_sum(g, SAC_D_LOG_SCALE, back.dscale.buffer, rows, 1);
    deliver_row_sum(g, SAC_D_SINKS, back.dsinks.buffer, rows / g->shape->heads, g->shape->heads);
}

static void run(backward_pass *g, cl_mem doutput, const sac_progress *progress)
{
    const sac_attention_input *in = g->in;
    const sac_attention_shape *s = g->shape;
    const sac_array *W_query = in->score_W_q ? in->score_W_q : in->score_W_qk;
    size_t rows = s->batch * s->heads * s->queries, outputs = rows * s->value_dim;
    side sides[] = {
        prepare_side(g, SAC_D_QUERY, W_query, in->score_W_qk != NULL,
                     in->score_W_qk ? SAC_D_W_QK : SAC_D_W_Q, s->query_dim),
        prepare_side(g, SAC_D_KEY, in->score_W_k, false, SAC_D_W_K, s->key_dim),
        prepare_side(g, SAC_D_VALUE, NULL, false, SAC_GRADIENT_COUNT, s->value_dim),
    };
    sac_attention_operands o = collect_operands(g, &sides[0], &sides[1], &sides[2]);
    for (int i = 0; i < 3; i++)
        sides[i].dready = choose_gradient_buffer(g, sides, i, doutput);
    sac_span output = {create_unset_buffer(g, outputs), 0},
             stats = {create_unset_buffer(g, 2 * rows), 0};
    layer out = create_layer(g, in->out_proj_weight, in->out_proj_bias, outputs, false,
                             SAC_D_OUT_PROJ, SAC_D_OUT_BIAS);
    out.x = output.buffer;
    if (g->status == SAC_OK)
        g->status = sac_attention_forward_on(g->device, &o, output, stats, g->error);
    run_heads_backward(g, &o, sides, output, stats, backward(g, &out, doutput), progress);
    for (int i = 0; i < 3; i++) {
        cl_mem dx =
            backward(g, &sides[i].projection, backward(g, &sides[i].score, sides[i].dready));
        deliver_gradient(g, SAC_D_QUERY + i, dx, sides[i].numbers);
    }
}

sac_status sac_gradients_run(sac_device *device, const sac_attention_spec *spec,
                             const sac_attention_input *input, const sac_attention_shape *shape,
                             cl_mem doutput, const sac_sink sinks[SAC_GRADIENT_COUNT],
                             const sac_progress *progress, sac_error *error)
{
    backward_pass g = {.device = device,
                       .spec = spec,
                       .in = input,
                       .shape = shape,
                       .sinks = sinks,
                       .error = error};
    run(&g, doutput, progress);
    for (size_t i = 0; i < g.count; i++)
        sac_buffer_release(g.held[i]);
    return g.status;
}

/* ---------------------------------------------------------------- of an attention */

enum { MOST_PARTS = 17 };

/* The arrays of an attention's own, as the input that it was created from. */
typedef struct kept_input {
    sac_device_array arrays[MOST_PARTS];
    int count;
    sac_attention_input input;
} kept_input;

static const sac_array *add_kept_array(kept_input *kept, sac_dtype dtype, int rank,
                                       const size_t *shape, cl_mem buffer)
{
    sac_device_array *made = &kept->arrays[kept->count++];
    made->array = sac_array_view(dtype, rank, shape, &sac_on_device);
    made->buffer = buffer;
    return &made->array;
}

static const sac_array *keep_weight(kept_input *kept, const sac_linear *l)
{
    const size_t shape[] = {l->transposed ? l->in : l->out, l->transposed ? l->out : l->in};
    return l->weight.buffer ? add_kept_array(kept, SAC_F32, 2, shape, l->weight.buffer) : NULL;
}

static const sac_array *keep_bias(kept_input *kept, const sac_linear *l)
{
    return l->bias.buffer ? add_kept_array(kept, SAC_F32, 1, &l->out, l->bias.buffer) : NULL;
}

static const sac_array *keep_source(kept_input *kept, const sac_part *part)
{
    return add_kept_array(kept, SAC_F32, part->form.rank, part->form.shape, part->source);
}

static void fill_kept_input(const sac_attention *self, kept_input *kept)
{
    const sac_linear *q = &self->query_part.projection, *k = &self->key_part.projection;
    const sac_linear *v = &self->value_part.projection, *out = &self->out_projection;
    const sac_linear *score = &self->query_part.score;
    const sac_array *padding = &self->padding_form, *mask = &self->mask_form;
    sac_attention_input *in = &kept->input;
    kept->count = 0;
    *in = (sac_attention_input){
        .query = keep_source(kept, &self->query_part),
        .key = keep_source(kept, &self->key_part),
        .value = keep_source(kept, &self->value_part),
        .score_W_q = score->transposed ? NULL : keep_weight(kept, score),
        .score_W_qk = score->transposed ? keep_weight(kept, score) : NULL,
        .score_W_k = keep_weight(kept, &self->key_part.score),
        .q_proj_weight = keep_weight(kept, q),
        .q_proj_bias = keep_bias(kept, q),
        .k_proj_weight = keep_weight(kept, k),
        .k_proj_bias = keep_bias(kept, k),
        .v_proj_weight = keep_weight(kept, v),
        .v_proj_bias = keep_bias(kept, v),
        .out_proj_weight = keep_weight(kept, out),
        .out_proj_bias = keep_bias(kept, out),
    };
    if (self->score_weight)
        in->score_w_v = add_kept_array(kept, SAC_F32, 1, &self->prepared_dim, self->score_weight);
    if (self->sinks.buffer)
        in->sinks = add_kept_array(kept, SAC_F32, 1, &self->shape.heads, self->sinks.buffer);
    if (padding->rank)
        in->key_padding_mask =
            add_kept_array(kept, SAC_BOOL, padding->rank, padding->shape, self->padding);
    if (mask->rank)
        in->attn_mask =
            add_kept_array(kept, self->mask_floats ? SAC_F32 : SAC_BOOL, mask->rank, mask->shape,
                           self->mask_floats ? self->mask_floats : self->mask);
}

sac_status sac_gradients_of_attention(sac_attention *attention, cl_mem doutput,
                                      const sac_sink sinks[SAC_GRADIENT_COUNT],
                                      const sac_progress *progress, sac_error *error)
{
    kept_input kept;
    sac_attention_spec spec = attention->spec;
    if (!spec.gradients)
        return sac_fail(error, SAC_E_ARGUMENT, "gradients",
                        "create the attention with spec.gradients",
                        "need the inputs, which were not kept");
    sac_status status = sac_need_numbers(attention, true, error);
    if (status != SAC_OK)
        return status;
    spec.variant = attention->asked;
    fill_kept_input(attention, &kept);
    status = sac_gradients_check(&kept.input, sinks, error);
    return status == SAC_OK ? sac_gradients_run(attention->device, &spec, &kept.input,
                                                &attention->shape, doutput, sinks, progress, error)
                            : status;
}

/* ---------------------------------------------------------------- of saccade.h */

/* The gradients of an attention, or where that is NULL of arrays. */
static sac_status run_on_host(sac_device *device, sac_attention *attention,
                              const sac_attention_spec *spec, const sac_attention_input *input,
                              const float *doutput, const sac_attention_gradients *wanted,
                              const sac_progress *progress, sac_error *error)
{
    sac_attention_shape shape;
    sac_sink sinks[SAC_GRADIENT_COUNT];
    sac_span dy = {0};
    size_t outputs = 1;
    sac_status status = sac_need(doutput, "doutput", error);
    if (status == SAC_OK)
        status = sac_need(wanted, "gradients", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    sac_gradients_sinks(wanted, sinks);
    if (attention)
        shape = attention->shape;
    else
        status = sac_gradients_resolve(spec, input, &shape, error);
    if (status == SAC_OK && !attention)
        status = sac_gradients_check(input, sinks, error);
    for (int i = 0; status == SAC_OK && i < shape.output_rank; i++)
        outputs *= shape.output_shape[i];
    if (status == SAC_OK)
        status = sac_span_create(device, outputs, doutput, &dy, error);
    if (status == SAC_OK)
        status =
            attention
                ? sac_gradients_of_attention(attention, dy.buffer, sinks, progress, error)
                : sac_gradients_run(device, spec, input, &shape, dy.buffer, sinks, progress, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    sac_span_release(&dy);
    sac_device_unlock(device);
    return status;
}

sac_status sac_attend_backward(sac_device *device, const sac_attention_spec *spec,
                               const sac_attention_input *input, const float *doutput,
                               const sac_attention_gradients *gradients,
                               const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need(device, "device", error);
    return status == SAC_OK
               ? run_on_host(device, NULL, spec, input, doutput, gradients, progress, error)
               : status;
}

sac_status sac_attention_backward(sac_attention *attention, const float *doutput,
                                  const sac_attention_gradients *gradients,
                                  const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    return status == SAC_OK ? run_on_host(attention->device, attention, NULL, NULL, doutput,
                                          gradients, progress, error)
                            : status;
}
