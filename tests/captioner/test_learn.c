/* The gradient of the whole captioner against central differences of the same model written down
 * once more, in doubles and plain loops. */

#include "base/random/random.h"
#include "captioner/decode/encode.h"
#include "captioner/learn/activations.h"
#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "conjugate.h"
#include "gradients.h"
#include "shapes/scene.h"
#include "status.h"
#include "test.h"

enum {
    SIDE = 16,
    GRID = 4,
    CELLS = GRID * GRID,
    DEPTH = 4,
    ATTENTION = 5,
    HIDDEN = 6,
    EMBEDDING = 4,
    BATCH = 3,
    STEPS = 4,
    VOCABULARY = SAC_WORDS,
    OBJECTS = SAC_SCENE_WORDS /* covers, of which few are looked at */
};
static const sac_caption_lesson lesson = {.supervision = 0.3f, .doubly_stochastic = 0.2f};

/* Photographs, which have several sentences each; the network's cells are as wide as its head. */
enum { PHOTOGRAPHS = 2, WIDTH = 1280, PHOTOGRAPH_SIDE = 128 };
static const sac_caption_lesson of_photographs = {
    .doubly_stochastic = 0.2f, .smoothing = 0.1f, .dropout = 0.5f, .grid_dropout = 0.3f};

/* Of sentences that were drawn: word 30 is barred, and pad and start. */
static const sac_caption_lesson of_policy = {
    .grid_dropout = 0.3f, .policy = {.temperature = 0.6f, .barred = 1u << 30 | 3}};

static sac_captioner_shape tiny(sac_score score, sac_normalizer normalizer)
{
    return (sac_captioner_shape){
        .side = SIDE,
        .layers = 2,
        .layer = {{3, 2}, {DEPTH, 2}},
        .score = score,
        .normalizer = normalizer,
        .attention = ATTENTION,
        .hidden = HIDDEN,
        .embedding = EMBEDDING,
        .vocabulary = VOCABULARY,
    };
}

/* ---------------------------------------------------------------- the model in doubles */

typedef struct model {
    sac_captioner_shape shape;
    doubles d;
    int keys;
    const sac_caption_batch *batch;
    const sac_caption_lesson *lesson;
    const float *cells;    /* of photographs [P,N,WIDTH], normed */
    const uint8_t *hidden; /* [N]; NULL: none */
    double temperature;    /* 0: 1 */
} model;

static const double *value(const model *m, const char *name)
{
    return doubles_of(&m->d, name);
}

/* x [side,side,in] → y [⌈side/2⌉,⌈side/2⌉,out]. */
static void convolve(const double *w, const double *b, const double *x, int side, int in, int out,
                     double *y)
{
    int half = (side + 1) / 2;
    for (int at = 0; at < half * half * out; at++) {
        int o = at % out, column = at / out % half, row = at / out / half;
        double sum = b[o];
        for (int tap = 0; tap < 9 * in; tap++) {
            int i = tap % in, dx = tap / in % 3, dy = tap / in / 3;
            int sx = 2 * column + dx - 1, sy = 2 * row + dy - 1;
            if (sx >= 0 && sy >= 0 && sx < side && sy < side)
                sum += w[o * 9 * in + tap] * x[(sy * side + sx) * in + i];
        }
        y[at] = fmax(sum, 0);
    }
}

/* Position and layer norm, in place. */
static void norm_cells(const model *m, double h[CELLS][DEPTH])
{
    const double *position = value(m, "encoder.position");
    const double *gain = value(m, "encoder.norm.weight"), *bias = value(m, "encoder.norm.bias");
    for (int n = 0; n < CELLS; n++) {
        double mean = 0, variance = 0;
        for (int d = 0; d < DEPTH; d++)
            mean += (h[n][d] += position[n * DEPTH + d]) / DEPTH;
        for (int d = 0; d < DEPTH; d++)
            variance += (h[n][d] - mean) * (h[n][d] - mean) / DEPTH;
        for (int d = 0; d < DEPTH; d++)
            h[n][d] = gain[d] * (h[n][d] - mean) / sqrt(variance + 1e-5) + bias[d];
    }
}

