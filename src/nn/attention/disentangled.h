/* Disentangled attention (He et al. 2021, "DeBERTa"): to the score of query i and key j is added how the
 * content of each meets a trained vector of their distance, p:
 *
 *     b[i,j] = scale · (q[i] · key(p[i − j]) + k[j] · query(p[i − j]))
 *
 * The vectors are not trained; backward leads to queries and keys. */
#ifndef SAC_NN_DISENTANGLED_H
#define SAC_NN_DISENTANGLED_H

#include "nn/attention/attention.h"
#include "nn/layers.h"

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
