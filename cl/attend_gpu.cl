/* Attention on a GPU: a group of 16 × 16 work-items per tile of 64 queries. For each panel of 64 keys
 *   1. the scores, 4 × 4 per work-item, from slices of queries and keys staged in local memory;
 *   2. the online softmax on the tile in local memory, four work-items to a row;
 *   3. weights · values, 4 queries × COLUMNS columns per work-item, values staged likewise.
 * Nothing of a vendor's own is needed: a work-item keeps under 512 bytes, a group 29 KiB. There is a
 * barrier before and after each use of a staged slice. */
#include "problem.clh"
#include "extent.clh"
#include "vector.clh"
#include "philox.clh"
#include "score.clh"
#include "masks.clh"

#ifndef TILE_ROWS
#error "define TILE_ROWS: queries per group, 64"
#endif
#ifndef BLOCK_KEYS
#error "define BLOCK_KEYS: keys per panel, 64"
#endif
#ifndef COLUMNS
#error "define COLUMNS: value columns per work-item, 1 to 8"
#endif
#if WIDTH != 1 || TILE_ROWS != 64 || BLOCK_KEYS != 64
#error "attend_gpu is written for WIDTH 1 and tiles of 64 queries and 64 keys"
#endif

#define ACROSS 16           /* work-items across and down a tile */
#define EACH 4              /* queries, and keys, per work-item */
#define DEPTH 16            /* coordinates staged at a time */
#define PITCH 68            /* floats per row of a tile in local memory: rows start in other banks */
#define WIDE (ACROSS * COLUMNS)
#define VALUE_KEYS (COLUMNS > 2 ? 128 / COLUMNS : BLOCK_KEYS) /* values staged at a time */
#define STAGE_FLOATS (DEPTH * (PITCH + BLOCK_KEYS))           /* at least VALUE_KEYS · WIDE */
#define PARTS 4             /* work-items per row in the softmax */
#define GROUP __attribute__((reqd_work_group_size(ACROSS * ACROSS, 1, 1)))

/* Where a work-item stands in its group. */
#define ITEM ((uint)get_local_id(0))
#define ITEM_X (ITEM % ACROSS)
#define ITEM_Y (ITEM / ACROSS)

/* Coordinates c … c + DEPTH − 1 of 64 queries (of which there are `rows`) → [DEPTH][PITCH], and of a
 * panel of keys → [DEPTH][BLOCK_KEYS]. */
inline void stage_slice(__global const float *q, __global const float *panel, uint rows, uint dim,
                        uint c, __local float *queries, __local float *keys)
{
    uint row = ITEM / 4, from = ITEM % 4 * 4;
    __global const float *query = q + (ulong)min(row, rows - 1) * dim;
    for (uint i = from; i < from + 4; i++)
        queries[i * PITCH + row] = c + i < dim ? query[c + i] : 0.0f;
    for (uint i = ITEM; i < DEPTH * BLOCK_KEYS; i += ACROSS * ACROSS)
        keys[i] = c + i / BLOCK_KEYS < dim ? panel[(ulong)c * BLOCK_KEYS + i] : 0.0f;
}

/* The raw scores of this work-item's 4 queries and 4 keys. q: the tile's first query; panel [dim]
 * [BLOCK_KEYS]. */
inline void score_tile(__global const float *q, __global const float *panel,
                       __global const float *w, uint rows, uint dim, __local float *stage,
                       float sum[EACH][EACH])
{
    __local float *queries = stage, *keys = stage + DEPTH * PITCH;
    for (int i = 0; i < EACH; i++)
        for (int k = 0; k < EACH; k++)
            sum[i][k] = 0.0f;
    for (uint c = 0; c < dim; c += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        stage_slice(q, panel, rows, dim, c, queries, keys);
        barrier(CLK_LOCAL_MEM_FENCE);
        uint depth = min((uint)DEPTH, dim - c);
        for (uint d = 0; d < depth; d++) {
            float weight = COORDINATE_WEIGHT(w, c + d);
            for (int i = 0; i < EACH; i++)
                for (int k = 0; k < EACH; k++)
                    sum[i][k] = score_step(sum[i][k], queries[d * PITCH + ITEM_Y * EACH + i],
                                           keys[d * BLOCK_KEYS + ITEM_X * EACH + k], weight);
        }
    }
}

/* The base-2 logit of a raw score. `row` is below Tq; a column past the last key is blocked. */
inline float logit_of(const problem *p, __global const uchar *padding, __global const uchar *mask,
                      uint matrix, uint row, uint col, float raw)
{
    return col < p->keys ? masked_logit(p, padding, mask, matrix, row, col, raw) : BLOCKED;
}

