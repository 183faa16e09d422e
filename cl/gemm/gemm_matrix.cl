/* C = op(A) op(B) of many rows on a CPU by instructions that multiply matrices of bfloat16, 16 rows by 32 values of k
 * by 16 columns, and add in float32 (Intel's AMX). They multiply so many more numbers than vectors do that float32
 * gains by them, too: it is cut into three numbers of bfloat16, which have its 24 bits, and six of the nine products of
 * such parts are made. The other three are below 2⁻²⁶ of the whole (Henry, Tang and Heinecke 2019, "Leveraging the
 * bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations").
 *
 * A_PARTS, B_PARTS: 1 where numbers are rounded to bfloat16 or are stored so; 2 for float16; 3 for float32.
 *
 * A is packed beforehand, [chunk, block of 32 rows, step, part, 2] squares. A work-item makes some blocks of some panels of 32
 * columns, by chunks of k; a panel's part of a chunk is packed into an array of one's own, which stays in the first cache
 * while it is multiplied with the blocks, and what A has of the chunk stays in the second for all panels. An infinity, and what
 * bfloat16 rounds to one, becomes a NaN where there are parts. */
#include "common/bfloat16.clh"
#include "common/common.clh"
#include "common/prefetch.clh"
#include "common/vector.clh"
#include "gemm/storage.clh"
#include "gemm/turn.clh"
#include "gemm/write_row.clh"

#ifndef BY_LOOPS
#error "define BY_LOOPS: 1 where loops stand in for the instructions"
#endif
#if !defined(A_PARTS) || !defined(B_PARTS)
#error "define A_PARTS and B_PARTS: numbers of bfloat16 that a number of A and of B is cut into, 1 to 3"
#endif

#define PARTS (A_PARTS > B_PARTS ? A_PARTS : B_PARTS)
#define SIDE 16   /* rows of a square; pairs of k in each */
#define STEP 32   /* values of k */
#define PANEL 32  /* columns, two squares; so many rows are a block */
#define CHUNK 128 /* values of k between visits to the sums */
#define ROWS 384  /* of a work-item, at most … */
#define ACROSS 8  /* … and its panels */
#define SQUARE (SIDE * SIDE)
#define STEPS_OF(k) (((k) + STEP - 1) / STEP)
#define ALIGNED __attribute__((aligned(64)))

/* Its twin is matrix_gemm in src/library/gemm/gemm_matrix.c. */
typedef struct gemm {
    uint m, n, k;
    uint rows, panels, each; /* of a work-item; that the columns take; of them for a work-item */
    uint a_columns, b_lines; /* A is stored [k,m]; B [n,k] */
    uint packed; /* B is in squares */
    uint accumulate, bias;
    float ceiling;
} gemm;

FOR_PROCESSOR("avx512bf16,amx-tile,amx-bf16")

/* Of each lane the pair (first, second), for each part. Value t of a step is paired with value t + 16. */
ALWAYS_INLINE void cut_pairs(vf first, vf second, const int parts, vu *pairs)
{
    if (parts == 1) {
        pairs[0] = round_lanes(first, second);
        return;
    }
#pragma unroll
    for (int p = 0; p < parts; p++) {
        vu low = VU_BITS(first), high = VU_BITS(second);
        if (p < 2) { /* of what is left after two, nothing is lost */
            low += 0x8000;
            high += 0x8000;
        }
        low &= 0xFFFF0000u;
        high &= 0xFFFF0000u;
        pairs[p] = low >> 16 | high;
        first -= VF_FROM_BITS(low);
        second -= VF_FROM_BITS(high);
    }
}

ALWAYS_INLINE vf some_floats(__global const float *x, uint count)
{
    float lanes[WIDTH];
    if (count >= WIDTH)
        return VF_TAKE(x);
    for (uint n = 0; n < WIDTH; n++)
        lanes[n] = n < count ? x[n] : 0.0f;
    return VF_LOAD(lanes);
}

