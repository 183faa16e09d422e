#include "sources/found.h"

#include <stdlib.h>
#include <string.h>

void sac_found_free(sac_found *f)
{
    free(f->things);
    free(f->names);
    free(f->logits);
    free(f->boxes);
    free(f->looks);
    free(f->own);
    *f = (sac_found){0};
}

size_t sac_found_count(const sac_found *f, float threshold)
{
    size_t count = 0;
    while (count < f->queries && f->things[count].score > threshold)
        count++;
    return count;
}

void sac_found_look(const sac_found *f, size_t query, size_t layer, size_t head, float *weights)
{
    size_t cells = (size_t)f->grid_w * (size_t)f->grid_h;
    size_t layers = layer < f->layers ? 1 : f->layers, heads = head < f->heads ? 1 : f->heads;
    memset(weights, 0, cells * sizeof *weights);
    for (size_t l = 0; l < layers; l++)
        for (size_t h = 0; h < heads; h++) {
            size_t at = (layers > 1          ? l
                         : layer < f->layers ? layer
                                             : 0) *
                            f->heads +
                        (heads > 1         ? h
                         : head < f->heads ? head
                                           : 0);
            const float *map = f->looks + (at * f->queries + query) * cells;
            for (size_t i = 0; i < cells; i++)
                weights[i] += map[i] / (float)(layers * heads);
        }
}
