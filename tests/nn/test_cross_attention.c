/* Attention of one query for each of a batch, and its gradients, are those of a plain
 * double-precision one, for every score. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nn/cross_attention.h"
#include "reference.h"

#define TOLERANCE                                                                                  \
    2e-5 /* of the largest: tanh_fast is 1e-7 off, and sums have some hundred terms                \
          */

/* The layer in double, and what its loss Σ dz z + dweights α is made of. */
typedef struct problem {
    sac_cross_attention layer;
    bool hides, weighs; /* hides cells; the loss asks something of α */
    bool per_row;       /* other cells for each row of the batch */
    bool gateless;
    double *features, *keys, *v, *query, *gate, *hidden;
    double *beta, *weights, *context, *z;
    double *dz, *dweights;
    double *dfeatures, *dkeys, *dv, *dquery, *dgate;
} problem;

static size_t pictures(const problem *p)
{
    return p->layer.shared ? 1 : p->layer.batch;
}

/* ---------------------------------------------------------------- in double */

static double raw_score(const problem *p, const double *key, const double *query)
{
    double sum = 0;
    for (size_t a = 0; a < p->layer.keys; a++)
        sum += p->layer.score == SAC_SCORE_ADDITIVE ? p->v[a] * tanh(key[a] + query[a])
                                                    : p->layer.scale * key[a] * query[a];
    return sum;
}

static bool is_hidden(const problem *p, size_t b, size_t n)
{
    return p->hides && p->hidden[(p->per_row ? b * p->layer.cells : 0) + n] != 0;
}

static void softmax(const problem *p, size_t b, const double *scores, double *weights)
{
    double highest = -INFINITY, sum = 0;
    size_t cells = p->layer.cells;
    for (size_t n = 0; n < cells; n++)
        if (!is_hidden(p, b, n))
            highest = fmax(highest, scores[n]);
    for (size_t n = 0; n < cells; n++) {
        weights[n] = is_hidden(p, b, n) ? 0 : exp(scores[n] - highest);
        sum += weights[n];
    }
    for (size_t n = 0; n < cells && sum > 0; n++)
        weights[n] /= sum;
}

static void forward_one(problem *p, size_t b)
{
    size_t cells = p->layer.cells, depth = p->layer.depth, size = p->layer.keys;
    size_t picture = p->layer.shared ? 0 : b;
    double temperature = p->layer.temperature == 0 ? 1 : p->layer.temperature;
    double *weights = p->weights + b * cells;
    for (size_t n = 0; n < cells; n++)
        weights[n] =
            raw_score(p, p->keys + (picture * cells + n) * size, p->query + b * size) / temperature;
    softmax(p, b, weights, weights);
    p->beta[b] = p->gateless ? 1 : 1 / (1 + exp(-p->gate[b]));
    for (size_t d = 0; d < depth; d++) {
        double sum = 0;
        for (size_t n = 0; n < cells; n++)
            sum += weights[n] * p->features[(picture * cells + n) * depth + d];
        p->context[b * depth + d] = sum;
        p->z[b * depth + d] = p->beta[b] * sum;
    }
}

static double loss(void *context)
{
    problem *p = context;
    for (size_t b = 0; b < p->layer.batch; b++)
        forward_one(p, b);
    double total = reference_dot(p->z, p->dz, p->layer.batch * p->layer.depth);
    if (p->weighs)
        total += reference_dot(p->weights, p->dweights, p->layer.batch * p->layer.cells);
    return total;
}

/* ---------------------------------------------------------------- problems */

static double *numbers(size_t count, unsigned seed, double factor)
{
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    reference_fill(x, count, seed);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(x[i] * factor);
    return x;
}

