/* Philox-2x32-10; cl/common/philox.clh is its twin. */
#include "base/random/random.h"

uint32_t sac_philox(uint32_t a, uint32_t b, uint32_t key)
{
    for (int round = 0; round < 10; round++) {
        uint64_t product = (uint64_t)0xD256D193u * a;
        a = (uint32_t)(product >> 32) ^ key ^ b;
        b = (uint32_t)product;
        key += 0x9E3779B9u;
    }
    return a;
}

/* ---------------------------------------------------------------- as PyTorch draws */

enum { SHIFT = 397 };

void sac_torch_seed(sac_torch_random *random, uint64_t seed)
{
    uint32_t *w = random->words;
    w[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < SAC_TORCH_WORDS; i++)
        w[i] = 1812433253u * (w[i - 1] ^ w[i - 1] >> 30) + i;
    random->next = SAC_TORCH_WORDS;
}

static uint32_t next_word(sac_torch_random *random)
{
    if (random->next == SAC_TORCH_WORDS) {
        for (int i = 0; i < SAC_TORCH_WORDS; i++) {
            uint32_t y = (random->words[i] & 0x80000000u) |
                         (random->words[(i + 1) % SAC_TORCH_WORDS] & 0x7fffffffu);
            random->words[i] =
                random->words[(i + SHIFT) % SAC_TORCH_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
        }
        random->next = 0;
    }
    uint32_t y = random->words[random->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

float sac_torch_rand(sac_torch_random *random)
{
    return (float)(next_word(random) & 0xffffff) / 16777216.0f;
}

void sac_torch_uniform(sac_torch_random *random, float bound, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = sac_torch_rand(random) * (bound - -bound) + -bound;
}

void sac_torch_skip(sac_torch_random *random, size_t count)
{
    for (size_t i = 0; i < count; i++)
        next_word(random);
}
