/* A picture is encoded once, and spoken of as often as one likes. The sentences of a beam go
 * through the decoder as one batch over the same features. */
#include "models/decode.h"

#include <assert.h>

#include "base/error.h"
#include "captioner/decode_buffers.h"
#include "scenes/vocabulary.h"

enum { ROWS = SAC_BEAM_WIDTH };

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
    int words[ROWS], parents[ROWS];
    sac_beam_last(beam, words, parents);
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

static void run_step(sac_captioner *c, const sac_caption_request *request, size_t rows)
{
    struct sac_decode_buffers *s = c->decode;
#define ROWS_OF(x) sac_tensor_rows(s->x, 0, rows)
    sac_captioner_step step = {
        .shared = true,
        .temperature = request->temperature,
        .features = s->f.features,
        .keys = s->f.keys,
        .mask = request->hidden ? s->mask.buffer : NULL,
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
    sac_deep_output_tensors output = {ROWS_OF(logits), ROWS_OF(mixed), step.embedded,
                                      step.next_state, step.z};
    sac_deep_output_forward(&c->base.pass, &c->weights.output, &output);
#undef ROWS_OF
}

static void read_step(sac_captioner *c, int step, size_t rows, const sac_step_result *result)
{
    struct sac_decode_buffers *s = c->decode;
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->logits, 0, rows), result->logits);
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->weights, 0, rows), result->weights);
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->query, 0, rows), sac_decoded_query(c, step, 0));
    sac_pass_read(&c->base.pass, sac_tensor_rows(s->beta, 0, rows), result->gate);
}

sac_status sac_captioner_decode_step(sac_model *model, const sac_beam *beam,
                                     const sac_caption_request *request,
                                     const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = (sac_captioner *)model;
    assert(c->decode); /* it has looked */
    if (beam->step == 0 && request->hidden)
        sac_pass_write_bytes(&c->base.pass, c->decode->mask, request->hidden);
    gather_states(c, beam);
    run_step(c, request, (size_t)beam->rows);
    read_step(c, beam->step, (size_t)beam->rows, result);
    return sac_pass_end(&c->base.pass, error);
}

sac_speech sac_captioner_speech(const sac_model *model)
{
    const sac_captioner *c = (const sac_captioner *)model;
    return (sac_speech){.tokens = {.vocabulary = c->shape.vocabulary,
                                   .length = SAC_CAPTION_WORDS,
                                   .pad = SAC_WORD_PAD,
                                   .start = SAC_WORD_START,
                                   .end = SAC_WORD_END},
                        .grid_w = c->grid,
                        .grid_h = c->grid};
}

sac_status sac_captioner_speak(sac_captioner *c, const sac_caption_request *request,
                               sac_caption *caption, sac_error *error)
{
    return sac_model_decode(&c->base, request, caption, error);
}
