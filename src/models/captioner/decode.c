/* Looking at a picture once, and speaking of it as often as one likes. The sentences of a beam go
 * through the decoder as one batch over the same features. */
#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "captioner/decode_buffers.h"
#include "scenes/vocabulary.h"

enum { STEPS = SAC_CAPTION_WORDS, ROWS = SAC_BEAM_WIDTH };

/* ---------------------------------------------------------------- looking */

sac_status sac_captioner_look(sac_captioner *c, const sac_image *square, sac_error *error)
{
    int side = c->shape.side;
    if (square->width != side || square->height != side)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "is %d × %d; the model looks at %d × %d", square->width, square->height,
                        side, side);
    sac_status status = sac_decode_buffers_prepare(c, error);
    if (status != SAC_OK)
        return status;
    struct sac_decode_buffers *s = c->decode;
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
    return sac_embedding_forward(c->device, &gather, c->decode->rows, which_at, from, to, error);
}

/* Brings every sentence of the beam to where its next word begins: the embedding of its last word,
 * and the state of the sentence that it goes on from. */
static sac_status take_up(sac_captioner *c, sac_error *error)
{
    struct sac_decode_buffers *s = c->decode;
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
    struct sac_decode_buffers *s = c->decode;
    sac_captioner_step step = {
        .batch = (size_t)s->beam.rows,
        .shared = true,
        .temperature = request->temperature,
        .features = s->features,
        .keys = s->keys,
        .mask = request->hidden ? s->mask : (sac_span){0},
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

static sac_status read_step(sac_captioner *c, sac_error *error)
{
    struct sac_decode_buffers *s = c->decode;
    int step = s->beam.step;
    size_t rows = (size_t)s->beam.rows;
    sac_status status = sac_span_read(c->device, s->logits, rows * (size_t)c->shape.vocabulary,
                                      sac_decoded_log_probability(c, step, 0), error);
    if (status == SAC_OK)
        status = sac_span_read(c->device, s->weights, rows * (size_t)c->cells,
                               sac_decoded_weights(c, step, 0), error);
    if (status == SAC_OK)
        status = sac_span_read(c->device, s->gate, rows, s->beta[step], error);
    for (int i = 0; i < s->beam.rows; i++)
        log_softmax(sac_decoded_log_probability(c, step, i), c->shape.vocabulary);
    return status;
}

static sac_status search(sac_captioner *c, const sac_caption_request *request, sac_error *error)
{
    sac_beam *beam = &c->decode->beam;
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
            more = sac_beam_step(beam, sac_decoded_log_probability(c, beam->step, 0), given);
    }
    return status;
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

static sac_status upload_mask(sac_captioner *c, const uint8_t *hidden, sac_error *error)
{
    struct sac_decode_buffers *s = c->decode;
    if (!hidden)
        return SAC_OK;
    for (int i = 0; i < c->cells; i++)
        s->mask_host[i] = hidden[i] ? 1 : 0;
    return sac_span_write(c->device, s->mask, (size_t)c->cells, s->mask_host, error);
}

sac_status sac_captioner_speak(sac_captioner *c, const sac_caption_request *request,
                               sac_caption *caption, sac_error *error)
{
    assert(c->decode); /* it has looked */
    double start = sac_now();
    *caption = (sac_caption){0};
    sac_status status = check_request(c, request, error);
    if (status == SAC_OK)
        status = upload_mask(c, request->hidden, error);
    if (status == SAC_OK)
        status = search(c, request, error);
    if (status == SAC_OK)
        status = sac_captioner_result(c, caption, error);
    caption->milliseconds = 1e3 * (sac_now() - start);
    return status;
}
