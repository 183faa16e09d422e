/* A product by the backend that the self-test chose. */

#include "gemm/gemm.h"

#include "device/trace.h"
#include "gemm/gemm_selftest.h"
#include "gemm/storage.h"

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
    sac_trace_work(device, SAC_WORK_PRODUCTS,
                   2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k,
                   (double)sac_stored_bytes(gemm->stored, gemm->n * gemm->k) +
                       sizeof(float) * (double)gemm->m * (double)(gemm->n + gemm->k));
    if (is_small(gemm))
        status = sac_gemm_choose(device, gemm, &backend, error);
    sac_gemm product = *gemm;
    bool reads = true;
    if (status == SAC_OK)
        status = sac_gemm_reads(device, backend, gemm, &reads, error);
    if (status == SAC_OK && !reads) {
        /* B as float32, for backends that know nothing else. */
        size_t rows = product.transpose_b ? product.n : product.k, count = product.n * product.k;
        sac_span wide = {0};
        status = sac_device_widened(device, count * sizeof(float), &wide.buffer, error);
        if (status == SAC_OK)
            status = sac_widen(device, product.stored, rows, count / rows, NULL, 0, b, wide, error);
        product.stored = SAC_STORED_F32;
        b = wide;
    }
    return status == SAC_OK ? sac_gemm_run_by(device, backend, &product, a, b, c, error) : status;
}
