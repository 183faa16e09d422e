/* Batches of training scenes. Batch k of a seed is always the same. */
#ifndef SAC_CAPTIONER_SCENE_BATCHES_H
#define SAC_CAPTIONER_SCENE_BATCHES_H

#include "captioner/learn/learn.h"
#include "models/batches.h"

/* A maker of sac_caption_batch, each `size` scenes of a training stream or a share of them, at the
 * shape's side. */
sac_status sac_scene_batches(const sac_captioner_shape *shape, sac_stream stream, size_t size,
                             sac_batch_share share, uint32_t seed, sac_batch_maker *maker,
                             sac_error *error);

#endif
