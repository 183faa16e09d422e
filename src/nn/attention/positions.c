/* Sinusoids of positions, added to embeddings. */

#include "nn/attention/positions.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

void sac_positions_fill(float *table, size_t count, size_t depth)
{
    for (size_t n = 0; n < count; n++)
        for (size_t k = 0; k < depth; k++) {
            double angle = (double)n / pow(10000, (double)(k - k % 2) / (double)depth);
            table[n * depth + k] = (float)(k % 2 ? cos(angle) : sin(angle));
        }
}

static sac_status set_places(int *places, size_t count, size_t steps, size_t room, size_t first,
                             const int *offsets, sac_error *error)
{
    for (size_t row = 0; row < count; row++) {
        size_t place = (offsets ? (size_t)offsets[row / steps] : first) + row % steps;
        if (place >= room)
            return sac_fail(error, SAC_E_SHAPE, "positions", "give fewer words",
                            "word %zu lies beyond a table of %zu places", place + 1, room);
        places[row] = (int)place;
    }
    return SAC_OK;
}

void sac_positions_place(sac_pass *pass, sac_ints places, sac_tensor table, size_t steps,
                         size_t first, const int *offsets)
{
    int *all = malloc((places.count + 1) * sizeof *all);
    if (!all)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "positions"));
    else
        SAC_PASS_CALL(
            pass, set_places(all, places.count, steps, table.rows, first, offsets, &pass->error));
    sac_pass_write_ints(pass, places, all);
    free(all);
}

void sac_positions_add(sac_pass *pass, sac_tensor x, float factor, sac_tensor table,
                       sac_ints places)
{
    cl_uint rows = (cl_uint)x.rows, depth = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows),          SAC_ARG(depth),     SAC_ARG(factor),
                      SAC_ARG(places.buffer), SAC_ARG(places.at), SAC_SPAN_ARGS(table),
                      SAC_SPAN_ARGS(x)};
    assert(x.width == table.width && places.count == x.rows);
    sac_pass_strips(pass, "layers", "add_positions", args, sizeof args / sizeof *args, x.rows,
                    x.width);
}

void sac_scale(sac_pass *pass, sac_tensor x, float factor)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(factor), SAC_SPAN_ARGS(x)};
    sac_pass_items(pass, "layers", "scale", args, sizeof args / sizeof *args, count);
}

/* ---------------------------------------------------------------- rotary */

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
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "positions"));
    for (size_t t = 0; t < table.rows && numbers; t++)
        for (size_t i = 0; i < half; i++) {
            float angle = (float)(first + t) * rotary->frequency[i]; /* as PyTorch rounds it */
            numbers[t * table.width + i] = cosf(angle) * length;
            numbers[t * table.width + half + i] = sinf(angle) * length;
        }
    sac_pass_write(pass, table, numbers);
    free(numbers);
}

static void rotate_pairs(sac_pass *pass, sac_tensor x, size_t heads, float sense, sac_tensor table)
{
    cl_uint all = (cl_uint)heads, depth = (cl_uint)(x.width / heads);
    cl_uint half = (cl_uint)(table.width / 2), places = (cl_uint)table.rows;
    cl_uint points = (cl_uint)(x.rows * heads) * half;
    sac_arg args[] = {SAC_ARG(points), SAC_ARG(all),   SAC_ARG(depth),       SAC_ARG(half),
                      SAC_ARG(places), SAC_ARG(sense), SAC_SPAN_ARGS(table), SAC_SPAN_ARGS(x)};
    assert(x.width % heads == 0 && table.width <= depth && x.rows % table.rows == 0);
    sac_pass_items(pass, "rotary", "rotate_heads", args, sizeof args / sizeof *args, points);
}

void sac_rotate(sac_pass *pass, sac_tensor x, size_t heads, sac_tensor table)
{
    rotate_pairs(pass, x, heads, 1, table);
}

void sac_rotate_backward(sac_pass *pass, sac_tensor dy, size_t heads, sac_tensor table)
{
    rotate_pairs(pass, dy, heads, -1, table);
}
