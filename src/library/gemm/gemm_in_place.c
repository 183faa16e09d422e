/* Products of many rows with a layer's weights, on CPUs, which read the weights where they lie. */
#include "gemm/gemm_in_place.h"

#include <stdio.h>

#include "base/round.h"
#include "gemm/quirks.h"
#include "gemm/storage.h"

#define MOST_ROWS 240    /* of a work-item, as in cl/gemm/gemm_in_place.cl */
#define ITEMS_PER_UNIT 8 /* so that units end together */
#define FEWEST_ROWS 48   /* of a work-item, for which turning its part of B pays */

/* The twin of `gemm` in cl/gemm/gemm_in_place.cl. */
typedef struct in_place_gemm {
    cl_uint m, n, k, rows, panels, accumulate, bias;
    cl_float ceiling;
} in_place_gemm;

sac_status sac_gemm_is_in_place(sac_device *device, const sac_gemm *gemm, bool *is,
                                sac_error *error)
{
    size_t limit = 0;
    sac_status status = SAC_OK;
    *is = device->profile.is_cpu && gemm->transpose_b && !gemm->transpose_a && !gemm->any_rows;
    if (*is)
        status = sac_quirk_loop_limit(device, &limit, error);
    *is = *is && !limit;
    return status;
}

/* Rows of a register tile. */
static unsigned micro_rows_of(const sac_device *device)
{
    return device->profile.vector_width == 16 ? 8 : 6;
}

static void write_options(const sac_device *device, sac_stored stored, char *options, size_t size)
{
    snprintf(options, size, "-DWIDTH=%u -DFAST_FMA=%d -DMICRO_ROWS=%u%s",
             device->profile.vector_width, device->info.has_fma, micro_rows_of(device),
             sac_storage_option(stored));
}

void sac_gemm_in_place_expect(sac_device *device, sac_stored stored)
{
    char options[96];
    write_options(device, stored, options, sizeof options);
    if (device->profile.is_cpu && device->profile.has_long_loops)
        sac_kernel_expect(device, "gemm_in_place", options);
}

/* Rows of a work-item: equal shares, whole register tiles. */
static size_t rows_of(const sac_device *device, const sac_gemm *gemm, size_t panels, size_t micro)
{
    size_t blocks = sac_ceil_div(gemm->m, MOST_ROWS);
    size_t wanted = sac_ceil_div(device->info.compute_units * ITEMS_PER_UNIT, panels);
    size_t most = sac_ceil_div(gemm->m, FEWEST_ROWS);
    if (blocks < wanted)
        blocks = wanted < most ? wanted : most;
    return sac_round_up(sac_ceil_div(gemm->m, blocks), micro);
}

/* A by register tiles → the device's scratch, which is lent. */
static sac_status pack_rows(sac_device *device, const char *options, const in_place_gemm *numbers,
                            size_t micro, sac_span a, cl_mem *packed, sac_error *error)
{
    cl_kernel kernel;
    size_t one = 1, tiles = sac_ceil_div(numbers->m, micro);
    sac_status status =
        sac_device_scratch(device, tiles * micro * numbers->k * sizeof(float), packed, error);
    sac_arg args[] = {SAC_ARG(*numbers), SAC_SPAN_ARGS(a), SAC_ARG(*packed)};
    if (status == SAC_OK)
        status = sac_kernel_get(device, "gemm_in_place", options, "pack_rows", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 4, 1, &tiles, &one, error)
                            : status;
}

sac_status sac_gemm_in_place(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                             sac_span c, sac_error *error)
{
    char options[96];
    cl_kernel kernel;
    cl_mem packed = NULL;
    unsigned width = device->profile.vector_width, micro = micro_rows_of(device);
    size_t panels = sac_ceil_div(gemm->n, 2 * width), rows = rows_of(device, gemm, panels, micro);
    in_place_gemm numbers = {.m = (cl_uint)gemm->m,
                             .n = (cl_uint)gemm->n,
                             .k = (cl_uint)gemm->k,
                             .rows = (cl_uint)rows,
                             .panels = (cl_uint)panels,
                             .accumulate = gemm->accumulate,
                             .bias = gemm->bias.buffer != NULL,
                             .ceiling = gemm->ceiling};
    sac_span bias = gemm->bias.buffer ? gemm->bias : c;
    write_options(device, gemm->stored, options, sizeof options);
    sac_status status = pack_rows(device, options, &numbers, micro, a, &packed, error);
    sac_arg args[] = {SAC_ARG(numbers), SAC_ARG(packed), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    if (status == SAC_OK)
        status = sac_kernel_get(device, "gemm_in_place", options, "multiply", &kernel, error);
    size_t one = 1, items = panels * sac_ceil_div(gemm->m, rows);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 8, 1, &items, &one, error)
                            : status;
}
