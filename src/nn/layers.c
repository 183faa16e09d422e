/* y = x Wᵀ + b and its gradients, on tensors and parameters. */
#include <assert.h>
#include <stdio.h>

#include "attention/run/layer_norm.h"
#include "base/round.h"
#include "gemm/gemm.h"
#include "gemm/gemm_tiled.h"
#include "gemm/storage.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

/* ---------------------------------------------------------------- declarations */

typedef char parameter_name[sizeof((sac_parameter *)0)->name];

static char *join(const char *layer, const char *name, const char *kind, parameter_name full)
{
    snprintf(full, sizeof(parameter_name), "%s%s%s.%s", layer, layer[0] ? "." : "", name, kind);
    return full;
}

sac_dense sac_dense_declare(sac_parameters *p, const char *layer, const char *name, size_t out,
                            size_t in, bool has_bias)
{
    parameter_name full;
    sac_dense dense = {0};
    dense.w = sac_parameter_weight(p, join(layer, name, "weight", full), out, in);
    if (has_bias)
        dense.b = sac_parameter_vector(p, join(layer, name, "bias", full), out);
    return dense;
}

sac_layer_norm sac_layer_norm_declare(sac_parameters *p, const char *layer, const char *name,
                                      size_t width)
{
    parameter_name full;
    sac_layer_norm norm = sac_rms_norm_declare(p, layer, name, width, 0);
    norm.bias = sac_parameter_vector(p, join(layer, name, "bias", full), width);
    return norm;
}

sac_layer_norm sac_rms_norm_declare(sac_parameters *p, const char *layer, const char *name,
                                    size_t width, float epsilon)
{
    parameter_name full;
    sac_layer_norm norm = {.epsilon = epsilon};
    join(layer, name, "weight", full);
    norm.gain = sac_parameter_add(p, full, sac_init_constant(1), 1, width);
    return norm;
}

/* ---------------------------------------------------------------- layers */

/* The product that y [rows,out] and x [rows,in] mean. What is trained has the same bytes, however
 * few sentences of a batch still go on. */
static sac_linear describe_linear(const sac_device *device, sac_tensor y, sac_tensor x,
                                  const sac_parameter *w, const sac_parameter *b)
{
    assert(y.rows == x.rows && x.width == w->value.width && y.width == w->value.rows);
    sac_linear layer = {.weight = sac_tensor_stored(w->value),
                        .stored = w->value.stored,
                        .in = x.width,
                        .out = y.width,
                        .any_rows = w->gradient.buffer != NULL,
                        .rounded = device->rounds};
    if (b)
        layer.bias = sac_tensor_span(b->value);
    return layer;
}

/* Of a weight that learns; `transposed`: for y. */
static void find_panels(sac_pass *pass, const sac_parameter *w, bool transposed, sac_linear *layer)
{
    if (w->gradient.buffer)
        layer->panels = sac_pass_panels(pass, w->value, transposed, &layer->in_squares);
}

static void forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                    const sac_parameter *b, bool adds, float ceiling)
{
    sac_linear layer = describe_linear(pass->device, y, x, w, b);
    find_panels(pass, w, true, &layer);
    layer.ceiling = ceiling;
    SAC_PASS_CALL(pass, sac_linear_y(pass->device, &layer, x.rows, sac_tensor_span(x),
                                     sac_tensor_span(y), adds, &pass->error));
}

static void backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w,
                           bool adds)
{
    sac_linear layer = describe_linear(pass->device, dy, dx, w, NULL);
    find_panels(pass, w, false, &layer);
    SAC_PASS_CALL(pass, sac_linear_dx(pass->device, &layer, dx.rows, sac_tensor_span(dy),
                                      sac_tensor_span(dx), adds, &pass->error));
}

static void backward_weights(sac_pass *pass, sac_tensor dy, sac_tensor x, const sac_parameter *w)
{
    sac_linear layer = describe_linear(pass->device, dy, x, w, NULL);
    SAC_PASS_CALL(pass, sac_linear_dweight(pass->device, &layer, x.rows, sac_tensor_span(dy),
                                           sac_tensor_span(x), sac_tensor_span(w->gradient),
                                           &pass->error));
}

