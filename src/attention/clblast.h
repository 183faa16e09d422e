/* Matrix products by CLBlast, where it can be trusted. */
#ifndef SAC_ATTENTION_CLBLAST_H
#define SAC_ATTENTION_CLBLAST_H

#include "device/device.h"

/* y [m,n] = x [m,k] · w, where w is [n,k] (transposed: y = x wᵀ) or [k,n]. The first call on a
 * device compiles for seconds. */
sac_status sac_clblast_product(sac_device *device, size_t m, size_t n, size_t k, cl_mem x, cl_mem w,
                               bool transposed, cl_mem y, sac_error *error);

/* Any product: C [m,n] = op(A) op(B) (+ C), row-major, each matrix beginning so many floats into
 * its buffer. */
typedef struct sac_clblast_gemm {
    size_t m, n, k;
    bool transpose_a, transpose_b; /* A is stored [k,m], B is stored [n,k] */
    bool accumulate;
    cl_mem a, b, c;
    size_t a_at, b_at, c_at;
} sac_clblast_gemm;
sac_status sac_clblast_gemm_run(sac_device *device, const sac_clblast_gemm *gemm, sac_error *error);

/* The relative error of a known product, which decides whether CLBlast is used on this device;
 * infinity where it fails altogether. */
double sac_clblast_error(sac_device *device);
/* Whether CLBlast multiplies right on this device: tried once with a known product, and remembered.
 */
bool sac_clblast_usable(sac_device *device);

#endif
