/* One batch, forward and backward. All words of all sentences go through a layer at once, so a step
 * is a few large matrix products. */
#include "transformer/learn.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "nn/training.h"

/* What a batch leaves on its way forward, the gradients of it, and what is uploaded. Memory is that
 * of the largest batch so far. */
typedef struct sac_transformer_training {
    sac_arena arena;
    size_t source_rows, rows, batch; /* that there is memory for */
    sac_stack_tensors source, target;
    sac_ints targets;          /* [B,T] */
    sac_tensor logits, losses; /* [B·T,V], [B·T] */
    sac_tensor dmemory, d;     /* [B·S,D], [B·T,D] */
    sac_transformer_gradients gradients;
    int *source_words, *words, *wanted, *offsets; /* host: [B,S], [B,T], [B,T], [B] */
    uint8_t *source_padding, *padding;
    float *loss; /* [B·T] */
} training;

/* A batch on its way. */
typedef struct learning {
    sac_transformer *t;
    sac_pass *pass;
    training *a;
    const sac_sentence_batch *batch;
    const sac_transformer_lesson *lesson;
    sac_stack_noise noise;
    size_t B, S, T, words;
} learning;

/* ---------------------------------------------------------------- memory */

void sac_transformer_training_destroy(training *a)
{
    if (!a)
        return;
    void *const host[] = {a->source_words,   a->words,   a->wanted, a->offsets,
                          a->source_padding, a->padding, a->loss};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        free(host[i]);
    sac_arena_release(&a->arena);
    free(a);
}

static void shape(sac_transformer *t, training *a, size_t batch, size_t source_steps, size_t steps)
{
    sac_pass *pass = &t->base.pass;
    size_t width = (size_t)t->sizes.width, rows = batch * steps;
    size_t longer = source_steps > steps ? source_steps : steps;
    sac_transformer_shape(t, &a->arena, batch, source_steps, steps, &a->source, &a->target);
    sac_stack_shape_gradients(pass, &a->arena, &t->weights.decoder, batch, longer, batch,
                              source_steps, &a->gradients);
    sac_arena_shape_ints(&a->arena, pass, &a->targets, rows);
    sac_arena_shape(&a->arena, pass, &a->logits, rows, (size_t)t->sizes.target_words);
    sac_arena_shape(&a->arena, pass, &a->losses, rows, 1);
    sac_arena_shape(&a->arena, pass, &a->dmemory, batch * source_steps, width);
    sac_arena_shape(&a->arena, pass, &a->d, rows, width);
}

static bool allocate(training *a)
{
    a->source_words = calloc(a->source_rows, sizeof *a->source_words);
    a->source_padding = calloc(a->source_rows, sizeof *a->source_padding);
    a->words = calloc(a->rows, sizeof *a->words);
    a->padding = calloc(a->rows, sizeof *a->padding);
    a->wanted = calloc(a->rows, sizeof *a->wanted);
    a->offsets = calloc(a->batch, sizeof *a->offsets);
    a->loss = calloc(a->rows, sizeof *a->loss);
    return a->source_words && a->source_padding && a->words && a->padding && a->wanted &&
           a->offsets && a->loss;
}

static sac_status create(sac_transformer *t, size_t batch, size_t source_steps, size_t steps,
                         sac_error *error)
{
    training *a = t->training = calloc(1, sizeof *a);
    if (a) {
        a->batch = batch;
        a->source_rows = batch * source_steps;
        a->rows = batch * steps;
    }
    if (!a || !allocate(a))
        return sac_fail(error, SAC_E_MEMORY, "training", "take a smaller --batch", "out of memory");
    shape(t, a, batch, source_steps, steps);
    return sac_pass_end(&t->base.pass, error);
}