/* What a number is multiplied by that may be dropped: nn/dropout.h. */
static double kept(const model *m, float share, uint32_t use, size_t place)
{
    sac_dropout d = sac_dropout_of(share, m->batch->seed, use);
    return share > 0 && sac_philox_uniform((uint32_t)place, 0, d.key) < share ? 0 : 1 / (1 - share);
}

static void encode_photograph(const model *m, int p, double h[CELLS][DEPTH])
{
    const double *gain = value(m, "encoder.norm.weight"), *bias = value(m, "encoder.norm.bias");
    for (int n = 0; n < CELLS; n++) {
        double cell[WIDTH], mean = 0, variance = 0;
        for (int i = 0; i < WIDTH; i++)
            cell[i] = m->cells[(p * CELLS + n) * WIDTH + i];
        linear(value(m, "encoder.project.weight"), value(m, "encoder.project.bias"), cell, WIDTH,
               DEPTH, h[n]);
        for (int d = 0; d < DEPTH; d++)
            mean += h[n][d] / DEPTH;
        for (int d = 0; d < DEPTH; d++)
            variance += (h[n][d] - mean) * (h[n][d] - mean) / DEPTH;
        for (int d = 0; d < DEPTH; d++)
            h[n][d] = fmax(gain[d] * (h[n][d] - mean) / sqrt(variance + 1e-5) + bias[d], 0) *
                      kept(m, m->lesson->grid_dropout, 0, (size_t)((p * CELLS + n) * DEPTH + d));
    }
}

static void encode_scene(const model *m, int b, double h[CELLS][DEPTH])
{
    static double x[SIDE * SIDE * 3], between[SIDE * SIDE / 4 * 3];
    for (int i = 0; i < SIDE * SIDE * 3; i++)
        x[i] = m->batch->pictures[b * SIDE * SIDE * 3 + i];
    convolve(value(m, "encoder.0.weight"), value(m, "encoder.0.bias"), x, SIDE, 3, 3, between);
    convolve(value(m, "encoder.1.weight"), value(m, "encoder.1.bias"), between, SIDE / 2, 3, DEPTH,
             h[0]);
    norm_cells(m, h);
}

static void find_keys(const model *m, double h[CELLS][DEPTH], double keys[CELLS][ATTENTION])
{
    memset(keys, 0, CELLS * sizeof *keys);
    for (int n = 0; n < CELLS; n++) {
        if (m->shape.score == SAC_SCORE_BILINEAR)
            memcpy(keys[n], h[n], sizeof h[n]);
        else
            linear(value(m, "attention.key.weight"),
                   m->shape.score == SAC_SCORE_ADDITIVE ? value(m, "attention.key.bias") : NULL,
                   h[n], DEPTH, ATTENTION, keys[n]);
    }
}

static void encode(const model *m, int b, double h[CELLS][DEPTH], double keys[CELLS][ATTENTION])
{
    memset(h, 0, CELLS * sizeof *h);
    if (m->batch->photographs)
        encode_photograph(m, m->batch->picture_of[b], h);
    else
        encode_scene(m, b, h);
    find_keys(m, h, keys);
}

static bool sees(const model *m, int n)
{
    return !m->hidden || !m->hidden[n];
}

static void begin(const model *m, double h[CELLS][DEPTH], double *state, double *cell)
{
    double mean[DEPTH] = {0};
    int seen = 0;
    for (int n = 0; n < CELLS; n++)
        seen += sees(m, n);
    for (int i = 0; i < CELLS * DEPTH; i++)
        mean[i % DEPTH] += sees(m, i / DEPTH) ? h[i / DEPTH][i % DEPTH] / seen : 0;
    linear(value(m, "start.state.weight"), value(m, "start.state.bias"), mean, DEPTH, HIDDEN,
           state);
    linear(value(m, "start.cell.weight"), value(m, "start.cell.bias"), mean, DEPTH, HIDDEN, cell);
    for (int i = 0; i < HIDDEN; i++) {
        state[i] = tanh(state[i]);
        cell[i] = tanh(cell[i]);
    }
}

static double score(const model *m, const double *query, const double *key)
{
    double sum = 0;
    for (int a = 0; a < m->keys; a++)
        sum += m->shape.score == SAC_SCORE_ADDITIVE
                   ? value(m, "attention.v")[a] * tanh(query[a] + key[a])
                   : query[a] * key[a];
    if (m->shape.score == SAC_SCORE_SCALED_DOT)
        return sum / sqrt(ATTENTION);
    return m->shape.score == SAC_SCORE_BILINEAR ? sum / pow(DEPTH * HIDDEN, 0.25) : sum;
}

