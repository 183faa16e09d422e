/* The decoder of a captioner: layers, with a memory or after a context (text_decoder.h). All sentences of a beam go on by one
 * token at a time. What the words looked at is found when all of the best sentence is there (word_maps.c). */
#include "architectures/captioning/text_decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

bool sac_captioner_reads_picture_in_prompt(const captioner *c)
{
    return c->decoder->text_decoder.question == SAC_ASKED_IN_PROMPT;
}

/* What was encoded is attended to beside the words. */
static bool uses_cross_attention(const captioner *c)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    return !d->recurrent && !d->joins && !sac_captioner_reads_picture_in_prompt(c);
}

/* ---------------------------------------------------------------- what was encoded */

void sac_captioner_forget_context(captioner *c)
{
    sac_decoding_end(&c->decoding); /* before what it begins with */
    sac_inference_free(c->context);
    sac_inference_free(c->neutral);
    sac_inference_free(c->text);
    c->context = c->neutral = c->text = NULL;
    c->decoding = (sac_decoding){0};
}

void sac_captioner_shape(captioner *c)
{
    const sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &c->decoder->pass;
    sac_arena_shape(&c->arena, pass, &c->memory, c->seen, d->text_decoder.seen);
    sac_arena_shape_bytes(&c->arena, pass, &c->mask, c->seen);
    if (d->text_decoder.recurrent)
        sac_captioner_shape_recurrent(c, SAC_BEAM_WIDTH);
    if (d->text_decoder.bridge.w)
        sac_arena_shape(&c->arena, pass, &c->bridged, c->seen, d->text_decoder.memory);
    for (int i = 0; i < d->layers && uses_cross_attention(c); i++) {
        const sac_multihead *cross = &d->layer[i].attention[SAC_PART_CROSS];
        sac_arena_shape(&c->arena, pass, &c->key[i], c->seen, cross->key.w->shape[0]);
        sac_arena_shape(&c->arena, pass, &c->value[i], c->seen, cross->value.w->shape[0]);
    }
}

sac_attended sac_captioner_attended(const captioner *c)
{
    return (sac_attended){.states = c->decoder->text_decoder.bridge.w ? c->bridged : c->memory,
                          .hidden = c->hides ? c->hidden : NULL,
                          .scale = c->scale[SAC_CROSS_ATTENTION]};
}

/* The decoder's keys and values of what was encoded are the same for all that it generates. */
void sac_captioner_project_memory(captioner *c)
{
    sac_pretrained_model *d = c->decoder;
    const sac_dense *bridge = &d->text_decoder.bridge;
    const sac_tensor memory = sac_captioner_attended(c).states;
    sac_decoding_end(&c->decoding);
    c->is_overwritten = false;
    if (d->text_decoder.recurrent)
        sac_recurrent_begin(d->text_decoder.recurrent, &d->pass, c->memory, &c->recurrent);
    if (bridge->w)
        sac_linear_forward(&d->pass, memory, c->memory, bridge->w, bridge->b);
    if (d->text_decoder.bridged.gain)
        sac_layer_norm_forward(&d->pass, &d->text_decoder.bridged, memory, memory);
    for (int i = 0; i < d->layers && uses_cross_attention(c); i++) {
        sac_transformer_tensors own = {0};
        sac_laid_out_destroy(&c->laid_out[i]);
        own.attention[SAC_PART_CROSS].key = c->key[i];
        own.attention[SAC_PART_CROSS].value = c->value[i];
        sac_transformer_part_keys(&d->pass, &d->layer[i], SAC_PART_CROSS, memory, &own);
    }
}

/* What was seen goes through all layers, and sees itself alone. */
sac_status sac_captioner_make_context(captioner *c, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    sac_embedded_input seen = {
        .scale = c->scale[SAC_DECODER_ATTENTION], .count = c->seen, .is_bidirectional = true};
    if (!d->text_decoder.joins)
        return SAC_OK;
    seen.states = malloc(c->seen * d->width * sizeof *seen.states);
    if (!seen.states)
        return sac_no_memory(error, d->name);
    sac_device_lock(d->device);
    sac_pass_read(&d->pass, sac_captioner_attended(c).states, seen.states);
    sac_status status = sac_model_end_pass(d, NULL, error);
    sac_inference_free(c->context);
    c->context = NULL;
    if (status == SAC_OK)
        status = sac_inference_run_embedded(d, &seen, 0, &c->context, error);
    free(seen.states);
    return status;
}

