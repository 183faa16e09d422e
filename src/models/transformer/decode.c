/* A sentence is read once, and translated as often as one likes, one word of all translations of a
 * beam at a time. Keys and values of the words so far are kept, so that a step is a batch of single
 * words: to itself each row is a sentence with one query, to the words that were read all rows are
 * queries of one sentence. */
#include "transformer/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "nn/beam_cache.h"
#include "nn/layers.h"
#include "nn/positions.h"
#include "transformer/align.h"
#include "transformer/heads.h"
#include "translation/translation.h"

enum { ROWS = SAC_BEAM_WIDTH, SOURCE = SAC_TRANSFORMER_SOURCE, WORDS = SAC_TRANSLATION_WORDS };

typedef struct sac_transformer_decoding {
    sac_arena arena;
    sac_transformer_stack source; /* of the sentence */
    sac_transformer_stack step;   /* [R,1]: the word generated last of every translation */
    sac_tensor memory_key[SAC_TRANSFORMER_LAYERS],
        memory_value[SAC_TRANSFORMER_LAYERS]; /* [S,D], of the words that were read … */
    sac_beam_cache cache; /* … and keys and values of those that were generated */
    sac_byte_tensor mask; /* [S], 1: hidden from attention */
    sac_tensor logits;    /* [R,V] */
    int said[SOURCE];     /* the sentence on the host … */
    int count;            /* … and its words */
    float *query, *key;   /* [R,D], [S,D], host: of the layer whose weights are told */
    uint8_t hidden[SOURCE];
} decoding;

/* ---------------------------------------------------------------- memory */

void sac_transformer_decoding_destroy(decoding *d)
{
    if (!d)
        return;
    sac_arena_release(&d->arena);
    free(d->query);
    free(d->key);
    free(d);
}

static void shape_caches(sac_transformer *t, decoding *d)
{
    sac_pass *pass = &t->base.pass;
    size_t width = (size_t)t->sizes.width;
    for (int i = 0; i < t->sizes.layers; i++) {
        sac_arena_shape(&d->arena, pass, &d->memory_key[i], SOURCE, width);
        sac_arena_shape(&d->arena, pass, &d->memory_value[i], SOURCE, width);
    }
    sac_beam_cache_shape(pass, &d->arena, &d->cache, t->sizes.layers, ROWS, WORDS, width);
}

