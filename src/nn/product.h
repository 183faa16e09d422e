/* The matrix product that every layer stands on: C = op(A) op(B) (+ bias) (+ C), row-major. */
#ifndef SAC_NN_PRODUCT_H
#define SAC_NN_PRODUCT_H

#include "nn/span.h"

typedef struct sac_product {
    size_t m, n, k;   /* C [m,n]; op(A) [m,k]; op(B) [k,n] */
    bool transpose_a; /* A is stored [k,m] */
    bool transpose_b; /* B is stored [n,k]: a layer's weights */
    bool accumulate;  /* adds to what C holds */
    sac_span bias;    /* [n], added to every row; empty: none */
    bool relu;        /* max(0, ·) after the bias; not with accumulate */
} sac_product;

/* Enqueues; does not wait. C must not overlap A or B. Any sizes, 0 does nothing. */
sac_status sac_product_run(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                           sac_span c, sac_error *error);

/* The two ways there are, of which sac_product_run takes the better one: our own kernel, and
 * CLBlast (where sac_clblast_usable). */
sac_status sac_product_by_tiles(sac_device *device, const sac_product *product, sac_span a,
                                sac_span b, sac_span c, sac_error *error);
sac_status sac_product_by_clblast(sac_device *device, const sac_product *product, sac_span a,
                                  sac_span b, sac_span c, sac_error *error);

#endif
