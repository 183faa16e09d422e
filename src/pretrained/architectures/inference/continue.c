/* Continues a text token by token, greedily or by sampling, or by beam search. The keys and values of
 * earlier tokens are cached on the device, so that a step runs the last token of each hypothesis
 * through all layers. */
#include <stdlib.h>
#include <string.h>

#include "architectures/inference/continuing.h"
#include "base/cancel.h"
#include "base/error.h"
#include "device/trace.h"
#include "generate/generate.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

typedef struct going_on {
    sac_continuing cache;
    const sac_inference *text;
} going_on;

/* ---------------------------------------------------------------- a step */

void sac_continuing_begin(sac_continuing *c, const sac_inference *p)
{
    sac_pass *pass = &c->m->pass;
    size_t width = sac_architecture_part_width(c->m, 1),
           asks = sac_architecture_part_width(c->m, 0);
    c->count = c->begun = p->count;
    c->shared = p->count - sac_architecture_next_place(p);
    for (int i = 0; i < c->m->layers; i++) {
        sac_laid_out_forget(&c->laid_out[i]);
        sac_arena_shape(&c->arena, pass, &c->key[i], c->most, width);
        sac_arena_shape(&c->arena, pass, &c->value[i], c->most, width);
        sac_pass_copy(pass, sac_tensor_rows(c->key[i], 0, p->count), sac_inference_part(p, i, 1));
        sac_pass_copy(pass, sac_tensor_rows(c->value[i], 0, p->count), sac_inference_part(p, i, 2));
        if (!c->keeps_queries)
            continue;
        sac_arena_shape(&c->arena, pass, &c->query[i], c->most - p->count + 1, asks);
        sac_pass_copy(pass, sac_tensor_rows(c->query[i], 0, 1),
                      sac_tensor_rows(sac_inference_part(p, i, 0), p->count - 1, 1));
    }
    sac_arena_shape_ints(&c->arena, pass, &c->id, 1);
    sac_arena_shape_ints(&c->arena, pass, &c->place, 1);
    sac_arena_shape(&c->arena, pass, &c->x, 1, c->m->width);
    sac_arena_shape(&c->arena, pass, &c->normed, 1, c->m->width);
    sac_arena_shape(&c->arena, pass, &c->logits, 1, c->m->vocabulary);
    sac_architecture_scale_heads(c->m, &c->arena, &c->placing, SAC_PART_SELF, p->scale);
    c->placing.temperature = p->temperature;
}

void sac_continuing_end(sac_continuing *c)
{
    for (int i = 0; c->m && i < c->m->layers; i++)
        sac_laid_out_forget(&c->laid_out[i]);
    sac_arena_release(&c->arena);
}

static void embed(sac_continuing *c, int id)
{
    sac_pass *pass = &c->m->pass;
    sac_pass_write_ints(pass, c->id, &id);
    if (c->m->positions)
        sac_positions_place(pass, c->place, c->m->positions->value, 1, c->m->first_place + c->count,
                            NULL);
    sac_architecture_embed(c->m, &c->arena, &c->narrow, c->x, c->id, c->place, 1);
}

/* Appends the token's key and value to the cache; its query attends to all of them. */
static sac_tensor run_layer(sac_continuing *c, int i, const sac_transformer_run *run, sac_tensor x)
{
    sac_pass *pass = &c->m->pass;
    const sac_transformer_layer *layer = &c->m->layer[i];
    sac_transformer_tensors own = c->tensors;
    sac_multihead_tensors *t = &own.attention[SAC_PART_SELF];
    const sac_tensor entered = x;
    if (c->keeps_queries)
        t->query = sac_tensor_rows(c->query[i], c->count - c->begun + 1, 1);
    const sac_tensor keys = sac_tensor_rows(c->key[i], 0, c->count + 1),
                     values = sac_tensor_rows(c->value[i], 0, c->count + 1);
    t->value = sac_tensor_rows(c->value[i], c->count, 1);
    bool is_token = sac_transformer_takes_token(pass, layer, run, keys.rows);
    if (is_token) {
        t->token_keys = keys;
        t->token_values = values;
        if (sac_transformer_token_layer(pass, layer, run, x, &own))
            return own.sum[SAC_PART_FORWARD];
    } else
        t->key = sac_tensor_rows(c->key[i], c->count, 1);
    sac_transformer_part_project(pass, layer, run, x, &own);
    sac_transformer_part_rotate(pass, layer, run, SAC_PART_SELF, &own);
    if (!is_token) {
        t->key = keys;
        t->value = values;
    }
    if (!is_token && !run->bias) { /* nothing is added to keys that are laid out beforehand */
        t->laid_out = &c->laid_out[i];
        t->room = c->most;
    }
    x = sac_transformer_part_attended(pass, layer, run, SAC_PART_SELF, x, &own);
    return sac_transformer_part_forwarded(pass, layer, run, run->parallel ? entered : x, x, &own);
}