static void make(problem *p, unsigned seed)
{
    size_t batch = p->layer.batch, of_cells = pictures(p) * p->layer.cells;
    size_t depth = p->layer.depth, keys = p->layer.keys;
    p->features = numbers(of_cells * depth, seed + 1, 2);
    p->keys = numbers(of_cells * keys, seed + 2, 2);
    p->v = numbers(keys, seed + 3, 2);
    p->query = numbers(batch * keys, seed + 4, 2);
    p->gate = numbers(batch, seed + 5, 3);
    p->hidden = numbers(batch * p->layer.cells, seed + 6, 0);
    for (size_t n = 0; n < batch * p->layer.cells; n++)
        p->hidden[n] = n % p->layer.cells % 3 == (1 + n / p->layer.cells) % 3;
    p->dz = numbers(batch * depth, seed + 7, 1);
    p->dweights = numbers(batch * p->layer.cells, seed + 8, 1);
    p->beta = numbers(batch, 0, 0);
    p->weights = numbers(batch * p->layer.cells, 0, 0);
    p->context = numbers(batch * depth, 0, 0);
    p->z = numbers(batch * depth, 0, 0);
}

static void differentiate(problem *p)
{
    size_t batch = p->layer.batch, of_cells = pictures(p) * p->layer.cells;
    size_t depth = p->layer.depth, keys = p->layer.keys;
    p->dfeatures = numbers(of_cells * depth, 0, 0);
    p->dkeys = numbers(of_cells * keys, 0, 0);
    p->dv = numbers(keys, 0, 0);
    p->dquery = numbers(batch * keys, 0, 0);
    p->dgate = numbers(batch, 0, 0);
    reference_differences(loss, p, p->features, of_cells * depth, p->dfeatures);
    reference_differences(loss, p, p->keys, of_cells * keys, p->dkeys);
    reference_differences(loss, p, p->v, keys, p->dv);
    reference_differences(loss, p, p->query, batch * keys, p->dquery);
    reference_differences(loss, p, p->gate, batch, p->dgate);
    loss(p);
}

