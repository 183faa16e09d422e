/* All heads of all layers side by side as small pictures, and the chosen one enlarged. */
#ifndef VIZ_WEIGHTS_HEADS_VIEW_H
#define VIZ_WEIGHTS_HEADS_VIEW_H

#include "weights/weights_model.h"

extern const viz_view_class viz_heads_class;

#endif
