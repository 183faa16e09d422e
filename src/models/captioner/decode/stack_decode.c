/* Steps of a decoder of layers. Queries of all steps stay on the host, and the weights of the best
 * sentence alone are computed from them. */
#include "captioner/decode/stack_decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/decode_buffers.h"
#include "models/heads.h"

enum { ROWS = SAC_BEAM_WIDTH };

/* ---------------------------------------------------------------- memory */

void sac_captioner_stack_decoding_shape(sac_captioner *c, sac_arena *arena,
                                        sac_captioner_stack_decoding *s)
{
    sac_stack_decoding_shape(&c->base.pass, arena, &c->weights.stack, (size_t)c->cells,
                             (size_t)sac_captioner_longest(&c->shape), &s->words);
}

bool sac_captioner_stack_decoding_allocate(const sac_captioner *c, sac_captioner_stack_decoding *s)
{
    size_t layers = (size_t)c->shape.stack.layers, width = (size_t)c->depth;
    size_t steps = (size_t)sac_captioner_longest(&c->shape);
    s->key = malloc(layers * (size_t)c->cells * width * sizeof *s->key);
    s->queries = malloc(steps * layers * ROWS * width * sizeof *s->queries);
    return s->key && s->queries;
}

void sac_captioner_stack_decoding_free(sac_captioner_stack_decoding *s)
{
    free(s->key);
    free(s->queries);
}

static float *key_of(const sac_captioner *c, int layer)
{
    return c->decode->stack.key + (size_t)layer * (size_t)c->cells * (size_t)c->depth;
}

/* [R,D] of a step and a layer. */
static float *queries_of(const sac_captioner *c, int step, int layer)
{
    size_t place = (size_t)(step * c->shape.stack.layers + layer);
    return c->decode->stack.queries + place * ROWS * (size_t)c->depth;
}

/* ---------------------------------------------------------------- one word of all sentences */

/* Keys and values of the picture that was encoded last. */
static void begin(sac_captioner *c)
{
    struct sac_decode_buffers *d = c->decode;
    sac_pass *pass = &c->base.pass;
    sac_stack_decoding_begin(pass, &c->weights.stack, d->f.features, &d->stack.words);
    for (int i = 0; i < c->shape.stack.layers; i++)
        sac_pass_read(pass, d->stack.words.memory_key[i], key_of(c, i));
}

sac_status sac_captioner_stack_step(void *self, const sac_beam *beam,
                                    const sac_caption_request *request,
                                    const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = self;
    sac_pass *pass = &c->base.pass;
    assert(c->decode); /* it has looked */
    sac_captioner_stack_decoding *s = &c->decode->stack;
    if (beam->step == 0)
        begin(c);
    sac_stack_decoding_step(pass, &c->weights.stack, beam, request, &s->words, result->logits);
    for (int i = 0; i < c->shape.stack.layers; i++)
        sac_pass_read(pass, s->words.step.layer[i].attention[SAC_PART_CROSS].query,
                      queries_of(c, beam->step, i));
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- where the words looked */

/* Means over the layers and heads that are asked for (0: all, else counted from 1). */
sac_status sac_captioner_stack_attention(void *self, const sac_caption_request *request,
                                         const int *rows, int count, float *weights, float *gates,
                                         sac_error *error)
{
    const sac_captioner *c = self;
    int layers = c->shape.stack.layers, heads = c->shape.stack.heads;
    int layer = request->layer ? request->layer - 1 : 0,
        head = request->head ? request->head - 1 : 0;
    int last_layer = request->layer ? layer : layers - 1,
        last_head = request->head ? head : heads - 1;
    size_t cells = (size_t)c->cells;
    if (layer >= layers || head >= heads)
        return sac_fail(error, SAC_E_ARGUMENT, "caption", NULL,
                        "there is no head %d of layer %d; the model has %d layers of %d heads",
                        head + 1, layer + 1, layers, heads);
    float *map = malloc(cells * sizeof *map),
          share = 1 / (float)((last_layer - layer + 1) * (last_head - head + 1));
    if (!map)
        return sac_no_memory(error, "captioner");
    memset(weights, 0, (size_t)count * cells * sizeof *weights);
    for (int t = 0; t < count; t++) {
        gates[t] = 1;
        for (int i = layer; i <= last_layer; i++) {
            const sac_head_view view = {.query = queries_of(c, t, i) +
                                                 (size_t)rows[t] * (size_t)c->depth,
                                        .key = key_of(c, i),
                                        .queries = 1,
                                        .keys = cells,
                                        .width = (size_t)c->depth,
                                        .heads = (size_t)heads,
                                        .hidden = request->hidden,
                                        .temperature = request->temperature};
            for (int h = head; h <= last_head; h++) {
                sac_head_weights(&view, (size_t)h, map);
                for (size_t n = 0; n < cells; n++)
                    weights[(size_t)t * cells + n] += share * map[n];
            }
        }
    }
    free(map);
    return SAC_OK;
}
