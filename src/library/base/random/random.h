/* Counter-based random numbers: the value at a place depends on key and place alone, so that any
 * tile of a mask can be made again, on any device. Philox-2x32-10, Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011). Its OpenCL twin is cl/common/philox.clh. */
#ifndef SAC_BASE_RANDOM_RANDOM_H
#define SAC_BASE_RANDOM_RANDOM_H

#include <stdint.h>

/* 32 random bits for counter (a, b) under `key`. */
uint32_t sac_philox(uint32_t a, uint32_t b, uint32_t key);
/* Uniform in [0,1) with 24 bits. */
static inline float sac_philox_uniform(uint32_t a, uint32_t b, uint32_t key)
{
    return (float)(sac_philox(a, b, key) >> 8) * 0x1p-24f;
}

#endif
