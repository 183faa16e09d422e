/* A decoder of layers: the keys and values of what was encoded are kept, and all sentences of a
 * beam go on by one token at a time. Where what was seen and the words are one text (`joins`), they
 * stand in the cache before those of the words. The attention of a token is computed of the best sentence
 * alone, from the queries that its steps left. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/prompts/prompt_maps.h"
#include "architectures/captioning/text_decoder.h"
#include "architectures/captioning/word_times.h"
#include "attention/on_operands.h"
#include "base/error.h"
#include "nn/attention/positions.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- memory */

/* Numbers of a token in queries and in keys of what was encoded: of all heads, which T5 has more or
 * less wide than its states. */
static size_t width_of(const captioner *c)
{
    int part = c->decoder->text_decoder.joins ? SAC_PART_SELF : SAC_PART_CROSS;
    return c->decoder->layer[0].attention[part].query.w->shape[0];
}

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

/* A task: tokens by which what is said begins, in the places of words. */
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

static void destroy(captioner *c)
{
    sac_tokens_free(&c->prompted.ids);
    sac_pictured_release(c->prompted.picture);
    free(c->prompted.flow);
    free(c->layered.queries);
    free(c->layered.joint_keys);
}

static sac_status prepare(captioner *c, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    c->layered.keys = calloc((size_t)d->layers * c->seen * width_of(c), sizeof *c->layered.keys);
    return c->layered.keys ? SAC_OK : sac_no_memory(error, d->name);
}

static void forget_laid_out(captioner *c)
{
    for (int i = 0; i < c->decoder->layers; i++)
        sac_laid_out_forget(&c->layered.laid_out[i]);
}

static void forget(captioner *c)
{
    forget_laid_out(c);
    free(c->layered.keys);
    c->layered = (sac_layered_decoder){.queries = c->layered.queries,
                                       .joint_keys = c->layered.joint_keys,
                                       .beam = c->layered.beam,
                                       .kept = c->layered.kept};
}

static void shape(captioner *c)
{
    const sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &c->decoder->pass;
    size_t D = width_of(c);
    if (d->text_decoder.bridge.w)
        sac_arena_shape(&c->arena, pass, &c->layered.bridged, c->seen, d->text_decoder.memory);
    for (int i = 0; i < d->layers; i++) {
        sac_arena_shape(&c->arena, pass, &c->layered.key[i], c->seen, D);
        sac_arena_shape(&c->arena, pass, &c->layered.value[i], c->seen, D);
    }
    size_t most = (size_t)(c->search.length + d->text_decoder.prompt_count) +
                  (d->text_decoder.joins ? c->seen : 0);
    sac_beam_cache_shape(pass, &c->arena, &c->layered.cache, d->layers, SAC_TEXT_DECODER_ROWS, most,
                         sac_architecture_part_width(d, 1));
    if (d->text_decoder.joins) {
        sac_arena_shape(&c->arena, pass, &c->layered.joint,
                        (size_t)d->layers * SAC_TEXT_DECODER_ROWS, D);
        sac_arena_shape_bytes(&c->arena, pass, &c->layered.padding,
                              SAC_TEXT_DECODER_ROWS * (most + 1));
    }
    sac_arena_shape(&c->arena, pass, &c->layered.asked, (size_t)d->layers * SAC_TEXT_DECODER_ROWS,
                    D);
    sac_arena_shape_ints(&c->arena, pass, &c->layered.tokens, SAC_TEXT_DECODER_ROWS);
    sac_arena_shape_ints(&c->arena, pass, &c->layered.places, SAC_TEXT_DECODER_ROWS);
}

/* One set of tensors serves all layers. */
static void shape_step(captioner *c, size_t rows)
{
    sac_pretrained_model *d = c->decoder;
    sac_transformer_run run = d->run;
    run.batch = rows;
    sac_transformer_layer_shape(&d->pass, &c->arena, &d->layer[0], &run, 1,
                                d->text_decoder.joins ? 0 : 1, &c->layered.own);
    sac_arena_shape(&c->arena, &d->pass, &c->layered.x, rows, d->width);
    sac_arena_shape(&c->arena, &d->pass, &c->layered.normed, rows, d->width);
}