/* ---------------------------------------------------------------- adapters of low rank */

/* Numbers [rows,r] between both matrices of an adapter, number `index` of two, in the pass's scratch memory. */
static sac_tensor narrow_rows(sac_pass *pass, const sac_low_rank *low, size_t rows, size_t index)
{
    const size_t rank = low->a->value.rows;
    const sac_span scratch = sac_pass_scratch(pass, 2 * rows * rank);
    return (sac_tensor){scratch.buffer, scratch.at + (cl_uint)(index * rows * rank), rows, rank,
                        SAC_STORED_F32};
}

/* h [rows,r] = scale · x Aᵀ */
static sac_tensor enter_adapter(sac_pass *pass, const sac_low_rank *low, sac_tensor x)
{
    sac_tensor h = narrow_rows(pass, low, x.rows, 0);
    forward(pass, h, x, low->a, NULL, false, 0);
    sac_scale(pass, h, low->scale);
    return h;
}

/* dh [rows,r] = scale · dy B */
static sac_tensor leave_adapter(sac_pass *pass, const sac_low_rank *low, sac_tensor dy)
{
    sac_tensor dh = narrow_rows(pass, low, dy.rows, 1);
    backward_input(pass, dh, dy, low->b, false);
    sac_scale(pass, dh, low->scale);
    return dh;
}

/* ---------------------------------------------------------------- linear layers */

/* y = x between two bounds. */
static void clip(sac_pass *pass, sac_tensor y, sac_tensor x, const float bounds[2])
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    float low = bounds[0], high = bounds[1];
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(low), SAC_ARG(high), SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(y)};
    sac_pass_items(pass, "other_activations", "clip", args, 7, count);
}

void sac_linear_forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b)
{
    if (w->clip) {
        const sac_span scratch = sac_pass_scratch(pass, sac_tensor_count(x));
        const sac_tensor clipped = {scratch.buffer, scratch.at, x.rows, x.width, SAC_STORED_F32};
        clip(pass, clipped, x, w->clip->in);
        forward(pass, y, clipped, w, b, false, 0);
        clip(pass, y, y, w->clip->out);
        return;
    }
    forward(pass, y, x, w, b, false, 0);
    if (w->low)
        forward(pass, y, enter_adapter(pass, w->low, x), w->low->b, NULL, true, 0);
}

void sac_linear_add(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w)
{
    forward(pass, y, x, w, NULL, true, 0);
    if (w->low)
        forward(pass, y, enter_adapter(pass, w->low, x), w->low->b, NULL, true, 0);
}

void sac_linear_bounded(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b, bool adds, float ceiling)
{
    assert(!w->low);
    forward(pass, y, x, w, b, adds, ceiling);
}

void sac_linear_backward_weights(sac_pass *pass, sac_tensor dy, sac_tensor x,
                                 const sac_parameter *w, const sac_parameter *b)
{
    if (w->low && w->low->a->gradient.buffer) {
        backward_weights(pass, dy, enter_adapter(pass, w->low, x), w->low->b);
        backward_weights(pass, leave_adapter(pass, w->low, dy), x, w->low->a);
    }
    if (!w->gradient.buffer)
        return;
    backward_weights(pass, dy, x, w);
    if (b)
        sac_sum_rows(pass, b->gradient, dy);
}

void sac_linear_backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, false);
    if (w->low)
        backward_input(pass, dx, leave_adapter(pass, w->low, dy), w->low->a, true);
}

void sac_linear_backward_add(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, true);
    if (w->low)
        backward_input(pass, dx, leave_adapter(pass, w->low, dy), w->low->a, true);
}

/* ---------------------------------------------------------------- without a gradient */

size_t sac_linear_panels(const sac_pass *pass, const sac_parameter *w)
{
    return sac_tiled_panel_floats(pass->device, w->value.rows, w->value.width);
}

void sac_linear_pack(sac_pass *pass, sac_tensor panels, const sac_parameter *w)
{
    sac_packing packing = sac_packing_of(w->value.rows, w->value.width, true);
    SAC_PASS_CALL(pass, sac_tiled_pack(pass->device, packing, sac_tensor_span(w->value),
                                       sac_tensor_span(panels), &pass->error));
}

