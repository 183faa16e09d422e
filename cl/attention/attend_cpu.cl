/* Attention on a CPU: one work-item per tile of queries, explicit vectors, no barriers, no local
 * memory. Keys come in panels of PAIR = 2 vectors, coordinate by coordinate, and values in chunks
 * of PAIR columns, so that every inner loop reads straight on. For each block of keys, which stays
 * in the second cache, and each strip of the tile's queries, whose scores stay in the first,
 *   1. the scores of the strip, by register tiles of MICRO_ROWS queries × 2 vectors of keys;
 *   2. the online softmax (Milakov and Gimelshein 2018);
 *   3. weights · values, by register tiles of MICRO_ROWS queries × 2 vectors of value columns.
 * The sum of a block starts at 0 and is added to the tile's output in one step together with the
 * correction for a new maximum: no pass of its own for that, and less rounding in long sums. */
#include "attention/scores_cpu.clh"
#include "attention/extent.clh"
#include "attention/pairs.clh"

/* The largest of a row's logits [cols]. */
inline float highest_of(const float *logits, uint cols)
{
    vf top0 = VF_LOAD(logits), top1 = VF_LOAD(logits + WIDTH);
    for (uint n = PAIR; n < cols; n += PAIR) {
        top0 = max(top0, VF_LOAD(logits + n));
        top1 = max(top1, VF_LOAD(logits + n + WIDTH));
    }
    return across_max(max(top0, top1));
}

