/* Continues a text token by token, greedily or by sampling, or by beam search. */
#include <stdlib.h>
#include <string.h>

#include "architectures/inference/decoding.h"
#include "base/error.h"
#include "generate/generate.h"

/* ---------------------------------------------------------------- token by token */

static sac_sequence start(const void *self)
{
    const sac_decoding *d = self;
    return (sac_sequence){.tokens = d->prefix->model->text_decoder.search};
}

static sac_status step(void *self, const sac_beam *beam, const sac_caption_request *request,
                       const sac_step_result *result, sac_error *error)
{
    sac_decoding *d = self;
    (void)request;
    sac_decoding_step(d, beam, result->logits);
    return sac_pass_end(&d->prefix->model->pass, error);
}

static sac_status continue_by_tokens(const sac_inference *p, const sac_sampling *how,
                                     size_t longest, int *generated, int *count, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_decoding d = {.prefix = p, .longest = longest};
    const sac_text_search sampling = {
        .draw = how->draw, .change = how->change, .changes = how->changes};
    const sac_decoder decoder = {.name = m->name, .start = start, .step = step};
    int *tokens = malloc((p->count + longest + 1) * sizeof *tokens), all = (int)p->count;
    if (!tokens)
        return sac_no_memory(error, m->name);
    memcpy(tokens, p->ids, p->count * sizeof *p->ids);
    int most = (int)longest;
    if (m->text_decoder.search.ends_at_length && most == how->count)
        most--; /* the last token is the end */
    sac_device_lock(m->device);
    sac_status status = sac_generate_text(&decoder, &d, &sampling, tokens, &all, most, error);
    sac_decoding_end(&d);
    sac_device_unlock(m->device);
    *count = all - (int)p->count;
    memcpy(generated, tokens + p->count, (size_t)*count * sizeof *generated);
    free(tokens);
    return status;
}

/* ---------------------------------------------------------------- beam search */

typedef struct search {
    sac_decoding decoding;
    const sac_beam_options *options;
    float *scores; /* [R,V] */
    int *tokens;   /* [text and what is generated]: those of a row */
} search;

/* As `generate` of transformers takes them: the rules see the whole text. */
static sac_status score(void *self, const sac_beam *beam, const float **log_probability,
                        sac_error *error)
{
    search *s = self;
    const sac_inference *text = s->decoding.prefix;
    const size_t vocabulary = text->model->vocabulary, before = text->count - 1;
    sac_decoding_step(&s->decoding, beam, s->scores);
    sac_status status = sac_pass_end(&text->model->pass, error);
    for (int r = 0; r < beam->rows && status == SAC_OK; r++) {
        int count = (int)before + sac_beam_tokens(beam, r, s->tokens + before);
        float *scores = s->scores + (size_t)r * vocabulary;
        sac_log_softmax(scores, vocabulary);
        sac_restrain(s->options, s->tokens, count, scores);
    }
    *log_probability = s->scores;
    return status;
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

static sac_status continue_by_beams(const sac_inference *p, const sac_sampling *how, int width,
                                    size_t most, int *generated, int *count, sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    sac_beam_options options = m->text_decoder.search;
    search s = {.decoding = {.prefix = p, .longest = most}, .options = &options};
    sac_beam beam = {0};
    options.width = width;
    options.length = (int)most;
    options.start = p->ids[p->count - 1];
    options.ends_at_length = options.ends_at_length && most == (size_t)how->count;
    s.scores = malloc((size_t)width * m->vocabulary * sizeof *s.scores);
    s.tokens = malloc((p->count + most) * sizeof *s.tokens);
    int *rows = malloc(most * sizeof *rows);
    sac_status status = s.scores && s.tokens && rows ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        memcpy(s.tokens, p->ids, p->count * sizeof *p->ids);
        sac_device_lock(m->device);
        status = sac_beam_search(&beam, &options, &(sac_beam_scorer){&s, score}, NULL, 0, error);
        sac_decoding_end(&s.decoding);
        sac_device_unlock(m->device);
    }
    if (status == SAC_OK)
        *count = sac_beam_path(&beam, generated, rows);
    sac_beam_free(&beam);
    free(s.scores);
    free(s.tokens);
    free(rows);
    return status;
}

/* ---------------------------------------------------------------- both */

sac_status sac_inference_continue(const sac_inference *p, const sac_sampling *how, int *generated,
                                  int *count, sac_error *error)
{
    sac_pretrained_model *m = p->model;
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
    const size_t longest = wanted < room ? wanted : room;
    const int width = how->beam || how->changes ? how->beam : m->text_decoder.search.width;
    return width > 1 && !(how->draw.temperature > 0) && longest
               ? continue_by_beams(p, how, width, longest, generated, count, error)
               : continue_by_tokens(p, how, longest, generated, count, error);
}
