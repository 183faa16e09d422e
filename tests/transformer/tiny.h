/* A transformer of tiny sizes, with random weights. */
#ifndef TESTS_TRANSFORMER_TINY_H
#define TESTS_TRANSFORMER_TINY_H

#include "on_device.h"
#include "status.h"
#include "transformer/transformer.h"

static inline sac_transformer *tiny_transformer_of(bool norm_first, sac_normalizer normalizer)
{
    sac_transformer *made;
    sac_transformer_sizes sizes;
    OK(sac_transformer_default_sizes(&sizes, &failure));
    sizes.width = 12;
    sizes.hidden = 20;
    sizes.heads = 2;
    sizes.norm_first = norm_first;
    sizes.normalizer = normalizer;
    OK(sac_transformer_make(&sac_transformer_class, device, &sizes, true, 3, &made, &failure));
    return made;
}

static inline sac_transformer *tiny_transformer(bool norm_first)
{
    return tiny_transformer_of(norm_first, SAC_NORMALIZER_SOFTMAX);
}

#endif
