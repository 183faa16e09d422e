/* A product by any backend, with their names; and the naive one. */

#include "gemm/gemm_backends.h"

#include "gemm/launch.h"

static const char *const names[SAC_GEMM_BACKEND_COUNT] = {"dots",    "few",   "matrix", "pairs",
                                                          "clblast", "tiled", "naive"};

const char *sac_gemm_backend_name(sac_gemm_backend backend)
{
    return names[backend];
}

/* The twin of `gemm` in cl/gemm/gemm_naive.cl. */
typedef struct naive_gemm {
    cl_ulong m, n, k;
    cl_ulong a_row, a_step, b_step, b_column;
    cl_uint accumulate, bias;
    cl_float ceiling;
    cl_uint unused;
} naive_gemm;

_Static_assert(sizeof(naive_gemm) == 7 * 8 + 4 * 4, "no padding: the kernel's twin has none");

sac_status sac_gemm_naive(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error)
{
    const sac_gemm *g = gemm;
    naive_gemm naive = {
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .a_row = g->transpose_a ? 1 : g->k,
        .a_step = g->transpose_a ? g->m : 1,
        .b_step = g->transpose_b ? 1 : g->n,
        .b_column = g->transpose_b ? g->k : 1,
        .accumulate = g->accumulate,
        .bias = g->bias.buffer != NULL,
        .ceiling = g->ceiling,
    };
    sac_span bias = g->bias.buffer ? g->bias : c;
    sac_arg args[] = {SAC_ARG(naive), SAC_SPAN_ARGS(a), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    if (g->m == 0 || g->n == 0 || g->k == 0)
        return SAC_OK;
    return sac_launch_items(device, "gemm_naive", "multiply", args, 9, g->m * g->n, error);
}

sac_status sac_gemm_run_by(sac_device *device, sac_gemm_backend backend, const sac_gemm *gemm,
                           sac_span a, sac_span b, sac_span c, sac_error *error)
{
    if (backend == SAC_GEMM_DOTS)
        return sac_gemm_dots(device, gemm, a, b, c, error);
    if (backend == SAC_GEMM_FEW_ROWS)
        return sac_gemm_few_rows(device, gemm, a, b, c, error);
    if (backend == SAC_GEMM_MATRIX)
        return sac_gemm_matrix(device, gemm, a, b, c, error);
    if (backend == SAC_GEMM_PAIRS)
        return sac_gemm_pairs(device, gemm, a, b, c, error);
    if (backend == SAC_GEMM_CLBLAST)
        return sac_gemm_clblast(device, gemm, a, b, c, error);
    if (backend == SAC_GEMM_TILED)
        return sac_gemm_tiled(device, gemm, a, b, c, error);
    return sac_gemm_naive(device, gemm, a, b, c, error);
}