void sac_continuing_step(sac_continuing *c, int id, float *logits)
{
    sac_pretrained_model *m = c->m;
    sac_pass *pass = &m->pass;
    sac_architecture_place(m, &c->arena, &c->placing, c->count - c->shared, 1, c->most, NULL);
    SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
    embed(c, id);
    sac_tensor x = c->x;
    sac_transformer_layer_shape(pass, &c->arena, &m->layer[0], &m->run, 1, 0, &c->tensors);
    for (int i = 0; i < m->layers; i++) {
        sac_transformer_run run = sac_pretrained_model_run(m, i, &c->placing);
        run.causal = false; /* of one query, the last, all keys are before it */
        run.padding = c->hidden.buffer;
        sac_trace_layer(m->device, i);
        x = run_layer(c, i, &run, x);
    }
    sac_trace_layer(m->device, -1);
    if (m->last_norm.gain) {
        sac_layer_norm_forward(pass, &m->last_norm, c->normed, x);
        x = c->normed;
    }
    c->left = x;
    c->count++;
    if (!logits)
        return;
    sac_architecture_logits(m, c->logits, x);
    sac_pass_read(pass, c->logits, logits);
}

/* ---------------------------------------------------------------- the decoder */

static sac_sequence start(const void *self)
{
    const going_on *g = self;
    return (sac_sequence){.tokens = g->cache.m->text_decoder.search};
}

/* The logits after the text are there. */
static sac_status step(void *self, const sac_beam *beam, const sac_caption_request *request,
                       const sac_step_result *result, sac_error *error)
{
    going_on *g = self;
    sac_continuing *c = &g->cache;
    (void)request;
    if (beam->step == 0) {
        sac_continuing_begin(c, g->text);
        memcpy(result->logits, g->text->next, c->m->vocabulary * sizeof *result->logits);
    } else
        sac_continuing_step(c, beam->row[beam->step][0].word, result->logits);
    return sac_pass_end(&c->m->pass, error);
}

/* ---------------------------------------------------------------- beam search */

typedef struct search {
    sac_text_beams beams;
    const sac_beam_options *options;
    float *scores; /* [R,V] */
    int *tokens;   /* [text and what is said]: those of a row */
} search;

/* As `generate` of transformers takes them: the rules see the whole text. */
static sac_status score(void *self, const sac_beam *beam, const float **log_probability,
                        sac_error *error)
{
    search *s = self;
    const sac_inference *text = s->beams.text;
    const size_t vocabulary = text->model->vocabulary, before = text->count - 1;
    sac_text_beams_step(&s->beams, beam, s->scores);
    sac_status status = sac_pass_end(&text->model->pass, error);
    if (status == SAC_OK)
        status = sac_cancel_check(text->model->name, error);
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
    search s = {.beams = {.text = p, .longest = most}, .options = &options};
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
        sac_text_beams_end(&s.beams);
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
    going_on g = {.cache.m = m, .text = p};
    sac_continuing *c = &g.cache;
    const sac_text_search sampling = {
        .draw = how->draw, .change = how->change, .changes = how->changes};
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
    c->most = p->count + (size_t)how->count < m->max_positions ? p->count + (size_t)how->count
                                                               : m->max_positions;
    int width = how->beam || how->changes ? how->beam : m->text_decoder.search.width;
    if (width > 1 && !(how->draw.temperature > 0) && c->most > p->count)
        return continue_by_beams(p, how, width, c->most - p->count, generated, count, error);
    int *tokens = malloc((c->most + 1) * sizeof *tokens), all = (int)p->count;
    if (!tokens)
        return sac_no_memory(error, m->name);
    memcpy(tokens, p->ids, p->count * sizeof *p->ids);
    int most = (int)(c->most - p->count);
    if (m->text_decoder.search.ends_at_length && most == how->count)
        most--; /* the last token is the end */
    sac_device_lock(m->device);
    status = sac_generate_text(&decoder, &g, &sampling, tokens, &all, most, error);
    sac_continuing_end(c);
    sac_device_unlock(m->device);
    *count = all - (int)p->count;
    memcpy(generated, tokens + p->count, (size_t)*count * sizeof *generated);
    free(tokens);
    return status;
}
