/* Layer norm over the width of rows (Ba, Kiros and Hinton 2016); where there is a trained position,
 * as of the cells of a picture, that is added first:
 *
 *     u[b,n,:] = x[b,n,:] + position[n,:]
 *     y[b,n,:] = gain · (u − mean u) / √(variance u + epsilon) + bias
 *
 * Without a bias it is RMSNorm (Zhang and Sennrich 2019), whose gain is not trained:
 *
 *     y[b,n,:] = gain · x / √(mean x² + epsilon) */
#ifndef SAC_NN_LAYER_NORM_H
#define SAC_NN_LAYER_NORM_H

#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_layer_norm {
    const sac_parameter *position;    /* [N,D]; NULL: none, and x is any rows */
    const sac_parameter *gain, *bias; /* [D]; bias NULL: RMSNorm, without a position */
    float epsilon;                    /* 0: 1e-5 */
} sac_layer_norm;

/* x and y [B,N,D]; backward needs x, so that y is another memory where there is a backward. */
void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y,
                            sac_tensor x);
/* dy becomes dx in place. Gain and bias may be without gradients. */
void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x);
/* Floats that a pass lends to backward. */
size_t sac_layer_norm_scratch(const sac_layer_norm *layer, sac_tensor x);

#endif
