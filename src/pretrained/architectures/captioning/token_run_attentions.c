/* Runs a decoder once more over all tokens that it generated from what is encoded, all at once, for the weights of its
 * layers: what steps of one token each leave is less. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

sac_status sac_captioner_reread(captioner *c, const int *words, size_t count, sac_attended *memory,
                                sac_inference **text, sac_error *error)
{
    sac_prompt read = {
        .temperature = c->temperature, .scale = c->scale[SAC_DECODER_ATTENTION], .memory = memory};
    int *inputs = sac_captioner_inputs(c, words, count, &read.count);
    *memory = sac_captioner_attended(c);
    *text = NULL;
    read.ids = inputs;
    sac_status status = inputs ? sac_inference_read_prompt(c->decoder, &read, text, error)
                               : sac_no_memory(error, c->decoder->name);
    free(inputs);
    return status;
}

/* The mean over all layers and heads: to what was encoded, and to the tokens behind it. */
sac_status sac_token_run_rows(captioner *c, const int *words, int count, sac_generation *generation,
                              sac_error *error)
{
    const int layers = c->decoder->layers;
    const size_t rows = (size_t)count, all = generation->count;
    const float share = 1 / (float)(layers * c->decoder->run.heads);
    sac_attended memory;
    sac_inference *text;
    sac_status status = sac_captioner_reread(c, words, rows, &memory, &text, error);
    for (int i = 0; i < layers && status == SAC_OK; i++) {
        status = sac_inference_add_heads(text, i, 0, SAC_PART_CROSS, text->count - rows, rows,
                                         share, all, generation->rows, error);
        if (status == SAC_OK)
            status = sac_inference_add_heads(text, i, 0, SAC_PART_SELF, text->count - rows, rows,
                                             share, all, generation->rows + c->seen, error);
    }
    sac_inference_free(text);
    return status;
}

/* ---------------------------------------------------------------- all heads */

/* One kind, of a part of the layers. */
static sac_status fill_kind(const sac_inference *p, int part, int kind, sac_attentions *a,
                            sac_error *error)
{
    const size_t keys = part == SAC_PART_CROSS ? p->memory->states.rows : p->count;
    sac_status status = sac_attentions_add(a, kind, (size_t)p->model->layers,
                                           (size_t)p->model->run.heads, p->count, keys, error);
    return status == SAC_OK ? sac_inference_fill_kind(p, part, 0, &a->kind[kind], error) : status;
}

/* Rows are the words that are generated, columns of the decoder the token before each. */
static sac_status name_kinds(const captioner *c, const sac_inference *text, int last,
                             const sac_inference *source, sac_attentions *a, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const size_t T = text->count;
    sac_attention_kind *own = &a->kind[SAC_DECODER_ATTENTION],
                       *cross = &a->kind[SAC_CROSS_ATTENTION],
                       *read = &a->kind[SAC_ENCODER_ATTENTION];
    int *steps = malloc(T * sizeof *steps);
    if (!steps)
        return sac_no_memory(error, d->name);
    memcpy(steps, text->ids + 1, (T - 1) * sizeof *steps);
    steps[T - 1] = last;
    sac_status status = sac_architecture_label_tokens(d, steps, T, &own->step_labels, error);
    free(steps);
    if (status == SAC_OK)
        status = sac_architecture_label_tokens(d, text->ids, T, &own->position_labels, error);
    if (status == SAC_OK)
        status = sac_labels_copy(&own->step_labels, &cross->step_labels, error);
    if (status == SAC_OK && !source)
        status = sac_captioner_name_encoded(c, &cross->position_labels, error);
    sac_labels *of_source[] = {&read->step_labels, &read->position_labels, &cross->position_labels};
    for (int i = 0; source && i < 3 && status == SAC_OK; i++)
        status = sac_architecture_label_tokens(source->model, source->ids, source->count,
                                               of_source[i], error);
    return status;
}

sac_status sac_token_run_attentions(captioner *c, const int *words, size_t count, sac_attentions *a,
                                    sac_error *error)
{
    sac_inference *source = NULL, *text;
    sac_attended memory;
    sac_status status = sac_captioner_reread(c, words, count, &memory, &text, error);
    if (status == SAC_OK && !sac_architecture_has_vision(c->model))
        status = sac_captioner_read(c, c->model, (sac_prompt){.ids = c->ids, .count = c->seen},
                                    &source, error);
    if (status == SAC_OK && source)
        status = fill_kind(source, SAC_PART_SELF, SAC_ENCODER_ATTENTION, a, error);
    if (status == SAC_OK)
        status = fill_kind(text, SAC_PART_SELF, SAC_DECODER_ATTENTION, a, error);
    if (status == SAC_OK)
        status = fill_kind(text, SAC_PART_CROSS, SAC_CROSS_ATTENTION, a, error);
    if (status == SAC_OK)
        status = name_kinds(c, text, words[count - 1], source, a, error);
    sac_inference_free(text);
    sac_inference_free(source);
    return status;
}

sac_status sac_pretrained_captioner_attentions(captioner *c, const int *words, size_t count,
                                               sac_attentions *a, sac_error *error)
{
    const sac_text_decoder_class *class = c->decoder->text_decoder.class;
    *a = (sac_attentions){0};
    if (!class->attentions)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has no layers that attend to what it sees");
    if (count < 1 || count > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "there are weights of 1 to %d tokens, not of %zu", SAC_MAX_TOKENS, count);
    sac_status status = class->attentions(c, words, count, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}
