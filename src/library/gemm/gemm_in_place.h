/* Products of many rows with a layer's weights, on CPUs (cl/gemm/gemm_in_place.cl): the tiled backend's
 * kernels for inference. Training keeps the order of its sums, and uses panels. */
#ifndef SAC_GEMM_GEMM_IN_PLACE_H
#define SAC_GEMM_GEMM_IN_PLACE_H

#include "gemm/gemm_backends.h"

/* Whether the tiled backend takes the product so; then B may be of fewer bits. */
sac_status sac_gemm_is_in_place(sac_device *device, const sac_gemm *gemm, bool *is,
                                sac_error *error);
sac_status sac_gemm_in_place(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                             sac_span c, sac_error *error);

/* That products with weights stored so will be needed: sac_kernel_expect. */
void sac_gemm_in_place_expect(sac_device *device, sac_stored stored);

#endif
