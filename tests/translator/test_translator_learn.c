/* The gradient of the whole translator against central differences of the same model written down
 * once more, in doubles and plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "translator/learn.h"

enum {
    BATCH = 3,
    SOURCE = 4, /* steps, and words of the longest sentence */
    STEPS = 4,
    ATTENTION = 5,
    HIDDEN = 4,
    DEPTH = 2 * HIDDEN,
    EMBEDDING = 3,
    ENGLISH = 7,
    FRENCH = 6,
    GATES = 3 * HIDDEN
};
static const float alignment_weight = 0.3f;

static sac_device *device;

static void ok(sac_status status, const sac_error *error)
{
    char line[1200];
    if (status != SAC_OK)
        fail_msg("%s", sac_error_line(error, line, sizeof line));
}

static sac_translator_shape tiny(sac_score score, bool attends)
{
    return (sac_translator_shape){
        .attends = attends,
        .score = score,
        .attention = ATTENTION,
        .hidden = HIDDEN,
        .embedding = EMBEDDING,
        .source_words = ENGLISH,
        .target_words = FRENCH,
    };
}

/* Uniform in ±1. */
static double rng(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

/* ---------------------------------------------------------------- the model in doubles */

typedef struct model {
    sac_translator_shape shape;
    sac_parameter *const *list;
    int count;
    double *values[48]; /* of each parameter */
    const sac_sentence_batch *batch;
} model;

static const double *value(const model *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->list[i]->name, name) == 0)
            return m->values[i];
    fail_msg("no parameter is called %s", name);
    return NULL;
}

