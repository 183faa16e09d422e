/* y = x Wᵀ + b by one work-item per result: for small layers, and for devices where CLBlast fails. */

/* x [rows,in], W(o,i) = weight[o·weight_out + i·weight_in], bias [out] → y [rows,out] */
__kernel void linear(__global const float *x, __global const float *weight,
                     __global const float *bias, __global float *y, ulong rows, uint in, uint out,
                     uint weight_out, uint weight_in, uint has_bias)
{
    ulong index = get_global_id(0);
    if (index >= rows * out)
        return;
    uint o = (uint)(index % out);
    x += index / out * in;
    weight += (ulong)o * weight_out;
    float sum = 0.0f;
    for (uint i = 0; i < in; i++)
        sum = mad(x[i], weight[(ulong)i * weight_in], sum);
    y[index] = has_bias ? sum + bias[o] : sum;
}

/* y [rows,out] += bias [out] */
__kernel void add_bias(__global float *y, __global const float *bias, ulong count, uint out)
{
    ulong index = get_global_id(0);
    if (index < count)
        y[index] += bias[index % out];
}
