/* The transformer's mathematics: its parameters, where they are used, and the forward pass of
 * encoder and decoder. */
#include "transformer/transformer.h"

#include <math.h>
#include <stdio.h>

#include "nn/declare.h"
#include "nn/layers.h"
#include "nn/positions.h"

/* ---------------------------------------------------------------- parameters */

static sac_multihead declare_attention(sac_parameters *p, const char *layer, const char *kind,
                                       size_t width)
{
    static const char *const names[] = {"query", "key", "value", "out"};
    sac_multihead m;
    sac_dense *const parts[] = {&m.query, &m.key, &m.value, &m.out};
    for (int i = 0; i < 4; i++) {
        char name[24];
        snprintf(name, sizeof name, "%s.%s", kind, names[i]);
        *parts[i] = sac_dense_declare(p, layer, name, width, width, true);
    }
    return m;
}

static void declare_layer(const sac_transformer_sizes *sizes, sac_parameters *p, const char *name,
                          bool decodes, sac_transformer_layer *l)
{
    size_t width = (size_t)sizes->width, hidden = (size_t)sizes->hidden;
    l->attention[SAC_PART_SELF] = declare_attention(p, name, "self", width);
    l->norm[SAC_PART_SELF] = sac_layer_norm_declare(p, name, "self.norm", width);
    if (decodes) {
        l->attention[SAC_PART_CROSS] = declare_attention(p, name, "cross", width);
        l->norm[SAC_PART_CROSS] = sac_layer_norm_declare(p, name, "cross.norm", width);
    }
    l->in = sac_dense_declare(p, name, "forward.in", hidden, width, true);
    l->out = sac_dense_declare(p, name, "forward.out", width, hidden, true);
    l->norm[SAC_PART_FORWARD] = sac_layer_norm_declare(p, name, "forward.norm", width);
}

/* Words begin with a deviation of 1/√D: times √D they are as large as what the norms give, and as
 * rows of the output they give logits of about 1. */
static void declare_side(const sac_transformer_sizes *sizes, sac_parameters *p, bool decodes,
                         sac_transformer_side *side)
{
    const char *name = decodes ? "decoder" : "encoder";
    size_t width = (size_t)sizes->width;
    size_t words = (size_t)(decodes ? sizes->target_words : sizes->source_words);
    char full[32];
    snprintf(full, sizeof full, "%s.words", name);
    side->words =
        sac_parameter_add(p, full, sac_init_uniform_std(1 / sqrtf((float)width)), 2, words, width);
    for (int i = 0; i < sizes->layers; i++) {
        snprintf(full, sizeof full, "%s.%d", name, i);
        declare_layer(sizes, p, full, decodes, &side->layer[i]);
    }
    if (sizes->norm_first)
        side->norm = sac_layer_norm_declare(p, name, "norm", width);
}

void sac_transformer_declare(const sac_transformer_sizes *sizes, sac_parameters *p,
                             sac_transformer_weights *w)
{
    declare_side(sizes, p, false, &w->encoder);
    declare_side(sizes, p, true, &w->decoder);
    w->out_bias = sac_parameter_vector(p, "decoder.out.bias", (size_t)sizes->target_words);
}

/* ---------------------------------------------------------------- memory */

static const sac_transformer_side *side_of(const sac_transformer *t, bool decodes)
{
    return decodes ? &t->weights.decoder : &t->weights.encoder;
}

void sac_transformer_shape_stack(sac_transformer *t, sac_arena *arena, size_t batch, size_t steps,
                                 size_t memory_steps, sac_transformer_stack *s)
{
    sac_pass *pass = &t->base.pass;
    size_t rows = batch * steps, width = (size_t)t->sizes.width;
    sac_transformer_run run = {.batch = batch, .heads = t->sizes.heads};
    s->batch = batch;
    s->steps = steps;
    sac_arena_shape_ints(arena, pass, &s->words, rows);
    sac_arena_shape_ints(arena, pass, &s->places, rows);
    sac_arena_shape_bytes(arena, pass, &s->padding, rows);
    sac_arena_shape(arena, pass, &s->x, rows, width);
    for (int i = 0; i < t->sizes.layers; i++)
        sac_transformer_layer_shape(pass, arena, &side_of(t, memory_steps > 0)->layer[i], &run,
                                    steps, memory_steps, &s->layer[i]);
    if (t->sizes.norm_first)
        sac_arena_shape(arena, pass, &s->normed, rows, width);
}

