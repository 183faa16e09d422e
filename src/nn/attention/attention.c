/* The attention layer: projections around attention on buffers, forward and backward. */
#include <assert.h>
#include <math.h>

#include "attention/attention.h"
#include "nn/attention/one_query.h"
#include "nn/layers.h"
#include "scores/scores.h"

/* Tensors that last for one call, and the arguments of the kernels. */
typedef struct call {
    sac_pass *pass;
    const sac_attention_layer *layer;
    const sac_attention_tensors *t;
    sac_arena arena;
    size_t heads, key_heads;
    sac_tensor query, key; /* of single heads [·,d], as they are compared */
    sac_attention_operands operands;
} call;

/* A head's vectors are rows of d in both layouts. */
static sac_tensor single_heads(const call *c, sac_tensor x, size_t heads)
{
    if (c->layer->spec.split == SAC_SPLIT_VIEW)
        heads = 1;
    return sac_tensor_shaped(x, x.rows * heads, x.width / heads);
}

static sac_tensor allocate_temporary(call *c, size_t rows, size_t width)
{
    sac_tensor x = {0};
    sac_arena_shape(&c->arena, c->pass, &x, rows, width);
    return x;
}

static sac_score_weights score_weight_kind(const sac_attention_layer *layer)
{
    return sac_score_class_of(layer->spec.score)->weights;
}

/* The score's own matrices. */
static void project(call *c)
{
    const sac_attention_layer *l = c->layer;
    sac_tensor query = single_heads(c, c->t->query, c->heads),
               key = single_heads(c, c->t->key, c->key_heads);
    c->query = query;
    c->key = key;
    if (score_weight_kind(l) == SAC_WEIGHTS_HIDDEN) {
        c->query = allocate_temporary(c, query.rows, l->W_q->value.rows);
        c->key = allocate_temporary(c, key.rows, l->W_k->value.rows);
        sac_linear_forward(c->pass, c->query, query, l->W_q, NULL);
        sac_linear_forward(c->pass, c->key, key, l->W_k, NULL);
    }
    if (score_weight_kind(l) == SAC_WEIGHTS_BETWEEN) { /* q W_qk is what goes back through W_qk */
        c->query = allocate_temporary(c, query.rows, l->W_qk->value.width);
        sac_linear_backward_input(c->pass, c->query, query, l->W_qk);
    }
}

static void prepare_operands(call *c, sac_pass *pass, const sac_attention_layer *layer,
                             const sac_attention_tensors *tensors)
{
    size_t heads = layer->spec.heads ? (size_t)layer->spec.heads : 1;
    size_t key_heads = layer->spec.key_heads ? (size_t)layer->spec.key_heads : heads;
    *c = (call){.pass = pass, .layer = layer, .t = tensors, .heads = heads, .key_heads = key_heads};
    size_t matrices = layer->batch * heads, key_matrices = layer->batch * key_heads;
    sac_tensor query = single_heads(c, tensors->query, heads),
               key = single_heads(c, tensors->key, key_heads);
    sac_tensor value = single_heads(c, tensors->value, key_heads);
    assert(value.rows == key.rows && query.rows % matrices == 0 && key.rows % key_matrices == 0);
    project(c);
    assert(c->query.width == c->key.width);
    c->operands = (sac_attention_operands){
        .spec = layer->spec,
        .shape = {.batch = layer->batch,
                  .heads = heads,
                  .queries = query.rows / matrices,
                  .keys = key.rows / key_matrices,
                  .key_heads = key_heads,
                  .query_dim = query.width,
                  .key_dim = key.width,
                  .value_dim = value.width},
        .dim = c->query.width,
        .whole_heads = layer->spec.split == SAC_SPLIT_VIEW,
        .query = sac_tensor_span(c->query),
        .key = sac_tensor_span(c->key),
        .value = sac_tensor_span(value),
        .laid_out = tensors->laid_out,
        .padding = layer->padding,
        .mask = layer->mask,
        .mask_is_float = layer->mask_is_float,
    };
    if (pass->device->rounds)
        c->operands.spec.storage = SAC_STORAGE_BF16;
    for (int i = 0; i < 4; i++)
        c->operands.mask_shape[i] = layer->mask_shape[i];
    if (layer->sinks)
        c->operands.sinks = sac_tensor_span(layer->sinks->value);
    if (score_weight_kind(layer) == SAC_WEIGHTS_HIDDEN)
        c->operands.score_weight = sac_tensor_span(layer->w_v->value);
}

