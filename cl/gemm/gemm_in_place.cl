/* C = A Bᵀ of many rows on a CPU, B stored [n,k] as a layer's weights are and read once, where it
 * lies: in 16 bits too. A work-item makes some rows of a panel of columns. The panel's part of a
 * chunk of k is turned into an array of one's own, which stays in the first cache while all rows go
 * by; sums are added in the order of k. A is packed beforehand: rows that lie 4 KiB apart push each
 * other out of the first cache, and many streams are more than a processor reads ahead of. */
#include "common/common.clh"
#include "common/vector.clh"
#include "gemm/ahead.clh"
#include "gemm/in_place.clh"
#include "gemm/storage.clh"
#include "gemm/turn.clh"
#include "gemm/write_row.clh"

#ifndef MICRO_ROWS
#error "define MICRO_ROWS: rows of a register tile"
#endif

#define ROWS 240 /* of a work-item, at most; whole register tiles */
/* Values of k between visits to the sums, whose part of a panel fills most of the first cache. */
#define CHUNK (WIDTH == 16 ? 192 : 256)
#define ALIGNED __attribute__((aligned(64)))
#define TILED(rows) (((rows) + MICRO_ROWS - 1) / MICRO_ROWS * MICRO_ROWS)

#ifdef BLOCK
/* Lines of B are unpacked before they are turned. */
#define APART (CHUNK + 16) /* which do not fall into one set of the first cache */
typedef const float *no_rope;
#define FOUR_UNTURNED(b, i) vload4(0, (b) + (i))

/* `count` numbers from `first` on, whole runs, of eight lines of B → lines [8,APART]. */
ALWAYS_INLINE void unpack_eight(__global const number *b, uint k, ulong first, uint count,
                                float *lines)
{
    for (uint l = 0; l < 8; l++, first += k, lines += APART)
        for (uint i = 0; i < count; i += RUN) {
            __global const number *block = PLACE(b, first + i);
            uint at = (uint)((first + i) % BLOCK);
            vf factor = (vf)(FACTOR(block, at)), least = (vf)(-(float)LESS) * factor;
#ifdef LEAST
            least = (vf)(LEAST(block, at));
#endif
#pragma unroll
            for (int n = 0; n < RUN; n += WIDTH)
                VF_PUT(FMA(factor, WHOLES(WIDTH, block, at + n), least), lines + i + n);
        }
}
#else
typedef __global const number *no_rope;
#define FOUR_UNTURNED(b, i) FOUR_NUMBERS(b, i)
#endif

/* Numbers t … t + 3 of a line, and of the fourth one after it. */
ALWAYS_INLINE float8 two_fours(no_rope b, ulong t, uint k)
{
    return (float8)(FOUR_UNTURNED(b, t), FOUR_UNTURNED(b, t + 4 * (ulong)k));
}

typedef float8 float8_unaligned __attribute__((aligned(4)));

/* Numbers t … t + 3 of eight lines → eight columns of values [·,PANEL]. */
ALWAYS_INLINE void turn_eight(no_rope b, ulong t, uint k, float *values)
{
    float8 x = two_fours(b, t, k), y = two_fours(b, t + k, k);
    float8 z = two_fours(b, t + 2 * (ulong)k, k), w = two_fours(b, t + 3 * (ulong)k, k);
    float8 turned[4];
    turn_square(x, y, z, w, turned);
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float8_unaligned *)(values + i * PANEL) = turned[i];
}

