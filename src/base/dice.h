/* Random numbers of one made-up example: Philox with the seed and the stream in key and counter, so
 * that no two examples of any streams share a number by construction. */
#ifndef SAC_BASE_DICE_H
#define SAC_BASE_DICE_H

#include "base/random.h"

typedef struct sac_dice {
    uint64_t seed;
    uint32_t stream; /* 0 or 1 */
    uint32_t next;   /* how many were rolled */
} sac_dice;

/* 32 bits that belong to the example's `place`, 0 … 2^31 − 1. */
static inline uint32_t sac_dice_bits(const sac_dice *dice, uint32_t place)
{
    uint32_t low = (uint32_t)dice->seed, high = (uint32_t)(dice->seed >> 32);
    return sac_philox(low, dice->stream << 31 | place, high);
}

/* Uniform in 0 … sides − 1. */
static inline int sac_dice_pick(sac_dice *dice, int sides)
{
    return (int)((uint64_t)sac_dice_bits(dice, dice->next++) * (uint64_t)sides >> 32);
}

/* Uniform in [from, to). */
static inline float sac_dice_between(sac_dice *dice, float from, float to)
{
    return from + (to - from) * ((float)(sac_dice_bits(dice, dice->next++) >> 8) * 0x1p-24f);
}

#endif
