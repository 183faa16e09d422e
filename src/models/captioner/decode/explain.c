/* Explains the attention weight of a word on a cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/decode_buffers.h"

static bool reserve(const sac_explanation_request *request, sac_explanation *e)
{
    e->weights = malloc(e->keys * sizeof *e->weights);
    e->query = malloc(e->dim * sizeof *e->query);
    e->key = malloc(e->keys * e->dim * sizeof *e->key);
    e->value = malloc(e->keys * e->value_dim * sizeof *e->value);
    bool whole = e->weights && e->query && e->key && e->value;
    if (e->score == SAC_SCORE_ADDITIVE)
        whole &= (e->w_v = malloc(e->dim * sizeof *e->w_v)) != NULL;
    if (request->caption->hidden)
        whole &= (e->bias = calloc(e->keys, sizeof *e->bias)) != NULL;
    return whole;
}

/* Reads the keys, query and values of the best sentence at `step`. */
static sac_status read_step(sac_captioner *c, size_t step, const uint8_t *hidden,
                            sac_explanation *e, sac_error *error)
{
    struct sac_decode_buffers *s = c->decode;
    int count = sac_generated_count(c->base.generation);
    if (step >= (size_t)count || e->position >= e->keys)
        return sac_fail(error, SAC_E_ARGUMENT, "weight", NULL,
                        "there is no word %zu of %d that looks at cell %zu of %zu", step, count,
                        e->position, e->keys);
    sac_generated_step decoded = sac_generated_step_at(c->base.generation, (int)step);
    memcpy(e->weights, decoded.weights, e->keys * sizeof *e->weights);
    memcpy(e->query, sac_decoded_query(c, (int)step, decoded.row), e->dim * sizeof *e->query);
    e->gate = (double)decoded.gate;
    for (size_t i = 0; hidden && i < e->keys; i++)
        e->bias[i] = hidden[i] ? -INFINITY : 0;
    sac_pass_read(&c->base.pass, s->f.keys, e->key);
    sac_pass_read(&c->base.pass, s->f.features, e->value);
    if (e->w_v)
        sac_pass_read(&c->base.pass, c->weights.v->value, e->w_v);
    return sac_pass_end(&c->base.pass, error);
}

sac_status sac_captioner_explain(sac_captioner *c, const sac_explanation_request *request,
                                 sac_explanation *e, sac_error *error)
{
    sac_status status = SAC_OK;
    *e = (sac_explanation){0};
    sac_attention_layer layer = sac_captioner_attention(c, 1, 1);
    float temperature = request->caption->temperature;
    e->score = layer.spec.score;
    e->keys = (size_t)c->cells;
    e->position = request->position;
    e->dim = (size_t)c->keys;
    e->value_dim = (size_t)c->depth;
    e->scale = (double)layer.spec.scale;
    e->temperature = temperature == 0 ? 1 : (double)temperature;
    e->inverse_width = 1;
    if (!reserve(request, e))
        status = sac_no_memory(error, "weight");
    if (status == SAC_OK)
        status = read_step(c, request->step, request->caption->hidden, e, error);
    if (status == SAC_OK)
        status = sac_explanation_compute(e, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}
