/* Each layer against itself in double, and each gradient against central differences of that, for
 * every input and parameter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/columns.h"
#include "nn/layer_norm.h"
#include "nn/layers.h"
#include "nn/rotary.h"
#include "reference.h"
#include "test.h"

/* Of the largest number: rounding of sums of floats; differences in double are far better. */
#define TOLERANCE 2e-5

enum { MOST = 5 };

/* A layer with its arrays in double and on the device: inputs and parameters first, then y. */
typedef struct trial {
    const void *layer;
    void (*forward)(const struct trial *t); /* in double: y from the others */
    int inputs;                             /* how many arrays come before y */
    size_t count[MOST];
    double *x[MOST], *gradient[MOST]; /* the last: y, and the loss's gradient by it */
    sac_span value[MOST], d[MOST];
    const int *words;
    size_t only; /* 1 + the channel of y that a convolution computes anew; 0: all */
} trial;

static double *numbers(size_t count, unsigned seed)
{
    double *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    reference_fill(x, count, seed);
    return x;
}

/* Gradients on the device begin as ¼, so that those that are added to are told from those written.
 */
static void begin(trial *t)
{
    for (int i = 0; i <= t->inputs; i++) {
        t->x[i] = numbers(t->count[i], 10 + (unsigned)i);
        t->gradient[i] = numbers(t->count[i], 20 + (unsigned)i);
        t->value[i] = reference_span(i < t->inputs ? t->x[i] : NULL, t->count[i]);
        double *start = numbers(t->count[i], 0);
        for (size_t j = 0; j < t->count[i]; j++)
            start[j] = i < t->inputs ? 0.25 : t->gradient[i][j];
        t->d[i] = reference_span(start, t->count[i]);
        free(start);
    }
    t->forward(t);
}

static void end(trial *t)
{
    for (int i = 0; i <= t->inputs; i++) {
        free(t->x[i]);
        free(t->gradient[i]);
        sac_span_release(&t->value[i]);
        sac_span_release(&t->d[i]);
    }
}

static double loss(void *context)
{
    const trial *t = context;
    t->forward(t);
    return reference_dot(t->x[t->inputs], t->gradient[t->inputs], t->count[t->inputs]);
}

static void check_forward(const trial *t, const char *name)
{
    reference_check(t->value[t->inputs], t->x[t->inputs], t->count[t->inputs], TOLERANCE, name);
}

/* Holds what backward wrote, or where `adds` added to ¼, to the gradient of input `i`. */
static void hold_to_gradient(const trial *t, int i, bool adds, const char *name)
{
    for (size_t j = 0; j < t->count[i]; j++)
        t->gradient[i][j] += adds ? 0.25 : 0;
    reference_check(t->d[i], t->gradient[i], t->count[i], TOLERANCE, name);
}

static void check_gradient(trial *t, int i, bool adds, const char *name)
{
    reference_differences(loss, t, t->x[i], t->count[i], t->gradient[i]);
    hold_to_gradient(t, i, adds, name);
}

/* ---------------------------------------------------------------- activations */

/* What is near 0 is not the difference of larger numbers. */
static double activated(sac_activation activation, double x)
{
    double inside = sqrt(8 / acos(-1)) * (x + 0.044715 * x * x * x);
    switch (activation) {
    case SAC_RELU:
        return x > 0 ? x : 0;
    case SAC_GELU:
        return x * erfc(-x / sqrt(2)) / 2;
    case SAC_GELU_TANH:
        return x / (1 + exp(-inside));
    case SAC_GELU_10:
        return fmax(-10, fmin(10, x * erfc(-x / sqrt(2)) / 2));
    case SAC_QUICK_GELU:
        return x / (1 + exp(-1.702 * x));
    case SAC_RELU_SQUARED:
        return x > 0 ? x * x : 0;
    case SAC_RELU6:
        return fmax(0, fmin(6, x));
    case SAC_LEAKY_RELU:
        return x < 0 ? 0.01 * x : x;
    case SAC_MISH:
        return x * tanh(log1p(exp(x)));
    case SAC_SIGMOID:
        return 1 / (1 + exp(-x));
    case SAC_TANH:
        return tanh(x);
    case SAC_HARDSWISH:
        return x * fmax(0, fmin(6, x + 3)) / 6;
    case SAC_LAPLACE:
        return erfc((0.707107 - x) / (0.282095 * sqrt(2))) / 2;
    case SAC_SQRT_SOFTPLUS:
        return sqrt(log1p(exp(x)));
    case SAC_LINEAR:
        return x;
    default:
        return x / (1 + exp(-x));
    }
}

