/* Two pixels at a time, a channel a lane, for vector instructions that every processor of a family has. */
#ifndef VIZ_CANVAS_PAIRS_H
#define VIZ_CANVAS_PAIRS_H

#include <stdint.h>
#include <string.h>

typedef uint8_t viz_pair_bytes __attribute__((vector_size(8)));
typedef uint16_t viz_pair __attribute__((vector_size(16)));
typedef uint64_t viz_two_words __attribute__((vector_size(16)));

static inline viz_pair viz_pair_read(const uint8_t *pixels)
{
    viz_pair_bytes bytes;
    memcpy(&bytes, pixels, sizeof bytes);
    return __builtin_convertvector(bytes, viz_pair);
}

static inline void viz_pair_write(viz_pair pair, uint8_t *pixels)
{
    viz_pair_bytes bytes = __builtin_convertvector(pair, viz_pair_bytes);
    memcpy(pixels, &bytes, sizeof bytes);
}

/* The one number in all lanes of the first pixel, the other in those of the second. */
static inline viz_pair viz_pair_of(uint64_t first, uint64_t second)
{
    const uint64_t each = 0x0001000100010001u;
    return (viz_pair)(viz_two_words){first * each, second * each};
}

#endif
