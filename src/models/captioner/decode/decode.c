/* A picture is encoded once, and captioned any number of times. The sentences of a beam go through
 * the decoder as one batch over the same features. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/decode_step.h"
#include "captioner/decode/encode.h"
#include "shapes/vocabulary.h"

/* ---------------------------------------------------------------- looking */

sac_status sac_captioner_encode_square(sac_captioner *c, const sac_image *square, sac_error *error)
{
    int side = c->shape.side;
    if (square->width != side || square->height != side)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "is %d × %d; the model looks at %d × %d", square->width, square->height,
                        side, side);
    sac_status status = sac_decode_buffers_prepare(c, error);
    if (status != SAC_OK)
        return status;
    sac_captioner_expect(c);
    sac_captioner_encode_picture(c, square->rgba);
    return sac_pass_end(&c->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all sentences */

static float *result_of(const sac_captioner *c, const sac_beam *beam, int step, int row)
{
    size_t index = (size_t)(step * beam->options.width + row);
    return c->decode->results_read + index * c->decode->results.width;
}

static sac_row_end *row_end_of(const sac_captioner *c, const sac_beam *beam, int step, int row)
{
    return (sac_row_end *)(result_of(c, beam, step, row) + c->decode->results.width) - 1;
}

static int rows_of(const sac_captioner *c, const sac_beam *beam, int step)
{
    int rows = 0;
    while (rows < beam->options.width && row_end_of(c, beam, step, rows)->word >= 0)
        rows++;
    return rows;
}

/* Whether the device has gone on to this step with the sentences of the search. */
static bool is_followed(const sac_captioner *c, const sac_beam *beam)
{
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    bool same = rows_of(c, beam, beam->step) == beam->rows;
    sac_beam_last(beam, words, parents);
    for (int i = 0; same && i < beam->rows; i++) {
        const sac_row_end *row = row_end_of(c, beam, beam->step, i);
        same = (int)row->word == words[i] && (int)row->parent == parents[i];
    }
    return same;
}

/* Writes the search's sentences to the device: it adds up scores in float32, and the search in
 * float64, so that they may differ where scores are nearly equal. */
static void correct_rows(sac_captioner *c, const sac_beam *beam)
{
    size_t width = (size_t)beam->options.width;
    for (int i = 0; i < beam->options.width; i++) {
        const sac_beam_row *row = &beam->row[beam->step][i];
        *row_end_of(c, beam, beam->step, i) =
            i < beam->rows
                ? (sac_row_end){0, (float)row->word, (float)row->parent, (float)row->score}
                : (sac_row_end){.word = -1};
    }
    sac_pass_write(&c->base.pass,
                   sac_tensor_rows(c->decode->results, (size_t)beam->step * width, width),
                   result_of(c, beam, beam->step, 0));
}

/* The steps from this one on, as far as the device takes them, and the rows that would follow. */
static void take_steps(sac_captioner *c, const sac_beam *beam, const sac_result_request *request)
{
    struct sac_decode_buffers *s = c->decode;
    size_t width = (size_t)beam->options.width;
    int end = beam->step + sac_captioner_launch_steps(c, beam, request);
    sac_tensor rows = sac_tensor_rows(s->results, (size_t)beam->step * width,
                                      (size_t)(end + 1 - beam->step) * width);
    sac_pass_read(&c->base.pass, rows, result_of(c, beam, beam->step, 0));
    s->known = beam->step;
    while (sac_pass_runs(&c->base.pass) && s->known < end && rows_of(c, beam, s->known) > 0)
        s->known++;
}

/* Uploads what is given before a search begins: hidden cells and the prefix. */
static void begin(sac_captioner *c, const sac_result_request *request)
{
    sac_ints given = sac_ints_from(c->decode->given, 0, c->decode->given.count);
    given.count = (size_t)request->prefix_count;
    c->decode->known = 0;
    if (request->hidden)
        sac_pass_write_bytes(&c->base.pass, c->decode->mask, request->hidden);
    if (request->prefix_count > 0)
        sac_pass_write_ints(&c->base.pass, given, request->prefix);
}

static void copy_step(sac_captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    size_t words = (size_t)c->shape.vocabulary, cells = (size_t)c->cells, keys = (size_t)c->keys;
    for (int i = 0; i < beam->rows; i++) {
        const float *row = result_of(c, beam, beam->step, i);
        memcpy(result->logits + (size_t)i * words, row, words * sizeof *row);
        memcpy(result->weights + (size_t)i * cells, row + words, cells * sizeof *row);
        memcpy(sac_decoded_query(c, beam->step, i), row + words + cells, keys * sizeof *row);
        result->gate[i] = row_end_of(c, beam, beam->step, i)->gate;
    }
}

/* One launch and one read for a sentence: a launch takes as long as a word's arithmetic. The device
 * goes ahead and chooses for itself the words that go on; the search follows, and where it chooses
 * otherwise, the device takes that step anew. */
sac_status sac_captioner_decode_step(void *self, const sac_beam *beam,
                                     const sac_result_request *request,
                                     const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = self;
    assert(c->decode); /* it has looked */
    if (beam->step == 0)
        begin(c, request);
    bool followed = beam->step == 0 || is_followed(c, beam);
    if (!followed)
        correct_rows(c, beam);
    if (!followed || beam->step >= c->decode->known)
        take_steps(c, beam, request);
    if (sac_pass_runs(&c->base.pass))
        copy_step(c, beam, result);
    return sac_pass_end(&c->base.pass, error);
}

/* Words and marks of photographs' captions have the numbers that those of scenes have. */
static_assert((int)SAC_WORD_PAD == SAC_VOCABULARY_PAD &&
                  (int)SAC_WORD_START == SAC_VOCABULARY_START &&
                  (int)SAC_WORD_END == SAC_VOCABULARY_END,
              "one order of marks");
sac_sequence sac_captioner_start(const void *self)
{
    const sac_captioner *c = self;
    return (sac_sequence){.tokens = {.vocabulary = c->shape.vocabulary,
                                     .length = sac_captioner_longest(&c->shape),
                                     .pad = SAC_WORD_PAD,
                                     .start = SAC_WORD_START,
                                     .end = SAC_WORD_END,
                                     .no_repeat = c->shape.no_repeat,
                                     .rules = &c->rules},
                          .grid_w = c->grid,
                          .grid_h = c->grid};
}

sac_status sac_captioner_generate(sac_captioner *c, const sac_result_request *request,
                                  sac_result *caption, sac_error *error)
{
    return sac_model_decode(&c->base, request, caption, error);
}