/* Of the heads of a layer; empty: they give all of it. */
static sac_tensor scales_of(const sac_position_ids *placing, int layer)
{
    const sac_tensor *all = &placing->scales[SAC_PART_SELF];
    return all->buffer ? sac_tensor_rows(*all, (size_t)layer, 1) : (sac_tensor){0};
}

/* What was seen goes through all layers, and sees itself alone: its keys and values stay, and where they are wanted its
 * queries [L,S,D]. */
static void read_seen(captioner *c, sac_tensor x, float *queries)
{
    sac_pretrained_model *d = c->decoder;
    sac_transformer_tensors own = {0};
    sac_transformer_run run = d->run;
    sac_arena arena = {0};
    run.causal = false;
    sac_position_ids placing = {0};
    sac_captioner_scale_heads(c, &arena, &placing);
    for (int i = 0; i < d->layers && sac_pass_runs(&d->pass); i++) {
        run.head_scale[SAC_PART_SELF] = scales_of(&placing, i);
        own.attention[SAC_PART_SELF].key = c->layered.key[i];
        own.attention[SAC_PART_SELF].value = c->layered.value[i];
        run.scale = d->scale[i];
        sac_transformer_layer_shape(&d->pass, &arena, &d->layer[i], &run, c->seen, 0, &own);
        x = sac_transformer_layer_forward(&d->pass, &d->layer[i], &run, x, (sac_tensor){0}, &own);
        sac_pass_read(&d->pass, c->layered.key[i],
                      c->layered.keys + (size_t)i * c->seen * d->width);
        if (queries)
            sac_pass_read(&d->pass, own.attention[SAC_PART_SELF].query,
                          queries + (size_t)i * c->seen * d->width);
    }
    sac_arena_release(&arena);
}

/* The decoder's keys and values of what was encoded are the same for all that it says. */
static void begin(captioner *c)
{
    sac_pretrained_model *d = c->decoder;
    const sac_dense *bridge = &d->text_decoder.bridge;
    sac_tensor memory = c->memory;
    forget_laid_out(c);
    if (bridge->w) {
        memory = c->layered.bridged;
        sac_linear_forward(&d->pass, memory, c->memory, bridge->w, bridge->b);
    }
    if (d->text_decoder.bridged.gain)
        sac_layer_norm_forward(&d->pass, &d->text_decoder.bridged, memory, memory);
    if (d->text_decoder.joins) {
        read_seen(c, memory, NULL);
        return;
    }
    for (int i = 0; i < d->layers; i++) {
        sac_transformer_tensors own = {0};
        own.attention[SAC_PART_CROSS].key = c->layered.key[i];
        own.attention[SAC_PART_CROSS].value = c->layered.value[i];
        sac_transformer_part_keys(&d->pass, &d->layer[i], SAC_PART_CROSS, memory, &own);
        sac_pass_read(&d->pass, c->layered.key[i],
                      c->layered.keys + (size_t)i * c->seen * width_of(c));
    }
}

/* ---------------------------------------------------------------- one token of all sentences */

/* Where the rows' queries (or keys) of a step and a layer lie, [beam,D]. */
static size_t place_of(const captioner *c, int step, int layer)
{
    const sac_pretrained_model *d = c->decoder;
    return (size_t)(step * d->layers + layer) * c->layered.beam * width_of(c);
}

/* Room on the host for those of all steps up to one. */
static void keep_step(captioner *c, int step)
{
    sac_pass *pass = &c->decoder->pass;
    const size_t needed = place_of(c, step + 1, 0);
    if (needed <= c->layered.kept)
        return;
    float **kept[] = {&c->layered.queries, &c->layered.joint_keys};
    for (int i = 0; i < (c->decoder->text_decoder.joins ? 2 : 1); i++) {
        float *more = realloc(*kept[i], 2 * needed * sizeof *more);
        if (more)
            *kept[i] = more;
        else
            SAC_PASS_CALL(pass, sac_no_memory(&pass->error, c->decoder->name));
    }
    if (sac_pass_runs(pass))
        c->layered.kept = 2 * needed;
}

static void read_step(captioner *c, sac_tensor x, int step, float *kept)
{
    sac_pass *pass = &c->decoder->pass;
    if (sac_pass_runs(pass))
        sac_pass_read(pass, sac_tensor_rows(x, 0, (size_t)c->decoder->layers * c->layered.beam),
                      kept + place_of(c, step, 0));
}

