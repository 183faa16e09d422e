/* The gradients of attention in float64 and plain loops: what the backward kernels are held to. */
#ifndef SAC_ATTENTION_REFERENCE_REFERENCE_BACKWARD_H
#define SAC_ATTENTION_REFERENCE_REFERENCE_BACKWARD_H

#include "saccade.h"

/* Each of the shape of what it is the gradient of; all are added to. Those of the score's matrices
 * may be NULL where the score has none. */
typedef struct sac_reference_gradients {
    double *query, *key, *value;
    double *W_q, *W_k, *w_v, *W_qk;
    double *sinks;    /* [H]; NULL: not wanted */
    double log_scale; /* ∂loss/∂ln(scale) */
} sac_reference_gradients;

/* `doutput` has the output's shape. It takes inputs in float32, without projections and layer norm.
 */
sac_status sac_attention_reference_backward(const sac_attention_spec *spec,
                                            const sac_attention_input *input, const double *doutput,
                                            sac_reference_gradients *gradients, sac_error *error);

#endif
