/* Attention on a CPU: one work-item per tile of queries, explicit vectors, no barriers, no local
 * memory. Keys come in panels of PAIR = 2 vectors, coordinate by coordinate, and values in chunks of
 * PAIR columns, so that every inner loop reads straight on. For each block of keys
 *   1. the scores of the whole tile, by register tiles of MICRO_ROWS queries × 2 vectors of keys;
 *   2. the online softmax, row by row (Milakov and Gimelshein 2018);
 *   3. weights · values, by register tiles of MICRO_ROWS queries × 2 vectors of value columns.
 * The sum of a block starts at 0 and is added to the tile's output in one step together with the
 * correction for a new maximum: no pass of its own for that, and less rounding in long sums. */
#include "problem.clh"
#include "extent.clh"
#include "vector.clh"
#include "philox.clh"
#include "score.clh"
#include "masks.clh"
#include "tile_cpu.clh"
#include "tanh_sum.clh"

DEFINE_PHILOX(philox_lanes, vu)

/* Queries row … row + rows − 1 → packed [groups][FILLED(dim)][MICRO_ROWS], what lies past the last row
 * or coordinate being 0, so that a register tile reads its queries one after the other. */
inline void pack_queries(__global const float *q, uint rows, uint dim, float *packed)
{
    for (uint group = 0; group < rows; group += MICRO_ROWS)
        for (uint c = 0; c < FILLED(dim); c++)
            for (uint r = 0; r < MICRO_ROWS; r++)
                *packed++ = group + r < rows && c < dim ? q[(ulong)(group + r) * dim + c] : 0.0f;
}

/* Raw scores of one register tile: q [dim][MICRO_ROWS], k [dim][PAIR] → MICRO_ROWS rows of PAIR. */
inline void score_tile(const float *q, __global const float *k, __global const float *w, uint dim,
                       float *scores)
{
    vf sum[MICRO_ROWS][2];
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++)
        sum[r][0] = sum[r][1] = (vf)(0.0f);
    for (uint c = 0; c < dim; c++) {
        vf k0 = VF_LOAD(k), k1 = VF_LOAD(k + WIDTH);
        float weight = COORDINATE_WEIGHT(w, c);
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            sum[r][0] = score_step(sum[r][0], (vf)(q[r]), k0, weight);
            sum[r][1] = score_step(sum[r][1], (vf)(q[r]), k1, weight);
        }
        q += MICRO_ROWS;
        k += PAIR;
    }
    put_tile(sum, scores);
}

/* Raw scores of a single query, the first of its group: its keys come from memory as fast as they are
 * read, where a register tile would compute seven rows for nothing. */
inline void score_row(const float *q, __global const float *k, __global const float *w, uint dim,
                      float *scores)
{
    vf sum0 = (vf)(0.0f), sum1 = (vf)(0.0f);
    for (uint c = 0; c < dim; c++, q += MICRO_ROWS, k += PAIR) {
        float weight = COORDINATE_WEIGHT(w, c);
        sum0 = score_step(sum0, (vf)(*q), VF_LOAD(k), weight);
        sum1 = score_step(sum1, (vf)(*q), VF_LOAD(k + WIDTH), weight);
    }
    VF_PUT(sum0, scores);
    VF_PUT(sum1, scores + WIDTH);
}

/* A tile of queries, in the forms that its scores are made of. */
typedef struct query_tile {
    float packed[TILE_FLOATS] ALIGNED;
#if SCORE == ADDITIVE
    tanh_terms terms;
#endif
} query_tile;

inline void begin_tile(query_tile *tile, __global const float *q, __global const float *w, uint rows,
                       uint dim)
{
    pack_queries(q, rows, dim, tile->packed);
#if SCORE == ADDITIVE
    begin_terms(&tile->terms, tile->packed, w, rows, dim);
#endif
}

