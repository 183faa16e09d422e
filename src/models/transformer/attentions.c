/* The sentence that was read and its translation go through the model once more, all words at
 * once; the weights are computed from the queries and keys that each layer leaves. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "models/stack.h"
#include "transformer/decode.h"
#include "transformer/transformer.h"
#include "translation/sentence_batches.h"
#include "translation/translation.h"

/* One sentence on its way. */
typedef struct inference {
    sac_transformer *t;
    sac_arena arena;
    sac_stack_tensors source, target;
    size_t S, T;
} inference;

/* ---------------------------------------------------------------- forward */

static void read_layer(inference *p, const sac_multihead_tensors *tensors, bool causal,
                       sac_normalizer normalizer, sac_attention_kind *kind, size_t layer)
{
    const sac_head_view view = {.queries = kind->steps,
                                .keys = kind->positions,
                                .width = (size_t)p->t->sizes.width,
                                .heads = kind->heads,
                                .causal = causal,
                                .normalizer = normalizer};
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

static sac_status make_word_labels(const sac_translating *translating, int side, const int *words,
                                   size_t count, sac_labels *labels, sac_error *error)
{
    const char *text[SAC_TRANSFORMER_PLACES];
    for (size_t i = 0; i < count; i++)
        text[i] = words[i] == SAC_TOKEN_START ? "start"
                                              : sac_translating_word(translating, side, words[i]);
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
            read_layer(p, of_kind[k], k == SAC_DECODER_ATTENTION,
                       k == SAC_CROSS_ATTENTION ? p->t->sizes.normalizer : SAC_NORMALIZER_SOFTMAX,
                       &a->kind[k], (size_t)i);
    }
    status = sac_pass_end(&p->t->base.pass, error);
    for (int k = 0; k < SAC_ATTENTION_KINDS && status == SAC_OK; k++) {
        sac_attention_kind *kind = &a->kind[k];
        bool is_source = k == SAC_ENCODER_ATTENTION, looks_back = k == SAC_DECODER_ATTENTION;
        status =
            make_word_labels(&p->t->translating, is_source ? SAC_SOURCE_SIDE : SAC_TARGET_SIDE,
                             is_source ? source : words, kind->steps, &kind->step_labels, error);
        if (status == SAC_OK)
            status = make_word_labels(
                &p->t->translating, looks_back ? SAC_TARGET_SIDE : SAC_SOURCE_SIDE,
                looks_back ? inputs : source, kind->positions, &kind->position_labels, error);
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
