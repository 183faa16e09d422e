/* A GRU over sentences of several lengths, one direction and both joined, is that of torch.nn.GRU
 * in plain double precision, and its gradients are those of differences. */
#include <math.h>
#include <string.h>

#include "nn/gru_sequence.h"
#include "reference.h"
#include "test.h"

enum { BATCH = 3, STEPS = 4, IN = 3, HIDDEN = 5 };
enum { ROWS = STEPS * BATCH, STATES = ROWS + BATCH, GATES = 3 * HIDDEN, DEPTH = 2 * HIDDEN };
#define TOLERANCE                                                                                  \
    2e-5 /* of the largest: tanh_fast is 1e-7 off, and goes through STEPS steps and their          \
          * gradients                                                                              \
          */

/* A direction in double: its parameters, its input by step, and the gradients of all of them. */
typedef struct direction {
    double w[GATES * IN], b[GATES], u[GATES * HIDDEN], c[GATES], x[ROWS * IN], h[STATES * HIDDEN];
    double dw[GATES * IN], db[GATES], du[GATES * HIDDEN], dc[GATES], dx[ROWS * IN];
    double dfirst[BATCH * HIDDEN];
} direction;

/* Both, joined, and the loss Σ dy y + Σ dlast last. */
typedef struct both {
    const int *lengths;
    direction there, back;
    double y[ROWS * DEPTH], last[BATCH * DEPTH];
    double dy[ROWS * DEPTH], dlast[BATCH * DEPTH];
} both;

/* ---------------------------------------------------------------- in double */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double product(const double *row, const double *x, int count)
{
    return reference_dot(row, x, (size_t)count);
}

/* One step of one sentence, h [HIDDEN] from x and the state before. */
static void step(const direction *d, const double *x, const double *before, double *h)
{
    for (int i = 0; i < HIDDEN; i++) {
        double in[3], own[3];
        for (int gate = 0; gate < 3; gate++) {
            int row = gate * HIDDEN + i;
            in[gate] = product(d->w + row * IN, x, IN) + d->b[row];
            own[gate] = product(d->u + row * HIDDEN, before, HIDDEN) + d->c[row];
        }
        double update = sigmoid(in[1] + own[1]);
        double candidate = tanh(in[2] + sigmoid(in[0] + own[0]) * own[2]);
        h[i] = (1 - update) * candidate + update * before[i];
    }
}

static void run(const both *s, direction *d)
{
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < BATCH && t < s->lengths[b]; b++)
            step(d, d->x + (t * BATCH + b) * IN, d->h + (t * BATCH + b) * HIDDEN,
                 d->h + ((t + 1) * BATCH + b) * HIDDEN);
}

static const double *state(const direction *d, int step_number, int b)
{
    return d->h + (step_number * BATCH + b) * HIDDEN;
}

static void join(both *s)
{
    memset(s->y, 0, sizeof s->y);
    for (int b = 0; b < BATCH; b++) {
        int length = s->lengths[b];
        for (int n = 0; n < length; n++) {
            double *y = s->y + (b * STEPS + n) * DEPTH;
            memcpy(y, state(&s->there, n + 1, b), HIDDEN * sizeof *y);
            memcpy(y + HIDDEN, state(&s->back, length - n, b), HIDDEN * sizeof *y);
        }
        memcpy(s->last + b * DEPTH, state(&s->there, length, b), HIDDEN * sizeof *s->last);
        memcpy(s->last + b * DEPTH + HIDDEN, state(&s->back, length, b), HIDDEN * sizeof *s->last);
    }
}

static double loss(void *context)
{
    both *s = context;
    run(s, &s->there);
    run(s, &s->back);
    join(s);
    return reference_dot(s->y, s->dy, ROWS * DEPTH) +
           reference_dot(s->last, s->dlast, BATCH * DEPTH);
}

