/* The cache of a decoder's beam. */
#include "nn/attention/beam_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "nn/layers.h"

void sac_beam_cache_shape(sac_pass *pass, sac_arena *arena, sac_beam_cache *c, int layers,
                          size_t rows, size_t words, size_t width)
{
    size_t most = rows * (words + 1); /* the next words come behind those before */
    assert(layers <= SAC_BEAM_CACHE_LAYERS);
    for (int i = 0; i < layers; i++)
        for (int k = 0; k < 2; k++) {
            sac_arena_shape(arena, pass, &c->key[i][k], most, width);
            sac_arena_shape(arena, pass, &c->value[i][k], most, width);
        }
    sac_arena_shape_ints(arena, pass, &c->gathered, most);
}

void sac_beam_cache_empty(sac_beam_cache *c)
{
    c->now = 0;
    c->rows = c->words = c->more = 0;
}

void sac_beam_cache_begin_behind(sac_beam_cache *c, size_t shared)
{
    sac_beam_cache_empty(c);
    c->rows = 1;
    c->words = shared;
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
static void extend(sac_pass *pass, sac_beam_cache *c, int index, const sac_transformer_layer *layer,
                   const sac_transformer_run *run, sac_tensor x, sac_transformer_tensors *t)
{
    size_t old = c->rows * c->words, all = c->gathered.count;
    const sac_tensor *keys = c->key[index], *values = c->value[index];
    sac_transformer_tensors own = {0};
    own.attention[SAC_PART_SELF].query = t->attention[SAC_PART_SELF].query;
    own.attention[SAC_PART_SELF].key = sac_tensor_rows(keys[c->now], old, x.rows);
    own.attention[SAC_PART_SELF].value = sac_tensor_rows(values[c->now], old, x.rows);
    own.normed[SAC_PART_SELF] = t->normed[SAC_PART_SELF];
    sac_transformer_part_project(pass, layer, run, x, &own);
    sac_transformer_part_rotate(pass, layer, run, SAC_PART_SELF, &own);
    sac_multihead_tensors *self = &t->attention[SAC_PART_SELF];
    self->key = sac_tensor_rows(keys[1 - c->now], 0, all);
    self->value = sac_tensor_rows(values[1 - c->now], 0, all);
    sac_gather_rows(pass, self->key, keys[c->now], c->gathered);
    sac_gather_rows(pass, self->value, values[c->now], c->gathered);
}

sac_tensor sac_beam_cache_layer(sac_pass *pass, sac_beam_cache *c, int index,
                                const sac_transformer_layer *layer, const sac_transformer_run *run,
                                sac_tensor x, sac_transformer_tensors *t)
{
    const sac_tensor entered = x;
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part++) {
        if (part == SAC_PART_CROSS && !layer->attention[part].out.w)
            continue;
        const sac_tensor in = run->parallel ? entered : x;
        if (part == SAC_PART_SELF)
            extend(pass, c, index, layer, run, in, t);
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
