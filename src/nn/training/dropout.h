/* Dropout (Srivastava et al. 2014) of activations: D x, where D is 0 with probability p and else
 * 1/(1 − p). Which numbers are dropped is a function of the key and their place alone, so that
 * backward drops what forward dropped and nothing is kept. */
#ifndef SAC_NN_DROPOUT_H
#define SAC_NN_DROPOUT_H

#include "nn/pass.h"

typedef struct sac_dropout {
    float p;      /* 0: nothing is dropped */
    uint32_t key; /* every use in a pass takes another */
} sac_dropout;
/* The dropout of use number `use` of a pass whose seed is `seed`. */
sac_dropout sac_dropout_of(float p, uint64_t seed, uint32_t use);

/* y = D x, and with the same D the gradient: dx = D dy. y may be x. */
void sac_dropout_run(sac_pass *pass, const sac_dropout *dropout, sac_tensor y, sac_tensor x);
/* sum = x + D y. `sum` may be x or y. */
void sac_dropout_add(sac_pass *pass, const sac_dropout *dropout, sac_tensor sum, sac_tensor x,
                     sac_tensor y);

#endif
