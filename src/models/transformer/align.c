/* Heads are scored on one batch of true translations, whose words are all given. */
#include "transformer/align.h"

#include <stdlib.h>

#include "base/error.h"
#include "models/heads.h"
#include "translation/sentence_batches.h"

enum { SENTENCES = 24, SEED = 4711 };

/* The sentences on their way through the model, all words given (teacher forcing). */
typedef struct trial {
    sac_transformer *t;
    const sac_sentence_batch *batch;
    size_t B, S, T;
    sac_arena arena;
    sac_stack_tensors source, target;
    int *source_words, *words; /* host: [B,S], [B,T] */
    uint8_t *source_padding, *padding;
    float *query, *key, *weights; /* [B·T,D], [B·S,D], [T,S] */
} trial;

static bool allocate(trial *a)
{
    size_t width = (size_t)a->t->sizes.width;
    a->source_words = calloc(a->B * a->S, sizeof *a->source_words);
    a->source_padding = calloc(a->B * a->S, sizeof *a->source_padding);
    a->words = calloc(a->B * a->T, sizeof *a->words);
    a->padding = calloc(a->B * a->T, sizeof *a->padding);
    a->query = calloc(a->B * a->T * width, sizeof *a->query);
    a->key = calloc(a->B * a->S * width, sizeof *a->key);
    a->weights = calloc(a->T * a->S, sizeof *a->weights);
    return a->source_words && a->source_padding && a->words && a->padding && a->query && a->key &&
           a->weights;
}

/* How many words of sentence `b` have a right word as their heaviest source word. */
static size_t count_right(trial *a, size_t b, size_t head)
{
    size_t right = 0, width = (size_t)a->t->sizes.width;
    sac_head_view view = {.query = a->query + b * a->T * width,
                          .key = a->key + b * a->S * width,
                          .queries = a->T,
                          .keys = a->S,
                          .width = width,
                          .heads = (size_t)a->t->sizes.heads,
                          .hidden = a->source_padding + b * a->S};
    sac_head_weights(&view, head, a->weights);
    for (size_t t = 0; t < a->T; t++) {
        const float *row = a->weights + t * a->S;
        size_t best = 0;
        for (size_t i = 1; i < a->S; i++)
            best = row[i] > row[best] ? i : best;
        right += a->batch->links[(b * a->T + t) * a->S + best] > 0;
    }
    return right;
}

static void score_layer(trial *a, int layer, size_t words)
{
    sac_transformer *t = a->t;
    const sac_multihead_tensors *cross = &a->target.layer[layer].attention[SAC_PART_CROSS];
    sac_pass_read(&t->base.pass, cross->query, a->query);
    sac_pass_read(&t->base.pass, cross->key, a->key);
    for (int head = 0; head < t->sizes.heads && sac_pass_runs(&t->base.pass); head++) {
        size_t right = 0;
        for (size_t b = 0; b < a->B; b++)
            right += count_right(a, b, (size_t)head);
        float score = words ? (float)right / (float)words : 0;
        t->aligner.score[layer][head] = score;
        if (score > t->aligner.score[t->aligner.layer][t->aligner.head]) {
            t->aligner.layer = layer;
            t->aligner.head = head;
        }
    }
}

static void score_all(trial *a)
{
    sac_transformer *t = a->t;
    size_t words = 0;
    for (size_t i = 0; i < a->B * a->T; i++)
        words += a->batch->linked[i] >= 0;
    t->aligner.layer = t->aligner.head = 0;
    const sac_stack_noise quiet = {0};
    sac_transformer_take_batch(a->batch, a->source_words, a->source_padding, a->words, a->padding);
    sac_transformer_shape(t, &a->arena, a->B, a->S, a->T, &a->source, &a->target);
    sac_stack_upload(&t->base.pass, &t->weights.encoder,
                     &(sac_stack_words){a->source_words, a->source_padding, NULL}, &a->source);
    sac_stack_upload(&t->base.pass, &t->weights.decoder,
                     &(sac_stack_words){a->words, a->padding, NULL}, &a->target);
    sac_tensor memory = sac_transformer_encode(t, &quiet, &a->source);
    sac_transformer_decode(t, &quiet, &a->target, &a->source, memory);
    for (int layer = 0; layer < t->sizes.layers; layer++)
        score_layer(a, layer, words);
}

sac_status sac_transformer_find_aligner(sac_transformer *t, sac_error *error)
{
    sac_batch_maker maker;
    if (t->aligner.is_known)
        return SAC_OK;
    sac_status status = sac_sentence_batches(SENTENCES, (sac_batch_share){0}, SEED, &maker, error);
    if (status != SAC_OK)
        return status;
    const sac_sentence_batch *batch = maker.make(maker.self, 0, 0, error);
    trial a = {.t = t,
               .batch = batch,
               .B = batch->source.batch,
               .S = batch->source.steps,
               .T = batch->steps};
    if (allocate(&a))
        score_all(&a);
    else
        status = sac_no_memory(error, "transformer");
    if (status == SAC_OK)
        status = sac_pass_end(&t->base.pass, error);
    t->aligner.is_known = status == SAC_OK;
    void *const host[] = {a.source_words, a.source_padding, a.words, a.padding, a.query,
                          a.key,          a.weights};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        free(host[i]);
    sac_arena_release(&a.arena);
    maker.destroy(maker.self);
    return status;
}
