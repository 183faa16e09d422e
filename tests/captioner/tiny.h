/* A captioner that is small and untrained: its captions have no meaning, but are always the same. */
#ifndef TESTS_CAPTIONER_TINY_H
#define TESTS_CAPTIONER_TINY_H

#include "captioner/model.h"
#include "models/checkpoint.h"
#include "status.h"
#include "test.h"

/* Layers of 8 channels and stride 2 from `side` to a grid of side / 2^layers, into the file.
 * `dataset` NULL: flat shapes. */
static inline void tiny_captioner_save(const char *path, const sac_dataset *dataset, int side,
                                       int layers, sac_score score, uint32_t seed)
{
    sac_device *device;
    sac_captioner *captioner;
    sac_captioner_shape shape = sac_captioner_default_shape(dataset, score);
    shape.side = side;
    shape.layers = layers;
    for (int i = 0; i < layers; i++) {
        shape.layer[i].channels = 8;
        shape.layer[i].stride = 2;
    }
    shape.attention = shape.hidden = shape.embedding = 16;
    OK(sac_device_open(NULL, &device, NULL));
    OK(sac_captioner_create(device, &shape, seed, &captioner, NULL));
    OK(sac_checkpoint_save(&captioner->base, path, 0, seed, NULL, NULL));
    sac_captioner_destroy(captioner);
    sac_device_close(device);
}

#endif
