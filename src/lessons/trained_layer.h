/* The notebook's layer of one head, trained: gradient descent by Adam on the host, in float64, so
 * that a lesson shows the same weights on every device. */
#ifndef SAC_LESSONS_TRAINED_LAYER_H
#define SAC_LESSONS_TRAINED_LAYER_H

#include "lessons/notebook.h"

enum {
    SAC_TRAINED_MAP = SAC_NOTEBOOK_DEPTH * SAC_NOTEBOOK_DEPTH + SAC_NOTEBOOK_DEPTH,
    SAC_TRAINED_WEIGHTS = 3 * SAC_TRAINED_MAP, /* of query, key, value: weight, then bias */
};

/* `steps` steps towards the least mean of (output − target)². x and target [2,4,10]; losses
 * [steps + 1], before each step and after the last. */
void sac_train_layer(float weights[SAC_TRAINED_WEIGHTS], const float *x, const float *target,
                     int steps, float *losses);

#endif
