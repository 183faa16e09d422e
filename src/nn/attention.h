/* Attention of B·H heads on tensors of the device, forward and backward, of any score and with any
 * mask; the kernels are those of saccade.h's sac_attention, and nothing of size Tq · Tk is kept.
 *
 *     y[i] = Σ_j D[i,j] · softmax_j(score(q[i], k[j]) + mask[i,j]) v[j]       D: dropout
 *
 * Layout of query, key, value and y: with split SAC_SPLIT_TRANSPOSE [B·T,H·d], as a linear layer
 * gives it, with SAC_SPLIT_VIEW [B·H·T,d]; keys and values may have fewer heads, Hk, that divide H.
 */
#ifndef SAC_NN_ATTENTION_H
#define SAC_NN_ATTENTION_H

#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_attention_layer {
    sac_attention_spec spec; /* H and Hk are its heads (0: 1) and key_heads; float32 alone */
    size_t batch;            /* B */
    cl_mem padding;          /* bytes [B,Tk], 1: the key is ignored; NULL: none */
    cl_mem mask; /* bytes, 1: blocked, or floats, added to the score (−inf blocks); NULL: none */
    bool mask_is_float;
    size_t mask_shape[4];           /* [B,H,Tq,Tk], sizes of 1 broadcast */
    const sac_parameter *W_q, *W_k; /* [h,dq], [h,dk]: additive … */
    const sac_parameter *w_v;       /* … and [h] */
    const sac_parameter *W_qk;      /* [dq,dk]: bilinear */
} sac_attention_layer;

typedef struct sac_attention_tensors {
    sac_tensor query, key, value; /* read */
    sac_tensor output;            /* y, written by forward, read by backward */
    /* [B·H·Tq,2], the same: the largest logit of a row in base 2, m, and the sum l of
     * exp2(logit − m). A row's log-sum-exp is (m + log2 l) ln 2; where all is blocked l is 0. */
    sac_tensor stats;
} sac_attention_tensors;
void sac_attention_layer_forward(sac_pass *pass, const sac_attention_layer *layer,
                                 const sac_attention_tensors *tensors);

/* The mask gets no gradient. */
typedef struct sac_attention_slopes {
    sac_tensor doutput; /* read */
    sac_tensor dquery, dkey, dvalue;
    /* [1,1], added to: ∂loss/∂ln(scale), the sum of every score times its gradient; the gaussian's
     * w has a gradient of 2/w times it. Empty: not wanted. */
    sac_tensor dlog_scale;
} sac_attention_slopes;
void sac_attention_layer_backward(sac_pass *pass, const sac_attention_layer *layer,
                                  const sac_attention_tensors *tensors,
                                  const sac_attention_slopes *slopes);

#endif
