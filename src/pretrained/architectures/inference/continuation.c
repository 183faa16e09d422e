/* Continues a text token by token, greedily or by sampling, or by beam search; with some of its tokens chosen by a
 * person; and each of them is explained. */
#include "architectures/inference/continuation.h"

#include <stdlib.h>
#include <string.h>

#include "architectures/inference/decoding.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "generate/generate.h"
#include "generate/token_run.h"

/* ---------------------------------------------------------------- a text goes on */

typedef struct going_on {
    sac_decoding decoding;
    bool ends_at_length; /* the last token is the end */
} going_on;

static sac_sequence start(const void *self)
{
    const going_on *g = self;
    sac_sequence sequence = {.tokens = g->decoding.m->text_decoder.search};
    sequence.tokens.ends_at_length = g->ends_at_length;
    return sequence;
}

static sac_status step(void *self, const sac_beam *beam, const sac_result_request *request,
                       const sac_step_result *result, sac_error *error)
{
    going_on *g = self;
    (void)request;
    sac_decoding_step(&g->decoding, beam, result->logits);
    return sac_pass_end(&g->decoding.m->pass, error);
}

static sac_status check_beam(const sac_sampling *how, sac_error *error)
{
    if (how->beam < 0 || how->beam > SAC_BEAM_WIDTH)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", NULL, "%d is not a width from 1 to %d",
                        how->beam, SAC_BEAM_WIDTH);
    if (how->beam > 1 && how->draw.temperature > 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", "leave out --temperature",
                        "looks for the most probable text, and draws none");
    if (how->beam > 1 && how->changes)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", "give a beam width of 1",
                        "looks for the best text, in which no token is chosen");
    return SAC_OK;
}

sac_status sac_inference_continue(const sac_inference *p, const sac_sampling *how, int *generated,
                                  int *count, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_decoder decoder = {.name = m->name, .start = start, .step = step};
    *count = 0;
    if (!p->next)
        return sac_fail(error, SAC_E_ARGUMENT, m->name, "leave out --continue",
                        "has no language-model head");
    sac_status status = check_beam(how, error);
    if (status == SAC_OK)
        status = sac_architecture_read_continuation(m, p->count, error);
    if (status != SAC_OK)
        return status;
    const size_t wanted = (size_t)how->count, room = m->max_positions - p->count;
    going_on g = {.decoding = {.m = m,
                               .prefix = p,
                               .longest = wanted < room ? wanted : room,
                               .next = sac_architecture_next_place(p),
                               .scale = {p->scale},
                               .temperature = p->temperature}};
    const int width = how->beam || how->changes ? how->beam : m->text_decoder.search.width;
    const sac_text_search search = {.width = how->draw.temperature > 0 ? 1 : width,
                                    .draw = how->draw,
                                    .change = how->change,
                                    .changes = how->changes};
    int all = (int)p->count, *tokens = malloc((p->count + g.decoding.longest + 1) * sizeof *tokens);
    if (!tokens)
        return sac_no_memory(error, m->name);
    memcpy(tokens, p->ids, p->count * sizeof *p->ids);
    g.ends_at_length = m->text_decoder.search.ends_at_length && g.decoding.longest == wanted;
    int most = (int)g.decoding.longest - (g.ends_at_length && search.width <= 1);
    sac_device_lock(m->device);
    status = sac_generate_text(&decoder, &g, &search, tokens, &all, most, error);
    sac_decoding_end(&g.decoding);
    sac_device_unlock(m->device);
    *count = all - (int)p->count;
    memcpy(generated, tokens + p->count, (size_t)*count * sizeof *generated);
    free(tokens);
    return status;
}

/* ---------------------------------------------------------------- and is explained */

void sac_continuation_free(sac_continuation *continuation)
{
    sac_inference_free(continuation->generated);
    free(continuation->logits);
    *continuation = (sac_continuation){0};
}

sac_status sac_continuation_go_on(const sac_inference *now, const sac_sampling *how, int *ids,
                                  size_t *count, sac_error *error)
{
    const sac_prompt text = {.ids = ids, .count = *count, .scale = now->scale};
    sac_inference *read;
    int generated = 0;
    if (how->count < 1 || *count >= now->model->max_positions)
        return SAC_OK;
    sac_status status = sac_inference_read_prompt(now->model, &text, &read, error);
    if (status == SAC_OK)
        status = sac_inference_continue(read, how, ids + *count, &generated, error);
    sac_inference_free(read);
    *count += (size_t)generated;
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
        return sac_continuation_go_on(now, how, ids, count, error);
    rest.changes = 0;
    sac_status status = sac_continuation_go_on(now, &rest, ids, count, error);
    for (int i = 0; i < how->changes && status == SAC_OK; i++) {
        size_t at = begin + (size_t)how->change[i].step;
        if (at >= *count)
            break;
        ids[at] = how->change[i].id;
        *count = at + 1;
        rest.count = how->count - how->change[i].step - 1;
        status = sac_continuation_go_on(now, &rest, ids, count, error);
    }
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
        status = sac_inference_read_prompt(
            now->model, &(sac_prompt){.ids = ids, .count = count, .scale = now->scale}, &p, error);
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
    const int layers = whole->model->layers;
    const float share = 1 / (float)(layers * whole->model->run.heads);
    for (int i = 0; i < layers && generation->generated && status == SAC_OK; i++)
        status = sac_inference_add_heads(p, i, 0, SAC_PART_SELF, read - 1, generation->generated,
                                         share, count, generation->rows, error);
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
        return sac_fail(error, SAC_E_ARGUMENT, "step", "choose another", "was not generated");
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
