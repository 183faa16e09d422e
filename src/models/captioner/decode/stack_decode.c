/* Steps of a decoder of layers. Queries of all steps stay on the host, and the weights of the best
 * sentence alone are computed from them. */
#include "captioner/decode/stack_decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"
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

float *sac_captioner_stack_key(const sac_captioner *c, int layer)
{
    return c->decode->stack.key + (size_t)layer * (size_t)c->cells * (size_t)c->depth;
}

float *sac_captioner_stack_query(const sac_captioner *c, int step, int layer, int row)
{
    size_t place = (size_t)(step * c->shape.stack.layers + layer);
    return c->decode->stack.queries + (place * ROWS + (size_t)row) * (size_t)c->depth;
}

/* ---------------------------------------------------------------- one word of all sentences */

/* Keys and values of the picture that was encoded last. */
static void begin(sac_captioner *c)
{
    struct sac_decode_buffers *d = c->decode;
    sac_pass *pass = &c->base.pass;
    sac_stack_decoding_begin(pass, &c->weights.stack, d->f.features, &d->stack.words);
    for (int i = 0; i < c->shape.stack.layers; i++)
        sac_pass_read(pass, d->stack.words.memory_key[i], sac_captioner_stack_key(c, i));
}

sac_status sac_captioner_stack_step(void *self, const sac_beam *beam,
                                    const sac_result_request *request,
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
                      sac_captioner_stack_query(c, beam->step, i, 0));
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- where the words looked */

/* Adds to weights [N] `share` of those of a head, of the word that came from `row` of a step. */
static void add_head(const sac_captioner *c, const sac_result_request *request, int step, int row,
                     int layer, int head, float share, float *map, float *weights)
{
    const sac_head_view view = {.query = sac_captioner_stack_query(c, step, layer, row),
                                .key = sac_captioner_stack_key(c, layer),
                                .queries = 1,
                                .keys = (size_t)c->cells,
                                .width = (size_t)c->depth,
                                .heads = (size_t)c->shape.stack.heads,
                                .hidden = request->hidden,
                                .temperature = request->temperature};
    sac_head_weights(&view, (size_t)head, map);
    for (int n = 0; n < c->cells; n++)
        weights[n] += share * map[n];
}

/* Means over the layers and heads that are requested (0: all, else counted from 1). */
sac_status sac_captioner_stack_attention(void *self, const sac_result_request *request,
                                         const int *words, const int *rows, int count,
                                         float *weights, float *gates, sac_error *error)
{
    const sac_captioner *c = self;
    int layers = c->shape.stack.layers, heads = c->shape.stack.heads;
    int layer = request->layer ? request->layer - 1 : 0,
        layer_end = request->layer ? layer + 1 : layers;
    int head = request->head ? request->head - 1 : 0, head_end = request->head ? head + 1 : heads;
    float share = 1 / (float)((layer_end - layer) * (head_end - head));
    size_t cells = (size_t)c->cells;
    (void)words;
    if (layer_end > layers || head_end > heads)
        return sac_fail(error, SAC_E_ARGUMENT, "caption", NULL,
                        "there is no head %d of layer %d; the model has %d layers of %d heads",
                        head + 1, layer + 1, layers, heads);
    float *map = malloc(cells * sizeof *map);
    if (!map)
        return sac_no_memory(error, "captioner");
    memset(weights, 0, (size_t)count * cells * sizeof *weights);
    for (int t = 0; t < count; t++) {
        gates[t] = 1;
        for (int i = layer; i < layer_end; i++)
            for (int h = head; h < head_end; h++)
                add_head(c, request, t, rows[t], i, h, share, map, weights + (size_t)t * cells);
    }
    free(map);
    return SAC_OK;
}
