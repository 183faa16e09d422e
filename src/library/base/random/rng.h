/* Random numbers of one made-up example: Philox with the seed and the stream in key and counter, so
 * that no two examples of any streams share a number by construction. */
#ifndef SAC_BASE_RANDOM_RNG_H
#define SAC_BASE_RANDOM_RNG_H

#include "base/random/random.h"

typedef struct sac_rng {
    uint64_t seed;
    uint32_t stream; /* 0 or 1 */
    uint32_t next;   /* numbers drawn so far */
} sac_rng;

/* 32 bits that belong to the example's `place`, 0 … 2^31 − 1. */
static inline uint32_t sac_rng_bits(const sac_rng *rng, uint32_t place)
{
    uint32_t low = (uint32_t)rng->seed, high = (uint32_t)(rng->seed >> 32);
    return sac_philox(low, rng->stream << 31 | place, high);
}

/* Uniform in 0 … sides − 1. */
static inline int sac_rng_pick(sac_rng *rng, int sides)
{
    return (int)((uint64_t)sac_rng_bits(rng, rng->next++) * (uint64_t)sides >> 32);
}

/* Uniform in [from, to). */
static inline float sac_rng_between(sac_rng *rng, float from, float to)
{
    return from + (to - from) * ((float)(sac_rng_bits(rng, rng->next++) >> 8) * 0x1p-24f);
}

#endif
