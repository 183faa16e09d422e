/* Matrix products C = A B by register tiles of MICRO_ROWS rows × 2 vectors. The rows of the
 * operands lie wherever counting over a grid of pixels leads: so a convolution is a product too,
 * whose rows are windows of a picture, and its columns are never written down.
 *
 * One work-item makes blocks of up to TILES register tiles, one below the other, of one panel of
 * columns, or of up to ACROSS where both operands are copied: the copies serve all of them. The
 * depth k is cut into chunks, whose part of B stays in the first cache while the tiles use it.
 */
#include "common/common.clh"
#include "common/vector.clh"
#include "gemm/write_row.clh"

#ifndef MICRO_ROWS
#error "define MICRO_ROWS: rows of a register tile"
#endif
#ifndef TILES
#error "define TILES: most register tiles of a block"
#endif
#ifndef ACROSS
#error "define ACROSS: most panels of a work-item"
#endif
#ifndef CHUNK
#error "define CHUNK: values of k between visits to a block's sums"
#endif

#define PANEL (2 * WIDTH)
#define BLOCK (MICRO_ROWS * TILES)
/* Rows of A that are copied together: whole vectors and whole register tiles. */
#define STRIP (PANEL % MICRO_ROWS ? 4 * MICRO_ROWS : PANEL > MICRO_ROWS ? PANEL : MICRO_ROWS)
#define STRIPS ((BLOCK + STRIP - 1) / STRIP)
#define ALIGNED __attribute__((aligned(64)))

/* The place where row r = (picture, y, x) begins, in floats: a row of a matrix, or a pixel. */
typedef struct grid {
    uint width, height;
    uint pixel, line, picture;
} grid;

/* The steps of an operand as k goes along. */
typedef struct walk {
    uint step, line, picture;
} walk;

typedef struct gemm {
    uint m, n, k;
    uint splits, depth;   /* pieces of k, each so deep; more than one: C is [splits,m,n] */
    uint rows;            /* of a block, a multiple of MICRO_ROWS, at most BLOCK */
    uint blocks, groups;  /* blocks per work-item; work-items that the rows take */
    uint span, panels;    /* columns lie in spans, each having so many panels … */
    uint each;            /* … of which a work-item takes so many, of one span or several */
    uint b_span, b_panel; /* … with these steps in B … */
    uint c_span;          /* … and in C */
    uint length, lines;   /* k goes along lines of `length`, `lines` to a picture */
    uint accumulate, bias, masked;
    float ceiling;
    walk along_a, along_b;
    grid a, c, mask; /* places of the rows */
} gemm;

/* The part of the product that a work-item makes. */
typedef struct share {
    uint group, split;
    uint panel, end; /* of all panels, span by span */
    uint from, to;   /* of k */
} share;

/* The panels count fastest. */
inline share share_of(const gemm *p)
{
    uint index = (uint)get_global_id(0), panels = p->n / p->span * p->panels;
    uint across = (panels + p->each - 1) / p->each;
    share s;
    s.panel = index % across * p->each;
    s.end = min(panels, s.panel + p->each);
    s.group = index / across % p->groups;
    s.split = index / across / p->groups;
    s.from = s.split * p->depth;
    s.to = min(p->k, s.from + p->depth);
    return s;
}

inline uint columns_of(const gemm *p, uint panel)
{
    return min((uint)PANEL, p->span - panel % p->panels * PANEL);
}

/* Where a panel of B begins. */
inline ulong panel_at(const gemm *p, uint panel)
{
    return (ulong)(panel / p->panels) * p->b_span + (ulong)(panel % p->panels) * p->b_panel;
}

/* The places of `count` rows from `row` on; rows past the last are taken for the last. */
inline void place_rows(grid g, uint row, uint count, uint last, uint *places)
{
    uint x = row % g.width, y = row / g.width % g.height, picture = row / g.width / g.height;
    uint at = picture * g.picture + y * g.line + x * g.pixel;
    for (uint r = 0; r < count; r++) {
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

/* A register tile and its place in sums [BLOCK,PANEL], which are zero before the first values of k.
 * Not `wide`: the first vector alone. */
ALWAYS_INLINE void take_tile(const float *sums, const int wide, uint first, vf sum[MICRO_ROWS][2])
{
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        sum[r][0] = first ? (vf)(0.0f) : VF_LOAD(sums + r * PANEL);
        if (wide)
            sum[r][1] = first ? (vf)(0.0f) : VF_LOAD(sums + r * PANEL + WIDTH);
    }
}

ALWAYS_INLINE void put_tile(vf sum[MICRO_ROWS][2], const int wide, float *sums)
{
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        VF_PUT(sum[r][0], sums + r * PANEL);
        if (wide)
            VF_PUT(sum[r][1], sums + r * PANEL + WIDTH);
    }
}

