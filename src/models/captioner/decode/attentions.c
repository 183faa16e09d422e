/* A caption goes through a decoder of layers once more, all words at once; the weights are computed
 * from the queries and keys that each layer leaves. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"
#include "models/heads.h"

static void read_layer(sac_captioner *c, const sac_multihead_tensors *tensors, bool causal,
                       sac_attention_kind *kind, size_t layer)
{
    const sac_head_view view = {.queries = kind->steps,
                                .keys = kind->positions,
                                .width = (size_t)c->depth,
                                .heads = kind->heads,
                                .causal = causal};
    sac_heads_read(&c->base.pass, tensors, &view,
                   kind->weights + layer * kind->heads * kind->steps * kind->positions);
}

/* Each word comes after those before it. */
static sac_status run(sac_captioner *c, const int *caption_ids, size_t T, sac_attentions *a,
                      sac_error *error)
{
    const uint8_t padding[SAC_MAX_TOKENS] = {0};
    int inputs[SAC_MAX_TOKENS] = {SAC_WORD_START};
    sac_pass *pass = &c->base.pass;
    sac_arena arena = {0};
    sac_stack_tensors words = {0};
    const sac_stack *stack = &c->weights.stack;
    const sac_stack_noise quiet = {0};
    const sac_stack_memory memory = {.rows = c->decode->f.features};
    memcpy(inputs + 1, caption_ids, (T - 1) * sizeof *caption_ids);
    sac_stack_shape(pass, &arena, stack, 1, T, 1, memory.rows.rows, &words);
    sac_stack_upload(pass, stack, &(sac_stack_words){inputs, padding, NULL}, &words);
    sac_stack_forward(pass, stack, &quiet, &words, &memory);
    for (int i = 0; i < stack->sizes.layers; i++) {
        const sac_multihead_tensors *attention = words.layer[i].attention;
        read_layer(c, &attention[SAC_PART_SELF], true, &a->kind[SAC_DECODER_ATTENTION], (size_t)i);
        read_layer(c, &attention[SAC_PART_CROSS], false, &a->kind[SAC_CROSS_ATTENTION], (size_t)i);
    }
    sac_arena_release(&arena);
    return sac_pass_end(pass, error);
}

static sac_status name_words(const char *const *words, int count, sac_labels *labels,
                             sac_error *error)
{
    size_t rows = (size_t)count;
    sac_array array = sac_array_view(SAC_TEXT, 1, &rows, words);
    return sac_labels_from_array(&array, labels, error);
}

static sac_status fill(sac_captioner *c, const int *caption_ids, int count, sac_attentions *a,
                       sac_error *error)
{
    const char *text[SAC_MAX_TOKENS + 1] = {"start"};
    size_t layers = (size_t)c->shape.stack.layers, heads = (size_t)c->shape.stack.heads;
    size_t T = (size_t)count;
    sac_attention_kind *self = &a->kind[SAC_DECODER_ATTENTION],
                       *cross = &a->kind[SAC_CROSS_ATTENTION];
    for (int t = 0; t < count; t++)
        text[t + 1] = sac_captioner_word(&c->shape, caption_ids[t]);
    sac_status status = sac_attentions_add(a, SAC_DECODER_ATTENTION, layers, heads, T, T, error);
    if (status == SAC_OK)
        status =
            sac_attentions_add(a, SAC_CROSS_ATTENTION, layers, heads, T, (size_t)c->cells, error);
    if (status == SAC_OK)
        status = run(c, caption_ids, T, a, error);
    if (status == SAC_OK)
        status = name_words(text + 1, count, &self->step_labels, error);
    if (status == SAC_OK)
        status = name_words(text, count, &self->position_labels, error);
    if (status == SAC_OK)
        status = name_words(text + 1, count, &cross->step_labels, error);
    return status;
}

sac_status sac_captioner_attentions(sac_captioner *c, const int *words, int count,
                                    sac_attentions *a, sac_error *error)
{
    *a = (sac_attentions){.grid_w = c->grid, .grid_h = c->grid};
    if (!sac_captioner_has_layers(&c->shape) || count < 1 ||
        count > sac_captioner_longest(&c->shape))
        return sac_fail(error, SAC_E_ARGUMENT, "captioner", NULL,
                        "there are no layers that generate %d words", count);
    sac_status status = fill(c, words, count, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}
