/* Attention by matrix instructions, of query, key and value stored as float16: a group of four
 * warps per tile of 64 queries, 16 each. For each panel of 64 keys
 *   1. the scores, 16 × 8 at a time, from queries in registers and keys in local memory;
 *   2. the online softmax in registers, four work-items to a row;
 *   3. weights · values, the weights rounded to float16 where they are: as the first instruction
 *      leaves its result, the second takes its operand. That rounding is what the output's error
 * comes from: 2^-12 of a weight, under 1e-3 of the whole. The one instruction is matrix_step(), 16
 * × 8 += 16 × 16 · 16 × 8 by the 32 work-items of a warp, with the layout of the fragments of
 * NVIDIA's mma.sync.aligned.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating
 * point type"). Elsewhere it is computed by way of local memory. */
#include "problem.clh"
#include "extent.clh"
#include "vector.clh"
#include "philox.clh"
#include "masks.clh"
#include "registers.clh"

#ifndef DIM_STEPS
#error "define DIM_STEPS: a query has 16 times as many coordinates, filled up with 0"
#endif
#ifndef COLUMN_STEPS
#error "define COLUMN_STEPS: a value has 16 times as many columns, filled up with 0"
#endif
#ifndef NEGATE
#error "define NEGATE: 1 where the scale is negative, so that the kernel's own never is"
#endif
#ifndef PTX
#error "define PTX: 1 where the compiler takes NVIDIA's instructions"
#endif

#define TILE_ROWS 64
#define BLOCK_KEYS 64
#define WARP 32
#define ITEMS 128
#define TILES (BLOCK_KEYS / 8)    /* of 8 keys */
#define STRIPS (2 * COLUMN_STEPS) /* of 8 value columns */
#define GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))

/* Where a work-item stands: its warp has the queries 16 · (ITEM / WARP) … + 15 of the tile, and it
 * itself rows LINE and LINE + 8 of those, in columns 2 · PAIR and 2 · PAIR + 1 of each eight. */
#define ITEM ((uint)get_local_id(0))
#define LINE (ITEM % WARP / 4)
#define PAIR (ITEM % 4)
#define FIRST_ROW (ITEM / WARP * 16 + LINE)

/* Local memory, in pairs of float16: keys [BLOCK_KEYS][KEY_PITCH], values by columns [16 ·
 * COLUMN_STEPS][VALUE_PITCH]. The pitches are 4 more than a multiple of 8: a warp's reads of 8 rows
 * meet 32 banks. */
#define KEY_PITCH (8 * DIM_STEPS + 4)
#define VALUE_PITCH (BLOCK_KEYS / 2 + 4)

/* ---------------------------------------------------------------- the instruction */

#if PTX
/* sum += a · b. a: rows LINE and LINE + 8 at k = 2 · PAIR, then both at k + 8; b: k = 2 · PAIR,
 * then k + 8, of column LINE; sum: row LINE in two columns, then row LINE + 8. Pairs lie along k.
 */
ALWAYS_INLINE void matrix_step(float sum[4], const uint a[4], uint b0, uint b1,
                               __local uint *exchange)
{
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Two float16, the first in the lower half. */
ALWAYS_INLINE uint pack_pair(float first, float second)
{
    uint pair;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}
#define EXCHANGE 1
#else
#define EXCHANGE (ITEMS * 6)

ALWAYS_INLINE void matrix_step(float sum[4], const uint a[4], uint b0, uint b1,
                               __local uint *exchange)
{
    __local uint *mine = exchange + ITEM * 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++)
        mine[i] = a[i];
    mine[4] = b0;
    mine[5] = b1;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uint *warp = exchange + ITEM / WARP * WARP * 6;
    for (uint i = 0; i < 4; i++) {
        uint column = 2 * PAIR + i % 2;
        for (uint k = 0; k < 16; k++) {
            uint high = k / 8, pair = k % 8 / 2, half_of = k % 2;
            __local const uint *left = warp + (LINE * 4 + pair) * 6 + 2 * high + i / 2;
            __local const uint *right = warp + (column * 4 + pair) * 6 + 4 + high;
            sum[i] = FMA(vload_half(half_of, (__local const half *)left),
                         vload_half(half_of, (__local const half *)right), sum[i]);
        }
    }
}

ALWAYS_INLINE uint pack_pair(float first, float second)
{
    ushort2 pair = 0;
    vstore_half(first, 0, (half *)&pair);
    vstore_half(second, 1, (half *)&pair);
    return as_uint(pair);
}
#endif

/* ---------------------------------------------------------------- scores */

/* This work-item's part of the tile's queries: per 16 coordinates one operand of the instruction.
 * q: the tile's first query, of `rows`, in pairs. */