float sac_captioner_score_scale(const captioner *c, int layer)
{
    const sac_pretrained_model *d = c->decoder;
    float own = d->scale[layer], depth = (float)width_of(c) / (float)d->run.heads;
    if (!(c->temperature > 0))
        return own;
    return (own > 0 ? own : 1 / sqrtf(depth)) / c->temperature;
}

/* Behind what was seen, the words of each row so far. */
static void hide(captioner *c, size_t rows, sac_transformer_run *run)
{
    size_t each = c->layered.cache.gathered.count / rows;
    uint8_t *hidden = calloc(rows, each);
    for (size_t r = 0; hidden && r < rows; r++)
        memcpy(hidden + r * each, c->hidden, c->seen);
    c->layered.padding.count = rows * each;
    if (hidden)
        sac_pass_write_bytes(&c->decoder->pass, c->layered.padding, hidden);
    else
        SAC_PASS_CALL(&c->decoder->pass, sac_no_memory(&c->decoder->pass.error, c->decoder->name));
    free(hidden);
    run->padding = c->layered.padding.buffer;
}

/* All layers, of one text. */
static sac_tensor run_joined(captioner *c, size_t rows)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_beam_cache *cache = &c->layered.cache;
    sac_transformer_run run = d->run;
    sac_tensor x = c->layered.x;
    run.batch = rows;
    run.causal = false; /* of one query, the last, all keys are before it */
    if (c->hides)
        hide(c, rows, &run);
    sac_captioner_scale_heads(c, &c->arena, &c->layered.placing);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        size_t first = (size_t)i * c->layered.beam;
        run.scale = sac_captioner_score_scale(c, i);
        run.head_scale[SAC_PART_SELF] = scales_of(&c->layered.placing, i);
        c->layered.own.attention[SAC_PART_SELF].query =
            sac_tensor_rows(c->layered.asked, first, rows);
        x = sac_beam_cache_layer(pass, cache, i, &d->layer[i], &run, x, &c->layered.own);
        sac_pass_copy(pass, sac_tensor_rows(c->layered.joint, first, rows),
                      sac_tensor_rows(cache->key[i][cache->now], cache->rows * cache->words, rows));
    }
    return x;
}

static sac_tensor run_layers(captioner *c, size_t place, size_t rows)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_tensor x = c->layered.x;
    sac_architecture_place(d, &c->arena, &c->layered.placing, place, 1,
                           (size_t)(c->search.length + d->text_decoder.prompt_count), NULL);
    sac_captioner_scale_heads(c, &c->arena, &c->layered.placing);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(d, i, &c->layered.placing);
        run.batch = rows;
        run.causal = false; /* of one query, the last, all keys are before it */
        run.memories = 1;
        run.memory_padding = c->hides ? c->mask.buffer : NULL;
        sac_multihead_tensors *cross = &c->layered.own.attention[SAC_PART_CROSS];
        run.cross_scale = sac_captioner_score_scale(c, i);
        cross->query = sac_tensor_rows(c->layered.asked, (size_t)i * c->layered.beam, rows);
        cross->key = c->layered.key[i];
        cross->value = c->layered.value[i];
        cross->laid_out = &c->layered.laid_out[i];
        x = sac_beam_cache_layer(pass, &c->layered.cache, i, &d->layer[i], &run, x,
                                 &c->layered.own);
    }
    return x;
}

/* The first words stand behind what was seen. */
static void begin_sentence(captioner *c)
{
    sac_beam_cache *cache = &c->layered.cache;
    sac_pretrained_model *d = c->decoder;
    sac_beam_cache_empty(cache);
    if (!d->text_decoder.joins)
        return;
    sac_beam_cache_begin_behind(&d->pass, cache, c->seen);
    for (int i = 0; i < d->layers; i++) {
        sac_pass_copy(&d->pass, sac_tensor_rows(cache->key[i][0], 0, c->seen), c->layered.key[i]);
        sac_pass_copy(&d->pass, sac_tensor_rows(cache->value[i][0], 0, c->seen),
                      c->layered.value[i]);
    }
}

