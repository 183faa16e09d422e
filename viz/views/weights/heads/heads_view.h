/* All heads of all layers side by side as small pictures, and the chosen one enlarged. */
#ifndef VIZ_WEIGHTS_HEADS_VIEW_H
#define VIZ_WEIGHTS_HEADS_VIEW_H

#include "weights/weights_model.h"

extern const viz_view_class viz_heads_class;

/* Keeps a reference to `model`, which it may share with a matrix view; the caller still releases
 * its own. SAC_E_MEMORY. */
sac_status viz_heads_view_create(viz_weights_model *model, viz_view **view, sac_error *error);

#endif
