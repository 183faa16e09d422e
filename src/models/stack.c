/* A stack of transformer layers over words: its parameters, and where they are used. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "models/stack.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"
#include "scores/normalizers.h"

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

/* As sac_transformer_run has it: 0: the usual one. */
static float cross_scale(const sac_stack *stack, float temperature)
{
    const float depth = (float)stack->sizes.width / (float)stack->sizes.heads;
    return temperature > 0 ? 1 / (sqrtf(depth) * temperature) : 0;
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
        .cross_normalizer = stack->sizes.normalizer,
        .cross_scale = cross_scale(stack, memory->temperature),
    };
}

static sac_dropout word_dropout(const sac_stack *stack, const sac_stack_noise *noise)
{
    return sac_dropout_of(noise->dropout, seed_of(noise, 0), stack->sizes.decodes);
}

/* x ← √D E[words] + PE[places] */
static void stack_embed(sac_pass *pass, const sac_stack *stack, const sac_stack_tensors *t,
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
    stack_embed(pass, stack, t, x);
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

/* ---------------------------------------------------------------- word by word */

enum { ROWS = SAC_BEAM_WIDTH };

void sac_stack_decoding_shape(sac_pass *pass, sac_arena *arena, const sac_stack *stack,
                              size_t memory_rows, size_t words, sac_stack_decoding *d)
{
    size_t width = (size_t)stack->sizes.width;
    sac_stack_shape(pass, arena, stack, ROWS, 1, 1, 1, &d->step);
    for (int i = 0; i < stack->sizes.layers; i++) {
        sac_arena_shape(arena, pass, &d->memory_key[i], memory_rows, width);
        sac_arena_shape(arena, pass, &d->memory_value[i], memory_rows, width);
    }
    sac_beam_cache_shape(pass, arena, &d->cache, stack->layer, stack->sizes.layers, ROWS, words);
    sac_arena_shape_bytes(arena, pass, &d->mask, memory_rows);
    sac_arena_shape(arena, pass, &d->logits, ROWS, (size_t)stack->sizes.words);
}

void sac_stack_decoding_begin(sac_pass *pass, const sac_stack *stack, sac_tensor memory,
                              sac_stack_decoding *d)
{
    d->mask.count = memory.rows;
    for (int i = 0; i < stack->sizes.layers; i++) {
        sac_transformer_tensors keys = {0};
        d->memory_key[i] = sac_tensor_rows(d->memory_key[i], 0, memory.rows);
        d->memory_value[i] = sac_tensor_rows(d->memory_value[i], 0, memory.rows);
        keys.attention[SAC_PART_CROSS].key = d->memory_key[i];
        keys.attention[SAC_PART_CROSS].value = d->memory_value[i];
        sac_transformer_part_keys(pass, &stack->layer[i], SAC_PART_CROSS, memory, &keys);
    }
}

/* Words and places of the next step, and where its rows come from. */
static void begin_step(sac_pass *pass, const sac_stack *stack, const sac_beam *beam,
                       sac_stack_decoding *d)
{
    int words[ROWS], parents[ROWS];
    size_t rows = (size_t)beam->rows;
    sac_arena none = {0}; /* there is memory for the largest beam */
    sac_beam_last_words(beam, words, parents);
    if (beam->step == 0)
        sac_beam_cache_empty(&d->cache);
    sac_stack_shape(pass, &none, stack, rows, 1, 1, 1, &d->step);
    sac_pass_write_ints(pass, d->step.words, words);
    sac_positions_place(pass, d->step.places, stack->positions, 1, (size_t)beam->step, NULL);
    sac_beam_cache_step(pass, &d->cache, parents, beam->rows);
}

void sac_stack_decoding_step(sac_pass *pass, const sac_stack *stack, const sac_beam *beam,
                             const sac_result_request *request, sac_stack_decoding *d,
                             float *logits)
{
    if (beam->step == 0 && request->hidden)
        sac_pass_write_bytes(pass, d->mask, request->hidden);
    begin_step(pass, stack, beam, d);
    const sac_transformer_run run = {
        .batch = d->step.batch,
        .memories = 1,
        .heads = stack->sizes.heads,
        .norm_first = stack->sizes.norm_first,
        .memory_padding = request->hidden ? d->mask.buffer : NULL,
        .cross_normalizer = sac_result_normalizer(request, stack->sizes.normalizer),
        .cross_scale = cross_scale(stack, request->temperature),
    };
    sac_tensor x = d->step.x;
    stack_embed(pass, stack, &d->step, x);
    for (int i = 0; i < stack->sizes.layers; i++) {
        sac_transformer_tensors *own = &d->step.layer[i];
        own->attention[SAC_PART_CROSS].key = d->memory_key[i];
        own->attention[SAC_PART_CROSS].value = d->memory_value[i];
        x = sac_beam_cache_layer(pass, &d->cache, i, &run, x, own);
    }
    if (stack->sizes.norm_first) {
        sac_layer_norm_forward(pass, &stack->norm, d->step.normed, x);
        x = d->step.normed;
    }
    sac_tensor all = sac_tensor_rows(d->logits, 0, d->step.batch);
    sac_stack_logits(pass, stack, all, x);
    sac_pass_read(pass, all, logits);
}

/* ---------------------------------------------------------------- single heads, to be read */

static bool may_attend(const sac_head_view *v, size_t query, size_t key)
{
    return !(v->causal && key > query) && !(v->hidden && v->hidden[key]);
}

static size_t heads_of_keys(const sac_head_view *v)
{
    return v->key_heads ? v->key_heads : v->heads;
}

static double score(const sac_head_view *v, size_t head, size_t query, size_t key)
{
    const size_t depth = v->width / v->heads, of_keys = heads_of_keys(v);
    const float *q = v->query + query * v->width + head * depth;
    const float *k = v->key + (key * of_keys + head * of_keys / v->heads) * depth;
    double sum = 0, temperature = v->temperature > 0 ? v->temperature : 1;
    for (size_t i = 0; i < depth; i++)
        sum += (double)q[i] * k[i];
    return sum / (sqrt((double)depth) * temperature);
}

void sac_head_weights(const sac_head_view *v, size_t head, float *weights)
{
    for (size_t i = 0; i < v->queries; i++, weights += v->keys) {
        double row[SAC_HEAD_KEYS];
        assert(v->keys <= SAC_HEAD_KEYS);
        for (size_t j = 0; j < v->keys; j++)
            row[j] = may_attend(v, i, j) ? score(v, head, i, j) : -INFINITY;
        sac_normalize(v->normalizer, v->keys, row, row);
        for (size_t j = 0; j < v->keys; j++)
            weights[j] = (float)row[j];
    }
}

void sac_heads_read(sac_pass *pass, const sac_multihead_tensors *attention,
                    const sac_head_view *view, float *weights)
{
    sac_head_view v = *view;
    float *query = malloc(v.queries * v.width * sizeof *query);
    float *key = malloc(v.keys * v.width / v.heads * heads_of_keys(&v) * sizeof *key);
    if (!query || !key)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "attention"));
    sac_pass_read(pass, attention->query, query);
    sac_pass_read(pass, attention->key, key);
    v.query = query;
    v.key = key;
    for (size_t head = 0; head < v.heads && sac_pass_runs(pass); head++)
        sac_head_weights(&v, head, weights + head * v.queries * v.keys);
    free(query);
    free(key);
}
