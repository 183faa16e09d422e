/* Relevance of the words of a decoder with layers on what was encoded (relevance.h): that which it attends to, or
 * which stands before the words in one text, as a picture or in a prompt. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "architectures/inference/relevance.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

enum { GRADIENTS = 1 << 26 }; /* numbers of states and heads that words go back with at once */

/* What the words stand behind, in one text with them. */
typedef struct prefix {
    float *states;      /* [count,D]: as they enter the first layer */
    size_t count, next; /* next: the place of what stands behind it */
    const int *places;  /* [count,3]; NULL: one after the other */
    bool sees_itself;   /* each of its tokens sees all of it */
    sac_block block;
    const sac_inference
        *prompt; /* lent; NULL: a picture, of which hidden cells are seen by one another */
} prefix;

/* ---------------------------------------------------------------- one text */

/* Free its states. */
static sac_status gather_prefix_states(const captioner *c, prefix *p, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const sac_inference *prompt = sac_captioner_reads_picture_in_prompt(c) ? c->context : NULL;
    *p = (prefix){.count = c->seen, .sees_itself = true};
    p->states = malloc(p->count * d->width * sizeof *p->states);
    if (!p->states)
        return sac_no_memory(error, d->name);
    if (prompt) {
        p->next = sac_architecture_next_place(prompt);
        p->places = prompt->places;
        p->prompt = prompt;
        p->sees_itself = d->text_decoder.connector.is_bidirectional;
        p->block = prompt->block;
        memcpy(p->states, prompt->entered, p->count * d->width * sizeof *p->states);
        return SAC_OK;
    }
    if (c->temperature > 0)
        return sac_fail(error, SAC_E_ARGUMENT, "relevance", "choose another map",
                        "is not known of %.60s at another temperature", d->name);
    sac_device_lock(d->device);
    sac_pass_read(&d->pass, sac_captioner_attended(c).states, p->states);
    return sac_model_end_pass(d, NULL, error);
}

/* The prefix and tokens [count] behind it as one text, whose numbers lie in `owned`: free them. */
static sac_status join(const captioner *c, const prefix *p, const int *tokens, size_t count,
                       sac_inference *text, void *owned[4], sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t P = p->count, T = P + count, D = d->width;
    float *entered = owned[0] = malloc(T * D * sizeof *entered);
    const bool has_mask = c->hides || p->sees_itself || p->block.token;
    const size_t whole = p->block.is_near ? P : 0; /* a window that cuts nothing */
    uint8_t *unseen = owned[1] = has_mask ? malloc(T * T) : NULL;
    uint8_t *ahead =
        p->block.token ? sac_architecture_make_block_mask(c->ids, P, p->block, whole) : NULL;
    int *places = owned[2] = p->places ? malloc(3 * T * sizeof *places) : NULL;
    int *ids = owned[3] = calloc(T, sizeof *ids);
    *text = (sac_inference){.model = d,
                            .ids = ids,
                            .count = T,
                            .entered = entered,
                            .places = places,
                            .next_place = p->next + count,
                            .unseen = unseen,
                            .block = p->block,
                            .joined = p->prompt && p->sees_itself ? P : 0,
                            .temperature = c->temperature,
                            .scale = c->scale[SAC_DECODER_ATTENTION]};
    if (p->prompt && p->prompt->level_count) {
        text->levels = p->prompt->levels;
        text->level_count = p->prompt->level_count;
        text->level_tokens = P;
        text->picture = p->prompt->picture;
    }
    if (!entered || !ids || (!unseen && has_mask) || (!ahead && p->block.token) ||
        (!places && p->places)) {
        free(ahead);
        return sac_no_memory(error, d->name);
    }
    memcpy(entered, p->states, P * D * sizeof *entered);
    if (p->prompt)
        memcpy(ids, p->prompt->ids, P * sizeof *ids);
    memcpy(ids + P, tokens, count * sizeof *ids);
    for (size_t i = 0; unseen && i < T * T; i++) {
        const size_t query = i / T, key = i % T;
        const bool is_hidden = c->hides && key < P && c->hidden[key] && (p->prompt || query >= P);
        const bool is_joined =
            key < P && (ahead ? query < P && !ahead[query * P + key] : p->sees_itself && query < P);
        unseen[i] = is_hidden || (key > query && !is_joined);
    }
    free(ahead);
    for (size_t i = 0; places && i < 3 * T; i++) /* words stand behind it in all axes */
        places[i] = i < 3 * P ? p->places[i] : (int)(p->next + i / 3 - P);
    return sac_words_embed(d, p->next, tokens, count, entered + P * D, error);
}

