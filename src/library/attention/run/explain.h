/* The numbers that one row of weights is computed from, read back from where the kernels read them.
 */
#ifndef SAC_ATTENTION_RUN_EXPLAIN_H
#define SAC_ATTENTION_RUN_EXPLAIN_H

#include "saccade.h"

/* Query, keys and values as they are compared and added up: projected, and multiplied by the
 * score's own matrices (W_q q and W_k k of the additive score, W_qkᵀ q of the bilinear one). A
 * weight is what the normaliser makes of the row's scores and the sink, exp(score) / (exp(sink) + Σ exp(score))
 * with the softmax, where score = cap(scale · raw) + bias and raw is defined by sac_score. All arrays are
 * owned. */
typedef struct sac_attention_row {
    sac_score score;
    sac_normalizer normalizer;
    size_t keys, dim, value_dim; /* value_dim 0: the attention has no values */
    double scale, inverse_width;
    double softcap; /* 0: none */
    double sink;    /* where has_sink */
    bool has_sink;
    float *query; /* [dim] */
    float *key;   /* [keys,dim] */
    float *w_v;   /* [dim]; NULL: the score is not additive */
    float *bias;  /* [keys]: 0, what a mask adds, or −inf where a key is hidden */
    float *value; /* [keys,value_dim]; NULL: the attention has no values */
} sac_attention_row;

/* Row `row` of one matrix. SAC_E_ARGUMENT where there is no such row. Free it. */
sac_status sac_attention_read_row(sac_attention *attention, size_t batch, size_t head, size_t row,
                                  sac_attention_row *numbers, sac_error *error);

#endif
