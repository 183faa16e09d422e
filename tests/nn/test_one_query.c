/* The attention layer with weights, one query for each item of a batch, and its gradients are those
 * of a plain double-precision one, for every score. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/one_query.h"
#include "reference.h"
#include "test.h"

#define TOLERANCE                                                                                  \
    2e-5 /* of the largest: tanh_fast is 1e-7 off, and sums have some hundred terms                \
          */

/* The layer in double, and what its loss Σ dz z + dweights α is made of. */
typedef struct problem {
    struct {
        sac_score score;
        float scale;
        size_t batch, keys, value_dim, dim; /* B, Tk, dv, d */
        bool shared;                        /* keys, values and padding are one item's */
    } layer;
    size_t from, to;    /* the items that the loss is of */
    bool hides, weighs; /* hides keys, others for each item; the loss asks something of α */
    bool gateless;
    double *value, *key, *w_v, *query, *gate;
    uint8_t *hidden;
    double *beta, *weights, *context, *output;
    double *doutput, *dweights;
    double *dvalue, *dkey, *dw_v, *dquery, *dgate;
} problem;

/* Items that have keys and values of their own. */
static size_t items(const problem *p)
{
    return p->layer.shared ? 1 : p->layer.batch;
}

/* ---------------------------------------------------------------- in double */

static double raw_score(const problem *p, const double *key, const double *query)
{
    double sum = 0;
    for (size_t a = 0; a < p->layer.dim; a++)
        sum += p->layer.score == SAC_SCORE_ADDITIVE ? p->w_v[a] * tanh(key[a] + query[a])
                                                    : key[a] * query[a];
    return p->layer.scale * sum;
}

static bool is_hidden(const problem *p, size_t b, size_t n)
{
    return p->hides && p->hidden[(p->layer.shared ? 0 : b * p->layer.keys) + n] != 0;
}

static void softmax(const problem *p, size_t b, const double *scores, double *weights)
{
    double highest = -INFINITY, sum = 0;
    size_t keys = p->layer.keys;
    for (size_t n = 0; n < keys; n++)
        if (!is_hidden(p, b, n))
            highest = fmax(highest, scores[n]);
    for (size_t n = 0; n < keys; n++) {
        weights[n] = is_hidden(p, b, n) ? 0 : exp(scores[n] - highest);
        sum += weights[n];
    }
    for (size_t n = 0; n < keys && sum > 0; n++)
        weights[n] /= sum;
}

static void forward_one(problem *p, size_t b)
{
    size_t keys = p->layer.keys, columns = p->layer.value_dim, dim = p->layer.dim;
    size_t item = p->layer.shared ? 0 : b;
    double *weights = p->weights + b * keys;
    for (size_t n = 0; n < keys; n++)
        weights[n] = raw_score(p, p->key + (item * keys + n) * dim, p->query + b * dim);
    softmax(p, b, weights, weights);
    p->beta[b] = p->gateless ? 1 : 1 / (1 + exp(-p->gate[b]));
    for (size_t c = 0; c < columns; c++) {
        double sum = 0;
        for (size_t n = 0; n < keys; n++)
            sum += weights[n] * p->value[(item * keys + n) * columns + c];
        p->context[b * columns + c] = sum;
        p->output[b * columns + c] = p->beta[b] * sum;
    }
}

