/* Matrix products by CLBlast. Whether a device can be trusted with them: known_product.c. */
#ifndef SAC_ATTENTION_CLBLAST_H
#define SAC_ATTENTION_CLBLAST_H

#include "device/device.h"

/* Any product: C [m,n] = op(A) op(B) (+ C), row-major, each matrix beginning so many floats into
 * its buffer. Enqueues; the first call on a device compiles for seconds, and says so (base/busy.h).
 * Overwrites the device's scratch. */
typedef struct sac_clblast_gemm {
    size_t m, n, k;
    bool transpose_a, transpose_b; /* A is stored [k,m], B is stored [n,k] */
    bool accumulate;
    cl_mem a, b, c;
    size_t a_at, b_at, c_at;
} sac_clblast_gemm;
sac_status sac_clblast_gemm_run(sac_device *device, const sac_clblast_gemm *gemm, sac_error *error);

#endif
