/* The deep output layer of a decoder with attention (Pascanu et al. 2014; Xu et al. 2015, eq. 7):
 *
 *     logits [rows,V] = W_o mixed + b_o,   mixed [rows,E] = embedded + W_s state + W_z context
 *
 * E of embeddings, H of states, Z of contexts, V words. */
#ifndef SAC_MODELS_DEEP_OUTPUT_H
#define SAC_MODELS_DEEP_OUTPUT_H

#include "nn/parameters.h"
#include "nn/pass.h"
#include "nn/training/dropout.h"

typedef struct sac_deep_output {
    const sac_parameter *state, *context; /* [E,H], [E,Z] */
    const sac_parameter *out, *bias;      /* [V,E], [V] */
} sac_deep_output;

/* "NAME.state.weight", "NAME.context.weight", "NAME.out.weight" and "NAME.out.bias". */
sac_deep_output sac_deep_output_declare(sac_parameters *parameters, const char *name,
                                        size_t embedding, size_t state, size_t context,
                                        size_t words);

/* Inputs and results of the layer, [rows,·]; in the backward pass their gradients. */
typedef struct sac_deep_output_tensors {
    sac_tensor logits, mixed;
    sac_tensor embedded, state, context;
    sac_dropout dropout; /* of `mixed`; the same forward and backward */
} sac_deep_output_tensors;

void sac_deep_output_forward(sac_pass *pass, const sac_deep_output *layer,
                             const sac_deep_output_tensors *x);
/* From dx->logits, writes dx->mixed (which is the gradient of what was embedded too: dx->embedded
 * is not used), dx->state and dx->context; adds to the gradients of the parameters. */
void sac_deep_output_backward(sac_pass *pass, const sac_deep_output *layer,
                              const sac_deep_output_tensors *x, const sac_deep_output_tensors *dx);

#endif
