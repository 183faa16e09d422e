/* A sentence is read once, and translated as often as one likes. */
#include "transformer/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "models/stack.h"
#include "transformer/attentions.h"
#include "translation/translation.h"

enum { ROWS = SAC_BEAM_WIDTH, SOURCE = SAC_TRANSFORMER_SOURCE, WORDS = SAC_TRANSLATION_WORDS };

typedef struct sac_transformer_decoding {
    sac_arena arena;
    sac_stack_tensors source; /* of the sentence */
    sac_stack_decoding words; /* of its translations */
    int target[SOURCE];       /* the sentence on the host … */
    int count;                /* … and its words */
    float *query, *key;       /* [R,D], [S,D], host: of the layer whose weights are read */
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
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, &d->arena, &t->weights.encoder, 1, SOURCE, 0, 0, &d->source);
    sac_stack_decoding_shape(pass, &d->arena, &t->weights.decoder, SOURCE, WORDS, &d->words);
    sac_status status = sac_pass_end(pass, error);
    if (status != SAC_OK) {
        sac_transformer_decoding_destroy(d);
        t->decoding = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- reading */

sac_status sac_transformer_read(sac_model *model, const int *words, int count, sac_error *error)
{
    sac_transformer *t = (sac_transformer *)model;
    static const uint8_t padding[SOURCE];
    const sac_stack_noise quiet = {0};
    assert(count > 0 && count <= SOURCE);
    sac_status status = prepare(t, error);
    if (status == SAC_OK)
        status = sac_transformer_find_aligner(t, error);
    if (status != SAC_OK)
        return status;
    decoding *d = t->decoding;
    memcpy(d->target, words, (size_t)count * sizeof *words);
    d->count = count;
    sac_pass *pass = &t->base.pass;
    sac_stack_shape(pass, &d->arena, &t->weights.encoder, 1, (size_t)count, 0, 0, &d->source);
    sac_stack_upload(pass, &t->weights.encoder, &(sac_stack_words){words, padding, NULL},
                     &d->source);
    sac_stack_decoding_begin(pass, &t->weights.decoder,
                             sac_transformer_encode(t, &quiet, &d->source), &d->words);
    sac_pass_read(pass, d->words.memory_key[t->aligner.layer], d->key);
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- one word of all translations */

sac_status sac_transformer_step(void *self, const sac_beam *beam, const sac_result_request *request,
                                const sac_step_result *result, sac_error *error)
{
    sac_transformer *t = self;
    sac_pass *pass = &t->base.pass;
    decoding *d = t->decoding;
    assert(d); /* it has read */
    sac_head_view head = {
        .query = d->query,
        .key = d->key,
        .queries = (size_t)beam->rows,
        .keys = (size_t)d->count,
        .width = (size_t)t->sizes.width,
        .heads = (size_t)t->sizes.heads,
        .hidden = request->hidden,
        .temperature = request->temperature,
    };
    sac_stack_decoding_step(pass, &t->weights.decoder, beam, request, &d->words, result->logits);
    /* The weights of the head that aligns. */
    sac_pass_read(pass, d->words.step.layer[t->aligner.layer].attention[SAC_PART_CROSS].query,
                  d->query);
    if (sac_pass_runs(pass))
        sac_head_weights(&head, (size_t)t->aligner.head, result->weights);
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- generation */

const int *sac_transformer_source(const sac_transformer *t, int *count)
{
    assert(t->decoding); /* it has read */
    *count = t->decoding->count;
    return t->decoding->target;
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
    return t->english.words[t->decoding->target[index]];
}