/* BERT has one more layer before its logits, GPT-2 a norm. */
static void predict(captioner *c, sac_tensor x, float *logits)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    const sac_text_decoder *v = &d->text_decoder;
    if (d->last_norm.gain) {
        sac_layer_norm_forward(pass, &d->last_norm, c->layered.normed, x);
        x = c->layered.normed;
    }
    if (v->change.w) {
        sac_linear_forward(pass, c->layered.normed, x, v->change.w, v->change.b);
        sac_activate(pass, c->layered.normed, d->run.activation);
        sac_layer_norm_forward(pass, &v->changed, c->layered.normed, c->layered.normed);
        x = c->layered.normed;
    }
    if (v->narrows) /* behind a norm, which gave it memory of its own */
        sac_scale(pass, x, 1 / sqrtf((float)d->width));
    sac_linear_forward(pass, c->logits, x, d->head ? d->head : d->words, v->bias);
    sac_pass_read(pass, c->logits, logits);
}

/* One word of each row, which stands at `place`. */
static sac_tensor advance(captioner *c, const int *words, const int *parents, size_t rows,
                          size_t place)
{
    sac_pretrained_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_beam_cache_step(pass, &c->layered.cache, parents, (int)rows);
    c->layered.tokens.count = c->layered.places.count = rows;
    sac_pass_write_ints(pass, c->layered.tokens, words);
    if (d->positions)
        sac_positions_place(pass, c->layered.places, d->positions->value, 1, d->first_place + place,
                            NULL);
    sac_architecture_embed(d, &c->arena, &c->layered.narrow, c->layered.x, c->layered.tokens,
                           c->layered.places, rows);
    return d->text_decoder.joins ? run_joined(c, rows) : run_layers(c, place, rows);
}

static void step(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    const sac_text_decoder *v = &c->decoder->text_decoder;
    size_t before;
    const int *prompt = sac_captioner_begins(c, &before);
    int words[SAC_TEXT_DECODER_ROWS], parents[SAC_TEXT_DECODER_ROWS];
    sac_beam_last(beam, words, parents);
    if (beam->step == 0) {
        c->layered.beam = (size_t)beam->options.width;
        begin_sentence(c);
    }
    for (size_t i = 0; beam->step == 0 && i < before; i++)
        advance(c, &prompt[i], &(int){0}, 1, i);
    sac_tensor x = advance(c, words, parents, (size_t)beam->rows, before + (size_t)beam->step);
    keep_step(c, beam->step);
    read_step(c, c->layered.asked, beam->step, c->layered.queries);
    if (v->joins)
        read_step(c, c->layered.joint, beam->step, c->layered.joint_keys);
    predict(c, x, result->logits);
}

/* ---------------------------------------------------------------- the attention of the words */

/* The best sentence's queries (or keys) of `count` steps from `first` on to one layer, [count,D]. */
static void gather(const captioner *c, const float *steps, int layer, int first, int count,
                   float *rows)
{
    size_t D = width_of(c);
    for (int i = 0; i < count; i++) {
        const int t = first + i;
        memcpy(rows + (size_t)i * D, steps + place_of(c, t, layer) + (size_t)c->rows[t] * D,
               D * sizeof *rows);
    }
}

/* Keys [S,D] of what was seen; of one text those of the words stand behind them. */
static sac_status attend(const captioner *c, int layer, const float *queries, int count,
                         sac_attention **attention, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    bool joins = d->text_decoder.joins;
    size_t D = width_of(c), S = c->seen, all = S + (joins ? (size_t)count : 0);
    const size_t asked[] = {(size_t)count, D}, seen[] = {all, D}, mask[] = {1, all};
    float *keys = malloc(all * D * sizeof *keys);
    uint8_t *hides = calloc(all, 1);
    if (!keys || !hides) {
        free(keys);
        free(hides);
        return sac_no_memory(error, d->name);
    }
    memcpy(keys, c->layered.keys + (size_t)layer * S * D, S * D * sizeof *keys);
    memcpy(hides, c->hidden, S);
    if (joins)
        gather(c, c->layered.joint_keys, layer, 0, count, keys + S * D);
    sac_array query = sac_array_view(SAC_F32, 2, asked, queries);
    sac_array key = sac_array_view(SAC_F32, 2, seen, keys);
    sac_array hidden = sac_array_view(SAC_BOOL, 2, mask, hides);
    const sac_attention_input input = {
        .query = &query, .key = &key, .value = &key, .key_padding_mask = c->hides ? &hidden : NULL};
    const sac_attention_spec spec = {.heads = d->run.heads,
                                     .causal = joins,
                                     .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                                     .use_scale = sac_captioner_score_scale(c, layer) > 0,
                                     .scale = sac_captioner_score_scale(c, layer)};
    sac_status status = sac_attention_create(d->device, &spec, &input, attention, error);
    free(keys);
    free(hides);
    return status;
}

