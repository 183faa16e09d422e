/* Self-test cases of the matrix products: small ones of random numbers, held against float64. They
 * decide by which backend a device multiplies. */
#ifndef SAC_GEMM_GEMM_SELFTEST_H
#define SAC_GEMM_GEMM_SELFTEST_H

#include "device/tested.h"
#include "gemm/gemm_backends.h"

/* What is asked of a backend. A [m,k] and A stored [k,m] are different kernels, and those that read
 * a B of fewer bits, or a layer's weights where they lie, are again: each is compiled and tested
 * once it is needed. */
typedef struct sac_gemm_question {
    sac_gemm_backend backend;
    bool transpose_a;
    sac_stored stored; /* of B */
    bool in_place;     /* tiles of B as it lies; so they are wherever it has fewer bits */
    bool rounded;      /* by matrices, of numbers of bfloat16; by pairs they always are */
} sac_gemm_question;

/* Whether the backend reads this product's B as it is stored. */
sac_status sac_gemm_reads_stored(sac_device *device, sac_gemm_backend backend, const sac_gemm *gemm,
                                 bool *reads, sac_error *error);
/* The backend that is asked, as the harness tests it; `question` is lent. */
sac_tested sac_gemm_tested(const sac_gemm_question *question);

/* A weight for tests in fewer bits than float32: pseudo-random blocks, or `numbers` [count] as far as 16 bits hold
 * them; `numbers` become those that it has. */
void sac_gemm_make_test_weight(sac_stored stored, uint32_t seed, size_t count, float *numbers,
                               uint8_t *narrow);

/* The fastest backend for any number of rows that is worth trying on a device; those after it take
 * over where it fails. */
sac_gemm_backend sac_gemm_first_backend(const sac_device *device);
/* The first backend for a product that is usable: of few rows that for them, else from the fastest
 * on. SAC_E_DEVICE where none is right, or why none ran. */
sac_status sac_gemm_choose(sac_device *device, const sac_gemm *gemm, sac_gemm_backend *backend,
                           sac_error *error);

#endif
