/* Weights that are stored in fewer bits, as float32: for products of many rows, and as rows of a table
 * of words. */
#include "common/vector.clh"
#include "gemm/storage.clh"

/* y [rows,width] = the lines of x in their order, or where `is_chosen` those of these numbers. One
 * work-item per WIDTH columns of a row. */
__kernel void widen(uint rows, uint width, uint is_chosen, __global const int *chosen,
                    uint chosen_at, __global const number *x, uint x_at, __global float *y,
                    uint y_at)
{
    uint across = (width + WIDTH - 1) / WIDTH, index = (uint)get_global_id(0);
    uint row = index / across, column = index % across * WIDTH;
    if (row >= rows)
        return;
    ulong line = is_chosen ? (ulong)chosen[chosen_at + row] : row;
    x = PLACE(x, x_at + line * width);
    y += y_at + (ulong)row * width + column;
    if (column + WIDTH <= width)
        VF_STORE(NUMBERS(x, column), y);
    else
        for (uint i = 0; i < width - column; i++)
            y[i] = NUMBER(x, column + i);
}