/* Raw scores of a tile with one panel of keys. */
inline void score_panel(query_tile *tile, __global const float *k, __global const float *w, uint dim,
                        uint rows, float *scores)
{
#if SCORE == ADDITIVE
    if (take_panel(&tile->terms, k, dim)) {
        for (uint m = 0; m < rows; m += MICRO_ROWS)
            tanh_tile(&tile->terms, m * FILLED(dim), dim, scores + m * BLOCK_KEYS);
        return;
    }
#endif
    if (rows == 1) {
        score_row(tile->packed, k, w, dim, scores);
        return;
    }
    for (uint m = 0; m < rows; m += MICRO_ROWS)
        score_tile(tile->packed + m * FILLED(dim), k, w, dim, scores + m * BLOCK_KEYS);
}

/* Raw scores of a tile with the keys begin … end − 1 of a block, both multiples of PAIR. k: the panels
 * of the block. */
inline void score_block(query_tile *tile, __global const float *k, __global const float *w, uint dim,
                        uint rows, uint begin, uint end, float *scores)
{
    for (uint n = begin; n < end; n += PAIR)
        score_panel(tile, k + (ulong)n * dim, w, dim, rows, scores + n);
}

/* Whether some score of this row and the block from key `first` on is not simply scale · raw. */
inline bool needs_mask(const problem *p, uint row, uint first)
{
    return (p->flags & (PADDING | MASK_BOOL | MASK_FLOAT)) || first + BLOCK_KEYS > p->keys ||
           ((p->flags & CAUSAL) && first + BLOCK_KEYS - 1 > row);
}

/* WIDTH logits from key `col` on; masked_logit() of masks.clh for a vector. */
inline vf masked_logits(const problem *p, __global const uchar *padding,
                        __global const uchar *mask, ulong mask_at, uint row, uint col, vf raw)
{
    vi blocked = (vi)(0);
    vf bias = (vf)(0.0f);
    ulong at = mask_at + col * p->mask_key;
    if (p->flags & CAUSAL)
        blocked |= (vi)((int)col) + LANES > (vi)((int)row);
    if (p->flags & PADDING)
        blocked |= VI_FROM_BYTES(padding + col) != 0;
    if (p->flags & MASK_BOOL)
        blocked |= (p->mask_key ? VI_FROM_BYTES(mask + at) : (vi)(mask[at])) != 0;
    if (p->flags & MASK_FLOAT) {
        __global const float *biases = (__global const float *)mask + at;
        bias = p->mask_key ? VF_LOAD(biases) : (vf)(*biases);
    }
    return select(FMA(raw, (vf)(p->scale), bias), (vf)(BLOCKED), blocked);
}

/* Raw scores begin … end − 1 of a row and a block → logits; columns without a key are blocked. */
inline void mask_row(const problem *p, __global const uchar *padding, __global const uchar *mask,
                     uint matrix, uint row, uint first, uint begin, uint end, float *scores)
{
    uint batch = matrix / p->heads, head = matrix % p->heads, cols = min(end, p->keys - first);
    ulong at = batch * p->mask_batch + head * p->mask_head + row * p->mask_query;
    __global const uchar *ignored = padding + (p->flags & PADDING ? (ulong)batch * p->keys : 0);
    uint n = begin;
    for (; n + WIDTH <= cols; n += WIDTH) {
        vf raw = VF_LOAD(scores + n);
        VF_PUT(masked_logits(p, ignored, mask, at, row, first + n, raw), scores + n);
    }
    for (; n < cols; n++)
        scores[n] = masked_logit(p, padding, mask, matrix, row, first + n, scores[n]);
    for (; n < end; n++)
        scores[n] = BLOCKED;
}

/* dropout_factor() of masks.clh for WIDTH keys from `col` on. */
inline vf dropout_factors(const problem *p, uint key, uint row, uint col)
{
    vu counters = (vu)(col) + JOIN(as_uint, WIDTH)(LANES);
    vu bits = philox_lanes(counters, (vu)(row), (vu)(key));
    vf uniform = VF_FROM_VU(bits >> 8) * 0x1p-24f;
    return select((vf)(p->keep), (vf)(0.0f), uniform < (vf)(p->dropout));
}

/* Weights begin … end − 1 of a row and a block, dropped or grown. */
inline void drop_row(const problem *p, uint key, uint row, uint first, uint begin, uint end,
                     float *line)
{
    for (uint n = begin; n < end; n += WIDTH)
        VF_PUT(VF_LOAD(line + n) * dropout_factors(p, key, row, first + n), line + n);
}

