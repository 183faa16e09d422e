/* Keys and values of the words so far, for a decoder that goes on by one word for all sentences of
 * a beam at a time: in every layer those of each row lie one behind the other. A row goes on from
 * any row of the step before.
 *
 *     sac_beam_cache_step(pass, &cache, parents, rows);
 *     …  x = sac_beam_cache_layer(pass, &cache, i, &run, x, &own[i]);    for every layer
 */
#ifndef SAC_NN_BEAM_CACHE_H
#define SAC_NN_BEAM_CACHE_H

#include "nn/transformer.h"

enum { SAC_BEAM_CACHE_LAYERS = 128 };

typedef struct sac_beam_cache {
    /* [R·n,D] of n words of each row, in one of the two; after them those of the next words, which
     * go with the row's own into the other. */
    sac_tensor key[SAC_BEAM_CACHE_LAYERS][2], value[SAC_BEAM_CACHE_LAYERS][2];
    sac_ints gathered;                  /* [R·(n + 1)]: rows of the one that the other gets */
    sac_arena *arena;                   /* lent */
    const sac_transformer_layer *layer; /* [layers]; lent */
    int layers;
    size_t most_rows, most_words;
    size_t room[2];     /* rows that there is memory for, in each */
    int now;            /* which of both is in use */
    size_t rows, words; /* before this step */
    size_t more;        /* rows of this step */
} sac_beam_cache;

/* For up to `rows` sentences of up to `words` words each in these layers. Memory comes from the arena, which
 * stays, as they get longer: what goes on no further takes no more. */
void sac_beam_cache_shape(sac_pass *pass, sac_arena *arena, sac_beam_cache *cache,
                          const sac_transformer_layer *layer, int layers, size_t rows,
                          size_t words);
/* The next words are the first ones. */
void sac_beam_cache_empty(sac_beam_cache *cache);
/* The next words are the first ones behind so many that all rows share: their keys and values of each
 * layer are written into the first rows of cache->key[layer][0] and cache->value[layer][0]. There is
 * memory for them and the words. */
void sac_beam_cache_begin_behind(sac_pass *pass, sac_beam_cache *cache, size_t shared);
/* Between two words: the values of a layer that are there, those of row 0 first. */
sac_tensor sac_beam_cache_values(const sac_beam_cache *cache, int layer);
/* Goes on by one word: row r from row parents[r] of the step before, which an empty cache has not.
 */
void sac_beam_cache_step(sac_pass *pass, sac_beam_cache *cache, const int *parents, int rows);
/* A layer of a decoder on this step's words x [R,D]: to itself each row is a sentence with one
 * query, to what was read or seen, whose keys and values are in `t`, all rows are queries of one:
 * the run has R sentences and one memory. */
sac_tensor sac_beam_cache_layer(sac_pass *pass, sac_beam_cache *cache, int index,
                                const sac_transformer_run *run, sac_tensor x,
                                sac_transformer_tensors *t);

#endif
