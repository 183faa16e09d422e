/* A product by the backend that the self-test chose. */
#include "gemm/gemm.h"
#include "base/round.h"
#include "device/trace.h"
#include "gemm/gemm_selftest.h"
#include "gemm/launch.h"
#include "gemm/storage.h"

/* True where sizes and places fit the 32 bits of the faster backends. */
static bool fits_32_bits(const sac_gemm *gemm)
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
    sac_trace_add_work(device, SAC_WORK_PRODUCTS,
                       2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k,
                       (double)sac_stored_bytes(gemm->stored, gemm->n * gemm->k) +
                           sizeof(float) * (double)gemm->m * (double)(gemm->n + gemm->k));
    if (fits_32_bits(gemm))
        status = sac_gemm_choose(device, gemm, &backend, error);
    sac_gemm product = *gemm;
    bool reads = true;
    if (status == SAC_OK)
        status = sac_gemm_reads_stored(device, backend, gemm, &reads, error);
    if (status == SAC_OK && !reads) {
        /* B as float32, for backends that know nothing else. */
        size_t rows = product.transpose_b ? product.n : product.k, count = product.n * product.k;
        sac_span wide = {0};
        status = sac_device_widened_buffer(device, count * sizeof(float), &wide.buffer, error);
        if (status == SAC_OK)
            status = sac_widen(device, product.stored, rows, count / rows, NULL, 0, b, wide, error);
        product.stored = SAC_STORED_F32;
        b = wide;
    }
    return status == SAC_OK ? sac_gemm_run_by(device, backend, &product, a, b, c, error) : status;
}

/* ---------------------------------------------------------------- layers */

sac_status sac_linear_y(sac_device *device, const sac_linear *layer, size_t rows, sac_span x,
                        sac_span y, bool adds, sac_error *error)
{
    sac_gemm gemm = {.m = rows,
                     .n = layer->out,
                     .k = layer->in,
                     .transpose_b = !layer->transposed,
                     .accumulate = adds,
                     .bias = layer->bias,
                     .panels = layer->panels,
                     .in_squares = layer->in_squares,
                     .ceiling = layer->ceiling,
                     .stored = layer->stored,
                     .any_rows = layer->any_rows,
                     .rounded = layer->rounded};
    return sac_gemm_run(device, &gemm, x, layer->weight, y, error);
}

sac_status sac_linear_dx(sac_device *device, const sac_linear *layer, size_t rows, sac_span dy,
                         sac_span dx, bool adds, sac_error *error)
{
    sac_gemm gemm = {.m = rows,
                     .n = layer->in,
                     .k = layer->out,
                     .transpose_b = layer->transposed,
                     .accumulate = adds,
                     .panels = layer->panels,
                     .in_squares = layer->in_squares,
                     .stored = layer->stored,
                     .any_rows = layer->any_rows,
                     .rounded = layer->rounded};
    return sac_gemm_run(device, &gemm, dy, layer->weight, dx, error);
}

sac_status sac_linear_dweight(sac_device *device, const sac_linear *layer, size_t rows, sac_span dy,
                              sac_span x, sac_span dweight, sac_error *error)
{
    bool as_given = !layer->transposed;
    sac_gemm gemm = {.m = as_given ? layer->out : layer->in,
                     .n = as_given ? layer->in : layer->out,
                     .k = rows,
                     .transpose_a = true,
                     .accumulate = true};
    return sac_gemm_run(device, &gemm, as_given ? dy : x, as_given ? x : dy, dweight, error);
}

/* ---------------------------------------------------------------- sums of rows */

#define STRIP 16  /* columns per work-item, as in cl/layers/layers.cl */
#define PIECE 256 /* rows that are summed by one work-item */

sac_status sac_sum_pieces(sac_device *device, size_t rows, size_t width, size_t piece, float factor,
                          bool adds, sac_span x, sac_span sums, sac_error *error)
{
    size_t pieces = sac_ceil_div(rows, piece), strips = sac_ceil_div(width, STRIP);
    cl_uint height = (cl_uint)rows, columns = (cl_uint)width, each = (cl_uint)piece;
    cl_uint count = (cl_uint)pieces, accumulate = adds;
    sac_arg args[] = {SAC_ARG(height), SAC_ARG(columns),    SAC_ARG(each),    SAC_ARG(count),
                      SAC_ARG(factor), SAC_ARG(accumulate), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(sums)};
    return sac_launch_items(device, "layers", "sum_rows", args, 10, pieces * strips, error);
}

sac_status sac_linear_dbias(sac_device *device, size_t rows, size_t width, sac_span dy,
                            sac_span dbias, sac_error *error)
{
    size_t pieces = sac_ceil_div(rows, PIECE);
    sac_span sums = {0};
    if (pieces <= 1)
        return sac_sum_pieces(device, rows, width, PIECE, 1, true, dy, dbias, error);
    sac_status status =
        sac_device_scratch(device, pieces * width * sizeof(float), &sums.buffer, error);
    if (status == SAC_OK)
        status = sac_sum_pieces(device, rows, width, PIECE, 1, false, dy, sums, error);
    if (status == SAC_OK)
        status = sac_sum_pieces(device, pieces, width, pieces, 1, true, sums, dbias, error);
    return status;
}
