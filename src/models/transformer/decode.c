/* A sentence is read once, and translated as often as one likes. */
#include "transformer/decode.h"
#include "translation/sentence_batches.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "models/stack.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- alignment */

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

static bool allocate_trial(trial *a)
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

/* How many words of sentence `b` have a right word as their heaviest source word. Where it is not known which are
 * right: the sum over its source words of the most that any word looked at them, which is large for a head
 * that goes through the sentence, and small for one that always looks at the same place. */
static double score_sentence(trial *a, size_t b, size_t head)
{
    double right = 0;
    size_t width = (size_t)a->t->sizes.width;
    sac_head_view view = {.query = a->query + b * a->T * width,
                          .key = a->key + b * a->S * width,
                          .queries = a->T,
                          .keys = a->S,
                          .width = width,
                          .heads = (size_t)a->t->sizes.heads,
                          .hidden = a->source_padding + b * a->S,
                          .normalizer = a->t->sizes.normalizer};
    sac_head_weights(&view, head, a->weights);
    for (size_t t = 0; a->batch->links && t < a->T; t++) {
        const float *row = a->weights + t * a->S;
        size_t best = 0;
        for (size_t i = 1; i < a->S; i++)
            best = row[i] > row[best] ? i : best;
        right += a->batch->links[(b * a->T + t) * a->S + best] > 0;
    }
    for (size_t i = 0; !a->batch->links && i < a->S; i++) {
        float most = 0;
        for (int t = 0; t + 1 < a->batch->lengths[b]; t++) /* not of the end */
            most = fmaxf(most, a->weights[(size_t)t * a->S + i]);
        right += (double)most;
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
        double right = 0;
        for (size_t b = 0; b < a->B; b++)
            right += score_sentence(a, b, (size_t)head);
        float score = words ? (float)(right / (double)words) : 0;
        t->aligner.score[layer][head] = score;
        if (score > t->aligner.score[t->aligner.layer][t->aligner.head]) {
            t->aligner.layer = layer;
            t->aligner.head = head;
        }
    }
}

