/* Layer norm over the depth of a picture's cells (Ba, Kiros and Hinton 2016), after their position:
 *
 *     u[b,n,:] = x[b,n,:] + position[n,:]
 *     y[b,n,:] = gain · (u − mean u) / √(variance u + 1e-5) + bias */
#ifndef SAC_NN_LAYER_NORM_H
#define SAC_NN_LAYER_NORM_H

#include "device/span.h"

typedef struct sac_layer_norm {
    size_t batch, cells, depth;       /* B, N, D */
    sac_span position, gain, bias;    /* [N,D], [D], [D] */
    sac_span dposition, dgain, dbias; /* their gradients, added to; for backward alone */
} sac_layer_norm;

/* x and y [B,N,D], y not x itself. */
sac_status sac_layer_norm_forward(sac_device *device, const sac_layer_norm *layer, sac_span x,
                                  sac_span y, sac_error *error);
/* dy becomes dx in place. `scratch`: sac_layer_norm_scratch floats. */
sac_status sac_layer_norm_backward(sac_device *device, const sac_layer_norm *layer, sac_span x,
                                   sac_span dy, sac_span scratch, sac_error *error);
size_t sac_layer_norm_scratch(const sac_layer_norm *layer);

#endif
