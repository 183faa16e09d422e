/* A picture is encoded once, and its keys and values are kept; then all sentences of a beam go on
 * by one token at a time. What a token looked at is computed of the best sentence alone, from the
 * queries that its steps left. */
#include "families/captioner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "families/family.h"
#include "families/token_texts.h"
#include "models/decode.h"
#include "nn/beam_cache.h"
#include "nn/layers.h"
#include "nn/positions.h"

enum { ROWS = SAC_BEAM_WIDTH, WORDS = SAC_SPOKEN_WORDS };

struct sac_family_captioner {
    sac_model base; /* its class and its decoding alone */
    sac_family_model *model, *decoder;
    sac_token_texts words;
    int read[SAC_SPOKEN_WORDS]; /* the tokens of a text, of which it speaks in place of a picture */
    int grid_w, grid_h;
    size_t prefix, seen; /* tokens before the cells, and all of them: S; 0: nothing yet */
    sac_arena arena;
    sac_tensor memory, bridged;                                  /* [S,seen], [S,memory] */
    sac_tensor key[SAC_FAMILY_LAYERS], value[SAC_FAMILY_LAYERS]; /* [S,D], of what was seen */
    sac_beam_cache cache;
    sac_ints said, places;        /* [R] */
    sac_tensor x, normed, logits; /* [R,D], [R,D], [R,V] */
    sac_transformer_tensors own;
    sac_recurrent_tensors recurrent; /* in place of those from key to own, where it is an LSTM */
    sac_byte_tensor mask;            /* [S], 1: hidden */
    uint8_t *hidden;                 /* the same on the host, of the sentence spoken last … */
    bool hides;                      /* … where anything is */
    float temperature;               /* of it */
    float *keys;                     /* [L,S,D], host */
    float *queries;                  /* [WORDS,L,ROWS,D], host: of each step */
    int rows[WORDS];                 /* of the sentence spoken last */
};

typedef sac_family_captioner captioner;

static captioner *captioner_of(sac_model *model)
{
    return (captioner *)model;
}

/* ---------------------------------------------------------------- seeing */

/* One set of tensors serves all layers. */
static void shape_step(captioner *c, size_t rows)
{
    sac_family_model *d = c->decoder;
    sac_transformer_run run = d->run;
    sac_arena_shape(&c->arena, &d->pass, &c->logits, rows, d->vocabulary);
    if (d->voice.recurrent) {
        sac_recurrent_shape(d->voice.recurrent, &d->pass, &c->arena, c->seen, rows, &c->recurrent);
        return;
    }
    run.batch = rows;
    sac_transformer_layer_shape(&d->pass, &c->arena, &d->layer[0], &run, 1, 1, &c->own);
    sac_arena_shape(&c->arena, &d->pass, &c->x, rows, d->width);
    sac_arena_shape(&c->arena, &d->pass, &c->normed, rows, d->width);
}

static void shape_layers(captioner *c)
{
    const sac_family_model *d = c->decoder;
    sac_pass *pass = &c->decoder->pass;
    size_t D = d->width;
    if (d->voice.bridge.w)
        sac_arena_shape(&c->arena, pass, &c->bridged, c->seen, d->voice.memory);
    for (int i = 0; i < d->layers; i++) {
        sac_arena_shape(&c->arena, pass, &c->key[i], c->seen, D);
        sac_arena_shape(&c->arena, pass, &c->value[i], c->seen, D);
    }
    sac_beam_cache_shape(pass, &c->arena, &c->cache, d->layers, ROWS, WORDS, D);
    sac_arena_shape_ints(&c->arena, pass, &c->said, ROWS);
    sac_arena_shape_ints(&c->arena, pass, &c->places, ROWS);
}

static void shape(captioner *c)
{
    sac_pass *pass = &c->decoder->pass;
    sac_arena_shape(&c->arena, pass, &c->memory, c->seen, c->decoder->voice.seen);
    if (!c->decoder->voice.recurrent)
        shape_layers(c);
    shape_step(c, ROWS);
    sac_arena_shape_bytes(&c->arena, pass, &c->mask, c->seen);
}

