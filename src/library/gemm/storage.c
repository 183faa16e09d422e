/* Weights in 16 bits: whether a device reads them right, and all of them as float32. */

#include "gemm/storage.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/round.h"
#include "gemm/launch.h"

#define WIDTH 16 /* columns of a work-item of cl/gemm/widen.cl */

/* As cl/gemm/storage.clh counts them. */
const char *sac_storage_option(sac_dtype stored)
{
    return stored == SAC_F16    ? " -DSTORAGE=1"
           : stored == SAC_BF16 ? " -DSTORAGE=2"
                                : " -DSTORAGE=0";
}

sac_status sac_widen(sac_device *device, sac_dtype stored, size_t rows, size_t width, cl_mem chosen,
                     cl_uint chosen_at, sac_span x, sac_span y, sac_error *error)
{
    char options[64];
    cl_uint height = (cl_uint)rows, columns = (cl_uint)width, is_chosen = chosen != NULL;
    cl_mem lines = chosen ? chosen : x.buffer;
    sac_arg args[] = {SAC_ARG(height),    SAC_ARG(columns), SAC_ARG(is_chosen), SAC_ARG(lines),
                      SAC_ARG(chosen_at), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    snprintf(options, sizeof options, "-DWIDTH=%d -DFAST_FMA=0%s", WIDTH,
             sac_storage_option(stored));
    return sac_launch_built(device, "widen", options, "widen", args, 9,
                            rows * sac_ceil_div(width, WIDTH), error);
}

/* ---------------------------------------------------------------- trying it */

/* Every number of 16 bits, in rows that end within a work-item's columns. */
enum { NUMBERS = 1 << 16, ROWS = 2731, COLUMNS = 24 };

static bool is_same(float x, float y)
{
    return x == y || (x != x && y != y);
}

/* Subnormals of bfloat16 are those of float32: some devices take them for 0. */
static bool is_right(const uint16_t *numbers, sac_dtype stored, const float *widened)
{
    sac_array array = sac_array_view(stored, 1, &(size_t){NUMBERS}, numbers);
    float *expected = malloc(NUMBERS * sizeof *expected);
    bool right = expected && sac_array_to_f32(&array, expected, NULL) == SAC_OK;
    for (size_t i = 0; right && i < NUMBERS; i++) {
        bool is_tiny = stored == SAC_BF16 && (numbers[i] & 0x7f80) == 0;
        right = is_same(widened[i], expected[i]) || (is_tiny && widened[i] == 0);
    }
    free(expected);
    return right;
}

/* SAC_DID_NOT_RUN where there is no memory, or the kernel is not built. */
static sac_outcome try(sac_device *device, sac_dtype stored)
{
    uint16_t *numbers = calloc(ROWS * COLUMNS, sizeof *numbers);
    float *widened = calloc(ROWS * COLUMNS, sizeof *widened);
    sac_span x = {0}, y = {0};
    sac_status status = numbers && widened ? SAC_OK : SAC_E_MEMORY;
    for (size_t i = 0; status == SAC_OK && i < NUMBERS; i++)
        numbers[i] = (uint16_t)i;
    if (status == SAC_OK)
        status =
            sac_buffer_create(device, ROWS * COLUMNS * sizeof *numbers, numbers, &x.buffer, NULL);
    if (status == SAC_OK)
        status = sac_span_create(device, ROWS * COLUMNS, NULL, &y, NULL);
    if (status == SAC_OK)
        status = sac_widen(device, stored, ROWS, COLUMNS, NULL, 0, x, y, NULL);
    if (status == SAC_OK)
        status = sac_span_read(device, y, ROWS * COLUMNS, widened, NULL);
    sac_outcome outcome = status != SAC_OK                     ? SAC_DID_NOT_RUN
                          : is_right(numbers, stored, widened) ? SAC_RIGHT
                                                               : SAC_WRONG;
    sac_span_release(&x);
    sac_span_release(&y);
    free(numbers);
    free(widened);
    return outcome;
}

bool sac_storage_is_right(sac_device *device, sac_dtype stored)
{
    char name[32];
    if (stored != SAC_F16 && stored != SAC_BF16)
        return stored == SAC_F32;
    snprintf(name, sizeof name, "stored-%s", sac_dtype_name(stored));
    sac_outcome outcome = sac_outcome_recall(device, name);
    if (outcome == SAC_UNASKED) {
        outcome = try(device, stored);
        sac_outcome_remember(device, name, outcome);
    }
    return outcome == SAC_RIGHT;
}
