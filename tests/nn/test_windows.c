/* Convolutions with windows of any size, and windows without weights, against the same in double.
 */
#include <math.h>
#include <stdlib.h>

#include "nn/layers.h"
#include "nn/windows.h"
#include "reference.h"
#include "test.h"

/* Of the largest number. */
#define TOLERANCE 2e-5

static double *numbers(size_t count, unsigned seed)
{
    double *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    reference_fill(x, count, seed);
    return x;
}

/* ---------------------------------------------------------------- convolutions */

typedef struct arrays {
    size_t pixels, weights, results;
    double *x, *w, *b, *y;
} arrays;

/* The sum of a window for result `at`. */
static double window_sum(const sac_convolution *l, const arrays *a, size_t at)
{
    size_t height = sac_convolution_out(l->height, l->stride), border = l->taps / 2;
    size_t width = sac_convolution_out(l->width, l->stride), o = at % l->out, pixel = at / l->out;
    double sum = a->b[o];
    for (size_t tap = 0; tap < l->taps * l->taps; tap++) {
        size_t y = pixel / width % height * l->stride + tap / l->taps; /* `border` too much */
        size_t x = pixel % width * l->stride + tap % l->taps, picture = pixel / width / height;
        if (y < border || y >= l->height + border || x < border || x >= l->width + border)
            continue;
        size_t from = ((picture * l->height + y - border) * l->width + x - border) * l->in;
        sum += reference_dot(a->x + from, a->w + (o * l->taps * l->taps + tap) * l->in, l->in);
    }
    return sum;
}

static void convolve(const sac_convolution *l, const arrays *a)
{
    for (size_t at = 0; at < a->results; at++) {
        double sum = window_sum(l, a, at) + (l->adds ? a->y[at] : 0);
        a->y[at] = l->linear || sum > 0 ? sum : 0;
    }
}

static void apply(const sac_convolution *l, const arrays *a, sac_span x, sac_span w, sac_span b,
                  sac_span y)
{
    sac_pass *pass = reference_pass();
    size_t count = sac_convolution_panels(pass, l);
    sac_span panels = reference_span(NULL, count);
    sac_tensor packed = reference_tensor(panels, 1, count);
    sac_parameter weights = {.value = reference_tensor(w, l->out, a->weights / l->out)};
    sac_parameter bias = {.value = reference_tensor(b, 1, l->out)};
    sac_convolution_pack(pass, l, packed, &weights);
    sac_convolution_apply(pass, l, reference_tensor(y, a->results / l->out, l->out),
                          reference_tensor(x, a->pixels / l->in, l->in), packed, &bias);
    reference_end();
    reference_check_guards(panels, count, "panels");
    sac_span_release(&panels);
}

static void check_convolution(sac_convolution l)
{
    arrays a = {l.batch * l.height * l.width * l.in, l.out * l.taps * l.taps * l.in,
                l.batch * l.out * sac_convolution_out(l.height, l.stride) *
                    sac_convolution_out(l.width, l.stride)};
    a.x = numbers(a.pixels, 1);
    a.w = numbers(a.weights, 2);
    a.b = numbers(l.out, 3);
    a.y = numbers(a.results, 4);
    sac_span x = reference_span(a.x, a.pixels), w = reference_span(a.w, a.weights);
    sac_span b = reference_span(a.b, l.out), y = reference_span(a.y, a.results);
    convolve(&l, &a);
    apply(&l, &a, x, w, b, y);
    reference_check(y, a.y, a.results, TOLERANCE, "convolution");
    sac_span *spans[] = {&x, &w, &b, &y};
    double *owned[] = {a.x, a.w, a.b, a.y};
    for (int i = 0; i < 4; i++) {
        sac_span_release(spans[i]);
        free(owned[i]);
    }
}

/* The shapes of a residual network, small: the first layer, one pixel at a time, with and without a
 * stride, and sums that go on. */
TEST(a_convolution_of_any_window_is_right)
{
    static const sac_convolution layers[] = {
        {1, 1, 1, 1, 1, 1, .taps = 1},
        {1, 9, 12, 3, 5, 2, .taps = 7},
        {2, 3, 4, 6, 7, 1, .taps = 1, .adds = true},
        {1, 5, 7, 8, 9, 2, .taps = 1, .linear = true},
        {2, 5, 4, 7, 6, 2, .taps = 3, .adds = true, .linear = true},
        {1, 4, 4, 3, 33, 1, .taps = 5},
        {1, 16, 11, 16, 40, 1, .taps = 1},
        {1, 6, 5, 70, 36, 2, .taps = 3, .adds = true}, /* k is cut into pieces */
        {1, 32, 30, 3, 64, 2, .taps = 7},
    };
    size_t count = reference_is_oclgrind() ? 6 : sizeof layers / sizeof *layers;
    for (size_t i = 0; i < count; i++)
        check_convolution(layers[i]);
}

/* ---------------------------------------------------------------- windows */

typedef struct window {
    size_t top, bottom, left, right; /* lines top … bottom − 1 */
} window;

/* The largest number of a column in a window, and the mean of all. */
static double pool(const double *x, size_t width, size_t depth, window w, bool is_mean)
{
    double sum = 0, largest = -INFINITY;
    for (size_t line = w.top; line < w.bottom; line++)
        for (size_t i = w.left; i < w.right; i++) {
            double value = x[(line * width + i) * depth];
            sum += value;
            largest = fmax(largest, value);
        }
    return is_mean ? sum / (double)((w.bottom - w.top) * (w.right - w.left)) : largest;
}

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `side` 0: the largest of every other window. */
static void check_windows(size_t height, size_t width, size_t depth, size_t side)
{
    size_t down = side ? side : (height + 1) / 2, across = side ? side : (width + 1) / 2;
    size_t pixels = height * width, cells = down * across;
    double *x = numbers(pixels * depth, 5), *y = numbers(cells * depth, 6);
    sac_span of_x = reference_span(x, pixels * depth), of_y = reference_span(NULL, cells * depth);
    for (size_t at = 0; at < cells * depth; at++) {
        size_t v = at / depth / across, u = at / depth % across;
        window w = {v ? 2 * v - 1 : 0, less(2 * v + 2, height), u ? 2 * u - 1 : 0,
                    less(2 * u + 2, width)};
        if (side)
            w = (window){v * height / side, (size_t)ceil((double)((v + 1) * height) / (double)side),
                         u * width / side, (size_t)ceil((double)((u + 1) * width) / (double)side)};
        y[at] = pool(x + at % depth, width, depth, w, side > 0);
    }
    sac_tensor from = reference_tensor(of_x, pixels, depth);
    sac_tensor to = reference_tensor(of_y, cells, depth);
    if (side)
        sac_mean_windows(reference_pass(), height, width, side, to, from);
    else
        sac_max_windows(reference_pass(), height, width, to, from);
    reference_end();
    reference_check(of_y, y, cells * depth, side ? TOLERANCE : 0, side ? "means" : "largest");
    sac_span_release(&of_x);
    sac_span_release(&of_y);
    free(x);
    free(y);
}

TEST(the_largest_of_each_window_is_found)
{
    check_windows(1, 1, 1, 0);
    check_windows(5, 4, 3, 0);
    check_windows(8, 7, 17, 0);
}

TEST(means_of_windows_fill_a_grid_that_is_finer_or_coarser)
{
    check_windows(1, 1, 2, 3);
    check_windows(8, 8, 5, 14);
    check_windows(3, 5, 4, 4);
    check_windows(9, 10, 3, 4);
    check_windows(6, 6, 2, 6);
}

TEST_MAIN(NULL, reference_close)