/* Over all magnitudes: ± 2^−149 … 2^127, in eighths of an octave, and what is no number. */
enum { NUMBERS = 2 * 8 * 277 + 3 };

static float number_of(int i)
{
    static const float others[] = {0, INFINITY, -INFINITY};
    if (i < 3)
        return others[i];
    float size = (float)exp2((i - 3) / 2 / 8.0 - 149);
    return i % 2 ? size : -size;
}

/* Each to so many units of 2^−24 of its value, in the tails too; where that is below 2^−126 it may
 * be 0. */
static void check_activation(sac_activation kind, double units)
{
    float x[NUMBERS], y[NUMBERS];
    sac_tensor tensor = {0};
    sac_arena arena = {0};
    for (int i = 0; i < NUMBERS; i++)
        x[i] = number_of(i);
    sac_arena_shape(&arena, reference_pass(), &tensor, 1, NUMBERS);
    sac_pass_write(reference_pass(), tensor, x);
    sac_activate(reference_pass(), tensor, kind);
    sac_pass_read(reference_pass(), tensor, y);
    reference_end();
    assert_true(y[1] == INFINITY && fabs(y[2]) < 0x1p-126);
    for (int i = 3; i < NUMBERS; i++) {
        double right = activated(kind, x[i]), off = fabs(y[i] - right);
        if (!(off <= units * 0x1p-24 * fabs(right) + (fabs(right) < 0x1p-126 ? 0x1p-126 : 0)))
            fail_msg("activation %d of %a is %a, not %a", kind, x[i], y[i], right);
    }
    sac_arena_release(&arena);
}

TEST(activations_are_right_near_zero_and_far_from_it)
{
    static const double units[SAC_ACTIVATIONS] = {
        [SAC_RELU] = 0, [SAC_GELU] = 12, [SAC_GELU_TANH] = 300, [SAC_SILU] = 8};
    for (sac_activation kind = SAC_RELU; kind <= SAC_SILU; kind++)
        check_activation(kind, units[kind]);
}

/* Those that few models have, where networks have their numbers, to 1e-6 of what they could be. */
TEST(other_activations_are_right_where_numbers_are)
{
    enum { AROUND = 401 };
    for (sac_activation kind = SAC_GELU_10; kind < SAC_ACTIVATIONS; kind++) {
        double x[AROUND];
        for (int i = 0; i < AROUND; i++)
            x[i] = (double)(float)((i - AROUND / 2) * 0.07);
        sac_span span = reference_span(x, AROUND);
        sac_activate(reference_pass(), reference_tensor(span, 1, AROUND), kind);
        reference_end();
        for (int i = 0; i < AROUND; i++)
            x[i] = activated(kind, x[i]);
        reference_check(span, x, AROUND, 2e-6, "activation");
        sac_span_release(&span);
    }
}

TEST(what_is_no_number_stays_so)
{
    for (sac_activation kind = SAC_GELU; kind < SAC_ACTIVATIONS; kind++) {
        double x[] = {NAN};
        float y = 0;
        sac_span span = reference_span(x, 1);
        sac_tensor tensor = reference_tensor(span, 1, 1);
        sac_activate(reference_pass(), tensor, kind);
        sac_pass_read(reference_pass(), tensor, &y);
        reference_end();
        assert_true(isnan(y));
        sac_span_release(&span);
    }
}

/* ---------------------------------------------------------------- columns */

enum { ROWS = 5, COLUMNS = 19 };

TEST(columns_are_scaled_each_by_its_factor)
{
    double x[ROWS * COLUMNS], factors[COLUMNS];
    reference_fill(x, ROWS * COLUMNS, 1);
    reference_fill(factors, COLUMNS, 2);
    sac_span span = reference_span(x, ROWS * COLUMNS), by = reference_span(factors, COLUMNS);
    sac_parameter parameter = reference_parameter(by, by, 1, COLUMNS);
    sac_scale_columns(reference_pass(), reference_tensor(span, ROWS, COLUMNS), &parameter);
    reference_end();
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] *= factors[i % COLUMNS];
    reference_check(span, x, ROWS * COLUMNS, 1e-7, "scaled columns");
    sac_span_release(&span);
    sac_span_release(&by);
}