static void forget(captioner *c)
{
    sac_arena_release(&c->arena);
    c->memory = c->bridged = c->x = c->normed = c->logits = (sac_tensor){0};
    memset(c->key, 0, sizeof c->key);
    memset(c->value, 0, sizeof c->value);
    c->cache = (sac_beam_cache){0};
    c->said = c->places = (sac_ints){0};
    c->own = (sac_transformer_tensors){0};
    c->recurrent = (sac_recurrent_tensors){0};
    c->mask = (sac_byte_tensor){0};
    free(c->keys);
    free(c->hidden);
    c->keys = NULL;
    c->hidden = NULL;
    c->seen = 0;
}

/* Memory for what has so many tokens. */
static sac_status prepare(captioner *c, const sac_passage *p, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    if (c->seen != p->count)
        forget(c);
    c->prefix = (size_t)p->prefix;
    c->grid_w = p->grid_w ? p->grid_w : (int)p->count; /* a text's tokens stand in one row */
    c->grid_h = p->grid_w ? p->grid_h : 1;
    if (c->seen == p->count)
        return SAC_OK;
    if (!d->voice.recurrent)
        c->keys = calloc((size_t)d->layers * p->count * d->width, sizeof *c->keys);
    c->hidden = calloc(p->count, 1);
    if (!c->hidden || (!c->keys && !d->voice.recurrent))
        return sac_fail(error, SAC_E_MEMORY, d->name, NULL, "no memory for what it sees");
    c->seen = p->count;
    shape(c);
    return SAC_OK;
}

/* The decoder's keys and values of what was seen are the same for all that it says. */
static void keep_memory(captioner *c, const float *states)
{
    sac_family_model *d = c->decoder;
    const sac_dense *bridge = &d->voice.bridge;
    sac_tensor memory = c->memory;
    sac_pass_write(&d->pass, c->memory, states);
    if (d->voice.recurrent) {
        sac_recurrent_begin(d->voice.recurrent, &d->pass, memory, &c->recurrent);
        return;
    }
    if (bridge->w) {
        memory = c->bridged;
        sac_linear_forward(&d->pass, memory, c->memory, bridge->w, bridge->b);
    }
    for (int i = 0; i < d->layers; i++) {
        sac_transformer_tensors own = {0};
        own.attention[SAC_PART_CROSS].key = c->key[i];
        own.attention[SAC_PART_CROSS].value = c->value[i];
        sac_transformer_part_keys(&d->pass, &d->layer[i], SAC_PART_CROSS, memory, &own);
        sac_pass_read(&d->pass, c->key[i], c->keys + (size_t)i * c->seen * d->width);
    }
}

/* The encoder's weights have done their work until there is another picture: of BLIP-base 258 MB,
 * which go and come back in 40 ms. */
static sac_status take_passage(captioner *c, const sac_passage *p, sac_error *error)
{
    const sac_family_model *m = c->model;
    sac_status status = prepare(c, p, error);
    if (status != SAC_OK) {
        forget(c);
        return status;
    }
    sac_device_lock(m->device);
    sac_pretrained_rest(m->files);
    keep_memory(c, p->states + (size_t)m->layers * p->count * m->width);
    status = sac_pass_end(&c->decoder->pass, error);
    sac_device_unlock(m->device);
    if (status != SAC_OK)
        forget(c);
    return status;
}

sac_status sac_family_captioner_look(captioner *c, const sac_image *picture, sac_image *shown,
                                     sac_error *error)
{
    sac_passage *p;
    sac_status status = sac_passage_see(c->model, picture, SAC_FIT_SHOWN, &p, error);
    if (status != SAC_OK)
        return status;
    status = take_passage(c, p, error);
    if (status == SAC_OK && shown) {
        *shown = p->image;
        p->image = (sac_image){0};
    }
    sac_passage_free(p);
    return status;
}

sac_status sac_family_captioner_look_at(captioner *c, const float *pixels, int width, int height,
                                        sac_error *error)
{
    sac_passage *p;
    sac_status status = sac_passage_see_pixels(c->model, pixels, width, height, &p, error);
    if (status == SAC_OK)
        status = take_passage(c, p, error);
    sac_passage_free(p);
    return status;
}

