/* Looking at a picture once, and speaking of it as often as one likes. All memory is taken when a
 * captioner looks for the first time; the sentences of a beam go through the decoder as one batch
 * over the same features. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "captioner/beam.h"
#include "captioner/model.h"
#include "scenes/vocabulary.h"

enum { STEPS = SAC_CAPTION_WORDS, ROWS = SAC_BEAM_WIDTH };

struct sac_captioner_speech {
    /* [side,side,3]; each layer's result; [N,D]; [N,A]; [D]; [H] twice */
    sac_span picture, between[SAC_CAPTIONER_LAYERS], columns, features, keys, mean;
    sac_span first_state, first_cell;
    sac_span hidden; /* [N] */
    /* One row for each sentence: [ROWS,·] as in sac_captioner_step. */
    sac_span embedded, state, cell, query, gate, weights, context, z, gates, next_state, next_cell;
    sac_span mixed, logits; /* [ROWS,M], [ROWS,V] */
    cl_mem rows; /* int [2,ROWS]: the word that a sentence said last, and whom it goes on from */
    float *pixels, *cover; /* on the host: picture and hidden */
    /* What every sentence saw at every step: α [STEPS,ROWS,N], log p [STEPS,ROWS,V], β. */
    float *seen, *said, beta[STEPS][ROWS];
    sac_beam beam;
};

/* ---------------------------------------------------------------- memory */

typedef struct room {
    sac_span *span;
    size_t floats;
} room;

static sac_status make_room(sac_device *device, const room *rooms, size_t count, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status = sac_span_create(device, rooms[i].floats, NULL, rooms[i].span, error);
    return status;
}

static sac_status make_picture_room(sac_captioner *c, struct sac_captioner_speech *s,
                                    sac_error *error)
{
    size_t cells = (size_t)c->cells, depth = (size_t)c->depth, hidden = (size_t)c->shape.hidden;
    size_t side = (size_t)c->shape.side, keys = (size_t)c->keys;
    const room rooms[] = {{&s->picture, side * side * 3},
                          {&s->columns, sac_captioner_columns(&c->shape, 1)},
                          {&s->features, cells * depth},
                          {&s->keys, cells * keys},
                          {&s->mean, depth},
                          {&s->first_state, hidden},
                          {&s->first_cell, hidden},
                          {&s->hidden, cells}};
    sac_status status = make_room(c->device, rooms, sizeof rooms / sizeof *rooms, error);
    for (int i = 0; i < c->shape.layers && status == SAC_OK; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        size_t out = sac_convolution_out(layer.height, layer.stride);
        room result = {&s->between[i], out * out * layer.out};
        status = make_room(c->device, &result, 1, error);
    }
    return status;
}

static sac_status make_sentence_room(sac_captioner *c, struct sac_captioner_speech *s,
                                     sac_error *error)
{
    size_t cells = (size_t)c->cells, depth = (size_t)c->depth, hidden = (size_t)c->shape.hidden;
    size_t embedding = (size_t)c->shape.embedding, vocabulary = (size_t)c->shape.vocabulary;
    const room rooms[] = {
        {&s->embedded, ROWS * embedding},
        {&s->mixed, ROWS * embedding},
        {&s->logits, ROWS * vocabulary},
        {&s->state, ROWS * hidden},
        {&s->cell, ROWS * hidden},
        {&s->next_state, ROWS * hidden},
        {&s->next_cell, ROWS * hidden},
        {&s->gates, ROWS * 4 * hidden},
        {&s->query, ROWS * (size_t)c->keys},
        {&s->gate, ROWS},
        {&s->weights, ROWS * cells},
        {&s->context, ROWS * depth},
        {&s->z, ROWS * depth},
    };
    sac_status status = make_room(c->device, rooms, sizeof rooms / sizeof *rooms, error);
    if (status == SAC_OK)
        status = sac_buffer_create(c->device, 2 * ROWS * sizeof(cl_int), NULL, &s->rows, error);
    return status;
}

static sac_status make_host_room(const sac_captioner *c, struct sac_captioner_speech *s,
                                 sac_error *error)
{
    size_t side = (size_t)c->shape.side, cells = (size_t)c->cells;
    s->pixels = malloc(side * side * 3 * sizeof *s->pixels);
    s->cover = malloc(cells * sizeof *s->cover);
    s->seen = malloc(STEPS * ROWS * cells * sizeof *s->seen);
    s->said = malloc(STEPS * ROWS * (size_t)c->shape.vocabulary * sizeof *s->said);
    if (s->pixels && s->cover && s->seen && s->said)
        return SAC_OK;
    return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory to speak");
}