TEST(a_gate_lets_through_what_stands_beside_it)
{
    double x[ROWS * 2 * COLUMNS], y[ROWS * COLUMNS];
    reference_fill(x, ROWS * 2 * COLUMNS, 3);
    sac_span from = reference_span(x, ROWS * 2 * COLUMNS),
             to = reference_span(NULL, ROWS * COLUMNS);
    sac_gate_columns(reference_pass(), reference_tensor(to, ROWS, COLUMNS),
                     reference_tensor(from, ROWS, 2 * COLUMNS));
    reference_end();
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const double *row = x + i / COLUMNS * 2 * COLUMNS + i % COLUMNS;
        y[i] = activated(SAC_SILU, row[0]) * row[COLUMNS];
    }
    reference_check(to, y, ROWS * COLUMNS, 4e-7, "gated columns");
    sac_span_release(&from);
    sac_span_release(&to);
}

static void check_gate(sac_activation kind)
{
    double x[COLUMNS], y[COLUMNS];
    reference_fill(x, COLUMNS, 4);
    reference_fill(y, COLUMNS, 5);
    sac_span gates = reference_span(x, COLUMNS), let = reference_span(y, COLUMNS);
    sac_gate(reference_pass(), reference_tensor(gates, 1, COLUMNS),
             reference_tensor(let, 1, COLUMNS), kind);
    reference_end();
    for (int i = 0; i < COLUMNS; i++)
        x[i] = activated(kind, x[i]) * y[i];
    reference_check(gates, x, COLUMNS, 4e-7, "gates");
    sac_span_release(&gates);
    sac_span_release(&let);
}

TEST(a_gate_lets_through_another_tensor)
{
    check_gate(SAC_SILU);
    check_gate(SAC_GELU);
    check_gate(SAC_QUICK_GELU);
    check_gate(SAC_LINEAR);
}

/* Rows that are, and are not, whole vectors. */
TEST(rms_norm_makes_the_mean_square_of_rows_one)
{
    for (int depth = COLUMNS; depth <= 2 * COLUMNS + 10; depth += COLUMNS + 10) {
        double x[ROWS * (2 * COLUMNS + 10)], gain[2 * COLUMNS + 10];
        reference_fill(x, (size_t)(ROWS * depth), 6);
        reference_fill(gain, (size_t)depth, 7);
        sac_span span = reference_span(x, (size_t)(ROWS * depth)),
                 by = reference_span(gain, (size_t)depth);
        sac_parameter parameter = reference_parameter(by, by, 1, (size_t)depth);
        const sac_layer_norm norm = {.gain = &parameter, .epsilon = 0.01f};
        sac_tensor rows = reference_tensor(span, ROWS, (size_t)depth);
        sac_layer_norm_forward(reference_pass(), &norm, rows, rows);
        reference_end();
        for (int r = 0; r < ROWS; r++) {
            double *row = x + r * depth,
                   mean = reference_dot(row, row, (size_t)depth) / (double)depth;
            for (int d = 0; d < depth; d++)
                row[d] *= gain[d] / sqrt(mean + 0.01);
        }
        reference_check(span, x, (size_t)(ROWS * depth), 1e-6, "normed rows");
        sac_span_release(&span);
        sac_span_release(&by);
    }
}

/* Three heads of 6 numbers, at the places 7 to 11. */
TEST(heads_are_turned_by_their_place)
{
    enum { HALF = 3, HEADS = 3, WIDTH = 2 * HALF * HEADS, FIRST = 7 };
    double x[ROWS * WIDTH], y[ROWS * WIDTH];
    const sac_rotary rotary = sac_rotary_of(2 * HALF, 100);
    reference_fill(x, ROWS * WIDTH, 8);
    sac_span span = reference_span(x, ROWS * WIDTH), table = reference_span(NULL, ROWS * 2 * HALF);
    sac_rotary_place(reference_pass(), &rotary, reference_tensor(table, ROWS, 2 * HALF), FIRST);
    sac_rotate(reference_pass(), reference_tensor(span, ROWS, WIDTH),
               reference_tensor(table, ROWS, 2 * HALF));
    reference_end();
    for (int i = 0; i < ROWS * WIDTH; i++) {
        int k = i % (2 * HALF);
        double angle = (FIRST + i / WIDTH) * pow(100, -2.0 * (k % HALF) / (2 * HALF));
        double other = k < HALF ? -x[i + HALF] : x[i - HALF];
        y[i] = x[i] * cos(angle) + other * sin(angle);
    }
    reference_check(span, y, ROWS * WIDTH, 1e-5, "turned heads");
    sac_span_release(&span);
    sac_span_release(&table);
}

