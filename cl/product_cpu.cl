/* Matrix products by register tiles, without copies of the large operands: C = A B, where the rows
 * of A, B and C may lie anywhere that counting over a grid of pixels leads to. So a convolution is a
 * product too, whose rows are windows of a picture, and no columns are ever written.
 *
 * One work-item makes BLOCKS blocks of TILES register tiles, one below the other, of one panel of
 * columns; a register tile is MICRO_ROWS rows × 2 vectors. The depth goes by in chunks whose panel of B
 * stays in the first cache while the tiles of a block use it. */
#include "vector.clh"

#ifndef MICRO_ROWS
#error "define MICRO_ROWS: rows of a register tile"
#endif
#ifndef TILES
#error "define TILES: register tiles of a block"
#endif

#define PANEL (2 * WIDTH)
#define BLOCK (MICRO_ROWS * TILES)
#define CHUNK 128 /* of the depth */

/* Where row r begins: a row of a matrix, or a pixel of a batch of pictures. */
typedef struct grid {
    uint width, height;        /* pixels of a line, lines of a picture */
    uint pixel, line, picture; /* steps between them, in floats */
} grid;

typedef struct product {
    uint m, n, k;
    uint splits, depth;           /* pieces of k, each so deep; more than one: C is [splits,m,n] */
    uint blocks, groups;          /* blocks per work-item; work-items that the rows take */
    uint panels;                  /* of a span … */
    uint b_span, b_panel, b_step; /* … and the steps of B between spans, panels and along k */
    uint span, c_span;            /* columns of a span, and the step of C between spans */
    uint a_step;                  /* of A along k */
    /* k goes along lines of `length`, `lines` to a picture, with these steps: */
    uint length, lines, a_line, a_picture, b_line, b_picture;
    uint accumulate, bias, relu;
    grid a, c; /* the rows' places */
} product;

/* The places of `count` rows from `row` on; rows past the last are taken for the last. */
inline void place_rows(grid g, uint row, uint last, uint *places)
{
    uint x = row % g.width, rest = row / g.width;
    uint y = rest % g.height, picture = rest / g.height;
    uint at = picture * g.picture + y * g.line + x * g.pixel;
    for (uint r = 0; r < BLOCK; r++) {
        places[r] = at;
        if (row + r >= last)
            continue;
        at += g.pixel;
        if (++x == g.width) {
            x = 0;
            if (++y == g.height) {
                y = 0;
                picture++;
            }
            at = picture * g.picture + y * g.line;
        }
    }
}

/* One register tile: sums [MICRO_ROWS,PANEL] += A B over `count` values of k from `from` on. Not `wide`:
 * the first vector of the panel alone. */
__attribute__((always_inline)) inline void add_tile(const product *p, __global const float *a, const uint *places,
                     __global const float *b, uint from, uint count, const int wide, float *sums)
{
    vf sum[MICRO_ROWS][2];
    uint line = from / p->length, at = from % p->length;
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        sum[r][0] = VF_LOAD(sums + r * PANEL);
        if (wide)
            sum[r][1] = VF_LOAD(sums + r * PANEL + WIDTH);
    }
    for (; count; line++) {
        uint run = min(count, p->length - at), y = line % p->lines, picture = line / p->lines;
        __global const float *factors = a + (ulong)picture * p->a_picture + y * p->a_line;
        __global const float *values =
            b + (ulong)picture * p->b_picture + y * p->b_line + (ulong)at * p->b_step;
        factors += (ulong)at * p->a_step;
        for (uint i = 0; i < run; i++) {
            vf v0 = VF_LOAD(values), v1 = wide ? VF_LOAD(values + WIDTH) : v0;
#pragma unroll
            for (int r = 0; r < MICRO_ROWS; r++) {
                vf factor = (vf)(factors[places[r]]);
                sum[r][0] = FMA(factor, v0, sum[r][0]);
                if (wide)
                    sum[r][1] = FMA(factor, v1, sum[r][1]);
            }
            factors += p->a_step;
            values += p->b_step;
        }
        count -= run;
        at = 0;
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        VF_PUT(sum[r][0], sums + r * PANEL);
        if (wide)
            VF_PUT(sum[r][1], sums + r * PANEL + WIDTH);
    }
}

/* One row of results: `count` of them, at most a panel. */
inline void write_row(const product *p, const float *sums, __global const float *bias, uint count,
                      __global float *c)
{
    uint j = 0;
    for (; j + WIDTH <= count; j += WIDTH) {
        vf x = VF_LOAD(sums + j);
        if (p->bias)
            x += VF_LOAD(bias + j);
        if (p->accumulate)
            x += VF_LOAD(c + j);
        VF_STORE(p->relu ? max(x, (vf)(0.0f)) : x, c + j);
    }
    for (; j < count; j++) {
        float x = sums[j];
        if (p->bias)
            x += bias[j];
        if (p->accumulate)
            x += c[j];
        c[j] = p->relu ? max(x, 0.0f) : x;
    }
}

/* BLOCK rows from `row` on of one panel, `count` columns of it. */
inline void make_block(const product *p, __global const float *a, __global const float *b,
                       __global const float *bias, __global float *c, uint row, uint from, uint to,
                       uint count)
{
    uint places[BLOCK];
    float sums[BLOCK * PANEL] __attribute__((aligned(64)));
    uint rows = min((uint)BLOCK, p->m - row);
    place_rows(p->a, row, p->m - 1, places);
    for (uint i = 0; i < BLOCK * PANEL; i += WIDTH)
        VF_PUT((vf)(0.0f), sums + i);
    for (uint k = from; k < to; k += CHUNK)
        for (uint r = 0; r < rows; r += MICRO_ROWS) {
            uint depth = min((uint)CHUNK, to - k);
            if (count > WIDTH)
                add_tile(p, a, places + r, b, k, depth, 1, sums + r * PANEL);
            else
                add_tile(p, a, places + r, b, k, depth, 0, sums + r * PANEL);
        }
    place_rows(p->c, row, p->m - 1, places);
    for (uint r = 0; r < rows; r++)
        write_row(p, sums + r * PANEL, bias, count, c + places[r]);
}

/* One work-item per (split, group of blocks, panel), the panel counting fastest. */
__kernel void multiply(product p, __global const float *a, uint a_at, __global const float *b, uint b_at,
                       __global const float *bias, uint bias_at, __global float *c, uint c_at)
{
    uint index = (uint)get_global_id(0);
    uint all_panels = p.n / p.span * p.panels;
    uint panel = index % all_panels, group = index / all_panels % p.groups;
    uint split = index / all_panels / p.groups;
    if (split >= p.splits)
        return;
    uint span = panel / p.panels, left = panel % p.panels * PANEL;
    uint from = split * p.depth, to = min(p.k, from + p.depth);
    a += a_at;
    b += b_at + (ulong)span * p.b_span + (ulong)(panel % p.panels) * p.b_panel;
    bias += bias_at + (p.bias ? span * p.span + left : 0);
    c += c_at + (ulong)split * p.m * p.n + (ulong)span * p.c_span + left;
    for (uint i = 0; i < p.blocks; i++) {
        uint row = (group * p.blocks + i) * BLOCK;
        if (row < p.m)
            make_block(&p, a, b, bias, c, row, from, to, min((uint)PANEL, p.span - left));
    }
}