void sac_attention_layer_forward(sac_pass *pass, const sac_attention_layer *layer,
                                 const sac_attention_tensors *tensors)
{
    call c;
    if (tensors->weights.buffer) {
        sac_one_query_forward(pass, layer, tensors);
        return;
    }
    prepare_operands(&c, pass, layer, tensors);
    SAC_PASS_CALL(pass, sac_attention_forward_on(pass->device, &c.operands,
                                                 sac_tensor_span(tensors->output),
                                                 sac_tensor_span(tensors->stats), &pass->error));
    sac_arena_release(&c.arena);
}

/* Goes from the gradients of the compared arrays to those of queries, keys and the score's
 * matrices. */
static void backward_projections(call *c, const sac_attention_layer_gradients *wanted,
                                 sac_tensor dquery, sac_tensor dkey, sac_tensor dw_v)
{
    const sac_attention_layer *l = c->layer;
    sac_tensor query = single_heads(c, c->t->query, c->heads),
               key = single_heads(c, c->t->key, c->key_heads);
    if (score_weight_kind(l) == SAC_WEIGHTS_HIDDEN) {
        sac_linear_backward_weights(c->pass, dquery, query, l->W_q, NULL);
        sac_linear_backward_weights(c->pass, dkey, key, l->W_k, NULL);
        sac_linear_backward_input(c->pass, single_heads(c, wanted->dquery, c->heads), dquery,
                                  l->W_q);
        sac_linear_backward_input(c->pass, single_heads(c, wanted->dkey, c->key_heads), dkey,
                                  l->W_k);
        sac_sum_rows(c->pass, l->w_v->gradient, dw_v);
    }
    if (score_weight_kind(l) == SAC_WEIGHTS_BETWEEN) {
        sac_linear_backward_weights(c->pass, query, dquery, l->W_qk, NULL);
        sac_linear_forward(c->pass, single_heads(c, wanted->dquery, c->heads), dquery, l->W_qk,
                           NULL);
    }
}

void sac_attention_layer_backward(sac_pass *pass, const sac_attention_layer *layer,
                                  const sac_attention_tensors *tensors,
                                  const sac_attention_layer_gradients *wanted)
{
    call c;
    if (tensors->weights.buffer) {
        sac_one_query_backward(pass, layer, tensors, wanted);
        return;
    }
    prepare_operands(&c, pass, layer, tensors);
    bool is_additive = score_weight_kind(layer) == SAC_WEIGHTS_HIDDEN;
    sac_tensor dquery = wanted->dquery, dkey = wanted->dkey, dw_v = {0}, dscale = {0};
    sac_tensor dsinks = {0};
    if (is_additive || score_weight_kind(layer) == SAC_WEIGHTS_BETWEEN)
        dquery = allocate_temporary(&c, c.query.rows, c.query.width);
    if (is_additive) {
        dkey = allocate_temporary(&c, c.key.rows, c.key.width);
        dw_v = allocate_temporary(&c, c.query.rows, c.query.width);
    }
    if (wanted->dlog_scale.buffer)
        dscale = allocate_temporary(&c, c.query.rows, 1);
    if (layer->sinks && layer->sinks->gradient.buffer)
        dsinks = allocate_temporary(&c, c.query.rows / c.heads, c.heads);
    sac_operand_gradients gradients = {
        .output = sac_tensor_span(tensors->output),
        .stats = sac_tensor_span(tensors->stats),
        .doutput = sac_tensor_span(wanted->doutput),
        .dquery = sac_tensor_span(dquery),
        .dkey = sac_tensor_span(dkey),
        .dvalue = sac_tensor_span(wanted->dvalue),
        .dscore_weight = sac_tensor_span(dw_v),
        .dscale = sac_tensor_span(dscale),
        .dsinks = sac_tensor_span(dsinks),
    };
    SAC_PASS_CALL(
        pass, sac_attention_backward_on(pass->device, &c.operands, &gradients, NULL, &pass->error));
    backward_projections(&c, wanted, dquery, dkey, dw_v);
    if (dscale.buffer)
        sac_sum_rows(pass, wanted->dlog_scale, dscale);
    if (dsinks.buffer)
        sac_sum_rows(pass, layer->sinks->gradient, dsinks);
    sac_arena_release(&c.arena);
}

