/* C = A op(B) of few rows: a linear layer of the one token that a model says next, or of a beam's.
 * There is little to do for each number of B, so B is read where it lies, at memory's speed. What
 * the first row read the others find in the cache. */
#include "common/vector.clh"
#include "common/group.clh"
#include "common/sums.clh"
#include "gemm/storage.clh"
#include "gemm/few_rows.clh"
#include "gemm/joint.clh"

#ifdef JOINT /* with it there is the joint product alone, whose rows are in local memory */
#define SPACE __local
#else
#define SPACE __global
#endif
#define TAKE_ROW(at) (*(SPACE const vf_unaligned *)(at))

#define STRIP 256 /* columns of a group where B is stored [k,n] */
#define VECTORS (STRIP / GROUP_ITEMS / WIDTH)

/* ---------------------------------------------------------------- B is stored [n,k] */

#if defined(BLOCK) && GROUP_ITEMS == 1 && WIDTH > 1
/* sum [LINES] = the products of a row with lines of B, which are whole blocks: the wholes of a run first, whose
 * sum is multiplied by their factor. */
ALWAYS_INLINE void multiply_row(uint k, SPACE const float *a, __global const number *const *b,
                                vf sum[LINES])
{
#pragma unroll
    for (int l = 0; l < LINES; l++)
        sum[l] = (vf)(0.0f);
    for (ulong at = 0; at < k / BLOCK * BLOCK_BYTES; at += BLOCK_BYTES)
        for (uint run = 0; run < BLOCK; run += RUN, a += RUN) {
            vf x[RUN / WIDTH], all = (vf)(0.0f);
#pragma unroll
            for (int i = 0; i < RUN / WIDTH; i++) {
                x[i] = TAKE_ROW(a + i * WIDTH);
                all += x[i];
            }
#pragma unroll
            for (int l = 0; l < LINES; l++) {
                __global const number *block = b[l] + at;
                vf part = (vf)(0.0f);
                if (LESS)
                    part = -(float)LESS * all;
#pragma unroll
                for (int i = 0; i < RUN / WIDTH; i++)
                    part = FMA(x[i], WHOLES(WIDTH, block, run + i * WIDTH), part);
                sum[l] = FMA((vf)(FACTOR(block, run)), part, sum[l]);
#ifdef LEAST
                sum[l] = FMA((vf)(LEAST(block, run)), all, sum[l]);
#endif
            }
        }
}
#else
/* sum [LINES] = this item's part of the products of a row with lines of B. */
ALWAYS_INLINE void multiply_row(uint k, SPACE const float *a, __global const number *const *b,
                                vf sum[LINES])
{
    uint i = ITEM * WIDTH;
#pragma unroll
    for (int l = 0; l < LINES; l++)
        sum[l] = (vf)(0.0f);
    for (; i + WIDTH <= k; i += GROUP_ITEMS * WIDTH) {
        vf factor = VF_LOAD(a + i);
#pragma unroll
        for (int l = 0; l < LINES; l++)
            sum[l] = FMA(factor, NUMBERS(b[l], i), sum[l]);
    }
#ifndef JOINT
    if (i >= k)
        return;
    vf factor = load_some(a + i, k - i, 0.0f);
#pragma unroll
    for (int l = 0; l < LINES; l++)
        sum[l] = FMA(factor, some_numbers(b[l], i, k - i), sum[l]);
#endif
}
#endif

#ifdef JOINT
/* sums [LINES] = the products of a row with the lines of step t. */
ALWAYS_INLINE void multiply_lines(uint k, __local const float *row, const joint_part *part, uint t,
                                  float sums[MOST_LINES])
{
    vf sum[LINES];
    __global const number *line[LINES];
#pragma unroll
    for (int l = 0; l < LINES; l++)
        line[l] = PLACE(part->b, (ulong)LINE(part, l, t) * k);
    multiply_row(k, row, line, sum);
#pragma unroll
    for (int l = 0; l < LINES; l++)
        sums[l] = lanes_sum(sum[l]);
}

/* One group per `share` steps of a part; `rows` [m,k], a multiple of 32 each. */
__kernel void multiply_joint(JOINT_ARGUMENTS, __local float *rows)
{
    const joint_part parts[PARTS] = JOINT_PARTS;
    uint t, which = part_of_group(&p, (uint)get_group_id(0), &t);
    uint end = min(STREAM(parts + which), t + p.share);
    float sums[MOST_LINES] = {0.0f}, ups[MOST_LINES] = {0.0f};
    x += x_at, gain += gain_at, shift += shift_at, residual += residual_at;
    for (uint row = 0; row < p.m; row++) {
        row_norm norm = norm_of_row(&p, x + (ulong)row * p.k);
        for (uint i = 0; i < p.k; i += WIDTH)
            *(__local vf_unaligned *)(rows + row * p.k + i) =
                normed(&p, norm, x + (ulong)row * p.k, gain, shift, i);
    }
    for (; t < end; t++)
        for (uint row = 0; row < p.m; row++) {
            multiply_lines(p.k, rows + row * p.k, parts + which, t, sums);
            if (p.gated)
                multiply_lines(p.k, rows + row * p.k, parts + 1, t, ups);
            finish_step(&p, parts, which, t, row, sums, ups, residual);
        }
}
#else

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
