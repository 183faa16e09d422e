/* The monitor of a training: a few held-out samples, decoded now and then, and the curves so far.
 * The training's thread writes; a viewer reads copies through a sac_source. */
#ifndef SAC_MODELS_MONITOR_H
#define SAC_MODELS_MONITOR_H

#include "models/train.h"
#include "sources/source.h"

typedef struct sac_monitor sac_monitor;

/* `device`: the name to show; copied. `from`: what the training goes on from (sac_training_options); where that is a
 * checkpoint its curves go on. NULL: nothing. SAC_E_FORMAT. */
sac_status sac_monitor_create(const sac_model *model, const char *device, const char *from,
                              sac_monitor **monitor, sac_error *error);
void sac_monitor_destroy(sac_monitor *monitor); /* takes NULL; not while a viewer looks */

/* After each step, on the training's thread: takes the figures, and decodes where it is time to: of
 * the samples that are shown every 50 steps, and every two seconds while a viewer looks; of all
 * watched ones every 250 steps, or more often in a short training, unless the class judges by a figure of
 * its own: that is judged more often while a viewer looks. The curves have a point at least every three seconds, and
 * heads are measured at every two-hundredth of the steps. The model's checkpoints have the curves until the monitor is destroyed. */
sac_status sac_monitor_step(sac_monitor *monitor, sac_model *model,
                            const sac_training_report *report, sac_error *error);
/* The share of watched samples whose caption was exact when last decoded, and at which step; NaN:
 * not yet. */
float sac_monitor_exact(const sac_monitor *monitor, size_t *step);
/* What a model that writes wrote last; lent until the next step, whose thread alone asks. Empty: nothing yet. */
const char *sac_monitor_sample(const sac_monitor *monitor);
void sac_monitor_end(sac_monitor *monitor); /* the training has ended */
/* The best head of each kind of the model as it is now: "previous token 0.1 (0.93), induction 1.3 (0.98), …"; empty
 * where its heads are not watched. On the training's thread. */
sac_status sac_monitor_name_heads(sac_monitor *monitor, sac_model *model, char *text, size_t size,
                                  sac_error *error);

/* Lent by the monitor. */
sac_source sac_monitor_source(sac_monitor *monitor);

#endif