ALWAYS_INLINE void load_queries(__global const uint *q, uint rows, uint query[DIM_STEPS][4])
{
    __global const uint *upper = q + min(FIRST_ROW, rows - 1) * (8 * DIM_STEPS) + PAIR;
    __global const uint *lower = q + min(FIRST_ROW + 8, rows - 1) * (8 * DIM_STEPS) + PAIR;
    UNROLL for (uint s = 0; s < DIM_STEPS; s++) {
        query[s][0] = upper[8 * s];
        query[s][1] = lower[8 * s];
        query[s][2] = upper[8 * s + 4];
        query[s][3] = lower[8 * s + 4];
    }
}

/* A panel of keys, of which there are `count`: the last stands for those past it. */
ALWAYS_INLINE void stage_keys(__global const uint *k, uint count, __local uint *keys)
{
    UNROLL for (uint i = ITEM; i < BLOCK_KEYS * 2 * DIM_STEPS; i += ITEMS) {
        uint row = i / (2 * DIM_STEPS), part = i % (2 * DIM_STEPS);
        uint4 four = ((__global const uint4 *)k)[min(row, count - 1) * (2 * DIM_STEPS) + part];
        ((__local uint4 *)keys)[row * (KEY_PITCH / 4) + part] = four;
    }
}

/* A panel of values, by columns. */
ALWAYS_INLINE void stage_values(__global const uint *v, __local uint *values)
{
    UNROLL for (uint i = ITEM; i < 16 * COLUMN_STEPS * (BLOCK_KEYS / 8); i += ITEMS)
        ((__local uint4 *)values)[i / (BLOCK_KEYS / 8) * (VALUE_PITCH / 4) + i % (BLOCK_KEYS / 8)] =
            ((__global const uint4 *)v)[i];
}

ALWAYS_INLINE void score_panel(const uint query[DIM_STEPS][4], __local const uint *keys,
                               __local uint *exchange, float score[TILES][4])
{
    UNROLL for (uint n = 0; n < TILES; n++) {
        __local const uint *key = keys + (8 * n + LINE) * KEY_PITCH + PAIR;
        UNROLL for (uint i = 0; i < 4; i++)
            score[n][i] = 0.0f;
        UNROLL for (uint s = 0; s < DIM_STEPS; s++)
            matrix_step(score[n], query[s], key[8 * s], key[8 * s + 4], exchange);
    }
}

/* The key of score i of tile n, counted from the panel's first, and its row of this work-item's
 * two. */
#define KEY_OF(n, i) (8 * (n) + 2 * PAIR + (i) % 2)
#define ROW_OF(i) (FIRST_ROW + (i) / 2 * 8)

/* Raw scores → base-2 logits, of `rows` queries from `row` on and the panel from key `first` on. */
ALWAYS_INLINE void scale_panel(const problem *p, __global const uchar *padding,
                               __global const uchar *mask, uint matrix, uint row, uint rows,
                               uint first, float score[TILES][4])
{
    uint seen = p->flags & CAUSAL ? min(row + 1, p->keys) : p->keys;
    bool plain = !(p->flags & (PADDING | MASK_BOOL | MASK_FLOAT)) && first + BLOCK_KEYS <= seen;
    UNROLL for (uint n = 0; n < TILES; n++)
        UNROLL for (uint i = 0; i < 4; i++) {
            float raw = NEGATE ? -score[n][i] : score[n][i];
            uint line = row + min(ROW_OF(i), rows - 1), col = first + KEY_OF(n, i);
            if (plain)
                score[n][i] = raw * p->scale;
            else if (col < p->keys)
                score[n][i] = masked_logit(p, padding, mask, matrix, line, col, raw);
            else
                score[n][i] = BLOCKED;
        }
}

/* ---------------------------------------------------------------- softmax and values */

/* The exponent that a row's weights are measured from lies so far under its largest logit, for
 * float16 has more room above 1, to 2^15, than below, where 2^-14 is the last number with all its
 * digits. */
#define LIFT 10.0f

/* What one work-item knows of its two rows; sums and outputs of its own columns alone. */
typedef struct row_sums {
    float maximum[2], sum[2];
    float output[STRIPS][4];
} row_sums;

/* Logits → weights times 2^LIFT at most; brings sums and outputs to the new maxima. room:
 * [TILE_ROWS][4]. */