void sac_transformer_upload(sac_transformer *t, const sac_transformer_words *words,
                            const sac_transformer_stack *s)
{
    sac_pass *pass = &t->base.pass;
    sac_pass_write_ints(pass, s->words, words->words);
    sac_positions_place(pass, s->places, t->positions, s->steps, 0, words->offsets);
    sac_pass_write_bytes(pass, s->padding, words->padding);
}

void sac_transformer_take_batch(const sac_sentence_batch *batch, int *source_words,
                                uint8_t *source_padding, int *words, uint8_t *padding)
{
    size_t B = batch->source.batch, S = batch->source.steps, T = batch->steps;
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < S; i++) {
            source_words[b * S + i] = batch->source.words[i * B + b];
            source_padding[b * S + i] = (int)i >= batch->source.lengths[b];
        }
        for (size_t t = 0; t < T; t++) {
            words[b * T + t] = batch->inputs[t * B + b];
            padding[b * T + t] = (int)t >= batch->lengths[b];
        }
    }
}

/* ---------------------------------------------------------------- forward */

sac_transformer_run sac_transformer_run_of(const sac_transformer *t,
                                           const sac_transformer_noise *noise,
                                           const sac_transformer_stack *s,
                                           const sac_transformer_stack *memory, int index)
{
    uint64_t place = (uint64_t)(2 * index + (memory != NULL) + 1); /* 0 is that of the words */
    return (sac_transformer_run){
        .batch = s->batch,
        .heads = t->sizes.heads,
        .norm_first = t->sizes.norm_first,
        .causal = memory != NULL,
        .dropout = noise->dropout,
        .seed = noise->seed * (2 * SAC_TRANSFORMER_LAYERS + 1) + place,
        .padding = s->padding.buffer,
        .memory_padding = memory ? memory->padding.buffer : NULL,
    };
}

sac_dropout sac_transformer_word_dropout(const sac_transformer_noise *noise, bool decodes)
{
    return sac_dropout_of(noise->dropout, noise->seed * (2 * SAC_TRANSFORMER_LAYERS + 1), decodes);
}

void sac_transformer_embed(sac_transformer *t, const sac_transformer_side *side,
                           const sac_transformer_stack *s, sac_tensor x)
{
    sac_embedding_forward(&t->base.pass, x, side->words, s->words);
    sac_positions_add(&t->base.pass, x, sqrtf((float)t->sizes.width), t->positions, s->places);
}

static sac_tensor run_layers(sac_transformer *t, const sac_transformer_noise *noise,
                             const sac_transformer_stack *s, const sac_transformer_stack *source,
                             sac_tensor memory)
{
    sac_pass *pass = &t->base.pass;
    const sac_transformer_side *side = side_of(t, source != NULL);
    sac_dropout dropout = sac_transformer_word_dropout(noise, source != NULL);
    sac_tensor x = s->x;
    sac_transformer_embed(t, side, s, x);
    if (dropout.p > 0)
        sac_dropout_run(pass, &dropout, x, x);
    for (int i = 0; i < t->sizes.layers; i++) {
        sac_transformer_run run = sac_transformer_run_of(t, noise, s, source, i);
        x = sac_transformer_layer_forward(pass, &side->layer[i], &run, x, memory, &s->layer[i]);
    }
    if (!t->sizes.norm_first)
        return x;
    sac_layer_norm_forward(pass, &side->norm, s->normed, x);
    return s->normed;
}

sac_tensor sac_transformer_encode(sac_transformer *t, const sac_transformer_noise *noise,
                                  const sac_transformer_stack *s)
{
    return run_layers(t, noise, s, NULL, (sac_tensor){0});
}

sac_tensor sac_transformer_decode(sac_transformer *t, const sac_transformer_noise *noise,
                                  const sac_transformer_stack *s,
                                  const sac_transformer_stack *source, sac_tensor memory)
{
    return run_layers(t, noise, s, source, memory);
}

sac_tensor sac_transformer_layer_input(const sac_transformer *t, const sac_transformer_stack *s,
                                       int index)
{
    if (index == 0)
        return s->x;
    const sac_transformer_tensors *below = &s->layer[index - 1];
    return t->sizes.norm_first ? below->sum[SAC_PART_FORWARD] : below->normed[SAC_PART_FORWARD];
}

void sac_transformer_logits(sac_transformer *t, sac_tensor logits, sac_tensor z)
{
    sac_linear_forward(&t->base.pass, logits, z, t->weights.decoder.words, t->weights.out_bias);
}
