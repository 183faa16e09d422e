/* The attention layer's form for one query and one head for each item of a batch, which
 * nn/attention.h chooses and describes. It has kernels of its own (cl/one_query.cl), since a
 * decoder asks for it at every step: they enqueue and do not wait, read the keys where they lie, of
 * which the kernels for many queries make a packed copy at every call, keep the weights, and add to
 * the gradients of keys and values that other steps have begun. */
#ifndef SAC_NN_ONE_QUERY_H
#define SAC_NN_ONE_QUERY_H

#include "nn/attention.h"

void sac_one_query_forward(sac_pass *pass, const sac_attention_layer *layer,
                           const sac_attention_tensors *tensors);
/* The tanh of the additive score are computed again: nothing of size Tk · d is kept. */
void sac_one_query_backward(sac_pass *pass, const sac_attention_layer *layer,
                            const sac_attention_tensors *tensors,
                            const sac_attention_slopes *slopes);
/* Floats of scratch memory that a pass lends to backward. */
size_t sac_one_query_scratch(const sac_attention_layer *layer,
                             const sac_attention_tensors *tensors);

#endif
