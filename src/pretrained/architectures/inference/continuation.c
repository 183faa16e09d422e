/* A text goes on with some of its tokens chosen by a person, and each of them is explained. */
#include "architectures/inference/continuation.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "generate/candidates.h"

void sac_continuation_free(sac_continuation *continuation)
{
    sac_inference_free(continuation->generated);
    free(continuation->logits);
    *continuation = (sac_continuation){0};
}

/* ids[0 … count−1] through the model, with heads scaled as those of `now` are. */
static sac_status read_scaled(const sac_inference *now, const int *ids, size_t count,
                              sac_inference **inference, sac_error *error)
{
    const sac_prompt text = {.ids = ids, .count = count, .scale = now->scale};
    return sac_inference_read_prompt(now->model, &text, inference, error);
}

/* Appends what is said to ids[*count]. */
static sac_status generate_on(const sac_inference *now, const sac_sampling *how, int *ids,
                              size_t *count, sac_error *error)
{
    sac_inference *read;
    int generation = 0;
    if (how->count < 1 || *count >= now->model->max_positions)
        return SAC_OK;
    sac_status status = read_scaled(now, ids, *count, &read, error);
    if (status == SAC_OK)
        status = sac_inference_continue(read, how, ids + *count, &generation, error);
    sac_inference_free(read);
    *count += (size_t)generation;
    return status;
}

/* The same with tokens that a person chose. In a beam search the tokens before such a token stay, and
 * the search begins anew behind it. */
static sac_status generate_all(const sac_inference *now, const sac_sampling *how, int *ids,
                               size_t *count, sac_error *error)
{
    const size_t begin = *count;
    sac_sampling rest = *how;
    if (how->beam <= 1)
        return generate_on(now, how, ids, count, error);
    rest.changes = 0;
    sac_status status = generate_on(now, &rest, ids, count, error);
    for (int i = 0; i < how->changes && status == SAC_OK; i++) {
        size_t at = begin + (size_t)how->change[i].step;
        if (at >= *count)
            break;
        ids[at] = how->change[i].id;
        *count = at + 1;
        rest.count = how->count - how->change[i].step - 1;
        status = generate_on(now, &rest, ids, count, error);
    }
    return status;
}

/* The mean over all layers and heads of the rows by which tokens from `read` on were said. */
static sac_status mean_rows(const sac_inference *p, size_t read, float *rows, sac_error *error)
{
    size_t T = p->count, generation = T - read, heads = (size_t)p->model->run.heads,
           layers = (size_t)p->model->layers, count = generation * T;
    float *head = malloc((count + 1) * sizeof *head);
    sac_status status = head ? SAC_OK : sac_no_memory(error, p->model->name);
    for (size_t l = 0; l < layers && status == SAC_OK; l++) {
        sac_attention *attention = NULL;
        sac_tile tile = {.row = read - 1, .rows = generation, .cols = T};
        status = sac_inference_attention(p, (int)l, &attention, error);
        for (tile.head = 0; tile.head < heads && status == SAC_OK; tile.head++) {
            status = sac_attention_tile(attention, &tile, head, error);
            for (size_t i = 0; i < count && status == SAC_OK; i++)
                rows[i] += head[i] / (float)(layers * heads);
        }
        sac_attention_destroy(attention);
    }
    free(head);
    return status;
}

sac_status sac_continuation_generate(sac_continuation *continuation, const sac_inference *whole,
                                     const sac_inference *now, const sac_sampling *how,
                                     sac_generation *generation, sac_error *error)
{
    size_t read = whole->count - whole->generated, count = read;
    double begin = sac_now();
    sac_inference *p = NULL;
    int *ids = malloc((read + (size_t)how->count + 1) * sizeof *ids);
    *generation = (sac_generation){0};
    if (!ids)
        return sac_no_memory(error, whole->model->name);
    memcpy(ids, whole->ids, read * sizeof *ids);
    sac_status status = generate_all(now, how, ids, &count, error);
    if (status == SAC_OK)
        status = read_scaled(now, ids, count, &p, error);
    free(ids);
    generation->count = count;
    generation->generated = count - read;
    if (status == SAC_OK)
        status = sac_inference_labels(p, &generation->tokens, error);
    if (status == SAC_OK &&
        !(generation->text = sac_inference_text(p, p->ids + read, generation->generated)))
        status = sac_no_memory(error, whole->model->name);
    if (status == SAC_OK &&
        !(generation->rows = calloc(generation->generated * count + 1, sizeof *generation->rows)))
        status = sac_no_memory(error, whole->model->name);
    if (status == SAC_OK && generation->generated)
        status = mean_rows(p, read, generation->rows, error);
    if (status != SAC_OK) {
        sac_inference_free(p);
        sac_generation_free(generation);
        return status;
    }
    sac_continuation_free(continuation);
    continuation->generated = p;
    continuation->read = read;
    generation->milliseconds = (sac_now() - begin) * 1e3;
    return SAC_OK;
}

void sac_name_candidates(const sac_tokenizer *tokenizer, sac_candidate *candidates, int count)
{
    for (int i = 0; i < count; i++) {
        char *text = sac_tokenizer_show(tokenizer, candidates[i].id);
        const char *token = sac_tokenizer_token(tokenizer, candidates[i].id);
        const char *shown = text && text[0] ? text : token ? token : "";
        const size_t most = sizeof candidates[i].text - 1, size = strlen(shown);
        const size_t length = sac_utf8_valid_size(shown, size < most ? size : most);
        memcpy(candidates[i].text, shown, length);
        candidates[i].text[length] = '\0';
        free(text);
    }
}

sac_status sac_continuation_candidates(sac_continuation *continuation, size_t step,
                                       const sac_sampling *how, sac_candidate *candidates,
                                       int *count, int *kept, sac_error *error)
{
    const sac_inference *p = continuation->generated;
    *count = *kept = 0;
    if (!p || continuation->read + step > p->count)
        return sac_fail(error, SAC_E_ARGUMENT, "step", "choose another", "was not said");
    size_t at = continuation->read + step;
    int vocabulary = (int)p->model->vocabulary, stands = at < p->count ? p->ids[at] : -1;
    if (!continuation->logits)
        continuation->logits = malloc((size_t)vocabulary * sizeof *continuation->logits);
    sac_status status = continuation->logits ? SAC_OK : sac_no_memory(error, p->model->name);
    if (status == SAC_OK && continuation->logits_of != step + 1) {
        status = sac_inference_logits(p, at - 1, continuation->logits, error);
        continuation->logits_of = status == SAC_OK ? step + 1 : 0;
    }
    if (status == SAC_OK)
        status = sac_find_candidates(how, continuation->logits, continuation->logits, vocabulary,
                                     stands, candidates, count, kept, error);
    sac_name_candidates(p->model->tokenizer, candidates, *count);
    return status;
}
