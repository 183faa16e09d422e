/* Attention of B·H heads on tensors of the device, forward and backward.
 *
 *     y[i] = Σ_j D[i,j] · softmax_j(score(q[i], k[j]) + mask[i,j]) v[j]       D: dropout
 *
 * or the spec's other normaliser in place of the softmax.
 *
 * Layout of query, key, value and y: with split SAC_SPLIT_TRANSPOSE [B·T,H·d], as a linear layer
 * gives it, with SAC_SPLIT_VIEW [B·H·T,d]; keys and values may have fewer heads, Hk, that divide H.
 *
 * The layer has two forms. Without `weights` among the tensors it takes any number of queries and
 * heads, any score and any mask; the kernels are those of saccade.h's sac_attention, and nothing of
 * size Tq · Tk is kept. With `weights` it is the attention of a decoder over what an encoder made,
 * which has one query and one head for each item of the batch at every step (Tq = H = 1): the
 * weights are there for a loss that asks something of them or of the scores, and a gate may weigh the output (β of
 * Xu et al. 2015, 4.2.1). Of this form are additive, scaled-dot and bilinear scores, to which the
 * caller has applied the score's matrices, and padding. */
#ifndef SAC_NN_ATTENTION_H
#define SAC_NN_ATTENTION_H

#include "nn/layers.h"
#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_attention_layer {
    sac_attention_spec spec; /* H and Hk are its heads (0: 1) and key_heads; float32 alone */
    size_t batch;            /* B */
    cl_mem padding;          /* bytes [B,Tk], 1: the key is ignored; NULL: none */
    bool shared; /* with weights: keys, values and padding are those of one item, [Tk,·], for the
                    whole batch; forward alone */
    cl_mem mask; /* bytes, 1: blocked, or floats, added to the score (−inf blocks); NULL: none */
    bool mask_is_float;
    size_t mask_shape[4];           /* [B,H,Tq,Tk], sizes of 1 broadcast */
    const sac_parameter *W_q, *W_k; /* [h,dq], [h,dk]: additive, without weights … */
    const sac_parameter *w_v;       /* … and [h] */
    const sac_parameter *W_qk;      /* [dq,dk]: bilinear, without weights */
    const sac_parameter *sinks;     /* [1,H], without weights; NULL: none */
} sac_attention_layer;

typedef struct sac_attention_tensors {
    sac_tensor query, key, value;   /* read */
    struct sac_laid_out **laid_out; /* attention/attention.h: of keys and values that many calls
                                       read; NULL: none */
    sac_tensor output;              /* y, written by forward, read by backward */
    /* [B·H·Tq,2], the same: the largest logit of a row in base 2, m, and the sum l of
     * exp2(logit − m). A row's log-sum-exp is (m + log2 l) ln 2; where all is blocked l is 0. */
    sac_tensor stats;
    /* The form for one query alone, which has no stats: */
    sac_tensor weights; /* α [B,Tk], written; empty: the other form */
    sac_tensor
        scores; /* [B,Tk], scaled, below −1e29 where the key is ignored; written; empty: not wanted */
    sac_tensor gate;    /* [B,1], before the sigmoid; forward puts β in its place; empty: β = 1 */
    sac_tensor context; /* Σ α v before the gate [B,dv], as output; empty where there is no gate */
} sac_attention_tensors;
void sac_attention_layer_forward(sac_pass *pass, const sac_attention_layer *layer,
                                 const sac_attention_tensors *tensors);

/* The mask gets no gradient. */
typedef struct sac_attention_layer_gradients {
    sac_tensor doutput; /* read */
    sac_tensor dquery;
    sac_tensor dkey, dvalue; /* written; with weights added to, as steps share keys and values */
    /* [1,1], added to: ∂loss/∂ln(scale), the sum of every score times its gradient; the gaussian's
     * w has a gradient of 2/w times it. Empty: not wanted. Not with weights. */
    sac_tensor dlog_scale;
    /* The form for one query alone: */
    /* [B,Tk], read: what other losses ask of α, and of the scores; empty: nothing */
    sac_tensor dweights, dscores;
    sac_tensor dgate; /* [B,1], of the gate before the sigmoid; written where there is a gate */
} sac_attention_layer_gradients;
void sac_attention_layer_backward(sac_pass *pass, const sac_attention_layer *layer,
                                  const sac_attention_tensors *tensors,
                                  const sac_attention_layer_gradients *gradients);

/* Disentangled attention (He et al. 2021, "DeBERTa"): to the score of query i and key j is added how the
 * content of each meets a trained vector of their distance, p:
 *
 *     b[i,j] = scale · (q[i] · key(p[i − j]) + k[j] · query(p[i − j]))
 *
 * The vectors are not trained; backward leads to queries and keys. */

/* What all layers of a pass have in common. */
typedef struct sac_distances {
    sac_tensor vectors;    /* [R,D]: the trained vectors that the text needs */
    sac_ints rows;         /* [2T − 1]: the vector of each distance i − j, from 1 − T on */
    sac_tensor key, query; /* [R,H·d]: memory for what a layer makes of them */
    float scale;
} sac_distances;

/* b [H·T,T] of query and key [T,H·d], by the layer's own linear layers D → H·d; those without w: that
 * term is not there. */
void sac_disentangle(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                     size_t heads, const sac_distances *distances, sac_tensor query, sac_tensor key,
                     sac_tensor b);

/* What b is of queries and keys, added to wanted->dquery and ->dkey: after an attention with that b, forward and
 * backward, and with the `distances` that disentangle left. scale: of query · key; 0: 1/√d. b becomes the gradient of the
 * scores. */
void sac_disentangle_backward(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                              size_t heads, const sac_distances *distances, float scale,
                              sac_tensor b, const sac_attention_tensors *tensors,
                              const sac_attention_layer_gradients *wanted);

#endif