/* Scores and weights α [N], and what is seen, z [D]. */
static void gaze(const model *m, const double *state, double h[CELLS][DEPTH],
                 double keys[CELLS][ATTENTION], double *scores, double *weights, double *z)
{
    double query[ATTENTION] = {0}, gate = 0;
    linear(value(m, "attention.query.weight"), NULL, state, HIDDEN, m->keys, query);
    linear(value(m, "attention.gate.weight"), value(m, "attention.gate.bias"), state, HIDDEN, 1,
           &gate);
    for (int n = 0; n < CELLS; n++)
        scores[n] = sees(m, n)
                        ? score(m, query, keys[n]) / (m->temperature > 0 ? m->temperature : 1)
                        : -INFINITY;
    sac_normalize(m->shape.normalizer, CELLS, scores, weights);
    memset(z, 0, DEPTH * sizeof *z);
    for (int n = 0; n < CELLS; n++)
        for (int d = 0; d < DEPTH; d++)
            z[d] += sigmoid(gate) * weights[n] * h[n][d];
}

static void remember(const model *m, const double *word, const double *z, double *state,
                     double *cell)
{
    double gates[4 * HIDDEN] = {0};
    linear(value(m, "lstm.word.weight"), value(m, "lstm.bias"), word, EMBEDDING, 4 * HIDDEN, gates);
    linear(value(m, "lstm.context.weight"), NULL, z, DEPTH, 4 * HIDDEN, gates);
    linear(value(m, "lstm.state.weight"), NULL, state, HIDDEN, 4 * HIDDEN, gates);
    for (int i = 0; i < HIDDEN; i++) {
        cell[i] =
            sigmoid(gates[HIDDEN + i]) * cell[i] + sigmoid(gates[i]) * tanh(gates[2 * HIDDEN + i]);
        state[i] = sigmoid(gates[3 * HIDDEN + i]) * tanh(cell[i]);
    }
}

/* A policy's logits: cooled, and of words that are barred out of reach. */
static void cool(const sac_policy *policy, double *logits)
{
    for (int w = 0; w < VOCABULARY; w++)
        logits[w] =
            w < 32 && policy->barred >> w & 1 ? -1e9 : logits[w] / (double)policy->temperature;
}

/* −log p of the word that is wanted at `at`, and of all words their smoothed share. */
static double surprise(const model *m, const double *word, const double *state, const double *z,
                       size_t at)
{
    const double share = (double)m->lesson->smoothing;
    double mixed[EMBEDDING], logits[VOCABULARY] = {0}, all = 0;
    memcpy(mixed, word, sizeof mixed);
    linear(value(m, "words.state.weight"), NULL, state, HIDDEN, EMBEDDING, mixed);
    linear(value(m, "words.context.weight"), NULL, z, DEPTH, EMBEDDING, mixed);
    for (int i = 0; i < EMBEDDING; i++)
        mixed[i] *= kept(m, m->lesson->dropout, 2, at * EMBEDDING + (size_t)i);
    linear(value(m, "words.out.weight"), value(m, "words.out.bias"), mixed, EMBEDDING, VOCABULARY,
           logits);
    if (m->batch->factors) {
        cool(&m->lesson->policy, logits);
        return (double)m->batch->factors[at % m->batch->size] *
               surprise_of(logits, VOCABULARY, m->batch->targets[at]);
    }
    for (int w = 0; w < VOCABULARY; w++)
        all += surprise_of(logits, VOCABULARY, w) / VOCABULARY;
    return (1 - share) * surprise_of(logits, VOCABULARY, m->batch->targets[at]) + share * all;
}