static void score_all_heads(trial *a)
{
    sac_transformer *t = a->t;
    size_t words = 0;
    for (size_t i = 0; i < a->B * a->T; i++)
        words += a->batch->linked[i] >= 0;
    for (size_t b = 0; !a->batch->links && b < a->B; b++)
        words += (size_t)a->batch->source.lengths[b];
    t->aligner.layer = t->aligner.head = 0;
    const sac_stack_noise quiet = {0};
    sac_transformer_transpose_batch(a->batch, a->source_words, a->source_padding, a->words,
                                    a->padding);
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

/* Scores every head of the decoder's attention over the sentence, unless that is known since the
 * model last learned: the share of words whose heaviest source word is a right one, on sentences of
 * the training stream; of a person's own languages, how far it goes through the sentences that the model
 * keeps. The best becomes t->aligner. */
static sac_status find_aligner(sac_transformer *t, sac_error *error)
{
    sac_batch_maker maker;
    if (t->aligner.is_known)
        return SAC_OK;
    sac_pairs examples = {0};
    sac_status status = SAC_OK;
    if (t->translating.languages) {
        status = sac_pairs_open_examples(t->translating.languages, &examples, error);
        if (status == SAC_OK)
            status = sac_pair_batches(&examples, examples.count, (sac_batch_share){0}, SEED, &maker,
                                      error);
    } else
        status = sac_sentence_batches(SENTENCES, (sac_batch_share){0}, SEED, &maker, error);
    if (status != SAC_OK) {
        sac_pairs_free(&examples);
        return status;
    }
    const sac_sentence_batch *batch = maker.make(maker.self, 0, 0, error);
    trial a = {.t = t,
               .batch = batch,
               .B = batch->source.batch,
               .S = batch->source.steps,
               .T = batch->steps};
    if (allocate_trial(&a))
        score_all_heads(&a);
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
    sac_pairs_free(&examples);
    return status;
}

/* ---------------------------------------------------------------- decoding */

enum { ROWS = SAC_BEAM_WIDTH, SOURCE = SAC_TRANSFORMER_SOURCE, WORDS = SAC_TRANSLATION_WORDS };

typedef struct sac_transformer_decoding {
    sac_arena arena;
    sac_stack_tensors source; /* of the sentence */
    sac_stack_decoding words; /* of its translations */
    int target[SOURCE];       /* the sentence on the host … */
    int count;                /* … and its words */
    float *query, *key;       /* [R,D], [S,D], host: of the layer whose weights are read */
} decoding;

/* ---------------------------------------------------------------- memory */

void sac_transformer_decoding_destroy(decoding *d)
{
    if (!d)
        return;
    sac_arena_release(&d->arena);
    free(d->query);
    free(d->key);
    free(d);
}

static sac_status allocate_decoding(sac_transformer *t, sac_error *error)
{
    if (t->decoding)
        return SAC_OK;
    size_t width = (size_t)t->sizes.width;
    decoding *d = t->decoding = calloc(1, sizeof *d);
    if (d) {
        d->query = calloc(ROWS * width, sizeof *d->query);
        d->key = calloc(SOURCE * width, sizeof *d->key);
    }
    if (!d || !d->query || !d->key)
        return sac_no_memory(error, "transformer");
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, &d->arena, &t->weights.encoder, 1, SOURCE, 0, 0, &d->source);
    sac_stack_decoding_shape(pass, &d->arena, &t->weights.decoder, SOURCE, WORDS, &d->words);
    sac_status status = sac_pass_end(pass, error);
    if (status != SAC_OK) {
        sac_transformer_decoding_destroy(d);
        t->decoding = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- reading */

sac_status sac_transformer_read(sac_model *model, const int *words, int count, sac_error *error)
{
    sac_transformer *t = (sac_transformer *)model;
    static const uint8_t padding[SOURCE];
    const sac_stack_noise quiet = {0};
    assert(count > 0 && count <= SOURCE);
    sac_status status = allocate_decoding(t, error);
    if (status == SAC_OK)
        status = find_aligner(t, error);
    if (status != SAC_OK)
        return status;
    decoding *d = t->decoding;
    memcpy(d->target, words, (size_t)count * sizeof *words);
    d->count = count;
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, &d->arena, &t->weights.encoder, 1, (size_t)count, 0, 0, &d->source);
    sac_stack_upload(pass, &t->weights.encoder, &(sac_stack_words){words, padding, NULL},
                     &d->source);
    sac_stack_decoding_begin(pass, &t->weights.decoder,
                             sac_transformer_encode(t, &quiet, &d->source), &d->words);
    sac_pass_read(pass, d->words.memory_key[t->aligner.layer], d->key);
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- one word of all translations */

sac_status sac_transformer_step(void *self, const sac_beam *beam, const sac_result_request *request,
                                const sac_step_result *result, sac_error *error)
{
    sac_transformer *t = self;
    sac_pass *pass = &t->base.pass;
    decoding *d = t->decoding;
    assert(d); /* it has read */
    sac_head_view head = {
        .query = d->query,
        .key = d->key,
        .queries = (size_t)beam->rows,
        .keys = (size_t)d->count,
        .width = (size_t)t->sizes.width,
        .heads = (size_t)t->sizes.heads,
        .hidden = request->hidden,
        .temperature = request->temperature,
        .normalizer = sac_result_normalizer(request, t->sizes.normalizer),
    };
    sac_stack_decoding_step(pass, &t->weights.decoder, beam, request, &d->words, result->logits);
    /* The weights of the head that aligns. */
    sac_pass_read(pass, d->words.step.layer[t->aligner.layer].attention[SAC_PART_CROSS].query,
                  d->query);
    if (sac_pass_runs(pass))
        sac_head_weights(&head, (size_t)t->aligner.head, result->weights);
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- generation */

const int *sac_transformer_source(const sac_transformer *t, int *count)
{
    assert(t->decoding); /* it has read */
    *count = t->decoding->count;
    return t->decoding->target;
}

sac_sequence sac_transformer_start(const void *self)
{
    const sac_transformer *t = self;
    return (sac_sequence){.tokens = {.vocabulary = t->sizes.target_words,
                                     .length = WORDS,
                                     .pad = SAC_TOKEN_PAD,
                                     .start = SAC_TOKEN_START,
                                     .end = SAC_TOKEN_END},
                          .grid_w = t->decoding->count,
                          .grid_h = 1};
}

const char *sac_transformer_position(const void *self, int index)
{
    const sac_transformer *t = self;
    return sac_translating_word(&t->translating, SAC_SOURCE_SIDE, t->decoding->target[index]);
}
