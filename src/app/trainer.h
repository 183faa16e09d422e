/* Trainings in a window: what can be trained, and the one that goes on while anything is looked at. */
#ifndef SAC_APP_TRAINER_H
#define SAC_APP_TRAINER_H

#include "models/monitor.h"
#include "sources/source.h"

/* A training on a thread of its own, or on one of the command's. Documents share it: the one that is opened next holds
 * it too. */
typedef struct app_training app_training;

/* Opens the device, makes the model and begins. The weights go to the wish's file. *training: the one before, which has
 * ended and is released, or NULL. Where the wish continues it, it has the options of the command that it was. */
sac_status app_training_begin(const sac_training_wish *wish, const char *device,
                              app_training **training, sac_error *error);
/* A training that another thread does, with what a person asks for in the window. Model, options and monitor are lent
 * until it is released; its file is that of the options. */
sac_status app_training_of_command(sac_model *model, const sac_training_options *options,
                                   sac_monitor *monitor, app_training **training, sac_error *error);
/* On that thread, after each step: waits while it is paused, and saves. False: it is to stop. */
bool app_training_step(app_training *training, sac_model *model, const sac_training_report *report);
/* On that thread, once it has ended; `why`: what went wrong. */
void app_training_end(app_training *training, sac_status status, const sac_error *why);
app_training *app_training_retain(app_training *training); /* takes NULL */
/* The last one stops it, if its thread is its own: its weights and a checkpoint are saved. Takes NULL. */
void app_training_release(app_training *training);
/* Stops it, and waits at most so long until its weights and a checkpoint are saved: for a process that
 * ends without releasing anything. Takes NULL. */
void app_training_stop(app_training *training, double seconds);
/* No window steers it any more: it is not paused. */
void app_training_leave_alone(app_training *training);
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