/* Sums over picture `b`, not yet means: words, (1 − Σα)², supervision. */
static void generate(const model *m, int b, double sums[3])
{
    double h[CELLS][DEPTH], keys[CELLS][ATTENTION], state[HIDDEN] = {0}, cell[HIDDEN] = {0};
    double scores[CELLS], weights[CELLS], cover[CELLS], z[DEPTH], all[CELLS] = {0};
    const sac_caption_batch *batch = m->batch;
    encode(m, b, h, keys);
    begin(m, h, state, cell);
    for (int t = 0; t < batch->lengths[b]; t++) {
        size_t at = (size_t)t * batch->size + (size_t)b;
        double word[EMBEDDING];
        for (int i = 0; i < EMBEDDING; i++)
            word[i] = value(m, "words.embedding")[batch->inputs[at] * EMBEDDING + i] *
                      kept(m, m->lesson->dropout, 1, at * EMBEDDING + (size_t)i);
        gaze(m, state, h, keys, scores, weights, z);
        remember(m, word, z, state, cell);
        if (batch->targets[at] != SAC_WORD_PAD)
            sums[0] += surprise(m, word, state, z, at);
        int object = batch->object_of_word[at];
        for (int n = 0; n < CELLS; n++) {
            all[n] += weights[n];
            cover[n] = object >= 0 ? (double)batch->cover[(b * OBJECTS + object) * CELLS + n] : 0;
        }
        if (object >= 0)
            sums[2] += supervised_loss(m->shape.normalizer, scores, cover, CELLS);
    }
    for (int n = 0; n < CELLS; n++)
        sums[1] += (1 - all[n]) * (1 - all[n]);
}

static void losses_of(const model *m, double losses[3])
{
    double sums[3] = {0};
    int words = 0, named = 0;
    for (size_t i = 0; i < m->batch->size * m->batch->steps; i++) {
        words += m->batch->targets[i] != SAC_WORD_PAD;
        named += m->batch->object_of_word[i] >= 0;
    }
    for (int b = 0; b < (int)m->batch->size; b++)
        generate(m, b, sums);
    losses[0] = m->batch->factors ? sums[0] : sums[0] / words;
    losses[1] = (double)m->lesson->doubly_stochastic * sums[1] / (double)(m->batch->size * CELLS);
    losses[2] = named ? (double)m->lesson->supervision * sums[2] / named : 0;
}

static double loss_of(const void *self)
{
    const model *m = self;
    double losses[3];
    losses_of(m, losses);
    return losses[0] + losses[1] + losses[2];
}

/* ---------------------------------------------------------------- batches and weights */

static const int longer[BATCH] = {4, 3, 2}, shorter[BATCH] = {4, 2, 1};

/* [T,B]; one word is no target. */
static void make_batch(sac_caption_batch *batch, const int lengths[BATCH], unsigned seed)
{
    *batch = (sac_caption_batch){
        .size = BATCH,
        .steps = STEPS,
        .pictures = calloc(BATCH * SIDE * SIDE * 3, sizeof(float)),
        .targets = calloc(BATCH * STEPS, sizeof(int)),
        .inputs = calloc(BATCH * STEPS, sizeof(int)),
        .object_of_word = calloc(BATCH * STEPS, sizeof(int)),
        .lengths = calloc(BATCH, sizeof(int)),
        .cover = calloc(BATCH * OBJECTS * CELLS, sizeof(float)),
    };
    for (int i = 0; i < BATCH * SIDE * SIDE * 3; i++)
        batch->pictures[i] = (float)(2 * rng(&seed));
    for (int i = 0; i < BATCH * OBJECTS * CELLS; i++)
        batch->cover[i] = (float)fmax(0, rng(&seed));
    for (int i = 0; i < BATCH * STEPS; i++) {
        bool generated = i / BATCH < lengths[i % BATCH];
        int any = (int)((rng(&seed) + 1) * 0.4999 * (VOCABULARY - SAC_WORD_END));
        batch->targets[i] = generated && i != BATCH ? SAC_WORD_END + any : SAC_WORD_PAD;
        batch->inputs[i] = i < BATCH ? SAC_WORD_START : batch->targets[i - BATCH];
        batch->object_of_word[i] = generated && any % 4 < OBJECTS ? any % 4 : -1;
    }
    memcpy(batch->lengths, lengths, BATCH * sizeof *lengths);
}

