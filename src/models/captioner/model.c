#include "captioner/model.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

/* ---------------------------------------------------------------- the list of parameters */

enum { KERNEL = 9 }; /* places of a 3 × 3 convolution */

typedef struct sizes {
    size_t cells, depth, keys, hidden, embedding, vocabulary;
} sizes;

static sizes sizes_of(const sac_captioner_shape *shape)
{
    size_t grid = (size_t)sac_captioner_grid(shape);
    size_t depth = (size_t)shape->layer[shape->layers - 1].channels;
    return (sizes){
        .cells = grid * grid,
        .depth = depth,
        .keys = shape->score == SAC_SCORE_BILINEAR ? depth : (size_t)shape->attention,
        .hidden = (size_t)shape->hidden,
        .embedding = (size_t)shape->embedding,
        .vocabulary = (size_t)shape->vocabulary,
    };
}

/* The standard deviation of numbers uniform in ±1, upside down. */
static float uniform_with_deviation(float deviation)
{
    return deviation * sqrtf(3);
}

/* He et al. 2015: keeps the variance through layers of ReLU. */
static float he(size_t in)
{
    return sqrtf(6.0f / (float)in);
}

/* Glorot and Bengio 2010: keeps it through linear layers, forwards and backwards. */
static float glorot(size_t in, size_t out)
{
    return sqrtf(6.0f / (float)(in + out));
}

static sac_parameter *put(sac_parameter *at, const char *name, float spread, int rank, ...)
{
    va_list shape;
    *at = (sac_parameter){.rank = rank, .spread = spread};
    snprintf(at->name, sizeof at->name, "%s", name);
    va_start(shape, rank);
    for (int i = 0; i < rank; i++)
        at->shape[i] = va_arg(shape, size_t);
    va_end(shape);
    return at + 1;
}

static sac_parameter *put_matrix(sac_parameter *at, const char *name, size_t out, size_t in)
{
    return put(at, name, glorot(in, out), 2, out, in);
}

static sac_parameter *put_vector(sac_parameter *at, const char *name, size_t count)
{
    return put(at, name, 0, 1, count);
}

static sac_parameter *put_encoder(sac_parameter *at, const sac_captioner_shape *shape)
{
    char name[48];
    size_t in = 3;
    for (int i = 0; i < shape->layers; i++) {
        size_t out = (size_t)shape->layer[i].channels;
        snprintf(name, sizeof name, "encoder.%d.weight", i);
        at = put(at, name, he(KERNEL * in), 4, out, (size_t)3, (size_t)3, in);
        snprintf(name, sizeof name, "encoder.%d.bias", i);
        at = put_vector(at, name, out);
        in = out;
    }
    sizes s = sizes_of(shape);
    at = put(at, "encoder.position", 0, 2, s.cells, s.depth);
    at = put_vector(at, "encoder.norm.weight", s.depth);
    at[-1].constant = 1;
    return put_vector(at, "encoder.norm.bias", s.depth);
}

static sac_parameter *put_attention(sac_parameter *at, const sac_captioner_shape *shape)
{
    sizes s = sizes_of(shape);
    if (shape->score != SAC_SCORE_BILINEAR) {
        at = put_matrix(at, "attention.key.weight", s.keys, s.depth);
        at = put_vector(at, "attention.key.bias", s.keys);
    }
    at = put_matrix(at, "attention.query.weight", s.keys, s.hidden);
    if (shape->score == SAC_SCORE_ADDITIVE)
        at = put(at, "attention.v", uniform_with_deviation(1 / sqrtf((float)s.keys)), 1, s.keys);
    at = put_matrix(at, "attention.gate.weight", 1, s.hidden);
    return put_vector(at, "attention.gate.bias", 1);
}

