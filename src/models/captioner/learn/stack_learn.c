/* Forward and backward through a decoder of layers. */
#include "captioner/learn/stack_learn.h"

#include "nn/training/losses.h"

/* Which of its photograph's sentences a sentence is. */
static size_t place_of(const sac_caption_batch *batch, size_t sentence)
{
    size_t place = 0;
    for (size_t i = 0; i < sentence; i++)
        place += batch->picture_of[i] == batch->picture_of[sentence];
    return place;
}

size_t sac_captioner_stack_sentences(const sac_caption_batch *batch)
{
    size_t most = 0;
    for (size_t b = 0; b < batch->size; b++) {
        size_t place = place_of(batch, b);
        most = place + 1 > most ? place + 1 : most;
    }
    return most * batch->photographs;
}

void sac_captioner_stack_shape(sac_captioner *c, sac_arena *arena, size_t photographs,
                               size_t sentences, size_t steps, sac_captioner_stack_training *s)
{
    sac_pass *pass = &c->base.pass;
    const sac_stack *stack = &c->weights.stack;
    size_t rows = sentences * steps, cells = (size_t)c->cells;
    sac_stack_shape(pass, arena, stack, sentences, steps, photographs, cells, &s->words);
    sac_stack_shape_gradients(pass, arena, stack, sentences, steps, photographs, cells,
                              &s->gradients);
    sac_arena_shape_ints(arena, pass, &s->targets, rows);
    sac_arena_shape(arena, pass, &s->logits, rows, (size_t)stack->sizes.words);
    sac_arena_shape(arena, pass, &s->losses, rows, 1);
    sac_arena_shape(arena, pass, &s->d, rows, (size_t)stack->sizes.width);
}

/* Words and targets of the batch, which come by step, as rows; returns how many targets there are. */
static size_t take_sentences(const sac_captioner_stack_training *s, const sac_caption_batch *batch,
                             int *wanted)
{
    size_t T = batch->steps, each = s->words.batch / batch->photographs, asked = 0;
    for (size_t i = 0; i < s->words.batch * T; i++) {
        s->inputs[i] = SAC_WORD_PAD;
        wanted[i] = -1;
    }
    for (size_t b = 0; b < batch->size; b++) {
        size_t row = ((size_t)batch->picture_of[b] * each + place_of(batch, b)) * T;
        for (size_t t = 0; t < (size_t)batch->lengths[b]; t++) {
            int target = batch->targets[t * batch->size + b];
            s->inputs[row + t] = batch->inputs[t * batch->size + b];
            wanted[row + t] = target != SAC_WORD_PAD ? target : -1;
            asked += target != SAC_WORD_PAD;
        }
    }
    return asked;
}

void sac_captioner_stack_learn(sac_captioner *c, const sac_captioner_stack_training *s,
                               const sac_caption_batch *batch, const sac_caption_lesson *lesson,
                               int *wanted, sac_tensor features, sac_tensor dfeatures)
{
    sac_pass *pass = &c->base.pass;
    const sac_stack *stack = &c->weights.stack;
    const sac_stack_noise noise = {lesson->dropout, batch->seed};
    const sac_stack_memory memory = {.rows = features, .gradient = dfeatures};
    size_t own = take_sentences(s, batch, wanted);
    size_t words = batch->whole.samples ? batch->whole.words : own;
    sac_stack_upload(pass, stack, &(sac_stack_words){s->inputs, s->padding, NULL}, &s->words);
    sac_pass_write_ints(pass, s->targets, wanted);
    sac_tensor z = sac_stack_forward(pass, stack, &noise, &s->words, &memory);
    sac_stack_logits(pass, stack, s->logits, z);
    sac_smoothed_word_loss(pass, s->losses, s->logits, s->targets, 1 / (float)words,
                           lesson->smoothing);
    sac_stack_logits_backward(pass, stack, s->d, s->logits, z);
    sac_pass_fill(pass, dfeatures, 0);
    sac_stack_backward(pass, stack, &noise, &s->words, &memory, s->d, &s->gradients);
}