ALWAYS_INLINE void soften_panel(__local float *room, float score[TILES][4], row_sums *s)
{
    UNROLL for (uint h = 0; h < 2; h++) {
        float top = BLOCKED;
        UNROLL for (uint n = 0; n < TILES; n++)
            top = max(top, max(score[n][2 * h], score[n][2 * h + 1]));
        room[(FIRST_ROW + 8 * h) * 4 + PAIR] = top;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint h = 0; h < 2; h++) {
        __local const float *four = room + (FIRST_ROW + 8 * h) * 4;
        float highest = max(max(four[0], four[1]), max(four[2], four[3]));
        highest = max(highest - LIFT, s->maximum[h]);
        float correction = EXP2(s->maximum[h] - highest);
        s->maximum[h] = highest;
        s->sum[h] *= correction;
        UNROLL for (uint n = 0; n < TILES; n++)
            UNROLL for (uint i = 2 * h; i < 2 * h + 2; i++) {
                score[n][i] = EXP2(score[n][i] - highest);
                s->sum[h] += score[n][i];
            }
        UNROLL for (uint c = 0; c < STRIPS; c++) {
            s->output[c][2 * h] *= correction;
            s->output[c][2 * h + 1] *= correction;
        }
    }
}

/* What is left grows in write_results(): here it might leave float16's range. */
ALWAYS_INLINE void drop_weights(const problem *p, uint matrix, uint row, uint first,
                                float weight[TILES][4])
{
    uint key = dropout_key(p->seed_low, p->seed_high, matrix);
    UNROLL for (uint n = 0; n < TILES; n++)
        UNROLL for (uint i = 0; i < 4; i++)
            if (dropout_factor(p, key, row + ROW_OF(i), first + KEY_OF(n, i)) == 0.0f)
                weight[n][i] = 0.0f;
}

ALWAYS_INLINE void add_values(float weight[TILES][4], __local const uint *values,
                              __local uint *exchange, float output[STRIPS][4])
{
    UNROLL for (uint j = 0; j < TILES / 2; j++) {
        uint a[4] = {pack_pair(weight[2 * j][0], weight[2 * j][1]),
                     pack_pair(weight[2 * j][2], weight[2 * j][3]),
                     pack_pair(weight[2 * j + 1][0], weight[2 * j + 1][1]),
                     pack_pair(weight[2 * j + 1][2], weight[2 * j + 1][3])};
        UNROLL for (uint c = 0; c < STRIPS; c++) {
            __local const uint *value = values + (8 * c + LINE) * VALUE_PITCH + 8 * j + PAIR;
            matrix_step(output[c], a, value[0], value[4], exchange);
        }
    }
}

/* The sums of whole rows: each of a row's four work-items gets it. */
ALWAYS_INLINE void gather_sums(__local float *room, float sum[2])
{
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint h = 0; h < 2; h++)
        room[(FIRST_ROW + 8 * h) * 4 + PAIR] = sum[h];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint h = 0; h < 2; h++) {
        __local const float *four = room + (FIRST_ROW + 8 * h) * 4;
        sum[h] = four[0] + four[1] + four[2] + four[3];
    }
}

/* ---------------------------------------------------------------- results */

/* This work-item's columns of its row `h`, times `factor`; `to` is the row's first column. */
ALWAYS_INLINE void write_columns(const problem *p, const float output[STRIPS][4], uint h,
                                 float factor, __global float *to)
{
    UNROLL for (uint c = 0; c < STRIPS; c++)
        UNROLL for (uint i = 0; i < 2; i++) {
            uint column = 8 * c + 2 * PAIR + i;
            if (column < p->value_dim)
                to[column] = output[c][2 * h + i] * factor;
        }
}

/* The results of whole rows, or of a piece for merge.cl; a row whose keys are all blocked gives 0.
 */
ALWAYS_INLINE void write_results(const problem *p, const job *j, const extent *e, const row_sums *s,
                                 __global float *out, __global float2 *stats,
                                 __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    bool whole = j->splits == 1;
    stats += (ulong)e->matrix * p->queries + e->row;
    out += out_at(p, e);
    pieces += e->piece * j->tile_rows * width;
    UNROLL for (uint h = 0; h < 2; h++) {
        uint r = FIRST_ROW + 8 * h;
        float sum = s->sum[h], factor = p->flags & DROPOUT ? p->keep : 1.0f;
        if (r >= e->rows)
            continue;
        __global float2 *stat = whole ? stats + r : (__global float2 *)(pieces + (ulong)r * width);
        if (PAIR == 0) {
            ((__global float *)stat)[0] = s->maximum[h];
            ((__global float *)stat)[1] = sum;
        }
        if (whole)
            factor = sum > 0.0f ? factor / sum : 0.0f;
        if (j->with_output)
            write_columns(p, s->output, h, factor,
                          whole ? out + r * p->out_row : pieces + (ulong)r * width + 2);
    }
}

/* ---------------------------------------------------------------- kernels */