static void problem_free(problem *p)
{
    double *all[] = {p->features,  p->keys,    p->v,       p->query,  p->gate, p->hidden,
                     p->beta,      p->weights, p->context, p->z,      p->dz,   p->dweights,
                     p->dfeatures, p->dkeys,   p->dv,      p->dquery, p->dgate};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---------------------------------------------------------------- on the device */

static sac_cross_attention_spans upload(const problem *p)
{
    size_t batch = p->layer.batch, of_cells = pictures(p) * p->layer.cells;
    sac_cross_attention_spans s = {
        .features = reference_span(p->features, of_cells * p->layer.depth),
        .keys = reference_span(p->keys, of_cells * p->layer.keys),
        .query = reference_span(p->query, batch * p->layer.keys),
        .weights = reference_span(NULL, batch * p->layer.cells),
        .context = reference_span(NULL, batch * p->layer.depth),
        .z = reference_span(NULL, batch * p->layer.depth),
    };
    if (p->layer.score == SAC_SCORE_ADDITIVE)
        s.v = reference_span(p->v, p->layer.keys);
    if (!p->gateless)
        s.gate = reference_span(p->gate, batch);
    size_t rows = p->per_row ? batch : 1, cells = p->layer.cells;
    if (p->hides)
        s.padding = reference_tensor(reference_span(p->hidden, rows * cells), rows, cells);
    return s;
}

static void release(sac_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sac_span_release(&spans[i]);
}

/* Runs forward and holds it to the loss's own values. */
static sac_cross_attention_spans check_forward(const problem *p)
{
    size_t batch = p->layer.batch, depth = p->layer.depth;
    sac_cross_attention_spans s = upload(p);
    sac_cross_attention_forward(reference_pass(), &p->layer, &s);
    reference_end();
    reference_check(s.weights, p->weights, batch * p->layer.cells, TOLERANCE, "weights");
    reference_check(s.context, p->context, batch * depth, TOLERANCE, "context");
    reference_check(s.z, p->z, batch * depth, TOLERANCE, "z");
    if (!p->gateless)
        reference_check(s.gate, p->beta, batch, TOLERANCE, "gate");
    return s;
}

static void release_spans(sac_cross_attention_spans *s)
{
    sac_span all[] = {s->features, s->keys,    s->v, s->query, s->gate, sac_tensor_span(s->padding),
                      s->weights,  s->context, s->z};
    release(all, sizeof all / sizeof *all);
}

/* What backward adds to begins with `offset` everywhere. */
static sac_span filled(size_t count, double offset)
{
    double *x = numbers(count, 0, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = offset;
    sac_span span = reference_span(x, count);
    free(x);
    return span;
}

static void check_added(sac_span span, const double *gradient, size_t count, double offset,
                        const char *name)
{
    double *x = numbers(count, 0, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = gradient[i] + offset;
    reference_check(span, x, count, TOLERANCE, name);
    free(x);
}

static void check_backward(const problem *p, const sac_cross_attention_spans *s)
{
    const double offset = 0.25;
    size_t batch = p->layer.batch, of_cells = pictures(p) * p->layer.cells;
    size_t depth = p->layer.depth, keys = p->layer.keys;
    bool additive = p->layer.score == SAC_SCORE_ADDITIVE;
    sac_cross_attention_gradients g = {
        .dz = reference_span(p->dz, batch * depth),
        .dfeatures = filled(of_cells * depth, offset),
        .dkeys = filled(of_cells * keys, offset),
        .dquery = reference_span(NULL, batch * keys),
    };
    if (!p->gateless)
        g.dgate = reference_span(NULL, batch);
    if (p->weighs)
        g.dweights = reference_span(p->dweights, batch * p->layer.cells);
    if (additive)
        g.dv = filled(keys, offset);
    reference_scratch(sac_cross_attention_scratch(&p->layer));
    sac_cross_attention_backward(reference_pass(), &p->layer, s, &g);
    reference_end();
    check_added(g.dfeatures, p->dfeatures, of_cells * depth, offset, "dfeatures");
    check_added(g.dkeys, p->dkeys, of_cells * keys, offset, "dkeys");
    if (additive)
        check_added(g.dv, p->dv, keys, offset, "dv");
    reference_check(g.dquery, p->dquery, batch * keys, TOLERANCE, "dquery");
    if (!p->gateless)
        reference_check(g.dgate, p->dgate, batch, TOLERANCE, "dgate");
    reference_check_scratch();
    sac_span all[] = {g.dz, g.dweights, g.dfeatures, g.dkeys, g.dv, g.dquery, g.dgate};
    release(all, sizeof all / sizeof *all);
}

static void check_gradients(problem p, unsigned seed)
{
    make(&p, seed);
    differentiate(&p);
    sac_cross_attention_spans s = check_forward(&p);
    check_backward(&p, &s);
    release_spans(&s);
    problem_free(&p);
}

/* ---------------------------------------------------------------- tests */

static const struct {
    size_t batch, cells, depth, keys;
} sizes[] = {{3, 7, 5, 9}, {1, 1, 1, 1}, {2, 19, 33, 17}, {2, 33, 16, 70}, {1, 5, 140, 3}};

static const struct {
    sac_score score;
    float scale, temperature;
} scores[] = {{SAC_SCORE_ADDITIVE, 0, 0},
              {SAC_SCORE_SCALED_DOT, 0.35f, 0},
              {SAC_SCORE_BILINEAR, 0.5f, 0},
              {SAC_SCORE_ADDITIVE, 0, 2.5f},
              {SAC_SCORE_SCALED_DOT, 0.35f, 0.4f}};

static problem problem_of(size_t score, size_t size)
{
    return (problem){.layer = {.score = scores[score].score,
                               .batch = sizes[size].batch,
                               .cells = sizes[size].cells,
                               .depth = sizes[size].depth,
                               .keys = sizes[size].keys,
                               .scale = scores[score].scale,
                               .temperature = scores[score].temperature}};
}

static void every_score_and_size_has_the_right_gradients(void **state)
{
    (void)state;
    size_t most = reference_is_oclgrind() ? 2 : sizeof sizes / sizeof *sizes;
    for (size_t score = 0; score < sizeof scores / sizeof *scores; score++)
        for (size_t size = 0; size < most; size++) {
            problem p = problem_of(score, size);
            p.weighs = (score + size) % 2;
            check_gradients(p, (unsigned)(10 * score + size));
        }
}

static void hidden_cells_get_no_weight_and_no_gradient(void **state)
{
    (void)state;
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.hides = p.weighs = true;
        make(&p, 77);
        differentiate(&p);
        sac_cross_attention_spans s = check_forward(&p);
        check_backward(&p, &s);
        float weights[3 * 7];
        sac_error error = {0};
        reference_ok(sac_span_read(reference_device(), s.weights, 21, weights, &error), &error);
        for (size_t i = 0; i < 21; i++)
            assert_true((weights[i] == 0) == is_hidden(&p, 0, i % 7));
        release_spans(&s);
        problem_free(&p);
    }
}

/* As sentences of a batch are, which have lengths of their own. */
static void every_row_of_a_batch_has_its_own_padding(void **state)
{
    (void)state;
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.hides = p.per_row = p.weighs = true;
        check_gradients(p, 82);
    }
}

static void without_a_gate_it_is_open(void **state)
{
    (void)state;
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.gateless = true;
        check_gradients(p, 83);
    }
}

