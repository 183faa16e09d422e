/* Layers give what PyTorch's give, values and gradients: torch_values.py wrote those down. */
#include <stdio.h>
#include <stdlib.h>

#include "nn/attention.h"
#include "nn/gru_sequence.h"
#include "nn/layer_norm.h"
#include "nn/transformer.h"
#include "reference.h"
#include "test.h"

#define TOLERANCE 1e-5 /* of the largest of an array */

enum { MOST_SPANS = 64, WORDS = 5, BATCH = 3, HEADS = 2 };

static sac_arrays *torch_values;
static sac_span spans[MOST_SPANS]; /* of one test */
static int span_count;

static int open_values(void **state)
{
    (void)state;
    sac_error error = {0};
    reference_ok(sac_arrays_open(TORCH_VALUES, &torch_values, &error), &error);
    return 0;
}

static int close_values(void **state)
{
    sac_arrays_close(torch_values);
    return reference_close(state);
}

static int release_spans(void **state)
{
    (void)state;
    while (span_count > 0)
        sac_span_release(&spans[--span_count]);
    return 0;
}

/* ---------------------------------------------------------------- arrays of the file */

static const sac_array *find(const char *layer, const char *part)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", layer, part);
    const sac_array *array = sac_arrays_find(torch_values, name);
    if (!array)
        fail_msg("torch_values.npz has no %s", name);
    return array;
}

/* free() it. */
static double *doubles(const sac_array *array)
{
    size_t count = sac_array_count(array);
    double *x = malloc(count * sizeof *x);
    assert_non_null(x);
    assert_int_equal(array->dtype, SAC_F32);
    for (size_t i = 0; i < count; i++)
        x[i] = ((const float *)array->data)[i];
    return x;
}

/* The last size is the width, all others are rows; x NULL: rubbish. */
static sac_tensor tensor_like(const sac_array *array, const double *x)
{
    size_t count = sac_array_count(array), width = array->shape[array->rank - 1];
    assert_true(span_count < MOST_SPANS);
    spans[span_count] = reference_span(x, count);
    return reference_tensor(spans[span_count++], count / width, width);
}

static sac_tensor values_of(const char *layer, const char *part)
{
    double *x = doubles(find(layer, part));
    sac_tensor tensor = tensor_like(find(layer, part), x);
    free(x);
    return tensor;
}

/* Of the part's shape, for what a layer writes. */
static sac_tensor unset(const char *layer, const char *part)
{
    return tensor_like(find(layer, part), NULL);
}

/* With a gradient that begins at zero. */
static sac_parameter parameter_of(const char *layer, const char *part)
{
    sac_parameter parameter = {.value = values_of(layer, part), .gradient = unset(layer, part)};
    sac_pass_fill(reference_pass(), parameter.gradient, 0);
    return parameter;
}

static sac_tensor temporary(size_t rows, size_t width)
{
    const size_t shape[] = {rows, width};
    sac_array array = sac_array_view(SAC_F32, 2, shape, NULL);
    return tensor_like(&array, NULL);
}

static void check(sac_tensor tensor, const char *layer, const char *part)
{
    char name[128];
    double *x = doubles(find(layer, part));
    snprintf(name, sizeof name, "%s.%s", layer, part);
    reference_check(sac_tensor_span(tensor), x, sac_array_count(find(layer, part)), TOLERANCE,
                    name);
    free(x);
}

/* The same of a tensor that has no sentinels around it. */
static void check_values(sac_tensor tensor, const char *layer, const char *part)
{
    sac_tensor copy = unset(layer, part);
    sac_pass_copy(reference_pass(), copy, tensor);
    reference_end();
    check(copy, layer, part);
}

/* ---------------------------------------------------------------- the layers */

TEST_WITH(linear_is_that_of_torch, NULL, release_spans)
{
    sac_pass *pass = reference_pass();
    sac_parameter w = parameter_of("linear", "weight"), b = parameter_of("linear", "bias");
    sac_tensor x = values_of("linear", "x"), y = unset("linear", "y");
    sac_tensor dy = values_of("linear", "dy"), dx = unset("linear", "dx");
    sac_linear_forward(pass, y, x, &w, &b);
    sac_linear_backward_weights(pass, dy, x, &w, &b);
    sac_linear_backward_input(pass, dx, dy, &w);
    reference_end();
    check(y, "linear", "y");
    check(dx, "linear", "dx");
    check(w.gradient, "linear", "dweight");
    check(b.gradient, "linear", "dbias");
}