/* This work-item's logits into the tile [TILE_ROWS][PITCH]. */
inline void store_logits(const problem *p, const extent *e, __global const uchar *padding,
                         __global const uchar *mask, uint first, float raw[EACH][EACH],
                         __local float *tile)
{
    for (uint i = 0; i < EACH; i++)
        for (uint k = 0; k < EACH; k++) {
            uint r = ITEM_Y * EACH + i, n = ITEM_X * EACH + k;
            uint row = e->row + min(r, e->rows - 1);
            tile[r * PITCH + n] =
                logit_of(p, padding, mask, e->matrix, row, first + n, raw[i][k]);
        }
}

/* The softmax's state of a tile, in local memory. */
typedef struct rows_state {
    float maximum[TILE_ROWS];    /* of the logits so far */
    float sum[TILE_ROWS];        /* of exp2(logit − maximum) so far */
    float correction[TILE_ROWS]; /* exp2(maximum before this panel − maximum) */
    float tops[TILE_ROWS * PARTS], sums[TILE_ROWS * PARTS];
} rows_state;

/* Logits → what the values are multiplied by, four work-items to a row. Begins and ends with a
 * barrier. */
inline void soften_tile(const problem *p, const extent *e, uint first, __local float *tile,
                        __local rows_state *state)
{
    uint r = ITEM / PARTS, part = ITEM % PARTS;
    uint key = dropout_key(p->seed_low, p->seed_high, e->matrix);
    __local float *line = tile + r * PITCH;
    barrier(CLK_LOCAL_MEM_FENCE);
    float top = BLOCKED;
    for (uint n = part; n < BLOCK_KEYS; n += PARTS)
        top = max(top, line[n]);
    state->tops[ITEM] = top;
    barrier(CLK_LOCAL_MEM_FENCE);

    float before = state->maximum[r], highest = before, sum = 0.0f;
    for (uint i = 0; i < PARTS; i++)
        highest = max(highest, state->tops[r * PARTS + i]);
    for (uint n = part; n < BLOCK_KEYS; n += PARTS) {
        float weight = exp2_fast(line[n] - highest);
        sum += weight;
        if (p->flags & DROPOUT)
            weight *= dropout_factor(p, key, e->row + r, first + n);
        line[n] = weight;
    }
    state->sums[ITEM] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (part == 0) {
        float correction = exp2_fast(before - highest), total = 0.0f;
        for (uint i = 0; i < PARTS; i++)
            total += state->sums[r * PARTS + i];
        state->maximum[r] = highest;
        state->sum[r] = FMA(state->sum[r], correction, total);
        state->correction[r] = correction;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* output ← correction · output + weights · values, for this work-item's queries and the columns
 * e->chunk * WIDE + ITEM_X + ACROSS · c. v: the panel's first value, of `cols`. */
inline void add_values(const problem *p, const extent *e, __global const float *v, uint cols,
                       __local const float *tile, __local const rows_state *state,
                       __local float *stage, float output[EACH][COLUMNS])
{
    for (int i = 0; i < EACH; i++)
        for (int c = 0; c < COLUMNS; c++)
            output[i][c] *= state->correction[ITEM_Y * EACH + i];
    for (uint n = 0; n < cols; n += VALUE_KEYS) {
        uint some = min((uint)VALUE_KEYS, cols - n);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = ITEM; i < some * WIDE; i += ACROSS * ACROSS) {
            uint column = e->chunk * WIDE + i % WIDE;
            stage[i] =
                column < p->value_dim ? v[(ulong)(n + i / WIDE) * p->value_stride + column] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < some; k++)
            for (int i = 0; i < EACH; i++) {
                float weight = tile[(ITEM_Y * EACH + i) * PITCH + n + k];
                for (int c = 0; c < COLUMNS; c++)
                    output[i][c] =
                        FMA(weight, stage[k * WIDE + ITEM_X + ACROSS * c], output[i][c]);
            }
    }
}

/* One query's columns of this work-item, times `factor`; `to` is the row's first column. */
inline void write_columns(const problem *p, const extent *e, const float *output, float factor,
                          __global float *to)
{
    for (uint c = 0; c < COLUMNS; c++) {
        uint column = e->chunk * WIDE + ITEM_X + ACROSS * c;
        if (column < p->value_dim)
            to[column] = output[c] * factor;
    }
}

/* The results of a piece, for merge.cl. */
inline void write_piece(const problem *p, const job *j, const extent *e,
                        __local const rows_state *state, float output[EACH][COLUMNS],
                        __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    pieces += e->piece * j->tile_rows * width;
    for (uint i = 0; i < EACH; i++) {
        uint r = ITEM_Y * EACH + i;
        if (r >= e->rows)
            continue;
        if (ITEM_X == 0 && e->chunk == 0) {
            pieces[(ulong)r * width] = state->maximum[r];
            pieces[(ulong)r * width + 1] = state->sum[r];
        }
        if (j->with_output)
            write_columns(p, e, output[i], 1.0f, pieces + (ulong)r * width + 2);
    }
}

/* The results of whole rows; a row whose keys are all blocked gives 0. */
inline void write_rows(const problem *p, const job *j, const extent *e,
                       __local const rows_state *state, float output[EACH][COLUMNS],
                       __global float *out, __global float2 *stats)
{
    stats += (ulong)e->matrix * p->queries + e->row;
    out += out_at(p, e);
    for (uint i = 0; i < EACH; i++) {
        uint r = ITEM_Y * EACH + i;
        if (r >= e->rows)
            continue;
        float sum = state->sum[r];
        if (ITEM_X == 0 && e->chunk == 0)
            stats[r] = (float2)(state->maximum[r], sum);
        if (j->with_output)
            write_columns(p, e, output[i], sum > 0.0f ? 1.0f / sum : 0.0f, out + r * p->out_row);
    }
}

/* q [M,Tq,dim], k [M,panels,dim,BLOCK_KEYS], v [M,Tk,value_stride], w [dim], padding [B,Tk] → out by
 * its strides and stats [M,Tq]; or, where tiles are cut into pieces, `pieces` as merge.cl wants them. */
GROUP __kernel void attend(problem p, job j, __global const float *q, __global const float *k,
                           __global const float *v, __global const float *w,
                           __global const uchar *padding, __global const uchar *mask,
                           __global float *out, __global float2 *stats, __global float *pieces)
{
    __local float tile[TILE_ROWS * PITCH], stage[STAGE_FLOATS];
    __local rows_state state;
    float output[EACH][COLUMNS], raw[EACH][EACH];
    extent e = extent_of(&p, &j, j.first + get_group_id(0));

    for (uint i = 0; i < EACH; i++)
        for (uint c = 0; c < COLUMNS; c++)
            output[i][c] = 0.0f;
    if (ITEM < TILE_ROWS) {
        state.maximum[ITEM] = FLOOR;
        state.sum[ITEM] = 0.0f;
    }
    q += ((ulong)e.matrix * p.queries + e.row) * p.dim;
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
        ulong panel = (ulong)e.matrix * p.panels + first / BLOCK_KEYS;
        score_tile(q, k + panel * p.dim * BLOCK_KEYS, w, e.rows, p.dim, stage, raw);
        store_logits(&p, &e, padding, mask, first, raw, tile);
        soften_tile(&p, &e, first, tile, &state);
        if (j.with_output)
            add_values(&p, &e, v + ((ulong)e.matrix * p.keys + first) * p.value_stride,
                       min((uint)BLOCK_KEYS, p.keys - first), tile, &state, stage, output);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* where there was no panel at all */
    if (j.splits > 1)
        write_piece(&p, &j, &e, &state, output, pieces);
    else
        write_rows(&p, &j, &e, &state, output, out, stats);
}

/* A group is 64 rows of one panel: their weights, as far as they lie in the rectangle of j, into
 * weights [rows,cols] of that rectangle. */
GROUP __kernel void weights(problem p, job j, __global const float *q, __global const float *k,
                            __global const float *w, __global const uchar *padding,
                            __global const uchar *mask, __global const float2 *stats,
                            __global float *weights)
{
    __local float stage[STAGE_FLOATS];
    float raw[EACH][EACH];
    uint first_panel = j.col_begin / BLOCK_KEYS;
    uint panels = (j.col_end - 1) / BLOCK_KEYS - first_panel + 1;
    uint panel = first_panel + get_group_id(0) % panels;
    uint row = j.row_begin + get_group_id(0) / panels * TILE_ROWS, rows = j.row_end - row;
    uint key = dropout_key(p.seed_low, p.seed_high, j.matrix);
    q += ((ulong)j.matrix * p.queries + row) * p.dim;
    k += ((ulong)j.matrix * p.panels + panel) * p.dim * BLOCK_KEYS;
    score_tile(q, k, w, rows, p.dim, stage, raw);

    for (uint i = 0; i < EACH; i++)
        for (uint n = 0; n < EACH; n++) {
            uint line = row + ITEM_Y * EACH + i, col = panel * BLOCK_KEYS + ITEM_X * EACH + n;
            if (line >= j.row_end || col < j.col_begin || col >= j.col_end)
                continue;
            float logit = logit_of(&p, padding, mask, j.matrix, line, col, raw[i][n]);
            float2 stat = stats[(ulong)j.matrix * p.queries + line];
            float weight = stat.y > 0.0f ? exp2_fast(logit - stat.x) / stat.y : 0.0f;
            if (p.flags & DROPOUT)
                weight *= dropout_factor(&p, key, line, col);
            weights[(ulong)(line - j.row_begin) * (j.col_end - j.col_begin) + col - j.col_begin] =
                weight;
        }
}
