/* One attention matrix, enlarged, with what its current row attends to; over a picture where the
 * source has one. */
#ifndef VIZ_WEIGHTS_MATRIX_VIEW_H
#define VIZ_WEIGHTS_MATRIX_VIEW_H

#include "weights/weights_model.h"

extern const viz_view_class viz_matrix_class;

/* Keeps a reference to `model`, which it may share with a heads view; the caller still releases its
 * own. SAC_E_MEMORY. */
sac_status viz_matrix_view_create(viz_weights_model *model, viz_view **view, sac_error *error);

#endif