/* `count` numbers, from `first` on, of `columns` lines of B → values [count,PANEL]; other columns stay. */
inline void turn_lines(__global const number *b, uint k, uint first, uint count, uint columns,
                       float *values)
{
    uint j = 0;
#ifdef BLOCK
    float lines[8 * APART];
    for (; j + 8 <= columns; j += 8) {
        unpack_eight(b, k, (ulong)j * k + first, count, lines);
        for (uint t = 0; t < count; t += 4)
            turn_eight(lines, t, APART, values + t * PANEL + j);
    }
#else
    for (; j + 8 <= columns; j += 8) {
        ulong line = (ulong)j * k + first;
        uint t = 0;
        for (; t + 4 <= count; t += 4)
            turn_eight(b, line + t, k, values + t * PANEL + j);
        for (; t < count; t++)
            for (uint i = 0; i < 8; i++)
                values[t * PANEL + j + i] = NUMBER(b, line + (ulong)i * k + t);
    }
#endif
    for (; j < columns; j++)
        for (uint t = 0; t < count; t++)
            values[t * PANEL + j] = NUMBER(b, (ulong)j * k + first + t);
}

/* sum += one value of k of the tile's rows, times as many of PANEL columns. */
ALWAYS_INLINE void add_value(const int tile, __global const float *a, const float *values,
                             vf sum[MICRO_ROWS][2])
{
    vf v0 = VF_LOAD(values), v1 = VF_LOAD(values + WIDTH);
#pragma unroll
    for (int r = 0; r < tile; r++) {
        vf factor = (vf)(a[r]);
        sum[r][0] = FMA(factor, v0, sum[r][0]);
        sum[r][1] = FMA(factor, v1, sum[r][1]);
    }
}

/* One work-item per register tile: MICRO_ROWS rows of A → [k,MICRO_ROWS], a chunk of k of all tiles
 * behind the other; rows past the last are taken for the last. */
__kernel void pack_rows(gemm p, __global const float *a, uint a_at, __global float *packed)
{
    uint first = (uint)get_global_id(0) * MICRO_ROWS;
    __global const float *row[MICRO_ROWS];
    if (first >= p.m)
        return;
#pragma unroll
    for (uint r = 0; r < MICRO_ROWS; r++)
        row[r] = a + a_at + (ulong)min(first + r, p.m - 1) * p.k;
    for (uint k = 0; k < p.k; k += CHUNK) {
        uint count = min((uint)CHUNK, p.k - k);
        __global float *to = packed + (ulong)k * TILED(p.m) + first * count;
        for (uint t = k; t < k + count; t++, to += MICRO_ROWS)
#pragma unroll
            for (uint r = 0; r < MICRO_ROWS; r++)
                to[r] = row[r][t];
    }
}

/* What becomes of a tile's sums, once k is at its end. */
typedef struct results {
    extras asked;
    uint n, columns; /* of C; of the panel */
    uint rows;       /* of the tile that C has */
    __global const float *bias;
    __global float *c;
} results;

/* sums [tile,PANEL] += `count` values of k of `tile` rows of A, packed, times as many of `values`; `first`: =. By fours:
 * less of what is not a multiply-add. `last`: they are written. */
ALWAYS_INLINE void add_rows(const int tile, __global const float *a, const float *values,
                            uint count, bool first, bool last, const results to, float *sums)
{
    vf sum[MICRO_ROWS][2];
    bool whole = to.columns == PANEL;
    if (first) {
#pragma unroll
        for (int r = 0; r < tile; r++)
            sum[r][0] = sum[r][1] = (vf)(0.0f);
    } else {
#pragma unroll
        for (int r = 0; r < tile; r++) {
            sum[r][0] = VF_LOAD(sums + r * PANEL);
            sum[r][1] = VF_LOAD(sums + r * PANEL + WIDTH);
        }
    }
    if (last && whole) {
#pragma unroll
        for (int r = 0; r < tile; r++) {
            PREFETCH_TO_WRITE(to.c + (ulong)r * to.n);
            PREFETCH_TO_WRITE(to.c + (ulong)r * to.n + WIDTH);
        }
    }
    for (uint i = 0; i + 4 <= count; i += 4, a += 4 * MICRO_ROWS, values += 4 * PANEL)
#pragma unroll
        for (int t = 0; t < 4; t++)
            add_value(tile, a + t * MICRO_ROWS, values + t * PANEL, sum);
    for (uint i = count / 4 * 4; i < count; i++, a += MICRO_ROWS, values += PANEL)
        add_value(tile, a, values, sum);
    if (last && whole) {
#pragma unroll
        for (int r = 0; r < tile; r++)
            if ((uint)r < to.rows) {
                __global float *c = to.c + (ulong)r * to.n;
                write_vector(to.asked, sum[r][0], to.bias, 0, c);
                write_vector(to.asked, sum[r][1], to.bias + WIDTH, 0, c + WIDTH);
            }
        return;
    }
#pragma unroll
    for (int r = 0; r < tile; r++) {
        VF_PUT(sum[r][0], sums + r * PANEL);
        VF_PUT(sum[r][1], sums + r * PANEL + WIDTH);
    }
    for (uint r = 0; last && r < to.rows; r++)
        write_row(to.asked, sums + r * PANEL, to.bias, 0, to.columns, to.c + (ulong)r * to.n);
}

