/* A product by the backend that the self-test chose. */

#include "gemm/gemm.h"

#include "gemm/gemm_selftest.h"

/* True where sizes and places fit the 32 bits of the faster backends. */
static bool is_small(const sac_gemm *gemm)
{
    double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
    return m * k <= INT32_MAX && k * n <= INT32_MAX && m * n <= INT32_MAX;
}

sac_status sac_gemm_run(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                        sac_span c, sac_error *error)
{
    sac_gemm_backend backend = SAC_GEMM_NAIVE;
    sac_status status = SAC_OK;
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    if (is_small(gemm))
        status = sac_gemm_choose(device, gemm, &backend, error);
    if (status == SAC_OK)
        status = sac_gemm_run_by(device, backend, gemm, a, b, c, error);
    return status;
}
