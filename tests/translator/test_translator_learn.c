/* The gradient of the whole translator against central differences of the same model written down
 * once more, in doubles and plain loops. */

#include "base/random/random.h"
#include "conjugate.h"
#include "gradients.h"
#include "status.h"
#include "test.h"
#include "translator/learn.h"
#include "translator/translator.h"

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

static sac_translator_shape tiny(sac_score score, sac_normalizer normalizer, bool attends)
{
    return (sac_translator_shape){
        .attends = attends,
        .score = score,
        .normalizer = normalizer,
        .attention = ATTENTION,
        .hidden = HIDDEN,
        .embedding = EMBEDDING,
        .source_words = ENGLISH,
        .target_words = FRENCH,
    };
}

/* ---------------------------------------------------------------- the model in doubles */

typedef struct model {
    sac_translator_shape shape;
    doubles d;
    const sac_sentence_batch *batch;
    float dropout;
} model;

/* What a number is multiplied by that may be dropped: nn/dropout.h. */
static double kept(const model *m, uint32_t use, size_t place)
{
    sac_dropout d = sac_dropout_of(m->dropout, m->batch->number, use);
    return m->dropout > 0 && sac_philox_uniform((uint32_t)place, 0, d.key) < m->dropout
               ? 0
               : 1 / (1 - (double)m->dropout);
}