/* lines [16,16] → columns [16,16]. */
ALWAYS_INLINE void turn(const uint *lines, uint *columns)
{
#pragma unroll
    for (int l = 0; l < SIDE; l += 8)
#pragma unroll
        for (int t = 0; t < SIDE; t += 4) {
            float8 x[4], turned[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint *four = lines + (l + i) * SIDE + t;
                x[i] = as_float8((uint8)(vload4(0, four), vload4(0, four + 4 * SIDE)));
            }
            turn_square(x[0], x[1], x[2], x[3], turned);
#pragma unroll
            for (int i = 0; i < 4; i++)
                vstore8(as_uint8(turned[i]), 0, columns + (t + i) * SIDE + l);
        }
}

/* 16 lines of x that lie along k, `apart` from each other, of which there are `lines`; `count` values of k → of each
 * part a square [16 lines,16 pairs], PANEL * SIDE apart. What is missing is 0. */
#define CUT_LINES(name, type, some, parts)                                                         \
    OWN void name(__global const type *x, ulong from, ulong apart, uint lines, uint count,         \
                  uint *squares)                                                                   \
    {                                                                                              \
        for (uint l = 0; l < SIDE; l++, from += apart) {                                           \
            vu pairs[parts];                                                                       \
            vf first = (vf)(0.0f), second = (vf)(0.0f);                                            \
            if (l < lines) {                                                                       \
                first = some(x, from, count);                                                      \
                if (count > SIDE)                                                                  \
                    second = some(x, from + SIDE, count - SIDE);                                   \
            }                                                                                      \
            cut_pairs(first, second, parts, pairs);                                                \
            _Pragma("unroll") for (int p = 0; p < parts; p++)                                      \
                VU_PUT(pairs[p], squares + p * 2 * SQUARE + l * SIDE);                             \
        }                                                                                          \
    }
#define FLOATS_AT(x, i, count) some_floats((x) + (i), count)
CUT_LINES(cut_lines_of_a, float, FLOATS_AT, A_PARTS)
CUT_LINES(cut_lines_of_b, number, some_numbers, B_PARTS)

/* The same of x that lies across k: lines of k, `apart` from each other, of which there are `count`, with `columns`
 * numbers → [16 pairs,16 columns]. */
#define CUT_COLUMNS(name, type, some, parts)                                                       \
    OWN void name(__global const type *x, ulong from, ulong apart, uint columns, uint count,       \
                  uint *squares)                                                                   \
    {                                                                                              \
        for (uint t = 0; t < SIDE; t++, from += apart) {                                           \
            vu pairs[parts];                                                                       \
            vf first = (vf)(0.0f), second = (vf)(0.0f);                                            \
            if (t < count)                                                                         \
                first = some(x, from, columns);                                                    \
            if (t + SIDE < count)                                                                  \
                second = some(x, from + SIDE * apart, columns);                                    \
            cut_pairs(first, second, parts, pairs);                                                \
            _Pragma("unroll") for (int p = 0; p < parts; p++)                                      \
                VU_PUT(pairs[p], squares + p * 2 * SQUARE + t * SIDE);                             \
        }                                                                                          \
    }
CUT_COLUMNS(cut_columns_of_a, float, FLOATS_AT, A_PARTS)
CUT_COLUMNS(cut_columns_of_b, number, some_numbers, B_PARTS)

OWN void turn_squares(const uint *lines, const int parts, uint *squares)
{
    for (int p = 0; p < parts; p++)
        turn(lines + p * 2 * SQUARE, squares + p * 2 * SQUARE);
}

#if BY_LOOPS
inline void begin_squares(void)
{
}

inline void end_squares(void)
{
}

/* Adds 16 rows times 16 columns of one part each. */
inline void add_square(const uint *a, const uint *b, float *sums)
{
    for (uint r = 0; r < SIDE; r++)
        for (uint t = 0; t < SIDE; t++) {
            uint pair = a[r * SIDE + t];
            for (uint c = 0; c < SIDE; c++)
                sums[r * PANEL + c] +=
                    as_float(pair << 16) * as_float(b[t * SIDE + c] << 16) +
                    as_float(pair & 0xFFFF0000u) * as_float(b[t * SIDE + c] & 0xFFFF0000u);
        }
}

