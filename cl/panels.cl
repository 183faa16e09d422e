/* The kernels that a product needs beside its register tiles: B into panels, and sums over pieces
 * of k. */

/* Element (k, n) of B is b[start + i·outer + j·middle + l·inner + n·column], where k counts through
 * (i, j, l), j < middles and l < inners. */
typedef struct packing {
    uint n, k, panel, inners, middles;
    int start, outer, middle, inner, column;
} packing;

#define RUN 16 /* values of k per work-item */

/* → [panels,k,panel], columns past the last being 0. One work-item per run of k in a panel; the
 * inner loop goes along B as it lies. */
__kernel void pack(packing p, __global const float *b, uint b_at, __global float *packed,
                   uint packed_at)
{
    uint runs = (p.k + RUN - 1) / RUN, index = (uint)get_global_id(0);
    uint first = index / runs * p.panel, k = index % runs * RUN;
    __global const float *from[RUN];
    if (first >= p.n)
        return;
    uint count = min((uint)RUN, p.k - k), columns = min(p.panel, p.n - first);
    b += b_at + p.start + (int)first * p.column;
    for (uint t = 0; t < count; t++)
        from[t] = b + (int)((k + t) / p.inners / p.middles) * p.outer +
                  (int)((k + t) / p.inners % p.middles) * p.middle +
                  (int)((k + t) % p.inners) * p.inner;
    packed += packed_at + (ulong)first * p.k + (ulong)k * p.panel;
    if (p.column == 1)
        for (uint t = 0; t < count; t++)
            for (uint j = 0; j < columns; j++)
                packed[t * p.panel + j] = from[t][j];
    else
        for (uint j = 0; j < columns; j++)
            for (uint t = 0; t < count; t++)
                packed[t * p.panel + j] = from[t][(int)j * p.column];
    for (uint t = 0; t < count; t++)
        for (uint j = columns; j < p.panel; j++)
            packed[t * p.panel + j] = 0.0f;
}

/* c [m,n] = Σ pieces [splits,m,n] (+ bias) (+ c), in the order of the pieces. One work-item per
 * element. */
__kernel void add_pieces(uint count, uint n, uint splits, uint accumulate, uint with_bias,
                         uint relu, __global const float *pieces, uint pieces_at,
                         __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    uint index = (uint)get_global_id(0);
    if (index >= count)
        return;
    float sum = 0.0f;
    pieces += pieces_at + index;
    for (uint s = 0; s < splits; s++)
        sum += pieces[(ulong)s * count];
    if (with_bias)
        sum += bias[bias_at + index % n];
    if (accumulate)
        sum += c[c_at + index];
    c[c_at + index] = relu ? max(sum, 0.0f) : sum;
}