static const double *value(const model *m, const char *name)
{
    return doubles_of(&m->d, name);
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
        double x[EMBEDDING];
        for (int i = 0; i < EMBEDDING; i++)
            x[i] = value(m, "source.embedding")[source->words[n * BATCH + b] * EMBEDDING + i] *
                   kept(m, back ? 1 : 0, (size_t)((step * BATCH + b) * EMBEDDING + i));
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

/* Scores [S], and what is seen, z [2H]. */
static void attend(const model *m, int length, const double *state, double h[SOURCE][DEPTH],
                   double *scores, double *z)
{
    double weights[SOURCE];
    memset(z, 0, DEPTH * sizeof *z);
    for (int n = 0; n < length; n++)
        scores[n] = score(m, state, h[n]);
    sac_normalize(m->shape.normalizer, (size_t)length, scores, weights);
    for (int n = 0; n < length; n++)
        for (int i = 0; i < DEPTH; i++)
            z[i] += weights[n] * h[n][i];
}

/* −log p of `wanted`. */
static double surprise(const model *m, int at, const double *word, const double *state,
                       const double *z, int wanted)
{
    double mixed[EMBEDDING], logits[FRENCH] = {0};
    memcpy(mixed, word, sizeof mixed);
    linear(value(m, "target.state.weight"), NULL, state, HIDDEN, EMBEDDING, mixed);
    linear(value(m, "target.context.weight"), NULL, z, DEPTH, EMBEDDING, mixed);
    for (int i = 0; i < EMBEDDING; i++)
        mixed[i] *= kept(m, 4, (size_t)(at * EMBEDDING + i));
    linear(value(m, "target.out.weight"), value(m, "target.out.bias"), mixed, EMBEDDING, FRENCH,
           logits);
    return surprise_of(logits, FRENCH, wanted);
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

/* Sums over sentence `b`, not yet means: words, supervision by the right words. */
static void translate(const model *m, int b, double sums[2])
{
    const sac_sentence_batch *batch = m->batch;
    double h[SOURCE][DEPTH] = {{0}}, last[DEPTH], state[HIDDEN] = {0}, z[DEPTH];
    double scores[SOURCE] = {0}, links[SOURCE];
    read_direction(m, "", b, false, h, last);
    read_direction(m, "_reverse", b, true, h, last);
    for (int n = 0; n < SOURCE; n++)
        for (int i = 0; i < DEPTH; i++)
            h[n][i] *= kept(m, 2, (size_t)((b * SOURCE + n) * DEPTH + i));
    linear(value(m, "start.weight"), value(m, "start.bias"), last, DEPTH, HIDDEN, state);
    for (int i = 0; i < HIDDEN; i++)
        state[i] = tanh(state[i]);
    for (int t = 0; t < batch->lengths[b]; t++) {
        int at = t * BATCH + b;
        double word[EMBEDDING];
        for (int i = 0; i < EMBEDDING; i++)
            word[i] = value(m, "target.embedding")[batch->inputs[at] * EMBEDDING + i] *
                      kept(m, 3, (size_t)(at * EMBEDDING + i));
        memcpy(z, last, sizeof z);
        if (m->shape.attends)
            attend(m, batch->source.lengths[b], state, h, scores, z);
        decoder_step(m, word, z, state);
        if (batch->targets[at] >= 0)
            sums[0] += surprise(m, at, word, state, z, batch->targets[at]);
        for (int n = 0; n < SOURCE; n++)
            links[n] = (double)batch->links[(b * STEPS + t) * SOURCE + n];
        if (m->shape.attends && batch->linked[at] >= 0)
            sums[1] += supervised_loss(m->shape.normalizer, scores, links,
                                       (size_t)batch->source.lengths[b]);
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

static double loss_of(const void *self)
{
    const model *m = self;
    double losses[2];
    losses_of(m, losses);
    return losses[0] + losses[1];
}

/* ---------------------------------------------------------------- batches and weights */

/* What a batch lends. */
typedef struct numbers {
    int words[SOURCE * BATCH], reversed[SOURCE * BATCH], source_lengths[BATCH];
    uint8_t padding[BATCH * SOURCE];
    float links[BATCH * STEPS * SOURCE];
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
        bool generated = t < lengths[b];
        n->targets[i] = generated ? pick(seed, FRENCH) : -1;
        n->inputs[i] = t == 0 ? 1 : n->targets[i - BATCH] < 0 ? 0 : n->targets[i - BATCH];
        n->linked[i] = generated && i != BATCH ? t : -1;
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

static sac_translator *create(sac_score score, sac_normalizer normalizer, bool attends, model *m)
{
    sac_translator *translator;
    sac_translator_shape shape = tiny(score, normalizer, attends);
    OK(sac_translator_make(&sac_translator_class, device, &shape, true, 7, &translator, &failure));
    m->shape = translator->shape;
    doubles_share(&m->d, &translator->base, 11);
    return translator;
}

static void learn(sac_model *base, const void *batch, float losses[3])
{
    const sac_translator_lesson lesson = {.alignment = alignment_weight};
    OK(sac_translator_learn((sac_translator *)base, batch, &lesson, losses, &failure));
}

/* ---------------------------------------------------------------- the gradient */

static void check_gradients(sac_score score, sac_normalizer normalizer, bool attends, float dropout,
                            const int lengths[BATCH])
{
    model m = {.dropout = dropout};
    const sac_translator_lesson lesson = {alignment_weight, dropout};
    numbers n;
    float losses[3];
    double wanted[2];
    sac_sentence_batch batch = make_batch(&n, lengths, 3);
    m.batch = &batch;
    sac_translator *translator = create(score, normalizer, attends, &m);
    OK(sac_translator_learn(translator, &batch, &lesson, losses, &failure));
    losses_of(&m, wanted);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(losses[i] - wanted[i]) <= 1e-5 * wanted[i]);
    gradients_check(&m.d, loss_of, &m);
    doubles_free(&m.d);
    sac_translator_destroy(translator);
}

static const int different[BATCH] = {4, 3, 1}, alike[BATCH] = {4, 4, 4};

TEST(gradients_of_the_additive_score_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, true, 0, different);
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, true, 0, alike);
}

TEST(gradients_of_the_scaled_dot_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_SCALED_DOT, SAC_NORMALIZER_SOFTMAX, true, 0, different);
}

TEST(gradients_of_the_bilinear_score_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_BILINEAR, SAC_NORMALIZER_SOFTMAX, true, 0, different);
}

TEST(gradients_of_sparse_weights_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_ENTMAX15, true, 0, different);
    check_gradients(SAC_SCORE_SCALED_DOT, SAC_NORMALIZER_SPARSEMAX, true, 0, different);
}

TEST(gradients_without_attention_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, false, 0, different);
}

TEST(gradients_with_dropout_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, true, 0.3f, different);
    check_gradients(SAC_SCORE_BILINEAR, SAC_NORMALIZER_SOFTMAX, true, 0.3f, different);
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, false, 0.3f, alike);
}

/* ---------------------------------------------------------------- memory of other batches */

TEST(what_an_earlier_batch_left_behind_changes_nothing)
{
    model m = {0};
    numbers n, o;
    sac_sentence_batch batch = make_batch(&n, different, 3), other = make_batch(&o, alike, 4);
    sac_translator *translator = create(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX, true, &m);
    check_nothing_is_left_behind(&translator->base, learn, &batch, &other);
    doubles_free(&m.d);
    sac_translator_destroy(translator);
}

TEST_MAIN(open_device, close_device)
