/* The matrix product that projections and layers stand on: C = op(A) op(B) (+ bias) (+ C),
 * row-major. */
#ifndef SAC_ATTENTION_PRODUCT_H
#define SAC_ATTENTION_PRODUCT_H

#include "device/span.h"

typedef struct sac_product {
    size_t m, n, k;   /* C [m,n]; op(A) [m,k]; op(B) [k,n] */
    bool transpose_a; /* A is stored [k,m] */
    bool transpose_b; /* B is stored [n,k]: a layer's weights */
    bool accumulate;  /* adds to what C holds */
    sac_span bias;    /* [n], added to every row; empty: none */
    bool relu;        /* max(0, ·) after the bias; not with accumulate */
} sac_product;

/* Enqueues; does not wait. C must not overlap A or B. Any sizes, 0 does nothing. Takes the best way
 * that computes right on this device; SAC_E_DEVICE where none does. */
sac_status sac_product_run(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                           sac_span c, sac_error *error);

/* The ways there are, the fastest first. All but the last take matrices of less than 2³¹ numbers.
 * CLBlast compiles for seconds before its first product. */
typedef enum sac_product_way {
    SAC_BY_CLBLAST,
    SAC_BY_TILES,
    SAC_BY_NAIVE,
    SAC_PRODUCT_WAY_COUNT,
} sac_product_way;
sac_status sac_product_by_clblast(sac_device *device, const sac_product *product, sac_span a,
                                  sac_span b, sac_span c, sac_error *error);
sac_status sac_product_by_tiles(sac_device *device, const sac_product *product, sac_span a,
                                sac_span b, sac_span c, sac_error *error);
sac_status sac_product_by_naive(sac_device *device, const sac_product *product, sac_span a,
                                sac_span b, sac_span c, sac_error *error);
sac_status sac_product_by(sac_device *device, sac_product_way way, const sac_product *product,
                          sac_span a, sac_span b, sac_span c, sac_error *error);

/* ---- known_product.c: which ways compute right on a device */

const char *sac_product_way_name(sac_product_way way); /* "tiles" */
/* The fastest way that is worth trying on a device; those after it take over where it fails. */
sac_product_way sac_product_first_way(const sac_device *device);
/* The largest relative error of known products; −1, with the reason, where one did not run.
 * Remembers what they say. A [m,k] and A stored [k,m] are different kernels. */
double sac_product_error(sac_device *device, sac_product_way way, bool transpose_a,
                         sac_error *error);
/* What its error may be. */
double sac_product_bound(void);
/* Whether the known products came out right: tried once, and remembered. */
bool sac_product_usable(sac_device *device, sac_product_way way, bool transpose_a);
/* The first usable way; SAC_E_DEVICE where none is right, or why none ran. */
sac_status sac_product_choose(sac_device *device, bool transpose_a, sac_product_way *way,
                              sac_error *error);

#endif
