/* Layer norm with positions and without: forward against doubles, backward against central
 * differences of them for the rows, positions, gain and bias. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "nn/layer_norm.h"
#include "reference.h"
#include "test.h"

enum { MOST = 4 * 30 * 70 };

typedef struct trial {
    size_t batch, cells, depth;
    double epsilon, x[MOST], position[MOST], gain[MOST], bias[MOST], dy[MOST], y[MOST];
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
        y[d] = t->gain[d] * (x[d] + place[d] - mean) / sqrt(variance + t->epsilon) + t->bias[d];
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

/* Without positions x is batch · cells rows. */
static void check_epsilon(size_t batch, size_t cells, size_t depth, bool with_position,
                          float epsilon)
{
    static trial t;
    static const double zeros[MOST];
    size_t all = batch * cells * depth, places = cells * depth;
    t.batch = batch, t.cells = cells, t.depth = depth;
    t.epsilon = epsilon > 0 ? (double)epsilon : 1e-5;
    reference_fill(t.x, all, 1);
    reference_fill(t.position, places, 2);
    for (size_t i = 0; i < places && !with_position; i++)
        t.position[i] = 0;
    reference_fill(t.gain, depth, 3);
    reference_fill(t.bias, depth, 4);
    reference_fill(t.dy, all, 5);
    loss(&t);
    sac_span of[] = {reference_span(t.position, places), reference_span(t.gain, depth),
                     reference_span(t.bias, depth),      reference_span(zeros, places),
                     reference_span(zeros, depth),       reference_span(zeros, depth)};
    sac_parameter position = reference_parameter(of[0], of[3], cells, depth);
    sac_parameter gain = reference_parameter(of[1], of[4], 1, depth);
    sac_parameter bias = reference_parameter(of[2], of[5], 1, depth);
    sac_layer_norm layer = {with_position ? &position : NULL, &gain, &bias, epsilon};
    sac_span x = reference_span(t.x, all), y = reference_span(NULL, all),
             dy = reference_span(t.dy, all);
    sac_tensor of_x = reference_tensor(x, batch * cells, depth);
    reference_scratch(sac_layer_norm_scratch(&layer, of_x));
    sac_layer_norm_forward(reference_pass(), &layer, reference_tensor(y, batch * cells, depth),
                           of_x);
    reference_end();
    reference_check(y, t.y, all, 1e-5, "y");
    sac_layer_norm_backward(reference_pass(), &layer, reference_tensor(dy, batch * cells, depth),
                            of_x);
    reference_end();
    reference_check_scratch();
    check_gradient(&t, t.x, all, dy, "dx");
    if (with_position)
        check_gradient(&t, t.position, places, of[3], "dposition");
    check_gradient(&t, t.gain, depth, of[4], "dgain");
    check_gradient(&t, t.bias, depth, of[5], "dbias");
    sac_span *spans[] = {&of[0], &of[1], &of[2], &of[3], &of[4], &of[5], &x, &y, &dy};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
}

static void check(size_t batch, size_t cells, size_t depth, bool with_position)
{
    check_epsilon(batch, cells, depth, with_position, 0);
}

TEST(odd_sizes)
{
    check(1, 1, 3, true);
    check(2, 3, 5, true);
    check(2, 2, 16, true);
    if (!reference_is_oclgrind()) {
        check(3, 7, 33, true);
        check(2, 13, 17, true);
    }
}

/* More than one group of rows, the last of them not full. */
TEST(rows_without_positions)
{
    check(1, 3, 5, false);
    check(1, reference_is_oclgrind() ? 129 : 150, 6, false);
}

/* One that is as large as the variance, so that it is seen. */
TEST(epsilon_is_what_the_layer_says)
{
    check_epsilon(1, 3, 5, false, 0.25f);
}

TEST_MAIN(NULL, reference_close)
