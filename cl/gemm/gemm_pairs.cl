/* C = A Bᵀ of many rows on a CPU in bfloat16, B stored [n,k]: numbers are rounded, and two of them are multiplied by
 * one lane at once; sums are float32. As in gemm_in_place.cl a work-item makes some rows of a panel of columns, whose
 * part of a chunk of k is made pairs and turned into an array of one's own; and A is packed beforehand. */
#include "common/bfloat16.clh"
#include "common/common.clh"
#include "common/vector.clh"
#include "gemm/ahead.clh"
#include "gemm/in_place.clh"
#include "gemm/storage.clh"
#include "gemm/turn.clh"
#include "gemm/write_row.clh"

#ifndef BY_LOOPS
#error "define BY_LOOPS: 1 where loops stand in for the instructions"
#endif

#define MICRO_ROWS 8
#define ROWS 480  /* of a work-item, at most; whole register tiles */
#define STEPS 128 /* pairs of k between visits to the sums */
#define FOURS(count) (((count) + 3) / 4 * 4)
#define STEPS_OF(k) FOURS(((k) + 1) / 2) /* that k takes in A; 0 in those past its end */
#define APART                                                                                      \
    (STEPS + 16) /* of lines of pairs, which do not fall into one set of the first cache */
#define ALIGNED __attribute__((aligned(64)))

FOR_PROCESSOR("avx512bf16")

ALWAYS_INLINE vf some_floats(__global const float *a, ulong i, uint count)
{
    float lanes[WIDTH];
    if (count >= WIDTH)
        return VF_LOAD(a + i);
    for (uint n = 0; n < WIDTH; n++)
        lanes[n] = n < count ? a[i + n] : 0.0f;
    return VF_LOAD(lanes);
}

/* `count` numbers of a line of A → pairs, 0 behind them up to whole vectors. */
OWN void pair_floats(__global const float *a, uint count, uint *pairs)
{
    for (uint n = 0; n < count; n += PANEL) {
        uint left = count - n;
        vf second = left > WIDTH ? some_floats(a, n + WIDTH, left - WIDTH) : (vf)(0.0f);
        VU_PUT(round_pairs(some_floats(a, n, left), second), pairs + n / 2);
    }
}

/* The same of B from number i on, whose numbers of 16 bits are pairs as they lie. */
OWN void pair_line(__global const number *b, ulong i, uint count, uint *pairs)
{
#if STORAGE == 2
    typedef vu vu_of_halves __attribute__((aligned(2)));
    uint whole = count / PANEL * PANEL;
    for (uint n = 0; n < whole; n += PANEL)
        VU_PUT(*(__global const vu_of_halves *)(b + i + n), pairs + n / 2);
    i += whole;
    pairs += whole / 2;
    count -= whole;
#endif
    for (uint n = 0; n < count; n += PANEL) {
        uint left = count - n;
        vf second = left > WIDTH ? some_numbers(b, i + n + WIDTH, left - WIDTH) : (vf)(0.0f);
        VU_PUT(round_pairs(some_numbers(b, i + n, left), second), pairs + n / 2);
    }
}

/* sums [MICRO_ROWS,PANEL] += `steps` pairs of k of a tile [steps,MICRO_ROWS], times as many [steps,PANEL]; `first`: =.
 * The same pairs of the next tile, `apart` from these, are prefetched. */
