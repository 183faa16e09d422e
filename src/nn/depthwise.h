/* Depthwise convolutions: each channel of pictures [B,H,W,channels] is convolved with its own
 * window. Padding is TensorFlow's "same": there are ⌈side/stride⌉ windows along a side, and of the
 * zeros around it the smaller half comes first. */
#ifndef SAC_NN_DEPTHWISE_H
#define SAC_NN_DEPTHWISE_H

#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_depthwise {
    size_t batch, height, width, channels;
    size_t taps, stride; /* along a side of a window: odd; 1 or 2 */
    float ceiling;       /* y is brought between 0 and this, as by ReLU6; 0: it is not */
} sac_depthwise;

/* The zeros before the first pixel of a side. */
size_t sac_same_before(size_t side, size_t taps, size_t stride);

/* That forward passes of such windows will be needed: sac_kernel_expect. */
void sac_depthwise_expect(sac_device *device, size_t taps, size_t stride);
/* y [B,⌈H/stride⌉,⌈W/stride⌉,channels] of x; W [taps,taps,channels], b [channels]. */
void sac_depthwise_forward(sac_pass *pass, const sac_depthwise *layer, sac_tensor y, sac_tensor x,
                           const sac_parameter *w, const sac_parameter *b);
/* dy is the gradient before the ceiling: sac_relu6_backward sees to that. dx may be empty. */
void sac_depthwise_backward_input(sac_pass *pass, const sac_depthwise *layer, sac_tensor dx,
                                  sac_tensor dy, const sac_parameter *w);
void sac_depthwise_backward_weights(sac_pass *pass, const sac_depthwise *layer, sac_tensor dy,
                                    sac_tensor x, const sac_parameter *w, const sac_parameter *b);

#endif