/* Logits of a row [cols] → exp2(logit − maximum); returns their sum, lane by lane. */
inline vf exponentials(float *logits, uint cols, float maximum)
{
    vf x[ABREAST], sum[ABREAST] = {0.0f, 0.0f, 0.0f, 0.0f};
    uint n = 0;
    for (; n + ABREAST * WIDTH <= cols; n += ABREAST * WIDTH) {
#pragma unroll
        for (int i = 0; i < ABREAST; i++)
            x[i] = VF_LOAD(logits + n + i * WIDTH) - (vf)(maximum);
        exp2_abreast(x);
#pragma unroll
        for (int i = 0; i < ABREAST; i++) {
            sum[i] += x[i];
            VF_PUT(x[i], logits + n + i * WIDTH);
        }
    }
    for (; n < cols; n += WIDTH) {
        vf e = exp2_fast(VF_LOAD(logits + n) - (vf)(maximum));
        sum[0] += e;
        VF_PUT(e, logits + n);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* output ← correction · output + weights · v, one register tile of `vectors` vectors, 1 or 2:
 * weights MICRO_ROWS rows of BLOCK_KEYS, v [cols,PAIR], output [MICRO_ROWS,PAIR]. */
ALWAYS_INLINE void value_tile(int vectors, const float *weights, __global const float *v, uint cols,
                              const float *correction, float *output)
{
    vf sum[MICRO_ROWS][2];
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++)
        sum[r][0] = sum[r][1] = (vf)(0.0f);
    for (uint n = 0; n < cols; n++, weights++, v += PAIR) {
        vf v0 = VF_LOAD(v), v1 = vectors == 2 ? VF_LOAD(v + WIDTH) : v0;
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            vf weight = (vf)(weights[r * BLOCK_KEYS]);
            sum[r][0] = FMA(weight, v0, sum[r][0]);
            if (vectors == 2)
                sum[r][1] = FMA(weight, v1, sum[r][1]);
        }
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        float *o = output + r * PAIR;
        VF_PUT(FMA(VF_LOAD(o), (vf)(correction[r]), sum[r][0]), o);
        if (vectors == 2)
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

/* The same for `rows` rows and one chunk; `narrow` where only its first vector has columns. */
inline void add_chunk(bool narrow, const float *weights, __global const float *v, uint rows,
                      uint cols, const float *correction, float *output)
{
    if (rows == 1)
        value_row(weights, v, cols, correction[0], output);
    else if (narrow)
        for (uint m = 0; m < rows; m += MICRO_ROWS)
            value_tile(1, weights + m * BLOCK_KEYS, v, cols, correction + m, output + m * PAIR);
    else
        for (uint m = 0; m < rows; m += MICRO_ROWS)
            value_tile(2, weights + m * BLOCK_KEYS, v, cols, correction + m, output + m * PAIR);
}

/* The same for all chunks and the block from the first value of `v` on; output [chunks,tile_rows,
 * PAIR], from its first row on. */
inline void add_values(const problem *p, const float *weights, __global const float *v,
                       uint tile_rows, uint rows, uint cols, const float *correction, float *output)
{
    for (uint c = 0; c < p->value_chunks; c++, v += (ulong)p->key_room * PAIR)
        add_chunk(p->value_dim - c * PAIR <= WIDTH, weights, v, rows, cols, correction,
                  output + c * tile_rows * PAIR);
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
    float maximum[TILE_ROWS] ALIGNED;      /* of the logits so far */
    float correction[TILE_ROWS] ALIGNED;   /* exp2(maximum before this block − maximum) */
    float sums[TILE_ROWS * WIDTH] ALIGNED; /* of exp2(logit − maximum) so far, lane by lane */
} rows_state;

inline void begin_rows(rows_state *state)
{
    for (uint r = 0; r < TILE_ROWS; r++)
        state->maximum[r] = FLOOR;
    for (uint i = 0; i < TILE_ROWS * WIDTH; i += WIDTH)
        VF_PUT((vf)(0.0f), state->sums + i);
}

inline float row_sum(const rows_state *state, uint row)
{
    return across_sum(VF_LOAD(state->sums + row * WIDTH));
}

/* Caps and masks the logits [rows][BLOCK_KEYS] of a strip and the block from key `first` on, and
 * brings its maxima and corrections up to date. `row`: the strip's first in the tile. */
inline void find_maxima(const problem *p, const extent *e, __global const uchar *padding,
                        __global const uchar *mask, uint row, uint rows, uint first, uint cols,
                        float *logits, rows_state *state)
{
    float tops[STRIP_ROWS] ALIGNED;
    for (uint r = 0; r < rows; r++) {
        uint query = e->row + row + r, from = first_masked(p, query, first, cols);
        float *line = logits + r * BLOCK_KEYS;
        cap_row(p, cols, line, (float *)0);
        if (from < cols)
            mask_row(p, padding, mask, e->matrix, query, first, from, cols, line);
        tops[r] = highest_of(line, cols);
    }
    for (uint r = 0; r < rows; r += WIDTH) {
        vf before = VF_LOAD(state->maximum + row + r);
        vf highest = max(before, VF_LOAD(tops + r));
        VF_PUT(highest, state->maximum + row + r);
        VF_PUT(exp2_fast(before - highest), state->correction + row + r);
    }
}

/* Logits of a strip → what the values are multiplied by. */
inline void softmax_strip(const problem *p, const extent *e, uint row, uint rows, uint first,
                          uint cols, float *logits, rows_state *state)
{
    uint key = dropout_key(p->seed_low, p->seed_high, e->matrix);
    for (uint r = 0; r < rows; r++) {
        float *line = logits + r * BLOCK_KEYS, *sums = state->sums + (row + r) * WIDTH;
        vf part = exponentials(line, cols, state->maximum[row + r]);
        VF_PUT(FMA(VF_LOAD(sums), (vf)(state->correction[row + r]), part), sums);
        if (p->flags & DROPOUT)
            drop_row(p, key, e->row + row + r, first, 0, cols, line);
#if PAIRS
        pair_weights(line, cols);
#endif
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
        pieces[1] = row_sum(state, r);
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
        float sum = row_sum(state, r);
        stats[r] = (float2)(state->maximum[r], sum);
        if (j->with_output)
            write_output(p, output, j->tile_rows, r, sum > 0.0f ? 1.0f / sum : 0.0f,
                         out + r * p->out_row);
    }
}

/* q [M,Tq,dim], k [M,panels,dim,PAIR], v [M,chunks,Tk,PAIR], w [dim], padding [B,Tk] → out by its
 * strides and stats [M,Tq]; or, where tiles are cut into pieces, `pieces` as merge.cl wants them.
 */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
attend(problem p, job j, __global const float *q, __global const float *k, __global const float *v,
       __global const float *w, __global const uchar *padding, __global const uchar *mask,
       __global float *out, __global float2 *stats, __global float *pieces)
{
    query_tile queries;
    float output[TILE_FLOATS] ALIGNED;
    float logits[STRIP_ROWS * BLOCK_KEYS] ALIGNED;
    rows_state state;
    extent e = extent_of(&p, &j, j.first + get_global_id(0));

    q += ((ulong)e.matrix * p.queries + e.row) * p.dim;
#if PAIRS
    paired_block block;
    const uint steps = STEPS(p.dim), stride = STRIDE(steps);
    const float scale = p.scale;
    uint *pairs = (uint *)queries.rows;
    pair_queries(q, e.rows, p.dim, stride, pairs);
#else
    begin_tile(&queries, q, p.dim, w, e.rows, p.dim, p.scale);
#endif
    p.scale = 1.0f; /* for masked_logit() */
    begin_rows(&state);
    for (uint i = 0; i < j.tile_rows * p.value_chunks * PAIR; i += WIDTH)
        VF_PUT((vf)(0.0f), output + i);
    uint keys = key_matrix(&p, e.matrix);
    k += (ulong)keys * p.panels * p.dim * PAIR;
    v += (ulong)keys * p.value_chunks * p.key_room * PAIR;
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
#if PAIRS
        pair_block(&p, k + (ulong)first * p.dim, v + (ulong)first * PAIR,
                   j.with_output ? p.value_chunks : 0, min((uint)BLOCK_KEYS, e.end - first),
                   &block);
#endif
        for (uint row = 0; row < e.rows; row += STRIP_ROWS) {
            uint rows = min((uint)STRIP_ROWS, e.rows - row);
            uint end = e.end;
            if (p.flags & CAUSAL)
                end = min(end, causal_end(place_of_query(&p, e.row + row + rows - 1)));
            if (end <= first)
                continue;
            uint cols = min((uint)BLOCK_KEYS, end - first),
                 padded = (cols + PAIR - 1) / PAIR * PAIR;
#if PAIRS
            score_pairs(pairs + row * stride, stride, steps, scale, rows, padded, &block, logits);
#else
            score_block(&queries, row, rows, k + (ulong)first * p.dim, w, 0, padded, logits);
#endif
            find_maxima(&p, &e, padding, mask, row, rows, first, padded, logits, &state);
            softmax_strip(&p, &e, row, rows, first, padded, logits, &state);
            if (!j.with_output)
                continue;
#if PAIRS
            add_paired_values(&p, logits, &block, j.tile_rows, rows, cols, state.correction + row,
                              output + row * PAIR);
#else
            add_values(&p, logits, v + (ulong)first * PAIR, j.tile_rows, rows, cols,
                       state.correction + row, output + row * PAIR);
#endif
        }
    }
    if (j.splits > 1)
        write_piece(&p, &j, &e, &state, output, pieces);
    else
        write_rows(&p, &j, &e, &state, output, out, stats);
}

/* Logits begin … end − 1 of a row → weights. */
inline void finish_row(const problem *p, uint matrix, uint row, uint first, uint begin, uint end,
                       float2 stat, float *line)
{
    float inverse = stat.y > 0.0f ? 1.0f / stat.y : 0.0f;
    for (uint n = begin; n < end; n += WIDTH)
        VF_PUT(exp2_fast(VF_LOAD(line + n) - stat.x) * inverse, line + n);
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
    float logits[WEIGHT_ROWS * BLOCK_KEYS] ALIGNED;
    uint first_block = j.col_begin / BLOCK_KEYS;
    uint blocks = (j.col_end - 1) / BLOCK_KEYS - first_block + 1;
    uint first = (first_block + get_global_id(0) % blocks) * BLOCK_KEYS;
    uint row = j.row_begin + get_global_id(0) / blocks * WEIGHT_ROWS;
    uint rows = min((uint)WEIGHT_ROWS, j.row_end - row);
    uint left = max(j.col_begin, first) - first, right = min(j.col_end - first, (uint)BLOCK_KEYS);
    uint begin = left / PAIR * PAIR, end = (right + PAIR - 1) / PAIR * PAIR;
    ulong query = (ulong)j.matrix * p.queries + row;

    begin_tile(&queries, q + query * p.dim, p.dim, w, rows, p.dim, p.scale);
    p.scale = 1.0f; /* for masked_logit() */
    k += ((ulong)key_matrix(&p, j.matrix) * p.panels * PAIR + first) * p.dim;
    score_block(&queries, 0, rows, k, w, begin, end, logits);
    for (uint r = 0; r < rows; r++) {
        float *line = logits + r * BLOCK_KEYS;
        uint from = max(begin, first_masked(&p, row + r, first, end));
        cap_row(&p, end - begin, line + begin, (float *)0);
        if (from < end)
            mask_row(&p, padding, mask, j.matrix, row + r, first, from, end, line);
        finish_row(&p, j.matrix, row + r, first, begin, end, stats[query + r], line);
        ulong at = (ulong)(row + r - j.row_begin) * (j.col_end - j.col_begin);
        write_row(line + left, 1.0f, right - left, weights + at + first + left - j.col_begin);
    }
}