static sac_parameter *put_decoder(sac_parameter *at, const sac_captioner_shape *shape)
{
    sizes s = sizes_of(shape);
    size_t gates = 4 * s.hidden;
    float lstm = 1 / sqrtf((float)s.hidden);
    at = put(at, "words.embedding", uniform_with_deviation(1 / sqrtf((float)s.embedding)), 2,
             s.vocabulary, s.embedding);
    at = put(at, "lstm.word.weight", lstm, 2, gates, s.embedding);
    at = put(at, "lstm.context.weight", lstm, 2, gates, s.depth);
    at = put(at, "lstm.state.weight", lstm, 2, gates, s.hidden);
    at = put_vector(at, "lstm.bias", gates);
    at = put_matrix(at, "words.state.weight", s.embedding, s.hidden);
    at = put_matrix(at, "words.context.weight", s.embedding, s.depth);
    at = put_matrix(at, "words.out.weight", s.vocabulary, s.embedding);
    return put_vector(at, "words.out.bias", s.vocabulary);
}

int sac_captioner_parameters(const sac_captioner_shape *shape, sac_parameter *list)
{
    sizes s = sizes_of(shape);
    sac_parameter *at = put_encoder(list, shape);
    at = put_matrix(at, "start.state.weight", s.hidden, s.depth);
    at = put_vector(at, "start.state.bias", s.hidden);
    at = put_matrix(at, "start.cell.weight", s.hidden, s.depth);
    at = put_vector(at, "start.cell.bias", s.hidden);
    at = put_attention(at, shape);
    at = put_decoder(at, shape);
    assert(at - list <= SAC_CAPTIONER_PARAMETERS);
    return (int)(at - list);
}

/* ---------------------------------------------------------------- parameters by what they are */

typedef sac_span (*finder)(const sac_parameters *parameters, const char *name);

static void bind_encoder(const sac_captioner *c, finder find, sac_captioner_weights *w)
{
    char name[48];
    for (int i = 0; i < c->shape.layers; i++) {
        snprintf(name, sizeof name, "encoder.%d.weight", i);
        w->encoder[i].weight = find(&c->parameters, name);
        snprintf(name, sizeof name, "encoder.%d.bias", i);
        w->encoder[i].bias = find(&c->parameters, name);
    }
    w->position = find(&c->parameters, "encoder.position");
    w->gain = find(&c->parameters, "encoder.norm.weight");
    w->norm_bias = find(&c->parameters, "encoder.norm.bias");
}

static void bind_attention(const sac_captioner *c, finder find, sac_captioner_weights *w)
{
    if (c->shape.score != SAC_SCORE_BILINEAR) {
        w->key = find(&c->parameters, "attention.key.weight");
        w->key_bias = find(&c->parameters, "attention.key.bias");
    }
    w->query = find(&c->parameters, "attention.query.weight");
    if (c->shape.score == SAC_SCORE_ADDITIVE)
        w->v = find(&c->parameters, "attention.v");
    w->gate = find(&c->parameters, "attention.gate.weight");
    w->gate_bias = find(&c->parameters, "attention.gate.bias");
}

static void bind(const sac_captioner *c, finder find, sac_captioner_weights *w)
{
    const sac_parameters *p = &c->parameters;
    bind_encoder(c, find, w);
    bind_attention(c, find, w);
    w->state.weight = find(p, "start.state.weight");
    w->state.bias = find(p, "start.state.bias");
    w->cell.weight = find(p, "start.cell.weight");
    w->cell.bias = find(p, "start.cell.bias");
    w->embedding = find(p, "words.embedding");
    w->from_word = find(p, "lstm.word.weight");
    w->from_context = find(p, "lstm.context.weight");
    w->from_state = find(p, "lstm.state.weight");
    w->lstm_bias = find(p, "lstm.bias");
    w->out_state = find(p, "words.state.weight");
    w->out_context = find(p, "words.context.weight");
    w->out = find(p, "words.out.weight");
    w->out_bias = find(p, "words.out.bias");
}

/* ---------------------------------------------------------------- making one */

enum { WAVES = 11 };