void sac_linear_infer(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor panels,
                      const sac_parameter *b, bool adds, float ceiling)
{
    sac_gemm gemm = {
        .m = x.rows, .n = y.width, .k = x.width, .accumulate = adds, .ceiling = ceiling};
    if (b)
        gemm.bias = sac_tensor_span(b->value);
    SAC_PASS_CALL(pass,
                  sac_gemm_by_panels(pass->device, &gemm, sac_tensor_span(x),
                                     sac_tensor_span(panels), sac_tensor_span(y), &pass->error));
}

/* ---------------------------------------------------------------- sums and means over rows */

void sac_sum_rows(sac_pass *pass, sac_tensor db, sac_tensor dx)
{
    assert(sac_tensor_count(db) == dx.width);
    SAC_PASS_CALL(pass, sac_linear_dbias(pass->device, dx.rows, dx.width, sac_tensor_span(dx),
                                         sac_tensor_span(db), &pass->error));
}

void sac_mean_cells_forward(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    size_t cells = x.rows / y.rows;
    assert(x.rows % y.rows == 0 && x.width == y.width);
    SAC_PASS_CALL(pass,
                  sac_sum_pieces(pass->device, x.rows, x.width, cells, 1 / (float)cells, false,
                                 sac_tensor_span(x), sac_tensor_span(y), &pass->error));
}

void sac_mean_cells_backward(sac_pass *pass, sac_tensor dx, sac_tensor dy)
{
    cl_uint batch = (cl_uint)dy.rows, cells = (cl_uint)(dx.rows / dy.rows);
    cl_uint depth = (cl_uint)dx.width;
    float factor = 1 / (float)cells;
    sac_arg args[] = {SAC_ARG(batch),  SAC_ARG(cells),    SAC_ARG(depth),
                      SAC_ARG(factor), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(dx)};
    sac_pass_strips(pass, "layers", "spread_cells", args, 8, dx.rows, dx.width);
}

/* ---------------------------------------------------------------- element by element */

void sac_add_rows(sac_pass *pass, sac_tensor x, sac_tensor b)
{
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(b)};
    assert(sac_tensor_count(b) == x.width);
    sac_pass_strips(pass, "layers", "add_rows", args, 6, x.rows, x.width);
}

void sac_add(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    size_t count = sac_tensor_count(y);
    sac_add_rows(pass, sac_tensor_shaped(y, 1, count), sac_tensor_shaped(x, 1, count));
}

/* Runs a kernel over x in place. */
static void run_forward(sac_pass *pass, const char *kernel, sac_tensor x)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(x)};
    sac_pass_items(pass, "layers", kernel, args, 3, count);
}

static void run_backward(sac_pass *pass, const char *kernel, sac_tensor dy, sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(y);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(dy)};
    assert(sac_tensor_count(dy) == count);
    sac_pass_items(pass, "layers", kernel, args, 5, count);
}

void sac_tanh_forward(sac_pass *pass, sac_tensor x)
{
    run_forward(pass, "tanh_forward", x);
}

void sac_tanh_backward(sac_pass *pass, sac_tensor dy, sac_tensor y)
{
    run_backward(pass, "tanh_backward", dy, y);
}

void sac_relu_forward(sac_pass *pass, sac_tensor x)
{
    run_forward(pass, "relu_forward", x);
}

void sac_relu_backward(sac_pass *pass, sac_tensor dy, sac_tensor y)
{
    run_backward(pass, "relu_backward", dy, y);
}

void sac_relu6_backward(sac_pass *pass, sac_tensor dy, sac_tensor y)
{
    run_backward(pass, "relu6_backward", dy, y);
}

/* ---------------------------------------------------------------- columns */

void sac_scale_columns(sac_pass *pass, sac_tensor x, sac_tensor factors)
{
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(factors)};
    assert(sac_tensor_count(factors) == x.width);
    sac_pass_items(pass, "columns", "scale_columns", args, 6, sac_tensor_count(x));
}

void sac_scale_rows(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor factors)
{
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(factors),
                      SAC_SPAN_ARGS(y)};
    assert(sac_tensor_count(factors) == x.rows && sac_tensor_count(y) == sac_tensor_count(x));
    sac_pass_items(pass, "columns", "scale_rows", args, 8, sac_tensor_count(x));
}

