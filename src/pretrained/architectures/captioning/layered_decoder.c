/* A decoder of layers, which attend to what was encoded; or where that and the words are one text (`joins`), it is
 * what they stand behind. All sentences of a beam go on by one token at a time. The attention of the best sentence alone
 * is computed, when all of it is there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/prompts/prompt_maps.h"
#include "architectures/captioning/text_decoder.h"
#include "architectures/captioning/word_times.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- memory */

static sac_status create(captioner *c, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    return sac_token_texts_make(d->tokenizer, (int)d->vocabulary, &c->words, error);
}

/* What it is asked is at first the token by which it begins. */
static sac_status create_with_task(captioner *c, sac_error *error)
{
    const int start = c->search.start;
    const char *task = sac_tokenizer_token(c->decoder->tokenizer, start);
    snprintf(c->prompted.question, sizeof c->prompted.question, "%s", task ? task : "");
    return create(c, error);
}

static sac_status create_joint(captioner *c, sac_error *error)
{
    sac_status status = sac_joint_create(c, error);
    return status == SAC_OK ? create(c, error) : status;
}

/* A task: tokens with which the output begins, in the places of words. */
static sac_status ask(captioner *c, const char *task, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    int room = c->search.length;
    sac_tokens ids = {0};
    sac_status status = sac_tokenizer_encode(d->tokenizer, task, false, &ids, error);
    if (status == SAC_OK && !ids.count)
        status = sac_fail(error, SAC_E_ARGUMENT, "task", "give some words", "has no words");
    else if (status == SAC_OK &&
             (strlen(task) >= sizeof c->prompted.question || ids.count > (size_t)room))
        status = sac_fail(error, SAC_E_ARGUMENT, "task", "give a shorter one",
                          "has %zu tokens, and with its answer there is room for %d", ids.count,
                          room + 1);
    if (status != SAC_OK) {
        sac_tokens_free(&ids);
        return status;
    }
    sac_tokens_free(&c->prompted.ids);
    c->prompted.ids = ids;
    snprintf(c->prompted.question, sizeof c->prompted.question, "%s", task);
    return SAC_OK;
}

static void forget(captioner *c)
{
    sac_layered_decoder *l = &c->layered;
    sac_decoding_end(&c->decoding); /* before what it begins with */
    c->decoding = (sac_decoding){0};
    for (int i = 0; i < c->decoder->layers; i++)
        sac_laid_out_forget(&l->laid_out[i]);
    sac_inference_free(l->prefix);
    sac_inference_free(l->text);
    *l = (sac_layered_decoder){0};
}

static void destroy(captioner *c)
{
    sac_tokens_free(&c->prompted.ids);
    sac_pictured_release(c->prompted.picture);
    free(c->prompted.flow);
}

static void shape(captioner *c)
{
    const sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &c->decoder->pass;
    if (d->text_decoder.bridge.w)
        sac_arena_shape(&c->arena, pass, &c->layered.bridged, c->seen, d->text_decoder.memory);
    for (int i = 0; i < d->layers && !d->text_decoder.joins; i++) {
        const sac_multihead *cross = &d->layer[i].attention[SAC_PART_CROSS];
        sac_arena_shape(&c->arena, pass, &c->layered.key[i], c->seen, cross->key.w->shape[0]);
        sac_arena_shape(&c->arena, pass, &c->layered.value[i], c->seen, cross->value.w->shape[0]);
    }
}

/* The decoder's keys and values of what was encoded are the same for all that it generates. */
static void begin(captioner *c)
{
    sac_pretrained_model *d = c->decoder;
    const sac_dense *bridge = &d->text_decoder.bridge;
    const sac_tensor memory = sac_captioner_attended(c).states;
    sac_decoding_end(&c->decoding);
    if (bridge->w)
        sac_linear_forward(&d->pass, memory, c->memory, bridge->w, bridge->b);
    if (d->text_decoder.bridged.gain)
        sac_layer_norm_forward(&d->pass, &d->text_decoder.bridged, memory, memory);
    for (int i = 0; i < d->layers && !d->text_decoder.joins; i++) {
        sac_transformer_tensors own = {0};
        sac_laid_out_forget(&c->layered.laid_out[i]);
        own.attention[SAC_PART_CROSS].key = c->layered.key[i];
        own.attention[SAC_PART_CROSS].value = c->layered.value[i];
        sac_transformer_part_keys(&d->pass, &d->layer[i], SAC_PART_CROSS, memory, &own);
    }
}

/* What was seen goes through all layers, and sees itself alone. */
static sac_status make_prefix(captioner *c, sac_error *error)
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
    sac_status status = sac_pass_end(&d->pass, error);
    sac_device_unlock(d->device);
    sac_inference_free(c->layered.prefix);
    c->layered.prefix = NULL;
    if (status == SAC_OK)
        status = sac_inference_enter(d, &seen, 0, &c->layered.prefix, error);
    free(seen.states);
    return status;
}

/* ---------------------------------------------------------------- one token of all sentences */

