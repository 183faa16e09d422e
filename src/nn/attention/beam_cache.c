/* The cache of a decoder's beam. */
#include "nn/attention/beam_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "nn/layers.h"

enum { LEAST = 32 }; /* words that there is memory for at first */

void sac_beam_cache_shape(sac_pass *pass, sac_arena *arena, sac_beam_cache *c,
                          const sac_transformer_layer *layer, int layers, size_t rows, size_t words)
{
    assert(layers <= SAC_BEAM_CACHE_LAYERS);
    c->arena = arena;
    c->layer = layer;
    c->layers = layers;
    c->most_rows = rows;
    c->most_words = words;
    sac_arena_shape_ints(arena, pass, &c->gathered, rows * (words + 1));
}

/* Memory for so many words of each of `rows` sentences and the next words behind them, in one of the two, whose
 * numbers are lost where it has to grow. */
static void reserve(sac_pass *pass, sac_beam_cache *c, int side, size_t rows, size_t words)
{
    size_t more = words < LEAST ? LEAST : 2 * words;
    more = more < c->most_words ? more : c->most_words;
    if (rows * words + c->most_rows <= c->room[side])
        return;
    c->room[side] = rows * (more > words ? more : words) + c->most_rows;
    for (int i = 0; i < c->layers; i++) {
        const sac_multihead *self = &c->layer[i].attention[SAC_PART_SELF];
        if (c->layer[i].lent)
            continue;
        sac_arena_shape(c->arena, pass, &c->key[i][side], c->room[side], self->key.w->value.rows);
        sac_arena_shape(c->arena, pass, &c->value[i][side], c->room[side],
                        self->value.w->value.rows);
    }
}

void sac_beam_cache_empty(sac_beam_cache *c)
{
    c->now = 0;
    c->rows = c->words = c->more = 0;
}

void sac_beam_cache_begin_behind(sac_pass *pass, sac_beam_cache *c, size_t shared)
{
    sac_beam_cache_empty(c);
    c->rows = 1;
    c->words = shared;
    reserve(pass, c, 0, 1, shared);
}

/* Two sets of rows change places: those of the word before were gathered into the other one. */
sac_tensor sac_beam_cache_values(const sac_beam_cache *c, int layer)
{
    return c->value[layer - (int)c->layer[layer].lent][c->more ? 1 - c->now : c->now];
}

/* Row by row those of the parent, and the new word's, which follow them all. */
static void fill_places(const sac_beam_cache *c, const int *parents, size_t rows, int *places)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < c->words; i++)
            *places++ = parents[r] * (int)c->words + (int)i;
        *places++ = (int)(c->rows * c->words + r);
    }
}

void sac_beam_cache_step(sac_pass *pass, sac_beam_cache *c, const int *parents, int rows)
{
    if (c->more) {
        c->now = 1 - c->now;
        c->rows = c->more;
        c->words++;
    }
    c->more = (size_t)rows;
    if (!c->words)
        reserve(pass, c, c->now, c->more, 0);
    reserve(pass, c, 1 - c->now, c->more, c->words + 1);
    c->gathered.count = c->more * (c->words + 1);
    int *places = malloc(c->gathered.count * sizeof *places);
    if (places)
        fill_places(c, parents, c->more, places);
    else
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "beam"));
    sac_pass_write_ints(pass, c->gathered, places);
    free(places);
}

/* The queries of this step's words, which come out of x [R,D]; puts their keys and values behind
 * those of their rows, and lends `t` all of them, for SAC_PART_SELF. */
static void append_keys_and_values(sac_pass *pass, sac_beam_cache *c, int index,
                                   const sac_transformer_run *run, sac_tensor x,
                                   sac_transformer_tensors *t)
{
    const sac_transformer_layer *layer = &c->layer[index];
    size_t old = c->rows * c->words, all = c->gathered.count,
           own_index = (size_t)index - layer->lent;
    const sac_tensor *keys = c->key[own_index], *values = c->value[own_index];
    sac_transformer_tensors own = {0};
    own.attention[SAC_PART_SELF].query = t->attention[SAC_PART_SELF].query;
    own.attention[SAC_PART_SELF].key = sac_tensor_rows(keys[c->now], old, x.rows);
    own.attention[SAC_PART_SELF].value = sac_tensor_rows(values[c->now], old, x.rows);
    own.normed[SAC_PART_SELF] = t->normed[SAC_PART_SELF];
    own.query_latent = t->query_latent;
    own.key_latent = t->key_latent;
    own.shared_key = t->shared_key;
    own.gates = t->gates;
    sac_transformer_part_project(pass, layer, run, x, &own);
    sac_transformer_part_rotate(pass, layer, run, SAC_PART_SELF, &own);
    sac_multihead_tensors *self = &t->attention[SAC_PART_SELF];
    self->key = sac_tensor_rows(keys[1 - c->now], 0, all);
    self->value = sac_tensor_rows(values[1 - c->now], 0, all);
    if (layer->lent) /* they are there */
        return;
    sac_gather_rows(pass, self->key, keys[c->now], c->gathered);
    sac_gather_rows(pass, self->value, values[c->now], c->gathered);
}

sac_tensor sac_beam_cache_layer(sac_pass *pass, sac_beam_cache *c, int index,
                                const sac_transformer_run *run, sac_tensor x,
                                sac_transformer_tensors *t)
{
    const sac_transformer_layer *layer = &c->layer[index];
    const sac_tensor entered = x;
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part++) {
        if (part == SAC_PART_CROSS && !layer->attention[part].out.w)
            continue;
        const sac_tensor in = run->parallel ? entered : x;
        if (part == SAC_PART_SELF)
            append_keys_and_values(pass, c, index, run, in, t);
        if (part == SAC_PART_CROSS)
            sac_transformer_part_query(
                pass, layer, part, sac_transformer_part_begin(pass, layer, run, part, in, t), t);
        if (part == SAC_PART_FORWARD)
            x = sac_transformer_part_forwarded(pass, layer, run, in, x, t);
        else
            x = sac_transformer_part_attended(pass, layer, run, part, x, t);
    }
    return x;
}
