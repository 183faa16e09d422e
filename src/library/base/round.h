/* Sizes: rounded up, and the larger of two. */
#ifndef SAC_BASE_ROUND_H
#define SAC_BASE_ROUND_H

#include <stddef.h>

/* ⌈count / size⌉: so many parts of `size` hold `count`. `size` is not 0. */
static inline size_t sac_ceil_div(size_t count, size_t size)
{
    return count / size + (count % size != 0);
}

/* `count`, up to a whole multiple of `step`. */
static inline size_t sac_round_up(size_t count, size_t step)
{
    return sac_ceil_div(count, step) * step;
}

static inline size_t sac_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