/* rows [count,prefix + inputs]: of `count` words, the last of which the last input predicts. `states` [count,D]: of those
 * that predict them, where the logits are capped. */
static sac_status find_relevance_rows(const captioner *c, const prefix *p, const int *inputs,
                                      size_t total, const int *words, const float *states,
                                      size_t count, float *rows, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    sac_inference text;
    void *owned[4] = {0};
    float *gradients = malloc(count * d->width * sizeof *gradients);
    size_t *at = malloc(count * sizeof *at);
    sac_status status = gradients && at ? SAC_OK : sac_no_memory(error, d->name);
    for (size_t n = 0; n < count && at; n++)
        at[n] = p->count + total - count + n;
    if (status == SAC_OK)
        status = join(c, p, inputs, total, &text, owned, error);
    if (status == SAC_OK)
        status = sac_logit_gradients(d, count, words, states, gradients, error);
    if (status == SAC_OK)
        status = sac_text_relevance(&text, count, at, gradients, rows, error);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(gradients);
    free(at);
    return status;
}

/* What of rows [count,T] lies on the prefix, or of a prompt on its picture. */
static void pick_seen_relevance(const captioner *c, const prefix *p, const float *rows,
                                size_t count, size_t T, float **seen, float *shares)
{
    for (size_t t = 0; t < count; t++, rows += T) {
        double sum = 0, there = 0;
        for (size_t i = 0; i < T; i++)
            sum += (double)rows[i];
        for (size_t i = 0; i < p->count; i++)
            if (!p->prompt || c->ids[i] == c->decoder->text_decoder.connector.token) {
                there += (double)rows[i];
                *(*seen)++ = rows[i];
            }
        if (shares)
            shares[t] = (float)(sum > 0 ? there / sum : 0);
    }
}

static sac_status find_relevance_in_context(captioner *c, const int *inputs, size_t total,
                                            const int *words, size_t count, float *seen,
                                            float *shares, sac_error *error)
{
    const size_t D = c->decoder->width, most = c->seen + total;
    const size_t room = GRADIENTS / (2 * most * D), each = room ? room : 1;
    prefix p;
    float *rows = malloc(count * most * sizeof *rows);
    sac_status status = gather_prefix_states(c, &p, error);
    if (status == SAC_OK && !rows)
        status = sac_no_memory(error, c->decoder->name);
    for (size_t first = 0, n; first < count && status == SAC_OK; first += n) {
        n = count - first < each ? count - first : each;
        const size_t read = total - count + first + n;
        status = find_relevance_rows(c, &p, inputs, read, words + first,
                                     p.prompt ? c->states + first * D : NULL, n, rows, error);
        if (status == SAC_OK)
            pick_seen_relevance(c, &p, rows, n, p.count + read, &seen,
                                shares ? shares + first : NULL);
    }
    free(p.states);
    free(rows);
    return status;
}

/* ---------------------------------------------------------------- beside what was encoded */

/* Of each word what is read until it is generated. */
static sac_status find_relevance_of_memory(captioner *c, const int *inputs, size_t total,
                                           const int *words, size_t count, float *seen,
                                           sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t D = d->width;
    float *own = c->scale[SAC_DECODER_ATTENTION], *cross = c->scale[SAC_CROSS_ATTENTION];
    const sac_attended memory = sac_captioner_attended(c);
    float *entered = malloc(total * D * sizeof *entered);
    float *gradients = malloc(count * D * sizeof *gradients);
    sac_status status = entered && gradients
                            ? sac_logit_gradients(d, count, words, NULL, gradients, error)
                            : sac_no_memory(error, d->name);
    if (status == SAC_OK)
        status = sac_words_embed(d, 0, inputs, total, entered, error);
    for (size_t n = 0; n < count && status == SAC_OK; n++) {
        const sac_inference text = {.model = d,
                                    .count = total - count + n + 1,
                                    .entered = entered,
                                    .memory = &memory,
                                    .temperature = c->temperature,
                                    .scale = own ? own : cross};
        status = sac_memory_relevance(&text, gradients + n * D, seen + n * c->seen, error);
    }
    free(entered);
    free(gradients);
    return status;
}

sac_status sac_captioner_relevance(captioner *c, const int *words, int generated, float *seen,
                                   float *shares, sac_error *error)
{
    const size_t count = (size_t)generated;
    size_t total;
    int *inputs = sac_captioner_make_inputs(c, words, count, &total);
    sac_status status =
        !inputs ? sac_no_memory(error, c->decoder->name)
        : c->context
            ? find_relevance_in_context(c, inputs, total, words, count, seen, shares, error)
            : find_relevance_of_memory(c, inputs, total, words, count, seen, error);
    free(inputs);
    return status;
}