inline void add_block(__global const uint *a, const uint *b, uint steps, bool sixteen, bool first,
                      float *sums)
{
    uint squares[2 * SQUARE];
    for (uint i = 0; first && i < PANEL * PANEL; i++)
        sums[i] = 0.0f;
    for (uint s = 0; s < steps; s++)
        for (int i = A_PARTS - 1; i >= 0; i--) {
            for (uint n = 0; n < 2 * SQUARE; n++)
                squares[n] = a[(s * A_PARTS + i) * 2 * SQUARE + n];
            for (int j = min(B_PARTS, PARTS - i) - 1; j >= 0; j--)
                for (uint n = 0; n < 4; n++)
                    if (n < 2 || !sixteen)
                        add_square(squares + n / 2 * SQUARE,
                                   b + ((s * B_PARTS + j) * 2 + n % 2) * SQUARE,
                                   sums + n / 2 * SIDE * PANEL + n % 2 * SIDE);
        }
}
#else
/* Eight registers, each a square of 16 lines of 64 bytes. */
OWN void begin_squares(void)
{
    uchar layout[64] ALIGNED = {1};
    for (int i = 0; i < 8; i++) {
        layout[16 + 2 * i] = 64;
        layout[48 + i] = SIDE;
    }
    __builtin_ia32_tile_loadconfig(layout);
}

OWN void end_squares(void)
{
    __builtin_ia32_tilerelease();
}

#define LOAD(at, from, line) __builtin_ia32_tileloadd64(at, from, line)
#define STORE(at, to) __builtin_ia32_tilestored64(at, to, PANEL * sizeof(float))
#define ADD(sum, a, b) __builtin_ia32_tdpbf16ps(sum, a, b)

#define LOAD_A(part)                                                                               \
    LOAD(4, a + part * 2 * SQUARE, 64);                                                            \
    LOAD(5, a + part * 2 * SQUARE + SQUARE, 64)
#define LOAD_B(part)                                                                               \
    LOAD(6, b + part * 2 * SQUARE, 64);                                                            \
    LOAD(7, b + part * 2 * SQUARE + SQUARE, 64)
#define ADD_SQUARES                                                                                \
    ADD(0, 4, 6);                                                                                  \
    ADD(1, 4, 7);                                                                                  \
    ADD(2, 5, 6);                                                                                  \
    ADD(3, 5, 7)

/* sums [32,PANEL] += a block's squares [steps,A_PARTS,2], times a panel's [steps,B_PARTS,2]; `first`: =. In an order in
 * which the next product shares an operand with the one before. `sixteen`: rows, not 32. */
OWN void add_block(__global const uint *squares, const uint *b, uint steps, bool sixteen, bool first,
                   float *sums)
{
    const uint *a = (const uint *)(ulong)squares;
    float *below = sums + SIDE * PANEL;
    if (first) {
        __builtin_ia32_tilezero(0);
        __builtin_ia32_tilezero(1);
        __builtin_ia32_tilezero(2);
        __builtin_ia32_tilezero(3);
    } else {
        LOAD(0, sums, PANEL * sizeof(float));
        LOAD(1, sums + SIDE, PANEL * sizeof(float));
        LOAD(2, below, PANEL * sizeof(float));
        LOAD(3, below + SIDE, PANEL * sizeof(float));
    }
    for (; steps; steps--, a += A_PARTS * 2 * SQUARE, b += B_PARTS * 2 * SQUARE) {
#if A_PARTS == 3
        LOAD_A(2);
        LOAD_B(0);
        ADD_SQUARES;
        LOAD_A(1);
        ADD_SQUARES;
#if B_PARTS > 1
        LOAD_B(1);
        ADD_SQUARES;
#endif
        LOAD_A(0);
#if B_PARTS > 1
        ADD_SQUARES;
#if B_PARTS > 2
        LOAD_B(2);
        ADD_SQUARES;
#endif
        LOAD_B(0);
#endif
        ADD_SQUARES;
#else
        LOAD_A(0);
        LOAD_B(0);
        ADD_SQUARES;
#endif
    }
    STORE(0, sums);
    STORE(1, sums + SIDE);
    STORE(2, below);
    STORE(3, below + SIDE);
}
#endif

