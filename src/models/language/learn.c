/* Batches of a text, learning from one, and the loss of what is held out. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "language/language.h"
#include "nn/training.h"

/* ---------------------------------------------------------------- batches */

typedef struct contexts {
    const sac_gpt *language;
    size_t size, all; /* sequences of this share, and of the whole batch */
    uint32_t seed;
    sac_batch_share share;
    int *words[SAC_BATCH_SLOTS], *targets[SAC_BATCH_SLOTS];
    sac_gpt_batch batch[SAC_BATCH_SLOTS];
} contexts;

static const void *make(void *self, size_t number, int slot, sac_error *error)
{
    contexts *c = self;
    const sac_gpt *l = c->language;
    const size_t T = (size_t)l->sizes.context;
    (void)error;
    for (size_t i = 0; i < c->size; i++) {
        const uint32_t place = (uint32_t)sac_batch_share_place(c->share, i);
        const size_t at = sac_philox(place, (uint32_t)number, c->seed) % (l->learnt - T);
        memcpy(c->words[slot] + i * T, l->text + at, T * sizeof *l->text);
        memcpy(c->targets[slot] + i * T, l->text + at + 1, T * sizeof *l->text);
    }
    c->batch[slot] = (sac_gpt_batch){.number = number,
                                     .batch = c->size,
                                     .steps = T,
                                     .whole = c->all,
                                     .words = c->words[slot],
                                     .targets = c->targets[slot]};
    return &c->batch[slot];
}

static void destroy(void *self)
{
    contexts *c = self;
    for (int i = 0; c && i < SAC_BATCH_SLOTS; i++) {
        free(c->words[i]);
        free(c->targets[i]);
    }
    free(c);
}

sac_status sac_gpt_batches(const sac_model *model, const sac_model_values *values, size_t size,
                           uint32_t seed, sac_batch_maker *maker, sac_error *error)
{
    const sac_gpt *l = (const sac_gpt *)model;
    const size_t own = sac_batch_share_size(model->share, size);
    sac_status status = sac_gpt_check_memory(l, own * (size_t)l->sizes.context, error);
    if (status != SAC_OK)
        return status;
    contexts *c = calloc(1, sizeof *c);
    bool made = c != NULL;
    (void)values;
    if (made)
        *c = (contexts){
            .language = l, .size = own, .all = size, .seed = seed, .share = model->share};
    for (int i = 0; i < SAC_BATCH_SLOTS && made; i++) {
        const size_t count = c->size * (size_t)l->sizes.context;
        c->words[i] = calloc(count, sizeof *c->words[i]);
        c->targets[i] = calloc(count, sizeof *c->targets[i]);
        made = c->words[i] && c->targets[i];
    }
    if (!made) {
        destroy(c);
        return sac_no_memory(error, "training");
    }
    *maker = (sac_batch_maker){c, make, destroy};
    return SAC_OK;
}

/* ---------------------------------------------------------------- memory */

typedef struct sac_gpt_training {
    sac_arena arena;
    size_t batch; /* sequences of a context that there is memory for */
    sac_gpt_tensors t;
    sac_ints targets;     /* [B·T] */
    sac_tensor losses, d; /* [B·T], [B·T,D] */
    sac_transformer_gradients gradients;
    float *loss; /* host: [B·T] */
} training;

void sac_gpt_training_destroy(training *a)
{
    if (!a)
        return;
    free(a->loss);
    sac_arena_release(&a->arena);
    free(a);
}

/* Of `batch` whole contexts. */
static void shape(sac_gpt *l, training *a, size_t batch)
{
    sac_pass *pass = &l->base.pass;
    const size_t T = (size_t)l->sizes.context, rows = batch * T;
    sac_gpt_shape(l, &a->arena, batch, T, &a->t);
    const sac_transformer_run run = sac_gpt_run(l, &a->t, 0, 0, 0);
    sac_transformer_layer_shape_gradients(pass, &a->arena, &l->weights.layer[0], &run, T, 0,
                                          &a->gradients);
    sac_arena_shape_ints(&a->arena, pass, &a->targets, rows);
    sac_arena_shape(&a->arena, pass, &a->losses, rows, 1);
    sac_arena_shape(&a->arena, pass, &a->d, rows, (size_t)l->sizes.width);
    sac_gpt_place(l, &a->t, 0);
}

