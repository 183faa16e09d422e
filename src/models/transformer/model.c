/* The transformer's mathematics: two stacks, one after the other. */
#include "transformer/transformer.h"

void sac_transformer_declare(const sac_transformer_sizes *sizes, sac_parameters *p,
                             sac_transformer_weights *w)
{
    sac_stack_sizes stack = {.layers = sizes->layers,
                             .heads = sizes->heads,
                             .width = sizes->width,
                             .hidden = sizes->hidden,
                             .norm_first = sizes->norm_first,
                             .words = sizes->source_words};
    sac_stack_declare(&stack, "encoder", p, &w->encoder);
    stack.decodes = true;
    stack.words = sizes->target_words;
    sac_stack_declare(&stack, "decoder", p, &w->decoder);
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

void sac_transformer_shape(sac_transformer *t, sac_arena *arena, size_t batch, size_t source_steps,
                           size_t steps, sac_stack_tensors *source, sac_stack_tensors *target)
{
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, arena, &t->weights.encoder, batch, source_steps, 0, 0, source);
    sac_stack_shape(pass, arena, &t->weights.decoder, batch, steps, batch, source_steps, target);
}

sac_stack_memory sac_transformer_memory(const sac_stack_tensors *source, sac_tensor rows)
{
    return (sac_stack_memory){.rows = rows, .padding = source->padding.buffer};
}

sac_tensor sac_transformer_encode(sac_transformer *t, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors)
{
    return sac_stack_forward(&t->base.pass, &t->weights.encoder, noise, tensors,
                             &(sac_stack_memory){0});
}

sac_tensor sac_transformer_decode(sac_transformer *t, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors, const sac_stack_tensors *source,
                                  sac_tensor rows)
{
    sac_stack_memory memory = sac_transformer_memory(source, rows);
    return sac_stack_forward(&t->base.pass, &t->weights.decoder, noise, tensors, &memory);
}
