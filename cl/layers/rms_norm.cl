/* y [rows,depth] = gain · x / √(mean x² + epsilon). A work-item takes a row; y may be x. */
__kernel void rms_norm(uint rows, uint depth, float epsilon, __global const float *x, uint x_at,
                       __global const float *gain, uint gain_at, __global float *y, uint y_at)
{
    ulong row = get_global_id(0);
    if (row >= rows)
        return;
    x += x_at + row * depth;
    y += y_at + row * depth;
    gain += gain_at;
    uint whole = depth / 16 * 16;
    float16 squares = 0.0f;
    for (uint d = 0; d < whole; d += 16)
        squares += vload16(0, x + d) * vload16(0, x + d);
    float8 halves = squares.lo + squares.hi;
    float4 quarters = halves.lo + halves.hi;
    float sum = quarters.x + quarters.y + quarters.z + quarters.w;
    for (uint d = whole; d < depth; d++)
        sum += x[d] * x[d];
    float inverse = 1.0f / sqrt(sum / depth + epsilon);
    for (uint d = 0; d < whole; d += 16)
        vstore16(vload16(0, x + d) * inverse * vload16(0, gain + d), 0, y + d);
    for (uint d = whole; d < depth; d++)
        y[d] = x[d] * inverse * gain[d];
}

/* dy becomes dx = (g − x · mean(g x) / r²) / r, with g = gain · dy and r = √(mean x² + epsilon). */
__kernel void rms_norm_backward(uint rows, uint depth, float epsilon, __global const float *x,
                                uint x_at, __global const float *gain, uint gain_at,
                                __global float *dy, uint dy_at)
{
    ulong row = get_global_id(0);
    if (row >= rows)
        return;
    x += x_at + row * depth;
    dy += dy_at + row * depth;
    gain += gain_at;
    float squares = 0.0f, products = 0.0f;
    for (uint d = 0; d < depth; d++) {
        squares += x[d] * x[d];
        products += gain[d] * dy[d] * x[d];
    }
    float inverse = 1.0f / sqrt(squares / depth + epsilon);
    float share = products / depth * inverse * inverse;
    for (uint d = 0; d < depth; d++)
        dy[d] = (gain[d] * dy[d] - x[d] * share) * inverse;
}
