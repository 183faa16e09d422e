/* Relevance of the words of a decoder of layers on what was encoded (relevance.h): that which it
 * attends to, or which stands before the words in one text. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "architectures/inference/relevance.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* What is read of `count` words: inputs [before + count], each of which says the one behind it; *before stand
 * before the start. free() them; NULL: no memory. */
static int *inputs_of(const captioner *c, const int *words, size_t count, size_t *before)
{
    const int *begins = sac_captioner_begins(c, before);
    int *inputs = malloc((*before + count) * sizeof *inputs);
    if (!inputs)
        return NULL;
    memcpy(inputs, begins, *before * sizeof *begins);
    inputs[*before] = c->generates.start(c).tokens.start;
    memcpy(inputs + *before + 1, words, (count - 1) * sizeof *words);
    return inputs;
}

static sac_tensor memory_of(const captioner *c)
{
    return c->decoder->text_decoder.bridge.w ? c->layered.bridged : c->memory;
}

/* One text, in which what was seen sees itself, and words see it and those before them. */
static sac_status count_joined(captioner *c, const int *inputs, size_t T, size_t count,
                               const float *gradients, float *seen, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t S = c->seen, all = S + T, D = d->width;
    float *entered = malloc(all * D * sizeof *entered);
    uint8_t *unseen = malloc(all * all);
    float *rows = malloc(count * all * sizeof *rows);
    size_t *at = malloc(count * sizeof *at);
    sac_status status = entered && unseen && rows && at ? SAC_OK : sac_no_memory(error, d->name);
    if (status == SAC_OK && c->temperature > 0)
        status = sac_fail(error, SAC_E_ARGUMENT, "relevance", "choose another map",
                          "is not known of %.60s at another temperature", d->name);
    if (status == SAC_OK) {
        sac_device_lock(d->device);
        sac_pass_read(&d->pass, memory_of(c), entered);
        status = sac_pass_end(&d->pass, error);
        sac_device_unlock(d->device);
    }
    if (status == SAC_OK)
        status = sac_words_enter(d, 0, inputs, T, entered + S * D, error);
    for (size_t i = 0; i < all * all && status == SAC_OK; i++)
        unseen[i] =
            i % all >= S ? i % all > i / all : c->hides && i / all >= S && c->hidden[i % all];
    for (size_t n = 0; n < count && status == SAC_OK; n++)
        at[n] = all - count + n;
    const sac_inference text = {.model = d,
                                .count = all,
                                .entered = entered,
                                .unseen = unseen,
                                .scale = c->scale[SAC_DECODER_ATTENTION]};
    if (status == SAC_OK)
        status = sac_text_relevance(&text, count, at, gradients, rows, error);
    for (size_t n = 0; n < count && status == SAC_OK; n++)
        memcpy(seen + n * S, rows + n * all, S * sizeof *seen);
    free(entered);
    free(unseen);
    free(rows);
    free(at);
    return status;
}

/* A text beside what was seen; of each word what is read until it is said. */
static sac_status count_beside(captioner *c, const int *inputs, size_t T, size_t count,
                               const float *gradients, float *seen, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t D = d->width;
    float *own = c->scale[SAC_DECODER_ATTENTION], *cross = c->scale[SAC_CROSS_ATTENTION];
    const sac_attended memory = {memory_of(c), c->hides ? c->hidden : NULL};
    float *entered = malloc(T * D * sizeof *entered);
    sac_status status =
        entered ? sac_words_enter(d, 0, inputs, T, entered, error) : sac_no_memory(error, d->name);
    for (size_t n = 0; n < count && status == SAC_OK; n++) {
        const sac_inference text = {.model = d,
                                    .count = T - count + n + 1,
                                    .entered = entered,
                                    .memory = &memory,
                                    .temperature = c->temperature,
                                    .scale = own ? own : cross};
        status = sac_memory_relevance(&text, gradients + n * D, seen + n * c->seen, error);
    }
    free(entered);
    return status;
}

sac_status sac_layered_relevance(captioner *c, const int *words, int generated, float *seen,
                                 sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t count = (size_t)generated;
    size_t before;
    int *inputs = inputs_of(c, words, count, &before);
    float *gradients = malloc(count * d->width * sizeof *gradients);
    sac_status status = inputs && gradients
                            ? sac_logit_gradients(d, count, words, NULL, gradients, error)
                            : sac_no_memory(error, d->name);
    if (status == SAC_OK)
        status = (d->text_decoder.joins ? count_joined : count_beside)(
            c, inputs, before + count, count, gradients, seen, error);
    free(inputs);
    free(gradients);
    return status;
}
