/* The loss of supervised attention in double: see nn/training.h. */
#ifndef TESTS_CONJUGATE_H
#define TESTS_CONJUGATE_H

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "scores/normalizers.h"

/* max over p of Σ p z + H(p), which the weights of the scores z reach; −inf is a score that is blocked. */
static inline double conjugate(sac_normalizer normalizer, const double *z, size_t count)
{
    double weights[64], sum = 0;
    double alpha = normalizer == SAC_NORMALIZER_ENTMAX15 ? 1.5 : 2;
    assert(count <= 64);
    sac_normalize(normalizer, count, z, weights);
    for (size_t n = 0; n < count; n++) {
        double p = weights[n];
        if (p > 0)
            sum += p * z[n] + (normalizer == SAC_NORMALIZER_SOFTMAX
                                   ? -p * log(p)
                                   : (p - pow(p, alpha)) / (alpha * (alpha - 1)));
    }
    return sum;
}

/* Of scores z, of which the cells that are covered should have all weights. */
static inline double supervised_loss(sac_normalizer normalizer, const double *z,
                                     const double *cover, size_t count)
{
    double inside[64];
    assert(count <= 64);
    for (size_t n = 0; n < count; n++)
        inside[n] = cover[n] > 0 ? z[n] + log(cover[n]) : -INFINITY;
    return conjugate(normalizer, z, count) - conjugate(normalizer, inside, count);
}

#endif