sac_status sac_captioner_read_prompt(const captioner *c, const int *ids, size_t count,
                                     const uint8_t *hidden, sac_inference **read, sac_error *error)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_image_tokens *p = c->picture;
    const sac_picture_part one = {.grid_w = p->grid_w, .grid_h = p->grid_h};
    const sac_prompt prompt = {.ids = ids,
                               .count = count,
                               .picture = k->token,
                               .pictured = c->picture->tokens,
                               .added = c->picture->tokens + c->picture->count * c->decoder->width,
                               .levels = k->levels,
                               .hidden = c->hides ? hidden : NULL,
                               .is_bidirectional = k->is_bidirectional,
                               .sees_itself = k->sees_itself,
                               .sees_start = k->sees_start,
                               .sees_near = k->sees_near,
                               .grids = p->parts ? p->place : &one,
                               .temperature = c->temperature,
                               .scale = c->scale[SAC_DECODER_ATTENTION]};
    return sac_inference_read_prompt(c->decoder, &prompt, read, error);
}

/* ---------------------------------------------------------------- a request */

sac_status sac_captioner_apply_request(captioner *c, const sac_result_request *request,
                                       sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const int token = d->text_decoder.connector.token;
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    const bool has_tokens = has_prompt || sac_captioner_has_queries(c);
    const size_t end = has_prompt ? c->seen : sac_captioner_picture_token_count(c);
    c->temperature = request->temperature == 1 ? 0 : request->temperature;
    c->hides = request->hidden != NULL;
    bool changed = c->context && c->context->temperature != c->temperature;
    for (size_t i = 0, seen = 0; i < c->seen; i++) {
        const bool is_seen =
            has_prompt ? c->ids[i] == token : i < end && (has_tokens || i >= c->prefix);
        uint8_t hides = 0;
        if (is_seen && c->hides)
            hides =
                has_tokens ? sac_captioner_hides(c, seen, request->hidden) : request->hidden[seen];
        seen += is_seen;
        changed = changed || hides != c->hidden[i];
        c->hidden[i] = hides;
    }
    sac_status status = sac_captioner_hold(c, request, error);
    if (status != SAC_OK)
        return status;
    if (has_prompt) { /* it is read anew where other cells are hidden, or the temperature is another */
        if (c->context && !changed)
            return SAC_OK;
        sac_captioner_forget_context(c);
        c->search.start = c->ids[c->seen - 1];
        return sac_captioner_read_prompt(c, c->ids, c->seen, c->hidden, &c->context, error);
    }
    if (!c->hides)
        return SAC_OK;
    sac_device_lock(d->device);
    sac_pass_write_bytes(&d->pass, c->mask, c->hidden);
    return sac_model_end_pass(d, NULL, error);
}

/* ---------------------------------------------------------------- one token of all sentences */

void sac_captioner_set_decoding(captioner *c)
{
    const sac_text_decoder *v = &c->decoder->text_decoder;
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    sac_decoding *d = &c->decoding;
    sac_decoding_end(d);
    const bool is_held = sac_gaze_is_held(&c->gaze);
    const bool again = is_held && has_prompt && c->gaze.from == 0;
    c->keys =
        (sac_decoding_memory){c->key, c->value, c->laid_out, c->hides ? c->mask.buffer : NULL};
    *d = (sac_decoding){.m = c->decoder,
                        .prefix = c->context,
                        .memory = c->context ? NULL : &c->keys,
                        .longest = (size_t)(c->search.length + v->prompt_count),
                        .next = has_prompt ? sac_architecture_next_place(c->context) : 0,
                        .starts = !has_prompt,
                        .hides = c->context && c->hides ? c->hidden : NULL,
                        .keeps_queries = c->context,
                        .scale = {c->scale[SAC_DECODER_ATTENTION], c->scale[SAC_CROSS_ATTENTION]},
                        .temperature = c->temperature,
                        .held = is_held ? c->holds : NULL,
                        .again = again};
    d->before = sac_captioner_start_tokens(c, &d->before_count);
    /* The run that predicts the first held word: of a prompt the first word is predicted before all of them. */
    d->held_from = d->before_count + (size_t)c->gaze.from - (has_prompt && !again && is_held);
    c->is_overwritten |= is_held && d->memory;
}