/* sums += A B over `count` values of k from `from` on; B is packed, b [count,PANEL]. */
ALWAYS_INLINE void add_rows(const gemm *p, __global const float *a, const uint *places,
                            __global const float *b, uint from, uint count, uint first,
                            const int wide, float *sums)
{
    vf sum[MICRO_ROWS][2];
    uint at = from % p->length;
    __global const float *line = a + (ulong)(from / p->length) * p->along_a.line;
    take_tile(sums, wide, first, sum);
    for (; count; line += p->along_a.line) {
        uint run = min(count, p->length - at);
        __global const float *factors = line + at;
        for (uint i = 0; i < run; i++) {
            vf v0 = VF_LOAD(b), v1 = wide ? VF_LOAD(b + WIDTH) : v0;
#pragma unroll
            for (int r = 0; r < MICRO_ROWS; r++) {
                vf factor = (vf)(factors[places[r]]);
                sum[r][0] = FMA(factor, v0, sum[r][0]);
                if (wide)
                    sum[r][1] = FMA(factor, v1, sum[r][1]);
            }
            factors++;
            b += PANEL;
        }
        count -= run;
        at = 0;
    }
    put_tile(sum, wide, sums);
}

/* The same for a [count,STRIP] and b [count,PANEL] of one's own. */
ALWAYS_INLINE void add_columns(const float *a, const float *b, uint count, uint first,
                               const int wide, float *sums)
{
    vf sum[MICRO_ROWS][2];
    take_tile(sums, wide, first, sum);
    for (uint i = 0; i < count; i++) {
        vf v0 = VF_LOAD(b), v1 = wide ? VF_LOAD(b + WIDTH) : v0;
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            vf factor = (vf)(a[r]);
            sum[r][0] = FMA(factor, v0, sum[r][0]);
            if (wide)
                sum[r][1] = FMA(factor, v1, sum[r][1]);
        }
        a += STRIP;
        b += PANEL;
    }
    put_tile(sum, wide, sums);
}

typedef float8 float8_unaligned __attribute__((aligned(4)));

/* `columns` floats of a row → copies [·,CHUNK,across], side by side. */
ALWAYS_INLINE void copy_row(__global const float *row, uint columns, const uint across,
                            float *copies)
{
    uint j = 0;
    for (; j + across <= columns; j += across, copies += CHUNK * across)
#pragma unroll
        for (uint i = 0; i < across; i += WIDTH)
            VF_PUT(VF_LOAD(row + j + i), copies + i);
    for (; j + WIDTH <= columns; j += WIDTH, copies += WIDTH)
        VF_PUT(VF_LOAD(row + j), copies);
#if WIDTH > 8
    if (j + 8 <= columns) {
        *(float8_unaligned *)copies = *(__global const float8_unaligned *)(row + j);
        copies += 8;
        j += 8;
    }
#endif
    for (; j < columns; j++)
        *copies++ = row[j];
}

/* A block's rows of the mask [BLOCK,PANEL]: all of them in one go, for they come from far. */
inline void read_mask(const gemm *p, uint panel, uint row, uint count, __global const float *mask,
                      float *copies)
{
    uint places[BLOCK], left = panel % p->panels * PANEL, columns = columns_of(p, panel);
    place_rows(p->mask, row, count, p->m - 1, places);
    for (uint r = 0; r < count; r++)
        copy_row(mask + places[r] + left, columns, PANEL, copies + r * PANEL);
}

/* Rows `row` … of a block, `count` of them. */
inline void write_block(const gemm *p, const share *s, uint panel, uint row, uint count,
                        const float *sums, __global const float *bias, const float *mask,
                        __global float *c)
{
    uint places[BLOCK], span = panel / p->panels, left = panel % p->panels * PANEL;
    uint columns = columns_of(p, panel);
    place_rows(p->c, row, count, p->m - 1, places);
    c += (ulong)s->split * p->m * p->n + (ulong)span * p->c_span + left;
    bias += p->bias ? span * p->span + left : 0;
    const extras asked = {p->bias, p->accumulate, p->masked, p->ceiling};
    for (uint r = 0; r < count; r++)
        write_row(asked, sums + r * PANEL, bias, mask + r * PANEL, columns, c + places[r]);
}

inline void clear(float *x, uint count)
{
    for (uint i = 0; i < count; i += WIDTH)
        VF_PUT((vf)(0.0f), x + i);
}

/* A's rows lie along k, B is packed into panels [panels,k,PANEL]. One work-item per (split, group
 * of blocks, panel). */
