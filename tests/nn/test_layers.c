/* Each layer against itself in double, and each gradient against central differences of that, for
 * every input and parameter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nn/layers.h"
#include "reference.h"

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

/* What backward wrote, or where `adds` added to ¼, for input `i`. */
static void check_gradient(trial *t, int i, bool adds, const char *name)
{
    reference_differences(loss, t, t->x[i], t->count[i], t->gradient[i]);
    for (size_t j = 0; j < t->count[i]; j++)
        t->gradient[i][j] += adds ? 0.25 : 0;
    reference_check(t->d[i], t->gradient[i], t->count[i], TOLERANCE, name);
}

/* ---------------------------------------------------------------- linear */

static void linear(const trial *t)
{
    const sac_linear *l = t->layer;
    for (size_t r = 0; r < l->rows; r++)
        for (size_t o = 0; o < l->out; o++) {
            double sum = t->x[2][o];
            for (size_t i = 0; i < l->in; i++)
                sum += t->x[0][r * l->in + i] * t->x[1][o * l->in + i];
            t->x[3][r * l->out + o] = sum;
        }
}

static void check_linear(sac_linear l)
{
    sac_error error = {0};
    sac_device *device = reference_device();
    trial t = {&l, linear, 3, {l.rows * l.in, l.out * l.in, l.out, l.rows * l.out}};
    begin(&t);
    reference_ok(
        sac_linear_forward(device, &l, t.value[0], t.value[1], t.value[2], t.value[3], &error),
        &error);
    check_forward(&t, "linear y");
    l.accumulate = l.rows % 2;
    reference_ok(sac_linear_backward(device, &l, t.value[0], t.value[1], t.d[3], t.d[0], t.d[1],
                                     t.d[2], &error),
                 &error);
    check_gradient(&t, 0, l.accumulate, "linear dx");
    check_gradient(&t, 1, true, "linear dw");
    check_gradient(&t, 2, true, "linear db");
    end(&t);
}

static void a_linear_layer_and_its_gradients_are_right(void **state)
{
    (void)state;
    check_linear((sac_linear){.rows = 3, .in = 5, .out = 2});
    check_linear((sac_linear){.rows = 6, .in = 16, .out = 20});
    if (!reference_is_oclgrind())
        check_linear((sac_linear){.rows = 41, .in = 19, .out = 33});
}

static void a_linear_layer_adds_to_what_there_is_where_it_should(void **state)
{
    (void)state;
    sac_error error = {0};
    sac_linear l = {.rows = 2, .in = 2, .out = 2, .accumulate = true};
    double x[] = {1, 2, 3, 4}, w[] = {1, 0, 0, 2}, y[] = {10, 20, 30, 40}, sum[] = {11, 24, 33, 48};
    sac_span spans[] = {reference_span(x, 4), reference_span(w, 4), reference_span(y, 4)};
    reference_ok(sac_linear_forward(reference_device(), &l, spans[0], spans[1], (sac_span){0},
                                    spans[2], &error),
                 &error);
    reference_check(spans[2], sum, 4, 0, "y");
    for (int i = 0; i < 3; i++)
        sac_span_release(&spans[i]);
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

static void check_convolution(sac_convolution l, bool with_input)
{
    sac_error error = {0};
    sac_device *device = reference_device();
    size_t pixels =
        sac_convolution_out(l.height, l.stride) * sac_convolution_out(l.width, l.stride);
    trial t = {
        &l,
        convolution,
        3,
        {l.batch * l.height * l.width * l.in, l.out * 9 * l.in, l.out, l.batch * pixels * l.out}};
    begin(&t);
    size_t room = sac_convolution_scratch(&l);
    sac_span columns = reference_span(NULL, room);
    reference_ok(sac_convolution_forward(device, &l, t.value[0], t.value[1], t.value[2], columns,
                                         t.value[3], &error),
                 &error);
    check_forward(&t, "convolution y");
    reference_ok(sac_convolution_backward(device, &l, t.value[0], t.value[1], t.value[3], columns,
                                          t.d[3], with_input ? t.d[0] : (sac_span){0}, t.d[1],
                                          t.d[2], &error),
                 &error);
    reference_check_guards(columns, room, "scratch");
    if (with_input)
        check_gradient(&t, 0, false, "convolution dx");
    check_gradient(&t, 1, true, "convolution dw");
    check_gradient(&t, 2, true, "convolution db");
    sac_span_release(&columns);
    end(&t);
}

static void a_convolution_and_its_gradients_are_right(void **state)
{
    (void)state;
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
    sac_error error = {0};
    size_t pixels =
        sac_convolution_out(l.height, l.stride) * sac_convolution_out(l.width, l.stride);
    trial t = {
        &l,
        convolution,
        3,
        {l.batch * l.height * l.width * l.in, l.out * 9 * l.in, l.out, l.batch * pixels * l.out}};
    begin(&t);
    sac_span columns = reference_span(NULL, sac_convolution_scratch(&l));
    reference_ok(sac_convolution_forward(reference_device(), &l, t.value[0], t.value[1], t.value[2],
                                         columns, t.value[3], &error),
                 &error);
    check_forward(&t, "convolution y");
    reference_ok(sac_convolution_backward(reference_device(), &l, t.value[0], t.value[1],
                                          t.value[3], columns, t.d[3], (sac_span){0}, t.d[1],
                                          t.d[2], &error),
                 &error);
    gradients_of_parameters(&t);
    reference_check(t.d[1], t.gradient[1], t.count[1], TOLERANCE, "convolution dw");
    reference_check(t.d[2], t.gradient[2], t.count[2], TOLERANCE, "convolution db");
    sac_span_release(&columns);
    end(&t);
}

/* Work-items take several blocks of pixels; sums over pixels are cut into pieces, which begin amid
 * lines and pictures. */
static void a_convolution_of_many_pixels_is_right(void **state)
{
    (void)state;
    if (reference_is_oclgrind())
        return;
    check_large_convolution((sac_convolution){3, 40, 37, 3, 16, 1});
    check_large_convolution((sac_convolution){3, 20, 17, 3, 7, 1});
    check_large_convolution((sac_convolution){2, 81, 50, 2, 9, 2});
}

static void a_stride_that_is_not_known_is_refused(void **state)
{
    (void)state;
    sac_error error = {0};
    sac_convolution l = {1, 6, 6, 1, 1, 3};
    sac_span none = {0};
    assert_int_equal(
        sac_convolution_forward(reference_device(), &l, none, none, none, none, none, &error),
        SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "stride is 3"));
}