static sac_status prepare_batch_memory(sac_transformer *t, const sac_sentence_batch *batch,
                                       sac_error *error)
{
    training *a = t->training;
    size_t size = batch->source.batch, source_steps = batch->source.steps, steps = batch->steps;
    sac_status status = SAC_OK;
    if (!a || a->batch < size || a->source_rows < size * source_steps || a->rows < size * steps) {
        size_t most = sac_larger(size, a ? a->batch : 0);
        size_t longest_source = sac_larger(source_steps, a ? a->source.steps : 0);
        size_t longest = sac_larger(steps, a ? a->target.steps : 0);
        sac_transformer_training_destroy(a);
        status = create(t, most, longest_source, longest, error);
    }
    if (status == SAC_OK) {
        shape(t, t->training, size, source_steps, steps);
    } else {
        sac_transformer_training_destroy(t->training);
        t->training = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- words */

static void copy_sentences(learning *l)
{
    training *a = l->a;
    sac_transformer_transpose_batch(l->batch, a->source_words, a->source_padding, a->words,
                                    a->padding);
    for (size_t b = 0; b < l->B; b++)
        for (size_t t = 0; t < l->T; t++) {
            a->wanted[b * l->T + t] = l->batch->targets[t * l->B + b];
            l->words += a->wanted[b * l->T + t] >= 0;
        }
    if (l->batch->whole.samples)
        l->words = l->batch->whole.words;
}

/* ---------------------------------------------------------------- backward */

static void backward(learning *l, sac_tensor rows, sac_tensor z)
{
    training *a = l->a;
    const sac_transformer_weights *w = &l->t->weights;
    sac_stack_memory memory = sac_transformer_memory(&a->source, rows);
    memory.gradient = a->dmemory;
    sac_stack_logits_backward(l->pass, &w->decoder, a->d, a->logits, z);
    sac_pass_fill(l->pass, a->dmemory, 0);
    sac_stack_backward(l->pass, &w->decoder, &l->noise, &a->target, &memory, a->d, &a->gradients);
    sac_stack_backward(l->pass, &w->encoder, &l->noise, &a->source, &(sac_stack_memory){0},
                       a->dmemory, &a->gradients);
}

/* ---------------------------------------------------------------- */

sac_status sac_transformer_learn(sac_transformer *t, const sac_sentence_batch *batch,
                                 const sac_transformer_lesson *lesson, float *loss,
                                 sac_error *error)
{
    sac_status status = prepare_batch_memory(t, batch, error);
    if (status != SAC_OK)
        return status;
    t->aligner.is_known = false;
    learning l = {
        .t = t,
        .pass = &t->base.pass,
        .a = t->training,
        .batch = batch,
        .lesson = lesson,
        .noise = {lesson->dropout, batch->number},
        .B = batch->source.batch,
        .S = batch->source.steps,
        .T = batch->steps,
    };
    training *a = l.a;
    copy_sentences(&l);
    /* A sentence and its translation begin at the same place, anywhere in the table. */
    uint32_t room = (uint32_t)(SAC_TRANSFORMER_PLACES - sac_larger(l.S, l.T)) + 1;
    for (size_t b = 0; b < l.B; b++) {
        uint32_t place = (uint32_t)sac_batch_share_place(batch->share, b);
        l.a->offsets[b] =
            l.lesson->shifts ? (int)(sac_philox(place, (uint32_t)batch->number, 1) % room) : 0;
    }
    sac_stack_upload(l.pass, &t->weights.encoder,
                     &(sac_stack_words){a->source_words, a->source_padding, a->offsets},
                     &a->source);
    sac_stack_upload(l.pass, &t->weights.decoder,
                     &(sac_stack_words){a->words, a->padding, a->offsets}, &a->target);
    sac_pass_write_ints(l.pass, a->targets, a->wanted);
    sac_tensor memory = sac_transformer_encode(t, &l.noise, &l.a->source);
    sac_tensor z = sac_transformer_decode(t, &l.noise, &l.a->target, &l.a->source, memory);
    sac_stack_logits(l.pass, &t->weights.decoder, a->logits, z);
    sac_smoothed_word_loss(l.pass, l.a->losses, l.a->logits, l.a->targets, 1 / (float)l.words,
                           lesson->smoothing);
    backward(&l, memory, z);
    double all = 0;
    sac_pass_read(l.pass, l.a->losses, l.a->loss);
    for (size_t i = 0; i < l.B * l.T; i++)
        all += l.a->loss[i];
    *loss = (float)all;
    return sac_pass_end(l.pass, error);
}
