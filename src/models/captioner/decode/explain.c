/* Explains the attention weight of a word on a cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"
#include "models/stack.h"

/* ---------------------------------------------------------------- attentions */

static void read_layer(sac_captioner *c, const sac_multihead_tensors *tensors, bool causal,
                       sac_normalizer normalizer, sac_attention_kind *kind, size_t layer)
{
    const sac_head_view view = {.queries = kind->steps,
                                .keys = kind->positions,
                                .width = (size_t)c->depth,
                                .heads = kind->heads,
                                .causal = causal,
                                .normalizer = normalizer};
    sac_heads_read(&c->base.pass, tensors, &view,
                   kind->weights + layer * kind->heads * kind->steps * kind->positions);
}

/* Each word comes after those before it. */
static sac_status run(sac_captioner *c, const int *caption_ids, size_t T, sac_attentions *a,
                      sac_error *error)
{
    const uint8_t padding[SAC_MAX_TOKENS] = {0};
    int inputs[SAC_MAX_TOKENS] = {SAC_WORD_START};
    sac_pass *pass = &c->base.pass;
    sac_arena arena = {0};
    sac_stack_tensors words = {0};
    const sac_stack *stack = &c->weights.stack;
    const sac_stack_noise quiet = {0};
    const sac_stack_memory memory = {.rows = c->decode->f.features};
    memcpy(inputs + 1, caption_ids, (T - 1) * sizeof *caption_ids);
    sac_stack_shape(pass, &arena, stack, 1, T, 1, memory.rows.rows, &words);
    sac_stack_upload(pass, stack, &(sac_stack_words){inputs, padding, NULL}, &words);
    sac_stack_forward(pass, stack, &quiet, &words, &memory);
    for (int i = 0; i < stack->sizes.layers; i++) {
        const sac_multihead_tensors *attention = words.layer[i].attention;
        read_layer(c, &attention[SAC_PART_SELF], true, SAC_NORMALIZER_SOFTMAX,
                   &a->kind[SAC_DECODER_ATTENTION], (size_t)i);
        read_layer(c, &attention[SAC_PART_CROSS], false, c->shape.normalizer,
                   &a->kind[SAC_CROSS_ATTENTION], (size_t)i);
    }
    sac_arena_release(&arena);
    return sac_pass_end(pass, error);
}

static sac_status make_word_labels(const char *const *words, int count, sac_labels *labels,
                                   sac_error *error)
{
    size_t rows = (size_t)count;
    sac_array array = sac_array_view(SAC_TEXT, 1, &rows, words);
    return sac_labels_from_array(&array, labels, error);
}

static sac_status fill(sac_captioner *c, const int *caption_ids, int count, sac_attentions *a,
                       sac_error *error)
{
    const char *text[SAC_MAX_TOKENS + 1] = {"start"};
    size_t layers = (size_t)c->shape.stack.layers, heads = (size_t)c->shape.stack.heads;
    size_t T = (size_t)count;
    sac_attention_kind *self = &a->kind[SAC_DECODER_ATTENTION],
                       *cross = &a->kind[SAC_CROSS_ATTENTION];
    for (int t = 0; t < count; t++)
        text[t + 1] = sac_captioner_word(&c->shape, caption_ids[t]);
    sac_status status = sac_attentions_add(a, SAC_DECODER_ATTENTION, layers, heads, T, T, error);
    if (status == SAC_OK)
        status =
            sac_attentions_add(a, SAC_CROSS_ATTENTION, layers, heads, T, (size_t)c->cells, error);
    if (status == SAC_OK)
        status = run(c, caption_ids, T, a, error);
    if (status == SAC_OK)
        status = make_word_labels(text + 1, count, &self->step_labels, error);
    if (status == SAC_OK)
        status = make_word_labels(text, count, &self->position_labels, error);
    if (status == SAC_OK)
        status = make_word_labels(text + 1, count, &cross->step_labels, error);
    return status;
}