/* ---------------------------------------------------------------- activations */

#define SHARE 4096 /* numbers of a group, as in cl/layers/activations.cl */

/* The kernel of an activation, of the source of those that many models have, or that of the others;
 * NULL: of neither. */
static const struct {
    const char *often, *rare;
} kernels[SAC_ACTIVATIONS] = {
    [SAC_GELU] = {"gelu_forward", NULL},
    [SAC_GELU_TANH] = {"gelu_tanh_forward", NULL},
    [SAC_SILU] = {"silu_forward", NULL},
    [SAC_GELU_10] = {NULL, "gelu_10_forward"},
    [SAC_QUICK_GELU] = {NULL, "quick_gelu_forward"},
    [SAC_RELU_SQUARED] = {NULL, "relu_squared_forward"},
    [SAC_RELU6] = {NULL, "relu6_forward"},
    [SAC_LEAKY_RELU] = {NULL, "leaky_relu_forward"},
    [SAC_MISH] = {NULL, "mish_forward"},
    [SAC_SIGMOID] = {NULL, "sigmoid_forward"},
    [SAC_TANH] = {NULL, "tanh_forward"},
    [SAC_HARDSWISH] = {NULL, "hardswish_forward"},
    [SAC_LAPLACE] = {NULL, "laplace_forward"},
    [SAC_SQRT_SOFTPLUS] = {NULL, "sqrt_softplus_forward"},
};

void sac_activate(sac_pass *pass, sac_tensor x, sac_activation activation)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(x)};
    if (activation == SAC_RELU)
        sac_relu_forward(pass, x);
    else if (kernels[activation].often)
        sac_pass_groups(pass, "activations", "", kernels[activation].often, args, 3,
                        sac_ceil_div(count, SHARE));
    else if (kernels[activation].rare)
        sac_pass_items(pass, "other_activations", kernels[activation].rare, args, 3, count);
}

void sac_activate_backward(sac_pass *pass, sac_tensor dy, sac_tensor x, sac_activation activation)
{
    /* What language models learn by is computed a vector at a time. */
    const char *often = activation == SAC_GELU_TANH ? "gelu_tanh_backward"
                        : activation == SAC_SILU    ? "silu_backward"
                                                    : NULL;
    cl_uint count = (cl_uint)sac_tensor_count(x), kind = (cl_uint)activation;
    sac_arg vectors[] = {SAC_ARG(count), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(dy)};
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(kind), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(dy)};
    assert(sac_tensor_count(dy) == count);
    if (often)
        sac_pass_groups(pass, "activations", "", often, vectors, 5, sac_ceil_div(count, SHARE));
    else
        sac_pass_items(pass, "slopes", "activate_backward", args, 6, count);
}

void sac_multiply(sac_pass *pass, sac_tensor x, sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(x)};
    assert(sac_tensor_count(y) == count);
    sac_pass_items(pass, "other_activations", "multiply", args, 5, count);
}

void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y, sac_activation activation)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(x)};
    assert(sac_tensor_count(y) == count);
    if (activation == SAC_SILU) {
        sac_pass_groups(pass, "activations", "", "gate", args, 5, sac_ceil_div(count, SHARE));
        return;
    }
    sac_activate(pass, x, activation);
    sac_multiply(pass, x, y);
}

void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    cl_uint columns = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == y.rows && x.width == 2 * y.width);
    sac_pass_groups(pass, "activations", "", "gate_columns", args, 5, y.rows);
}

/* ---------------------------------------------------------------- rows of a table */

#define ROWS 2048u /* of a launch of the gradient: some drivers end longer loops */

void sac_gather_rows(sac_pass *pass, sac_tensor y, sac_tensor table, sac_ints rows)
{
    cl_uint count = (cl_uint)y.rows, depth = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(count),   SAC_ARG(depth),       SAC_ARG(rows.buffer),
                      SAC_ARG(rows.at), SAC_SPAN_ARGS(table), SAC_SPAN_ARGS(y)};
    assert(y.width == table.width && y.rows == rows.count);
    sac_pass_strips(pass, "layers", "look_up", args, 8, y.rows, y.width);
}

