/* Layer norm of (x + residual), one work-item per row; Ba, Kiros and Hinton 2016. x [rows,size] is
 * overwritten. The residual's own mean is taken off first: far from 0 the sum would lose digits.
 * Then in two passes, since E[x²] − E[x]² cancels. */
__kernel void add_norm(__global float *x, __global const float *residual,
                       __global const float *weight, __global const float *bias, uint has_bias,
                       ulong rows, uint size, float epsilon)
{
    if (get_global_id(0) >= rows)
        return;
    x += get_global_id(0) * size;
    residual += get_global_id(0) * size;
    float shift = 0.0f, sum = 0.0f, squares = 0.0f;
    for (uint c = 0; c < size; c++)
        shift += residual[c];
    shift /= size;
    for (uint c = 0; c < size; c++) {
        x[c] += residual[c] - shift;
        sum += x[c];
    }
    float mean = sum / size;
    for (uint c = 0; c < size; c++)
        squares = mad(x[c] - mean, x[c] - mean, squares);
    float inverse = 1.0f / sqrt(squares / size + epsilon);
    for (uint c = 0; c < size; c++)
        x[c] = mad((x[c] - mean) * inverse, weight[c], has_bias ? bias[c] : 0.0f);
}
