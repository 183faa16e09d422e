/* Continues a text token by token, greedily or by sampling, or by beam search; with some of its tokens chosen by a
 * person; and each of them is explained. */
#include "architectures/inference/continuation.h"

#include <stdlib.h>
#include <string.h>

#include "architectures/inference/decoding.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "generate/token_run.h"

/* ---------------------------------------------------------------- a text goes on */

/* A decoder whose prefix is a text. */
typedef struct going_on {
    const sac_inference *now; /* by whose model, with heads scaled as those of it are */
    sac_inference *read;      /* the prefix, where it is another text than that of `now` */
    size_t end;               /* tokens of the text, and of what is generated after it, at most */
    bool ends_at_length;      /* the last token is the end */
    sac_decoding decoding;
} going_on;

static void forget(going_on *g)
{
    sac_pretrained_model *m = g->now->model;
    sac_device_lock(m->device);
    sac_decoding_end(&g->decoding); /* before what it begins with */
    sac_device_unlock(m->device);
    sac_inference_free(g->read);
    g->read = NULL;
}

static sac_status read(void *self, const int *tokens, int read, sac_error *error)
{
    going_on *g = self;
    const sac_inference *prefix = g->now;
    sac_pretrained_model *m = prefix->model;
    const size_t count = (size_t)read, wanted = g->end - count;
    const size_t room = m->max_positions > count ? m->max_positions - count : 0;
    forget(g);
    sac_status status = sac_architecture_read_continuation(m, count, error);
    if (status == SAC_OK && room &&
        (count != prefix->count || memcmp(tokens, prefix->ids, count * sizeof *tokens) != 0)) {
        const sac_prompt text = {.ids = tokens, .count = count, .scale = prefix->scale};
        status = sac_inference_read_prompt(m, &text, &g->read, error);
        prefix = g->read;
    }
    if (status != SAC_OK)
        return status;
    g->decoding = (sac_decoding){.m = m,
                                 .prefix = prefix,
                                 .longest = wanted < room ? wanted : room,
                                 .next = sac_architecture_next_place(prefix),
                                 .scale = {prefix->scale},
                                 .temperature = prefix->temperature};
    g->ends_at_length = m->text_decoder.search.ends_at_length && g->decoding.longest == wanted;
    return SAC_OK;
}

static sac_sequence start(const void *self)
{
    const going_on *g = self;
    sac_sequence sequence = {.tokens = g->now->model->text_decoder.search};
    sequence.tokens.length = (int)g->decoding.longest;
    sequence.tokens.ends_at_length = g->ends_at_length;
    return sequence;
}

static sac_status step(void *self, const sac_beam *beam, const sac_result_request *request,
                       const sac_step_result *result, sac_error *error)
{
    going_on *g = self;
    sac_pretrained_model *m = g->now->model;
    (void)request;
    sac_device_lock(m->device);
    sac_decoding_step(&g->decoding, beam, result->logits);
    return sac_model_end_pass(m, NULL, error);
}

sac_status sac_continuation_generate_ids(const sac_inference *now, const sac_sampling *how,
                                         int *ids, size_t *count, sac_error *error)
{
    const sac_decoder decoder = {
        .name = now->model->name, .read = read, .start = start, .step = step};
    going_on g = {.now = now, .end = *count + (size_t)how->count};
    sac_token_run run = {0};
    if (!now->next)
        return sac_fail(error, SAC_E_ARGUMENT, now->model->name, "leave out --continue",
                        "has no language-model head");
    if (how->beam < 0 || how->beam > SAC_BEAM_WIDTH)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", NULL, "%d is not a width from 1 to %d",
                        how->beam, SAC_BEAM_WIDTH);
    if (how->beam > 1 && how->draw.temperature > 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", "leave out --temperature",
                        "looks for the most probable text, and draws none");
    sac_status status = sac_token_run_generate(&run, &decoder, &g, ids, (int)*count, how, error);
    forget(&g);
    if (run.words)
        memcpy(ids + *count, run.words + run.before, (size_t)run.count * sizeof *ids);
    *count += (size_t)run.count;
    sac_token_run_free(&run);
    return status;
}

sac_status sac_inference_continue(const sac_inference *p, const sac_sampling *how, int *generated,
                                  int *count, sac_error *error)
{
    size_t all = p->count;
    int *ids = malloc((all + (size_t)how->count + 1) * sizeof *ids);
    *count = 0;
    if (!ids)
        return sac_no_memory(error, p->model->name);
    memcpy(ids, p->ids, p->count * sizeof *ids);
    sac_status status = sac_continuation_generate_ids(p, how, ids, &all, error);
    *count = (int)(all - p->count);
    memcpy(generated, ids + p->count, (size_t)*count * sizeof *generated);
    free(ids);
    return status;
}

/* False: no memory. */
static bool copy_turns(const sac_inference *from, sac_turn **turns, size_t *count)
{
    if (!from->turn_count)
        return true;
    *turns = malloc(from->turn_count * sizeof **turns);
    if (!*turns)
        return false;
    memcpy(*turns, from->turns, from->turn_count * sizeof **turns);
    *count = from->turn_count;
    return true;
}