TEST_WITH(layer_norm_is_that_of_torch, NULL, release_spans)
{
    sac_pass *pass = reference_pass();
    sac_parameter position = parameter_of("layer_norm", "position");
    sac_parameter gain = parameter_of("layer_norm", "weight");
    sac_parameter bias = parameter_of("layer_norm", "bias");
    sac_layer_norm layer = {&position, &gain, &bias};
    sac_tensor x = values_of("layer_norm", "x"), y = unset("layer_norm", "y");
    sac_tensor dx = values_of("layer_norm", "dy"); /* first dy: backward works in place */
    sac_layer_norm_forward(pass, &layer, y, x);
    sac_layer_norm_backward(pass, &layer, dx, x);
    reference_end();
    check(y, "layer_norm", "y");
    check(dx, "layer_norm", "dx");
    check(position.gradient, "layer_norm", "dposition");
    check(gain.gradient, "layer_norm", "dweight");
    check(bias.gradient, "layer_norm", "dbias");
}

/* ---------------------------------------------------------------- the recurrent one */

static const int lengths[BATCH] = {5, 3, 1};
static const sac_sequence_lengths sentences = {WORDS, BATCH, lengths};

/* One direction with its four parameters and what both passes write. */
typedef struct direction {
    sac_parameter w, u, b, c;
    sac_gru_layer layer;
    sac_gru_sequence s;
    sac_gru_sequence_gradients d;
} direction;

static sac_parameter gru_parameter(const char *part, const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "%s_l0%s", part, suffix);
    return parameter_of("gru", name);
}

/* `suffix` of the parameters' names; x [T,B,E] as the direction reads it, first [B,H]. */
static void make_direction(direction *to, const char *suffix, sac_tensor x, sac_tensor first)
{
    size_t rows = WORDS * BATCH, hidden = first.width;
    *to = (direction){.w = gru_parameter("weight_ih", suffix),
                      .u = gru_parameter("weight_hh", suffix),
                      .b = gru_parameter("bias_ih", suffix),
                      .c = gru_parameter("bias_hh", suffix)};
    to->layer = (sac_gru_layer){&to->w, &to->b, &to->u, &to->c};
    to->s = (sac_gru_sequence){x, temporary(rows + BATCH, hidden), temporary(rows, 3 * hidden),
                               temporary(rows, 3 * hidden)};
    to->d =
        (sac_gru_sequence_gradients){temporary(rows + BATCH, hidden), temporary(rows, 3 * hidden),
                                     temporary(rows, 3 * hidden), temporary(rows, x.width)};
    sac_pass_fill(reference_pass(), to->s.h, 0);
    sac_pass_copy(reference_pass(), sac_tensor_rows(to->s.h, 0, BATCH), first);
}

static void check_gru_parameter(const sac_parameter *parameter, const char *part,
                                const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "d%s_l0%s", part, suffix);
    check(parameter->gradient, "gru", name);
}

static void check_direction(const direction *of, const char *suffix)
{
    check_gru_parameter(&of->w, "weight_ih", suffix);
    check_gru_parameter(&of->u, "weight_hh", suffix);
    check_gru_parameter(&of->b, "bias_ih", suffix);
    check_gru_parameter(&of->c, "bias_hh", suffix);
}

/* Rows that read every sentence from its last word to its first; taken twice they are all rows in
 * their order. */
static sac_ints reversed_rows(sac_arena *arena)
{
    sac_ints on_device = {0};
    int rows[WORDS * BATCH];
    for (int t = 0; t < WORDS; t++)
        for (int b = 0; b < BATCH; b++)
            rows[t * BATCH + b] = (t < lengths[b] ? lengths[b] - 1 - t : t) * BATCH + b;
    sac_arena_shape_ints(arena, reference_pass(), &on_device, WORDS * BATCH);
    sac_pass_write_ints(reference_pass(), on_device, rows);
    return on_device;
}

/* dx and dfirst, to which both directions add. */
static void check_gru_inputs(const direction *there, const direction *back, sac_ints reversed)
{
    sac_pass *pass = reference_pass();
    sac_tensor dx = unset("gru", "dx"), dfirst = unset("gru", "dfirst");
    sac_gather_rows(pass, dx, back->d.dx, reversed);
    sac_add(pass, dx, there->d.dx);
    sac_pass_copy(pass, sac_tensor_rows(dfirst, 0, BATCH), sac_tensor_rows(there->d.dh, 0, BATCH));
    sac_pass_copy(pass, sac_tensor_rows(dfirst, BATCH, BATCH),
                  sac_tensor_rows(back->d.dh, 0, BATCH));
    reference_end();
    check(dx, "gru", "dx");
    check(dfirst, "gru", "dfirst");
}

