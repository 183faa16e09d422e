/* Layer norm with positions: forward against doubles, backward against central differences of them
 * for the cells, positions, gain and bias. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nn/layer_norm.h"
#include "reference.h"

enum { MOST = 4 * 30 * 70 };

typedef struct trial {
    size_t batch, cells, depth;
    double x[MOST], position[MOST], gain[MOST], bias[MOST], dy[MOST], y[MOST];
} trial;

static void norm_cell(const trial *t, size_t row, double *y)
{
    const double *x = t->x + row * t->depth, *place = t->position + row % t->cells * t->depth;
    double mean = 0, variance = 0;
    for (size_t d = 0; d < t->depth; d++)
        mean += (x[d] + place[d]) / (double)t->depth;
    for (size_t d = 0; d < t->depth; d++)
        variance += (x[d] + place[d] - mean) * (x[d] + place[d] - mean) / (double)t->depth;
    for (size_t d = 0; d < t->depth; d++)
        y[d] = t->gain[d] * (x[d] + place[d] - mean) / sqrt(variance + 1e-5) + t->bias[d];
}

static double loss(void *context)
{
    trial *t = context;
    for (size_t row = 0; row < t->batch * t->cells; row++)
        norm_cell(t, row, t->y + row * t->depth);
    return reference_dot(t->y, t->dy, t->batch * t->cells * t->depth);
}

static void check_gradient(trial *t, double *values, size_t count, sac_span given, const char *name)
{
    static double gradient[MOST];
    reference_differences(loss, t, values, count, gradient);
    reference_check(given, gradient, count, 2e-4, name);
}

static void check(size_t batch, size_t cells, size_t depth)
{
    static trial t;
    static const double zeros[MOST];
    sac_device *device = reference_device();
    size_t all = batch * cells * depth, places = cells * depth;
    sac_error error = {0};
    t.batch = batch, t.cells = cells, t.depth = depth;
    reference_fill(t.x, all, 1);
    reference_fill(t.position, places, 2);
    reference_fill(t.gain, depth, 3);
    reference_fill(t.bias, depth, 4);
    reference_fill(t.dy, all, 5);
    loss(&t);
    sac_layer_norm layer = {.batch = batch, .cells = cells, .depth = depth};
    layer.position = reference_span(t.position, places);
    layer.gain = reference_span(t.gain, depth);
    layer.bias = reference_span(t.bias, depth);
    layer.dposition = reference_span(zeros, places);
    layer.dgain = reference_span(zeros, depth);
    layer.dbias = reference_span(zeros, depth);
    size_t room = sac_layer_norm_scratch(&layer);
    sac_span x = reference_span(t.x, all), y = reference_span(NULL, all),
             dy = reference_span(t.dy, all), scratch = reference_span(NULL, room);
    reference_ok(sac_layer_norm_forward(device, &layer, x, y, &error), &error);
    reference_check(y, t.y, all, 1e-5, "y");
    reference_ok(sac_layer_norm_backward(device, &layer, x, dy, scratch, &error), &error);
    reference_check_guards(scratch, room, "scratch");
    check_gradient(&t, t.x, all, dy, "dx");
    check_gradient(&t, t.position, places, layer.dposition, "dposition");
    check_gradient(&t, t.gain, depth, layer.dgain, "dgain");
    check_gradient(&t, t.bias, depth, layer.dbias, "dbias");
    sac_span *spans[] = {&layer.position,
                         &layer.gain,
                         &layer.bias,
                         &layer.dposition,
                         &layer.dgain,
                         &layer.dbias,
                         &x,
                         &y,
                         &dy,
                         &scratch};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
}

static void odd_sizes(void **state)
{
    (void)state;
    check(1, 1, 3);
    check(2, 3, 5);
    check(2, 2, 16);
    if (!reference_is_oclgrind()) {
        check(3, 7, 33);
        check(2, 13, 17);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_sizes)};
    return cmocka_run_group_tests(tests, NULL, reference_close);
}