sac_status sac_family_captioner_read_tokens(captioner *c, const int *ids, size_t count,
                                            sac_error *error)
{
    sac_passage *p;
    if (count > SAC_SPOKEN_WORDS)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give a shorter one",
                        "has %zu pieces; up to %d are translated here", count, SAC_SPOKEN_WORDS);
    sac_status status = sac_passage_read_tokens(c->model, ids, count, &p, error);
    if (status != SAC_OK)
        return status;
    memcpy(c->read, ids, p->count * sizeof *ids);
    status = take_passage(c, p, error);
    sac_passage_free(p);
    return status;
}

void sac_family_captioner_grid(const captioner *c, int *width, int *height)
{
    *width = c->grid_w;
    *height = c->grid_h;
}

/* ---------------------------------------------------------------- one token of all sentences */

static void embed(captioner *c, const sac_beam *beam)
{
    sac_family_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    int words[ROWS], parents[ROWS];
    sac_tensor places = d->positions->value;
    sac_beam_last(beam, words, parents);
    if (beam->step == 0)
        sac_beam_cache_empty(&c->cache);
    sac_beam_cache_step(pass, &c->cache, parents, beam->rows);
    c->said.count = c->places.count = (size_t)beam->rows;
    sac_pass_write_ints(pass, c->said, words);
    sac_embedding_forward(pass, c->x, d->words, c->said);
    sac_positions_place(pass, c->places, places, 1, d->first_place + (size_t)beam->step, NULL);
    sac_positions_add(pass, c->x, d->word_scale, places, c->places);
    if (d->first_norm.gain)
        sac_layer_norm_forward(pass, &d->first_norm, c->x, c->x);
}

/* The rows' queries to what was seen, of a step and a layer: [ROWS,D]. */
static float *queries_of(const captioner *c, int step, int layer)
{
    const sac_family_model *d = c->decoder;
    return c->queries + (size_t)(step * d->layers + layer) * ROWS * d->width;
}

static float scale_of(const captioner *c)
{
    const sac_family_model *d = c->decoder;
    float depth = (float)d->width / (float)d->run.heads;
    return c->temperature > 0 ? 1 / (sqrtf(depth) * c->temperature) : 0;
}

static sac_tensor run_layers(captioner *c, int step, size_t rows)
{
    sac_family_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    sac_transformer_run runs[2] = {d->run, d->run};
    sac_tensor x = c->x;
    runs[SAC_PART_SELF].batch = rows;
    runs[SAC_PART_SELF].causal = false; /* of one query, the last, all keys are before it */
    runs[SAC_PART_CROSS].batch = 1;
    runs[SAC_PART_CROSS].cross_scale = scale_of(c);
    runs[SAC_PART_CROSS].memory_padding = c->hides ? c->mask.buffer : NULL;
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        c->own.attention[SAC_PART_CROSS].key = c->key[i];
        c->own.attention[SAC_PART_CROSS].value = c->value[i];
        x = sac_beam_cache_layer(pass, &c->cache, i, &d->layer[i], runs, x, &c->own);
        sac_pass_read(pass, c->own.attention[SAC_PART_CROSS].query, queries_of(c, step, i));
    }
    return x;
}

/* BERT has one more layer before its logits, GPT-2 a norm. */
static void tell(captioner *c, sac_tensor x, float *logits)
{
    sac_family_model *d = c->decoder;
    sac_pass *pass = &d->pass;
    const sac_voice *v = &d->voice;
    if (d->last_norm.gain) {
        sac_layer_norm_forward(pass, &d->last_norm, c->normed, x);
        x = c->normed;
    }
    if (v->change.w) {
        sac_linear_forward(pass, c->normed, x, v->change.w, v->change.b);
        sac_activate(pass, c->normed, d->run.activation);
        sac_layer_norm_forward(pass, &v->changed, c->normed, c->normed);
        x = c->normed;
    }
    sac_linear_forward(pass, c->logits, x, d->words, v->bias);
    sac_pass_read(pass, c->logits, logits);
}

