/* The matrix product that projections and layers stand on: C = op(A) op(B) (+ bias) (+ C),
 * row-major, by the best backend that computes right on a device. */
#ifndef SAC_GEMM_GEMM_H
#define SAC_GEMM_GEMM_H

#include "gemm/gemm_backends.h"

/* Enqueues; does not wait. C must not overlap A or B. Any sizes, 0 does nothing. SAC_E_DEVICE where
 * no backend computes right. */
sac_status sac_gemm_run(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                        sac_span c, sac_error *error);

#endif