/* One row of the online softmax. scores [cols] → exp2(logit − new maximum), with logit = factor ·
 * score; returns their sum. `maximum` is the row's so far, and is brought up to date. */
inline float soften(float *scores, uint cols, float factor, float *maximum)
{
    vf top0 = VF_LOAD(scores), top1 = VF_LOAD(scores + WIDTH);
    for (uint n = PAIR; n < cols; n += PAIR) {
        top0 = max(top0, VF_LOAD(scores + n));
        top1 = max(top1, VF_LOAD(scores + n + WIDTH));
    }
    float highest = max(*maximum, across_max(max(top0, top1)) * factor);
    vf sum0 = (vf)(0.0f), sum1 = (vf)(0.0f);
    for (uint n = 0; n < cols; n += PAIR) {
        vf e0 = exp2_fast(FMA(VF_LOAD(scores + n), (vf)(factor), (vf)(-highest)));
        vf e1 = exp2_fast(FMA(VF_LOAD(scores + n + WIDTH), (vf)(factor), (vf)(-highest)));
        sum0 += e0;
        sum1 += e1;
        VF_PUT(e0, scores + n);
        VF_PUT(e1, scores + n + WIDTH);
    }
    *maximum = highest;
    return across_sum(sum0 + sum1);
}

/* output ← correction · output + weights · v, one register tile: weights MICRO_ROWS rows of
 * BLOCK_KEYS, v [cols,PAIR], output [MICRO_ROWS,PAIR]. */
inline void value_tile(const float *weights, __global const float *v, uint cols,
                       const float *correction, float *output)
{
    vf sum[MICRO_ROWS][2];
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++)
        sum[r][0] = sum[r][1] = (vf)(0.0f);
    for (uint n = 0; n < cols; n++) {
        vf v0 = VF_LOAD(v), v1 = VF_LOAD(v + WIDTH);
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            vf weight = (vf)(weights[r * BLOCK_KEYS]);
            sum[r][0] = FMA(weight, v0, sum[r][0]);
            sum[r][1] = FMA(weight, v1, sum[r][1]);
        }
        weights++;
        v += PAIR;
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        float *o = output + r * PAIR;
        VF_PUT(FMA(VF_LOAD(o), (vf)(correction[r]), sum[r][0]), o);
        VF_PUT(FMA(VF_LOAD(o + WIDTH), (vf)(correction[r]), sum[r][1]), o + WIDTH);
    }
}

/* The same for a single row: weights [cols], output [PAIR]. Two sums for each vector, since a
 * multiply-add waits for the one before it. */
inline void value_row(const float *weights, __global const float *v, uint cols, float correction,
                      float *output)
{
    vf even0 = (vf)(0.0f), even1 = even0, odd0 = even0, odd1 = even0;
    uint n = 0;
    for (; n + 2 <= cols; n += 2, v += 2 * PAIR) {
        even0 = FMA((vf)(weights[n]), VF_LOAD(v), even0);
        even1 = FMA((vf)(weights[n]), VF_LOAD(v + WIDTH), even1);
        odd0 = FMA((vf)(weights[n + 1]), VF_LOAD(v + PAIR), odd0);
        odd1 = FMA((vf)(weights[n + 1]), VF_LOAD(v + PAIR + WIDTH), odd1);
    }
    if (n < cols) {
        even0 = FMA((vf)(weights[n]), VF_LOAD(v), even0);
        even1 = FMA((vf)(weights[n]), VF_LOAD(v + WIDTH), even1);
    }
    VF_PUT(FMA(VF_LOAD(output), (vf)(correction), even0 + odd0), output);
    VF_PUT(FMA(VF_LOAD(output + WIDTH), (vf)(correction), even1 + odd1), output + WIDTH);
}

/* The same for a whole tile and the block from the first value of `v` on; output [chunks,
 * tile_rows,PAIR]. */
