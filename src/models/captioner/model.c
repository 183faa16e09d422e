/* The captioner's mathematics: its parameters, where they are used, and the forward pass of encoder
 * and decoder. B pictures or sentences, N cells, D features, A of keys and queries, H of the LSTM,
 * M of embeddings, V words. */
#include "captioner/encoders/encoder.h"

#include <math.h>

/* ---------------------------------------------------------------- parameters */

static void declare_attention(const sac_captioner_shape *shape, size_t depth, sac_parameters *p,
                              sac_captioner_weights *w)
{
    bool bilinear = shape->score == SAC_SCORE_BILINEAR;
    size_t hidden = (size_t)shape->hidden, keys = bilinear ? depth : (size_t)shape->attention;
    if (!bilinear) {
        w->key = sac_parameter_matrix(p, "attention.key.weight", keys, depth);
        /* A dot product with the same vector for all keys does not change the softmax. */
        if (shape->score == SAC_SCORE_SCALED_DOT)
            p->retired = "attention.key.bias";
        else
            w->key_bias = sac_parameter_vector(p, "attention.key.bias", keys);
    }
    w->query = sac_parameter_matrix(p, "attention.query.weight", keys, hidden);
    if (shape->score == SAC_SCORE_ADDITIVE)
        w->v = sac_parameter_add(p, "attention.v", sac_init_uniform_std(1 / sqrtf((float)keys)), 1,
                                 keys);
    w->gate = sac_parameter_matrix(p, "attention.gate.weight", 1, hidden);
    w->gate_bias = sac_parameter_vector(p, "attention.gate.bias", 1);
}

static void declare_decoder(const sac_captioner_shape *shape, size_t depth, sac_parameters *p,
                            sac_captioner_weights *w)
{
    size_t hidden = (size_t)shape->hidden, gates = 4 * hidden;
    size_t embedding = (size_t)shape->embedding, vocabulary = (size_t)shape->vocabulary;
    sac_init lstm = sac_init_uniform(1 / sqrtf((float)hidden));
    w->embedding =
        sac_parameter_add(p, "words.embedding", sac_init_uniform_std(1 / sqrtf((float)embedding)),
                          2, vocabulary, embedding);
    w->from_word = sac_parameter_add(p, "lstm.word.weight", lstm, 2, gates, embedding);
    w->from_context = sac_parameter_add(p, "lstm.context.weight", lstm, 2, gates, depth);
    w->from_state = sac_parameter_add(p, "lstm.state.weight", lstm, 2, gates, hidden);
    w->lstm_bias = sac_parameter_vector(p, "lstm.bias", gates);
    w->output = sac_deep_output_declare(p, "words", embedding, hidden, depth, vocabulary);
}

static void declare_lstm(const sac_captioner_shape *shape, size_t depth, sac_parameters *p,
                         sac_captioner_weights *w)
{
    size_t hidden = (size_t)shape->hidden;
    w->state.weight = sac_parameter_matrix(p, "start.state.weight", hidden, depth);
    w->state.bias = sac_parameter_vector(p, "start.state.bias", hidden);
    w->cell.weight = sac_parameter_matrix(p, "start.cell.weight", hidden, depth);
    w->cell.bias = sac_parameter_vector(p, "start.cell.bias", hidden);
    declare_attention(shape, depth, p, w);
    declare_decoder(shape, depth, p, w);
}

static void declare_stack(const sac_captioner_shape *shape, sac_parameters *p,
                          sac_captioner_weights *w)
{
    const sac_stack_sizes sizes = {.layers = shape->stack.layers,
                                   .heads = shape->stack.heads,
                                   .width = shape->network.features,
                                   .hidden = shape->stack.hidden,
                                   .norm_first = true,
                                   .decodes = true,
                                   .words = shape->vocabulary,
                                   .normalizer = shape->normalizer};
    sac_stack_declare(&sizes, "decoder", p, &w->stack);
}

void sac_captioner_declare(const sac_captioner_shape *shape, sac_parameters *p,
                           sac_parameters *frozen, sac_captioner_weights *w)
{
    const sac_encoder *encoder = sac_encoder_of(shape);
    size_t depth = (size_t)(shape->layers ? shape->layer[shape->layers - 1].channels
                                          : shape->network.features);
    encoder->declare(shape, p, frozen, w);
    w->norm.gain = sac_parameter_add(p, "encoder.norm.weight", sac_init_constant(1), 1, depth);
    w->norm.bias = sac_parameter_vector(p, "encoder.norm.bias", depth);
    if (sac_captioner_has_layers(shape))
        declare_stack(shape, p, w);
    else
        declare_lstm(shape, depth, p, w);
    if (encoder->declare_slow)
        encoder->declare_slow(shape, p, w);
}

/* ---------------------------------------------------------------- encoder */

sac_convolution sac_captioner_layer(const sac_captioner_shape *shape, int index, size_t batch)
{
    size_t side = (size_t)shape->side, in = 3;
    for (int i = 0; i < index; i++) {
        side = sac_convolution_out(side, (size_t)shape->layer[i].stride);
        in = (size_t)shape->layer[i].channels;
    }
    return (sac_convolution){
        .batch = batch,
        .height = side,
        .width = side,
        .in = in,
        .out = (size_t)shape->layer[index].channels,
        .stride = (size_t)shape->layer[index].stride,
    };
}

size_t sac_captioner_max_layer_floats(const sac_captioner_shape *shape)
{
    size_t most = 0;
    for (int i = 0; i < shape->layers; i++) {
        sac_convolution layer = sac_captioner_layer(shape, i, 1);
        size_t floats =
            sac_convolution_pixels(&layer) * layer.in + sac_convolution_slopes(&layer) * layer.out;
        most = floats > most ? floats : most;
    }
    return most;
}

