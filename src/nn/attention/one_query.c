/* Attention of one query for each item of a batch: launches of its kernels. */

#include "nn/attention/one_query.h"

#include <assert.h>

#include "attention/spec/resolve.h"
#include "nn/layers.h"
#include "scores/scores.h"

/* The twin of cl/layers/one_query.cl's `layer`. */
typedef struct layer_numbers {
    cl_uint keys, dim, value_dim;
    cl_uint shared;
    cl_uint has_padding, has_gate, has_scores, has_dweights;
    cl_float scale;
} layer_numbers;

static bool is_additive(const sac_attention_layer *layer)
{
    return layer->spec.score == SAC_SCORE_ADDITIVE;
}

/* Asserts that the layer asks for nothing that this form has no kernels for. */
static layer_numbers numbers_of(const sac_attention_layer *layer, const sac_attention_tensors *t)
{
    size_t dim = t->query.width;
    assert(sac_score_form(layer->spec.score) == SAC_SCORE_DOT || is_additive(layer));
    assert(layer->spec.heads <= 1);
    assert(!layer->spec.causal && layer->spec.window == 0 && layer->spec.dropout == 0 &&
           layer->spec.softcap == 0 && !layer->sinks);
    assert(!layer->W_q && !layer->W_k && !layer->W_qk && !layer->mask);
    assert(t->query.rows == layer->batch && t->weights.rows == layer->batch);
    assert(!t->gate.buffer || t->context.buffer);
    return (layer_numbers){
        .keys = (cl_uint)t->weights.width,
        .dim = (cl_uint)dim,
        .value_dim = (cl_uint)t->output.width,
        .shared = layer->shared,
        .has_padding = layer->padding != NULL,
        .has_gate = t->gate.buffer != NULL,
        .has_scores = t->scores.buffer != NULL,
        .scale = (cl_float)sac_attention_scale(&layer->spec, dim, dim),
    };
}

static const char *options_of(const sac_attention_layer *layer)
{
#define OPTIONS(normalizer)                                                                        \
    {                                                                                              \
        " -DNORMALIZER=" normalizer " -DADDITIVE=0", " -DNORMALIZER=" normalizer " -DADDITIVE=1"   \
    }
    static const char *const options[][2] = {[SAC_NORMALIZER_SOFTMAX] = OPTIONS("0"),
                                             [SAC_NORMALIZER_ENTMAX15] = OPTIONS("1"),
                                             [SAC_NORMALIZER_SPARSEMAX] = OPTIONS("2")};
#undef OPTIONS
    return options[layer->spec.normalizer][is_additive(layer)];
}

/* Some drivers want a buffer even where a kernel does not look at it. */
static sac_span span_or_other(sac_tensor tensor, sac_tensor other)
{
    return sac_tensor_span(tensor.buffer ? tensor : other);
}

static sac_span score_weight(const sac_attention_layer *layer, const sac_attention_tensors *t)
{
    return sac_tensor_span(is_additive(layer) ? layer->w_v->value : t->query);
}

void sac_one_query_forward(sac_pass *pass, const sac_attention_layer *layer,
                           const sac_attention_tensors *t)
{
    layer_numbers numbers = numbers_of(layer, t);
    sac_span w_v = score_weight(layer, t), gate = span_or_other(t->gate, t->output);
    sac_span context = span_or_other(t->context, t->output),
             scores = span_or_other(t->scores, t->output);
    cl_mem padding = layer->padding ? layer->padding : t->query.buffer;
    sac_arg args[] = {SAC_ARG(numbers),       SAC_SPAN_ARGS(t->value),   SAC_SPAN_ARGS(t->key),
                      SAC_SPAN_ARGS(w_v),     SAC_SPAN_ARGS(t->query),   SAC_SPAN_ARGS(gate),
                      SAC_ARG(padding),       SAC_SPAN_ARGS(t->weights), SAC_SPAN_ARGS(scores),
                      SAC_SPAN_ARGS(context), SAC_SPAN_ARGS(t->output)};
    sac_pass_groups(pass, "one_query", options_of(layer), "forward", args,
                    sizeof args / sizeof *args, layer->batch);
}