inline void add_values(const problem *p, const float *weights, __global const float *v,
                       uint tile_rows, uint rows, uint cols, const float *correction,
                       float *output)
{
    for (uint c = 0; c < p->value_chunks; c++, v += (ulong)p->keys * PAIR)
        if (rows == 1)
            value_row(weights, v, cols, correction[0], output + c * tile_rows * PAIR);
        else
            for (uint m = 0; m < rows; m += MICRO_ROWS)
                value_tile(weights + m * BLOCK_KEYS, v, cols, correction + m,
                           output + (c * tile_rows + m) * PAIR);
}

/* Copies `count` floats times `factor`. */
inline void write_row(const float *from, float factor, uint count, __global float *to)
{
    uint c = 0;
    for (; c + WIDTH <= count; c += WIDTH)
        VF_STORE(VF_LOAD(from + c) * factor, to + c);
    for (; c < count; c++)
        to[c] = from[c] * factor;
}

/* Row r of output [chunks,tile_rows,PAIR] times `factor`. */
inline void write_output(const problem *p, const float *output, uint tile_rows, uint r,
                         float factor, __global float *to)
{
    for (uint c = 0; c < p->value_chunks; c++)
        write_row(output + (c * tile_rows + r) * PAIR, factor,
                  min((uint)PAIR, p->value_dim - c * PAIR), to + c * PAIR);
}

/* The softmax's state of a tile. */
typedef struct rows_state {
    float maximum[TILE_ROWS];    /* of the logits so far */
    float sum[TILE_ROWS];        /* of exp2(logit − maximum) so far */
    float correction[TILE_ROWS]; /* exp2(maximum before this block − maximum) */
} rows_state;

/* Raw scores of a tile and the block from key `first` on → what the values are multiplied by. */
inline void soften_block(const problem *p, const extent *e, __global const uchar *padding,
                         __global const uchar *mask, uint first, uint cols, float *scores,
                         rows_state *state)
{
    uint key = dropout_key(p->seed_low, p->seed_high, e->matrix);
    for (uint r = 0; r < e->rows; r++) {
        float *line = scores + r * BLOCK_KEYS, before = state->maximum[r], factor = p->scale;
        if (needs_mask(p, e->row + r, first)) {
            mask_row(p, padding, mask, e->matrix, e->row + r, first, 0, cols, line);
            factor = 1.0f;
        }
        float part = soften(line, cols, factor, &state->maximum[r]);
        state->correction[r] = exp2(before - state->maximum[r]);
        state->sum[r] = FMA(state->sum[r], state->correction[r], part);
        if (p->flags & DROPOUT)
            drop_row(p, key, e->row + r, first, 0, cols, line);
    }
}

/* The results of a piece, for merge.cl. */
inline void write_piece(const problem *p, const job *j, const extent *e, const rows_state *state,
                        const float *output, __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    pieces += e->piece * j->tile_rows * width;
    for (uint r = 0; r < e->rows; r++, pieces += width) {
        pieces[0] = state->maximum[r];
        pieces[1] = state->sum[r];
        if (j->with_output)
            write_output(p, output, j->tile_rows, r, 1.0f, pieces + 2);
    }
}

/* The results of whole rows; a row whose keys are all blocked gives 0. */
inline void write_rows(const problem *p, const job *j, const extent *e, const rows_state *state,
                       const float *output, __global float *out, __global float2 *stats)
{
    stats += (ulong)e->matrix * p->queries + e->row;
    out += out_at(p, e);
    for (uint r = 0; r < e->rows; r++) {
        float sum = state->sum[r];
        stats[r] = (float2)(state->maximum[r], sum);
        if (j->with_output)
            write_output(p, output, j->tile_rows, r, sum > 0.0f ? 1.0f / sum : 0.0f,
                         out + r * p->out_row);
    }
}