/* The same of photographs, whose first two sentences are of the second one. */
static void make_photographs(sac_caption_batch *batch, unsigned seed)
{
    static const int picture_of[BATCH] = {1, 1, 0};
    const size_t numbers = PHOTOGRAPHS * CELLS * 320; /* of what comes into lite0's head */
    make_batch(batch, longer, seed);
    batch->photographs = PHOTOGRAPHS;
    batch->grids = calloc(numbers, sizeof(float));
    batch->picture_of = calloc(BATCH, sizeof(int));
    batch->seed = seed;
    memcpy(batch->picture_of, picture_of, sizeof picture_of);
    for (size_t i = 0; i < numbers; i++)
        batch->grids[i] = (float)(2 * rng(&seed));
    for (int i = 0; i < BATCH * STEPS; i++)
        batch->object_of_word[i] = -1;
}

static void free_batch(sac_caption_batch *batch)
{
    free(batch->grids);
    free(batch->picture_of);
    free(batch->pictures);
    free(batch->targets);
    free(batch->inputs);
    free(batch->object_of_word);
    free(batch->lengths);
    free(batch->cover);
}

static sac_captioner *create_with(sac_score score, sac_normalizer normalizer, model *m)
{
    sac_captioner *captioner;
    sac_captioner_shape shape = tiny(score, normalizer);
    OK(sac_captioner_create(device, &shape, 7, &captioner, &failure));
    m->shape = captioner->shape;
    m->keys = captioner->keys;
    m->lesson = &lesson;
    doubles_share(&m->d, &captioner->base, 11);
    return captioner;
}

static sac_captioner *create(sac_score score, model *m)
{
    return create_with(score, SAC_NORMALIZER_SOFTMAX, m);
}

/* Of photographs, with any numbers in the network's head: nothing else of it is used here. */
static sac_captioner *create_of_photographs(model *m)
{
    sac_captioner *captioner;
    sac_caption_vocabulary table;
    char text[VOCABULARY][16];
    const char *list[VOCABULARY];
    for (int i = 0; i < VOCABULARY; i++) {
        snprintf(text[i], sizeof text[i], "w%d", i);
        list[i] = text[i];
    }
    OK(sac_caption_vocabulary_create(list, VOCABULARY - SAC_VOCABULARY_MARKS, &table, &failure));
    sac_captioner_words *words = sac_captioner_words_create(&table);
    sac_captioner_shape shape = sac_captioner_photograph_shape("lite0", words, SAC_SCORE_ADDITIVE);
    sac_captioner_words_free(words);
    shape.side = PHOTOGRAPH_SIDE;
    shape.network.features = DEPTH;
    shape.attention = ATTENTION;
    shape.hidden = HIDDEN;
    shape.embedding = EMBEDDING;
    OK(sac_captioner_create(device, &shape, 7, &captioner, &failure));
    sac_captioner_shape_free(&shape);
    const sac_parameter *head = captioner->weights.network.head.weight;
    float *numbers = malloc(head->count * sizeof *numbers);
    unsigned seed = 21;
    for (size_t i = 0; i < head->count; i++)
        numbers[i] = (float)(0.1 * rng(&seed));
    OK(sac_span_write(device, sac_tensor_span(head->value), head->count, numbers, &failure));
    free(numbers);
    OK(sac_span_fill(device, sac_tensor_span(captioner->weights.cells.gain->value), WIDTH, 1,
                     &failure));
    m->shape = captioner->shape;
    m->keys = captioner->keys;
    m->lesson = &of_photographs;
    doubles_share(&m->d, &captioner->base, 11);
    return captioner;
}

static void learn(sac_model *base, const void *batch, float losses[3])
{
    const sac_caption_batch *b = batch;
    const sac_caption_lesson *taught = b->factors       ? &of_policy
                                       : b->photographs ? &of_photographs
                                                        : &lesson;
    OK(sac_captioner_learn((sac_captioner *)base, batch, taught, losses, &failure));
}

/* ---------------------------------------------------------------- the gradient */

static void check_gradients(sac_score score, sac_normalizer normalizer)
{
    model m = {0};
    sac_caption_batch batch;
    float losses[3];
    double wanted[3];
    make_batch(&batch, longer, 3);
    m.batch = &batch;
    sac_captioner *captioner = create_with(score, normalizer, &m);
    learn(&captioner->base, &batch, losses);
    losses_of(&m, wanted);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(losses[i] - wanted[i]) < 1e-5 * wanted[i]);
    gradients_check(&m.d, loss_of, &m);
    doubles_free(&m.d);
    free_batch(&batch);
    sac_captioner_destroy(captioner);
}