OWN void add_tile(__global const uint *a, const uint *pairs, uint steps, ulong apart, bool first,
                  float *sums)
{
    vf sum[MICRO_ROWS][2];
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        sum[r][0] = first ? (vf)(0.0f) : VF_LOAD(sums + r * PANEL);
        sum[r][1] = first ? (vf)(0.0f) : VF_LOAD(sums + r * PANEL + WIDTH);
    }
    for (uint i = 0; i < steps; i += 2, a += 2 * MICRO_ROWS, pairs += 2 * PANEL) {
        PREFETCH(a + apart);
#pragma unroll
        for (int t = 0; t < 2; t++) {
            vu b0 = VU_LOAD(pairs + t * PANEL), b1 = VU_LOAD(pairs + t * PANEL + WIDTH);
#pragma unroll
            for (int r = 0; r < MICRO_ROWS; r++) {
                vu factor = (vu)(a[t * MICRO_ROWS + r]);
                sum[r][0] = add_pairs(sum[r][0], factor, b0);
                sum[r][1] = add_pairs(sum[r][1], factor, b1);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        VF_PUT(sum[r][0], sums + r * PANEL);
        VF_PUT(sum[r][1], sums + r * PANEL + WIDTH);
    }
}

END_PROCESSOR

/* Pairs t … t + 3 of eight lines, turned. */
ALWAYS_INLINE void turn_eight(const uint *lines, uint t, float8 columns[4])
{
    const uint *four = lines + t;
    float8 x[4];
#pragma unroll
    for (int i = 0; i < 4; i++, four += APART)
        x[i] = as_float8((uint8)(vload4(0, four), vload4(0, four + 4 * APART)));
    turn_square(x[0], x[1], x[2], x[3], columns);
}

/* One work-item per register tile: MICRO_ROWS rows of A → pairs [STEPS_OF(k),MICRO_ROWS]; rows past the last are
 * taken for the last. */
__kernel void pack_rows(gemm p, __global const float *a, uint a_at, __global float *packed)
{
    uint lines[MICRO_ROWS * APART] ALIGNED;
    uint first = (uint)get_global_id(0) * MICRO_ROWS;
    if (first >= p.m)
        return;
    packed += (ulong)first * STEPS_OF(p.k);
    for (uint k = 0; k < p.k; k += 2 * STEPS) {
        uint count = min((uint)(2 * STEPS), p.k - k);
        for (uint r = 0; r < MICRO_ROWS; r++)
            pair_floats(a + a_at + (ulong)min(first + r, p.m - 1) * p.k + k, count,
                        lines + r * APART);
        for (uint t = 0; t < STEPS_OF(count); t += 4, packed += 4 * MICRO_ROWS) {
            float8 columns[4];
            turn_eight(lines, t, columns);
#pragma unroll
            for (int i = 0; i < 4; i++)
                vstore8(columns[i], i, packed);
        }
    }
}

/* `count` numbers, from `first` on, of `columns` lines of B → pairs [STEPS_OF(count),PANEL]; other columns stay. */
inline void turn_lines(__global const number *b, uint k, uint first, uint count, uint columns,
                       uint *pairs)
{
    uint lines[8 * APART] ALIGNED;
    for (uint j = 0; j < columns; j += 8) {
        for (uint l = 0; l < 8; l++) /* past the last column the last one, which is not written */
            pair_line(b, (ulong)min(j + l, columns - 1) * k + first, count, lines + l * APART);
        for (uint t = 0; t < STEPS_OF(count); t += 4) {
            float8 turned[4];
            turn_eight(lines, t, turned);
#pragma unroll
            for (int i = 0; i < 4; i++)
                vstore8(as_uint8(turned[i]), 0, pairs + (t + i) * PANEL + j);
        }
    }
}

/* `a`: as pack_rows left it. One work-item per (block of rows, panel); the panel counts fastest. */
__kernel void multiply(gemm p, __global const uint *a, __global const number *b, uint b_at,
                       __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    uint pairs[STEPS * PANEL] ALIGNED;
    float sums[ROWS * PANEL] ALIGNED;
    const extras asked = {.bias = p.bias, .accumulate = p.accumulate, .ceiling = p.ceiling};
    uint index = (uint)get_global_id(0), left = index % p.panels * PANEL;
    uint first = index / p.panels * p.rows, columns = min((uint)PANEL, p.n - left);
    if (first >= p.m)
        return;
    uint rows = min(p.rows, p.m - first);
    ulong tile = STEPS_OF(p.k) * MICRO_ROWS;
    a += first / MICRO_ROWS * tile;
    b = PLACE(b, b_at + (ulong)left * p.k);
    bias += bias_at + left;
    c += c_at + (ulong)first * p.n + left;
    for (uint i = 0; columns < PANEL && i < STEPS * PANEL; i += WIDTH)
        VU_PUT((vu)(0), pairs + i);
    for (uint k = 0; k < p.k; k += 2 * STEPS) {
        uint count = min((uint)(2 * STEPS), p.k - k);
        ahead next = ahead_of(b, k + count, min((uint)(2 * STEPS), p.k - k - count), columns,
                              (rows + MICRO_ROWS - 1) / MICRO_ROWS);
        turn_lines(b, p.k, k, count, columns, pairs);
        for (uint r = 0; r < rows; r += MICRO_ROWS) {
            ask(&next, p.k);
            add_tile(a + r / MICRO_ROWS * tile + k / 2 * MICRO_ROWS, pairs, STEPS_OF(count), tile,
                     k == 0, sums + r * PANEL);
            for (uint i = r; k + count == p.k && i < min(r + MICRO_ROWS, rows); i++)
                write_row(asked, sums + i * PANEL, bias, 0, columns, c + (ulong)i * p.n);
        }
    }
}