/* ---------------------------------------------------------------- linear */

typedef struct sizes {
    size_t rows, in, out;
} sizes;

static void linear(const trial *t)
{
    const sizes *l = t->layer;
    for (size_t r = 0; r < l->rows; r++)
        for (size_t o = 0; o < l->out; o++) {
            double sum = t->x[2][o];
            for (size_t i = 0; i < l->in; i++)
                sum += t->x[0][r * l->in + i] * t->x[1][o * l->in + i];
            t->x[3][r * l->out + o] = sum;
        }
}

static void check_linear(sizes l, bool adds)
{
    trial t = {&l, linear, 3, {l.rows * l.in, l.out * l.in, l.out, l.rows * l.out}};
    begin(&t);
    sac_pass *pass = reference_pass();
    sac_parameter w = reference_parameter(t.value[1], t.d[1], l.out, l.in);
    sac_parameter b = reference_parameter(t.value[2], t.d[2], 1, l.out);
    sac_tensor x = reference_tensor(t.value[0], l.rows, l.in);
    sac_tensor dx = reference_tensor(t.d[0], l.rows, l.in);
    sac_tensor dy = reference_tensor(t.d[3], l.rows, l.out);
    sac_linear_forward(pass, reference_tensor(t.value[3], l.rows, l.out), x, &w, &b);
    reference_end();
    check_forward(&t, "linear y");
    sac_linear_backward_weights(pass, dy, x, &w, &b);
    if (adds)
        sac_linear_backward_add(pass, dx, dy, &w);
    else
        sac_linear_backward_input(pass, dx, dy, &w);
    reference_end();
    check_gradient(&t, 0, adds, "linear dx");
    check_gradient(&t, 1, true, "linear dw");
    check_gradient(&t, 2, true, "linear db");
    end(&t);
}

TEST(a_linear_layer_and_its_gradients_are_right)
{
    check_linear((sizes){.rows = 3, .in = 5, .out = 2}, true);
    check_linear((sizes){.rows = 6, .in = 16, .out = 20}, false);
    if (!reference_is_oclgrind())
        check_linear((sizes){.rows = 41, .in = 19, .out = 33}, true);
}

TEST(a_linear_layer_adds_to_what_there_is_where_it_should)
{
    double x[] = {1, 2, 3, 4}, w[] = {1, 0, 0, 2}, y[] = {10, 20, 30, 40}, sum[] = {11, 24, 33, 48};
    sac_span spans[] = {reference_span(x, 4), reference_span(w, 4), reference_span(y, 4)};
    sac_parameter weight = reference_parameter(spans[1], (sac_span){0}, 2, 2);
    sac_linear_add(reference_pass(), reference_tensor(spans[2], 2, 2),
                   reference_tensor(spans[0], 2, 2), &weight);
    reference_end();
    reference_check(spans[2], sum, 4, 0, "y");
    for (int i = 0; i < 3; i++)
        sac_span_release(&spans[i]);
}

TEST(after_a_failure_nothing_is_done_and_the_end_tells_the_first)
{
    double y[] = {10, 20};
    sac_error error = {0};
    sac_pass *pass = reference_pass();
    sac_span span = reference_span(y, 2);
    sac_tensor x = reference_tensor(span, 1, 2);
    sac_convolution no_stride = {1, 6, 6, 1, 1, 3}, too_large = {1 << 20, 6, 1 << 20, 1, 1, 1};
    sac_parameter none = {0};
    sac_tanh_forward(pass, x);
    sac_convolution_forward(pass, &no_stride, x, false, x, &none, &none);
    sac_convolution_forward(pass, &too_large, x, false, x, &none, &none);
    sac_pass_fill(pass, x, 7);
    assert_false(sac_pass_runs(pass));
    assert_int_equal(sac_pass_end(pass, &error), SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "stride is 3"));
    y[0] = y[1] = 1; /* their tanh, and no 7 */
    reference_check(span, y, 2, 1e-6, "what came before the failure");
    sac_pass_fill(pass, x, 7);
    y[0] = y[1] = 7;
    assert_int_equal(sac_pass_end(pass, NULL), SAC_OK);
    reference_check(span, y, 2, 0, "the next pass");
    sac_span_release(&span);
}

