/* Products with few rows, as a linear layer computes for one token or a beam: B is read once, in
 * place. */
#include <stdio.h>

#include "base/round.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"
#include "gemm/storage.h"

#define LINES 8            /* of B, read side by side by cl/gemm/few_rows.cl */
#define MOST_STEPS 8       /* of so many lines each for a group of a CPU … */
#define GROUPS_PER_UNIT 64 /* … of which PoCL wants so many before it wakes another thread */
#define STRIP 256          /* columns of a group where B is stored [k,n] */
#define SHORTEST_PIECE 32  /* values of k for which a piece pays */
#define MOST_DOTS_STEPS 32 /* of a group of dots, which takes its rows' digits first … */
#define DOTS_PER_UNIT 8    /* … so that there are few of them */

/* The twin of `gemm` in cl/gemm/few_rows.cl. */
typedef struct few_rows {
    cl_uint m, n, k, share, accumulate, bias;
    cl_float ceiling;
} few_rows;

static few_rows numbers_of(const sac_gemm *g, size_t share)
{
    return (few_rows){.m = (cl_uint)g->m,
                      .n = (cl_uint)g->n,
                      .k = (cl_uint)g->k,
                      .share = (cl_uint)share,
                      .accumulate = g->accumulate,
                      .bias = g->bias.buffer != NULL,
                      .ceiling = g->ceiling};
}

static size_t clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* B is stored [n,k]: each line of it gives a column of C. A group takes `share` steps of LINES
 * lines. */
static sac_status multiply_stored_lines(sac_device *device, const sac_gemm *g, sac_span a,
                                        sac_span b, sac_span c, sac_error *error)
{
    size_t groups = device->info.compute_units * GROUPS_PER_UNIT;
    size_t steps = sac_ceil_div(g->n, LINES);
    size_t share = device->profile.is_cpu ? clamp(steps / groups, 1, MOST_STEPS) : 1;
    few_rows numbers = numbers_of(g, share);
    sac_span bias = g->bias.buffer ? g->bias : c;
    sac_arg args[] = {SAC_ARG(numbers), SAC_SPAN_ARGS(a), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    return sac_launch_groups(device, "few_rows", sac_storage_option(g->stored), "multiply_by_lines",
                             args, 9, sac_ceil_div(steps, share), error);
}

/* B is stored [k,n]: columns side by side, in pieces of k, which are added then. */
static sac_status multiply_stored_columns(sac_device *device, const sac_gemm *g, sac_span a,
                                          sac_span b, sac_span c, sac_error *error)
{
    sac_span pieces = {0};
    size_t strips = sac_ceil_div(g->n, STRIP);
    size_t wanted = sac_ceil_div(device->info.compute_units * GROUPS_PER_UNIT, strips);
    size_t share = clamp(sac_ceil_div(g->k, wanted), SHORTEST_PIECE, g->k);
    size_t count = sac_ceil_div(g->k, share);
    few_rows numbers = numbers_of(g, share);
    sac_status status =
        sac_device_scratch(device, count * g->m * g->n * sizeof(float), &pieces.buffer, error);
    sac_arg args[] = {SAC_ARG(numbers), SAC_SPAN_ARGS(a), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(pieces)};
    if (status == SAC_OK)
        status = sac_launch_groups(device, "few_rows", sac_storage_option(g->stored),
                                   "multiply_by_columns", args, 7, count * strips, error);
    return status == SAC_OK ? sac_gemm_add_pieces(device, g, count, pieces, c, error) : status;
}

bool sac_gemm_takes_dots(const sac_device *device, const sac_gemm *gemm)
{
    bool knows = sac_stored_in_blocks(gemm->stored) && gemm->stored != SAC_STORED_Q2_K;
    return device->profile.has_dots && knows && gemm->transpose_b &&
           sac_gemm_dots_bytes(gemm->stored, gemm->m * gemm->k) <= device->info.local_bytes;
}

size_t sac_gemm_dots_bytes(sac_stored stored, size_t numbers)
{
    bool two_factors = stored == SAC_STORED_Q6_K || stored == SAC_STORED_Q3_K;
    return numbers / 32 * (two_factors ? 144 : 128);
}

sac_status sac_gemm_dots(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                         sac_span c, sac_error *error)
{
    char options[96];
    cl_kernel kernel;
    size_t groups = device->info.compute_units * DOTS_PER_UNIT, one = 1;
    size_t steps = sac_ceil_div(gemm->n, LINES);
    size_t share = clamp(sac_ceil_div(steps, groups), 1, MOST_DOTS_STEPS);
    size_t count = sac_ceil_div(steps, share);
    few_rows numbers = numbers_of(gemm, share);
    sac_span bias = gemm->bias.buffer ? gemm->bias : c;
    sac_arg args[] = {
        SAC_ARG(numbers), SAC_SPAN_ARGS(a),
        SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
        SAC_SPAN_ARGS(c), {sac_gemm_dots_bytes(gemm->stored, gemm->m * gemm->k), NULL}};
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    snprintf(options, sizeof options, "-DWIDTH=16 -DFAST_FMA=%d -DBY_LOOPS=%d%s",
             device->info.has_fma, !device->profile.has_dots, sac_storage_option(gemm->stored));
    sac_status status =
        sac_kernel_get(device, "few_rows_dots", options, "multiply_by_lines", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 10, 1, &count, &one, error)
                            : status;
}

sac_status sac_gemm_few_rows(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                             sac_span c, sac_error *error)
{
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    return gemm->transpose_b ? multiply_stored_lines(device, gemm, a, b, c, error)
                             : multiply_stored_columns(device, gemm, a, b, c, error);
}