sac_status sac_captioner_attentions(sac_captioner *c, const int *words, int count,
                                    sac_attentions *a, sac_error *error)
{
    *a = (sac_attentions){.grid_w = c->grid, .grid_h = c->grid};
    if (!sac_captioner_has_layers(&c->shape) || count < 1 ||
        count > sac_captioner_longest(&c->shape))
        return sac_fail(error, SAC_E_ARGUMENT, "captioner", NULL,
                        "there are no layers that generate %d words", count);
    sac_status status = fill(c, words, count, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}

/* ---------------------------------------------------------------- influence */

static void read_head(sac_captioner *c, const sac_result_request *request, size_t step, int row,
                      sac_explanation *e)
{
    size_t width = (size_t)c->depth;
    int layer = request->layer - 1;
    size_t first = (size_t)(request->head - 1) * e->dim;
    float *value = e->dim ? malloc(e->keys * width * sizeof *value) : NULL;
    if (!e->dim)
        return;
    if (!value)
        SAC_PASS_CALL(&c->base.pass, sac_no_memory(&c->base.pass.error, "weight"));
    sac_pass_read(&c->base.pass, c->decode->stack.words.memory_value[layer], value);
    const float *query = sac_captioner_stack_query(c, (int)step, layer, row);
    const float *key = sac_captioner_stack_key(c, layer);
    memcpy(e->query, query + first, e->dim * sizeof *query);
    for (size_t n = 0; n < e->keys && sac_pass_runs(&c->base.pass); n++) {
        memcpy(e->key + n * e->dim, key + n * width + first, e->dim * sizeof *key);
        memcpy(e->value + n * e->dim, value + n * width + first, e->dim * sizeof *value);
    }
    free(value);
}

/* ---------------------------------------------------------------- an LSTM's */

static void set_lstm_sizes(const sac_captioner *c, sac_explanation *e)
{
    sac_attention_layer layer = sac_captioner_attention(c, 1, 1);
    e->score = layer.spec.score;
    e->dim = (size_t)c->keys;
    e->value_dim = (size_t)c->depth;
    e->scale = (double)layer.spec.scale;
}

/* ---------------------------------------------------------------- either */

/* What is not known stays NULL. */
static bool allocate_explanation(const sac_explanation_request *request, sac_explanation *e)
{
    e->weights = malloc(e->keys * sizeof *e->weights);
    if (!e->dim)
        return e->weights;
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

/* Reads the keys, query and values of the best sentence at request->step. */
static sac_status read_step(sac_captioner *c, const sac_explanation_request *request,
                            sac_explanation *e, sac_error *error)
{
    size_t step = request->step;
    const uint8_t *hidden = request->caption->hidden;
    int count = sac_generated_count(c->base.generation);
    if (step >= (size_t)count || e->position >= e->keys)
        return sac_fail(error, SAC_E_ARGUMENT, "weight", NULL,
                        "there is no word %zu of %d that looks at cell %zu of %zu", step, count,
                        e->position, e->keys);
    sac_generated_step decoded = sac_generated_step_at(c->base.generation, (int)step);
    memcpy(e->weights, decoded.weights, e->keys * sizeof *e->weights);
    e->gate = (double)decoded.gate;
    for (size_t i = 0; e->bias && i < e->keys; i++)
        e->bias[i] = hidden[i] ? -INFINITY : 0;
    if (sac_captioner_has_layers(&c->shape))
        read_head(c, request->caption, step, decoded.row, e);
    else {
        struct sac_decode_buffers *s = c->decode;
        memcpy(e->query, sac_decoded_query(c, (int)step, decoded.row), e->dim * sizeof *e->query);
        sac_pass_read(&c->base.pass, s->f.keys, e->key);
        sac_pass_read(&c->base.pass, s->f.features, e->value);
        if (e->w_v)
            sac_pass_read(&c->base.pass, c->weights.v->value, e->w_v);
    }
    return sac_pass_end(&c->base.pass, error);
}

sac_status sac_captioner_explain(sac_captioner *c, const sac_explanation_request *request,
                                 sac_explanation *e, sac_error *error)
{
    sac_status status = SAC_OK;
    float temperature = request->caption->temperature;
    *e = (sac_explanation){
        .keys = (size_t)c->cells,
        .position = request->position,
        .temperature = temperature == 0 ? 1 : (double)temperature,
        .inverse_width = 1,
        .normalizer = sac_result_normalizer(request->caption, c->shape.normalizer),
    };
    if (sac_captioner_has_layers(&c->shape)) {
        /* Of a decoder of layers: one head's part of queries, keys and values. Means over several heads have
         * no query of their own: of them the weights alone are known. */
        bool one = request->caption->layer > 0 && request->caption->head > 0;
        e->score = SAC_SCORE_SCALED_DOT;
        e->dim = e->value_dim = one ? (size_t)(c->depth / c->shape.stack.heads) : 0;
        e->scale = one ? 1 / sqrt((double)e->dim) : 0;
    } else
        set_lstm_sizes(c, e);
    if (!allocate_explanation(request, e))
        status = sac_no_memory(error, "weight");
    if (status == SAC_OK)
        status = read_step(c, request, e, error);
    if (status == SAC_OK && e->dim)
        status = sac_explanation_compute(e, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}
