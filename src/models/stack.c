/* A stack of transformer layers over words: its parameters, and where they are used. */
#include "models/stack.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/declare.h"
#include "nn/layers.h"

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

static void declare_layer(const sac_stack_sizes *sizes, sac_parameters *p, const char *name,
                          sac_transformer_layer *l)
{
    size_t width = (size_t)sizes->width, hidden = (size_t)sizes->hidden;
    l->attention[SAC_PART_SELF] = declare_attention(p, name, "self", width);
    l->norm[SAC_PART_SELF] = sac_layer_norm_declare(p, name, "self.norm", width);
    if (sizes->decodes) {
        l->attention[SAC_PART_CROSS] = declare_attention(p, name, "cross", width);
        l->norm[SAC_PART_CROSS] = sac_layer_norm_declare(p, name, "cross.norm", width);
    }
    l->in = sac_dense_declare(p, name, "forward.in", hidden, width, true);
    l->out = sac_dense_declare(p, name, "forward.out", width, hidden, true);
    l->norm[SAC_PART_FORWARD] = sac_layer_norm_declare(p, name, "forward.norm", width);
}

/* Words begin with a deviation of 1/√D: times √D they are as large as what the norms give, and as
 * rows of the output they give logits of about 1. */
void sac_stack_declare(const sac_stack_sizes *sizes, const char *name, sac_parameters *p,
                       sac_stack *stack)
{
    size_t width = (size_t)sizes->width, words = (size_t)sizes->words;
    char full[32];
    stack->sizes = *sizes;
    snprintf(full, sizeof full, "%s.words", name);
    stack->words =
        sac_parameter_add(p, full, sac_init_uniform_std(1 / sqrtf((float)width)), 2, words, width);
    for (int i = 0; i < sizes->layers; i++) {
        snprintf(full, sizeof full, "%s.%d", name, i);
        declare_layer(sizes, p, full, &stack->layer[i]);
    }
    if (sizes->norm_first)
        stack->norm = sac_layer_norm_declare(p, name, "norm", width);
    snprintf(full, sizeof full, "%s.out.bias", name);
    if (sizes->decodes)
        stack->bias = sac_parameter_vector(p, full, words);
}

void sac_stack_positions(sac_pass *pass, sac_arena *arena, size_t places, size_t width,
                         sac_tensor *positions)
{
    float *table = malloc(places * width * sizeof *table);
    sac_arena_shape(arena, pass, positions, places, width);
    if (table) {
        sac_positions_fill(table, places, width);
        sac_pass_write(pass, *positions, table);
    } else {
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "positions"));
    }
    free(table);
}

/* ---------------------------------------------------------------- memory */

void sac_stack_shape(sac_pass *pass, sac_arena *arena, const sac_stack *stack, size_t batch,
                     size_t steps, size_t memories, size_t memory_steps, sac_stack_tensors *t)
{
    size_t rows = batch * steps, width = (size_t)stack->sizes.width;
    sac_transformer_run run = {.batch = batch, .memories = memories, .heads = stack->sizes.heads};
    t->batch = batch;
    t->steps = steps;
    t->memories = memories;
    sac_arena_shape_ints(arena, pass, &t->words, rows);
    sac_arena_shape_ints(arena, pass, &t->places, rows);
    sac_arena_shape_bytes(arena, pass, &t->padding, rows);
    sac_arena_shape(arena, pass, &t->x, rows, width);
    for (int i = 0; i < stack->sizes.layers; i++)
        sac_transformer_layer_shape(pass, arena, &stack->layer[i], &run, steps, memory_steps,
                                    &t->layer[i]);
    if (stack->sizes.norm_first)
        sac_arena_shape(arena, pass, &t->normed, rows, width);
}

void sac_stack_shape_gradients(sac_pass *pass, sac_arena *arena, const sac_stack *stack,
                               size_t batch, size_t steps, size_t memories, size_t memory_steps,
                               sac_transformer_gradients *gradients)
{
    sac_transformer_run run = {.batch = batch, .memories = memories, .heads = stack->sizes.heads};
    sac_transformer_layer_shape_gradients(pass, arena, &stack->layer[0], &run, steps, memory_steps,
                                          gradients);
}

void sac_stack_upload(sac_pass *pass, const sac_stack *stack, const sac_stack_words *words,
                      const sac_stack_tensors *t)
{
    sac_pass_write_ints(pass, t->words, words->words);
    sac_positions_place(pass, t->places, stack->positions, t->steps, 0, words->offsets);
    sac_pass_write_bytes(pass, t->padding, words->padding);
}

