/* What layers do column by column. A work-item takes one number. */

/* x [rows,columns] *= factors [columns] */
__kernel void scale_columns(uint rows, uint columns, __global float *x, uint x_at,
                            __global const float *factors, uint factors_at)
{
    uint row = (uint)get_global_id(0) / columns, column = (uint)get_global_id(0) % columns;
    if (row < rows)
        x[x_at + (ulong)row * columns + column] *= factors[factors_at + column];
}
