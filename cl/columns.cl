/* What layers do column by column. A work-item takes one number. */

/* x [rows,columns] *= factors [columns] */
__kernel void scale_columns(uint rows, uint columns, __global float *x, uint x_at,
                            __global const float *factors, uint factors_at)
{
    uint row = (uint)get_global_id(0) / columns, column = (uint)get_global_id(0) % columns;
    if (row < rows)
        x[x_at + (ulong)row * columns + column] *= factors[factors_at + column];
}

/* y [rows,columns] = silu(x[:,:columns]) · x[:,columns:], x [rows,2·columns] */
__kernel void gate_columns(uint rows, uint columns, __global const float *x, uint x_at,
                           __global float *y, uint y_at)
{
    uint row = (uint)get_global_id(0) / columns, column = (uint)get_global_id(0) % columns;
    if (row >= rows)
        return;
    x += x_at + (ulong)row * 2 * columns + column;
    y[y_at + (ulong)row * columns + column] = x[0] / (1.0f + exp(-x[0])) * x[columns];
}

/* x [count] ← silu(x) · y */
__kernel void gate(uint count, __global const float *y, uint y_at, __global float *x, uint x_at)
{
    if (get_global_id(0) >= count)
        return;
    float from = x[x_at + get_global_id(0)];
    x[x_at + get_global_id(0)] = from / (1.0f + exp(-from)) * y[y_at + get_global_id(0)];
}