static double loss(void *context)
{
    problem *p = context;
    double total = 0;
    for (size_t b = p->from; b < p->to; b++) {
        size_t columns = p->layer.value_dim, keys = p->layer.keys;
        forward_one(p, b);
        total += reference_dot(p->output + b * columns, p->doutput + b * columns, columns);
        if (p->weighs)
            total += reference_dot(p->weights + b * keys, p->dweights + b * keys, keys);
    }
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
    size_t batch = p->layer.batch, of_keys = items(p) * p->layer.keys;
    size_t columns = p->layer.value_dim, dim = p->layer.dim;
    p->value = numbers(of_keys * columns, seed + 1, 2);
    p->key = numbers(of_keys * dim, seed + 2, 2);
    p->w_v = numbers(dim, seed + 3, 2);
    p->query = numbers(batch * dim, seed + 4, 2);
    p->gate = numbers(batch, seed + 5, 3);
    p->hidden = calloc(of_keys, 1);
    assert_non_null(p->hidden);
    for (size_t n = 0; n < of_keys; n++)
        p->hidden[n] = n % p->layer.keys % 3 == (1 + n / p->layer.keys) % 3;
    p->doutput = numbers(batch * columns, seed + 7, 1);
    p->dweights = numbers(batch * p->layer.keys, seed + 8, 1);
    p->beta = numbers(batch, 0, 0);
    p->weights = numbers(batch * p->layer.keys, 0, 0);
    p->context = numbers(batch * columns, 0, 0);
    p->output = numbers(batch * columns, 0, 0);
    p->to = batch;
}

/* Of `x`, `each` numbers to an item, which its own part of the loss alone depends on. */
static void differentiate_items(problem *p, double *x, size_t each, double *gradient)
{
    for (size_t b = 0; b < p->layer.batch; b++) {
        p->from = b;
        p->to = b + 1;
        reference_differences(loss, p, x + b * each, each, gradient + b * each);
    }
    p->from = 0;
    p->to = p->layer.batch;
}

/* Where each item has keys and values of its own. */
static void differentiate(problem *p)
{
    size_t batch = p->layer.batch, keys = p->layer.keys;
    size_t columns = p->layer.value_dim, dim = p->layer.dim;
    assert_false(p->layer.shared);
    p->dvalue = numbers(batch * keys * columns, 0, 0);
    p->dkey = numbers(batch * keys * dim, 0, 0);
    p->dw_v = numbers(dim, 0, 0);
    p->dquery = numbers(batch * dim, 0, 0);
    p->dgate = numbers(batch, 0, 0);
    differentiate_items(p, p->value, keys * columns, p->dvalue);
    differentiate_items(p, p->key, keys * dim, p->dkey);
    reference_differences(loss, p, p->w_v, dim, p->dw_v);
    differentiate_items(p, p->query, dim, p->dquery);
    differentiate_items(p, p->gate, 1, p->dgate);
    loss(p);
}