/* y = x Wᵀ + b and dx = dy W into `numbers` [rows,out] and [rows,in], side by side. */
static void both_products(const sac_parameter *w, const sac_parameter *b, sac_tensor x,
                          sac_tensor dy, float *numbers)
{
    sac_pass *pass = reference_pass();
    sac_span spans[2] = {reference_span(NULL, dy.rows * dy.width),
                         reference_span(NULL, x.rows * x.width)};
    sac_tensor y = reference_tensor(spans[0], dy.rows, dy.width);
    sac_tensor dx = reference_tensor(spans[1], x.rows, x.width);
    sac_linear_forward(pass, y, x, w, b);
    sac_linear_backward_input(pass, dx, dy, w);
    sac_pass_read(pass, y, numbers);
    sac_pass_read(pass, dx, numbers + sac_tensor_count(y));
    reference_end();
    for (int i = 0; i < 2; i++)
        sac_span_release(&spans[i]);
}

/* A product of few rows and a long sum is cut in pieces; kept or not, they are the same. */
TEST(kept_weights_change_no_byte_and_are_forgotten)
{
    enum { LINES = 5, IN = 600, OUT = 19, RESULTS = LINES * (IN + OUT) };
    double *weights = numbers(OUT * IN, 3), *inputs = numbers(LINES * (IN + OUT), 4);
    sac_span value = reference_span(weights, OUT * IN), slope = reference_span(weights, OUT * IN);
    sac_span bias = reference_span(inputs, OUT), given = reference_span(inputs, RESULTS);
    sac_parameter w = reference_parameter(value, slope, OUT, IN);
    sac_parameter b = reference_parameter(bias, bias, 1, OUT);
    sac_tensor x = reference_tensor(given, LINES, IN);
    sac_tensor dy = reference_tensor(sac_span_from(given, LINES * IN), LINES, OUT);
    float plain[RESULTS], kept[RESULTS], changed[RESULTS];
    both_products(&w, &b, x, dy, plain);
    sac_pass_keep_weights(reference_pass(), true);
    for (int time = 0; time < 2; time++) {
        both_products(&w, &b, x, dy, kept);
        assert_memory_equal(plain, kept, sizeof plain);
    }
    sac_pass_fill(reference_pass(), w.value, 0.5f);
    sac_pass_keep_weights(reference_pass(), true);
    both_products(&w, &b, x, dy, kept);
    sac_pass_keep_weights(reference_pass(), false);
    both_products(&w, &b, x, dy, changed);
    assert_memory_equal(changed, kept, sizeof changed);
    assert_memory_not_equal(changed, plain, sizeof changed);
    sac_span spans[] = {value, slope, bias, given};
    for (size_t i = 0; i < 4; i++)
        sac_span_release(&spans[i]);
    free(weights);
    free(inputs);
}

/* ---------------------------------------------------------------- convolution */

static void convolution(const trial *t)
{
    const sac_convolution *l = t->layer;
    size_t height = sac_convolution_out(l->height, l->stride);
    size_t width = sac_convolution_out(l->width, l->stride);
    for (size_t at = 0; at < l->batch * height * width * l->out; at++) {
        size_t o = at % l->out, pixel = at / l->out, b = pixel / width / height;
        double sum = t->x[2][o];
        if (t->only && o != t->only - 1)
            continue;
        for (size_t tap = 0; tap < 9; tap++) {
            size_t y = pixel / width % height * l->stride + tap / 3; /* 1 more than there is */
            size_t x = pixel % width * l->stride + tap % 3;
            if (y < 1 || y > l->height || x < 1 || x > l->width)
                continue;
            const double *from = t->x[0] + ((b * l->height + y - 1) * l->width + x - 1) * l->in;
            sum += reference_dot(from, t->x[1] + (o * 9 + tap) * l->in, l->in);
        }
        t->x[3][at] = sum > 0 ? sum : 0;
    }
}

/* The weights of a channel change that channel alone. */
static void check_channels(trial *t, size_t channels)
{
    size_t each = t->count[1] / channels;
    for (size_t o = 0; o < channels; o++) {
        t->only = o + 1;
        reference_differences(loss, t, t->x[1] + o * each, each, t->gradient[1] + o * each);
    }
    t->only = 0;
    hold_to_gradient(t, 1, true, "convolution dw");
}

/* A convolution on the device: x and the slopes of y have borders. */
typedef struct device_convolution {
    sac_parameter w, b;
    sac_span spans[2];
    sac_tensor x, y, dy, slopes;
} device_convolution;

