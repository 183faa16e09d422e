/* Dropout of weights: whether one is dropped is a function of seed and place alone, so that a run
 * can be repeated and any tile of the weights made again. The weight of query i and key j in matrix
 * m = batch·H + head is dropped where sac_philox_uniform(j, i, sac_dropout_key(seed, m)) < p; the
 * others grow by 1/(1 − p). cl/attention/masks.clh does the same on the device. */
#ifndef SAC_ATTENTION_SPEC_DROPOUT_H
#define SAC_ATTENTION_SPEC_DROPOUT_H

#include "base/random/random.h"

/* One Philox key per matrix: the two halves of the seed, mixed with the matrix's number. */
static inline uint32_t sac_dropout_key(uint64_t seed, uint32_t matrix)
{
    return sac_philox(matrix, (uint32_t)(seed >> 32), (uint32_t)seed);
}

#endif
