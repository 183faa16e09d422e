/* Attention of a decoder over the cells of a picture, or the words of a sentence: one query for
 * each of the batch. nn/attention.h has more queries; with one this needs no copy of the keys, and
 * gives the weights too, of which a loss may ask something.
 *
 *     e[b,n]  = score(query[b], keys[b,n]) / temperature      α = softmax over n
 *     z[b]    = β[b] · Σ_n α[b,n] features[b,n]
 *
 * Score: additive v·tanh(key + query) (Bahdanau et al. 2015); scaled-dot and bilinear
 * key·query · scale, whose projections the caller has done. β: the gate of Xu et al. 2015, 4.2.1,
 * sigmoid of gate[b], a sum that the caller computed; without a gate 1. */
#ifndef SAC_NN_CROSS_ATTENTION_H
#define SAC_NN_CROSS_ATTENTION_H

#include "nn/pass.h"

typedef struct sac_cross_attention {
    sac_score score;                  /* additive; or scaled-dot or bilinear, which are one here */
    size_t batch, cells, depth, keys; /* B, N, D of the features, A of keys and queries */
    float scale;       /* on key·query: 1/√A, or 1/(D·S)^¼; additive: not used */
    float temperature; /* 0: 1 */
    bool shared; /* features and keys are those of one picture, [N,·], for the whole batch; forward
                    only */
} sac_cross_attention;

/* The tensors that forward reads and writes. Both passes enqueue and do not wait. */
typedef struct sac_cross_attention_spans {
    sac_span features;  /* [B,N,D] */
    sac_span keys;      /* [B,N,A] */
    sac_span v;         /* [A]; additive only */
    sac_span query;     /* [B,A] */
    sac_span gate;      /* [B], before the sigmoid; forward puts β in its place; empty: none */
    sac_tensor padding; /* [B,N], or [1,N] for the whole batch: 1 is ignored; empty: nothing is.
                           Where all are ignored α = 0 */
    sac_span weights;   /* α [B,N], written */
    sac_span context;   /* Σ α features [B,D], written, without β: backward needs it */
    sac_span z;         /* β · context [B,D], written */
} sac_cross_attention_spans;
void sac_cross_attention_forward(sac_pass *pass, const sac_cross_attention *layer,
                                 const sac_cross_attention_spans *spans);

/* Gradients; `spans` as forward left them. */
typedef struct sac_cross_attention_gradients {
    sac_span dz;                   /* [B,D], read */
    sac_span dweights;             /* [B,N], read: what other losses ask of α; empty: nothing. */
    sac_span dfeatures, dkeys, dv; /* as above; added to */
    sac_span dquery;               /* [B,A], written */
    sac_span dgate; /* [B], of the sum before the sigmoid; written where there is a gate */
} sac_cross_attention_gradients;
/* Not for a shared picture. The tanh are computed anew: nothing of size [B,N,A] is kept. */
void sac_cross_attention_backward(sac_pass *pass, const sac_cross_attention *layer,
                                  const sac_cross_attention_spans *spans,
                                  const sac_cross_attention_gradients *gradients);
size_t sac_cross_attention_scratch(
    const sac_cross_attention *layer); /* floats that a pass lends to backward */

#endif