END_PROCESSOR

/* Where the squares of a block's chunk of k begin, which begins at k. */
inline ulong place_of_chunk(const gemm *p, uint k, uint block)
{
    ulong before = (ulong)(k / STEP) * ((p->m + PANEL - 1) / PANEL);
    return (before + block * STEPS_OF(min((uint)CHUNK, p->k - k))) * A_PARTS * 2 * SQUARE;
}

/* One work-item per block of 32 rows. */
__kernel void pack_rows(gemm p, __global const float *a, uint a_at, __global uint *packed)
{
    uint cut[A_PARTS * 2 * SQUARE] ALIGNED, turned[A_PARTS * 2 * SQUARE] ALIGNED;
    uint first = (uint)get_global_id(0) * PANEL;
    if (first >= p.m)
        return;
    a += a_at;
    for (uint k = 0; k < p.k; k += STEP) {
        for (uint h = 0; h < 2; h++) {
            uint row = first + h * SIDE, rows = row < p.m ? p.m - row : 0;
            if (p.a_columns) {
                cut_columns_of_a(a, (ulong)k * p.m + min(row, p.m - 1), p.m, rows,
                                 rows ? p.k - k : 0, turned + h * SQUARE);
                turn_squares(turned + h * SQUARE, A_PARTS, cut + h * SQUARE);
            } else {
                cut_lines_of_a(a, (ulong)row * p.k + k, p.k, rows, p.k - k, cut + h * SQUARE);
            }
        }
        __global uint *squares = packed + place_of_chunk(&p, k / CHUNK * CHUNK, first / PANEL) +
                                 k % CHUNK / STEP * A_PARTS * 2 * SQUARE;
        for (uint i = 0; i < A_PARTS * 2 * SQUARE; i += WIDTH)
            *(__global vu_unaligned *)(squares + i) = VU_LOAD(cut + i);
    }
}

/* A chunk of `count` values of k, from k on, of a panel of B → squares [steps,B_PARTS,2]. */
inline void pack_panel(const gemm *p, __global const number *b, ulong b_at, uint left, uint k,
                       uint count, uint *squares)
{
    uint lines[B_PARTS * 2 * SQUARE] ALIGNED;
    for (uint s = 0; s < count; s += STEP, squares += B_PARTS * 2 * SQUARE)
        for (uint h = 0; h < 2; h++) {
            uint column = left + h * SIDE, columns = column < p->n ? p->n - column : 0;
            ulong line = min(column, p->n - 1);
            if (p->b_lines) {
                cut_lines_of_b(b, b_at + line * p->k + k + s, p->k, columns, count - s, lines);
                turn_squares(lines, B_PARTS, squares + h * SQUARE);
            } else {
                cut_columns_of_b(b, b_at + (ulong)(k + s) * p->n + line, p->n, columns,
                                 columns ? count - s : 0, squares + h * SQUARE);
            }
        }
}

/* Where a panel's squares of a chunk begin, [panel,steps,B_PARTS,2], in a B that was packed before. */
inline ulong place_of_panel(const gemm *p, uint panel, uint k)
{
    return ((ulong)panel * STEPS_OF(p->k) + k / STEP) * B_PARTS * 2 * SQUARE;
}

/* One work-item per (panel, chunk). */
__kernel void pack_panels(gemm p, __global const number *b, uint b_at, __global uint *packed,
                          uint packed_at)
{
    uint chunks = (p.k + CHUNK - 1) / CHUNK, index = (uint)get_global_id(0);
    uint panel = index / chunks, k = index % chunks * CHUNK;
    if (panel >= p.panels)
        return;
    packed += packed_at + place_of_panel(&p, panel, k);
    pack_panel(&p, b, b_at, panel * PANEL, k, min((uint)CHUNK, p.k - k), (uint *)(ulong)packed);
}