static void problem_free(problem *p)
{
    void *all[] = {p->value,  p->key,     p->w_v,     p->query,  p->gate,    p->hidden,
                   p->beta,   p->weights, p->context, p->output, p->doutput, p->dweights,
                   p->dvalue, p->dkey,    p->dw_v,    p->dquery, p->dgate};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---------------------------------------------------------------- on the device */

typedef struct on_device {
    sac_attention_layer layer;
    sac_attention_tensors tensors;
    sac_parameter w_v;
} on_device;

static sac_tensor uploaded(const double *x, size_t rows, size_t width)
{
    return reference_tensor(reference_span(x, rows * width), rows, width);
}

static void upload(const problem *p, on_device *d)
{
    size_t batch = p->layer.batch, of_keys = items(p) * p->layer.keys;
    sac_error error = {0};
    *d = (on_device){
        .layer = {.spec = {.score = p->layer.score, .use_scale = true, .scale = p->layer.scale},
                  .batch = batch,
                  .shared = p->layer.shared}};
    d->tensors = (sac_attention_tensors){
        .query = uploaded(p->query, batch, p->layer.dim),
        .key = uploaded(p->key, of_keys, p->layer.dim),
        .value = uploaded(p->value, of_keys, p->layer.value_dim),
        .output = uploaded(NULL, batch, p->layer.value_dim),
        .weights = uploaded(NULL, batch, p->layer.keys),
    };
    if (p->layer.score == SAC_SCORE_ADDITIVE) {
        d->w_v.value = uploaded(p->w_v, 1, p->layer.dim);
        d->layer.w_v = &d->w_v;
    }
    if (!p->gateless) {
        d->tensors.gate = uploaded(p->gate, batch, 1);
        d->tensors.context = uploaded(NULL, batch, p->layer.value_dim);
    }
    if (p->hides)
        reference_ok(
            sac_buffer_create(reference_device(), of_keys, p->hidden, &d->layer.padding, &error),
            &error);
}

static void check(sac_tensor x, const double *wanted, const char *name)
{
    reference_check(sac_tensor_span(x), wanted, sac_tensor_count(x), TOLERANCE, name);
}

/* Runs forward and holds it to the loss's own values. */
static void check_forward(const problem *p, on_device *d)
{
    upload(p, d);
    sac_attention_layer_forward(reference_pass(), &d->layer, &d->tensors);
    reference_end();
    check(d->tensors.weights, p->weights, "weights");
    check(d->tensors.output, p->output, "output");
    if (!p->gateless) {
        check(d->tensors.context, p->context, "context");
        check(d->tensors.gate, p->beta, "gate");
    }
}

static void release(const sac_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sac_buffer_release(tensors[i].buffer);
}

static void release_device(on_device *d)
{
    const sac_attention_tensors *t = &d->tensors;
    sac_tensor all[] = {t->query,   t->key,  t->value,   t->output,
                        t->weights, t->gate, t->context, d->w_v.value};
    release(all, sizeof all / sizeof *all);
    sac_buffer_release(d->layer.padding);
}

/* What backward adds to begins with this everywhere. */
static const double OFFSET = 0.25;

static sac_tensor begun(size_t rows, size_t width)
{
    double *x = numbers(rows * width, 0, 0);
    for (size_t i = 0; i < rows * width; i++)
        x[i] = OFFSET;
    sac_tensor tensor = uploaded(x, rows, width);
    free(x);
    return tensor;
}

static void check_added(sac_tensor x, const double *gradient, const char *name)
{
    double *wanted = numbers(sac_tensor_count(x), 0, 0);
    for (size_t i = 0; i < sac_tensor_count(x); i++)
        wanted[i] = gradient[i] + OFFSET;
    check(x, wanted, name);
    free(wanted);
}

static sac_attention_slopes slopes_of(const problem *p)
{
    size_t batch = p->layer.batch, of_keys = items(p) * p->layer.keys;
    sac_attention_slopes s = {
        .doutput = uploaded(p->doutput, batch, p->layer.value_dim),
        .dquery = uploaded(NULL, batch, p->layer.dim),
        .dkey = begun(of_keys, p->layer.dim),
        .dvalue = begun(of_keys, p->layer.value_dim),
    };
    if (!p->gateless)
        s.dgate = uploaded(NULL, batch, 1);
    if (p->weighs)
        s.dweights = uploaded(p->dweights, batch, p->layer.keys);
    return s;
}

/* After forward. */
static void check_backward(const problem *p, on_device *d)
{
    sac_attention_slopes s = slopes_of(p);
    if (d->layer.w_v)
        d->w_v.gradient = begun(1, p->layer.dim);
    reference_scratch(sac_one_query_scratch(&d->layer, &d->tensors));
    sac_attention_layer_backward(reference_pass(), &d->layer, &d->tensors, &s);
    reference_end();
    check_added(s.dvalue, p->dvalue, "dvalue");
    check_added(s.dkey, p->dkey, "dkey");
    if (d->layer.w_v)
        check_added(d->w_v.gradient, p->dw_v, "dw_v");
    check(s.dquery, p->dquery, "dquery");
    if (!p->gateless)
        check(s.dgate, p->dgate, "dgate");
    reference_check_scratch();
    sac_tensor all[] = {s.doutput, s.dweights, s.dvalue,       s.dkey,
                        s.dquery,  s.dgate,    d->w_v.gradient};
    release(all, sizeof all / sizeof *all);
}

static void check_gradients(problem p, unsigned seed)
{
    on_device d;
    make(&p, seed);
    differentiate(&p);
    check_forward(&p, &d);
    check_backward(&p, &d);
    release_device(&d);
    problem_free(&p);
}

static void check_forward_alone(problem p, unsigned seed)
{
    on_device d;
    make(&p, seed);
    loss(&p);
    check_forward(&p, &d);
    release_device(&d);
    problem_free(&p);
}

/* ---------------------------------------------------------------- tests */

static const struct {
    size_t batch, keys, value_dim, dim;
} sizes[] = {{3, 7, 5, 9}, {1, 1, 1, 1}, {2, 19, 33, 17}, {2, 33, 16, 70}, {1, 5, 140, 3}};

static const struct {
    sac_score score;
    float scale;
} scores[] = {{SAC_SCORE_ADDITIVE, 1},
              {SAC_SCORE_SCALED_DOT, 0.35f},
              {SAC_SCORE_BILINEAR, 0.5f},
              {SAC_SCORE_ADDITIVE, 0.4f},
              {SAC_SCORE_DOT, 0.875f}};

static problem problem_of(size_t score, size_t size)
{
    return (problem){.layer = {.score = scores[score].score,
                               .scale = scores[score].scale,
                               .batch = sizes[size].batch,
                               .keys = sizes[size].keys,
                               .value_dim = sizes[size].value_dim,
                               .dim = sizes[size].dim}};
}

TEST(every_score_and_size_has_the_right_gradients)
{
    size_t most = reference_is_oclgrind() ? 2 : sizeof sizes / sizeof *sizes;
    for (size_t score = 0; score < sizeof scores / sizeof *scores; score++)
        for (size_t size = 0; size < most; size++) {
            problem p = problem_of(score, size);
            p.weighs = (score + size) % 2;
            check_gradients(p, (unsigned)(10 * score + size));
        }
}

/* As sentences of a batch are, which have lengths of their own. */
TEST(padding_gets_no_weight_and_no_gradient)
{
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        on_device d;
        p.hides = p.weighs = true;
        make(&p, 77);
        differentiate(&p);
        check_forward(&p, &d);
        check_backward(&p, &d);
        float weights[3 * 7];
        sac_error error = {0};
        reference_ok(sac_span_read(reference_device(), sac_tensor_span(d.tensors.weights), 21,
                                   weights, &error),
                     &error);
        for (size_t i = 0; i < 21; i++)
            assert_true((weights[i] == 0) == is_hidden(&p, i / 7, i % 7));
        release_device(&d);
        problem_free(&p);
    }
}

