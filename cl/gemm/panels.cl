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

/* c [m,n] = Σ pieces [splits,m,n] (+ bias) (+ c). */
typedef struct pieces {
    uint count, n, splits; /* count = m·n */
    uint accumulate, with_bias;
    uint each;     /* numbers of a work-item, 1 or LINE */
    float ceiling; /* sums are brought between 0 and this; 0: they are not */
} pieces;

#define LINE 16 /* numbers of a line of a cache */

inline void write_sum(const pieces *p, float sum, uint index, __global const float *bias,
                      __global float *c)
{
    if (p->with_bias)
        sum += bias[index % p->n];
    if (p->accumulate)
        sum += c[index];
    c[index] = p->ceiling > 0.0f ? min(max(sum, 0.0f), p->ceiling) : sum;
}

inline void add_one(const pieces *p, uint index, __global const float *from,
                    __global const float *bias, __global float *c)
{
    float sum = 0.0f;
    for (uint s = 0; s < p->splits; s++)
        sum += from[(ulong)s * p->count + index];
    write_sum(p, sum, index, bias, c);
}

/* Pieces whose size is a multiple of 4 KiB fall into one set of the first cache: what shares a line
 * is read at once, for it would be gone by the next number. */
inline void add_line(const pieces *p, uint index, __global const float *from,
                     __global const float *bias, __global float *c)
{
    float16 sum = (float16)(0.0f);
    float sums[LINE];
    for (uint s = 0; s < p->splits; s++)
        sum += vload16(0, from + (ulong)s * p->count + index);
    vstore16(sum, 0, sums);
    for (uint i = 0; i < LINE; i++)
        write_sum(p, sums[i], index + i, bias, c);
}

/* In the order of the pieces. One work-item for `each` numbers. */
__kernel void add_pieces(pieces p, __global const float *from, uint from_at,
                         __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    uint index = (uint)get_global_id(0) * p.each, end = min(index + p.each, p.count);
    from += from_at;
    bias += bias_at;
    c += c_at;
    if (p.each == LINE && index + LINE <= p.count)
        add_line(&p, index, from, bias, c);
    else
        for (; index < end; index++)
            add_one(&p, index, from, bias, c);
}