TEST(gradients_of_the_additive_score_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX);
}

TEST(gradients_of_the_scaled_dot_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_SCALED_DOT, SAC_NORMALIZER_SOFTMAX);
}

TEST(gradients_of_the_bilinear_score_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_BILINEAR, SAC_NORMALIZER_SOFTMAX);
}

TEST(gradients_of_sparse_weights_are_those_of_central_differences)
{
    check_gradients(SAC_SCORE_ADDITIVE, SAC_NORMALIZER_ENTMAX15);
    check_gradients(SAC_SCORE_BILINEAR, SAC_NORMALIZER_SPARSEMAX);
}

static void check_photographs(const float *factors, const sac_caption_lesson *taught)
{
    model m = {0};
    sac_caption_batch batch;
    float losses[3];
    double wanted[3];
    make_photographs(&batch, 3);
    batch.factors = factors;
    for (int i = 0; i < BATCH * STEPS && factors; i++)
        assert_int_not_equal(batch.targets[i], 30);
    m.batch = &batch;
    sac_captioner *captioner = create_of_photographs(&m);
    m.lesson = taught;
    learn(&captioner->base, &batch, losses);
    sac_tensor normed = captioner->training->f.normed;
    float *cells = malloc(PHOTOGRAPHS * CELLS * WIDTH * sizeof *cells);
    assert_int_equal(sac_tensor_count(normed), PHOTOGRAPHS * CELLS * WIDTH);
    OK(sac_span_read(device, sac_tensor_span(normed), PHOTOGRAPHS * CELLS * WIDTH, cells,
                     &failure));
    m.cells = cells;
    losses_of(&m, wanted);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(losses[i] - wanted[i]) <= 1e-5 * fabs(wanted[i]));
    gradients_check(&m.d, loss_of, &m);
    free(cells);
    doubles_free(&m.d);
    free_batch(&batch);
    sac_captioner_destroy(captioner);
}

/* With all that may be dropped, smoothed and shared. */
TEST(gradients_of_photographs_with_several_sentences_are_those_of_central_differences)
{
    check_photographs(NULL, &of_photographs);
}

/* The gradient of an expected reward: each sentence counts by its advantage, of either sign. */
TEST(gradients_of_a_policy_are_those_of_central_differences)
{
    static const float factors[BATCH] = {0.7f, -1.2f, 0.5f};
    check_photographs(factors, &of_policy);
}

/* ---------------------------------------------------------------- what counts for a word */

static const int sentence[STEPS] = {SAC_WORD_SMALL, SAC_WORD_COLOUR, SAC_WORD_SHAPE, SAC_WORD_END};

/* log p of word t of the sentence after the words before it. */
static double log_probability(const model *m, double h[CELLS][DEPTH], int t)
{
    double keys[CELLS][ATTENTION], state[HIDDEN] = {0}, cell[HIDDEN] = {0};
    double scores[CELLS], weights[CELLS], z[DEPTH], word[EMBEDDING];
    find_keys(m, h, keys);
    begin(m, h, state, cell);
    for (int i = 0; i <= t; i++) {
        memcpy(word, value(m, "words.embedding") + m->batch->inputs[i] * EMBEDDING, sizeof word);
        gaze(m, state, h, keys, scores, weights, z);
        remember(m, word, z, state, cell);
    }
    return -surprise(m, word, state, z, (size_t)t);
}