/* Keeps, after a prompt, what left the last layer where word `word` is predicted. */
static void keep_state(captioner *c, size_t word)
{
    const size_t D = c->decoder->width;
    if (c->states && word == 0)
        memcpy(c->states, c->context->left + (c->seen - 1) * D, D * sizeof *c->states);
    else if (c->states)
        sac_pass_read(&c->decoder->pass, c->decoding.left, c->states + word * D);
}

sac_status sac_captioner_step(void *self, const sac_beam *beam, const sac_result_request *request,
                              const sac_step_result *result, sac_error *error)
{
    captioner *c = self;
    sac_pretrained_model *d = c->decoder;
    size_t rows = (size_t)beam->rows;
    (void)request; /* what it asks for is there already */
    sac_status status = sac_cancel_check(d->name, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(d->device);
    if (d->text_decoder.recurrent)
        sac_captioner_step_recurrent(c, beam, result);
    else {
        if (beam->step == 0)
            sac_captioner_set_decoding(c);
        c->is_searched = beam->options.width > 1;
        sac_decoding_step(&c->decoding, beam, result->logits);
        if (!c->is_searched)
            keep_state(c, (size_t)beam->step);
    }
    status = sac_model_end_pass(d, NULL, error);
    if (status != SAC_OK)
        return status;
    size_t count = rows * d->vocabulary;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(result->logits[i]))
            return sac_fail(error, SAC_E_VALUE, c->model->folder, "take a copy that is not damaged",
                            "the output is not finite; the weights may be corrupt");
    return SAC_OK;
}

/* ---------------------------------------------------------------- all tokens once more */

const int *sac_captioner_start_tokens(const captioner *c, size_t *count)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    const size_t timed = c->pieces.numbers != NULL;      /* the token for no times is left out */
    *count = c->task.count           ? c->task.count - 1 /* the last is the start */
             : c->listening.is_asked ? 0
                                     : (size_t)d->prompt_count - timed;
    return c->task.count ? c->task.ids : c->listening.prompt;
}

/* After a prompt it is the words but the last, as the prompt's own last token predicts the first. */
int *sac_captioner_make_inputs(const captioner *c, const int *words, size_t count, size_t *total)
{
    size_t before;
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    const int *begins = sac_captioner_start_tokens(c, &before);
    int *inputs = malloc((before + count) * sizeof *inputs), *to = inputs;
    *total = before + count - has_prompt;
    if (!inputs)
        return NULL;
    memcpy(to, begins, before * sizeof *to);
    to += before;
    if (!has_prompt)
        *to++ = c->generates.start(c).tokens.start;
    memcpy(to, words, (count - 1) * sizeof *to);
    return inputs;
}

sac_status sac_captioner_reread(captioner *c, const int *words, size_t count, sac_attended *memory,
                                sac_inference **text, sac_error *error)
{
    sac_prompt read = {
        .temperature = c->temperature, .scale = c->scale[SAC_DECODER_ATTENTION], .memory = memory};
    int *inputs = sac_captioner_make_inputs(c, words, count, &read.count);
    *memory = sac_captioner_attended(c);
    *text = NULL;
    read.ids = inputs;
    sac_status status = inputs ? sac_inference_read_prompt(c->decoder, &read, text, error)
                               : sac_no_memory(error, c->decoder->name);
    free(inputs);
    return status;
}

sac_status sac_captioner_replay_words(captioner *c, const int *words, int count, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const int start = c->generates.start(c).tokens.start;
    if (!c->context) {
        sac_inference_free(c->text);
        c->text = NULL;
        return sac_captioner_reread(c, words, (size_t)count, &c->attended, &c->text, error);
    }
    sac_device_lock(d->device);
    sac_decoding_begin(&c->decoding, 1);
    if (c->decoding.starts || c->decoding.again)
        sac_decoding_run_tokens(&c->decoding, &start, &(int){0}, 1, NULL);
    keep_state(c, 0);
    for (int t = 1; t < count; t++) {
        sac_decoding_run_tokens(&c->decoding, &words[t - 1], &(int){0}, 1, NULL);
        keep_state(c, (size_t)t);
    }
    return sac_model_end_pass(d, NULL, error);
}