TEST(without_a_gate_it_is_open)
{
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.gateless = true;
        check_gradients(p, 83);
    }
}

TEST(all_hidden_is_zero_and_no_nan)
{
    problem p = problem_of(0, 0);
    on_device d;
    p.hides = p.weighs = true;
    make(&p, 78);
    memset(p.hidden, 1, p.layer.batch * p.layer.keys);
    differentiate(&p); /* which gives 0 everywhere, and so does the device */
    assert_true(p.output[0] == 0 && p.dgate[0] == 0);
    check_forward(&p, &d);
    check_backward(&p, &d);
    release_device(&d);
    problem_free(&p);
}

TEST(one_item_is_shared_by_a_batch)
{
    for (size_t score = 0; score < 2; score++) {
        problem p = problem_of(score, 0);
        p.layer.shared = p.hides = true;
        check_forward_alone(p, 79);
    }
}

/* Scores of some thousand: e^score is no float. */
TEST(large_scores_do_not_overflow)
{
    problem p = problem_of(1, 0);
    p.layer.scale = 500;
    check_forward_alone(p, 80);
}

/* The size that a captioner is trained at, but for the batch: gradients in double would take
 * minutes by differences, and forward is what all of them stand on. */
TEST(the_real_size_is_right)
{
    if (reference_is_oclgrind())
        skip();
    problem p = {.layer = {.score = SAC_SCORE_ADDITIVE,
                           .scale = 1,
                           .batch = 8,
                           .keys = 196,
                           .value_dim = 128,
                           .dim = 96}};
    check_forward_alone(p, 81);
}

TEST_MAIN(NULL, reference_close)