/* Adds to sums [count,keys] the weights of heads first … last of a layer at `count` steps from `step` on: on the
 * first keys, S of them or with `own` those of the words, too; `map` [count,keys] is scratch. */
static sac_status add_layer(const captioner *c, int layer, int first, int last, int step, int count,
                            bool own, float *map, float *sums, sac_error *error)
{
    size_t keys = c->seen + (own ? (size_t)count : 0), numbers = (size_t)count * keys;
    sac_attention *attention = NULL;
    float *queries = malloc((size_t)count * width_of(c) * sizeof *queries);
    if (queries)
        gather(c, c->layered.queries, layer, step, count, queries);
    sac_status status = queries ? attend(c, layer, queries, count, &attention, error)
                                : sac_no_memory(error, c->decoder->name);
    for (int head = first; head <= last && status == SAC_OK; head++) {
        sac_tile tile = {.head = (size_t)head, .rows = (size_t)count, .cols = keys};
        status = sac_attention_tile(attention, &tile, map, error);
        for (size_t i = 0; i < numbers && status == SAC_OK; i++)
            sums[i] += map[i];
    }
    sac_attention_destroy(attention);
    free(queries);
    return status;
}

/* The frames, two a cell, at which the first `count` tokens end: each is the input of the step behind its own, and
 * what that step looks at comes after it. */
static sac_status find_ends(const captioner *c, int count, size_t *end, sac_error *error)
{
    const sac_audio_encoder *h = &c->model->audio;
    const size_t words = (size_t)count, cells = sac_sound_cells(c);
    float *map = malloc((words * c->seen + 1) * sizeof *map);
    float *sums = malloc((words * c->seen + 1) * sizeof *sums);
    float *sum = calloc(words * cells + 1, sizeof *sum);
    sac_status status = map && sums && sum ? SAC_OK : sac_no_memory(error, c->decoder->name);
    for (int i = 0; i < h->aligned && count && status == SAC_OK; i++) {
        int head = h->aligned_head[i];
        memset(sums, 0, words * c->seen * sizeof *sums);
        status = add_layer(c, h->aligned_layer[i], head, head, 1, count, false, map, sums, error);
        for (size_t w = 0; w < words && status == SAC_OK; w++)
            memcpy(map + w * cells, sums + w * c->seen, cells * sizeof *map);
        if (status == SAC_OK)
            sac_word_times_add(map, words, cells, (size_t)h->median, sum);
    }
    if (status == SAC_OK && count && !sac_word_times_find(sum, words, cells, end))
        status = sac_no_memory(error, c->decoder->name);
    free(map);
    free(sums);
    free(sum);
    return status;
}

/* As transformers has them: a token begins where the one before it ends. Of a sentence that was cut no step has
 * the last token as input; it ends with the one before it. */
static sac_status times(captioner *c, sac_caption *caption, sac_error *error)
{
    const int count = caption->count, end_row = sac_generated_end_row(c->generation);
    const int known = end_row < 0 ? count - 1 : count;
    size_t end[SAC_MAX_TOKENS] = {0};
    c->rows[count] = end_row;
    sac_status status = find_ends(c, known, end, error);
    if (known < count && known > 0)
        end[known] = end[known - 1];
    for (int w = 0; w < count && status == SAC_OK; w++) {
        sac_caption_word *word = &caption->words[w];
        word->is_timed = true;
        word->begin = w ? caption->words[w - 1].end : 0;
        word->end = (float)(end[w] * 2 * SAC_MEL_HOP) / SAC_MEL_RATE;
    }
    return status;
}

/* The mean over the heads and layers that are asked for (0: all, else counted from 1), [count,S].
 */
