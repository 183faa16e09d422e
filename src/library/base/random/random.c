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