/* ---------------------------------------------------------------- forward */

/* Seeds of a pass: 0 is that of the words, and each layer of either kind of stack has its own. */
static uint64_t seed_of(const sac_stack_noise *noise, int place)
{
    return noise->seed * (2 * SAC_STACK_LAYERS + 1) + (uint64_t)place;
}

static sac_transformer_run run_of(const sac_stack *stack, const sac_stack_noise *noise,
                                  const sac_stack_tensors *t, const sac_stack_memory *memory,
                                  int index)
{
    bool decodes = stack->sizes.decodes;
    return (sac_transformer_run){
        .batch = t->batch,
        .memories = t->memories,
        .heads = stack->sizes.heads,
        .norm_first = stack->sizes.norm_first,
        .causal = decodes,
        .dropout = noise->dropout,
        .seed = seed_of(noise, 2 * index + decodes + 1),
        .padding = t->padding.buffer,
        .memory_padding = memory->padding,
    };
}

static sac_dropout word_dropout(const sac_stack *stack, const sac_stack_noise *noise)
{
    return sac_dropout_of(noise->dropout, seed_of(noise, 0), stack->sizes.decodes);
}

void sac_stack_embed(sac_pass *pass, const sac_stack *stack, const sac_stack_tensors *t,
                     sac_tensor x)
{
    sac_embedding_forward(pass, x, stack->words, t->words);
    sac_positions_add(pass, x, sqrtf((float)stack->sizes.width), stack->positions, t->places);
}

sac_tensor sac_stack_forward(sac_pass *pass, const sac_stack *stack, const sac_stack_noise *noise,
                             const sac_stack_tensors *t, const sac_stack_memory *memory)
{
    sac_dropout dropout = word_dropout(stack, noise);
    sac_tensor x = t->x;
    assert(stack->sizes.decodes == (memory->rows.rows > 0));
    sac_stack_embed(pass, stack, t, x);
    if (dropout.p > 0)
        sac_dropout_run(pass, &dropout, x, x);
    for (int i = 0; i < stack->sizes.layers; i++) {
        sac_transformer_run run = run_of(stack, noise, t, memory, i);
        x = sac_transformer_layer_forward(pass, &stack->layer[i], &run, x, memory->rows,
                                          &t->layer[i]);
    }
    if (!stack->sizes.norm_first)
        return x;
    sac_layer_norm_forward(pass, &stack->norm, t->normed, x);
    return t->normed;
}

void sac_stack_logits(sac_pass *pass, const sac_stack *stack, sac_tensor logits, sac_tensor z)
{
    sac_linear_forward(pass, logits, z, stack->words, stack->bias);
}

/* ---------------------------------------------------------------- backward */

void sac_stack_logits_backward(sac_pass *pass, const sac_stack *stack, sac_tensor dz,
                               sac_tensor dlogits, sac_tensor z)
{
    sac_linear_backward_weights(pass, dlogits, z, stack->words, stack->bias);
    sac_linear_backward_input(pass, dz, dlogits, stack->words);
}

/* What layer `index` reads, and what the last gives before the last norm (index L). */
static sac_tensor layer_input(const sac_stack *stack, const sac_stack_tensors *t, int index)
{
    if (index == 0)
        return t->x;
    const sac_transformer_tensors *below = &t->layer[index - 1];
    return stack->sizes.norm_first ? below->sum[SAC_PART_FORWARD] : below->normed[SAC_PART_FORWARD];
}

void sac_stack_backward(sac_pass *pass, const sac_stack *stack, const sac_stack_noise *noise,
                        const sac_stack_tensors *t, const sac_stack_memory *memory, sac_tensor dz,
                        const sac_transformer_gradients *gradients)
{
    sac_dropout dropout = word_dropout(stack, noise);
    if (stack->sizes.norm_first)
        sac_layer_norm_backward(pass, &stack->norm, dz, layer_input(stack, t, stack->sizes.layers));
    for (int i = stack->sizes.layers - 1; i >= 0; i--) {
        sac_transformer_run run = run_of(stack, noise, t, memory, i);
        sac_transformer_layer_backward(pass, &stack->layer[i], &run, dz, memory->gradient,
                                       layer_input(stack, t, i), memory->rows, &t->layer[i],
                                       gradients);
    }
    if (dropout.p > 0)
        sac_dropout_run(pass, &dropout, dz, dz);
    sac_scale(pass, dz, sqrtf((float)stack->sizes.width));
    sac_embedding_backward(pass, stack->words, dz, t->words);
}