static sac_status prepare(sac_captioner *c, sac_error *error)
{
    if (c->speech)
        return SAC_OK;
    struct sac_captioner_speech *s = calloc(1, sizeof *s);
    if (!s)
        return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory to speak");
    sac_status status = make_host_room(c, s, error);
    if (status == SAC_OK)
        status = make_picture_room(c, s, error);
    if (status == SAC_OK)
        status = make_sentence_room(c, s, error);
    if (status == SAC_OK)
        c->speech = s;
    else
        sac_captioner_speech_destroy(s);
    return status;
}

void sac_captioner_speech_destroy(struct sac_captioner_speech *s)
{
    if (!s)
        return;
    sac_span *const spans[] = {
        &s->picture,    &s->features, &s->columns,     &s->keys,  &s->mean,  &s->hidden,
        &s->first_cell, &s->embedded, &s->first_state, &s->state, &s->cell,  &s->query,
        &s->gate,       &s->weights,  &s->context,     &s->z,     &s->gates, &s->mixed,
        &s->next_state, &s->logits,   &s->next_cell};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
    for (int i = 0; i < SAC_CAPTIONER_LAYERS; i++)
        sac_span_release(&s->between[i]);
    sac_buffer_release(s->rows);
    free(s->pixels);
    free(s->cover);
    free(s->seen);
    free(s->said);
    free(s);
}

/* ---------------------------------------------------------------- looking */

sac_status sac_captioner_look(sac_captioner *c, const sac_image *square, sac_error *error)
{
    int side = c->shape.side;
    if (square->width != side || square->height != side)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "is %d × %d; the model looks at %d × %d", square->width, square->height,
                        side, side);
    sac_status status = prepare(c, error);
    if (status != SAC_OK)
        return status;
    struct sac_captioner_speech *s = c->speech;
    size_t pixels = (size_t)side * (size_t)side;
    for (size_t i = 0; i < pixels; i++)
        for (size_t k = 0; k < 3; k++)
            s->pixels[3 * i + k] = sac_captioner_light(square->rgba[4 * i + k]);
    status = sac_span_write(c->device, s->picture, 3 * pixels, s->pixels, error);
    if (status == SAC_OK)
        status = sac_captioner_encode(c, 1, s->picture, s->between, s->columns, s->features,
                                      s->keys, error);
    if (status == SAC_OK)
        status =
            sac_captioner_begin(c, 1, s->features, s->mean, s->first_state, s->first_cell, error);
    return status;
}

/* ---------------------------------------------------------------- one word of all sentences */

/* y[rows,width] = from[parents,:]: what an embedding does, with states in place of its table. */
static sac_status take_rows(sac_captioner *c, size_t rows, size_t width, size_t of, size_t which_at,
                            sac_span from, sac_span to, sac_error *error)
{
    sac_embedding gather = {.rows = rows, .depth = width, .vocabulary = of};
    return sac_embedding_forward(c->device, &gather, c->speech->rows, which_at, from, to, error);
}

/* Brings every sentence of the beam to where its next word begins: the embedding of its last word,
 * and the state of the sentence that it goes on from. */
static sac_status take_up(sac_captioner *c, sac_error *error)
{
    struct sac_captioner_speech *s = c->speech;
    const sac_beam *beam = &s->beam;
    bool first = beam->step == 0;
    size_t rows = (size_t)beam->rows, hidden = (size_t)c->shape.hidden;
    cl_int word_and_parent[2 * ROWS] = {0};
    for (size_t i = 0; i < rows; i++) {
        word_and_parent[i] = beam->row[beam->step][i].word;
        word_and_parent[ROWS + i] = first ? 0 : beam->row[beam->step][i].parent;
    }
    sac_status status =
        sac_buffer_write(c->device, s->rows, 0, sizeof word_and_parent, word_and_parent, error);
    if (status == SAC_OK)
        status = take_rows(c, rows, (size_t)c->shape.embedding, (size_t)c->shape.vocabulary, 0,
                           c->values.embedding, s->embedded, error);
    if (status == SAC_OK)
        status = take_rows(c, rows, hidden, ROWS, ROWS, first ? s->first_state : s->next_state,
                           s->state, error);
    if (status == SAC_OK)
        status = take_rows(c, rows, hidden, ROWS, ROWS, first ? s->first_cell : s->next_cell,
                           s->cell, error);
    return status;
}

