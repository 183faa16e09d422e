/* Batches of training scenes, drawn ahead on a thread of their own while the device works on the
 * one before. Batch k of a seed is always the same. */
#ifndef SAC_CAPTIONER_BATCHES_H
#define SAC_CAPTIONER_BATCHES_H

#include "captioner/train.h"

typedef struct sac_batches sac_batches;

/* Begins to draw batch `first`, `size` scenes of the shape's side. */
sac_status sac_batches_open(const sac_captioner_shape *shape, size_t size, uint32_t seed,
                            size_t first, sac_batches **batches, sac_error *error);
/* Waits for the next batch. Lent until the next call. */
const sac_caption_batch *sac_batches_next(sac_batches *batches);
void sac_batches_close(sac_batches *batches); /* takes NULL */

#endif
