/* Random numbers as PyTorch draws them on a CPU after torch.manual_seed: MT19937 (Matsumoto and
 * Nishimura, 1998), whose lowest 24 bits make a float32. Only the low 32 bits of a seed count. */
#ifndef SAC_BASE_RANDOM_TORCH_RANDOM_H
#define SAC_BASE_RANDOM_TORCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

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
