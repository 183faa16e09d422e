/* How every sentence of a beam looks at the cells of one picture in "Show, Attend and Tell" (Xu et
 * al. 2015) as it is most often retold for PyTorch: with ReLU in the additive score in place of
 * tanh, and a gate for each number of what is seen. Forward alone:
 *
 *     α = softmax_n(scale · w·relu(key[n] + query)),    z = σ(gate) ⊙ Σ_n α[n] value[n]
 */
#ifndef SAC_NN_RELU_ATTENTION_H
#define SAC_NN_RELU_ATTENTION_H

#include "nn/parameters.h"
#include "nn/pass.h"

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
