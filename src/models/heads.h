/* The weights of single heads, for people to read: of a sentence they are few, and computed on
 * the host out of queries and keys. Training and translating never make them. */
#ifndef SAC_MODELS_HEADS_H
#define SAC_MODELS_HEADS_H

#include "nn/transformer.h"

/* Queries [queries,width] and keys [keys,width] of all heads, in host memory. */
typedef struct sac_head_view {
    const float *query, *key;
    size_t queries, keys, width, heads;
    bool causal;           /* query i sees the keys 0 … i */
    const uint8_t *hidden; /* [keys], 1: no query sees it; NULL: none */
    float temperature;     /* of the softmax; 0: 1 */
} sac_head_view;
/* weights [queries,keys] of head `head`; a row that sees nothing is 0. */
void sac_head_weights(const sac_head_view *view, size_t head, float *weights);
/* weights [heads,queries,keys] of one sentence, from the queries and keys that its attention left on
 * the device; those of the view are not used. */
void sac_heads_read(sac_pass *pass, const sac_multihead_tensors *attention,
                    const sac_head_view *view, float *weights);

#endif
