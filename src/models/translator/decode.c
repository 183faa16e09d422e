/* A sentence is read once, and translated as often as one likes. The translations of a beam go
 * through the decoder as one batch over the same words. */
#include "translator/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { ROWS = SAC_BEAM_WIDTH, SOURCE = SAC_TRANSLATION_SOURCE };

typedef sac_translator_decoding decoding;

/* ---------------------------------------------------------------- memory */

static sac_status allocate_decoding(sac_translator *t, sac_error *error)
{
    if (t->decoding)
        return SAC_OK;
    decoding *d = t->decoding = calloc(1, sizeof *d);
    if (!d)
        return sac_no_memory(error, "translator");
    sac_translator_shape_source(t, &d->arena, 1, SOURCE, &d->source);
    sac_arena_shape(&d->arena, &t->base.pass, &d->first_state, 1, (size_t)t->shape.hidden);
    sac_arena_shape_bytes(&d->arena, &t->base.pass, &d->mask, SOURCE);
    size_t hidden = (size_t)t->shape.hidden, keys = sac_translator_key_width(&t->shape);
    const struct {
        sac_tensor *tensor;
        size_t width;
    } all[] = {
        {&d->embedded, (size_t)t->shape.embedding},
        {&d->mixed, (size_t)t->shape.embedding},
        {&d->logits, (size_t)t->shape.target_words},
        {&d->state, hidden},
        {&d->next_state, hidden},
        {&d->gates, 3 * hidden},
        {&d->recurrent, 3 * hidden},
        {&d->query, keys ? keys : 1},
        {&d->weights, SOURCE},
        {&d->context, 2 * hidden},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_arena_shape(&d->arena, &t->base.pass, all[i].tensor, ROWS, all[i].width);
    sac_arena_shape_ints(&d->arena, &t->base.pass, &d->words, ROWS);
    sac_arena_shape_ints(&d->arena, &t->base.pass, &d->parents, ROWS);
    sac_status status = sac_pass_end(&t->base.pass, error);
    if (status != SAC_OK) {
        sac_translator_decoding_destroy(d);
        t->decoding = NULL;
    }
    return status;
}

void sac_translator_decoding_destroy(decoding *d)
{
    if (!d)
        return;
    sac_arena_release(&d->arena);
    free(d);
}

/* ---------------------------------------------------------------- reading */

sac_status sac_translator_read(sac_model *model, const int *words, int count, sac_error *error)
{
    sac_translator *t = (sac_translator *)model;
    int reversed[SOURCE];
    uint8_t padding[SOURCE] = {0};
    sac_status status = allocate_decoding(t, error);
    if (status != SAC_OK)
        return status;
    decoding *d = t->decoding;
    for (int i = 0; i < count; i++)
        reversed[i] = words[count - 1 - i];
    sac_source_words source = {1, (size_t)count, words, reversed, &count, padding};
    memcpy(d->target, words, (size_t)count * sizeof *words);
    d->count = count;
    sac_translator_shape_source(t, &d->arena, 1, (size_t)count, &d->source);
    d->weights.width = d->mask.count = (size_t)count;
    sac_translator_encode(t, &source, &d->source, d->first_state);
    return sac_pass_end(&t->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all translations */

/* Brings every translation of the beam to where its next word begins: the embedding of its last
 * word, and the state of the one that it goes on from. */
static void gather_states(sac_translator *t, const sac_beam *beam)
{
    decoding *d = t->decoding;
    bool first = beam->step == 0;
    size_t rows = (size_t)beam->rows;
    int words[ROWS], parents[ROWS];
    sac_beam_last_words(beam, words, parents);
    sac_pass_write_ints(&t->base.pass, d->words, words);
    sac_pass_write_ints(&t->base.pass, d->parents, parents);
    sac_embedding_forward(&t->base.pass, sac_tensor_rows(d->embedded, 0, rows), t->weights.target,
                          sac_ints_from(d->words, 0, rows));
    sac_gather_rows(&t->base.pass, sac_tensor_rows(d->state, 0, rows),
                    first ? d->first_state : d->next_state, sac_ints_from(d->parents, 0, rows));
    for (size_t i = 0; i < rows && !t->weights.query; i++)
        sac_pass_copy(&t->base.pass, sac_tensor_rows(d->context, i, 1), d->source.last);
}

static void run_step(sac_translator *t, const sac_result_request *request, size_t rows)
{
    decoding *d = t->decoding;
#define ROWS_OF(x) sac_tensor_rows(d->x, 0, rows)
    sac_translator_step step = {
        .shared = true,
        .temperature = request->temperature,
        .normalizer = request->normalizer,
        .features = d->source.features,
        .keys = d->source.keys,
        .padding = request->hidden ? d->mask.buffer : NULL,
        .embedded = ROWS_OF(embedded),
        .state = ROWS_OF(state),
        .query = ROWS_OF(query),
        .weights = ROWS_OF(weights),
        .context = ROWS_OF(context),
        .gates = ROWS_OF(gates),
        .recurrent = ROWS_OF(recurrent),
        .next_state = ROWS_OF(next_state),
    };
    sac_translator_decoder_step_forward(t, &step);
    sac_deep_output_tensors output = {ROWS_OF(logits), ROWS_OF(mixed), step.embedded,
                                      step.next_state, step.context};
    sac_deep_output_forward(&t->base.pass, &t->weights.output, &output);
#undef ROWS_OF
}

sac_status sac_translator_decode_step(void *self, const sac_beam *beam,
                                      const sac_result_request *request,
                                      const sac_step_result *result, sac_error *error)
{
    sac_translator *t = self;
    assert(t->decoding); /* it has read */
    if (beam->step == 0 && request->hidden)
        sac_pass_write_bytes(&t->base.pass, t->decoding->mask, request->hidden);
    gather_states(t, beam);
    run_step(t, request, (size_t)beam->rows);
    size_t rows = (size_t)beam->rows;
    decoding *d = t->decoding;
    sac_pass_read(&t->base.pass, sac_tensor_rows(d->logits, 0, rows), result->logits);
    if (t->weights.query)
        sac_pass_read(&t->base.pass, sac_tensor_rows(d->weights, 0, rows), result->weights);
    else
        memset(result->weights, 0, rows * (size_t)d->count * sizeof *result->weights);
    return sac_pass_end(&t->base.pass, error);
}

sac_sequence sac_translator_start(const void *self)
{
    const sac_translator *t = self;
    return (sac_sequence){.tokens = {.vocabulary = t->shape.target_words,
                                     .length = SAC_TRANSLATION_WORDS,
                                     .pad = SAC_TOKEN_PAD,
                                     .start = SAC_TOKEN_START,
                                     .end = SAC_TOKEN_END},
                          .grid_w = t->decoding->count,
                          .grid_h = 1,
                          .is_blind = !t->shape.attends};
}

const char *sac_translator_position(const void *self, int index)
{
    const sac_translator *t = self;
    return sac_translating_word(&t->translating, SAC_SOURCE_SIDE, t->decoding->target[index]);
}
