/* The LSTM step and its gradients are those of a plain double-precision one. */
#include <math.h>
#include <stdlib.h>

#include "nn/lstm.h"
#include "reference.h"
#include "test.h"

enum { MOST = 3 * 37 };
#define TOLERANCE                                                                                  \
    1e-5 /* of the largest: tanh_fast is 1e-7 off, and a gradient has a few of them                \
          */

/* A step in double, and what its loss Σ dh h + dc c is made of. */
typedef struct step {
    size_t batch, hidden;
    double sums[4 * MOST], before[MOST]; /* inputs */
    double gates[4 * MOST], c[MOST], h[MOST];
    double dh[MOST], dc[MOST], dsums[4 * MOST], dbefore[MOST];
} step;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void forward(step *s)
{
    for (size_t i = 0; i < s->batch * s->hidden; i++) {
        double *gate = s->gates + i / s->hidden * 4 * s->hidden + i % s->hidden;
        const double *sum = s->sums + (gate - s->gates);
        for (size_t k = 0; k < 4; k++) {
            double x = sum[k * s->hidden];
            gate[k * s->hidden] = k == 2 ? tanh(x) : sigmoid(x);
        }
        s->c[i] = gate[s->hidden] * s->before[i] + gate[0] * gate[2 * s->hidden];
        s->h[i] = gate[3 * s->hidden] * tanh(s->c[i]);
    }
}

static double loss(void *context)
{
    step *s = context;
    forward(s);
    size_t count = s->batch * s->hidden;
    return reference_dot(s->h, s->dh, count) + reference_dot(s->c, s->dc, count);
}

static void make(step *s, size_t batch, size_t hidden)
{
    size_t count = batch * hidden;
    *s = (step){.batch = batch, .hidden = hidden};
    reference_fill(s->sums, 4 * count, 1);
    for (size_t i = 0; i < 4 * count; i++)
        s->sums[i] *= i % 7 ? 3 : 40; /* some gates wholly open or shut */
    reference_fill(s->before, count, 2);
    reference_fill(s->dh, count, 3);
    reference_fill(s->dc, count, 4);
    reference_differences(loss, s, s->sums, 4 * count, s->dsums);
    reference_differences(loss, s, s->before, count, s->dbefore);
    forward(s);
}

static void check_step(size_t batch, size_t hidden, bool in_place)
{
    static step s;
    size_t count = batch * hidden;
    make(&s, batch, hidden);
    sac_span gates = reference_span(s.sums, 4 * count), before = reference_span(s.before, count);
    sac_span c = reference_span(NULL, count), h = reference_span(NULL, count);
    sac_span dh = reference_span(s.dh, count), dc = reference_span(s.dc, count);
    sac_span dgates = reference_span(NULL, 4 * count), dbefore = reference_span(NULL, count);

#define OF(x) reference_tensor(x, batch, hidden)
    sac_tensor sums = reference_tensor(gates, batch, 4 * hidden);
    sac_lstm_forward(reference_pass(), OF(h), OF(c), sums, OF(before));
    reference_end();
    reference_check(gates, s.gates, 4 * count, TOLERANCE, "gates");
    reference_check(c, s.c, count, TOLERANCE, "c");
    reference_check(h, s.h, count, TOLERANCE, "h");
    sac_lstm_backward(reference_pass(), reference_tensor(dgates, batch, 4 * hidden),
                      OF(in_place ? dc : dbefore), OF(dh), OF(dc), sums, OF(c), OF(before));
#undef OF
    reference_end();
    reference_check(dgates, s.dsums, 4 * count, TOLERANCE, "dgates");
    reference_check(in_place ? dc : dbefore, s.dbefore, count, TOLERANCE, "dc_before");
    reference_check(dh, s.dh, count, 1e-7, "dh, which is only read");
    sac_span *all[] = {&gates, &before, &c, &h, &dh, &dc, &dgates, &dbefore};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_span_release(all[i]);
}

TEST(a_step_and_its_gradients_are_right)
{
    check_step(1, 1, false);
    check_step(3, 5, false);
    check_step(3, 37, false);
}

TEST(dc_before_may_take_the_place_of_dc)
{
    check_step(2, 19, true);
}

TEST_MAIN(NULL, reference_close)