/* Waves over the grid, x and y in ±1. */
static void place_waves(int column, int row, int grid, float waves[WAVES])
{
    float x = (2 * (float)column + 1) / (float)grid - 1, y = (2 * (float)row + 1) / (float)grid - 1;
    float quarter = (float)M_PI_2;
    const float all[WAVES] = {x,
                              y,
                              x * y,
                              sinf(quarter * x),
                              cosf(quarter * x),
                              sinf(2 * quarter * x),
                              cosf(2 * quarter * x),
                              sinf(quarter * y),
                              cosf(quarter * y),
                              sinf(2 * quarter * y),
                              cosf(2 * quarter * y)};
    memcpy(waves, all, sizeof all);
}

/* Positions begin smooth, as mixtures of long waves in proportions of chance: with noise instead,
 * what stands left or above of what is learnt later. */
static sac_status spread_positions(sac_captioner *c, uint32_t seed, sac_error *error)
{
    size_t depth = (size_t)c->depth, cells = (size_t)c->cells;
    float waves[WAVES], spread = uniform_with_deviation(0.2f);
    float *position = calloc(cells * depth, sizeof *position);
    if (!position)
        return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory for the positions");
    for (size_t n = 0; n < cells; n++) {
        place_waves((int)n % c->grid, (int)n / c->grid, c->grid, waves);
        for (size_t i = 0; i < WAVES * depth; i++) {
            float share = 2 * sac_philox_uniform((uint32_t)i, UINT32_MAX, seed) - 1;
            position[n * depth + i % depth] += spread * share * waves[i / depth];
        }
    }
    sac_status status =
        sac_span_write(c->device, c->values.position, cells * depth, position, error);
    free(position);
    return status;
}

/* A memory that begins by keeping what it holds: Jozefowicz et al. 2015. */
static sac_status open_forget_gates(sac_captioner *c, sac_error *error)
{
    size_t hidden = (size_t)c->shape.hidden;
    return sac_span_fill(c->device, sac_span_from(c->values.lstm_bias, hidden), hidden, 1, error);
}

sac_status sac_captioner_make(sac_device *device, const sac_captioner_shape *shape, bool training,
                              uint32_t seed, sac_captioner **captioner, sac_error *error)
{
    sac_parameter list[SAC_CAPTIONER_PARAMETERS];
    sizes s = sizes_of(shape);
    *captioner = NULL;
    sac_captioner *c = calloc(1, sizeof *c);
    if (!c)
        return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory for the model");
    c->device = device;
    c->shape = *shape;
    c->grid = sac_captioner_grid(shape);
    c->cells = (int)s.cells;
    c->depth = (int)s.depth;
    c->keys = (int)s.keys;
    int count = sac_captioner_parameters(shape, list);
    sac_status status =
        sac_parameters_create(device, list, count, training, seed, &c->parameters, error);
    if (status == SAC_OK) {
        bind(c, sac_parameter_value, &c->values);
        if (training)
            bind(c, sac_parameter_gradient, &c->gradients);
        status = open_forget_gates(c, error);
    }
    if (status == SAC_OK)
        status = spread_positions(c, seed, error);
    if (status != SAC_OK) {
        sac_captioner_destroy(c);
        return status;
    }
    *captioner = c;
    return SAC_OK;
}

sac_status sac_captioner_create(sac_device *device, const sac_captioner_shape *shape, uint32_t seed,
                                sac_captioner **captioner, sac_error *error)
{
    return sac_captioner_make(device, shape, true, seed, captioner, error);
}

void sac_captioner_destroy(sac_captioner *captioner)
{
    if (!captioner)
        return;
    sac_decode_buffers_destroy(captioner->decode);
    sac_captioner_training_destroy(captioner->training);
    sac_parameters_destroy(&captioner->parameters);
    free(captioner);
}

const sac_captioner_shape *sac_captioner_get_shape(const sac_captioner *captioner)
{
    return &captioner->shape;
}

/* ---------------------------------------------------------------- encoder */

sac_convolution sac_captioner_layer(const sac_captioner_shape *shape, int index, size_t batch)
{
    size_t side = (size_t)shape->side, in = 3;
    for (int i = 0; i < index; i++) {
        side = sac_convolution_out(side, (size_t)shape->layer[i].stride);
        in = (size_t)shape->layer[i].channels;
    }
    return (sac_convolution){
        .batch = batch,
        .height = side,
        .width = side,
        .in = in,
        .out = (size_t)shape->layer[index].channels,
        .stride = (size_t)shape->layer[index].stride,
    };
}

