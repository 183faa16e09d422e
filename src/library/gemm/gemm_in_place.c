/* Products of many rows with a layer's weights, on CPUs, which read the weights where they lie: in float32, and in
 * bfloat16 by pairs. */
#include "gemm/gemm_in_place.h"

#include <stdio.h>

#include "base/round.h"
#include "gemm/launch.h"
#include "gemm/storage.h"

#define ITEMS_PER_UNIT 8  /* so that units end together */
#define FEWEST_ROWS 48    /* of a work-item, for which turning its part of B pays */
#define MOST_ROWS 240     /* of one, as in cl/gemm/gemm_in_place.cl … */
#define MOST_OF_PAIRS 480 /* … and in gemm_pairs.cl */
#define PAIR_STEPS 4      /* pairs of k come by so many, as in cl/gemm/gemm_pairs.cl */

/* The twin of `gemm` in cl/gemm/in_place.clh. */
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

/* A kernel for such products: the rows of a register tile and, at most, of a work-item; the numbers of 4 bytes that a
 * row of A takes once it is packed. */
typedef struct in_place_form {
    const char *source;
    unsigned width, micro, most_rows;
    size_t depth;
    char options[96];
} in_place_form;

/* Rows of a work-item: equal shares, whole register tiles. */
static size_t rows_per_item(const sac_device *device, const in_place_form *form,
                            const sac_gemm *gemm, size_t panels)
{
    size_t blocks = sac_ceil_div(gemm->m, form->most_rows);
    size_t wanted = sac_ceil_div(device->info.compute_units * ITEMS_PER_UNIT, panels);
    size_t most = sac_ceil_div(gemm->m, FEWEST_ROWS);
    if (blocks < wanted)
        blocks = wanted < most ? wanted : most;
    return sac_round_up(sac_ceil_div(gemm->m, blocks), form->micro);
}

/* A by register tiles → the device's scratch, which is lent. */
static sac_status pack_rows(sac_device *device, const in_place_form *form,
                            const in_place_gemm *numbers, sac_span a, cl_mem *packed,
                            sac_error *error)
{
    cl_kernel kernel;
    size_t one = 1, tiles = sac_ceil_div(numbers->m, form->micro);
    sac_status status = sac_device_scratch(
        device, tiles * form->micro * form->depth * sizeof(float), packed, error);
    sac_arg args[] = {SAC_ARG(*numbers), SAC_SPAN_ARGS(a), SAC_ARG(*packed)};
    if (status == SAC_OK)
        status = sac_kernel_get(device, form->source, form->options, "pack_rows", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 4, 1, &tiles, &one, error)
                            : status;
}

static sac_status run(sac_device *device, const in_place_form *form, const sac_gemm *gemm,
                      sac_span a, sac_span b, sac_span c, sac_error *error)
{
    cl_kernel kernel;
    cl_mem packed = NULL;
    size_t panels = sac_ceil_div(gemm->n, 2 * form->width);
    size_t rows = rows_per_item(device, form, gemm, panels);
    in_place_gemm numbers = {.m = (cl_uint)gemm->m,
                             .n = (cl_uint)gemm->n,
                             .k = (cl_uint)gemm->k,
                             .rows = (cl_uint)rows,
                             .panels = (cl_uint)panels,
                             .accumulate = gemm->accumulate,
                             .bias = gemm->bias.buffer != NULL,
                             .ceiling = gemm->ceiling};
    sac_span bias = gemm->bias.buffer ? gemm->bias : c;
    sac_status status = pack_rows(device, form, &numbers, a, &packed, error);
    sac_arg args[] = {SAC_ARG(numbers), SAC_ARG(packed), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    if (status == SAC_OK)
        status = sac_kernel_get(device, form->source, form->options, "multiply", &kernel, error);
    size_t one = 1, items = panels * sac_ceil_div(gemm->m, rows);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, 8, 1, &items, &one, error)
                            : status;
}

/* For weights of float32, or stored so, which are widened as they are read. */
static in_place_form form_of(const sac_device *device, sac_stored stored, size_t k)
{
    unsigned width = device->profile.vector_width;
    in_place_form form = {"gemm_in_place", width, width == 16 ? 8 : 6, MOST_ROWS, k, ""};
    snprintf(form.options, sizeof form.options, "-DWIDTH=%u -DFAST_FMA=%d -DMICRO_ROWS=%u%s", width,
             device->info.has_fma, form.micro, sac_storage_option(stored));
    return form;
}

void sac_gemm_in_place_expect(sac_device *device, sac_stored stored)
{
    const in_place_form form = form_of(device, stored, 0);
    if (device->profile.is_cpu && device->profile.has_long_loops)
        sac_kernel_expect(device, form.source, form.options, true);
}

sac_status sac_gemm_in_place(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                             sac_span c, sac_error *error)
{
    const in_place_form form = form_of(device, gemm->stored, gemm->k);
    return run(device, &form, gemm, a, b, c, error);
}

bool sac_gemm_takes_pairs(const sac_device *device, const sac_gemm *gemm)
{
    return gemm->rounded && device->profile.has_pairs && gemm->transpose_b && !gemm->transpose_a &&
           !gemm->any_rows;
}

sac_status sac_gemm_pairs(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error)
{
    in_place_form form = {
        "gemm_pairs", 16, 8, MOST_OF_PAIRS, sac_round_up(sac_ceil_div(gemm->k, 2), PAIR_STEPS), ""};
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    snprintf(form.options, sizeof form.options, "-DWIDTH=%u -DFAST_FMA=%d -DBY_LOOPS=%d%s",
             form.width, device->info.has_fma, !device->profile.has_pairs,
             sac_storage_option(gemm->stored));
    return run(device, &form, gemm, a, b, c, error);
}
