/* What can be trained, to begin one, and the training that goes on, to pause, save and stop it. */
#ifndef VIZ_TRAIN_TRAIN_VIEW_H
#define VIZ_TRAIN_TRAIN_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_train_class;

#endif