size_t sac_captioner_columns(const sac_captioner_shape *shape, size_t batch)
{
    size_t most = 0;
    for (int i = 0; i < shape->layers; i++) {
        sac_convolution layer = sac_captioner_layer(shape, i, batch);
        size_t floats = sac_convolution_scratch(&layer);
        most = floats > most ? floats : most;
    }
    return most;
}

static sac_status convolve(sac_captioner *c, size_t batch, sac_span pictures,
                           const sac_span *between, sac_span columns, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, batch);
        sac_span x = i ? between[i - 1] : pictures;
        status = sac_convolution_forward(c->device, &layer, x, c->values.encoder[i].weight,
                                         c->values.encoder[i].bias, columns, between[i], error);
    }
    return status;
}

sac_layer_norm sac_captioner_norm(const sac_captioner *c, size_t batch)
{
    return (sac_layer_norm){
        .batch = batch,
        .cells = (size_t)c->cells,
        .depth = (size_t)c->depth,
        .position = c->values.position,
        .gain = c->values.gain,
        .bias = c->values.norm_bias,
        .dposition = c->gradients.position,
        .dgain = c->gradients.gain,
        .dbias = c->gradients.norm_bias,
    };
}

sac_status sac_captioner_encode(sac_captioner *c, size_t batch, sac_span pictures,
                                const sac_span *between, sac_span columns, sac_span features,
                                sac_span keys, sac_error *error)
{
    sac_layer_norm norm = sac_captioner_norm(c, batch);
    sac_status status = convolve(c, batch, pictures, between, columns, error);
    if (status == SAC_OK)
        status =
            sac_layer_norm_forward(c->device, &norm, between[c->shape.layers - 1], features, error);
    if (status != SAC_OK || c->shape.score == SAC_SCORE_BILINEAR)
        return status;
    sac_linear layer = {
        .rows = batch * (size_t)c->cells, .in = (size_t)c->depth, .out = (size_t)c->keys};
    return sac_linear_forward(c->device, &layer, features, c->values.key, c->values.key_bias, keys,
                              error);
}

/* tanh(W mean + b) */
static sac_status begin_with(sac_captioner *c, size_t batch, sac_span mean, sac_span w, sac_span b,
                             sac_span y, sac_error *error)
{
    sac_linear layer = {.rows = batch, .in = (size_t)c->depth, .out = (size_t)c->shape.hidden};
    sac_status status = sac_linear_forward(c->device, &layer, mean, w, b, y, error);
    if (status == SAC_OK)
        status = sac_tanh_forward(c->device, batch * (size_t)c->shape.hidden, y, error);
    return status;
}

sac_status sac_captioner_begin(sac_captioner *c, size_t batch, sac_span features, sac_span mean,
                               sac_span state, sac_span cell, sac_error *error)
{
    const sac_captioner_weights *w = &c->values;
    sac_status status = sac_mean_cells_forward(c->device, batch, (size_t)c->cells, (size_t)c->depth,
                                               features, mean, error);
    if (status == SAC_OK)
        status = begin_with(c, batch, mean, w->state.weight, w->state.bias, state, error);
    if (status == SAC_OK)
        status = begin_with(c, batch, mean, w->cell.weight, w->cell.bias, cell, error);
    return status;
}

/* ---------------------------------------------------------------- decoder */

sac_gaze sac_captioner_gaze(const sac_captioner *c, size_t batch)
{
    float depth = (float)c->depth, hidden = (float)c->shape.hidden;
    return (sac_gaze){
        .score = c->shape.score,
        .batch = batch,
        .cells = (size_t)c->cells,
        .depth = (size_t)c->depth,
        .keys = (size_t)c->keys,
        .scale = c->shape.score == SAC_SCORE_BILINEAR ? 1 / sqrtf(sqrtf(depth * hidden))
                                                      : 1 / sqrtf((float)c->keys),
    };
}