static device_convolution convolution_on_device(const trial *t)
{
    const sac_convolution *l = t->layer;
    size_t pixels = sac_convolution_pixels(l), slopes = sac_convolution_slopes(l);
    float *x = calloc(t->count[0], sizeof *x);
    device_convolution c = {
        .w = reference_parameter(t->value[1], t->d[1], l->out, 9 * l->in),
        .b = reference_parameter(t->value[2], t->d[2], 1, l->out),
        .spans = {reference_span(NULL, pixels * l->in), reference_span(NULL, slopes * l->out)},
        .y = reference_tensor(t->value[3], t->count[3] / l->out, l->out),
        .dy = reference_tensor(t->d[3], t->count[3] / l->out, l->out),
    };
    assert_non_null(x);
    for (size_t i = 0; i < t->count[0]; i++)
        x[i] = (float)t->x[0][i];
    c.x = reference_tensor(c.spans[0], pixels, l->in);
    c.slopes = reference_tensor(c.spans[1], slopes, l->out);
    sac_pass_fill(reference_pass(), c.x, 0);
    sac_convolution_write(reference_pass(), l, c.x, x);
    reference_end();
    free(x);
    return c;
}

static void release_convolution(device_convolution *c)
{
    for (int i = 0; i < 2; i++)
        sac_span_release(&c->spans[i]);
}

static trial trial_of_convolution(const sac_convolution *l)
{
    size_t pixels =
        sac_convolution_out(l->height, l->stride) * sac_convolution_out(l->width, l->stride);
    return (trial){l,
                   convolution,
                   3,
                   {l->batch * l->height * l->width * l->in, l->out * 9 * l->in, l->out,
                    l->batch * pixels * l->out}};
}

/* What goes to the layer below is dx where x is above 0, inside of a border that stays. */
static void check_slopes_below(const trial *t, const device_convolution *c, size_t stride)
{
    const sac_convolution *l = t->layer;
    sac_convolution below = {l->batch, l->height * stride, l->width * stride, 1, l->in, stride};
    size_t before = stride == 1, width = l->width + before + 1,
           rows = sac_convolution_slopes(&below);
    double *expected = numbers(rows * l->in, 0);
    for (size_t i = 0; i < rows * l->in; i++)
        expected[i] = 7;
    sac_span span = reference_span(expected, rows * l->in);
    for (size_t i = 0; i < t->count[0]; i++) {
        size_t pixel = i / l->in, line = pixel / l->width, picture = line / l->height;
        size_t row = picture * (l->height + before + 1) + line % l->height + before;
        expected[(row * width + pixel % l->width + before) * l->in + i % l->in] =
            t->x[0][i] > 0 ? t->gradient[0][i] : 0;
    }
    sac_convolution_backward(reference_pass(), l, &below, reference_tensor(span, rows, l->in),
                             c->slopes, c->x, &c->w, &c->b);
    reference_end();
    reference_check(span, expected, rows * l->in, TOLERANCE, "slopes below");
    sac_span_release(&span);
    free(expected);
}

static void check_convolution(sac_convolution l, bool with_input)
{
    trial t = trial_of_convolution(&l);
    begin(&t);
    device_convolution c = convolution_on_device(&t);
    sac_tensor dx = reference_tensor(t.d[0], t.count[0] / l.in, l.in), none = {0};
    sac_convolution_forward(reference_pass(), &l, c.y, false, c.x, &c.w, &c.b);
    reference_end();
    check_forward(&t, "convolution y");
    sac_convolution_begin_backward(reference_pass(), &l, c.slopes, c.dy, c.y);
    sac_convolution_backward(reference_pass(), &l, NULL, with_input ? dx : none, c.slopes, c.x,
                             &c.w, &c.b);
    reference_end();
    if (with_input)
        check_gradient(&t, 0, false, "convolution dx");
    check_channels(&t, l.out);
    check_gradient(&t, 2, true, "convolution db");
    for (size_t stride = 1; with_input && stride <= 2; stride++)
        check_slopes_below(&t, &c, stride);
    release_convolution(&c);
    end(&t);
}

TEST(a_convolution_and_its_gradients_are_right)
{
    static const sac_convolution layers[] = {
        {1, 1, 1, 1, 1, 1}, {1, 1, 2, 2, 3, 2}, {2, 3, 5, 3, 4, 1},  {2, 5, 4, 3, 17, 2},
        {2, 4, 6, 2, 5, 2}, {1, 6, 7, 5, 9, 1}, {2, 7, 7, 16, 9, 2}, {1, 5, 6, 17, 32, 1},
    };
    size_t count = reference_is_oclgrind() ? 5 : sizeof layers / sizeof *layers;
    for (size_t i = 0; i < count; i++)
        check_convolution(layers[i], i != 2);
}

