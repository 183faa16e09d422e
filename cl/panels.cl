/* What a product needs beside its register tiles: B in panels, and sums over pieces of k. */

/* Element (k, n) of B is b[start + outer(k)·outer + middle(k)·middle + inner(k)·inner + n·column], where
 * k counts through [ , middles, inners]. */
typedef struct packing {
    uint n, k, panel, inners, middles;
    int start, outer, middle, inner, column;
} packing;

/* → [panels,k,panel], columns past the last being 0. One work-item per element. */
__kernel void pack(packing p, __global const float *b, uint b_at, __global float *packed,
                   uint packed_at)
{
    uint index = (uint)get_global_id(0);
    uint n = index / p.panel / p.k * p.panel + index % p.panel, k = index / p.panel % p.k;
    if (index / p.panel / p.k * p.panel >= p.n)
        return;
    int at = p.start + (int)(k / p.inners / p.middles) * p.outer +
             (int)(k / p.inners % p.middles) * p.middle + (int)(k % p.inners) * p.inner +
             (int)n * p.column;
    packed[packed_at + index] = n < p.n ? b[b_at + at] : 0.0f;
}

/* c [m,n] = Σ pieces [splits,m,n] (+ bias) (+ c), in the order of the pieces. One work-item per
 * element. */
__kernel void add_pieces(uint count, uint n, uint splits, uint accumulate, uint with_bias, uint relu,
                         __global const float *pieces, uint pieces_at, __global const float *bias,
                         uint bias_at, __global float *c, uint c_at)
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