/* Where the decoder looks, and what it sees there. */
static sac_status look(sac_captioner *c, const sac_captioner_step *step, sac_error *error)
{
    size_t hidden = (size_t)c->shape.hidden;
    sac_linear query = {.rows = step->batch, .in = hidden, .out = (size_t)c->keys};
    sac_linear gate = {.rows = step->batch, .in = hidden, .out = 1};
    sac_gaze gaze = sac_captioner_gaze(c, step->batch);
    gaze.temperature = step->temperature;
    gaze.shared = step->shared;
    bool bilinear = c->shape.score == SAC_SCORE_BILINEAR;
    sac_gaze_spans spans = {
        .features = step->features,
        .keys = bilinear ? step->features : step->keys,
        .v = c->values.v,
        .query = step->query,
        .gate = step->gate,
        .hidden = step->mask,
        .weights = step->weights,
        .context = step->context,
        .z = step->z,
    };
    sac_status status = sac_linear_forward(c->device, &query, step->state, c->values.query,
                                           (sac_span){0}, step->query, error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &gate, step->state, c->values.gate,
                                    c->values.gate_bias, step->gate, error);
    if (status == SAC_OK)
        status = sac_gaze_forward(c->device, &gaze, &spans, error);
    return status;
}

/* The sums of the LSTM's gates over word, context and state. */
static sac_status sum_gates(sac_captioner *c, const sac_captioner_step *step, sac_error *error)
{
    size_t hidden = (size_t)c->shape.hidden;
    sac_linear word = {.rows = step->batch, .in = (size_t)c->shape.embedding, .out = 4 * hidden};
    sac_linear context = word, state = word;
    context.in = (size_t)c->depth;
    state.in = hidden;
    context.accumulate = state.accumulate = true;
    sac_span none = {0};
    sac_status status = SAC_OK;
    if (!step->words_done)
        status = sac_linear_forward(c->device, &word, step->embedded, c->values.from_word,
                                    c->values.lstm_bias, step->gates, error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &context, step->z, c->values.from_context, none,
                                    step->gates, error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &state, step->state, c->values.from_state, none,
                                    step->gates, error);
    return status;
}

sac_status sac_captioner_step_forward(sac_captioner *c, const sac_captioner_step *step,
                                      sac_error *error)
{
    sac_lstm lstm = {.batch = step->batch, .hidden = (size_t)c->shape.hidden};
    sac_status status = look(c, step, error);
    if (status == SAC_OK)
        status = sum_gates(c, step, error);
    if (status == SAC_OK)
        status = sac_lstm_forward(c->device, &lstm, step->gates, step->cell, step->next_cell,
                                  step->next_state, error);
    return status;
}

static sac_status copy(sac_device *device, sac_span from, sac_span to, size_t count,
                       sac_error *error)
{
    cl_int code =
        clEnqueueCopyBuffer(device->queue, from.buffer, to.buffer, from.at * sizeof(float),
                            to.at * sizeof(float), count * sizeof(float), 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueCopyBuffer", code, error);
}

sac_status sac_captioner_logits(sac_captioner *c, size_t rows, sac_span embedded, sac_span state,
                                sac_span z, sac_span mixed, sac_span logits, sac_error *error)
{
    size_t embedding = (size_t)c->shape.embedding;
    sac_linear from_state = {
        .rows = rows, .in = (size_t)c->shape.hidden, .out = embedding, .accumulate = true};
    sac_linear from_context = {
        .rows = rows, .in = (size_t)c->depth, .out = embedding, .accumulate = true};
    sac_linear out = {.rows = rows, .in = embedding, .out = (size_t)c->shape.vocabulary};
    sac_span none = {0};
    sac_status status = copy(c->device, embedded, mixed, rows * embedding, error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &from_state, state, c->values.out_state, none, mixed,
                                    error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &from_context, z, c->values.out_context, none, mixed,
                                    error);
    if (status == SAC_OK)
        status = sac_linear_forward(c->device, &out, mixed, c->values.out, c->values.out_bias,
                                    logits, error);
    return status;
}