static void all_hidden_is_zero_and_no_nan(void **state)
{
    (void)state;
    problem p = problem_of(0, 0);
    p.hides = p.weighs = true;
    make(&p, 78);
    for (size_t n = 0; n < p.layer.cells; n++)
        p.hidden[n] = 1;
    differentiate(&p); /* which gives 0 everywhere, and so does the device */
    assert_true(p.z[0] == 0 && p.dgate[0] == 0);
    sac_cross_attention_spans s = check_forward(&p);
    check_backward(&p, &s);
    release_spans(&s);
    problem_free(&p);
}

static void one_picture_is_shared_by_a_batch(void **state)
{
    (void)state;
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.layer.shared = p.hides = true;
        make(&p, 79);
        loss(&p);
        sac_cross_attention_spans s = check_forward(&p);
        release_spans(&s);
        problem_free(&p);
    }
}

/* Scores of some thousand: e^score is no float. */
static void large_scores_do_not_overflow(void **state)
{
    (void)state;
    problem p = problem_of(1, 0);
    p.layer.scale = 500;
    make(&p, 80);
    loss(&p);
    sac_cross_attention_spans s = check_forward(&p);
    release_spans(&s);
    problem_free(&p);
}

/* The size that a captioner is trained at, but for the batch: gradients in double would take
 * minutes by differences, and forward is what all of them stand on. */
static void the_real_size_is_right(void **state)
{
    (void)state;
    if (reference_is_oclgrind())
        skip();
    problem p = {.layer = {SAC_SCORE_ADDITIVE, .batch = 8, .cells = 196, .depth = 128, .keys = 96}};
    make(&p, 81);
    loss(&p);
    sac_cross_attention_spans s = check_forward(&p);
    release_spans(&s);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_score_and_size_has_the_right_gradients),
        cmocka_unit_test(hidden_cells_get_no_weight_and_no_gradient),
        cmocka_unit_test(every_row_of_a_batch_has_its_own_padding),
        cmocka_unit_test(without_a_gate_it_is_open),
        cmocka_unit_test(all_hidden_is_zero_and_no_nan),
        cmocka_unit_test(one_picture_is_shared_by_a_batch),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(the_real_size_is_right),
    };
    return cmocka_run_group_tests_name("cross_attention", tests, NULL, reference_close);
}
