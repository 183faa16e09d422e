/* The captioner's mathematics: its parameters, where they are used, and the forward pass of encoder
 * and decoder. B pictures or sentences, N cells, D features, A of keys and queries, H of the LSTM,
 * M of embeddings, V words. */
#include "captioner/model.h"

#include <math.h>

enum { KERNEL = 9 }; /* places of a 3 × 3 convolution */

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

static void declare_layers(const sac_captioner_shape *shape, sac_parameters *p,
                           sac_captioner_weights *w)
{
    char name[48];
    size_t in = 3, grid = (size_t)sac_captioner_grid(shape), kernel = 3;
    for (int i = 0; i < shape->layers; i++) {
        size_t out = (size_t)shape->layer[i].channels;
        snprintf(name, sizeof name, "encoder.%d.weight", i);
        w->encoder[i].weight =
            sac_parameter_add(p, name, sac_init_he(KERNEL * in), 4, out, kernel, kernel, in);
        snprintf(name, sizeof name, "encoder.%d.bias", i);
        w->encoder[i].bias = sac_parameter_vector(p, name, out);
        in = out;
    }
    w->norm.position =
        sac_parameter_add(p, "encoder.position", sac_init_constant(0), 2, grid * grid, in);
}

/* The first part of the network that learns; past the last: none does. */
static int learning_from(const sac_captioner_shape *shape, const sac_efficientnet_shape *network)
{
    int parts = sac_efficientnet_parts(network), head = parts - 1;
    int from = head - shape->network.learning;
    return shape->network.learning == 0 ? parts : from < 0 ? 0 : from;
}

int sac_captioner_first_learning(const sac_captioner *c)
{
    const sac_efficientnet_shape *network = &c->weights.network.shape;
    int from = learning_from(&c->shape, network), head = sac_efficientnet_parts(network) - 1;
    return from < head ? from : head;
}

/* The linear layer can do what gain and bias of the cells' norm would. */
static void declare_network(const sac_captioner_shape *shape, sac_parameters *p,
                            sac_parameters *frozen, sac_captioner_weights *w)
{
    if (sac_captioner_network(shape, &w->network.shape, NULL) != SAC_OK)
        return;
    size_t cells = w->network.shape.head, depth = (size_t)shape->network.features;
    sac_efficientnet_declare(&w->network, frozen, "network.", 0,
                             learning_from(shape, &w->network.shape));
    w->cells.gain =
        sac_parameter_add(frozen, "network.norm.weight", sac_init_constant(1), 1, cells);
    w->cells.bias = sac_parameter_vector(frozen, "network.norm.bias", cells);
    w->project.weight = sac_parameter_matrix(p, "encoder.project.weight", depth, cells);
    w->project.bias = sac_parameter_vector(p, "encoder.project.bias", depth);
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
                                   .words = shape->vocabulary};
    sac_stack_declare(&sizes, "decoder", p, &w->stack);
}

void sac_captioner_declare(const sac_captioner_shape *shape, sac_parameters *p,
                           sac_parameters *frozen, sac_captioner_weights *w)
{
    bool photographs = sac_captioner_sees_photographs(shape);
    size_t depth =
        (size_t)(photographs ? shape->network.features : shape->layer[shape->layers - 1].channels);
    if (photographs)
        declare_network(shape, p, frozen, w);
    else
        declare_layers(shape, p, w);
    w->norm.gain = sac_parameter_add(p, "encoder.norm.weight", sac_init_constant(1), 1, depth);
    w->norm.bias = sac_parameter_vector(p, "encoder.norm.bias", depth);
    if (sac_captioner_has_layers(shape))
        declare_stack(shape, p, w);
    else
        declare_lstm(shape, depth, p, w);
    if (shape->network.learning) { /* they know something already, and learn slowly */
        p->slow = p->count;
        sac_efficientnet_declare(&w->network, p, "network.",
                                 learning_from(shape, &w->network.shape),
                                 sac_efficientnet_parts(&w->network.shape));
    }
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

size_t sac_captioner_most_pixels(const sac_captioner_shape *shape)
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

/* What a layer takes: pictures, or what the one before it gives. */
static sac_tensor *input_of(sac_captioner_features *f, int layer)
{
    return layer ? &f->layer[layer - 1] : &f->pictures;
}

void sac_captioner_shape_features(sac_captioner *c, sac_arena *arena, size_t batch,
                                  sac_captioner_features *f)
{
    sac_pass *pass = &c->base.pass;
    size_t cells = batch * (size_t)c->cells;
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, batch);
        sac_arena_shape(arena, pass, input_of(f, i), sac_convolution_pixels(&layer), layer.in);
    }
    if (sac_captioner_sees_photographs(&c->shape)) {
        sac_efficientnet_prepare(&c->weights.network, pass, &f->run, batch);
        sac_arena_shape(arena, pass, &f->normed, cells, c->weights.network.shape.head);
        sac_arena_shape(arena, pass, &f->projected, cells, (size_t)c->depth);
    } else {
        sac_arena_shape(arena, pass, input_of(f, c->shape.layers), cells, (size_t)c->depth);
    }
    sac_arena_shape(arena, pass, &f->features, cells, (size_t)c->depth);
    if (sac_captioner_has_layers(&c->shape))
        return;
    if (c->weights.key)
        sac_arena_shape(arena, pass, &f->keys, cells, (size_t)c->keys);
    else
        f->keys = f->features;
    sac_arena_shape(arena, pass, &f->mean, batch, (size_t)c->depth);
}