/* q [M,Tq,16·DIM_STEPS], k [M,Tk,16·DIM_STEPS], v [M,panels,16·COLUMN_STEPS,BLOCK_KEYS], the rest
 * as in attend_gpu.cl. */
GROUP __kernel void attend(problem p, job j, __global const uint *q, __global const uint *k,
                           __global const uint *v, __global const float *w,
                           __global const uchar *padding, __global const uchar *mask,
                           __global float *out, __global float2 *stats, __global float *pieces)
{
    __local uint4 key_room[BLOCK_KEYS * KEY_PITCH / 4];
    __local uint4 value_room[16 * COLUMN_STEPS * VALUE_PITCH / 4];
    __local float room[TILE_ROWS * 4];
    __local uint exchange[EXCHANGE];
    __local uint *keys = (__local uint *)key_room, *values = (__local uint *)value_room;
    extent e = extent_of(&p, &j, j.first + get_group_id(0));
    uint query[DIM_STEPS][4];
    float score[TILES][4];
    row_sums s;

    s.maximum[0] = s.maximum[1] = FLOOR;
    s.sum[0] = s.sum[1] = 0.0f;
    UNROLL for (uint c = 0; c < STRIPS; c++)
        UNROLL for (uint i = 0; i < 4; i++)
            s.output[c][i] = 0.0f;
    k += (ulong)e.matrix * p.keys * (8 * DIM_STEPS);
    v += (ulong)e.matrix * ((p.keys + BLOCK_KEYS - 1) / BLOCK_KEYS) *
         (8 * COLUMN_STEPS * BLOCK_KEYS);
    load_queries(q + ((ulong)e.matrix * p.queries + e.row) * (8 * DIM_STEPS), e.rows, query);
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_keys(k + (ulong)first * (8 * DIM_STEPS), p.keys - first, keys);
        if (j.with_output)
            stage_values(v + (ulong)first * (8 * COLUMN_STEPS), values);
        barrier(CLK_LOCAL_MEM_FENCE);
        score_panel(query, keys, exchange, score);
        scale_panel(&p, padding, mask, e.matrix, e.row, e.rows, first, score);
        soften_panel(room, score, &s);
        if (p.flags & DROPOUT)
            drop_weights(&p, e.matrix, e.row, first, score);
        if (j.with_output)
            add_values(score, values, exchange, s.output);
    }
    gather_sums(room, s.sum);
    write_results(&p, &j, &e, &s, out, stats, pieces);
}

/* A group is TILE_ROWS rows of one panel, as in attend_gpu.cl. */
GROUP __kernel void weights(problem p, job j, __global const uint *q, __global const uint *k,
                            __global const float *w, __global const uchar *padding,
                            __global const uchar *mask, __global const float2 *stats,
                            __global float *weights)
{
    __local uint4 key_room[BLOCK_KEYS * KEY_PITCH / 4];
    __local uint exchange[EXCHANGE];
    __local uint *keys = (__local uint *)key_room;
    uint query[DIM_STEPS][4];
    float score[TILES][4];
    uint panels = (j.col_end - 1) / BLOCK_KEYS - j.col_begin / BLOCK_KEYS + 1;
    uint first = (j.col_begin / BLOCK_KEYS + get_group_id(0) % panels) * BLOCK_KEYS;
    uint row = j.row_begin + get_group_id(0) / panels * TILE_ROWS, rows = j.row_end - row;
    k += ((ulong)j.matrix * p.keys + first) * (8 * DIM_STEPS);
    load_queries(q + ((ulong)j.matrix * p.queries + row) * (8 * DIM_STEPS), rows, query);
    stage_keys(k, p.keys - first, keys);
    barrier(CLK_LOCAL_MEM_FENCE);
    score_panel(query, keys, exchange, score);
    scale_panel(&p, padding, mask, j.matrix, row, rows, first, score);

    uint key = dropout_key(p.seed_low, p.seed_high, j.matrix);
    stats += (ulong)j.matrix * p.queries + row;
    weights += (ulong)(row - j.row_begin) * (j.col_end - j.col_begin);
    UNROLL for (uint n = 0; n < TILES; n++)
        UNROLL for (uint i = 0; i < 4; i++) {
            uint r = ROW_OF(i), col = first + KEY_OF(n, i);
            if (r >= rows || col < j.col_begin || col >= j.col_end)
                continue;
            float2 stat = stats[r];
            float weight = stat.y > 0.0f ? EXP2(score[n][i] - stat.x) / stat.y : 0.0f;
            if (p.flags & DROPOUT)
                weight *= dropout_factor(&p, key, row + r, col);
            weights[(ulong)r * (j.col_end - j.col_begin) + col - j.col_begin] = weight;
        }
}
