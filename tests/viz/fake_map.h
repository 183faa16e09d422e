/* A made-up source of weights whose matrices may be long: each weight is cheap to compute at any place, and
 * nothing is kept. */
#ifndef FAKE_MAP_H
#define FAKE_MAP_H

#include <stdlib.h>

#include "sources/heads/reduce.h"
#include "sources/source.h"

static inline float fake_map_weight(size_t head, size_t row, size_t column)
{
    return (float)((row * 2654435761u + column * 40503u * 7 + head) % 10007) / 10007.0f;
}

/* What was read, if it is counted. */
typedef struct fake_map_reads {
    size_t tiles, rows;
} fake_map_reads;

static inline sac_status fake_map_tile(void *self, size_t layer, const sac_tile *tile,
                                       float *weights, sac_error *error)
{
    fake_map_reads *reads = self;
    (void)layer;
    (void)error;
    if (reads) {
        reads->tiles++;
        reads->rows += tile->rows;
    }
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++)
            *weights++ = fake_map_weight(tile->head, tile->row + r, tile->col + c);
    return SAC_OK;
}

static inline sac_status fake_map_pool(void *self, size_t layer, const sac_tile *tile,
                                       sac_pool pool, size_t out_rows, size_t out_cols,
                                       float *pooled, sac_error *error)
{
    float *whole = malloc(tile->rows * tile->cols * sizeof *whole);
    sac_status status = fake_map_tile(self, layer, tile, whole, error);
    sac_weights_pool(whole, tile->rows, tile->cols, pool, out_rows, out_cols, pooled);
    free(whole);
    return status;
}

/* Counts in `reads`; NULL: none are counted. */
static inline sac_source fake_map_source(size_t heads, size_t rows, size_t columns,
                                         fake_map_reads *reads)
{
    return (sac_source){.self = reads,
                        .weights = {.layers = 1,
                                    .batch = 1,
                                    .heads = heads,
                                    .steps = rows,
                                    .positions = columns,
                                    .tile = fake_map_tile,
                                    .pool = fake_map_pool}};
}

#endif