sac_status sac_inference_extend(const sac_inference *whole, const sac_inference *now,
                                const sac_sampling *how, const float *scale, sac_inference **longer,
                                sac_error *error)
{
    const size_t read = whole->count - whole->generated;
    size_t count = read;
    int *ids = malloc((read + (size_t)how->count + 1) * sizeof *ids);
    *longer = NULL;
    if (!ids)
        return sac_no_memory(error, whole->model->name);
    memcpy(ids, whole->ids, read * sizeof *ids);
    sac_status status = sac_continuation_generate_ids(now, how, ids, &count, error);
    if (status == SAC_OK)
        status = sac_inference_read_prompt(
            now->model, &(sac_prompt){.ids = ids, .count = count, .scale = scale}, longer, error);
    free(ids);
    if (status != SAC_OK)
        return status;
    if (!copy_turns(whole, &(*longer)->turns, &(*longer)->turn_count)) {
        sac_inference_free(*longer);
        *longer = NULL;
        return sac_no_memory(error, whole->model->name);
    }
    (*longer)->cut = whole->cut;
    (*longer)->generated = count - read;
    (*longer)->sampled_by = *how;
    return SAC_OK;
}

/* ---------------------------------------------------------------- and is explained */

void sac_continuation_free(sac_continuation *continuation)
{
    sac_inference_free(continuation->generated);
    free(continuation->logits);
    *continuation = (sac_continuation){0};
}

sac_status sac_continuation_fill(const sac_inference *p, sac_generation *generation,
                                 sac_error *error)
{
    const int layers = p->model->layers;
    const float share = 1 / (float)(layers * p->model->run.heads);
    const size_t generated = p->generated, read = p->count - generated;
    generation->count = p->count;
    generation->generated = generated;
    generation->text = sac_inference_text(p, p->ids + read, generated);
    generation->rows = calloc(generated * p->count + 1, sizeof *generation->rows);
    if (!copy_turns(p, &generation->turns, &generation->turn_count) || !generation->text ||
        !generation->rows)
        return sac_no_memory(error, p->model->name);
    sac_status status = sac_inference_labels(p, &generation->tokens, error);
    for (int i = 0; i < layers && generated && status == SAC_OK; i++)
        status = sac_inference_add_heads(p, i, 0, SAC_PART_SELF, read - 1, generated, share,
                                         p->count, generation->rows, error);
    return status;
}

sac_status sac_continuation_generate(sac_continuation *continuation, const sac_inference *whole,
                                     const sac_inference *now, const sac_sampling *how,
                                     sac_generation *generation, sac_error *error)
{
    const double begin = sac_now();
    sac_inference *p = NULL;
    *generation = (sac_generation){0};
    sac_status status = sac_inference_extend(whole, now, how, now->scale, &p, error);
    if (status == SAC_OK)
        status = sac_continuation_fill(p, generation, error);
    if (status != SAC_OK) {
        sac_inference_free(p);
        sac_generation_free(generation);
        return status;
    }
    sac_continuation_free(continuation);
    continuation->generated = p;
    generation->milliseconds = (sac_now() - begin) * 1e3;
    return SAC_OK;
}

void sac_name_candidates(const sac_tokenizer *tokenizer, sac_candidate *candidates, int count)
{
    for (int i = 0; i < count; i++) {
        char *text = sac_tokenizer_show(tokenizer, candidates[i].id);
        const char *token = sac_tokenizer_token(tokenizer, candidates[i].id);
        const char *shown = text && text[0] ? text : token ? token : "";
        sac_utf8_copy(candidates[i].text, sizeof candidates[i].text, shown);
        free(text);
    }
}

sac_status sac_continuation_candidates(sac_continuation *continuation, const sac_inference *opened,
                                       size_t step, const sac_sampling *how,
                                       sac_candidate *candidates, int *count, int *kept,
                                       sac_error *error)
{
    const sac_inference *p = continuation->generated ? continuation->generated : opened;
    const size_t at = p->count - p->generated + step;
    *count = *kept = 0;
    if (at > p->count)
        return sac_fail(error, SAC_E_ARGUMENT, "step", "choose another", "was not generated");
    int vocabulary = (int)p->model->vocabulary, stands = at < p->count ? p->ids[at] : -1;
    if (!continuation->logits)
        continuation->logits = malloc((size_t)vocabulary * sizeof *continuation->logits);
    sac_status status = continuation->logits ? SAC_OK : sac_no_memory(error, p->model->name);
    if (status == SAC_OK && (p == opened || continuation->logits_of != step + 1)) {
        status = sac_inference_logits(p, at - 1, continuation->logits, error);
        continuation->logits_of = status == SAC_OK ? step + 1 : 0;
    }
    if (status == SAC_OK)
        status = sac_find_candidates(how, continuation->logits, continuation->logits, vocabulary,
                                     stands, candidates, count, kept, error);
    sac_name_candidates(p->model->tokenizer, candidates, *count);
    return status;
}
