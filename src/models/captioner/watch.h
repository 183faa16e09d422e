/* What a training shows of itself: a few scenes of the test stream that it never learns from,
 * spoken of now and then, and the curves so far. The training's thread writes; a viewer reads
 * copies through a sac_training_source. */
#ifndef SAC_CAPTIONER_WATCH_H
#define SAC_CAPTIONER_WATCH_H

#include "captioner/train.h"
#include "trace/caption.h"

typedef struct sac_watch sac_watch;

/* `device`: the name to show; copied. */
sac_status sac_watch_create(const sac_captioner_shape *shape, const char *device, sac_watch **watch,
                            sac_error *error);
void sac_watch_destroy(sac_watch *watch); /* takes NULL; not while a viewer looks */

/* After each step, on the training's thread: takes the figures, and lets the captioner speak where
 * it is time to: of the pictures every 50 steps, and every two seconds while a viewer looks;
 * of all watched scenes every 250 steps. */
sac_status sac_watch_step(sac_watch *watch, sac_captioner *captioner,
                          const sac_training_report *report, sac_error *error);
/* The share of watched scenes whose greedy caption was exactly right when last asked, and at which
 * step; NaN: not yet. */
float sac_watch_exact(const sac_watch *watch, size_t *step);
void sac_watch_end(sac_watch *watch); /* the training has ended */

/* Lent by the watch. */
sac_training_source sac_watch_source(sac_watch *watch);

#endif