/* dw and db in double by their formula, onto ¼: among so many pixels some lie so near ReLU's bend
 * that differences would step over it. */
static void gradients_of_parameters(const trial *t)
{
    const sac_convolution *l = t->layer;
    size_t height = sac_convolution_out(l->height, l->stride);
    size_t width = sac_convolution_out(l->width, l->stride);
    for (int i = 1; i < 3; i++)
        for (size_t j = 0; j < t->count[i]; j++)
            t->gradient[i][j] = 0.25;
    for (size_t at = 0; at < t->count[3]; at++) {
        size_t o = at % l->out, pixel = at / l->out, b = pixel / width / height;
        double dy = t->x[3][at] > 0 ? t->gradient[3][at] : 0;
        t->gradient[2][o] += dy;
        for (size_t tap = 0; tap < 9; tap++) {
            size_t y = pixel / width % height * l->stride + tap / 3;
            size_t x = pixel % width * l->stride + tap % 3;
            if (y < 1 || y > l->height || x < 1 || x > l->width)
                continue;
            const double *from = t->x[0] + ((b * l->height + y - 1) * l->width + x - 1) * l->in;
            for (size_t i = 0; i < l->in; i++)
                t->gradient[1][(o * 9 + tap) * l->in + i] += dy * from[i];
        }
    }
}

static void check_large_convolution(sac_convolution l)
{
    trial t = trial_of_convolution(&l);
    begin(&t);
    device_convolution c = convolution_on_device(&t);
    sac_convolution_forward(reference_pass(), &l, c.y, false, c.x, &c.w, &c.b);
    reference_end();
    check_forward(&t, "convolution y");
    sac_convolution_begin_backward(reference_pass(), &l, c.slopes, c.dy, c.y);
    sac_convolution_backward(reference_pass(), &l, NULL, (sac_tensor){0}, c.slopes, c.x, &c.w,
                             &c.b);
    reference_end();
    gradients_of_parameters(&t);
    reference_check(t.d[1], t.gradient[1], t.count[1], TOLERANCE, "convolution dw");
    reference_check(t.d[2], t.gradient[2], t.count[2], TOLERANCE, "convolution db");
    release_convolution(&c);
    end(&t);
}

/* Work-items take several blocks of pixels; sums over pixels are cut into pieces, which begin amid
 * lines and pictures. */
TEST(a_convolution_of_many_pixels_is_right)
{
    if (reference_is_oclgrind())
        return;
    check_large_convolution((sac_convolution){3, 40, 37, 3, 16, 1});
    check_large_convolution((sac_convolution){3, 20, 17, 3, 7, 1});
    check_large_convolution((sac_convolution){2, 81, 50, 2, 9, 2});
}

/* ---------------------------------------------------------------- rows, means, tanh */

static void check_rows(size_t rows, size_t columns)
{
    double *x = numbers(rows * columns, 1), *b = numbers(columns, 2), *sum = numbers(columns, 2);
    sac_span of_x = reference_span(x, rows * columns), of_b = reference_span(b, columns);
    for (size_t i = 0; i < rows * columns; i++)
        sum[i % columns] += x[i];
    sac_sum_rows(reference_pass(), reference_tensor(of_b, 1, columns),
                 reference_tensor(of_x, rows, columns));
    reference_end();
    reference_check(of_b, sum, columns, TOLERANCE, "sums over rows");
    for (size_t i = 0; i < rows * columns; i++)
        x[i] += sum[i % columns];
    sac_add_rows(reference_pass(), reference_tensor(of_x, rows, columns),
                 reference_tensor(of_b, 1, columns));
    reference_end();
    reference_check(of_x, x, rows * columns, TOLERANCE, "rows added to");
    sac_span_release(&of_x);
    sac_span_release(&of_b);
    free(x);
    free(b);
    free(sum);
}

TEST(rows_are_added_to_and_summed)
{
    check_rows(1, 1);
    check_rows(3, 16);
    check_rows(5, 37);
    check_rows(reference_is_oclgrind() ? 300 : 3001, 18);
    if (!reference_is_oclgrind())
        check_rows(7, 5000);
}

static void mean_cells(const trial *t)
{
    const size_t *shape = t->layer; /* batch, cells, depth */
    size_t cells = shape[1], depth = shape[2];
    for (size_t at = 0; at < shape[0] * depth; at++) {
        t->x[1][at] = 0;
        for (size_t c = 0; c < cells; c++)
            t->x[1][at] += t->x[0][(at / depth * cells + c) * depth + at % depth] / (double)cells;
    }
}