/* For a sentence with the cells that are hidden now. */
static void set_decoding(captioner *c)
{
    const sac_text_decoder *v = &c->decoder->text_decoder;
    sac_layered_decoder *l = &c->layered;
    sac_decoding *d = &c->decoding;
    sac_decoding_end(d);
    l->memory =
        (sac_decoding_memory){l->key, l->value, l->laid_out, c->hides ? c->mask.buffer : NULL};
    *d = (sac_decoding){.m = c->decoder,
                        .prefix = l->prefix,
                        .memory = v->joins ? NULL : &l->memory,
                        .longest = (size_t)(c->search.length + v->prompt_count),
                        .starts = true,
                        .hides = v->joins && c->hides ? c->hidden : NULL,
                        .keeps_queries = v->joins,
                        .scale = {c->scale[SAC_DECODER_ATTENTION], c->scale[SAC_CROSS_ATTENTION]},
                        .temperature = c->temperature};
    d->before = sac_captioner_begins(c, &d->before_count);
}

static void step(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    if (beam->step == 0)
        set_decoding(c);
    c->is_searched = beam->options.width > 1;
    sac_decoding_step(&c->decoding, beam, result->logits);
}

/* ---------------------------------------------------------------- the attention of the words */

/* Makes it known for the words of the best sentence. */
static sac_status follow(captioner *c, const int *words, int count, sac_error *error)
{
    if (c->decoder->text_decoder.joins)
        return c->is_searched ? sac_captioner_follow(c, words, count, error) : SAC_OK;
    sac_inference_free(c->layered.text);
    c->layered.text = NULL;
    return sac_captioner_reread(c, words, (size_t)count, &c->layered.attended, &c->layered.text,
                                error);
}

/* The mean over the heads and layers that are asked for (0: all, else counted from 1) of `count` words from the first
 * on, of all that are followed, [count,S]. */
static sac_status mean_weights(const captioner *c, int layer, int head, int count, int all,
                               float *mean, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const sac_inference *text = c->layered.text;
    const size_t S = c->seen, words = (size_t)count;
    const float share = 1 / (float)((layer ? 1 : d->layers) * (head ? 1 : d->run.heads));
    sac_status status = SAC_OK;
    memset(mean, 0, words * S * sizeof *mean);
    if (!d->text_decoder.joins) {
        for (int i = layer ? layer - 1 : 0; i < (layer ? layer : d->layers) && status == SAC_OK;
             i++)
            status =
                sac_inference_add_heads(text, i, head, SAC_PART_CROSS, text->count - (size_t)all,
                                        words, share, S, mean, error);
        return status;
    }
    const sac_prefix_rows rows = sac_captioner_rows(c, count);
    float *map = malloc(rows.count * rows.keys * sizeof *map);
    status =
        map ? sac_prefix_rows_mean(&rows, layer, head, map, error) : sac_no_memory(error, d->name);
    for (size_t t = 0; t < words && status == SAC_OK; t++)
        memcpy(mean + t * S, map + t * rows.keys, S * sizeof *mean);
    free(map);
    return status;
}

/* The frames, two a cell, at which the first `count` tokens of a text end: each is the input of the step behind its own,
 * and what that step looks at comes after it. */
static sac_status find_ends(const captioner *c, const sac_inference *text, size_t count,
                            size_t *end, sac_error *error)
{
    const sac_audio_encoder *h = &c->model->audio;
    const size_t cells = sac_sound_cells(c);
    float *map = malloc((count * cells + 1) * sizeof *map);
    float *sums = malloc((count * c->seen + 1) * sizeof *sums);
    float *sum = calloc(count * cells + 1, sizeof *sum);
    sac_status status = map && sums && sum ? SAC_OK : sac_no_memory(error, c->decoder->name);
    for (int i = 0; i < h->aligned && status == SAC_OK; i++) {
        memset(sums, 0, count * c->seen * sizeof *sums);
        status = sac_inference_add_heads(text, h->aligned_layer[i], h->aligned_head[i] + 1,
                                         SAC_PART_CROSS, text->count - count, count, 1, c->seen,
                                         sums, error);
        for (size_t w = 0; w < count && status == SAC_OK; w++)
            memcpy(map + w * cells, sums + w * c->seen, cells * sizeof *map);
        if (status == SAC_OK)
            sac_word_times_add(map, count, cells, (size_t)h->median, sum);
    }
    if (status == SAC_OK && !sac_word_times_find(sum, count, cells, end))
        status = sac_no_memory(error, c->decoder->name);
    free(map);
    free(sums);
    free(sum);
    return status;
}

/* As transformers has them: a token begins where the one before it ends. Of a sentence that was cut no step has
 * the last token as input; it ends with the one before it. */
static sac_status times(captioner *c, sac_result *caption, sac_error *error)
{
    const int count = caption->count;
    const int known = sac_generated_end_row(c->generation) < 0 ? count - 1 : count;
    size_t end[SAC_MAX_TOKENS] = {0};
    int ids[SAC_MAX_TOKENS];
    sac_attended memory;
    sac_inference *text = NULL;
    sac_result_tokens(caption, ids);
    sac_status status = SAC_OK;
    if (known > 0)
        status = sac_captioner_reread(c, ids, (size_t)known + 1, &memory, &text, error);
    if (status == SAC_OK && known > 0)
        status = find_ends(c, text, (size_t)known, end, error);
    sac_inference_free(text);
    if (known < count && known > 0)
        end[known] = end[known - 1];
    for (int w = 0; w < count && status == SAC_OK; w++) {
        sac_result_output *word = &caption->outputs[w];
        word->is_timed = true;
        word->begin = w ? caption->outputs[w - 1].end : 0;
        word->end = (float)(end[w] * 2 * SAC_MEL_HOP) / SAC_MEL_RATE;
    }
    return status;
}

