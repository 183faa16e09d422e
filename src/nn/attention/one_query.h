/* The attention layer's fast path for one query and one head per item of a batch; nn/attention.h
 * chooses and documents it. It has its own kernels (cl/layers/one_query.cl), since a decoder calls
 * it at every step. They enqueue and do not wait, read the keys in place (the kernels for many
 * queries pack a copy at every call), keep the weights, and add to the gradients of keys and values
 * that other steps began. */
#ifndef SAC_NN_ONE_QUERY_H
#define SAC_NN_ONE_QUERY_H

#include "nn/attention/attention.h"
#include "nn/parameters.h"
#include "nn/pass.h"

void sac_one_query_forward(sac_pass *pass, const sac_attention_layer *layer,
                           const sac_attention_tensors *tensors);
/* The tanh of the additive score are computed again: nothing of size Tk · d is kept. */
void sac_one_query_backward(sac_pass *pass, const sac_attention_layer *layer,
                            const sac_attention_tensors *tensors,
                            const sac_attention_layer_gradients *gradients);
/* Floats of scratch memory that a pass lends to backward. */
size_t sac_one_query_scratch(const sac_attention_layer *layer,
                             const sac_attention_tensors *tensors);

/* ---- with ReLU and a gate for each number */

/* How every sentence of a beam looks at the cells of one picture in "Show, Attend and Tell" (Xu et
 * al. 2015) in its most common PyTorch implementation: with ReLU in the additive score in place of
 * tanh, and a gate for each number of what is seen. Forward alone:
 *
 *     α = softmax_n(scale · w·relu(key[n] + query)),    z = σ(gate) ⊙ Σ_n α[n] value[n]
 */

typedef struct sac_relu_attention {
    const sac_parameter *w;       /* [1,A] */
    float scale;                  /* 0: 1 */
    cl_mem padding;               /* bytes [N], 1: the cell is hidden; NULL: none */
    sac_tensor key, value;        /* [N,A], [N,D]; read, as are … */
    sac_tensor query, gate, word; /* … [R,A], [R,D] before the sigmoid, [R,M] */
    sac_tensor weights;           /* α [R,N]; written, all 0 where all is hidden; … */
    sac_tensor joined;            /* … the word and z, side by side, [R,M+D]; … */
    sac_tensor open;              /* … and the mean of σ(gate) [R,1] */
} sac_relu_attention;
void sac_relu_attention_forward(sac_pass *pass, const sac_relu_attention *a);

#endif
