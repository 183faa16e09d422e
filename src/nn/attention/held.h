/* Heads that are held at a place, in place of where they would look. A head gives Σ p[n] v[n] of the keys of a picture,
 * whose weights have the sum p. With p · share[n] for weights it gives p Σ share[n] v[n]: so it does, whatever its
 * weights are, where each of these keys has Σ share[n] v[n] for a value. That holds for many heads and one, beside other
 * keys and alone, and needs no other kernel. */
#ifndef SAC_NN_HELD_H
#define SAC_NN_HELD_H

#include "nn/pass.h"

typedef struct sac_held {
    const float *share; /* [rows], of the picture's keys with a sum of 1, or all 0; negative: a key
                             that is none of the picture's, which keeps its value */
    const uint8_t *heads; /* [count], 1: it is held; NULL: all are */
    size_t count;         /* heads of queries, as many of each head of values */
} sac_held;

/* values [rows,value heads · d], in place. Blocks. */
void sac_held_values(sac_pass *pass, const sac_held *held, sac_tensor values, size_t value_heads);
/* True where heads that have one head of values are held all or none, which sac_held_values takes for granted. */
bool sac_held_is_whole(const sac_held *held, size_t value_heads);

#endif
