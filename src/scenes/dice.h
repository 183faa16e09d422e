/* The random numbers of one scene, inside of this box: Philox with the seed and the stream in key
 * and counter, so that no two scenes of any streams share a number by construction. */
#ifndef SAC_SCENES_DICE_H
#define SAC_SCENES_DICE_H

#include "base/random.h"
#include "scenes/scene.h"

typedef struct sac_dice {
    uint64_t seed;
    sac_stream stream;
    uint32_t next; /* how many were rolled */
} sac_dice;

/* Places below SAC_DICE_NOISE are rolled one after another, from SAC_DICE_UNNAMED on for scenes of
 * unnamed colours; those above belong to the noise. */
#define SAC_DICE_UNNAMED 0x20000000u
#define SAC_DICE_NOISE 0x40000000u

/* 32 bits that belong to the scene's `place`, 0 … 2^31 − 1. */
static inline uint32_t sac_dice_bits(const sac_dice *dice, uint32_t place)
{
    uint32_t low = (uint32_t)dice->seed, high = (uint32_t)(dice->seed >> 32);
    return sac_philox(low, (uint32_t)dice->stream << 31 | place, high);
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
