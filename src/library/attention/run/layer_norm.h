/* Layer norm of rows (Ba, Kiros and Hinton 2016), of x alone or of x with something added to it: a
 * residual, or a position; or their RMS norm (Zhang and Sennrich 2019).
 *
 *     u[r,:] = x[r,:] + added[r mod period,:]
 *     y[r,:] = gain · (u − mean u) / √(variance u + epsilon) + bias
 *     y[r,:] = gain · u / √(mean u² + epsilon) */
#ifndef SAC_ATTENTION_RUN_LAYER_NORM_H
#define SAC_ATTENTION_RUN_LAYER_NORM_H

#include "device/device.h"

typedef struct sac_norm {
    size_t rows, depth;
    size_t period; /* rows of `added`; 0: nothing is added */
    size_t each;   /* rows of one work-group backward; 0: 128 */
    bool centred;  /* the mean of what is added is taken off first: far from 0 the sum would lose
                      digits, and y is the same without it; forward only */
    float epsilon; /* 0: 1e-5 */
    sac_span x, added;
    sac_span gain, bias; /* [depth]; no bias: an RMS norm */
} sac_norm;

/* y [rows,depth] may be x. Enqueues. */
sac_status sac_norm_forward(sac_device *device, const sac_norm *norm, sac_span y, sac_error *error);

size_t sac_norm_groups(const sac_norm *norm);
/* dy becomes dx in place. Each group writes its part of the gradients of gain and bias into its row
 * of dgains and dbiases [groups,depth], but for those of an RMS norm, which are not looked at;
 * `scratch` [rows,2]. Enqueues. */
sac_status sac_norm_backward(sac_device *device, const sac_norm *norm, sac_span dy,
                             sac_span scratch, sac_span dgains, sac_span dbiases, sac_error *error);

#endif