/* Functions of their own: in a kernel, PoCL keeps copies of the sums in memory. */
#define ADD_ROWS(name, tile)                                                                       \
    __attribute__((noinline)) void name(__global const float *a, const float *values, uint count,  \
                                        bool first, bool last, const results *to, float *sums)     \
    {                                                                                              \
        add_rows(tile, a, values, count, first, last, *to, sums);                                  \
    }
ADD_ROWS(add_tile, MICRO_ROWS)
ADD_ROWS(add_four_rows, 4)
ADD_ROWS(add_two_rows, 2)

/* `a`: as pack_rows left it. One work-item per (block of rows, panel); the panel counts fastest. */
__kernel void multiply(gemm p, __global const float *a, __global const number *b, uint b_at,
                       __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    float values[CHUNK * PANEL] ALIGNED, sums[ROWS * PANEL] ALIGNED;
    uint index = (uint)get_global_id(0), left = index % p.panels * PANEL;
    uint first = index / p.panels * p.rows, columns = min((uint)PANEL, p.n - left);
    if (first >= p.m)
        return;
    uint rows = min(p.rows, p.m - first);
    b = PLACE(b, b_at + (ulong)left * p.k);
    c += c_at + (ulong)first * p.n + left;
    results to = {.asked = {.bias = p.bias, .accumulate = p.accumulate, .ceiling = p.ceiling},
                  .n = p.n,
                  .columns = columns,
                  .bias = bias + bias_at + left};
    for (uint i = 0; columns < PANEL && i < CHUNK * PANEL; i += WIDTH)
        VF_PUT((vf)(0.0f), values + i);
    for (uint k = 0; k < p.k; k += CHUNK) {
        uint count = min((uint)CHUNK, p.k - k);
        bool begins = k == 0, ends = k + count == p.k;
        __global const float *chunk = a + (ulong)k * TILED(p.m) + first * count;
        ahead next = ahead_of(b, k + CHUNK, min((uint)CHUNK, p.k - k - count), columns,
                              (rows + MICRO_ROWS - 1) / MICRO_ROWS);
        turn_lines(b, p.k, k, count, columns, values);
        /* As many rows at a time as are left, but hardly any that are not. */
        for (uint r = 0, tile; r < rows; r += tile) {
            __global const float *from =
                chunk + r / MICRO_ROWS * MICRO_ROWS * count + r % MICRO_ROWS;
            float *of_tile = sums + r * PANEL;
            tile = rows - r + 1 >= MICRO_ROWS ? MICRO_ROWS : rows - r > 2 ? 4 : 2;
            to.rows = min(tile, rows - r);
            to.c = c + (ulong)r * p.n;
            ask(&next, p.k);
            if (tile == MICRO_ROWS)
                add_tile(from, values, count, begins, ends, &to, of_tile);
            else if (tile == 4)
                add_four_rows(from, values, count, begins, ends, &to, of_tile);
            else
                add_two_rows(from, values, count, begins, ends, &to, of_tile);
        }
    }
}
