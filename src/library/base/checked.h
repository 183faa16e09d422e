/* Size arithmetic that cannot wrap: each returns false instead of overflowing. */
#ifndef SAC_BASE_CHECKED_H
#define SAC_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool sac_checked_mul(size_t a, size_t b, size_t *product)
{
    if (b && a > SIZE_MAX / b)
        return false;
    *product = a * b;
    return true;
}

static inline bool sac_checked_add(size_t a, size_t b, size_t *sum)
{
    if (a > SIZE_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

/* The product of `rank` sizes, times `unit`. */
static inline bool sac_checked_mul_shape(const size_t *shape, int rank, size_t unit,
                                         size_t *product)
{
    *product = unit;
    for (int i = 0; i < rank; i++)
        if (!sac_checked_mul(*product, shape[i], product))
            return false;
    return true;
}

#endif