static sac_status run_step(sac_captioner *c, const sac_caption_request *request, sac_error *error)
{
    struct sac_captioner_speech *s = c->speech;
    sac_captioner_step step = {
        .batch = (size_t)s->beam.rows,
        .shared = true,
        .temperature = request->temperature,
        .features = s->features,
        .keys = s->keys,
        .hidden = request->hidden ? s->hidden : (sac_span){0},
        .embedded = s->embedded,
        .state = s->state,
        .cell = s->cell,
        .query = s->query,
        .gate = s->gate,
        .weights = s->weights,
        .context = s->context,
        .z = s->z,
        .gates = s->gates,
        .next_state = s->next_state,
        .next_cell = s->next_cell,
    };
    sac_status status = sac_captioner_step_forward(c, &step, error);
    if (status == SAC_OK)
        status = sac_captioner_logits(c, step.batch, s->embedded, s->next_state, s->z, s->mixed,
                                      s->logits, error);
    return status;
}

/* logits become log probabilities, in place. */
static void log_softmax(float *row, int count)
{
    double highest = -INFINITY, sum = 0;
    for (int i = 0; i < count; i++)
        highest = fmax(highest, row[i]);
    for (int i = 0; i < count; i++)
        sum += exp(row[i] - highest);
    for (int i = 0; i < count; i++)
        row[i] = (float)(row[i] - highest - log(sum));
}

static float *seen_at(const sac_captioner *c, int step, int row)
{
    return c->speech->seen + (size_t)(step * ROWS + row) * (size_t)c->cells;
}

static float *said_at(const sac_captioner *c, int step, int row)
{
    return c->speech->said + (size_t)(step * ROWS + row) * (size_t)c->shape.vocabulary;
}

static sac_status read_step(sac_captioner *c, sac_error *error)
{
    struct sac_captioner_speech *s = c->speech;
    int step = s->beam.step;
    size_t rows = (size_t)s->beam.rows;
    sac_status status = sac_span_read(c->device, s->logits, rows * (size_t)c->shape.vocabulary,
                                      said_at(c, step, 0), error);
    if (status == SAC_OK)
        status = sac_span_read(c->device, s->weights, rows * (size_t)c->cells, seen_at(c, step, 0),
                               error);
    if (status == SAC_OK)
        status = sac_span_read(c->device, s->gate, rows, s->beta[step], error);
    for (int i = 0; i < s->beam.rows; i++)
        log_softmax(said_at(c, step, i), c->shape.vocabulary);
    return status;
}

static sac_status search(sac_captioner *c, const sac_caption_request *request, sac_error *error)
{
    sac_beam *beam = &c->speech->beam;
    sac_beam_begin(beam, request->beam ? request->beam : 3, c->shape.vocabulary);
    sac_status status = SAC_OK;
    for (bool more = true; more && status == SAC_OK;) {
        int given = beam->step < request->prefix_count ? request->prefix[beam->step] : -1;
        status = take_up(c, error);
        if (status == SAC_OK)
            status = run_step(c, request, error);
        if (status == SAC_OK)
            status = read_step(c, error);
        if (status == SAC_OK)
            more = sac_beam_step(beam, said_at(c, beam->step, 0), given);
    }
    return status;
}

/* ---------------------------------------------------------------- telling */

static void find_peak_and_centre(const float *weights, int grid_w, int grid_h,
                                 sac_caption_word *word)
{
    double sum = 0, x_sum = 0, y_sum = 0;
    float peak = 0;
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++) {
            float weight = weights[y * grid_w + x];
            sum += weight;
            x_sum += weight * (x + 0.5);
            y_sum += weight * (y + 0.5);
            if (weight > peak) {
                peak = weight;
                word->peak_x = x;
                word->peak_y = y;
            }
        }
    word->centre_x = (float)(sum > 0 ? x_sum / sum : grid_w / 2.0);
    word->centre_y = (float)(sum > 0 ? y_sum / sum : grid_h / 2.0);
}