__kernel void multiply_rows(gemm p, __global const float *a, uint a_at, __global const float *b,
                            uint b_at, __global const float *bias, uint bias_at,
                            __global const float *mask, uint mask_at, __global float *c, uint c_at)
{
    uint places[BLOCK];
    float sums[BLOCK * PANEL] ALIGNED, masks[BLOCK * PANEL] ALIGNED;
    share s = share_of(&p);
    if (s.split >= p.splits)
        return;
    b += b_at + panel_at(&p, s.panel);
    uint end = min(p.m, (s.group + 1) * p.blocks * p.rows), columns = columns_of(&p, s.panel);
    for (uint row = s.group * p.blocks * p.rows; row < end; row += p.rows) {
        uint rows = min(p.rows, p.m - row);
        place_rows(p.a, row, p.rows, p.m - 1, places);
        if (p.masked)
            read_mask(&p, s.panel, row, rows, mask + mask_at, masks);
        for (uint k = s.from; k < s.to; k += CHUNK)
            for (uint r = 0; r < rows; r += MICRO_ROWS) {
                uint count = min((uint)CHUNK, s.to - k), first = k == s.from;
                __global const float *values = b + (ulong)k * PANEL;
                float *to = sums + r * PANEL;
                if (columns > WIDTH)
                    add_rows(&p, a + a_at, places + r, values, k, count, first, 1, to);
                else
                    add_rows(&p, a + a_at, places + r, values, k, count, first, 0, to);
            }
        write_block(&p, &s, s.panel, row, rows, sums, bias + bias_at, masks, c + c_at);
    }
}

/* `columns` floats at each of `count` values of k from `from` on. */
ALWAYS_INLINE void copy_chunk(const gemm *p, walk w, __global const float *x, uint from, uint count,
                              uint columns, const uint across, float *copies)
{
    uint at = from % p->length, line = from / p->length;
    uint y = line % p->lines, picture = line / p->lines;
    while (count) {
        uint run = min(count, p->length - at);
        __global const float *row =
            x + (ulong)picture * w.picture + (ulong)y * w.line + (ulong)at * w.step;
        for (uint i = 0; i < run; i++, row += w.step, copies += across)
            copy_row(row, columns, across, copies);
        count -= run;
        at = 0;
        if (++y == p->lines) {
            y = 0;
            picture++;
        }
    }
}

/* One past the panels adjacent to `panel` in every row of B: they are copied in one go, for a row is
 * then read once, from its first number to its last. */
inline uint neighbours_end(const gemm *p, uint panel)
{
    return p->b_panel == PANEL ? (panel / p->panels + 1) * p->panels : panel + 1;
}

/* sums [BLOCK,PANEL] of one panel += strips of A times its chunk. */
inline void add_block(const float *factors, const float *values, uint rows, uint columns,
                      uint count, uint first, float *sums)
{
    for (uint r = 0; r < rows; r += MICRO_ROWS) {
        const float *strip = factors + r / STRIP * STRIP * CHUNK + r % STRIP;
        if (columns > WIDTH)
            add_columns(strip, values, count, first, 1, sums + r * PANEL);
        else
            add_columns(strip, values, count, first, 0, sums + r * PANEL);
    }
}

/* A is stored [k,m]: a gradient of weights, where k goes over all pixels. B's rows lie along n.
 * Both are copied chunk by chunk, for what is far apart in memory falls into the same few lines of
 * the first cache. One work-item per (split, group of blocks, panels). */
__kernel void multiply_columns(gemm p, __global const float *a, uint a_at, __global const float *b,
                               uint b_at, __global const float *bias, uint bias_at,
                               __global const float *mask, uint mask_at, __global float *c,
                               uint c_at)
{
    float sums[ACROSS * BLOCK * PANEL] ALIGNED, factors[STRIPS * CHUNK * STRIP] ALIGNED;
    float values[ACROSS * CHUNK * PANEL] ALIGNED, masks[BLOCK * PANEL] ALIGNED;
    share s = share_of(&p);
    if (s.split >= p.splits)
        return;
    if (p.m % MICRO_ROWS) /* what lies past the last row stays 0 … */
        clear(factors, STRIPS * CHUNK * STRIP);
    if (p.span % WIDTH) /* … or column */
        clear(values, ACROSS * CHUNK * PANEL);
    uint end = min(p.m, (s.group + 1) * p.blocks * p.rows);
    for (uint row = s.group * p.blocks * p.rows; row < end; row += p.rows) {
        uint rows = min(p.rows, p.m - row);
        for (uint k = s.from; k < s.to; k += CHUNK) {
            uint count = min((uint)CHUNK, s.to - k), first = k == s.from;
            copy_chunk(&p, p.along_a, a + a_at + row, k, count, rows, STRIP, factors);
            for (uint panel = s.panel, end; panel < s.end; panel = end) {
                end = min(s.end, neighbours_end(&p, panel));
                copy_chunk(&p, p.along_b, b + b_at + panel_at(&p, panel), k, count,
                           (end - panel - 1) * PANEL + columns_of(&p, end - 1), PANEL, values);
                for (uint i = panel; i < end; i++)
                    add_block(factors, values + (i - panel) * CHUNK * PANEL, rows,
                              columns_of(&p, i), count, first,
                              sums + (i - s.panel) * BLOCK * PANEL);
            }
        }
        for (uint panel = s.panel; panel < s.end; panel++) {
            if (p.masked)
                read_mask(&p, panel, row, rows, mask + mask_at, masks);
            write_block(&p, &s, panel, row, rows, sums + (panel - s.panel) * BLOCK * PANEL,
                        bias + bias_at, masks, c + c_at);
        }
    }
}
