/* Weights in few bits: whether a device reads them right, and all of them as float32. */

#include "gemm/storage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/round.h"
#include "gemm/launch.h"

#define WIDTH 16 /* columns of a work-item of cl/gemm/widen.cl */

/* As cl/gemm/storage.clh counts them. */
const char *sac_storage_option(sac_stored stored)
{
    static const char *const options[SAC_STORED_COUNT] = {
        " -DSTORAGE=0",  " -DSTORAGE=1",  " -DSTORAGE=2",  " -DSTORAGE=3",
        " -DSTORAGE=4",  " -DSTORAGE=5",  " -DSTORAGE=6",  " -DSTORAGE=7",
        " -DSTORAGE=8",  " -DSTORAGE=9",  " -DSTORAGE=10", " -DSTORAGE=11",
        " -DSTORAGE=12", " -DSTORAGE=13", " -DSTORAGE=14", " -DSTORAGE=15"};
    return options[stored];
}

sac_status sac_widen(sac_device *device, sac_stored stored, size_t rows, size_t width,
                     cl_mem chosen, cl_uint chosen_at, sac_span x, sac_span y, sac_error *error)
{
    char options[64];
    cl_uint height = (cl_uint)rows, columns = (cl_uint)width, is_chosen = chosen != NULL;
    cl_mem lines = chosen ? chosen : x.buffer;
    sac_arg args[] = {SAC_ARG(height),    SAC_ARG(columns), SAC_ARG(is_chosen), SAC_ARG(lines),
                      SAC_ARG(chosen_at), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    snprintf(options, sizeof options, "-DWIDTH=%d -DFAST_FMA=0%s", WIDTH,
             sac_storage_option(stored));
    return sac_launch_with_options(device, "widen", options, "widen", args, 9,
                                   rows * sac_ceil_div(width, WIDTH), error);
}

/* ---------------------------------------------------------------- trying it */

/* Every number of 16 bits, in rows that end within a work-item's columns; of blocks some rows. */
enum { NUMBERS = 1 << 16, ROWS = 2731, COLUMNS = 24, BLOCK_ROWS = 13, BLOCK_COLUMNS = 512 };

static bool is_same(float x, float y)
{
    return x == y || (x != x && y != y);
}

/* Subnormals of bfloat16 are those of float32: some devices take them for 0. */
static bool are_right_floats(const uint16_t *numbers, sac_stored stored, const float *widened)
{
    sac_dtype dtype = stored == SAC_STORED_F16 ? SAC_F16 : SAC_BF16;
    sac_array array = sac_array_view(dtype, 1, &(size_t){NUMBERS}, numbers);
    float *expected = malloc(NUMBERS * sizeof *expected);
    bool right = expected && sac_array_to_f32(&array, expected, NULL) == SAC_OK;
    for (size_t i = 0; right && i < NUMBERS; i++) {
        bool is_tiny = stored == SAC_STORED_BF16 && (numbers[i] & 0x7f80) == 0;
        right = is_same(widened[i], expected[i]) || (is_tiny && widened[i] == 0);
    }
    free(expected);
    return right;
}

/* Scale, whole and least may be added in one rounding or in two. */
static bool are_right_blocks(const uint8_t *blocks, sac_stored stored, const float *widened)
{
    const sac_stored_form *form = sac_stored_form_of(stored);
    float expected[256], largest;
    for (size_t i = 0; i < BLOCK_ROWS * BLOCK_COLUMNS; i += form->numbers, blocks += form->bytes) {
        form->read(blocks, expected);
        largest = 0;
        for (size_t k = 0; k < form->numbers; k++)
            largest = fmaxf(largest, fabsf(expected[k]));
        for (size_t k = 0; k < form->numbers; k++)
            if (!(fabsf(widened[i + k] - expected[k]) <= 1e-6f * largest))
                return false;
    }
    return true;
}

/* SAC_DID_NOT_RUN where there is no memory, or the kernel is not built. */
static sac_outcome try_storage_kernel(sac_device *device, sac_stored stored)
{
    bool blocks = sac_stored_in_blocks(stored);
    size_t rows = blocks ? BLOCK_ROWS : ROWS, columns = blocks ? BLOCK_COLUMNS : COLUMNS;
    size_t bytes = sac_stored_bytes(stored, rows * columns);
    void *numbers = calloc(1, bytes);
    float *widened = calloc(rows * columns, sizeof *widened);
    sac_span x = {0}, y = {0};
    sac_status status = numbers && widened ? SAC_OK : SAC_E_MEMORY;
    if (status == SAC_OK && blocks)
        sac_stored_fill_random(stored, 7, bytes, numbers);
    for (size_t i = 0; status == SAC_OK && !blocks && i < NUMBERS; i++)
        ((uint16_t *)numbers)[i] = (uint16_t)i;
    if (status == SAC_OK)
        status = sac_buffer_create(device, bytes, numbers, &x.buffer, NULL);
    if (status == SAC_OK)
        status = sac_span_create(device, rows * columns, NULL, &y, NULL);
    if (status == SAC_OK)
        status = sac_widen(device, stored, rows, columns, NULL, 0, x, y, NULL);
    if (status == SAC_OK)
        status = sac_span_read(device, y, rows * columns, widened, NULL);
    sac_outcome outcome = SAC_DID_NOT_RUN;
    if (status == SAC_OK)
        outcome = (blocks ? are_right_blocks(numbers, stored, widened)
                          : are_right_floats(numbers, stored, widened))
                      ? SAC_RIGHT
                      : SAC_WRONG;
    sac_span_release(&x);
    sac_span_release(&y);
    free(numbers);
    free(widened);
    return outcome;
}

bool sac_storage_is_right(sac_device *device, sac_stored stored)
{
    char name[32];
    if (stored == SAC_STORED_F32)
        return true;
    snprintf(name, sizeof name, "stored-%s", sac_stored_form_of(stored)->name);
    sac_outcome outcome = sac_outcome_recall(device, name);
    if (outcome == SAC_UNASKED) {
        outcome = try_storage_kernel(device, stored);
        sac_outcome_remember(device, name, outcome);
    }
    return outcome == SAC_RIGHT;
}
