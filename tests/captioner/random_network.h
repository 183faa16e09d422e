/* Weights of a network of photographs out of which cells come that differ. */
#ifndef TESTS_CAPTIONER_RANDOM_NETWORK_H
#define TESTS_CAPTIONER_RANDOM_NETWORK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/random.h"
#include "captioner/model.h"
#include "on_device.h"
#include "test.h"

static inline void network_at_random(sac_captioner *captioner)
{
    const sac_parameters *all[] = {&captioner->base.frozen, &captioner->base.parameters};
    uint32_t part = 0;
    for (int i = 0; i < all[0]->count + all[1]->count; i++) {
        bool learns = i >= all[0]->count;
        const sac_parameter *p = all[learns]->list[learns ? i - all[0]->count : i];
        if (strncmp(p->name, "network.", 8) != 0 || strncmp(p->name, "network.norm", 12) == 0)
            continue;
        float *numbers = calloc(p->count, sizeof *numbers);
        size_t in = p->value.width;
        float bound = p->rank > 1 ? 2.4f / sqrtf((float)(p->rank == 3 ? 9 : in)) : 0.1f;
        for (size_t k = 0; k < p->count; k++)
            numbers[k] = bound * (2 * sac_philox_uniform((uint32_t)k, part, 77) - 1);
        OK(sac_span_write(device, sac_tensor_span(p->value), p->count, numbers, &failure));
        part++;
        free(numbers);
    }
    const sac_parameter *gain = captioner->weights.cells.gain;
    OK(sac_span_fill(device, sac_tensor_span(gain->value), gain->count, 1, &failure));
}

#endif
