/* Layer norm over the depth of a picture's cells (Ba, Kiros and Hinton 2016), after their position:
 *
 *     u[b,n,:] = x[b,n,:] + position[n,:]
 *     y[b,n,:] = gain · (u − mean u) / √(variance u + 1e-5) + bias */
#ifndef SAC_NN_LAYER_NORM_H
#define SAC_NN_LAYER_NORM_H

#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_layer_norm {
    const sac_parameter *position, *gain, *bias; /* [N,D], [D], [D] */
} sac_layer_norm;

/* x and y [B,N,D], y not x itself. */
void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y,
                            sac_tensor x);
/* dy becomes dx in place. */
void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x);
/* Floats that a pass lends to backward. */
size_t sac_layer_norm_scratch(size_t batch, size_t cells, size_t depth);

#endif
