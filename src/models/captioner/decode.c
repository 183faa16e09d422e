/* A picture is encoded once, and spoken of as often as one likes. The sentences of a beam go
 * through the decoder as one batch over the same features. */
#include "models/decode.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode_buffers.h"
#include "captioner/decode_step.h"
#include "scenes/vocabulary.h"

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
    return sac_pass_end(&c->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all sentences */

/* The results of a step, each row's in its parts. */
static void read_step(sac_captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    struct sac_decode_buffers *s = c->decode;
    size_t words = (size_t)c->shape.vocabulary, cells = (size_t)c->cells, keys = (size_t)c->keys;
    sac_tensor rows = sac_tensor_rows(s->results, 0, (size_t)beam->rows);
    sac_pass_read(&c->base.pass, rows, s->results_read);
    for (int i = 0; i < beam->rows && sac_pass_runs(&c->base.pass); i++) {
        const float *row = s->results_read + (size_t)i * rows.width;
        memcpy(result->logits + (size_t)i * words, row, words * sizeof *row);
        memcpy(result->weights + (size_t)i * cells, row + words, cells * sizeof *row);
        memcpy(sac_decoded_query(c, beam->step, i), row + words + cells, keys * sizeof *row);
        result->gate[i] = row[words + cells + keys];
    }
}

/* One launch and one read for each word: a launch on a CPU takes as long as the word's arithmetic.
 */
sac_status sac_captioner_decode_step(sac_model *model, const sac_beam *beam,
                                     const sac_caption_request *request,
                                     const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = (sac_captioner *)model;
    bool hidden = request->hidden != NULL;
    assert(c->decode); /* it has looked */
    if (beam->step == 0 && hidden)
        sac_pass_write_bytes(&c->base.pass, c->decode->mask, request->hidden);
    if (beam->step == 0)
        sac_captioner_launch_begin(c, hidden);
    sac_captioner_launch_step(c, beam, hidden, request->temperature);
    read_step(c, beam, result);
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
