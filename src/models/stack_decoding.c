/* A decoder's stack, word by word. */
#include "models/stack_decoding.h"

#include <math.h>

#include "nn/attention/positions.h"

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
    sac_beam_cache_shape(pass, arena, &d->cache, stack->sizes.layers, ROWS, words, width);
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
    sac_beam_last(beam, words, parents);
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
    float depth = (float)stack->sizes.width / (float)stack->sizes.heads;
    if (beam->step == 0 && request->hidden)
        sac_pass_write_bytes(pass, d->mask, request->hidden);
    begin_step(pass, stack, beam, d);
    const sac_transformer_run run = {
        .batch = d->step.batch,
        .memories = 1,
        .heads = stack->sizes.heads,
        .norm_first = stack->sizes.norm_first,
        .memory_padding = request->hidden ? d->mask.buffer : NULL,
        .cross_scale = request->temperature > 0 ? 1 / (sqrtf(depth) * request->temperature) : 0,
    };
    sac_tensor x = d->step.x;
    sac_stack_embed(pass, stack, &d->step, x);
    for (int i = 0; i < stack->sizes.layers; i++) {
        sac_transformer_tensors *own = &d->step.layer[i];
        own->attention[SAC_PART_CROSS].key = d->memory_key[i];
        own->attention[SAC_PART_CROSS].value = d->memory_value[i];
        x = sac_beam_cache_layer(pass, &d->cache, i, &stack->layer[i], &run, x, own);
    }
    if (stack->sizes.norm_first) {
        sac_layer_norm_forward(pass, &stack->norm, d->step.normed, x);
        x = d->step.normed;
    }
    sac_tensor all = sac_tensor_rows(d->logits, 0, d->step.batch);
    sac_stack_logits(pass, stack, all, x);
    sac_pass_read(pass, all, logits);
}