/* What is packed of B next, asked for a little at a time while blocks are multiplied: it lies far apart, and a
 * processor would wait for each of its lines of memory. */
typedef struct ahead {
    __global const number *b;
    ulong at;
    uint apart;               /* from a line of B to the next */
    uint lines, across;       /* of B; lines of memory that each takes */
    uint each, done;          /* lines of memory asked for at a time, and so far */
} ahead;

inline ahead ahead_of(const gemm *p, __global const number *b, ulong b_at, uint panel, uint k,
                      uint turns)
{
    uint left = panel * PANEL, columns = min((uint)PANEL, p->n - left);
    uint count = k < p->k ? min((uint)CHUNK, p->k - k) : 0;
    uint lines = p->b_lines ? columns : count, numbers = p->b_lines ? count : columns;
    uint across = (numbers + MOST_OF_A_LINE - 1) / MOST_OF_A_LINE;
    ulong at = b_at + (p->b_lines ? (ulong)left * p->k + k : (ulong)k * p->n + left);
    return (ahead){b, at, p->b_lines ? p->k : p->n, lines, across, (lines * across + turns - 1) / turns, 0};
}

inline void ask(ahead *next)
{
    uint end = min(next->lines * next->across, next->done + next->each);
    for (; next->done < end; next->done++)
        PREFETCH_FAR(ADDRESS(next->b, next->at + (ulong)(next->done / next->across) * next->apart +
                                      next->done % next->across * MOST_OF_A_LINE));
}

/* `a`: as pack_rows left it; b where it is packed: as pack_panels did. One work-item per (group of blocks, panels); the panels count fastest. */
__kernel void multiply(gemm p, __global const uint *a, __global const number *b, uint b_at,
                       __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    uint squares[CHUNK / 2 * PANEL * B_PARTS] ALIGNED;
    float sums[ACROSS * ROWS * PANEL] ALIGNED;
    const extras asked = {.bias = p.bias, .accumulate = p.accumulate, .ceiling = p.ceiling};
    uint across = (p.panels + p.each - 1) / p.each, index = (uint)get_global_id(0);
    uint begin = index % across * p.each, end = min(begin + p.each, p.panels);
    uint first = index / across * p.rows;
    if (first >= p.m)
        return;
    uint rows = min(p.rows, p.m - first);
    c += c_at + (ulong)first * p.n;
    begin_squares();
    for (uint k = 0; k < p.k; k += CHUNK) {
        uint count = min((uint)CHUNK, p.k - k);
        for (uint panel = begin; panel < end; panel++) {
            float *of_panel = sums + (panel - begin) * ROWS * PANEL;
            bool last = panel + 1 == end;
            const uint *of_b = squares;
            ahead next = ahead_of(&p, b, b_at, last ? begin : panel + 1, last ? k + CHUNK : k,
                                  (rows + PANEL - 1) / PANEL);
            if (p.packed)
                of_b = (const uint *)(ulong)(b + b_at) + place_of_panel(&p, panel, k);
            else
                pack_panel(&p, b, b_at, panel * PANEL, k, count, squares);
            for (uint r = 0; r < rows; r += PANEL) {
                if (!p.packed)
                    ask(&next);
                add_block(a + place_of_chunk(&p, k, (first + r) / PANEL), of_b, STEPS_OF(count),
                          rows - r <= SIDE, k == 0, of_panel + r * PANEL);
            }
            uint left = panel * PANEL, columns = min((uint)PANEL, p.n - left);
            for (uint r = 0; k + count == p.k && r < rows; r++)
                write_row(asked, of_panel + r * PANEL, bias + bias_at + left, 0, columns,
                          c + (ulong)r * p.n + left);
        }
    }
    end_squares();
}
