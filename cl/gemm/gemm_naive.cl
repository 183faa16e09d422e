/* C = op(A) op(B) by one work-item per result: for devices where the faster products compute wrong,
 * and for matrices beyond their 32 bits. */

/* A(i,t) = a[i·a_row + t·a_step], B(t,j) = b[t·b_step + j·b_column]. */
typedef struct gemm {
    ulong m, n, k;
    ulong a_row, a_step, b_step, b_column;
    uint accumulate, bias;
    float ceiling;
    uint unused;
} gemm;

/* c [m,n] = A B (+ bias [n]) (+ c), then max(0, ·) on request. */
__kernel void multiply(gemm p, __global const float *a, uint a_at, __global const float *b,
                       uint b_at, __global const float *bias, uint bias_at, __global float *c,
                       uint c_at)
{
    ulong index = get_global_id(0), j = index % p.n;
    if (index >= p.m * p.n)
        return;
    a += a_at + index / p.n * p.a_row;
    b += b_at + j * p.b_column;
    c += c_at + index;
    float sum = 0.0f;
    for (ulong t = 0; t < p.k; t++)
        sum = mad(a[t * p.a_step], b[t * p.b_step], sum);
    if (p.bias)
        sum += bias[bias_at + j];
    if (p.accumulate)
        sum += *c;
    *c = p.ceiling > 0.0f ? min(max(sum, 0.0f), p.ceiling) : sum;
}