static sac_status prepare_memory(sac_gpt *l, size_t batch, sac_error *error)
{
    training *a = l->training;
    if (!a || a->batch < batch) {
        sac_gpt_training_destroy(a);
        a = l->training = calloc(1, sizeof *a);
        if (a && !(a->loss = calloc(batch * (size_t)l->sizes.context, sizeof *a->loss))) {
            sac_gpt_training_destroy(a);
            a = l->training = NULL;
        }
        if (!a)
            return sac_no_memory(error, "training");
        a->batch = batch;
    }
    shape(l, a, batch);
    return sac_pass_end(&l->base.pass, error);
}

/* ---------------------------------------------------------------- learning */

/* Sum of the losses of `batch` contexts, each times `scale`; the logits become their gradient. */
static float run_forward(sac_gpt *l, const int *words, const int *targets, float dropout,
                         uint64_t seed, float scale)
{
    training *a = l->training;
    sac_pass *pass = &l->base.pass;
    sac_pass_write_ints(pass, a->t.words, words);
    sac_pass_write_ints(pass, a->targets, targets);
    sac_gpt_forward(l, dropout, seed, &a->t);
    sac_word_loss(pass, a->losses, a->t.logits, a->targets, scale);
    sac_pass_read(pass, a->losses, a->loss);
    return sac_loss_sum(a->loss, a->t.batch * a->t.steps);
}

sac_status sac_gpt_learn(sac_gpt *l, const sac_gpt_batch *batch, float dropout, float *loss,
                         sac_error *error)
{
    sac_status status = prepare_memory(l, batch->batch, error);
    if (status != SAC_OK)
        return status;
    training *a = l->training;
    const float scale = 1 / (float)(batch->whole * batch->steps);
    *loss = run_forward(l, batch->words, batch->targets, dropout, batch->number, scale);
    sac_gpt_backward(l, dropout, batch->number, &a->t, a->d, &a->gradients);
    return sac_pass_end(&l->base.pass, error);
}

sac_status sac_gpt_loss(sac_gpt *l, const int *words, const int *targets, size_t batch, double *sum,
                        sac_error *error)
{
    sac_status status = prepare_memory(l, batch, error);
    *sum = status == SAC_OK ? (double)run_forward(l, words, targets, 0, 0, 1) : 0;
    return status == SAC_OK ? sac_pass_end(&l->base.pass, error) : status;
}

sac_status sac_gpt_judge(sac_gpt *l, double *loss, sac_error *error)
{
    enum { JUDGED = 16384, TOGETHER = 8 };
    const size_t T = (size_t)l->sizes.context, held = (l->count - l->learnt - 1) / T;
    const size_t most = JUDGED / T ? JUDGED / T : 1, count = held < most ? held : most;
    const size_t room = l->training ? l->training->batch : TOGETHER;
    int *words = malloc(2 * room * T * sizeof *words), *targets = words ? words + room * T : NULL;
    double sum = 0, some;
    sac_status status = words ? SAC_OK : sac_no_memory(error, "training");
    for (size_t i = 0, together; i < count && status == SAC_OK; i += together) {
        together = count - i < room ? count - i : room;
        for (size_t k = 0; k < together; k++) {
            const int *from = l->text + l->learnt + (i + k) * held / count * T;
            memcpy(words + k * T, from, T * sizeof *from);
            memcpy(targets + k * T, from + 1, T * sizeof *from);
        }
        status = sac_gpt_loss(l, words, targets, together, &some, error);
        sum += some;
    }
    free(words);
    *loss = sum / (double)(count * T);
    return status;
}