/* ---------------------------------------------------------------- disentangled */

static cl_uint project_distances(sac_pass *pass, const sac_dense *d, sac_tensor y,
                                 sac_tensor vectors)
{
    if (d->w)
        sac_linear_forward(pass, y, vectors, d->w, d->b);
    return d->w != NULL;
}

void sac_disentangle(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                     size_t heads, const sac_distances *distances, sac_tensor query, sac_tensor key,
                     sac_tensor b)
{
    const cl_uint tokens = (cl_uint)query.rows, width = (cl_uint)query.width;
    const cl_uint all = (cl_uint)heads;
    const cl_uint has_key = project_distances(pass, key_of, distances->key, distances->vectors);
    const cl_uint has_query =
        project_distances(pass, query_of, distances->query, distances->vectors);
    float scale = distances->scale;
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(has_key),
                      SAC_ARG(has_query),
                      SAC_ARG(scale),
                      SAC_ARG(distances->rows.buffer),
                      SAC_ARG(distances->rows.at),
                      SAC_SPAN_ARGS(query),
                      SAC_SPAN_ARGS(key),
                      SAC_SPAN_ARGS(distances->key),
                      SAC_SPAN_ARGS(distances->query),
                      SAC_SPAN_ARGS(b)};
    assert(key.rows == query.rows && key.width == query.width);
    assert(sac_tensor_count(b) == heads * query.rows * query.rows);
    sac_pass_items(pass, "disentangled", "disentangle", args, 18, sac_tensor_count(b));
}

/* dx [T,H·d] of queries, or of keys. */
static void add_distance_gradients(sac_pass *pass, const sac_distances *distances, size_t heads,
                                   cl_uint is_key, sac_tensor vectors, sac_tensor ds, sac_tensor dx)
{
    const cl_uint tokens = (cl_uint)dx.rows, width = (cl_uint)dx.width, all = (cl_uint)heads;
    float scale = distances->scale;
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(is_key),
                      SAC_ARG(scale),
                      SAC_ARG(distances->rows.buffer),
                      SAC_ARG(distances->rows.at),
                      SAC_SPAN_ARGS(vectors),
                      SAC_SPAN_ARGS(ds),
                      SAC_SPAN_ARGS(dx)};
    sac_pass_items(pass, "disentangled", "distances_backward", args, 13, sac_tensor_count(dx));
}

void sac_disentangle_backward(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                              size_t heads, const sac_distances *distances, float scale,
                              sac_tensor b, const sac_attention_tensors *tensors,
                              const sac_attention_layer_gradients *wanted)
{
    const sac_attention_tensors *t = tensors;
    const cl_uint tokens = (cl_uint)t->query.rows, width = (cl_uint)t->query.width;
    const cl_uint all = (cl_uint)heads;
    if (!(scale > 0))
        scale = 1 / sqrtf((float)width / (float)heads);
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(scale),
                      SAC_SPAN_ARGS(t->query),
                      SAC_SPAN_ARGS(t->key),
                      SAC_SPAN_ARGS(t->value),
                      SAC_SPAN_ARGS(t->output),
                      SAC_SPAN_ARGS(t->stats),
                      SAC_SPAN_ARGS(wanted->doutput),
                      SAC_SPAN_ARGS(b)};
    sac_pass_items(pass, "disentangled", "score_slopes", args, 18, sac_tensor_count(b));
    if (key_of->w)
        add_distance_gradients(pass, distances, heads, false, distances->key, b, wanted->dquery);
    if (query_of->w)
        add_distance_gradients(pass, distances, heads, true, distances->query, b, wanted->dkey);
}