static void make_direction(both *s, direction *d, unsigned seed)
{
    reference_fill(d->w, GATES * IN, seed);
    reference_fill(d->b, GATES, seed + 1);
    reference_fill(d->u, GATES * HIDDEN, seed + 2);
    reference_fill(d->c, GATES, seed + 3);
    reference_fill(d->x, ROWS * IN, seed + 4);
    reference_fill(d->h, BATCH * HIDDEN, seed + 5); /* the first state; all others 0 */
    const struct {
        double *x, *gradient;
        size_t count;
    } all[] = {{d->w, d->dw, GATES * IN},     {d->b, d->db, GATES},
               {d->u, d->du, GATES * HIDDEN}, {d->c, d->dc, GATES},
               {d->x, d->dx, ROWS * IN},      {d->h, d->dfirst, BATCH * HIDDEN}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        reference_differences(loss, s, all[i].x, all[i].count, all[i].gradient);
}

static void make(both *s, const int *lengths)
{
    *s = (both){.lengths = lengths};
    reference_fill(s->dy, ROWS * DEPTH, 1);
    reference_fill(s->dlast, BATCH * DEPTH, 2);
    make_direction(s, &s->there, 10);
    make_direction(s, &s->back, 20);
    loss(s);
}

/* ---------------------------------------------------------------- on the device */

/* A direction on the device: a span and a gradient for each parameter. */
typedef struct device_direction {
    sac_span w, b, u, c, x, h, gates, recurrent;
    sac_span dw, db, du, dc, dx, dh, dgates, drecurrent;
    sac_parameter parameter[4];
    sac_gru_layer layer;
    sac_gru_sequence sequence;
    sac_gru_sequence_gradients gradients;
} device_direction;

static void upload(const direction *d, device_direction *to)
{
    static const double zero[GATES * HIDDEN], states[STATES * HIDDEN];
    double first[STATES * HIDDEN] = {0}; /* what is past a sentence's end has to be finite */
    memcpy(first, d->h, BATCH * HIDDEN * sizeof *first);
    to->w = reference_span(d->w, GATES * IN);
    to->b = reference_span(d->b, GATES);
    to->u = reference_span(d->u, GATES * HIDDEN);
    to->c = reference_span(d->c, GATES);
    to->dw = reference_span(zero, GATES * IN);
    to->db = reference_span(zero, GATES);
    to->du = reference_span(zero, GATES * HIDDEN);
    to->dc = reference_span(zero, GATES);
    to->x = reference_span(d->x, ROWS * IN);
    to->h = reference_span(first, STATES * HIDDEN);
    to->dh = reference_span(states, STATES * HIDDEN);
    to->dx = reference_span(NULL, ROWS * IN);
    sac_span *const gates[] = {&to->gates, &to->recurrent, &to->dgates, &to->drecurrent};
    for (size_t i = 0; i < 4; i++)
        *gates[i] = reference_span(NULL, ROWS * GATES);
    to->parameter[0] = reference_parameter(to->w, to->dw, GATES, IN);
    to->parameter[1] = reference_parameter(to->b, to->db, 1, GATES);
    to->parameter[2] = reference_parameter(to->u, to->du, GATES, HIDDEN);
    to->parameter[3] = reference_parameter(to->c, to->dc, 1, GATES);
    to->layer =
        (sac_gru_layer){&to->parameter[0], &to->parameter[1], &to->parameter[2], &to->parameter[3]};
    to->sequence = (sac_gru_sequence){
        reference_tensor(to->x, ROWS, IN), reference_tensor(to->h, STATES, HIDDEN),
        reference_tensor(to->gates, ROWS, GATES), reference_tensor(to->recurrent, ROWS, GATES)};
    to->gradients = (sac_gru_sequence_gradients){
        reference_tensor(to->dh, STATES, HIDDEN), reference_tensor(to->dgates, ROWS, GATES),
        reference_tensor(to->drecurrent, ROWS, GATES), reference_tensor(to->dx, ROWS, IN)};
}

static void check_direction(const direction *d, device_direction *on)
{
    reference_check(on->h, d->h, STATES * HIDDEN, TOLERANCE, "h");
    reference_check(on->dw, d->dw, GATES * IN, TOLERANCE, "dW");
    reference_check(on->db, d->db, GATES, TOLERANCE, "db");
    reference_check(on->du, d->du, GATES * HIDDEN, TOLERANCE, "dU");
    reference_check(on->dc, d->dc, GATES, TOLERANCE, "dc");
    reference_check(on->dx, d->dx, ROWS * IN, TOLERANCE, "dx");
    reference_check_guards(on->gates, ROWS * GATES, "gates");
    reference_check_guards(on->recurrent, ROWS * GATES, "recurrent");
    sac_span all[] = {on->w,  on->b,     on->u,         on->c,      on->x,
                      on->h,  on->gates, on->recurrent, on->dw,     on->db,
                      on->du, on->dc,    on->dx,        on->dgates, on->drecurrent};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_span_release(&all[i]);
}

/* dh[0] is the gradient of the first state; the rest of dh was used. */
static void check_first_state(const direction *d, device_direction *on)
{
    double all[STATES * HIDDEN];
    float read[STATES * HIDDEN];
    sac_error error = {0};
    reference_check_guards(on->dh, STATES * HIDDEN, "dh");
    reference_ok(sac_span_read(reference_device(), on->dh, STATES * HIDDEN, read, &error), &error);
    for (int i = 0; i < STATES * HIDDEN; i++)
        all[i] = i < BATCH * HIDDEN ? d->dfirst[i] : read[i];
    reference_check(on->dh, all, STATES * HIDDEN, TOLERANCE, "dh[0]");
    sac_span_release(&on->dh);
}

static void check_both(const int lengths[BATCH])
{
    static both s;
    device_direction there, back;
    cl_mem buffer = NULL;
    sac_error error = {0};
    make(&s, lengths);
    upload(&s.there, &there);
    upload(&s.back, &back);
    sac_span y = reference_span(NULL, ROWS * DEPTH), last = reference_span(NULL, BATCH * DEPTH);
    sac_span dy = reference_span(s.dy, ROWS * DEPTH),
             dlast = reference_span(s.dlast, BATCH * DEPTH);
    sac_sequence_lengths sequence = {STEPS, BATCH, lengths};
    reference_ok(
        sac_buffer_create(reference_device(), BATCH * sizeof *lengths, lengths, &buffer, &error),
        &error);
    sac_ints on_device = {buffer, 0, BATCH};
    sac_pass *pass = reference_pass();

    sac_gru_sequence_forward(pass, &there.layer, &sequence, &there.sequence);
    sac_gru_sequence_forward(pass, &back.layer, &sequence, &back.sequence);
    sac_join_directions_forward(pass, reference_tensor(y, ROWS, DEPTH),
                                reference_tensor(last, BATCH, DEPTH), there.sequence.h,
                                back.sequence.h, on_device);
    reference_end();
    reference_check(y, s.y, ROWS * DEPTH, TOLERANCE, "y");
    reference_check(last, s.last, BATCH * DEPTH, TOLERANCE, "last");

    sac_join_directions_backward(pass, there.gradients.dh, back.gradients.dh,
                                 reference_tensor(dy, ROWS, DEPTH),
                                 reference_tensor(dlast, BATCH, DEPTH), on_device);
    sac_gru_sequence_backward(pass, &there.layer, &sequence, &there.sequence, &there.gradients);
    sac_gru_sequence_backward(pass, &back.layer, &sequence, &back.sequence, &back.gradients);
    reference_end();
    check_direction(&s.there, &there);
    check_direction(&s.back, &back);
    check_first_state(&s.there, &there);
    check_first_state(&s.back, &back);
    sac_span *all[] = {&y, &last, &dy, &dlast};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_span_release(all[i]);
    sac_buffer_release(buffer);
}

TEST(sentences_of_one_length_and_their_gradients_are_right)
{
    check_both((const int[]){STEPS, STEPS, STEPS});
}

TEST(a_sentence_that_ends_early_is_read_to_its_end_alone)
{
    check_both((const int[]){STEPS, 3, 1});
}

TEST(rows_are_those_of_sentences_that_have_the_word)
{
    sac_sequence_lengths lengths = {STEPS, BATCH, (const int[]){4, 2, 2}};
    assert_int_equal(sac_sequence_rows(&lengths, 0), 3);
    assert_int_equal(sac_sequence_rows(&lengths, 1), 3);
    assert_int_equal(sac_sequence_rows(&lengths, 2), 1);
    assert_int_equal(sac_sequence_rows(&lengths, 4), 0);
}

TEST_MAIN(NULL, reference_close)
