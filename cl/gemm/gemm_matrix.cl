/* C = op(A) op(B) of many rows on a CPU by instructions that multiply matrices of bfloat16, 16 rows by 32 values of k
 * by 16 columns, and add in float32 (common/squares.clh).
 *
 * A_PARTS, B_PARTS: 1 where numbers are rounded to bfloat16 or are stored so; 2 for float16; 3 for float32.
 *
 * A is packed beforehand, [chunk, block of 32 rows, step, part, 2] squares. A work-item makes some blocks of some panels of 32
 * columns, by chunks of k; a panel's part of a chunk is packed into an array of one's own, which stays in the first cache
 * while it is multiplied with the blocks, and what A has of the chunk stays in the second for all panels. */
#include "common/common.clh"
#include "common/prefetch.clh"
#include "common/squares.clh"
#include "common/vector.clh"
#include "gemm/storage.clh"
#include "gemm/turn.clh"
#include "gemm/write_row.clh"

#ifndef BY_LOOPS
#error "define BY_LOOPS: 1 where loops stand in for the instructions"
#endif
#define PANEL 32  /* columns, two squares; so many rows are a block */
#define CHUNK 128 /* values of k between visits to the sums */
#define ROWS 512  /* of a work-item, at most … */
#define ACROSS 16 /* … and its panels */
#define ALIGNED __attribute__((aligned(64)))

/* Its twin is matrix_gemm in src/library/gemm/gemm_matrix.c. */
typedef struct gemm {
    uint m, n, k;
    uint rows, panels, each; /* of a work-item; that the columns take; of them for a work-item */
    uint a_columns, b_lines; /* A is stored [k,m]; B [n,k] */
    uint packed;             /* B is in squares */
    uint accumulate, bias;
    float ceiling;
} gemm;

FOR_PROCESSOR("avx512bf16,amx-tile,amx-bf16")

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
    uint apart;         /* from a line of B to the next */
    uint lines, across; /* of B; lines of memory that each takes */
    uint each, done;    /* lines of memory asked for at a time, and so far */
} ahead;

inline ahead ahead_of(const gemm *p, __global const number *b, ulong b_at, uint panel, uint k,
                      uint turns)
{
    uint left = panel * PANEL, columns = min((uint)PANEL, p->n - left);
    uint count = k < p->k ? min((uint)CHUNK, p->k - k) : 0;
    uint lines = p->b_lines ? columns : count, numbers = p->b_lines ? count : columns;
    uint across = (numbers + MOST_OF_A_LINE - 1) / MOST_OF_A_LINE;
    ulong at = b_at + (p->b_lines ? (ulong)left * p->k + k : (ulong)k * p->n + left);
    return (ahead){
        b, at, p->b_lines ? p->k : p->n, lines, across, (lines * across + turns - 1) / turns, 0};
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
                add_block((const uint *)(ulong)(a + place_of_chunk(&p, k, (first + r) / PANEL)),
                          of_b, STEPS_OF(count), k == 0, of_panel + r * PANEL, PANEL);
            }
        }
    }
    end_squares();
    for (uint r = 0; r < rows; r++) /* along lines of memory */
        for (uint panel = begin; panel < end; panel++) {
            uint left = panel * PANEL, columns = min((uint)PANEL, p.n - left);
            write_row(asked, sums + ((panel - begin) * ROWS + r) * PANEL, bias + bias_at + left, 0,
                      columns, c + (ulong)r * p.n + left);
        }
}
