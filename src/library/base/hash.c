#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

uint64_t sac_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* ---------------------------------------------------------------- tables */

static uint64_t key[2];
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* Where the system gives no random bytes, the time and the place of this process have to do. */
static void make_key(void)
{
    struct timespec now;
    if (getrandom(key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    key[0] = sac_hash(SAC_HASH_START, &now, sizeof now);
    key[1] = (uint64_t)(uintptr_t)&now * 0x9e3779b97f4a7c15u;
}

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

uint64_t sac_table_hash(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    pthread_once(&key_once, make_key);
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    for (size_t at = 0; at <= size; at += 8) {
        uint64_t word = 0;
        size_t left = size - at < 8 ? size - at : 8;
        memcpy(&word, bytes + at, left);
        if (left < 8)
            word |= (uint64_t)size << 56;
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
