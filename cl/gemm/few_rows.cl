/* C = A op(B) of few rows: a linear layer of the one token that a model generates next, or of a beam's.
 * There is little to do for each number of B, so B is read in place, at memory's speed. What the first
 * row read the others find in the cache. */
#include "common/vector.clh"
#include "common/group.clh"
#include "common/sums.clh"
#include "gemm/storage.clh"
#include "gemm/few_rows.clh"
#include "gemm/fused_linear.clh"
#include "gemm/few_rows_floats.clh"
#include "gemm/fused_linear_kernels.clh"
#include "layers/token_layer.clh"

#ifndef JOINT
#define STRIP 256 /* columns of a group where B is stored [k,n] */
#define VECTORS (STRIP / GROUP_ITEMS / WIDTH)

/* ---------------------------------------------------------------- B is stored [n,k] */

/* One group per `share` steps of LINES lines. */
__kernel void multiply_by_lines(gemm p, __global const float *a, uint a_at,
                                __global const number *b, uint b_at, __global const float *bias,
                                uint bias_at, __global float *c, uint c_at, __local float *scratch)
{
    vf sum[LINES];
    __global const number *line[LINES];
    uint t = (uint)get_group_id(0) * p.share, end = min(STREAM(&p), t + p.share);
    a += a_at, b = PLACE(b, b_at), bias += bias_at, c += c_at;
    for (; t < end; t++) {
#pragma unroll
        for (int l = 0; l < LINES; l++)
            line[l] = PLACE(b, (ulong)LINE(&p, l, t) * p.k);
        for (uint row = 0; row < p.m; row++) {
            multiply_row(p.k, a + (ulong)row * p.k, line, sum);
#pragma unroll
            for (int l = 0; l < LINES; l++) {
                float x = group_sum(lanes_sum(sum[l]), scratch);
                if (ITEM == 0)
                    write_product(&p, x, l, t, bias, c + (ulong)row * p.n);
            }
        }
    }
}

/* ---------------------------------------------------------------- B is stored [k,n] */

#ifndef BLOCK
/* sums [m][VECTORS] += `lines` values of k of A's rows times as many lines of B, of which `count`
 * numbers are the item's. */
ALWAYS_INLINE void add_lines(const gemm *p, __global const float *a, __global const number *b,
                             uint count, const int lines, vf sums[MOST_ROWS][VECTORS])
{
    const uint vectors = (count + WIDTH - 1) / WIDTH;
    SUMS_FOR(uint row = 0; row < SUM_COUNT(p->m, MOST_ROWS); row++)
        SUMS_FOR(uint j = 0; j < SUM_COUNT(vectors, VECTORS); j++) {
            vf sum = sums[row][j];
            if (row >= p->m || j >= vectors)
                continue;
#pragma unroll
            for (int l = 0; l < lines; l++)
                sum = FMA((vf)(a[(ulong)row * p->k + l]),
                          some_numbers(b, (ulong)l * p->n + j * WIDTH, count - j * WIDTH), sum);
            sums[row][j] = sum;
        }
}

/* → pieces [pieces,m,n], which are added afterwards. One group per (`share` values of k, strip of
 * columns). */
__kernel void multiply_by_columns(gemm p, __global const float *a, uint a_at,
                                  __global const number *b, uint b_at, __global float *pieces,
                                  uint pieces_at, __local float *scratch)
{
    vf sums[MOST_ROWS][VECTORS];
    const uint each = VECTORS * WIDTH, across = (p.n + STRIP - 1) / STRIP;
    uint piece = (uint)get_group_id(0) / across, t = piece * p.share;
    uint column = (uint)get_group_id(0) % across * STRIP + ITEM * each;
    if (column >= p.n)
        return;
    uint to = min(p.k, t + p.share), count = min(each, p.n - column);
    const uint vectors = (count + WIDTH - 1) / WIDTH;
    a += a_at;
    b += b_at + column;
    pieces += pieces_at + (ulong)piece * p.m * p.n + column;
    SUMS_FOR(uint row = 0; row < SUM_COUNT(p.m, MOST_ROWS); row++)
        SUMS_FOR(uint j = 0; j < VECTORS; j++)
            sums[row][j] = (vf)(0.0f);
    for (; t + LINES <= to; t += LINES)
        add_lines(&p, a + t, b + (ulong)t * p.n, count, LINES, sums);
    for (; t < to; t++)
        add_lines(&p, a + t, b + (ulong)t * p.n, count, 1, sums);
    SUMS_FOR(uint row = 0; row < SUM_COUNT(p.m, MOST_ROWS); row++)
        SUMS_FOR(uint j = 0; j < SUM_COUNT(vectors, VECTORS); j++)
            if (row < p.m && j < vectors)
                store_some(sums[row][j], pieces + (ulong)row * p.n + j * WIDTH, count - j * WIDTH);
}
#endif
#endif