static sac_status mean_weights(const captioner *c, int layer, int head, int count, float *mean,
                               sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    int layers = layer ? 1 : d->layers, heads = head ? 1 : d->run.heads;
    size_t numbers = (size_t)count * c->seen;
    float *map = malloc(numbers * sizeof *map);
    if (!map)
        return sac_no_memory(error, d->name);
    sac_status status = SAC_OK;
    memset(mean, 0, numbers * sizeof *mean);
    for (int i = layer ? layer - 1 : 0; layers > 0 && status == SAC_OK; i++, layers--)
        status = add_layer(c, i, head ? head - 1 : 0, head ? head - 1 : d->run.heads - 1, 0, count,
                           false, map, mean, error);
    for (size_t i = 0; i < numbers; i++)
        mean[i] /= (float)(heads * (layer ? 1 : d->layers));
    free(map);
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

static sac_status attention(void *self, const sac_caption_request *request, const int *words,
                            const int *rows, int count, float *weights, float *gates,
                            sac_error *error)
{
    captioner *c = self;
    const bool counts = request->attribution == SAC_ATTRIBUTION_RELEVANCE;
    size_t cells = (size_t)(c->grid_w * c->grid_h);
    float *all = malloc((size_t)count * c->seen * sizeof *all);
    memcpy(c->rows, rows, (size_t)count * sizeof *rows);
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    sac_status status = mean_weights(c, request->layer, request->head, count, all, error);
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

/* Of one text, whose words stand behind what was seen. */
static sac_status joined_rows(captioner *c, const int *words, int count, sac_generation *tokens,
                              sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    size_t keys = c->seen + (size_t)count, numbers = (size_t)count * keys;
    float *map = calloc(2 * numbers + 1, sizeof *map), *sums = map + numbers;
    sac_status status = map ? SAC_OK : sac_no_memory(error, d->name);
    (void)words; /* their keys and queries are kept */
    memset(c->rows, 0, (size_t)count * sizeof *c->rows);
    for (int i = 0; i < d->layers && status == SAC_OK; i++)
        status = add_layer(c, i, 0, d->run.heads - 1, 0, count, true, map, sums, error);
    for (size_t t = 0; t < (size_t)count && status == SAC_OK; t++)
        for (size_t i = 0; i < keys; i++)
            tokens->rows[t * tokens->count + i] =
                sums[t * keys + i] / (float)(d->layers * d->run.heads);
    free(map);
    return status;
}

static sac_status rows_of(captioner *c, const int *words, int count, sac_generation *tokens,
                          sac_error *error)
{
    size_t cells = (size_t)(c->grid_w * c->grid_h);
    sac_status status = c->decoder->text_decoder.joins
                            ? joined_rows(c, words, count, tokens, error)
                            : sac_token_run_rows(c, words, count, tokens, error);
    for (size_t t = 0; t < (size_t)count && tokens->cells && status == SAC_OK; t++)
        weigh_cells(c, tokens->rows + t * tokens->count, tokens->cells + t * cells);
    return status;
}

/* What was seen sees itself alone, all of it: a part of its own. */
static sac_status add_prompt(captioner *c, sac_attentions *a, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const size_t S = c->seen, D = width_of(c), L = (size_t)d->layers, H = (size_t)d->run.heads;
    const sac_attention_kind form = {
        .name = "prompt", .layers = L, .heads = H, .steps = S, .positions = S};
    sac_attention_kind *part;
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    if (status != SAC_OK || !part)
        return status;
    float *queries = malloc(L * S * D * sizeof *queries);
    if (!queries)
        return sac_no_memory(error, d->name);
    sac_device_lock(d->device);
    read_seen(c, d->text_decoder.bridge.w ? c->layered.bridged : c->memory, queries);
    status = sac_pass_end(&d->pass, error);
    sac_device_unlock(d->device);
    for (size_t i = 0; i < L && status == SAC_OK; i++)
        status = sac_architecture_weigh(d, queries + i * S * D, c->layered.keys + i * S * D, S, S,
                                        part->weights + i * H * S * S, error);
    free(queries);
    if (status == SAC_OK)
        status = sac_captioner_name_encoded(c, &part->step_labels, error);
    return status == SAC_OK ? sac_labels_copy(&part->step_labels, &part->position_labels, error)
                            : status;
}

/* The words, as if they had been chosen one after the other: their queries and keys stay. */
static sac_status follow(captioner *c, const int *words, size_t count, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    sac_status status = SAC_OK;
    c->layered.beam = 1;
    sac_device_lock(d->device);
    shape_step(c, 1);
    begin_sentence(c);
    for (size_t t = 0; t < count && status == SAC_OK; t++) {
        const int before = t ? words[t - 1] : c->search.start;
        advance(c, &before, &(int){0}, 1, t);
        keep_step(c, (int)t);
        read_step(c, c->layered.asked, (int)t, c->layered.queries);
        read_step(c, c->layered.joint, (int)t, c->layered.joint_keys);
        status = sac_pass_end(&d->pass, error);
    }
    sac_device_unlock(d->device);
    memset(c->rows, 0, count * sizeof *c->rows);
    return status;
}

/* Of one text: columns are what was seen, the start and the words but the last. */
static sac_status name_joined(const captioner *c, const int *words, size_t count,
                              sac_attention_kind *kind, sac_error *error)
{
    int ids[SAC_MAX_TOKENS + 1] = {c->search.start};
    sac_labels before = {0};
    memcpy(ids + 1, words, count * sizeof *words);
    sac_status status =
        sac_architecture_label_tokens(c->decoder, words, count, &kind->step_labels, error);
    if (status == SAC_OK)
        status = sac_captioner_name_encoded(c, &kind->position_labels, error);
    if (status == SAC_OK)
        status = sac_architecture_label_tokens(c->decoder, ids, count, &before, error);
    return status == SAC_OK ? sac_labels_append(&kind->position_labels, &before, error) : status;
}

static sac_status joined_attentions(captioner *c, const int *words, size_t count, sac_attentions *a,
                                    sac_error *error)
{
    const size_t L = (size_t)c->decoder->layers, H = (size_t)c->decoder->run.heads;
    const size_t keys = c->seen + count;
    sac_attention_kind *kind = &a->kind[SAC_DECODER_ATTENTION];
    float *map = malloc(count * keys * sizeof *map);
    sac_status status = map ? sac_attentions_add(a, SAC_DECODER_ATTENTION, L, H, count, keys, error)
                            : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK)
        status = follow(c, words, count, error);
    for (size_t i = 0; i < L * H && status == SAC_OK; i++)
        status = add_layer(c, (int)(i / H), (int)(i % H), (int)(i % H), (int)count, true, map,
                           kind->weights + i * count * keys, error);
    free(map);
    if (status == SAC_OK)
        status = name_joined(c, words, count, kind, error);
    return status == SAC_OK ? add_prompt(c, a, error) : status;
}

static sac_status attentions_of(captioner *c, const int *words, size_t count, sac_attentions *a,
                                sac_error *error)
{
    return (c->decoder->text_decoder.joins ? joined_attentions
                                           : sac_token_run_attentions)(c, words, count, a, error);
}

static sac_status weights_of(captioner *c, int word, int layer, int head, float *weights,
                             sac_error *error)
{
    size_t numbers = (size_t)(word + 1) * c->seen;
    float *all = malloc(numbers * sizeof *all);
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    sac_status status = mean_weights(c, layer + 1, head + 1, word + 1, all, error);
    memcpy(weights, all + (size_t)word * c->seen, c->seen * sizeof *weights);
    free(all);
    return status;
}

#define OF_LAYERS                                                                                  \
    .attributions = 1u << SAC_ATTRIBUTION_ENCODER | 1u << SAC_ATTRIBUTION_RELEVANCE,               \
    .destroy = destroy, .prepare = prepare, .forget = forget, .shape = shape,                      \
    .shape_step = shape_step, .begin = begin, .step = step, .attention = attention,                \
    .rows = rows_of, .attentions = attentions_of, .times = times, .weights = weights_of
const sac_text_decoder_class sac_text_decoder_of_layers = {.create = create, OF_LAYERS};
const sac_text_decoder_class sac_text_decoder_of_tasks = {
    .create = create_with_task, .ask = ask, OF_LAYERS};
const sac_text_decoder_class sac_text_decoder_of_both = {
    .create = create_joint, .read = sac_joint_read, .ask = sac_joint_ask, OF_LAYERS};