void sac_captioner_shape_features(sac_captioner *c, sac_arena *arena, size_t batch,
                                  sac_captioner_features *f)
{
    sac_pass *pass = &c->base.pass;
    size_t cells = batch * (size_t)c->cells;
    sac_arena_shape(arena, pass, &f->mean, batch, (size_t)c->depth);
    c->encoder->reserve(c, arena, batch, f);
    sac_arena_shape(arena, pass, &f->features, cells, (size_t)c->depth);
    if (sac_captioner_has_layers(&c->shape))
        return;
    if (c->weights.key)
        sac_arena_shape(arena, pass, &f->keys, cells, (size_t)c->keys);
    else
        f->keys = f->features;
}

void sac_captioner_release_features(sac_captioner_features *f)
{
    sac_efficientnet_release(&f->run);
}

void sac_captioner_encode(sac_captioner *c, sac_captioner_features *f, const sac_dropout *dropout)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    c->encoder->forward(c, f);
    if (dropout)
        sac_dropout_run(pass, dropout, f->features, f->features);
    if (w->key)
        sac_linear_forward(pass, f->keys, f->features, w->key, w->key_bias); /* [B,N,A] */
}

void sac_captioner_begin_from_mean(sac_captioner *c, sac_tensor mean, sac_tensor state,
                                   sac_tensor cell)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_linear_forward(pass, state, mean, w->state.weight, w->state.bias); /* [B,H] */
    sac_tanh_forward(pass, state);
    sac_linear_forward(pass, cell, mean, w->cell.weight, w->cell.bias); /* [B,H] */
    sac_tanh_forward(pass, cell);
}

/* ---------------------------------------------------------------- decoder */

/* The score's own scale. */
static float scale_of(const sac_captioner *c)
{
    if (c->shape.score == SAC_SCORE_ADDITIVE)
        return 1;
    if (c->shape.score == SAC_SCORE_BILINEAR)
        return 1 / sqrtf(sqrtf((float)c->depth * (float)c->shape.hidden));
    return 1 / sqrtf((float)c->keys);
}

sac_attention_layer sac_captioner_attention(const sac_captioner *c, size_t batch, float temperature)
{
    return (sac_attention_layer){
        .spec = {.score = c->shape.score,
                 .normalizer = c->shape.normalizer,
                 .use_scale = true,
                 .scale = scale_of(c) / (temperature == 0 ? 1 : temperature)},
        .batch = batch,
        .w_v = c->weights.v,
    };
}

/* The attention of the decoder: the weights, and the context. */
static sac_attention_layer attention_of(const sac_captioner *c, const sac_captioner_step *step,
                                        sac_attention_tensors *tensors)
{
    sac_attention_layer layer = sac_captioner_attention(c, step->state.rows, step->temperature);
    layer.shared = step->shared;
    layer.padding = step->mask;
    *tensors = (sac_attention_tensors){
        .query = step->query,
        .key = step->keys,
        .value = step->features,
        .output = step->z,
        .weights = step->weights,
        .scores = step->scores,
        .gate = step->beta,
        .context = step->context,
    };
    return layer;
}

void sac_captioner_step_forward(sac_captioner *c, const sac_captioner_step *step)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_attention_tensors tensors;
    const sac_attention_layer layer = attention_of(c, step, &tensors);
    sac_linear_forward(pass, step->query, step->state, w->query, NULL);       /* [B,A] */
    sac_linear_forward(pass, step->beta, step->state, w->gate, w->gate_bias); /* [B] */
    sac_attention_layer_forward(pass, &layer, &tensors);                      /* z [B,D] */
    if (step->embedded.buffer)
        sac_linear_forward(pass, step->gates, step->embedded, w->from_word, w->lstm_bias);
    sac_linear_add(pass, step->gates, step->z, w->from_context); /* [B,4H] */
    sac_linear_add(pass, step->gates, step->state, w->from_state);
    sac_lstm_forward(pass, step->next_state, step->next_cell, step->gates, step->cell);
}

/* ds[t], dc → dgates → dz → dquery, dβ → ds[t−1] */
void sac_captioner_step_backward(sac_captioner *c, const sac_captioner_step *step,
                                 const sac_captioner_step_gradients *d)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_attention_tensors tensors;
    const sac_attention_layer layer = attention_of(c, step, &tensors);
    const sac_attention_layer_gradients gradients = {
        .doutput = d->z,
        .dquery = d->query,
        .dkey = d->keys,
        .dvalue = d->features,
        .dweights = d->weights,
        .dscores = d->scores,
        .dgate = d->beta,
    };
    sac_lstm_backward(pass, d->gates, d->cell, d->next_state, d->cell, step->gates, step->next_cell,
                      step->cell);
    sac_linear_backward_add(pass, d->z, d->gates, w->from_context);
    sac_attention_layer_backward(pass, &layer, &tensors, &gradients);
    sac_linear_backward_add(pass, d->state, d->gates, w->from_state);
    sac_linear_backward_add(pass, d->state, d->query, w->query);
    sac_linear_backward_add(pass, d->state, d->beta, w->gate);
}

void sac_captioner_mean_backward(sac_captioner *c, sac_tensor dmean, sac_tensor dstate,
                                 sac_tensor dcell, sac_tensor state, sac_tensor cell)
{
    sac_pass *pass = &c->base.pass;
    sac_tanh_backward(pass, dstate, state);
    sac_linear_backward_input(pass, dmean, dstate, c->weights.state.weight);
    sac_tanh_backward(pass, dcell, cell);
    sac_linear_backward_add(pass, dmean, dcell, c->weights.cell.weight);
}
