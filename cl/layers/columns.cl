/* What layers do column by column, or row by row. A work-item takes one number. */

/* x [rows,columns] *= factors [columns] */
__kernel void scale_columns(uint rows, uint columns, __global float *x, uint x_at,
                            __global const float *factors, uint factors_at)
{
    uint row = (uint)get_global_id(0) / columns, column = (uint)get_global_id(0) % columns;
    if (row < rows)
        x[x_at + (ulong)row * columns + column] *= factors[factors_at + column];
}

/* y [rows,columns] = x times factors [rows] */
__kernel void scale_rows(uint rows, uint columns, __global const float *x, uint x_at,
                         __global const float *factors, uint factors_at, __global float *y,
                         uint y_at)
{
    uint row = (uint)get_global_id(0) / columns, column = (uint)get_global_id(0) % columns;
    if (row < rows)
        y[y_at + (ulong)row * columns + column] =
            x[x_at + (ulong)row * columns + column] * factors[factors_at + row];
}
