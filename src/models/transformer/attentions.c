/* The sentence that was read and its translation go through the model once more, all words at
 * once; the weights are computed from the queries and keys that each layer leaves. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "models/stack.h"
#include "transformer/attentions.h"
#include "transformer/decode.h"
#include "translation/sentence_batches.h"
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
    if (allocate_trial(&a))
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

/* ---------------------------------------------------------------- attentions */

/* One sentence on its way. */
typedef struct inference {
    sac_transformer *t;
    sac_arena arena;
    sac_stack_tensors source, target;
    size_t S, T;
} inference;

/* ---------------------------------------------------------------- forward */

static void read_layer(inference *p, const sac_multihead_tensors *tensors, bool causal,
                       sac_attention_kind *kind, size_t layer)
{
    const sac_head_view view = {.queries = kind->steps,
                                .keys = kind->positions,
                                .width = (size_t)p->t->sizes.width,
                                .heads = kind->heads,
                                .causal = causal};
    sac_heads_read(&p->t->base.pass, tensors, &view,
                   kind->weights + layer * kind->heads * kind->steps * kind->positions);
}

/* ---------------------------------------------------------------- memory and names */

static sac_status allocate(const inference *p, sac_attentions *a, sac_error *error)
{
    const size_t sizes[SAC_ATTENTION_KINDS][2] = {[SAC_ENCODER_ATTENTION] = {p->S, p->S},
                                                  [SAC_DECODER_ATTENTION] = {p->T, p->T},
                                                  [SAC_CROSS_ATTENTION] = {p->T, p->S}};
    sac_status status = SAC_OK;
    for (int k = 0; k < SAC_ATTENTION_KINDS && status == SAC_OK; k++)
        status = sac_attentions_add(a, k, (size_t)p->t->sizes.layers, (size_t)p->t->sizes.heads,
                                    sizes[k][0], sizes[k][1], error);
    return status;
}

static sac_status name_words(const sac_word_list *list, const int *words, size_t count,
                             sac_labels *labels, sac_error *error)
{
    const char *text[SAC_TRANSFORMER_PLACES];
    for (size_t i = 0; i < count; i++)
        text[i] = words[i] == SAC_TOKEN_START ? "start" : list->words[words[i]];
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, text);
    return sac_labels_from_array(&array, labels, error);
}

/* ---------------------------------------------------------------- all of it */

static sac_status compute(inference *p, const int *source, const int *words, sac_attentions *a,
                          sac_error *error)
{
    int inputs[SAC_TRANSFORMER_PLACES] = {SAC_TOKEN_START};
    sac_status status = allocate(p, a, error);
    if (status != SAC_OK)
        return status;
    memcpy(inputs + 1, words, (p->T - 1) * sizeof *words);
    static const uint8_t padding[SAC_TRANSFORMER_PLACES];
    const sac_stack_noise quiet = {0};
    sac_pass *pass = &p->t->base.pass;
    sac_transformer_shape(p->t, &p->arena, 1, p->S, p->T, &p->source, &p->target);
    sac_stack_upload(pass, &p->t->weights.encoder, &(sac_stack_words){source, padding, NULL},
                     &p->source);
    sac_stack_upload(pass, &p->t->weights.decoder, &(sac_stack_words){inputs, padding, NULL},
                     &p->target);
    sac_tensor memory = sac_transformer_encode(p->t, &quiet, &p->source);
    sac_transformer_decode(p->t, &quiet, &p->target, &p->source, memory);
    for (int i = 0; i < p->t->sizes.layers; i++) {
        const sac_transformer_tensors *read = &p->source.layer[i], *target = &p->target.layer[i];
        const sac_multihead_tensors *of_kind[] = {&read->attention[SAC_PART_SELF],
                                                  &target->attention[SAC_PART_SELF],
                                                  &target->attention[SAC_PART_CROSS]};
        for (int k = 0; k < SAC_ATTENTION_KINDS; k++)
            read_layer(p, of_kind[k], k == SAC_DECODER_ATTENTION, &a->kind[k], (size_t)i);
    }
    status = sac_pass_end(&p->t->base.pass, error);
    for (int k = 0; k < SAC_ATTENTION_KINDS && status == SAC_OK; k++) {
        sac_attention_kind *kind = &a->kind[k];
        bool is_source = k == SAC_ENCODER_ATTENTION, looks_back = k == SAC_DECODER_ATTENTION;
        status = name_words(is_source ? &p->t->english : &p->t->french, is_source ? source : words,
                            kind->steps, &kind->step_labels, error);
        if (status == SAC_OK)
            status = name_words(looks_back ? &p->t->french : &p->t->english,
                                looks_back ? inputs : source, kind->positions,
                                &kind->position_labels, error);
    }
    /* The scores of align.h belong to the heads that attend to the sentence. */
    if (status != SAC_OK)
        return status;
    sac_attention_kind *cross = &a->kind[SAC_CROSS_ATTENTION];
    cross->alignment = malloc(cross->layers * cross->heads * sizeof *cross->alignment);
    if (!cross->alignment)
        return sac_no_memory(error, "transformer");
    for (size_t i = 0; i < cross->layers; i++)
        memcpy(cross->alignment + i * cross->heads, p->t->aligner.score[i],
               cross->heads * sizeof *cross->alignment);
    return SAC_OK;
}

sac_status sac_transformer_attentions(sac_model *model, const int *words, int count,
                                      sac_attentions *a, sac_error *error)
{
    sac_transformer *t = (sac_transformer *)model;
    int read = 0;
    const int *source = sac_transformer_source(t, &read);
    inference p = {.t = t, .S = (size_t)read, .T = (size_t)count};
    *a = (sac_attentions){0};
    if (count < 1 || count > SAC_TRANSLATION_WORDS)
        return sac_fail(error, SAC_E_ARGUMENT, "transformer", NULL,
                        "there are weights of 1 to %d words, not of %d", SAC_TRANSLATION_WORDS,
                        count);
    sac_status status = compute(&p, source, words, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    sac_arena_release(&p.arena);
    return status;
}
