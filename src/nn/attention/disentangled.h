/* Disentangled attention (He et al. 2021, "DeBERTa"): to the score of query i and key j is added how the
 * content of each meets a trained vector of their distance, p:
 *
 *     b[i,j] = scale · (q[i] · key(p[i − j]) + k[j] · query(p[i − j]))
 *
 * Forward alone. */
#ifndef SAC_NN_DISENTANGLED_H
#define SAC_NN_DISENTANGLED_H

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

#endif