void sac_embedding_forward(sac_pass *pass, sac_tensor y, const sac_parameter *table, sac_ints words)
{
    if (table->value.stored == SAC_STORED_F32) {
        sac_gather_rows(pass, y, table->value, words);
        return;
    }
    assert(y.width == table->value.width && y.rows == words.count);
    SAC_PASS_CALL(pass, sac_widen(pass->device, table->value.stored, y.rows, y.width, words.buffer,
                                  words.at, sac_tensor_stored(table->value), sac_tensor_span(y),
                                  &pass->error));
}

void sac_gather_rows_backward(sac_pass *pass, sac_tensor dtable, sac_tensor dy, sac_ints words)
{
    cl_uint depth = (cl_uint)dtable.width, vocabulary = (cl_uint)dtable.rows;
    for (size_t first = 0; first < dy.rows; first += ROWS) {
        size_t left = dy.rows - first;
        cl_uint rows = left < ROWS ? (cl_uint)left : ROWS, at = words.at + (cl_uint)first;
        sac_tensor part = sac_tensor_rows(dy, first, rows);
        sac_arg args[] = {SAC_ARG(rows),         SAC_ARG(depth), SAC_ARG(vocabulary),
                          SAC_ARG(words.buffer), SAC_ARG(at),    SAC_SPAN_ARGS(part),
                          SAC_SPAN_ARGS(dtable)};
        sac_pass_strips(pass, "layers", "look_up_backward", args, 9, dtable.rows, dtable.width);
    }
}

void sac_embedding_backward(sac_pass *pass, const sac_parameter *table, sac_tensor dy,
                            sac_ints words)
{
    if (table->gradient.buffer)
        sac_gather_rows_backward(pass, table->gradient, dy, words);
}

/* ---------------------------------------------------------------- norms */

static sac_norm norm_of(const sac_layer_norm *layer, sac_tensor x)
{
    sac_norm norm = {.rows = x.rows,
                     .depth = x.width,
                     .epsilon = layer->epsilon,
                     .x = sac_tensor_span(x),
                     .gain = sac_tensor_span(layer->gain->value)};
    if (layer->bias)
        norm.bias = sac_tensor_span(layer->bias->value);
    assert(x.width == layer->gain->value.width);
    if (layer->position) {
        assert(x.rows % layer->position->value.rows == 0);
        norm.added = sac_tensor_span(layer->position->value);
        norm.period = norm.each = layer->position->value.rows; /* a group for each of the batch */
    }
    return norm;
}

/* [rows,2] means and deviations, [groups,D] for dgain and for dbias. */
size_t sac_layer_norm_scratch(const sac_layer_norm *layer, sac_tensor x)
{
    sac_norm norm = norm_of(layer, x);
    return 2 * (x.rows + sac_norm_groups(&norm) * x.width);
}

void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y, sac_tensor x)
{
    assert(y.rows == x.rows && y.width == x.width);
    sac_norm norm = norm_of(layer, x);
    SAC_PASS_CALL(pass, sac_norm_forward(pass->device, &norm, sac_tensor_span(y), &pass->error));
}

void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x)
{
    sac_norm norm = norm_of(layer, x);
    size_t groups = sac_norm_groups(&norm);
    sac_span scratch = sac_pass_scratch(pass, sac_layer_norm_scratch(layer, x));
    sac_span after = sac_span_from(scratch, 2 * x.rows);
    sac_tensor dgains = {after.buffer, after.at, groups, x.width};
    sac_tensor dbiases = sac_tensor_rows(dgains, groups, groups);
    SAC_PASS_CALL(pass, sac_norm_backward(pass->device, &norm, sac_tensor_span(dy), scratch,
                                          sac_tensor_span(dgains), sac_tensor_span(dbiases),
                                          &pass->error));
    if (layer->gain->gradient.buffer)
        sac_sum_rows(pass, layer->gain->gradient, dgains);
    if (layer->bias && layer->bias->gradient.buffer)
        sac_sum_rows(pass, layer->bias->gradient, dbiases);
    if (layer->position)
        sac_sum_rows(pass, layer->position->gradient,
                     sac_tensor_shaped(dy, groups, norm.period * x.width));
}
