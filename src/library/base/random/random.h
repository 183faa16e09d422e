/* Counter-based random numbers: the value at a place depends on key and place alone, so that any
 * tile of a mask can be made again, on any device. Philox-2x32-10, Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011). Its OpenCL twin is cl/common/philox.clh. */
#ifndef SAC_BASE_RANDOM_RANDOM_H
#define SAC_BASE_RANDOM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* 32 random bits for counter (a, b) under `key`. */
uint32_t sac_philox(uint32_t a, uint32_t b, uint32_t key);
/* Uniform in [0,1) with 24 bits. */
static inline float sac_philox_uniform(uint32_t a, uint32_t b, uint32_t key)
{
    return (float)(sac_philox(a, b, key) >> 8) * 0x1p-24f;
}

/* Random numbers as PyTorch draws them on a CPU after torch.manual_seed: MT19937 (Matsumoto and
 * Nishimura, 1998), whose lowest 24 bits make a float32. Only the low 32 bits of a seed count. */
enum { SAC_TORCH_WORDS = 624 };

typedef struct sac_torch_random {
    uint32_t words[SAC_TORCH_WORDS];
    int next;
} sac_torch_random;

void sac_torch_seed(sac_torch_random *random, uint64_t seed);
float sac_torch_rand(sac_torch_random *random); /* torch.rand: 0 ≤ x < 1 */
/* torch.nn.init.uniform_ between −bound and bound. */
void sac_torch_uniform(sac_torch_random *random, float bound, float *numbers, size_t count);
void sac_torch_skip(sac_torch_random *random, size_t count); /* as many draws */

#endif
