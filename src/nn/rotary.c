/* Rotary positions: their table on the host, and the launch that turns by it. */
#include "nn/rotary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

sac_rotary sac_rotary_of(size_t depth, double base)
{
    sac_rotary rotary = {.depth = depth};
    assert(depth % 2 == 0 && depth <= SAC_ROTARY_DEPTH);
    for (size_t i = 0; i < depth / 2; i++)
        rotary.frequency[i] = (float)pow(base, -2 * (double)i / (double)depth);
    return rotary;
}

void sac_rotary_place(sac_pass *pass, const sac_rotary *rotary, sac_tensor table, size_t first)
{
    size_t half = rotary->depth / 2;
    float length = rotary->length > 0 ? rotary->length : 1;
    float *numbers = malloc((sac_tensor_count(table) + 1) * sizeof *numbers);
    if (!numbers)
        SAC_PASS_CALL(pass, sac_fail(&pass->error, SAC_E_MEMORY, "positions", NULL,
                                     "no memory for %zu places", table.rows));
    for (size_t t = 0; t < table.rows && numbers; t++)
        for (size_t i = 0; i < half; i++) {
            float angle = (float)(first + t) * rotary->frequency[i]; /* as PyTorch rounds it */
            numbers[t * table.width + i] = cosf(angle) * length;
            numbers[t * table.width + half + i] = sinf(angle) * length;
        }
    sac_pass_write(pass, table, numbers);
    free(numbers);
}

void sac_rotate(sac_pass *pass, sac_tensor x, sac_tensor table)
{
    cl_uint points = (cl_uint)(sac_tensor_count(x) / 2), heads = (cl_uint)(x.width / table.width);
    cl_uint half = (cl_uint)(table.width / 2), places = (cl_uint)table.rows;
    sac_arg args[] = {SAC_ARG(points), SAC_ARG(heads),       SAC_ARG(half),
                      SAC_ARG(places), SAC_SPAN_ARGS(table), SAC_SPAN_ARGS(x)};
    assert(x.width % table.width == 0 && x.rows % table.rows == 0);
    sac_pass_items(pass, "rotary", "rotate_heads", args, sizeof args / sizeof *args, points);
}