TEST_WITH(bidirectional_gru_of_packed_sentences_is_that_of_torch, NULL, release_spans)
{
    direction there, back;
    sac_arena arena = {0};
    sac_ints of_lengths = {0}, reversed = reversed_rows(&arena);
    sac_pass *pass = reference_pass();
    sac_tensor x = values_of("gru", "x"), first = values_of("gru", "first");
    sac_tensor from_the_end = unset("gru", "x"), y = unset("gru", "y"), last = unset("gru", "last");
    sac_arena_shape_ints(&arena, pass, &of_lengths, BATCH);
    sac_pass_write_ints(pass, of_lengths, lengths);
    sac_gather_rows(pass, from_the_end, x, reversed);
    make_direction(&there, "", x, sac_tensor_rows(first, 0, BATCH));
    make_direction(&back, "_reverse", from_the_end, sac_tensor_rows(first, BATCH, BATCH));

    sac_gru_sequence_forward(pass, &there.layer, &sentences, &there.s);
    sac_gru_sequence_forward(pass, &back.layer, &sentences, &back.s);
    sac_join_directions_forward(pass, y, last, there.s.h, back.s.h, of_lengths);
    sac_join_directions_backward(pass, there.d.dh, back.d.dh, values_of("gru", "dy"),
                                 values_of("gru", "dlast"), of_lengths);
    sac_gru_sequence_backward(pass, &there.layer, &sentences, &there.s, &there.d);
    sac_gru_sequence_backward(pass, &back.layer, &sentences, &back.s, &back.d);
    reference_end();
    check(y, "gru", "y");
    check(last, "gru", "last");
    check_direction(&there, "");
    check_direction(&back, "_reverse");
    check_gru_inputs(&there, &back, reversed);
    sac_arena_release(&arena);
}

/* ---------------------------------------------------------------- attention of several heads */

enum { QUERY, KEY, VALUE, PARTS };
static const char *const inputs[PARTS] = {"query", "key", "value"};
static const char *const dinputs[PARTS] = {"dquery", "dkey", "dvalue"};

/* torch.nn.MultiheadAttention: in_proj holds the three weights [D,D] one below the other. */
typedef struct multihead {
    const char *name;
    sac_parameter in_weight, in_bias, out_weight, out_bias;
    sac_parameter w[PARTS], b[PARTS]; /* lent by in_weight and in_bias */
    sac_attention_layer layer;
    sac_tensor x[PARTS]; /* [B·T,D] before the projections */
    sac_attention_tensors t;
} multihead;

/* Rows of a matrix, or of a vector, which is one row. */
static sac_parameter part_of(const sac_parameter *whole, size_t first, size_t count)
{
    bool is_vector = whole->value.rows == 1;
    size_t width = is_vector ? 1 : whole->value.width;
    sac_tensor value = whole->value, gradient = whole->gradient;
    value.at += (cl_uint)(first * width);
    gradient.at += (cl_uint)(first * width);
    size_t rows = is_vector ? 1 : count, columns = is_vector ? count : width;
    return (sac_parameter){.value = sac_tensor_shaped(value, rows, columns),
                           .gradient = sac_tensor_shaped(gradient, rows, columns)};
}

static void cut_projections(multihead *m)
{
    size_t depth = m->in_weight.value.width;
    for (size_t i = 0; i < PARTS; i++) {
        m->w[i] = part_of(&m->in_weight, i * depth, depth);
        m->b[i] = part_of(&m->in_bias, i * depth, depth);
    }
}

static const char *const projections[] = {"in_proj_weight", "in_proj_bias", "out_proj_weight",
                                          "out_proj_bias"};

static void make_parameters(multihead *m)
{
    sac_parameter *const whole[] = {&m->in_weight, &m->in_bias, &m->out_weight, &m->out_bias};
    for (int i = 0; i < 4; i++)
        *whole[i] = parameter_of(m->name, projections[i]);
    cut_projections(m);
}

static void make_layer(multihead *m, bool causal)
{
    const sac_array *padding = find(m->name, "padding");
    sac_error error = {0};
    m->layer = (sac_attention_layer){.spec = {.heads = HEADS, .causal = causal}, .batch = BATCH};
    reference_ok(sac_buffer_create(reference_device(), sac_array_count(padding), padding->data,
                                   &m->layer.padding, &error),
                 &error);
}