/* The gradient of the raw scores [B,Tk], and each item's part of dw_v [B,d]. */
size_t sac_one_query_scratch(const sac_attention_layer *layer, const sac_attention_tensors *t)
{
    return layer->batch * (t->weights.width + t->query.width);
}

void sac_one_query_backward(sac_pass *pass, const sac_attention_layer *layer,
                            const sac_attention_tensors *t,
                            const sac_attention_layer_gradients *gradients)
{
    layer_numbers numbers = numbers_of(layer, t);
    size_t dim = t->query.width;
    sac_span w_v = score_weight(layer, t), gate = span_or_other(t->gate, t->query);
    sac_span context = span_or_other(t->context, t->output);
    sac_span dweights = span_or_other(gradients->dweights, gradients->doutput);
    sac_span dscores = span_or_other(gradients->dscores, gradients->doutput);
    sac_span dgate = span_or_other(gradients->dgate, gradients->dquery);
    sac_span slopes = sac_pass_scratch(pass, sac_one_query_scratch(layer, t));
    sac_span after = sac_span_from(slopes, sac_tensor_count(t->weights));
    sac_tensor parts = {after.buffer, after.at, layer->batch, dim};
    numbers.has_dweights = gradients->dweights.buffer != NULL;
    numbers.has_scores = gradients->dscores.buffer != NULL;
    assert(!layer->shared && !gradients->dlog_scale.buffer);
    sac_arg args[] = {SAC_ARG(numbers),
                      SAC_SPAN_ARGS(t->value),
                      SAC_SPAN_ARGS(t->key),
                      SAC_SPAN_ARGS(w_v),
                      SAC_SPAN_ARGS(t->query),
                      SAC_SPAN_ARGS(gate),
                      SAC_SPAN_ARGS(t->weights),
                      SAC_SPAN_ARGS(context),
                      SAC_SPAN_ARGS(gradients->doutput),
                      SAC_SPAN_ARGS(dweights),
                      SAC_SPAN_ARGS(dscores),
                      SAC_SPAN_ARGS(gradients->dvalue),
                      SAC_SPAN_ARGS(gradients->dkey),
                      SAC_SPAN_ARGS(gradients->dquery),
                      SAC_SPAN_ARGS(dgate),
                      SAC_SPAN_ARGS(slopes),
                      SAC_SPAN_ARGS(parts)};
    sac_pass_groups(pass, "one_query", options_of(layer), "backward", args,
                    sizeof args / sizeof *args, layer->batch);
    if (is_additive(layer) && layer->w_v->gradient.buffer)
        sac_sum_rows(pass, layer->w_v->gradient, parts);
}

/* ---------------------------------------------------------------- with ReLU and a gate for each number */

/* The twin of cl/layers/relu_attention.cl's `looking`. */
typedef struct looking {
    cl_uint cells, dim, depth, words;
    cl_uint has_padding;
    cl_float scale;
} looking;

void sac_relu_attention_forward(sac_pass *pass, const sac_relu_attention *a)
{
    const looking numbers = {(cl_uint)a->key.rows,    (cl_uint)a->key.width,
                             (cl_uint)a->value.width, (cl_uint)a->word.width,
                             a->padding != NULL,      a->scale != 0 ? a->scale : 1};
    sac_span w = sac_tensor_span(a->w->value);
    cl_mem padding = a->padding ? a->padding : a->query.buffer; /* some drivers want one */
    sac_arg args[] = {SAC_ARG(numbers),         SAC_SPAN_ARGS(a->value), SAC_SPAN_ARGS(a->key),
                      SAC_SPAN_ARGS(w),         SAC_SPAN_ARGS(a->query), SAC_SPAN_ARGS(a->gate),
                      SAC_SPAN_ARGS(a->word),   SAC_ARG(padding),        SAC_SPAN_ARGS(a->weights),
                      SAC_SPAN_ARGS(a->joined), SAC_SPAN_ARGS(a->open)};
    assert(a->weights.width == a->key.rows && a->value.rows == a->key.rows);
    assert(a->joined.width == a->word.width + a->value.width && a->gate.width == a->value.width);
    sac_pass_groups(pass, "relu_attention", " -DNORMALIZER=0 -DADDITIVE=0", "look", args,
                    sizeof args / sizeof *args, a->query.rows);
}