/* y[out] += W [out,in] x[in] (+ b). */
static void linear(const double *w, const double *b, const double *x, int in, int out, double *y)
{
    for (int o = 0; o < out; o++) {
        y[o] += b ? b[o] : 0;
        for (int i = 0; i < in; i++)
            y[o] += w[o * in + i] * x[i];
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* torch.nn.GRU's step, from the two sums; h is the state before and then after. */
static void gru(const double in[GATES], const double own[GATES], double h[HIDDEN])
{
    for (int i = 0; i < HIDDEN; i++) {
        double reset = sigmoid(in[i] + own[i]);
        double update = sigmoid(in[HIDDEN + i] + own[HIDDEN + i]);
        double candidate = tanh(in[2 * HIDDEN + i] + reset * own[2 * HIDDEN + i]);
        h[i] = (1 - update) * candidate + update * h[i];
    }
}

/* One direction of the encoder over sentence `b`: its half of h, from column `first` on, and of
 * `last`. */
static void read_direction(const model *m, const char *ending, int b, bool back,
                           double h[SOURCE][DEPTH], double last[DEPTH])
{
    char name[4][48];
    static const char *const kinds[] = {"weight_ih", "bias_ih", "weight_hh", "bias_hh"};
    const sac_source_words *source = &m->batch->source;
    int length = source->lengths[b], first = back ? HIDDEN : 0;
    double state[HIDDEN] = {0};
    for (int i = 0; i < 4; i++)
        snprintf(name[i], sizeof name[i], "encoder.%s_l0%s", kinds[i], ending);
    for (int step = 0; step < length; step++) {
        int n = back ? length - 1 - step : step;
        double in[GATES] = {0}, own[GATES] = {0};
        const double *x = value(m, "source.embedding") + source->words[n * BATCH + b] * EMBEDDING;
        linear(value(m, name[0]), value(m, name[1]), x, EMBEDDING, GATES, in);
        linear(value(m, name[2]), value(m, name[3]), state, HIDDEN, GATES, own);
        gru(in, own, state);
        memcpy(h[n] + first, state, sizeof state);
    }
    memcpy(last + first, state, sizeof state);
}

static double score(const model *m, const double *state, const double *h)
{
    bool bilinear = m->shape.score == SAC_SCORE_BILINEAR;
    double query[DEPTH] = {0}, key[DEPTH] = {0}, sum = 0;
    int width = bilinear ? DEPTH : ATTENTION;
    linear(value(m, "attention.query.weight"), NULL, state, HIDDEN, width, query);
    if (bilinear)
        memcpy(key, h, sizeof key);
    else
        linear(value(m, "attention.key.weight"), value(m, "attention.key.bias"), h, DEPTH, width,
               key);
    for (int a = 0; a < width; a++)
        sum += m->shape.score == SAC_SCORE_ADDITIVE
                   ? value(m, "attention.v")[a] * tanh(query[a] + key[a])
                   : query[a] * key[a];
    if (m->shape.score == SAC_SCORE_SCALED_DOT)
        return sum / sqrt(ATTENTION);
    return bilinear ? sum / pow(DEPTH * HIDDEN, 0.25) : sum;
}

/* Weights α [S] and what is seen, z [2H]. */
static void attend(const model *m, int length, const double *state, double h[SOURCE][DEPTH],
                   double *weights, double *z)
{
    double sum = 0;
    memset(z, 0, DEPTH * sizeof *z);
    for (int n = 0; n < length; n++)
        sum += weights[n] = exp(score(m, state, h[n]));
    for (int n = 0; n < length; n++) {
        weights[n] /= sum;
        for (int i = 0; i < DEPTH; i++)
            z[i] += weights[n] * h[n][i];
    }
}

/* −log p of `wanted`. */
static double surprise(const model *m, const double *word, const double *state, const double *z,
                       int wanted)
{
    double mixed[EMBEDDING], logits[FRENCH] = {0}, sum = 0;
    memcpy(mixed, word, sizeof mixed);
    linear(value(m, "target.state.weight"), NULL, state, HIDDEN, EMBEDDING, mixed);
    linear(value(m, "target.context.weight"), NULL, z, DEPTH, EMBEDDING, mixed);
    linear(value(m, "target.out.weight"), value(m, "target.out.bias"), mixed, EMBEDDING, FRENCH,
           logits);
    for (int i = 0; i < FRENCH; i++)
        sum += exp(logits[i]);
    return log(sum) - logits[wanted];
}

static void decoder_step(const model *m, const double *word, const double *z, double *state)
{
    double in[GATES] = {0}, own[GATES] = {0};
    linear(value(m, "decoder.word.weight"), value(m, "decoder.bias"), word, EMBEDDING, GATES, in);
    linear(value(m, "decoder.context.weight"), NULL, z, DEPTH, GATES, in);
    linear(value(m, "decoder.state.weight"), value(m, "decoder.state.bias"), state, HIDDEN, GATES,
           own);
    gru(in, own, state);
}

/* Sums over sentence `b`, not yet means: words, −log of the weight on the right words. */
static void translate(const model *m, int b, double sums[2])
{
    const sac_sentence_batch *batch = m->batch;
    double h[SOURCE][DEPTH] = {{0}}, last[DEPTH], state[HIDDEN] = {0}, z[DEPTH];
    double weights[SOURCE] = {0};
    read_direction(m, "", b, false, h, last);
    read_direction(m, "_reverse", b, true, h, last);
    linear(value(m, "start.weight"), value(m, "start.bias"), last, DEPTH, HIDDEN, state);
    for (int i = 0; i < HIDDEN; i++)
        state[i] = tanh(state[i]);
    for (int t = 0; t < batch->lengths[b]; t++) {
        int at = t * BATCH + b;
        const double *word = value(m, "target.embedding") + batch->inputs[at] * EMBEDDING;
        memcpy(z, last, sizeof z);
        if (m->shape.attends)
            attend(m, batch->source.lengths[b], state, h, weights, z);
        decoder_step(m, word, z, state);
        if (batch->targets[at] >= 0)
            sums[0] += surprise(m, word, state, z, batch->targets[at]);
        double mass = 1e-6;
        for (int n = 0; n < SOURCE; n++)
            mass += weights[n] * batch->links[(b * STEPS + t) * SOURCE + n];
        sums[1] -= m->shape.attends && batch->linked[at] >= 0 ? log(mass) : 0;
    }
}

static void losses_of(const model *m, double losses[2])
{
    double sums[2] = {0};
    int words = 0, linked = 0;
    for (int i = 0; i < BATCH * STEPS; i++) {
        words += m->batch->targets[i] >= 0;
        linked += m->batch->linked[i] >= 0;
    }
    for (int b = 0; b < BATCH; b++)
        translate(m, b, sums);
    losses[0] = sums[0] / words;
    losses[1] = (double)alignment_weight * sums[1] / linked;
}

static double loss_of(const model *m)
{
    double losses[2];
    losses_of(m, losses);
    return losses[0] + losses[1];
}

/* ---------------------------------------------------------------- batches and weights */

/* What a batch lends. */
typedef struct numbers {
    int words[SOURCE * BATCH], reversed[SOURCE * BATCH], source_lengths[BATCH];
    float padding[BATCH * SOURCE], links[BATCH * STEPS * SOURCE];
    int inputs[STEPS * BATCH], targets[STEPS * BATCH], lengths[BATCH], linked[STEPS * BATCH];
} numbers;

static int pick(unsigned *seed, int count)
{
    return (int)((rng(seed) + 1) * 0.4999 * count);
}

static void make_source(numbers *n, const int lengths[BATCH], unsigned *seed)
{
    for (int b = 0; b < BATCH; b++) {
        int length = n->source_lengths[b] = lengths[b];
        for (int i = 0; i < SOURCE; i++) {
            n->words[i * BATCH + b] = i < length ? pick(seed, ENGLISH) : 0;
            n->padding[b * SOURCE + i] = i < length ? 0 : 1;
        }
        for (int i = 0; i < SOURCE; i++)
            n->reversed[i * BATCH + b] = i < length ? n->words[(length - 1 - i) * BATCH + b] : 0;
    }
}

/* The translations' lengths are in no order; one word stands for nothing. */
static void make_target(numbers *n, unsigned *seed)
{
    static const int lengths[BATCH] = {3, 4, 2};
    memcpy(n->lengths, lengths, sizeof lengths);
    for (int i = 0; i < STEPS * BATCH; i++) {
        int t = i / BATCH, b = i % BATCH;
        bool said = t < lengths[b];
        n->targets[i] = said ? pick(seed, FRENCH) : -1;
        n->inputs[i] = t == 0 ? 1 : n->targets[i - BATCH] < 0 ? 0 : n->targets[i - BATCH];
        n->linked[i] = said && i != BATCH ? t : -1;
        if (n->linked[i] >= 0)
            n->links[(b * STEPS + t) * SOURCE + pick(seed, n->source_lengths[b])] = 1;
    }
}

static sac_sentence_batch make_batch(numbers *n, const int lengths[BATCH], unsigned seed)
{
    *n = (numbers){{0}};
    make_source(n, lengths, &seed);
    make_target(n, &seed);
    return (sac_sentence_batch){
        .source = {BATCH, SOURCE, n->words, n->reversed, n->source_lengths, n->padding},
        .steps = STEPS,
        .inputs = n->inputs,
        .targets = n->targets,
        .lengths = n->lengths,
        .links = n->links,
        .linked = n->linked,
    };
}

/* Weights as they begin, all of them moved a little (biases begin at zero), on the device and in
 * `m`. */
static void share_weights(sac_translator *translator, model *m, unsigned seed)
{
    const sac_parameters *p = &translator->base.parameters;
    sac_error error = {0};
    m->shape = translator->shape;
    m->count = p->count;
    m->list = p->list;
    for (int i = 0; i < p->count; i++) {
        size_t count = p->list[i]->count;
        sac_span span = sac_tensor_span(p->list[i]->value);
        float *floats = malloc(count * sizeof *floats);
        m->values[i] = malloc(count * sizeof(double));
        ok(sac_span_read(device, span, count, floats, &error), &error);
        for (size_t k = 0; k < count; k++)
            m->values[i][k] = floats[k] += (float)(0.2 * rng(&seed));
        ok(sac_span_write(device, span, count, floats, &error), &error);
        free(floats);
    }
}

static void free_weights(model *m)
{
    for (int i = 0; i < m->count; i++)
        free(m->values[i]);
}

static double *gradient_of(const sac_translator *translator, int parameter)
{
    const sac_parameter *p = translator->base.parameters.list[parameter];
    sac_error error = {0};
    float *floats = malloc(p->count * sizeof *floats);
    double *gradient = malloc(p->count * sizeof *gradient);
    ok(sac_span_read(device, sac_tensor_span(p->gradient), p->count, floats, &error), &error);
    for (size_t k = 0; k < p->count; k++)
        gradient[k] = floats[k];
    free(floats);
    return gradient;
}

static sac_translator *create(sac_score score, bool attends, model *m)
{
    sac_translator *translator;
    sac_error error = {0};
    sac_translator_shape shape = tiny(score, attends);
    ok(sac_translator_make(device, &shape, true, 7, &translator, &error), &error);
    share_weights(translator, m, 11);
    return translator;
}

static void learn(sac_translator *translator, const sac_sentence_batch *batch, float losses[2])
{
    sac_error error = {0};
    ok(sac_translator_learn(translator, batch, alignment_weight, losses, &error), &error);
}

/* ---------------------------------------------------------------- the gradient */

/* Error and norm of one parameter's gradient; by differences, whose own error is about 1e-9. */
static void compare(model *m, int parameter, const double *mine, double *error, double *norm)
{
    const double step = 1e-6;
    double *values = m->values[parameter];
    *error = *norm = 0;
    for (size_t k = 0; k < m->list[parameter]->count; k++) {
        double kept = values[k];
        values[k] = kept + step;
        double above = loss_of(m);
        values[k] = kept - step;
        double slope = (above - loss_of(m)) / (2 * step);
        values[k] = kept;
        *norm = hypot(*norm, slope);
        *error = hypot(*error, slope - mine[k]);
    }
}

/* Single precision has 6e-8 a sum; sums of some hundred terms stay below 1e-4 of the gradient. The
 * floor is for what is zero by the formula: the softmax does not feel a scaled-dot key's bias. */
static void check_gradients(sac_score score, bool attends, const int lengths[BATCH])
{
    const double tolerance = 2e-4, floor_of_error = 2e-6;
    model m = {0};
    numbers n;
    float losses[2];
    double wanted[2];
    sac_sentence_batch batch = make_batch(&n, lengths, 3);
    m.batch = &batch;
    sac_translator *translator = create(score, attends, &m);
    learn(translator, &batch, losses);
    losses_of(&m, wanted);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(losses[i] - wanted[i]) <= 1e-5 * wanted[i]);
    for (int i = 0; i < m.count; i++) {
        double error, norm, *mine = gradient_of(translator, i);
        compare(&m, i, mine, &error, &norm);
        if (!(error <= tolerance * norm + floor_of_error))
            fail_msg("%s: error %.3g of a gradient of %.3g", m.list[i]->name, error, norm);
        free(mine);
    }
    free_weights(&m);
    sac_translator_destroy(translator);
}

static const int different[BATCH] = {4, 3, 1}, alike[BATCH] = {4, 4, 4};

static void gradients_of_the_additive_score_are_those_of_central_differences(void **state)
{
    (void)state;
    check_gradients(SAC_SCORE_ADDITIVE, true, different);
    check_gradients(SAC_SCORE_ADDITIVE, true, alike);
}

static void gradients_of_the_scaled_dot_are_those_of_central_differences(void **state)
{
    (void)state;
    check_gradients(SAC_SCORE_SCALED_DOT, true, different);
}

static void gradients_of_the_bilinear_score_are_those_of_central_differences(void **state)
{
    (void)state;
    check_gradients(SAC_SCORE_BILINEAR, true, different);
}

static void gradients_without_attention_are_those_of_central_differences(void **state)
{
    (void)state;
    check_gradients(SAC_SCORE_ADDITIVE, false, different);
}

/* ---------------------------------------------------------------- memory of other batches */

static float *all_gradients(const sac_translator *translator)
{
    sac_error error = {0};
    size_t count = translator->base.parameters.floats;
    float *floats = malloc(count * sizeof *floats);
    ok(sac_span_read(device, translator->base.parameters.gradients, count, floats, &error), &error);
    return floats;
}

static void what_an_earlier_batch_left_behind_changes_nothing(void **state)
{
    (void)state;
    model m = {0};
    numbers n, o;
    float losses[2], again[2];
    sac_error error = {0};
    sac_sentence_batch batch = make_batch(&n, different, 3), other = make_batch(&o, alike, 4);
    sac_translator *translator = create(SAC_SCORE_ADDITIVE, true, &m);
    learn(translator, &batch, losses);
    float *first = all_gradients(translator);
    learn(translator, &other, again);
    ok(sac_parameters_zero_gradients(&translator->base.parameters, &error), &error);
    learn(translator, &batch, again);
    float *second = all_gradients(translator);
    assert_memory_equal(losses, again, sizeof losses);
    assert_memory_equal(first, second, translator->base.parameters.floats * sizeof(float));
    free(first);
    free(second);
    free_weights(&m);
    sac_translator_destroy(translator);
}

static int open_device(void **state)
{
    (void)state;
    sac_error error = {0};
    ok(sac_device_open(NULL, &device, &error), &error);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    sac_device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_additive_score_are_those_of_central_differences),
        cmocka_unit_test(gradients_of_the_scaled_dot_are_those_of_central_differences),
        cmocka_unit_test(gradients_of_the_bilinear_score_are_those_of_central_differences),
        cmocka_unit_test(gradients_without_attention_are_those_of_central_differences),
        cmocka_unit_test(what_an_earlier_batch_left_behind_changes_nothing),
    };
    return cmocka_run_group_tests_name("translator_learn", tests, open_device, close_device);
}
