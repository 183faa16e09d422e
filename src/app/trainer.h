/* Trainings in a window: what can be trained, and the one that goes on while anything is looked at. */
#ifndef SAC_APP_TRAINER_H
#define SAC_APP_TRAINER_H

#include "sources/source.h"

/* A training on a thread of its own. Documents share it: the one that is opened next holds it too. */
typedef struct app_training app_training;

/* Opens the device, makes the model and begins. The weights go to the wish's file. */
sac_status app_training_begin(const sac_training_wish *wish, const char *device,
                              app_training **training, sac_error *error);
app_training *app_training_retain(app_training *training); /* takes NULL */
/* The last one stops it: its weights and a checkpoint are saved. Takes NULL. */
void app_training_release(app_training *training);
/* Stops it, and waits at most so long until its weights and a checkpoint are saved: for a process that
 * ends without releasing anything. Takes NULL. */
void app_training_stop(app_training *training, double seconds);
bool app_training_has_ended(const app_training *training);
/* The settings that the training began with; lent. */
const sac_training_wish *app_training_wish_made(const app_training *training);
/* Sets `more` to the settings of a training that continues this one: from its checkpoint, or if it has none, from its
 * weights. */
void app_training_wish_for_more(const app_training *training, sac_training_wish *more);
/* What can be trained, and what is seen of the training and how it is steered (NULL: there is none). It is lent by
 * the training. */
sac_source app_trainer_source(app_training *training);

#endif