void sac_captioner_release_features(sac_captioner_features *f)
{
    sac_efficientnet_release(&f->run);
}

/* Pictures to features of photographs, before any are dropped. */
static void encode_photographs(sac_captioner *c, sac_captioner_features *f)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_efficientnet_forward(&w->network, pass, &f->run);
    sac_layer_norm_forward(pass, &w->cells, f->normed, f->run.cells); /* [B,N,C] */
    sac_linear_forward(pass, f->projected, f->normed, w->project.weight, w->project.bias);
    sac_layer_norm_forward(pass, &w->norm, f->features, f->projected); /* [B,N,D] */
    if (!sac_captioner_has_layers(&c->shape))
        sac_relu_forward(pass, f->features);
}

static void encode_scenes(sac_captioner *c, const sac_captioner_features *f)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    int last = c->shape.layers - 1;
    for (int i = 0; i <= last; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, f->mean.rows);
        sac_convolution_forward(pass, &layer, f->layer[i], i < last,
                                i ? f->layer[i - 1] : f->pictures, w->encoder[i].weight,
                                w->encoder[i].bias);
    }
    sac_layer_norm_forward(pass, &w->norm, f->features, f->layer[last]); /* [B,N,D] */
}

void sac_captioner_encode(sac_captioner *c, sac_captioner_features *f, const sac_dropout *dropout)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    if (sac_captioner_sees_photographs(&c->shape))
        encode_photographs(c, f);
    else
        encode_scenes(c, f);
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
                 .use_scale = true,
                 .scale = scale_of(c) / (temperature == 0 ? 1 : temperature)},
        .batch = batch,
        .w_v = c->weights.v,
    };
}

/* The attention of the decoder: the weights, and the context. */
static void attend(sac_captioner *c, const sac_captioner_step *step)
{
    sac_attention_layer layer = sac_captioner_attention(c, step->state.rows, step->temperature);
    layer.shared = step->shared;
    layer.padding = step->mask;
    sac_attention_tensors tensors = {
        .query = step->query,
        .key = step->keys,
        .value = step->features,
        .output = step->z,
        .weights = step->weights,
        .gate = step->beta,
        .context = step->context,
    };
    sac_attention_layer_forward(&c->base.pass, &layer, &tensors);
}

void sac_captioner_step_forward(sac_captioner *c, const sac_captioner_step *step)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    sac_linear_forward(pass, step->query, step->state, w->query, NULL);       /* [B,A] */
    sac_linear_forward(pass, step->beta, step->state, w->gate, w->gate_bias); /* [B] */
    attend(c, step);                                                          /* z [B,D] */
    if (step->embedded.buffer)
        sac_linear_forward(pass, step->gates, step->embedded, w->from_word, w->lstm_bias);
    sac_linear_add(pass, step->gates, step->z, w->from_context); /* [B,4H] */
    sac_linear_add(pass, step->gates, step->state, w->from_state);
    sac_lstm_forward(pass, step->next_state, step->next_cell, step->gates, step->cell);
}