/* The same of an LSTM, whose weights come along. */
static void step_recurrent(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    sac_family_model *d = c->decoder;
    int words[ROWS], parents[ROWS];
    sac_beam_last(beam, words, parents);
    const sac_recurrent_step step = {.is_first = beam->step == 0,
                                     .words = words,
                                     .parents = parents,
                                     .temperature = c->temperature,
                                     .hidden = c->hides ? c->mask.buffer : NULL};
    sac_recurrent_go_on(d->voice.recurrent, &d->pass, &step, c->memory, c->logits, &c->recurrent);
    sac_pass_read(&d->pass, c->logits, result->logits);
    sac_pass_read(&d->pass, c->recurrent.weights, result->weights);
    sac_pass_read(&d->pass, c->recurrent.open, result->gate);
}

static sac_status check_numbers(const captioner *c, const float *logits, size_t count,
                                sac_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(logits[i]))
            return sac_fail(error, SAC_E_VALUE, c->model->folder, "take a copy that is not damaged",
                            "its weights lead to no numbers");
    return SAC_OK;
}

static sac_status step(sac_model *model, const sac_beam *beam, const sac_caption_request *request,
                       const sac_step_result *result, sac_error *error)
{
    captioner *c = captioner_of(model);
    sac_family_model *d = c->decoder;
    size_t rows = (size_t)beam->rows;
    (void)request; /* what it asks for is there already */
    sac_status status = sac_cancel_check(d->name, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(d->device);
    shape_step(c, rows);
    if (d->voice.recurrent) {
        step_recurrent(c, beam, result);
    } else {
        embed(c, beam);
        tell(c, run_layers(c, beam->step, rows), result->logits);
    }
    status = sac_pass_end(&d->pass, error);
    sac_device_unlock(d->device);
    return status == SAC_OK ? check_numbers(c, result->logits, rows * d->vocabulary, error)
                            : status;
}

/* ---------------------------------------------------------------- what the words looked at */

/* The queries of all words of the best sentence to one layer, [count,D]. */
static float *gather_queries(const captioner *c, int layer, int count)
{
    size_t D = c->decoder->width;
    float *queries = malloc((size_t)count * D * sizeof *queries);
    for (int t = 0; queries && t < count; t++)
        memcpy(queries + (size_t)t * D, queries_of(c, t, layer) + (size_t)c->rows[t] * D,
               D * sizeof *queries);
    return queries;
}

static sac_status attend(const captioner *c, int layer, const float *queries, int count,
                         sac_attention **attention, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    const size_t asked[] = {(size_t)count, d->width}, seen[] = {c->seen, d->width};
    const size_t mask[] = {1, c->seen};
    sac_array query = sac_array_view(SAC_F32, 2, asked, queries);
    sac_array key = sac_array_view(SAC_F32, 2, seen, c->keys + (size_t)layer * c->seen * d->width);
    sac_array hidden = sac_array_view(SAC_BOOL, 2, mask, c->hidden);
    const sac_attention_input input = {
        .query = &query, .key = &key, .value = &key, .key_padding_mask = c->hides ? &hidden : NULL};
    const sac_attention_spec spec = {
        .heads = d->run.heads, .use_scale = c->temperature > 0, .scale = scale_of(c)};
    return sac_attention_create(d->device, &spec, &input, attention, error);
}

/* Adds to sums [count,S] the weights of heads first … last of a layer; `map` [count,S] is scratch.
 */
static sac_status add_layer(const captioner *c, int layer, int first, int last, int count,
                            float *map, float *sums, sac_error *error)
{
    size_t numbers = (size_t)count * c->seen;
    sac_attention *attention = NULL;
    float *queries = gather_queries(c, layer, count);
    sac_status status =
        queries ? attend(c, layer, queries, count, &attention, error)
                : sac_fail(error, SAC_E_MEMORY, c->decoder->name, NULL, "no memory for its words");
    for (int head = first; head <= last && status == SAC_OK; head++) {
        sac_tile tile = {.head = (size_t)head, .rows = (size_t)count, .cols = c->seen};
        status = sac_attention_tile(attention, &tile, map, error);
        for (size_t i = 0; i < numbers && status == SAC_OK; i++)
            sums[i] += map[i];
    }
    sac_attention_destroy(attention);
    free(queries);
    return status;
}

/* The mean over the heads and layers that are asked for (0: all, else counted from 1), [count,S].
 */
static sac_status mean_weights(const captioner *c, int layer, int head, int count, float *mean,
                               sac_error *error)
{
    const sac_family_model *d = c->decoder;
    int layers = layer ? 1 : d->layers, heads = head ? 1 : d->run.heads;
    size_t numbers = (size_t)count * c->seen;
    float *map = malloc(numbers * sizeof *map);
    if (!map)
        return sac_fail(error, SAC_E_MEMORY, d->name, NULL, "no memory for what it looks at");
    sac_status status = SAC_OK;
    memset(mean, 0, numbers * sizeof *mean);
    for (int i = layer ? layer - 1 : 0; layers > 0 && status == SAC_OK; i++, layers--)
        status = add_layer(c, i, head ? head - 1 : 0, head ? head - 1 : d->run.heads - 1, count,
                           map, mean, error);
    for (size_t i = 0; i < numbers; i++)
        mean[i] /= (float)(heads * (layer ? 1 : d->layers));
    free(map);
    return status;
}

/* Cells alone, brought to a sum of 1; the gate is what they had of it, for the rest went to the
 * tokens before them. */
static float weigh_cells(const captioner *c, const float *all, float *cells)
{
    size_t count = c->seen - c->prefix;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += all[c->prefix + i];
    for (size_t i = 0; i < count; i++)
        cells[i] = sum > 0 && !(c->hides && c->hidden[c->prefix + i])
                       ? (float)(all[c->prefix + i] / sum)
                       : 0;
    return (float)fmin(sum, 1);
}

static sac_status weigh(sac_model *model, const sac_caption_request *request, const int *rows,
                        int count, float *weights, float *gates, sac_error *error)
{
    captioner *c = captioner_of(model);
    size_t cells = c->seen - c->prefix;
    float *all = malloc((size_t)count * c->seen * sizeof *all);
    memcpy(c->rows, rows, (size_t)count * sizeof *rows);
    if (!all)
        return sac_fail(error, SAC_E_MEMORY, c->decoder->name, NULL, "no memory for its words");
    sac_status status = mean_weights(c, request->layer, request->head, count, all, error);
    for (int t = 0; t < count && status == SAC_OK; t++)
        gates[t] = weigh_cells(c, all + (size_t)t * c->seen, weights + (size_t)t * cells);
    free(all);
    return status;
}

size_t sac_family_captioner_seen(const captioner *c)
{
    return c->seen;
}

sac_status sac_family_captioner_weights(captioner *c, int word, int layer, int head, float *weights,
                                        sac_error *error)
{
    size_t numbers = (size_t)(word + 1) * c->seen;
    if (c->decoder->voice.recurrent) {
        memcpy(weights, sac_decoded_step_at(&c->base, word).weights, c->seen * sizeof *weights);
        return SAC_OK;
    }
    float *all = malloc(numbers * sizeof *all);
    if (!all)
        return sac_fail(error, SAC_E_MEMORY, c->decoder->name, NULL, "no memory for its words");
    sac_status status = mean_weights(c, layer + 1, head + 1, word + 1, all, error);
    memcpy(weights, all + (size_t)word * c->seen, c->seen * sizeof *weights);
    free(all);
    return status;
}

/* ---------------------------------------------------------------- speaking */

static sac_speech speech(const sac_model *model)
{
    const captioner *c = (const captioner *)model;
    return (sac_speech){
        .tokens = c->decoder->voice.search, .grid_w = c->grid_w, .grid_h = c->grid_h};
}

static const char *word(const sac_model *model, int token)
{
    return sac_token_text(&((const captioner *)model)->words, token);
}

/* A word of what was read. */
static const char *position(const sac_model *model, int index)
{
    const captioner *c = (const captioner *)model;
    return sac_token_text(&c->words, c->read[index]);
}

static const sac_model_class class_of_captioners = {
    .name = "captioner", .speech = speech, .word = word, .step = step, .weigh = weigh};
static const sac_model_class class_of_recurrent_captioners = {
    .name = "captioner", .speech = speech, .word = word, .step = step};
static const sac_model_class class_of_translators = {.name = "translator",
                                                     .speech = speech,
                                                     .word = word,
                                                     .position = position,
                                                     .step = step,
                                                     .weigh = weigh};

static sac_status check_request(const captioner *c, const sac_caption_request *r, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    if (!c->seen)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has seen or read nothing yet");
    if (r->layer < 0 || r->layer > d->layers)
        return sac_fail(error, SAC_E_ARGUMENT, "layer", NULL,
                        "%d is not there; layer goes from 0 to %d", r->layer - 1, d->layers - 1);
    if (r->head < 0 || r->head > d->run.heads)
        return sac_fail(error, SAC_E_ARGUMENT, "head", NULL,
                        "%d is not there; head goes from 0 to %d", r->head - 1, d->run.heads - 1);
    return SAC_OK;
}

/* The request's hidden cells and temperature, for all steps. */
static sac_status take_request(captioner *c, const sac_caption_request *request, sac_error *error)
{
    sac_pass *pass = &c->decoder->pass;
    c->temperature = request->temperature == 1 ? 0 : request->temperature;
    c->hides = request->hidden != NULL;
    if (!c->hides)
        return SAC_OK;
    memset(c->hidden, 0, c->prefix);
    memcpy(c->hidden + c->prefix, request->hidden, c->seen - c->prefix);
    sac_device_lock(c->decoder->device);
    sac_pass_write_bytes(pass, c->mask, c->hidden);
    sac_status status = sac_pass_end(pass, error);
    sac_device_unlock(c->decoder->device);
    return status;
}

sac_status sac_family_captioner_speak(captioner *c, const sac_caption_request *request,
                                      sac_caption *caption, sac_error *error)
{
    *caption = (sac_caption){0};
    sac_status status = check_request(c, request, error);
    if (status == SAC_OK)
        status = take_request(c, request, error);
    if (status == SAC_OK)
        status = sac_model_decode(&c->base, request, caption, error);
    if (status == SAC_OK && caption->count)
        sac_token_begins_sentence(caption->words[0].text);
    return status;
}

const char *const *sac_family_captioner_words(const captioner *c, int *count)
{
    *count = c->words.count;
    return c->words.text;
}

/* ---------------------------------------------------------------- the captioner */

/* The words of a file that gives them numbers. */
static sac_status read_words(captioner *c, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    char path[sizeof d->folder + sizeof d->voice.wordmap];
    snprintf(path, sizeof path, "%s/%s", d->folder, d->voice.wordmap);
    return sac_token_texts_read(path, (int)d->vocabulary, &c->words, error);
}

static const sac_model_class *class_of(const sac_family_model *m)
{
    if (m->decoder->voice.recurrent)
        return &class_of_recurrent_captioners;
    return sac_family_sees(m) ? &class_of_captioners : &class_of_translators;
}

static sac_status create(captioner *c, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    if (d->voice.recurrent)
        return read_words(c, error);
    size_t rows = (size_t)WORDS * (size_t)d->layers * ROWS;
    c->queries = calloc(rows * d->width, sizeof *c->queries);
    if (!c->queries)
        return sac_fail(error, SAC_E_MEMORY, d->name, NULL, "no memory to speak");
    return sac_token_texts_make(c->model->tokenizer, (int)d->vocabulary, &c->words, error);
}

sac_status sac_family_captioner_create(sac_family_model *model, captioner **made, sac_error *error)
{
    *made = NULL;
    if (!model->decoder)
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a captioner",
                        "is of a model that does not say what it sees");
    captioner *c = calloc(1, sizeof *c);
    if (!c)
        return sac_fail(error, SAC_E_MEMORY, model->name, NULL, "no memory to speak");
    c->base = (sac_model){.class = class_of(model), .device = model->device};
    c->model = sac_family_keep(model);
    c->decoder = model->decoder;
    sac_status status = create(c, error);
    if (status == SAC_OK)
        *made = c;
    else
        sac_family_captioner_destroy(c);
    return status;
}

void sac_family_captioner_destroy(captioner *c)
{
    if (!c)
        return;
    sac_decoding_destroy(c->base.decoding);
    forget(c);
    sac_token_texts_free(&c->words);
    free(c->queries);
    sac_family_close(c->model);
    free(c);
}