/* The most probable words that could stand in place of this one. */
static void find_others(const float *log_probability, int vocabulary, sac_caption_word *word)
{
    enum { OTHERS = sizeof word->instead / sizeof *word->instead };
    int count = 0;
    for (int w = SAC_WORD_END + 1; w < vocabulary; w++) {
        if (w == word->word)
            continue;
        int place = count < OTHERS ? count++ : OTHERS;
        while (place > 0 && log_probability[word->instead[place - 1]] < log_probability[w]) {
            if (place < OTHERS)
                word->instead[place] = word->instead[place - 1];
            place--;
        }
        if (place < OTHERS)
            word->instead[place] = w;
    }
    for (int i = 0; i < OTHERS; i++) {
        if (i >= count)
            word->instead[i] = -1;
        word->instead_probability[i] = i < count ? expf(log_probability[word->instead[i]]) : 0;
    }
}

static void tell_word(const sac_captioner *c, int step, int row, int number, sac_caption_word *word)
{
    const float *weights = seen_at(c, step, row), *log_probability = said_at(c, step, row);
    *word = (sac_caption_word){.word = number};
    snprintf(word->text, sizeof word->text, "%s", sac_word_text(number));
    word->probability = expf(log_probability[number]);
    word->entropy = sac_entropy(weights, (size_t)c->cells);
    word->gate = c->speech->beta[step][row];
    find_peak_and_centre(weights, c->grid, c->grid, word);
    find_others(log_probability, c->shape.vocabulary, word);
}

static sac_status tell(const sac_captioner *c, sac_caption *caption, sac_error *error)
{
    int words[STEPS], rows[STEPS];
    size_t cells = (size_t)c->cells;
    *caption = (sac_caption){.grid_w = c->grid, .grid_h = c->grid};
    caption->count = sac_beam_path(&c->speech->beam, words, rows);
    caption->finished = sac_beam_has_ended(&c->speech->beam);
    caption->weights = malloc((size_t)caption->count * cells * sizeof *caption->weights);
    if (!caption->weights)
        return sac_fail(error, SAC_E_MEMORY, "caption", NULL, "no memory for its weights");
    for (int t = 0; t < caption->count; t++) {
        float *weights = caption->weights + (size_t)t * cells;
        memcpy(weights, seen_at(c, t, rows[t]), cells * sizeof *weights);
        for (size_t i = 0; i < cells; i++)
            caption->max_weight = fmaxf(caption->max_weight, weights[i]);
        tell_word(c, t, rows[t], words[t], &caption->words[t]);
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- speaking */

static sac_status check_request(const sac_captioner *c, const sac_caption_request *request,
                                sac_error *error)
{
    if (request->beam < 0 || request->beam > ROWS)
        return sac_fail(error, SAC_E_ARGUMENT, "beam", NULL, "%d is not a width from 1 to %d",
                        request->beam, ROWS);
    if (!(request->temperature >= 0) || !isfinite(request->temperature))
        return sac_fail(error, SAC_E_ARGUMENT, "temperature", NULL, "%g is not above 0",
                        (double)request->temperature);
    if (request->prefix_count < 0 || request->prefix_count > STEPS)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", NULL,
                        "has %d words; a caption has up to %d", request->prefix_count, STEPS);
    for (int i = 0; i < request->prefix_count; i++)
        if (request->prefix[i] <= SAC_WORD_END || request->prefix[i] >= c->shape.vocabulary)
            return sac_fail(error, SAC_E_ARGUMENT, "prefix", NULL,
                            "word %d is no word that can be said", request->prefix[i]);
    return SAC_OK;
}

static sac_status hide(sac_captioner *c, const uint8_t *hidden, sac_error *error)
{
    struct sac_captioner_speech *s = c->speech;
    if (!hidden)
        return SAC_OK;
    for (int i = 0; i < c->cells; i++)
        s->cover[i] = hidden[i] ? 1 : 0;
    return sac_span_write(c->device, s->hidden, (size_t)c->cells, s->cover, error);
}

sac_status sac_captioner_speak(sac_captioner *c, const sac_caption_request *request,
                               sac_caption *caption, sac_error *error)
{
    assert(c->speech); /* it has looked */
    double start = sac_now();
    *caption = (sac_caption){0};
    sac_status status = check_request(c, request, error);
    if (status == SAC_OK)
        status = hide(c, request->hidden, error);
    if (status == SAC_OK)
        status = search(c, request, error);
    if (status == SAC_OK)
        status = tell(c, caption, error);
    caption->milliseconds = 1e3 * (sac_now() - start);
    return status;
}