static sac_status prepare(sac_transformer *t, sac_error *error)
{
    if (t->decoding)
        return SAC_OK;
    size_t width = (size_t)t->sizes.width;
    decoding *d = t->decoding = calloc(1, sizeof *d);
    if (d) {
        d->query = calloc(ROWS * width, sizeof *d->query);
        d->key = calloc(SOURCE * width, sizeof *d->key);
    }
    if (!d || !d->query || !d->key)
        return sac_no_memory(error, "transformer");
    sac_transformer_shape_stack(t, &d->arena, 1, SOURCE, 0, &d->source);
    sac_transformer_shape_stack(t, &d->arena, ROWS, 1, 1, &d->step);
    shape_caches(t, d);
    sac_arena_shape_bytes(&d->arena, &t->base.pass, &d->mask, SOURCE);
    sac_arena_shape(&d->arena, &t->base.pass, &d->logits, ROWS, (size_t)t->sizes.target_words);
    sac_status status = sac_pass_end(&t->base.pass, error);
    if (status != SAC_OK) {
        sac_transformer_decoding_destroy(d);
        t->decoding = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- reading */

/* The decoder's keys and values of what the encoder made are the same for every word it says. */
static void keep_memory(sac_transformer *t, sac_tensor memory)
{
    decoding *d = t->decoding;
    for (int i = 0; i < t->sizes.layers; i++) {
        sac_transformer_tensors keys = {0};
        d->memory_key[i] = sac_tensor_rows(d->memory_key[i], 0, memory.rows);
        d->memory_value[i] = sac_tensor_rows(d->memory_value[i], 0, memory.rows);
        keys.attention[SAC_PART_CROSS].key = d->memory_key[i];
        keys.attention[SAC_PART_CROSS].value = d->memory_value[i];
        sac_transformer_part_keys(&t->base.pass, &t->weights.decoder.layer[i], SAC_PART_CROSS,
                                  memory, &keys);
    }
}

sac_status sac_transformer_read(sac_model *model, const int *words, int count, sac_error *error)
{
    sac_transformer *t = (sac_transformer *)model;
    static const uint8_t padding[SOURCE];
    const sac_transformer_noise quiet = {0};
    assert(count > 0 && count <= SOURCE);
    sac_status status = prepare(t, error);
    if (status == SAC_OK)
        status = sac_transformer_find_aligner(t, error);
    if (status != SAC_OK)
        return status;
    decoding *d = t->decoding;
    memcpy(d->said, words, (size_t)count * sizeof *words);
    d->count = count;
    sac_transformer_shape_stack(t, &d->arena, 1, (size_t)count, 0, &d->source);
    sac_transformer_upload(t, &(sac_transformer_words){words, padding, NULL}, &d->source);
    keep_memory(t, sac_transformer_encode(t, &quiet, &d->source));
    sac_pass_read(&t->base.pass, d->memory_key[t->aligner.layer], d->key);
    return sac_pass_end(&t->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all translations */

/* Words and places of the next step, and where its rows come from. */
static void begin_step(sac_transformer *t, const sac_beam *beam)
{
    decoding *d = t->decoding;
    int words[ROWS], parents[ROWS];
    size_t rows = (size_t)beam->rows, place = (size_t)beam->step;
    sac_beam_last(beam, words, parents);
    if (beam->step == 0)
        sac_beam_cache_empty(&d->cache);
    sac_transformer_shape_stack(t, &d->arena, rows, 1, 1, &d->step);
    sac_pass_write_ints(&t->base.pass, d->step.words, words);
    sac_positions_place(&t->base.pass, d->step.places, t->positions, 1, place, NULL);
    sac_beam_cache_step(&t->base.pass, &d->cache, parents, beam->rows);
}

static void run_step(sac_transformer *t, const sac_caption_request *request)
{
    decoding *d = t->decoding;
    const sac_transformer_side *side = &t->weights.decoder;
    float depth = (float)t->sizes.width / (float)t->sizes.heads;
    sac_transformer_run runs[2] = {
        {.batch = d->step.batch, .heads = t->sizes.heads, .norm_first = t->sizes.norm_first}};
    runs[SAC_PART_CROSS] = runs[SAC_PART_SELF];
    runs[SAC_PART_CROSS].batch = 1;
    runs[SAC_PART_CROSS].memory_padding = request->hidden ? d->mask.buffer : NULL;
    if (request->temperature > 0)
        runs[SAC_PART_CROSS].cross_scale = 1 / (sqrtf(depth) * request->temperature);
    sac_tensor x = d->step.x;
    sac_transformer_embed(t, side, &d->step, x);
    for (int i = 0; i < t->sizes.layers; i++) {
        sac_transformer_tensors *own = &d->step.layer[i];
        own->attention[SAC_PART_CROSS].key = d->memory_key[i];
        own->attention[SAC_PART_CROSS].value = d->memory_value[i];
        x = sac_beam_cache_layer(&t->base.pass, &d->cache, i, &side->layer[i], runs, x, own);
    }
    if (t->sizes.norm_first) {
        sac_layer_norm_forward(&t->base.pass, &side->norm, d->step.normed, x);
        x = d->step.normed;
    }
    sac_transformer_logits(t, sac_tensor_rows(d->logits, 0, d->step.batch), x);
}

/* Logits, and the weights of the head that aligns. */
static void read_step(sac_transformer *t, const sac_caption_request *request,
                      const sac_step_result *result)
{
    decoding *d = t->decoding;
    sac_pass *pass = &t->base.pass;
    size_t rows = d->step.batch;
    sac_head_view head = {
        .query = d->query,
        .key = d->key,
        .queries = rows,
        .keys = (size_t)d->count,
        .width = (size_t)t->sizes.width,
        .heads = (size_t)t->sizes.heads,
        .hidden = request->hidden,
        .temperature = request->temperature,
    };
    sac_pass_read(pass, sac_tensor_rows(d->logits, 0, rows), result->logits);
    sac_pass_read(pass, d->step.layer[t->aligner.layer].attention[SAC_PART_CROSS].query, d->query);
    if (sac_pass_runs(pass))
        sac_head_weights(&head, (size_t)t->aligner.head, result->weights);
}

sac_status sac_transformer_step(void *self, const sac_beam *beam,
                                const sac_caption_request *request, const sac_step_result *result,
                                sac_error *error)
{
    sac_transformer *t = self;
    sac_pass *pass = &t->base.pass;
    decoding *d = t->decoding;
    assert(d); /* it has read */
    if (beam->step == 0 && request->hidden)
        sac_pass_write_bytes(pass, (sac_byte_tensor){d->mask.buffer, (size_t)d->count},
                             request->hidden);
    begin_step(t, beam);
    run_step(t, request);
    read_step(t, request, result);
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- what is spoken */

const int *sac_transformer_source(const sac_transformer *t, int *count)
{
    assert(t->decoding); /* it has read */
    *count = t->decoding->count;
    return t->decoding->said;
}

sac_sequence sac_transformer_start(const void *self)
{
    const sac_transformer *t = self;
    return (sac_sequence){.tokens = {.vocabulary = t->sizes.target_words,
                                     .length = WORDS,
                                     .pad = SAC_TOKEN_PAD,
                                     .start = SAC_TOKEN_START,
                                     .end = SAC_TOKEN_END},
                          .grid_w = t->decoding->count,
                          .grid_h = 1};
}

const char *sac_transformer_position(const void *self, int index)
{
    const sac_transformer *t = self;
    return t->english.words[t->decoding->said[index]];
}
