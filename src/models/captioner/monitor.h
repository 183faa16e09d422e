/* What a training shows of itself: a few scenes of the test stream that it never learns from,
 * spoken of now and then, and the curves so far. The training's thread writes; a viewer reads
 * copies through a sac_training_source. */
#ifndef SAC_CAPTIONER_MONITOR_H
#define SAC_CAPTIONER_MONITOR_H

#include "captioner/train.h"
#include "trace/caption.h"

typedef struct sac_monitor sac_monitor;

/* `device`: the name to show; copied. */
sac_status sac_monitor_create(const sac_captioner_shape *shape, const char *device,
                              sac_monitor **monitor, sac_error *error);
void sac_monitor_destroy(sac_monitor *monitor); /* takes NULL; not while a viewer looks */

/* After each step, on the training's thread: takes the figures, and lets the captioner speak where
 * it is time to: of the pictures every 50 steps, and every two seconds while a viewer looks;
 * of all watched scenes every 250 steps. */
sac_status sac_monitor_step(sac_monitor *monitor, sac_captioner *captioner,
                            const sac_training_report *report, sac_error *error);
/* The share of watched scenes whose greedy caption was exactly right when last asked, and at which
 * step; NaN: not yet. */
float sac_monitor_exact(const sac_monitor *monitor, size_t *step);
void sac_monitor_end(sac_monitor *monitor); /* the training has ended */

/* Lent by the monitor. */
sac_training_source sac_monitor_source(sac_monitor *monitor);

#endif