static void run_forward(multihead *m, sac_tensor y)
{
    sac_pass *pass = reference_pass();
    sac_tensor projected[PARTS];
    for (int i = 0; i < PARTS; i++) {
        m->x[i] = values_of(m->name, inputs[i]);
        projected[i] = unset(m->name, inputs[i]);
        sac_linear_forward(pass, projected[i], m->x[i], &m->w[i], &m->b[i]);
    }
    m->t = (sac_attention_tensors){.query = projected[QUERY],
                                   .key = projected[KEY],
                                   .value = projected[VALUE],
                                   .output = temporary(y.rows, y.width),
                                   .stats = temporary(y.rows * HEADS, 2)};
    sac_attention_layer_forward(pass, &m->layer, &m->t);
    sac_linear_forward(pass, y, m->t.output, &m->out_weight, &m->out_bias);
}

/* Leaves the gradients of the inputs in dx. */
static void run_backward(multihead *m, sac_tensor dx[PARTS])
{
    sac_pass *pass = reference_pass();
    sac_tensor dy = values_of(m->name, "dy"), doutput = temporary(dy.rows, dy.width);
    sac_tensor dprojected[PARTS];
    sac_linear_backward_weights(pass, dy, m->t.output, &m->out_weight, &m->out_bias);
    sac_linear_backward_input(pass, doutput, dy, &m->out_weight);
    for (int i = 0; i < PARTS; i++)
        dprojected[i] = unset(m->name, inputs[i]);
    sac_attention_slopes slopes = {.doutput = doutput,
                                   .dquery = dprojected[QUERY],
                                   .dkey = dprojected[KEY],
                                   .dvalue = dprojected[VALUE]};
    sac_attention_layer_backward(pass, &m->layer, &m->t, &slopes);
    for (int i = 0; i < PARTS; i++) {
        dx[i] = unset(m->name, inputs[i]);
        sac_linear_backward_weights(pass, dprojected[i], m->x[i], &m->w[i], &m->b[i]);
        sac_linear_backward_input(pass, dx[i], dprojected[i], &m->w[i]);
    }
}

static void check_multihead(const char *name, bool causal)
{
    multihead m = {.name = name};
    sac_tensor y = unset(name, "y"), dx[PARTS];
    make_parameters(&m);
    make_layer(&m, causal);
    run_forward(&m, y);
    run_backward(&m, dx);
    reference_end();
    check(y, name, "y");
    for (int i = 0; i < PARTS; i++)
        check(dx[i], name, dinputs[i]);
    const sac_parameter *const whole[] = {&m.in_weight, &m.in_bias, &m.out_weight, &m.out_bias};
    for (int i = 0; i < 4; i++) {
        char part[32];
        snprintf(part, sizeof part, "d%s", projections[i]);
        check(whole[i]->gradient, name, part);
    }
    sac_buffer_release(m.layer.padding);
}

TEST_WITH(causal_multihead_attention_with_padding_is_that_of_torch, NULL, release_spans)
{
    check_multihead("self", true);
}

TEST_WITH(multihead_attention_over_other_keys_is_that_of_torch, NULL, release_spans)
{
    check_multihead("cross", false);
}

/* ---------------------------------------------------------------- layers of a transformer */

/* A layer with its parameters, which are torch's: in_proj in three. */
typedef struct transformer {
    const char *name;
    multihead attention[2];
    sac_parameter dense[4], norms[2 * SAC_PARTS];
    sac_transformer_layer layer;
    sac_transformer_run run;
    sac_transformer_tensors t;
    sac_transformer_slopes slopes;
    sac_arena arena;
} transformer;

static const char *const dense_names[] = {"linear1_weight", "linear1_bias", "linear2_weight",
                                          "linear2_bias"};
static const char *const norm_names[] = {"norm1_weight", "norm1_bias",   "norm2_weight",
                                         "norm2_bias",   "norm3_weight", "norm3_bias"};

static void make_attention(transformer *f, int part, const char *beginning)
{
    multihead *m = &f->attention[part];
    char name[64];
    m->name = f->name;
    sac_parameter *const whole[] = {&m->in_weight, &m->in_bias, &m->out_weight, &m->out_bias};
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s_%s", beginning, projections[i]);
        *whole[i] = parameter_of(f->name, name);
    }
    cut_projections(m);
    f->layer.attention[part] = (sac_multihead){{&m->w[QUERY], &m->b[QUERY]},
                                               {&m->w[KEY], &m->b[KEY]},
                                               {&m->w[VALUE], &m->b[VALUE]},
                                               {&m->out_weight, &m->out_bias}};
}