TEST(the_mean_over_cells_and_its_gradient_are_right)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {2, 3, 16}, {3, 7, 21}};
    for (size_t i = 0; i < 3; i++) {
        const size_t *s = shapes[i];
        trial t = {s, mean_cells, 1, {s[0] * s[1] * s[2], s[0] * s[2]}};
        begin(&t);
        sac_mean_cells_forward(reference_pass(), reference_tensor(t.value[1], s[0], s[2]),
                               reference_tensor(t.value[0], s[0] * s[1], s[2]));
        reference_end();
        check_forward(&t, "mean");
        sac_mean_cells_backward(reference_pass(), reference_tensor(t.d[0], s[0] * s[1], s[2]),
                                reference_tensor(t.d[1], s[0], s[2]));
        reference_end();
        check_gradient(&t, 0, true, "gradient of the mean");
        end(&t);
    }
}

static void hyperbolic_tangent(const trial *t)
{
    for (size_t i = 0; i < t->count[0]; i++)
        t->x[1][i] = tanh(3 * t->x[0][i]);
}

/* In place; x = 3 u, so that the curve's bends are reached: dx = du / 3. */
TEST(tanh_and_its_gradient_are_right)
{
    enum { COUNT = 101 };
    trial t = {NULL, hyperbolic_tangent, 1, {COUNT, COUNT}};
    double x[COUNT];
    begin(&t);
    for (size_t i = 0; i < COUNT; i++)
        x[i] = 3 * t.x[0][i];
    sac_span y = reference_span(x, COUNT);
    sac_tanh_forward(reference_pass(), reference_tensor(y, 1, COUNT));
    reference_end();
    reference_check(y, t.x[1], COUNT, TOLERANCE, "tanh");
    sac_tanh_backward(reference_pass(), reference_tensor(t.d[1], 1, COUNT),
                      reference_tensor(y, 1, COUNT));
    reference_end();
    reference_differences(loss, &t, t.x[0], COUNT, x);
    for (size_t i = 0; i < COUNT; i++)
        x[i] /= 3;
    reference_check(t.d[1], x, COUNT, TOLERANCE, "gradient of tanh");
    sac_span_release(&y);
    end(&t);
}

/* ---------------------------------------------------------------- embedding */

typedef struct table {
    size_t rows, depth, vocabulary;
} table;

static void embedding(const trial *t)
{
    const table *l = t->layer;
    for (size_t r = 0; r < l->rows; r++)
        for (size_t i = 0; i < l->depth; i++)
            t->x[1][r * l->depth + i] = t->x[0][(size_t)t->words[r] * l->depth + i];
}

static void check_embedding(table l)
{
    sac_error error = {0};
    sac_device *device = reference_device();
    cl_mem buffer;
    int *words = malloc((3 + l.rows) * sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < 3 + l.rows; i++)
        words[i] = i < 3 ? -1 : (int)(i * i % l.vocabulary);
    size_t bytes = (3 + l.rows) * sizeof *words;
    reference_ok(sac_buffer_create(device, bytes, words, &buffer, &error), &error);
    trial t = {&l, embedding, 1, {l.vocabulary * l.depth, l.rows * l.depth}, .words = words + 3};
    begin(&t);
    sac_parameter of_words = reference_parameter(t.value[0], t.d[0], l.vocabulary, l.depth);
    sac_ints given = {buffer, 3, l.rows};
    sac_embedding_forward(reference_pass(), reference_tensor(t.value[1], l.rows, l.depth),
                          &of_words, given);
    reference_end();
    check_forward(&t, "embedded words");
    sac_embedding_backward(reference_pass(), &of_words, reference_tensor(t.d[1], l.rows, l.depth),
                           given);
    reference_end();
    check_gradient(&t, 0, true, "gradient of the embedding");
    end(&t);
    sac_buffer_release(buffer);
    free(words);
}

TEST(an_embedding_and_its_gradient_are_right)
{
    check_embedding((table){.rows = 1, .depth = 1, .vocabulary = 1});
    check_embedding((table){.rows = 9, .depth = 16, .vocabulary = 5});
    check_embedding((table){.rows = 30, .depth = 19, .vocabulary = 11});
    if (!reference_is_oclgrind()) /* more rows than one launch takes */
        check_embedding((table){.rows = 2100, .depth = 3, .vocabulary = 7});
}

TEST_MAIN(NULL, reference_close)