/* q [M,Tq,dim], k [M,panels,dim,PAIR], v [M,chunks,Tk,PAIR], w [dim], padding [B,Tk] → out by its
 * strides and stats [M,Tq]; or, where tiles are cut into pieces, `pieces` as merge.cl wants them. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
attend(problem p, job j, __global const float *q, __global const float *k, __global const float *v,
       __global const float *w, __global const uchar *padding, __global const uchar *mask,
       __global float *out, __global float2 *stats, __global float *pieces)
{
    query_tile queries;
    float output[TILE_FLOATS] ALIGNED;
    float scores[TILE_ROWS * BLOCK_KEYS] ALIGNED;
    rows_state state;
    extent e = extent_of(&p, &j, j.first + get_global_id(0));

    begin_tile(&queries, q + ((ulong)e.matrix * p.queries + e.row) * p.dim, w, e.rows, p.dim);
    for (uint r = 0; r < j.tile_rows; r++) {
        state.maximum[r] = FLOOR;
        state.sum[r] = state.correction[r] = 0.0f;
    }
    for (uint i = 0; i < j.tile_rows * p.value_chunks * PAIR; i++)
        output[i] = 0.0f;
    k += (ulong)e.matrix * p.panels * p.dim * PAIR;
    v += (ulong)e.matrix * p.value_chunks * p.keys * PAIR;
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
        uint cols = min((uint)BLOCK_KEYS, e.end - first), padded = (cols + PAIR - 1) / PAIR * PAIR;
        score_block(&queries, k + (ulong)first * p.dim, w, p.dim, e.rows, 0, padded, scores);
        soften_block(&p, &e, padding, mask, first, padded, scores, &state);
        if (j.with_output)
            add_values(&p, scores, v + (ulong)first * PAIR, j.tile_rows, e.rows, cols,
                       state.correction, output);
    }
    if (j.splits > 1)
        write_piece(&p, &j, &e, &state, output, pieces);
    else
        write_rows(&p, &j, &e, &state, output, out, stats);
}

/* Logits begin … end − 1 of a row, made from raw scores, → weights. */
inline void finish_row(const problem *p, uint matrix, uint row, uint first, uint begin, uint end,
                       float factor, float2 stat, float *line)
{
    float inverse = stat.y > 0.0f ? 1.0f / stat.y : 0.0f;
    for (uint n = begin; n < end; n += WIDTH) {
        vf e = exp2_fast(FMA(VF_LOAD(line + n), (vf)(factor), (vf)(-stat.x)));
        VF_PUT(e * inverse, line + n);
    }
    if (p->flags & DROPOUT)
        drop_row(p, dropout_key(p->seed_low, p->seed_high, matrix), row, first, begin, end, line);
}

/* A unit is WEIGHT_ROWS rows of one block: their weights, as far as they lie in the rectangle of j,
 * into weights [rows,cols] of that rectangle. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
weights(problem p, job j, __global const float *q, __global const float *k, __global const float *w,
        __global const uchar *padding, __global const uchar *mask, __global const float2 *stats,
        __global float *weights)
{
    query_tile queries;
    float scores[WEIGHT_ROWS * BLOCK_KEYS] ALIGNED;
    uint first_block = j.col_begin / BLOCK_KEYS;
    uint blocks = (j.col_end - 1) / BLOCK_KEYS - first_block + 1;
    uint first = (first_block + get_global_id(0) % blocks) * BLOCK_KEYS;
    uint row = j.row_begin + get_global_id(0) / blocks * WEIGHT_ROWS;
    uint rows = min((uint)WEIGHT_ROWS, j.row_end - row);
    uint left = max(j.col_begin, first) - first, right = min(j.col_end - first, (uint)BLOCK_KEYS);
    uint begin = left / PAIR * PAIR, end = (right + PAIR - 1) / PAIR * PAIR;
    ulong query = (ulong)j.matrix * p.queries + row;

    begin_tile(&queries, q + query * p.dim, w, rows, p.dim);
    k += ((ulong)j.matrix * p.panels * PAIR + first) * p.dim;
    score_block(&queries, k, w, p.dim, rows, begin, end, scores);
    for (uint r = 0; r < rows; r++) {
        float *line = scores + r * BLOCK_KEYS, factor = p.scale;
        if (needs_mask(&p, row + r, first)) {
            mask_row(&p, padding, mask, j.matrix, row + r, first, begin, end, line);
            factor = 1.0f;
        }
        finish_row(&p, j.matrix, row + r, first, begin, end, factor, stats[query + r], line);
        ulong at = (ulong)(row + r - j.row_begin) * (j.col_end - j.col_begin);
        write_row(line + left, 1.0f, right - left, weights + at + first + left - j.col_begin);
    }
}
