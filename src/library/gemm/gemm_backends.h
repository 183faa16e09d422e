/* The implementations of a matrix product, each for itself. Callers who want the best one that
 * computes right use gemm.h. */
#ifndef SAC_GEMM_GEMM_BACKENDS_H
#define SAC_GEMM_GEMM_BACKENDS_H

#include "base/stored.h"
#include "device/device.h"

/* C = op(A) op(B) (+ bias) (+ C), row-major. */
typedef struct sac_gemm {
    size_t m, n, k;   /* C [m,n]; op(A) [m,k]; op(B) [k,n] */
    bool transpose_a; /* A is stored [k,m] */
    bool transpose_b; /* B is stored [n,k]: a layer's weights */
    bool accumulate;  /* adds to what C holds */
    sac_span bias;    /* [n], added to every row; empty: none */
    sac_span panels;  /* op(B) as packed by sac_tiled_pack, or where they are `in_squares` by
                         sac_gemm_matrix_pack, for the backend that would pack it; empty: there are none */
    bool in_squares;
    float ceiling;     /* what is written is brought between 0 and this: INFINITY is ReLU, 6 ReLU6;
                         0: it is not */
    sac_stored stored; /* of B: SAC_STORED_F32, or what gemm/storage.h has */
    bool any_rows;     /* few rows are computed as many are, so that a row's bytes do not depend on
                         those beside it */
    bool
        rounded; /* A and B may be rounded to bfloat16, where the processor multiplies pairs of those
                         (sac_gemm_takes_pairs), or squares; sums stay float32 */
} sac_gemm;

/* The fastest first; each takes over where those before it fail. All but the last take matrices of
 * less than 2³¹ numbers, and the first at most SAC_GEMM_FEW rows, A not transposed; it reads a B
 * of fewer bits, as tiles do where they read it in place (gemm_in_place.h). CLBlast compiles for
 * seconds before its first product. That by dots is for few rows and weights in blocks that it knows
 * (sac_gemm_takes_dots); the one behind it takes them all. That by pairs is for many rows of a product that may be
 * rounded, on CPUs that multiply bfloat16; that by matrices for many rows of any, on CPUs with instructions for them. */
#define SAC_GEMM_FEW 8
typedef enum sac_gemm_backend {
    SAC_GEMM_DOTS,
    SAC_GEMM_FEW_ROWS,
    SAC_GEMM_MATRIX,
    SAC_GEMM_PAIRS,
    SAC_GEMM_CLBLAST,
    SAC_GEMM_TILED,
    SAC_GEMM_NAIVE,
    SAC_GEMM_BACKEND_COUNT,
} sac_gemm_backend;

const char *sac_gemm_backend_name(sac_gemm_backend backend); /* "tiled" */

/* Each enqueues and does not wait. C must not overlap A or B. Any sizes, 0 does nothing. */
sac_status sac_gemm_dots(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                         sac_span c, sac_error *error);
sac_status sac_gemm_few_rows(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                             sac_span c, sac_error *error);
sac_status sac_gemm_matrix(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                           sac_span c, sac_error *error);
sac_status sac_gemm_pairs(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error);
sac_status sac_gemm_clblast(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                            sac_span c, sac_error *error);
sac_status sac_gemm_tiled(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error);
sac_status sac_gemm_naive(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error);
/* op(B) [k,n], of float32, as that by matrices reads it, into so many floats. */
size_t sac_gemm_matrix_floats(size_t n, size_t k);
sac_status sac_gemm_matrix_pack(sac_device *device, size_t n, size_t k, bool transpose_b,
                                sac_span b, sac_span packed, sac_error *error);
/* Whether the processor has what makes dots fast, and they know how B is stored. Without, loops stand in for
 * the instructions. The same of the product in bfloat16, for those that may be rounded; and of that by matrices, for
 * sizes that it multiplies faster than others: for `any_rows` that does not depend on how many there are. */
bool sac_gemm_takes_dots(const sac_device *device, const sac_gemm *gemm);
/* Of local memory that so many numbers of rows take as digits. */
size_t sac_gemm_dots_bytes(sac_stored stored, size_t numbers);
bool sac_gemm_takes_matrix(const sac_device *device, const sac_gemm *gemm);
bool sac_gemm_takes_pairs(const sac_device *device, const sac_gemm *gemm);
/* A number of the CLBlast that was loaded, which another has not. */
unsigned sac_gemm_clblast_identity(void);
sac_status sac_gemm_run_by(sac_device *device, sac_gemm_backend backend, const sac_gemm *gemm,
                           sac_span a, sac_span b, sac_span c, sac_error *error);

#endif
