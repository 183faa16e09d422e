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
    sac_pass_write(&c->base.pass, s->f.pictures, s->pixels);
    sac_captioner_encode(c, &s->f);
    sac_captioner_begin(c, &s->f, s->first_state, s->first_cell);
    return sac_pass_end(&c->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all sentences */

/* Brings every sentence of the beam to where its next word begins: the embedding of its last word,
 * and the state of the sentence that it goes on from. */
static void gather_states(sac_captioner *c, const sac_beam *beam)
{
    struct sac_decode_buffers *s = c->decode;
    bool first = beam->step == 0;
    size_t rows = (size_t)beam->rows;
    cl_int words[ROWS] = {0}, parents[ROWS] = {0};
    for (size_t i = 0; i < rows; i++) {
        words[i] = beam->row[beam->step][i].word;
        parents[i] = first ? 0 : beam->row[beam->step][i].parent;
    }
    sac_ints word_rows = sac_ints_from(s->words, 0, rows);
    sac_ints parent_rows = sac_ints_from(s->parents, 0, rows);
    sac_pass_write_ints(&c->base.pass, s->words, words);
    sac_pass_write_ints(&c->base.pass, s->parents, parents);
    sac_embedding_forward(&c->base.pass, sac_tensor_rows(s->embedded, 0, rows),
                          c->weights.embedding, word_rows);
    sac_gather_rows(&c->base.pass, sac_tensor_rows(s->state, 0, rows),
                    first ? s->first_state : s->next_state, parent_rows);
    sac_gather_rows(&c->base.pass, sac_tensor_rows(s->cell, 0, rows),
                    first ? s->first_cell : s->next_cell, parent_rows);
}

static void run_step(sac_captioner *c, const sac_caption_request *request)
{
    struct sac_decode_buffers *s = c->decode;
    size_t rows = (size_t)s->beam.rows;
#define ROWS_OF(x) sac_tensor_rows(s->x, 0, rows)
    sac_captioner_step step = {
        .shared = true,
        .temperature = request->temperature,
        .features = s->f.features,
        .keys = s->f.keys,
        .mask = request->hidden ? s->mask : (sac_tensor){0},
        .embedded = ROWS_OF(embedded),
        .state = ROWS_OF(state),
        .cell = ROWS_OF(cell),
        .query = ROWS_OF(query),
        .beta = ROWS_OF(beta),
        .weights = ROWS_OF(weights),
        .context = ROWS_OF(context),
        .z = ROWS_OF(z),
        .gates = ROWS_OF(gates),
        .next_state = ROWS_OF(next_state),
        .next_cell = ROWS_OF(next_cell),
    };
    sac_captioner_step_forward(c, &step);
    sac_captioner_logits(c, ROWS_OF(logits), ROWS_OF(mixed), step.embedded, step.next_state,
                         step.z);
#undef ROWS_OF
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

static void read_step(sac_captioner *c)
{
    struct sac_decode_buffers *s = c->decode;
    int step = s->beam.step;
    size_t rows = (size_t)s->beam.rows;
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->logits, 0, rows),
                  sac_decoded_log_probability(c, step, 0));
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->weights, 0, rows),
                  sac_decoded_weights(c, step, 0));
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->query, 0, rows), sac_decoded_query(c, step, 0));
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->beta, 0, rows), s->beta_read[step]);
    for (int i = 0; i < s->beam.rows && sac_pass_runs(&c->base.pass); i++)
        log_softmax(sac_decoded_log_probability(c, step, i), c->shape.vocabulary);
}

/* What a search asks of the captioner. */
typedef struct speaker {
    sac_captioner *c;
    const sac_caption_request *request;
} speaker;

static sac_status decode_step(void *self, const sac_beam *beam, const float **log_probability,
                              sac_error *error)
{
    speaker *s = self;
    gather_states(s->c, beam);
    run_step(s->c, s->request);
    read_step(s->c);
    *log_probability = sac_decoded_log_probability(s->c, beam->step, 0);
    return sac_pass_end(&s->c->base.pass, error);
}

static sac_status search(sac_captioner *c, const sac_caption_request *request, sac_error *error)
{
    speaker self = {c, request};
    sac_decoder decoder = {&self, decode_step};
    sac_beam_options options = {
        .width = request->beam ? request->beam : 3,
        .vocabulary = c->shape.vocabulary,
        .length = STEPS,
        .pad = SAC_WORD_PAD,
        .start = SAC_WORD_START,
        .end = SAC_WORD_END,
    };
    return sac_beam_search(&c->decode->beam, &options, &decoder, request->prefix,
                           request->prefix_count, error);
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
    sac_pass_write(&c->base.pass, s->mask, s->mask_host);
    return sac_pass_end(&c->base.pass, error);
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
