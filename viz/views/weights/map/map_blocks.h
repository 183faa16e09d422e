/* How a block of a map is computed: in pieces that the worker is soon through with, however many
 * weights the block holds. */
#ifndef VIZ_WEIGHTS_MAP_MAP_BLOCKS_H
#define VIZ_WEIGHTS_MAP_MAP_BLOCKS_H

#include "weights/weights_model.h"

/* So many rows of weights are read for each row of dots of a sampled block: a device computes the
 * log-sum-exp of as many rows at a time. */
#define VIZ_SAMPLED_ROWS 8

/* Reads the next piece: rows of dots, or where one of them is large, rows of weights of it. Allocates
 * `values` at the first. */
sac_status viz_block_advance(sac_reader *reader, viz_block *block, sac_error *error);
/* All of its dots are what they should be. */
bool viz_block_is_done(const viz_block *block);

#endif