/* Cells alone, brought to a sum of 1; the gate is what they had of it, for the rest went to the
 * tokens before them. */
static float weigh_cells(const captioner *c, const float *all, float *cells)
{
    size_t count = (size_t)(c->grid_w * c->grid_h); /* of a sound there is silence behind them */
    double sum = 0;
    if (sac_captioner_queries(c)) {
        float looked;
        sac_prompt_weigh_cells(c, NULL, sac_captioner_pictured(c), all, 1, cells, &looked);
        return looked;
    }
    for (size_t i = 0; i < count; i++)
        sum += all[c->prefix + i];
    for (size_t i = 0; i < count; i++)
        cells[i] = sum > 0 && !(c->hides && c->hidden[c->prefix + i])
                       ? (float)(all[c->prefix + i] / sum)
                       : 0;
    return (float)fmin(sum, 1);
}

static sac_status attention(void *self, const sac_result_request *request, const int *words,
                            const int *rows, int count, float *weights, float *gates,
                            sac_error *error)
{
    captioner *c = self;
    const bool counts = request->attribution == SAC_ATTRIBUTION_RELEVANCE;
    size_t cells = (size_t)(c->grid_w * c->grid_h);
    float *all = malloc((size_t)count * c->seen * sizeof *all);
    (void)rows; /* it is followed by its words */
    c->layered.followed = count;
    sac_status status =
        all ? follow(c, words, count, error) : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK)
        status = mean_weights(c, request->layer, request->head, count, count, all, error);
    for (int t = 0; t < count && status == SAC_OK; t++)
        gates[t] = weigh_cells(c, all + (size_t)t * c->seen, weights + (size_t)t * cells);
    if (status == SAC_OK && sac_captioner_queries(c) &&
        request->attribution == SAC_ATTRIBUTION_ENCODER) /* it is cells that are carried on */
        status = sac_prompt_rollout(c, count, weights, weights, error);
    else if (status == SAC_OK && (counts || request->attribution == SAC_ATTRIBUTION_ENCODER)) {
        status = counts ? sac_captioner_relevance(c, words, count, all, NULL, error)
                        : sac_captioner_carry(c, count, all, error);
        for (int t = 0; t < count && status == SAC_OK; t++)
            weigh_cells(c, all + (size_t)t * c->seen, weights + (size_t)t * cells);
    }
    free(all);
    return status;
}

static sac_status rows_of(captioner *c, const int *words, int count, sac_generation *tokens,
                          sac_error *error)
{
    size_t cells = (size_t)(c->grid_w * c->grid_h);
    sac_status status;
    if (c->decoder->text_decoder.joins)
        status = sac_prefix_rows_take(c, count, tokens, error);
    else
        status = sac_token_run_rows(c, words, count, tokens, error);
    for (size_t t = 0; t < (size_t)count && tokens->cells && status == SAC_OK; t++)
        weigh_cells(c, tokens->rows + t * tokens->count, tokens->cells + t * cells);
    return status;
}

static sac_status attentions_of(captioner *c, const int *words, size_t count, sac_attentions *a,
                                sac_error *error)
{
    if (!c->decoder->text_decoder.joins)
        return sac_token_run_attentions(c, words, count, a, error);
    set_decoding(c);
    return sac_captioner_prefix_attentions(c, words, count, a, error);
}

static sac_status weights_of(captioner *c, int word, int layer, int head, float *weights,
                             sac_error *error)
{
    float *all = malloc((size_t)(word + 1) * c->seen * sizeof *all);
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    sac_status status =
        mean_weights(c, layer + 1, head + 1, word + 1, c->layered.followed, all, error);
    memcpy(weights, all + (size_t)word * c->seen, c->seen * sizeof *weights);
    free(all);
    return status;
}

#define OF_LAYERS                                                                                  \
    .attributions = 1u << SAC_ATTRIBUTION_ENCODER | 1u << SAC_ATTRIBUTION_RELEVANCE,               \
    .destroy = destroy, .forget = forget, .shape = shape, .begin = begin, .prefix = make_prefix,   \
    .step = step, .attention = attention, .rows = rows_of, .attentions = attentions_of,            \
    .times = times, .weights = weights_of
const sac_text_decoder_class sac_text_decoder_of_layers = {.create = create, OF_LAYERS};
const sac_text_decoder_class sac_text_decoder_of_tasks = {
    .create = create_with_task, .ask = ask, OF_LAYERS};
const sac_text_decoder_class sac_text_decoder_of_both = {
    .create = create_joint, .read = sac_joint_read, .ask = sac_joint_ask, OF_LAYERS};