/* ---------------------------------------------------------------- rows, means, tanh */

static void check_rows(size_t rows, size_t columns)
{
    sac_error error = {0};
    double *x = numbers(rows * columns, 1), *b = numbers(columns, 2), *sum = numbers(columns, 2);
    sac_span of_x = reference_span(x, rows * columns), of_b = reference_span(b, columns);
    for (size_t i = 0; i < rows * columns; i++)
        sum[i % columns] += x[i];
    reference_ok(sac_sum_rows(reference_device(), rows, columns, of_x, of_b, &error), &error);
    reference_check(of_b, sum, columns, TOLERANCE, "sums over rows");
    for (size_t i = 0; i < rows * columns; i++)
        x[i] += sum[i % columns];
    reference_ok(sac_add_rows(reference_device(), rows, columns, of_x, of_b, &error), &error);
    reference_check(of_x, x, rows * columns, TOLERANCE, "rows added to");
    sac_span_release(&of_x);
    sac_span_release(&of_b);
    free(x);
    free(b);
    free(sum);
}

static void rows_are_added_to_and_summed(void **state)
{
    (void)state;
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

static void the_mean_over_cells_and_its_gradient_are_right(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1}, {2, 3, 16}, {3, 7, 21}};
    for (size_t i = 0; i < 3; i++) {
        sac_error error = {0};
        const size_t *s = shapes[i];
        trial t = {s, mean_cells, 1, {s[0] * s[1] * s[2], s[0] * s[2]}};
        begin(&t);
        reference_ok(sac_mean_cells_forward(reference_device(), s[0], s[1], s[2], t.value[0],
                                            t.value[1], &error),
                     &error);
        check_forward(&t, "mean");
        reference_ok(
            sac_mean_cells_backward(reference_device(), s[0], s[1], s[2], t.d[1], t.d[0], &error),
            &error);
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
static void tanh_and_its_gradient_are_right(void **state)
{
    (void)state;
    enum { COUNT = 101 };
    sac_error error = {0};
    trial t = {NULL, hyperbolic_tangent, 1, {COUNT, COUNT}};
    double x[COUNT];
    begin(&t);
    for (size_t i = 0; i < COUNT; i++)
        x[i] = 3 * t.x[0][i];
    sac_span y = reference_span(x, COUNT);
    reference_ok(sac_tanh_forward(reference_device(), COUNT, y, &error), &error);
    reference_check(y, t.x[1], COUNT, TOLERANCE, "tanh");
    reference_ok(sac_tanh_backward(reference_device(), COUNT, y, t.d[1], &error), &error);
    reference_differences(loss, &t, t.x[0], COUNT, x);
    for (size_t i = 0; i < COUNT; i++)
        x[i] /= 3;
    reference_check(t.d[1], x, COUNT, TOLERANCE, "gradient of tanh");
    sac_span_release(&y);
    end(&t);
}

/* ---------------------------------------------------------------- embedding */

static void embedding(const trial *t)
{
    const sac_embedding *l = t->layer;
    for (size_t r = 0; r < l->rows; r++)
        for (size_t i = 0; i < l->depth; i++)
            t->x[1][r * l->depth + i] = t->x[0][(size_t)t->words[r] * l->depth + i];
}

static void check_embedding(sac_embedding l)
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
    reference_ok(sac_embedding_forward(device, &l, buffer, 3, t.value[0], t.value[1], &error),
                 &error);
    check_forward(&t, "embedded words");
    reference_ok(sac_embedding_backward(device, &l, buffer, 3, t.d[1], t.d[0], &error), &error);
    check_gradient(&t, 0, true, "gradient of the embedding");
    end(&t);
    sac_buffer_release(buffer);
    free(words);
}

static void an_embedding_and_its_gradient_are_right(void **state)
{
    (void)state;
    check_embedding((sac_embedding){.rows = 1, .depth = 1, .vocabulary = 1});
    check_embedding((sac_embedding){.rows = 9, .depth = 16, .vocabulary = 5});
    check_embedding((sac_embedding){.rows = 30, .depth = 19, .vocabulary = 11});
    if (!reference_is_oclgrind()) /* more rows than one launch takes */
        check_embedding((sac_embedding){.rows = 2100, .depth = 3, .vocabulary = 7});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_layer_and_its_gradients_are_right),
        cmocka_unit_test(a_linear_layer_adds_to_what_there_is_where_it_should),
        cmocka_unit_test(a_convolution_and_its_gradients_are_right),
        cmocka_unit_test(a_convolution_of_many_pixels_is_right),
        cmocka_unit_test(a_stride_that_is_not_known_is_refused),
        cmocka_unit_test(rows_are_added_to_and_summed),
        cmocka_unit_test(the_mean_over_cells_and_its_gradient_are_right),
        cmocka_unit_test(tanh_and_its_gradient_are_right),
        cmocka_unit_test(an_embedding_and_its_gradient_are_right),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, reference_close);
}
