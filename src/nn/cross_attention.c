/* Attention of one query per picture or sentence: launches of its kernels. */

#include "nn/cross_attention.h"

#include <assert.h>

#include "nn/layers.h"

/* The twin of cl/cross_attention.cl's `layer`. */
typedef struct layer_numbers {
    cl_uint cells, depth, keys;
    cl_uint shared;
    cl_uint has_padding, padding_step;
    cl_uint has_gate, has_dweights;
    cl_float scale;
} layer_numbers;

static layer_numbers numbers_of(const sac_cross_attention *layer)
{
    float temperature = layer->temperature == 0 ? 1 : layer->temperature;
    assert(layer->score == SAC_SCORE_ADDITIVE || layer->score == SAC_SCORE_SCALED_DOT ||
           layer->score == SAC_SCORE_BILINEAR);
    return (layer_numbers){
        .cells = (cl_uint)layer->cells,
        .depth = (cl_uint)layer->depth,
        .keys = (cl_uint)layer->keys,
        .shared = layer->shared,
        .scale = (layer->score == SAC_SCORE_ADDITIVE ? 1 : layer->scale) / temperature,
    };
}

static const char *options_of(const sac_cross_attention *layer)
{
    return layer->score == SAC_SCORE_ADDITIVE ? " -DADDITIVE=1" : " -DADDITIVE=0";
}

/* Some drivers want a buffer even where a kernel does not look at it. */
static sac_span or_else(sac_span span, sac_span other)
{
    return span.buffer ? span : other;
}

void sac_cross_attention_forward(sac_pass *pass, const sac_cross_attention *layer,
                                 const sac_cross_attention_spans *spans)
{
    layer_numbers numbers = numbers_of(layer);
    sac_span v = or_else(spans->v, spans->query), gate = or_else(spans->gate, spans->z);
    sac_span padding = or_else(sac_tensor_span(spans->padding), spans->query);
    numbers.has_padding = spans->padding.buffer != NULL;
    numbers.padding_step = spans->padding.rows > 1 ? numbers.cells : 0;
    numbers.has_gate = spans->gate.buffer != NULL;
    assert(!spans->padding.buffer || spans->padding.rows == 1 ||
           spans->padding.rows == layer->batch);
    sac_arg args[] = {
        SAC_ARG(numbers),       SAC_SPAN_ARGS(spans->features), SAC_SPAN_ARGS(spans->keys),
        SAC_SPAN_ARGS(v),       SAC_SPAN_ARGS(spans->query),    SAC_SPAN_ARGS(gate),
        SAC_SPAN_ARGS(padding), SAC_SPAN_ARGS(spans->weights),  SAC_SPAN_ARGS(spans->context),
        SAC_SPAN_ARGS(spans->z)};
    sac_pass_groups(pass, "cross_attention", options_of(layer), "forward", args,
                    sizeof args / sizeof *args, layer->batch);
}

/* The gradient of the raw scores [B,N], and each picture's part of dv [B,A]. */
size_t sac_cross_attention_scratch(const sac_cross_attention *layer)
{
    return layer->batch * (layer->cells + layer->keys);
}

void sac_cross_attention_backward(sac_pass *pass, const sac_cross_attention *layer,
                                  const sac_cross_attention_spans *spans,
                                  const sac_cross_attention_gradients *gradients)
{
    layer_numbers numbers = numbers_of(layer);
    sac_span v = or_else(spans->v, spans->query);
    sac_span dweights = or_else(gradients->dweights, gradients->dz);
    sac_span slopes = sac_pass_scratch(pass, sac_cross_attention_scratch(layer));
    sac_span after = sac_span_from(slopes, layer->batch * layer->cells);
    sac_tensor parts = {after.buffer, after.at, layer->batch, layer->keys};
    sac_tensor dv = {gradients->dv.buffer, gradients->dv.at, 1, layer->keys};
    assert(!layer->shared);
    sac_span gate = or_else(spans->gate, spans->query);
    sac_span dgate = or_else(gradients->dgate, gradients->dquery);
    numbers.has_gate = spans->gate.buffer != NULL;
    numbers.has_dweights = gradients->dweights.buffer != NULL;
    sac_arg args[] = {SAC_ARG(numbers),
                      SAC_SPAN_ARGS(spans->features),
                      SAC_SPAN_ARGS(spans->keys),
                      SAC_SPAN_ARGS(v),
                      SAC_SPAN_ARGS(spans->query),
                      SAC_SPAN_ARGS(gate),
                      SAC_SPAN_ARGS(spans->weights),
                      SAC_SPAN_ARGS(spans->context),
                      SAC_SPAN_ARGS(gradients->dz),
                      SAC_SPAN_ARGS(dweights),
                      SAC_SPAN_ARGS(gradients->dfeatures),
                      SAC_SPAN_ARGS(gradients->dkeys),
                      SAC_SPAN_ARGS(gradients->dquery),
                      SAC_SPAN_ARGS(dgate),
                      SAC_SPAN_ARGS(slopes),
                      SAC_SPAN_ARGS(parts)};
    sac_pass_groups(pass, "cross_attention", options_of(layer), "backward", args,
                    sizeof args / sizeof *args, layer->batch);
    if (layer->score == SAC_SCORE_ADDITIVE)
        sac_sum_rows(pass, dv, parts);
}
