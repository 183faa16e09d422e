/* Products of many rows by a processor's instructions for matrices (cl/gemm/gemm_matrix.cl). */
#include "gemm/gemm_backends.h"

#include <stdio.h>

#include "base/round.h"
#include "gemm/storage.h"

/* As in cl/gemm/gemm_matrix.cl. */
enum {
    BLOCK = 32,
    STEP = 32,
    SQUARES = 2 * 16 * 16,
    CHUNK = 128,
    MOST_ROWS = 512,
    MOST_PANELS = 16
};
#define BROUGHT_A 64
#define BROUGHT_B 128
#define UNEVEN 0.25    /* of an item, by which units end at different times */
#define FEWEST_ROWS 96 /* of a work-item, for which packing its part of B pays */

/* The twin of `gemm` in cl/gemm/gemm_matrix.cl. */
typedef struct matrix_gemm {
    cl_uint m, n, k, rows, panels, each, a_columns, b_lines, packed, accumulate, bias;
    cl_float ceiling;
} matrix_gemm;

/* Numbers of bfloat16 that have all bits of one that is stored so. */
static int parts_of(sac_stored stored)
{
    return stored == SAC_STORED_BF16 ? 1 : stored == SAC_STORED_F16 ? 2 : 3;
}

/* Of a work-item, for a value of k, in multiply-adds: its products, and what bringing a number of A or of B
 * from a cache that is shared takes, B's with being cut. */
static double cost_of_item(double rows, double columns)
{
    return rows * columns + BROUGHT_A * rows + BROUGHT_B * columns;
}

/* Cuts C among work-items of equal shares so that the unit with most of them ends soonest. */
static void split_among_items(const sac_device *device, matrix_gemm *numbers)
{
    size_t blocks = sac_ceil_div(numbers->m, BLOCK), units = device->info.compute_units;
    double least = 0;
    numbers->panels = (cl_uint)sac_ceil_div(numbers->n, BLOCK);
    for (size_t rows = 1; rows <= MOST_ROWS / BLOCK && rows <= blocks; rows++)
        for (size_t each = 1; each <= MOST_PANELS && each <= numbers->panels; each++) {
            size_t items = sac_ceil_div(blocks, rows) * sac_ceil_div(numbers->panels, each);
            double ends = ((double)sac_ceil_div(items, units) + UNEVEN) *
                          cost_of_item((double)(rows * BLOCK), (double)(each * BLOCK));
            if (least > 0 && ends >= least)
                continue;
            least = ends;
            numbers->rows = (cl_uint)(rows * BLOCK);
            numbers->each = (cl_uint)each;
        }
}

bool sac_gemm_takes_matrix(const sac_device *device, const sac_gemm *gemm)
{
    if (!device->profile.is_cpu || !device->profile.has_squares ||
        (gemm->panels.buffer && !gemm->in_squares) || gemm->n < BLOCK || gemm->k < STEP)
        return false;
    size_t most = gemm->m / FEWEST_ROWS;
    return gemm->any_rows ||
           (gemm->m > BLOCK / 2 &&
            (most ? most : 1) * sac_ceil_div(gemm->n, BLOCK) >= device->info.compute_units);
}

/* The kernels for A and B in so many parts. */
static void write_options(const sac_device *device, int a_parts, int b_parts, sac_stored stored,
                          char *options, size_t size)
{
    snprintf(options, size,
             "-DWIDTH=16 -DFAST_FMA=%d -DSQUARES=1 -DBY_LOOPS=%d -DA_PARTS=%d -DB_PARTS=%d%s",
             device->info.has_fma, !device->profile.has_squares, a_parts, b_parts,
             sac_storage_option(stored));
}

size_t sac_gemm_matrix_floats(size_t n, size_t k)
{
    return sac_ceil_div(n, BLOCK) * sac_ceil_div(k, STEP) * 3 * SQUARES;
}

sac_status sac_gemm_matrix_pack(sac_device *device, size_t n, size_t k, bool transpose_b,
                                sac_span b, sac_span packed, sac_error *error)
{
    cl_kernel kernel;
    char options[128];
    const matrix_gemm numbers = {.n = (cl_uint)n,
                                 .k = (cl_uint)k,
                                 .panels = (cl_uint)sac_ceil_div(n, BLOCK),
                                 .b_lines = transpose_b};
    size_t one = 1, items = numbers.panels * sac_ceil_div(k, CHUNK);
    write_options(device, 3, 3, SAC_STORED_F32, options, sizeof options);
    sac_arg args[] = {SAC_ARG(numbers), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(packed)};
    sac_status status =
        sac_kernel_get(device, "gemm_matrix", options, "pack_panels", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 5, 1, &items, &one, error)
                            : status;
}

sac_status sac_gemm_matrix(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                           sac_span c, sac_error *error)
{
    cl_kernel pack, multiply;
    cl_mem packed = NULL;
    char options[128];
    int a_parts = gemm->rounded ? 1 : 3, b_parts = gemm->rounded ? 1 : parts_of(gemm->stored);
    matrix_gemm numbers = {.m = (cl_uint)gemm->m,
                           .n = (cl_uint)gemm->n,
                           .k = (cl_uint)gemm->k,
                           .a_columns = gemm->transpose_a,
                           .b_lines = gemm->transpose_b,
                           .packed = gemm->panels.buffer != NULL,
                           .accumulate = gemm->accumulate,
                           .bias = gemm->bias.buffer != NULL,
                           .ceiling = gemm->ceiling};
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    split_among_items(device, &numbers);
    size_t blocks = sac_ceil_div(gemm->m, BLOCK), one = 1;
    size_t bytes =
        blocks * sac_ceil_div(gemm->k, STEP) * (size_t)a_parts * SQUARES * sizeof(cl_uint);
    size_t items = sac_ceil_div(gemm->m, numbers.rows) * sac_ceil_div(numbers.panels, numbers.each);
    write_options(device, a_parts, b_parts, gemm->stored, options, sizeof options);
    sac_span bias = gemm->bias.buffer ? gemm->bias : c;
    sac_span of_b = gemm->panels.buffer ? gemm->panels : b;
    sac_status status = sac_device_scratch(device, bytes, &packed, error);
    if (status == SAC_OK)
        status = sac_kernel_get(device, "gemm_matrix", options, "pack_rows", &pack, error);
    if (status == SAC_OK)
        status = sac_kernel_get(device, "gemm_matrix", options, "multiply", &multiply, error);
    sac_arg operands[] = {SAC_ARG(numbers), SAC_SPAN_ARGS(a), SAC_ARG(packed)};
    sac_arg args[] = {SAC_ARG(numbers), SAC_ARG(packed), SAC_SPAN_ARGS(of_b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    if (status == SAC_OK)
        status = sac_kernel_launch(device, pack, operands, 4, 1, &blocks, &one, error);
    return status == SAC_OK ? sac_kernel_launch(device, multiply, args, 8, 1, &items, &one, error)
                            : status;
}
