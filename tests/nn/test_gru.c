/* The GRU step and its gradients are those of a plain double-precision one. */
#include <math.h>
#include <stdlib.h>

#include "nn/gru.h"
#include "reference.h"
#include "test.h"

enum { MOST = 3 * 37 };
#define TOLERANCE                                                                                  \
    1e-5 /* of the largest: tanh_fast is 1e-7 off, and a gradient has a few of them                \
          */

/* A step in double, and the loss Σ dh h. */
typedef struct step {
    size_t batch, hidden;
    double sums[3 * MOST], own[3 * MOST], before[MOST]; /* inputs */
    double gates[3 * MOST], h[MOST];
    double dh[MOST], dsums[3 * MOST], down[3 * MOST], dbefore[MOST];
} step;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void forward(step *s)
{
    size_t n = s->hidden;
    for (size_t i = 0; i < s->batch * n; i++) {
        size_t at = i / n * 3 * n + i % n;
        double reset = sigmoid(s->sums[at] + s->own[at]);
        double update = sigmoid(s->sums[at + n] + s->own[at + n]);
        double candidate = tanh(s->sums[at + 2 * n] + reset * s->own[at + 2 * n]);
        s->gates[at] = reset;
        s->gates[at + n] = update;
        s->gates[at + 2 * n] = candidate;
        s->h[i] = (1 - update) * candidate + update * s->before[i];
    }
}

static double loss(void *context)
{
    step *s = context;
    forward(s);
    return reference_dot(s->h, s->dh, s->batch * s->hidden);
}

static void make(step *s, size_t batch, size_t hidden)
{
    size_t count = batch * hidden;
    *s = (step){.batch = batch, .hidden = hidden};
    reference_fill(s->sums, 3 * count, 1);
    reference_fill(s->own, 3 * count, 2);
    for (size_t i = 0; i < 3 * count; i++)
        s->sums[i] *= i % 7 ? 3 : 40; /* some gates wholly open or shut */
    reference_fill(s->before, count, 3);
    reference_fill(s->dh, count, 4);
    reference_differences(loss, s, s->sums, 3 * count, s->dsums);
    reference_differences(loss, s, s->own, 3 * count, s->down);
    reference_differences(loss, s, s->before, count, s->dbefore);
    forward(s);
}

static void check_step(size_t batch, size_t hidden, bool in_place)
{
    static step s;
    size_t count = batch * hidden;
    make(&s, batch, hidden);
    sac_span gates = reference_span(s.sums, 3 * count), own = reference_span(s.own, 3 * count);
    sac_span before = reference_span(s.before, count), h = reference_span(NULL, count);
    sac_span dh = reference_span(s.dh, count), dbefore = reference_span(NULL, count);
    sac_span dgates = reference_span(NULL, 3 * count), down = reference_span(NULL, 3 * count);

#define OF(x) reference_tensor(x, batch, hidden)
#define THREE_OF(x) reference_tensor(x, batch, 3 * hidden)
    sac_gru_forward(reference_pass(), OF(h), THREE_OF(gates), THREE_OF(own), OF(before));
    reference_end();
    reference_check(gates, s.gates, 3 * count, TOLERANCE, "gates");
    reference_check(h, s.h, count, TOLERANCE, "h");
    reference_check(own, s.own, 3 * count, 1e-7, "recurrent, which is only read");
    sac_gru_backward(reference_pass(), THREE_OF(dgates), THREE_OF(down),
                     OF(in_place ? dh : dbefore), OF(dh), THREE_OF(gates), THREE_OF(own),
                     OF(before));
#undef OF
#undef THREE_OF
    reference_end();
    reference_check(dgates, s.dsums, 3 * count, TOLERANCE, "dgates");
    reference_check(down, s.down, 3 * count, TOLERANCE, "drecurrent");
    reference_check(in_place ? dh : dbefore, s.dbefore, count, TOLERANCE, "dh_before");
    sac_span *all[] = {&gates, &own, &before, &h, &dh, &dbefore, &dgates, &down};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_span_release(all[i]);
}

TEST(a_step_and_its_gradients_are_right)
{
    check_step(1, 1, false);
    check_step(3, 5, false);
    check_step(3, 37, false);
}

TEST(dh_before_may_take_the_place_of_dh)
{
    check_step(2, 19, true);
}

TEST_MAIN(NULL, reference_close)