/* Of a picture at random, against central differences over each cell's features. */
static void check_counts(sac_score score, const uint8_t *hidden, float temperature, bool masks)
{
    model m = {.hidden = hidden, .temperature = (double)temperature};
    int inputs[STEPS] = {SAC_WORD_START}, targets[STEPS];
    const sac_caption_batch batch = {
        .size = 1, .steps = STEPS, .targets = targets, .inputs = inputs};
    float counts[STEPS * CELLS], features[CELLS][DEPTH];
    double h[CELLS][DEPTH], most = 0;
    sac_image image;
    unsigned seed = 5;
    sac_captioner *captioner = create(score, &m);
    captioner->shape.masks_colours = masks;
    OK(sac_image_create(SIDE, SIDE, &image, &failure));
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        image.rgba[i] = (uint8_t)(127 + 127 * rng(&seed));
    OK(sac_captioner_encode_square(captioner, &image, &failure));
    OK(sac_span_read(device, sac_tensor_span(captioner->decode->f.features), CELLS * DEPTH,
                     features[0], &failure));
    for (int i = 0; i < CELLS * DEPTH; i++)
        h[i / DEPTH][i % DEPTH] = features[i / DEPTH][i % DEPTH];
    m.batch = &batch;
    memcpy(targets, sentence, sizeof targets);
    memcpy(inputs + 1, sentence, (STEPS - 1) * sizeof *inputs);
    if (masks)
        inputs[2] = SAC_WORD_PAD; /* the colour */
    const sac_result_request request = {.hidden = hidden, .temperature = temperature};
    OK(sac_captioner_gradient(captioner, &request, sentence, STEPS, counts, &failure));
    for (int i = 0; i < STEPS * CELLS; i++) {
        const double step = 1e-5;
        double *cell = h[i % CELLS], expected = 0;
        for (int d = 0; d < DEPTH; d++) {
            const double was = cell[d];
            cell[d] = was + step;
            expected += was * log_probability(&m, h, i / CELLS) / (2 * step);
            cell[d] = was - step;
            expected -= was * log_probability(&m, h, i / CELLS) / (2 * step);
            cell[d] = was;
        }
        most = fmax(most, fabs(expected));
        assert_float_equal(counts[i], expected, 2e-5);
        if (hidden && hidden[i % CELLS])
            assert_true(counts[i] == 0);
    }
    assert_true(most > 1e-2);
    sac_image_free(&image);
    doubles_free(&m.d);
    sac_captioner_destroy(captioner);
}

static const uint8_t some[CELLS] = {[1] = 1, [6] = 1, [7] = 1, [15] = 1};

TEST(what_counts_by_the_additive_score_is_the_gradient_by_central_differences)
{
    check_counts(SAC_SCORE_ADDITIVE, NULL, 0, false);
    check_counts(SAC_SCORE_ADDITIVE, some, 2, true);
}

TEST(what_counts_by_the_scaled_dot_is_the_gradient_by_central_differences)
{
    check_counts(SAC_SCORE_SCALED_DOT, NULL, 0.5f, true);
    check_counts(SAC_SCORE_SCALED_DOT, some, 0, false);
}

TEST(what_counts_by_the_bilinear_score_is_the_gradient_by_central_differences)
{
    check_counts(SAC_SCORE_BILINEAR, NULL, 0, true);
    check_counts(SAC_SCORE_BILINEAR, some, 2, false);
}

/* ---------------------------------------------------------------- memory of other batches */

TEST(what_an_earlier_batch_left_behind_changes_nothing)
{
    model m = {0};
    sac_caption_batch batch, other;
    make_batch(&batch, shorter, 3);
    make_batch(&other, longer, 4);
    sac_captioner *captioner = create(SAC_SCORE_ADDITIVE, &m);
    check_nothing_is_left_behind(&captioner->base, learn, &batch, &other);
    doubles_free(&m.d);
    free_batch(&batch);
    free_batch(&other);
    sac_captioner_destroy(captioner);
}

TEST(what_an_earlier_batch_of_photographs_left_behind_changes_nothing)
{
    model m = {0};
    sac_caption_batch batch, other;
    make_photographs(&batch, 3);
    make_photographs(&other, 4);
    sac_captioner *captioner = create_of_photographs(&m);
    check_nothing_is_left_behind(&captioner->base, learn, &batch, &other);
    doubles_free(&m.d);
    free_batch(&batch);
    free_batch(&other);
    sac_captioner_destroy(captioner);
}

TEST(sentences_in_rising_order_of_length_are_refused)
{
    model m = {0};
    sac_caption_batch batch;
    float losses[3];
    make_batch(&batch, longer, 3);
    batch.lengths[0] = 2;
    sac_captioner *captioner = create(SAC_SCORE_ADDITIVE, &m);
    assert_int_equal(sac_captioner_learn(captioner, &batch, &lesson, losses, &failure),
                     SAC_E_ARGUMENT);
    doubles_free(&m.d);
    free_batch(&batch);
    sac_captioner_destroy(captioner);
}

TEST_MAIN(open_device, close_device)