static void make_transformer(transformer *f, bool decodes)
{
    int norms = decodes ? 3 : 2;
    make_attention(f, SAC_PART_SELF, "self_attn");
    if (decodes)
        make_attention(f, SAC_PART_CROSS, "multihead_attn");
    for (int i = 0; i < 4; i++)
        f->dense[i] = parameter_of(f->name, dense_names[i]);
    f->layer.in = (sac_dense){&f->dense[0], &f->dense[1]};
    f->layer.out = (sac_dense){&f->dense[2], &f->dense[3]};
    for (int i = 0; i < norms; i++) {
        int part = i == norms - 1 ? SAC_PART_FORWARD : i;
        f->norms[2 * i] = parameter_of(f->name, norm_names[2 * i]);
        f->norms[2 * i + 1] = parameter_of(f->name, norm_names[2 * i + 1]);
        f->layer.norm[part] =
            (sac_layer_norm){.gain = &f->norms[2 * i], .bias = &f->norms[2 * i + 1]};
    }
}

/* Of [B,words]: the last of the second and the last two of the third sentence. */
static cl_mem padding_of(size_t words)
{
    uint8_t *padding = malloc(BATCH * words);
    cl_mem buffer;
    sac_error error = {0};
    assert_non_null(padding);
    for (size_t b = 0; b < BATCH; b++)
        for (size_t t = 0; t < words; t++)
            padding[b * words + t] = t >= words - b;
    reference_ok(sac_buffer_create(reference_device(), BATCH * words, padding, &buffer, &error),
                 &error);
    free(padding);
    return buffer;
}

static void check_attention(const transformer *f, int part, const char *beginning)
{
    const multihead *m = &f->attention[part];
    const sac_parameter *const whole[] = {&m->in_weight, &m->in_bias, &m->out_weight, &m->out_bias};
    char name[64];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "d%s_%s", beginning, projections[i]);
        check(whole[i]->gradient, f->name, name);
    }
}

static void check_parameters(const transformer *f, bool decodes)
{
    char name[64];
    check_attention(f, SAC_PART_SELF, "self_attn");
    if (decodes)
        check_attention(f, SAC_PART_CROSS, "multihead_attn");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "d%s", dense_names[i]);
        check(f->dense[i].gradient, f->name, name);
    }
    for (int i = 0; i < (decodes ? 6 : 4); i++) {
        snprintf(name, sizeof name, "d%s", norm_names[i]);
        check(f->norms[i].gradient, f->name, name);
    }
}

static void check_transformer(const char *name, bool decodes, bool norm_first)
{
    transformer f = {.name = name};
    sac_pass *pass = reference_pass();
    sac_tensor x = values_of(name, "x"), dx = values_of(name, "dy"), memory = {0}, dmemory = {0};
    size_t words = x.rows / BATCH, others = decodes ? WORDS : 0;
    f.run = (sac_transformer_run){.batch = BATCH,
                                  .heads = HEADS,
                                  .norm_first = norm_first,
                                  .causal = true,
                                  .padding = padding_of(words),
                                  .memory_padding = decodes ? padding_of(others) : NULL};
    make_transformer(&f, decodes);
    if (decodes) {
        memory = values_of(name, "memory");
        dmemory = unset(name, "memory");
        sac_pass_fill(pass, dmemory, 0);
    }
    sac_transformer_layer_shape(pass, &f.arena, &f.layer, &f.run, words, others, &f.t);
    sac_transformer_layer_shape_slopes(pass, &f.arena, &f.layer, &f.run, words, others, &f.slopes);
    sac_tensor y = sac_transformer_layer_forward(pass, &f.layer, &f.run, x, memory, &f.t);
    sac_transformer_layer_backward(pass, &f.layer, &f.run, dx, dmemory, x, memory, &f.t, &f.slopes);
    reference_end();
    check_values(y, name, "y");
    check(dx, name, "dx");
    if (decodes)
        check(dmemory, name, "dmemory");
    check_parameters(&f, decodes);
    sac_arena_release(&f.arena);
    sac_buffer_release(f.run.padding);
    sac_buffer_release(f.run.memory_padding);
}

TEST_WITH(transformer_encoder_layer_is_that_of_torch, NULL, release_spans)
{
    check_transformer("encoder", false, false);
}

TEST_WITH(transformer_encoder_layer_with_norms_first_is_that_of_torch, NULL, release_spans)
{
    check_transformer("encoder_norm_first", false, true);
}

TEST_WITH(transformer_decoder_layer_is_that_of_torch, NULL, release_spans)
{
    check_transformer("decoder", true, false);
}

TEST_WITH(transformer_decoder_layer_with_norms_first_is_that_of_torch, NULL, release_spans)
{
    check_transformer("decoder_norm_first", true, true);
}

TEST_MAIN(open_values, close_values)
