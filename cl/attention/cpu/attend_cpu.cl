/* Attention on a CPU: one work-item per tile of queries, explicit vectors, no barriers, no local
 * memory. Keys come in panels of PAIR = 2 vectors, coordinate by coordinate, and values in chunks
 * of PAIR columns, so that every inner loop reads straight on. For each block of keys, which stays
 * in the second cache, and each strip of the tile's queries, whose scores stay in the first,
 *   1. the scores of the strip, by register tiles of MICRO_ROWS queries × 2 vectors of keys;
 *   2. the online softmax (Milakov and Gimelshein 2018);
 *   3. weights · values, by register tiles of MICRO_ROWS queries × 2 vectors of value columns.
 * The sum of a block starts at 0 and is added to the tile's output in one step together with the
 * correction for a new maximum: no pass of its own for that, and less rounding in long sums. */
#include "attention/cpu/scores_cpu.clh"
#include "attention/extent.clh"
#include "attention/cpu/pairs.clh"
#include "attention/sparse.clh"
#include "attention/cpu/squares.clh"

#if SQUARES && WEIGHT_ROWS != STRIP
#error "a strip is two squares"
#endif

#if NORMALIZER == SOFTMAX_WEIGHTS
/* A strip of the tile's queries and a block of its keys. */
typedef struct strip {
    uint row, rows;    /* the queries, counted within the tile */
    uint first, cols;  /* the keys, 0 where no mask lets these queries see one */
    bool begins, ends; /* they are the first, or the last, that the unit has for these queries */
    uint straight;     /* chunks of values whose sums go to the output straight from registers */
} strip;

inline strip strip_of(const problem *p, const job *j, const extent *e, uint row, uint first)
{
    strip s = {.row = row, .rows = min((uint)STRIP_ROWS, e->rows - row), .first = first};
    uint end = e->end;
    if (p->flags & CAUSAL)
        end = min(end, causal_end(place_of_query(p, e->row + row + s.rows - 1)));
    s.cols = end > first ? min((uint)BLOCK_KEYS, end - first) : 0;
    s.begins = first == e->begin;
    s.ends = end <= first + BLOCK_KEYS && (s.cols || s.begins);
    if (s.ends && s.cols && s.rows > 1 && j->splits == 1 && j->with_output && !PAIRS && !SQUARES)
        s.straight = p->value_dim / PAIR;
    return s;
}

/* The largest of a row's logits [cols], lane by lane. */
inline vf highest_of(const float *logits, uint cols)
{
    vf top0 = VF_LOAD(logits), top1 = VF_LOAD(logits + WIDTH);
    for (uint n = PAIR; n < cols; n += PAIR) {
        top0 = max(top0, VF_LOAD(logits + n));
        top1 = max(top1, VF_LOAD(logits + n + WIDTH));
    }
    return max(top0, top1);
}

/* Logits of a row [cols] → exp2(logit − maximum); returns their sum, lane by lane. */
ALWAYS_INLINE vf exponentials(float *logits, uint cols, float maximum)
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

/* weights · v of a register tile of `vectors` vectors, 1 or 2: weights MICRO_ROWS rows of
 * BLOCK_KEYS, v [cols,PAIR]. */
ALWAYS_INLINE void sum_values(int vectors, const float *weights, __global const float *v, uint cols,
                              vf (*sum)[2])
{
    clear_tile(sum);
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
}

/* output [MICRO_ROWS,PAIR] ← correction · output + weights · v. */
ALWAYS_INLINE void value_tile(int vectors, const float *weights, __global const float *v, uint cols,
                              const float *correction, float *output)
{
    vf sum[MICRO_ROWS][2];
    sum_values(vectors, weights, v, cols, sum);
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        float *o = output + r * PAIR;
        VF_PUT(FMA(VF_LOAD(o), (vf)(correction[r]), sum[r][0]), o);
        if (vectors == 2)
            VF_PUT(FMA(VF_LOAD(o + WIDTH), (vf)(correction[r]), sum[r][1]), o + WIDTH);
    }
}

/* The same for keys that are a row's last: the result times a factor goes to the first `rows` of rows
 * that lie `apart` floats from one to the next. `output` is not read where no keys came before. */
inline void last_value_tile(const float *weights, __global const float *v, uint cols,
                            const float *correction, const float *output, bool continues,
                            const float *factors, uint rows, __global float *to, ulong apart)
{
    vf sum[MICRO_ROWS][2];
    sum_values(2, weights, v, cols, sum);
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        if (r >= (int)rows)
            continue;
        if (continues) {
            vf factor = (vf)(correction[r]);
            sum[r][0] = FMA(VF_LOAD(output + r * PAIR), factor, sum[r][0]);
            sum[r][1] = FMA(VF_LOAD(output + r * PAIR + WIDTH), factor, sum[r][1]);
        }
        VF_GIVE(sum[r][0] * (vf)(factors[r]), to + r * apart);
        VF_GIVE(sum[r][1] * (vf)(factors[r]), to + r * apart + WIDTH);
    }
}

/* value_tile() for a single row: weights [cols], output [PAIR]. Two sums for each vector, since a
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

/* output ← correction · output + weights · v for `rows` rows and one chunk; `narrow` where only its first vector has columns. */
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

/* The same for the chunks of a strip that do not go straight to the output, and the block from the
 * first value of `v` on; output [chunks,tile_rows,PAIR], from the strip's first row on. */
inline void add_values(const problem *p, const float *weights, __global const float *v,
                       uint tile_rows, const strip *s, const float *correction, float *output)
{
    for (uint c = s->straight; c < p->value_chunks; c++)
        add_chunk(p->value_dim - c * PAIR <= WIDTH, weights, v + (ulong)c * p->key_room * PAIR,
                  s->rows, s->cols, correction, output + c * tile_rows * PAIR);
}

/* The chunks that do, whose rows begin at `to`. */
inline void write_values(const problem *p, const float *weights, __global const float *v,
                         uint tile_rows, const strip *s, const float *correction,
                         const float *output, const float *factors, __global float *to)
{
    for (uint c = 0; c < s->straight; c++, v += (ulong)p->key_room * PAIR)
        for (uint m = 0; m < s->rows; m += MICRO_ROWS)
            last_value_tile(weights + m * BLOCK_KEYS, v, s->cols, correction + m,
                            output + (c * tile_rows + m) * PAIR, !s->begins, factors + m,
                            s->rows - m, to + m * p->out_row + c * PAIR, p->out_row);
}

#endif

/* Copies `count` floats times `factor`. */
inline void write_row(const float *from, float factor, uint count, __global float *to)
{
    uint c = 0;
    for (; c + WIDTH <= count; c += WIDTH)
        VF_GIVE(VF_LOAD(from + c) * factor, to + c);
    for (; c < count; c++)
        to[c] = from[c] * factor;
}

#if NORMALIZER == SOFTMAX_WEIGHTS
/* A row of output [chunks,tile_rows,PAIR] times `factor`, from a chunk on. */
inline void write_output(const problem *p, const float *output, uint tile_rows, uint chunk,
                         float factor, __global float *to)
{
    for (uint c = chunk; c < p->value_chunks; c++)
        write_row(output + c * tile_rows * PAIR, factor, min((uint)PAIR, p->value_dim - c * PAIR),
                  to + c * PAIR);
}

/* The softmax's state of a tile. */
typedef struct rows_state {
    float maximum[TILE_ROWS] ALIGNED;      /* of the logits so far */
    float correction[TILE_ROWS] ALIGNED;   /* exp2(maximum before this block − maximum) */
    float sums[TILE_ROWS * WIDTH] ALIGNED; /* of exp2(logit − maximum) so far, lane by lane */
} rows_state;

/* Of so many rows from `row` on, filled up to whole vectors. */
inline void begin_rows(rows_state *state, uint row, uint rows)
{
    for (uint r = row; r < row + rows; r += WIDTH)
        VF_PUT((vf)(FLOOR), state->maximum + r);
    for (uint r = row; r < row + rows; r++)
        VF_PUT((vf)(0.0f), state->sums + r * WIDTH);
}

/* Caps and masks the logits [rows][BLOCK_KEYS] of a strip and the block from key `first` on, and
 * brings its maxima and corrections up to date. `row`: the strip's first in the tile. */
inline void find_maxima(const problem *p, const extent *e, __global const uchar *padding,
                        __global const uchar *mask, uint row, uint rows, uint first, uint cols,
                        float *logits, rows_state *state)
{
    vf tops[STRIP_ROWS];
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
        vf highest = max(before, across_each_max(tops + r));
        VF_PUT(highest, state->maximum + row + r);
        VF_PUT(exp2_fast(before - highest), state->correction + row + r);
    }
}

/* Logits of a strip → what the values are multiplied by. */
inline void softmax_strip(const problem *p, const extent *e, uint row, uint rows, uint first,
                          uint cols, float *logits, rows_state *state)
{
    for (uint r = 0; r < rows; r++) {
        float *sums = state->sums + (row + r) * WIDTH;
        vf part = exponentials(logits + r * BLOCK_KEYS, cols, state->maximum[row + r]);
        VF_PUT(FMA(VF_LOAD(sums), (vf)(state->correction[row + r]), part), sums);
    }
    if (p->flags & DROPOUT) {
        uint key = dropout_key(p->seed_low, p->seed_high, e->matrix);
        for (uint r = 0; r < rows; r++)
            drop_row(p, key, e->row + row + r, first, 0, cols, logits + r * BLOCK_KEYS);
    }
#if PAIRS
    for (uint r = 0; r < rows; r++)
        pair_weights(logits + r * BLOCK_KEYS, cols);
#endif
}

/* The results of a strip of a piece, for merge.cl; output: its first row. */
inline void write_piece(const problem *p, const job *j, const extent *e, uint row, uint rows,
                        const rows_state *state, const float *output, __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    pieces += (e->piece * j->tile_rows + row) * width;
    for (uint r = 0; r < rows; r++, pieces += width) {
        pieces[0] = state->maximum[row + r];
        pieces[1] = across_sum(VF_LOAD(state->sums + (row + r) * WIDTH));
        if (j->with_output)
            write_output(p, output + r * PAIR, j->tile_rows, 0, 1.0f, pieces + 2);
    }
}

/* The statistics of a strip of whole rows, and the factors of its outputs: 0 where all keys of a row
 * are blocked. */
inline void write_stats(const problem *p, const extent *e, uint row, uint rows,
                        const rows_state *state, float *factors, __global float2 *stats)
{
    float totals[STRIP_ROWS] ALIGNED;
    for (uint r = 0; r < rows; r += WIDTH) {
        vf sums[WIDTH];
        for (int i = 0; i < WIDTH; i++)
            sums[i] = VF_LOAD(state->sums + (row + r + i) * WIDTH);
        vf total = across_each_sum(sums);
        VF_PUT(total, totals + r);
        VF_PUT(select((vf)(0.0f), 1.0f / total, total > 0.0f), factors + r);
    }
    stats += (ulong)e->matrix * p->queries + e->row + row;
    for (uint r = 0; r < rows; r++)
        stats[r] = (float2)(state->maximum[row + r], totals[r]);
}

/* The outputs of a strip of whole rows that have not gone straight to where they go. */
inline void write_rows(const problem *p, uint tile_rows, const strip *s, const float *output,
                       const float *factors, __global float *to)
{
    for (uint r = 0; r < s->rows; r++)
        write_output(p, output + r * PAIR, tile_rows, s->straight, factors[r], to + r * p->out_row);
}

/* Output [chunks,tile_rows,PAIR] of so many rows ← 0, from a chunk on. */
inline void clear_output(const problem *p, uint tile_rows, uint chunk, uint rows, float *output)
{
    for (uint c = chunk; c < p->value_chunks; c++)
        for (uint i = 0; i < rows * PAIR; i += WIDTH)
            VF_PUT((vf)(0.0f), output + c * tile_rows * PAIR + i);
}

/* q [M,Tq,dim], k [M,panels,dim,PAIR], v [M,chunks,Tk,PAIR], w [dim], padding [B,Tk] → out by its
 * strides and stats [M,Tq]; or, where tiles are cut into pieces, `pieces` as merge.cl wants them.
 */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
attend(problem p, job j, __global const float *q, __global const float *k, __global const float *v,
       __global const float *w, __global const uchar *padding, __global const uchar *mask,
       __global float *out, __global float2 *stats, __global float *pieces)
{
#if SQUARES
    uint cut[TILE_FLOATS / 2 * PARTS] ALIGNED;
#else
    query_tile queries;
#endif
    float output[TILE_FLOATS] ALIGNED;
    float logits[STRIP_ROWS * BLOCK_KEYS] ALIGNED;
    rows_state state;
    extent e = extent_of(&p, &j, j.first + get_global_id(0));

    q += ((ulong)e.matrix * p.queries + e.row) * p.dim;
#if PAIRS
    paired_block block;
    const float scale = p.scale;
    const uint steps = STEPS(p.dim), stride = STRIDE(steps);
    uint *pairs = (uint *)queries.rows;
    pair_queries(q, e.rows, p.dim, stride, pairs);
#elif SQUARES
    cut_block block;
    const float scale = p.scale;
    const uint steps = STEPS_OF(p.dim);
    cut_queries(q, e.rows, p.dim, SCALE_OF_QUERIES(scale), cut);
    begin_squares();
#else
    const float scale = p.scale;
#endif
    p.scale = 1.0f; /* for masked_logit() */
    uint keys = key_matrix(&p, e.matrix);
    k += (ulong)keys * p.panels * p.dim * PAIR;
    v += (ulong)keys * p.value_chunks * p.key_room * PAIR;
    out += out_at(&p, &e);
    for (uint first = e.begin; first == e.begin || first < e.end; first += BLOCK_KEYS) {
#if PAIRS
        if (first < e.end)
            pair_block(&p, k + (ulong)first * p.dim, v + (ulong)first * PAIR,
                       j.with_output ? p.value_chunks : 0, min((uint)BLOCK_KEYS, e.end - first),
                       &block);
#elif SQUARES
        if (first < e.end)
            cut_keys_and_values(&p, k + (ulong)first * p.dim, v + (ulong)first * PAIR,
                                j.with_output ? p.value_chunks : 0,
                                min((uint)BLOCK_KEYS, e.end - first), &block);
#endif
        for (uint row = 0; row < e.rows; row += STRIP_ROWS) {
            strip s = strip_of(&p, &j, &e, row, first);
            uint padded = (s.cols + PAIR - 1) / PAIR * PAIR;
            float factors[STRIP_ROWS] ALIGNED;
            float *sums = output + row * PAIR, *correction = state.correction + row;
            if (s.begins) {
#if !PAIRS && !SQUARES
                begin_tile(&queries, row, q + row * p.dim, p.dim, w, s.rows, p.dim, scale);
#endif
                begin_rows(&state, row, s.rows);
                clear_output(&p, j.tile_rows, s.straight, s.rows, sums);
            }
            if (s.cols) {
#if PAIRS
                score_pairs(pairs + row * stride, stride, steps, scale, s.rows, padded, &block,
                            logits);
#elif SQUARES
                score_squares(cut + row / STRIP_ROWS * steps * STEP_SQUARES, steps, scale, s.rows,
                              padded, &block, logits);
#else
                score_block(&queries, row, s.rows, k + (ulong)first * p.dim, w, 0, padded, logits);
#endif
                find_maxima(&p, &e, padding, mask, row, s.rows, first, padded, logits, &state);
                softmax_strip(&p, &e, row, s.rows, first, padded, logits, &state);
            }
            if (s.ends && j.splits == 1)
                write_stats(&p, &e, row, s.rows, &state, factors, stats);
            if (s.cols && j.with_output) {
#if PAIRS
                add_paired_values(&p, logits, &block, j.tile_rows, s.rows, s.cols, correction,
                                  sums);
#elif SQUARES
                add_cut_values(&p, logits, &block, j.tile_rows, s.rows, s.cols, correction, sums);
#else
                write_values(&p, logits, v + (ulong)first * PAIR, j.tile_rows, &s, correction, sums,
                             factors, out + row * p.out_row);
                add_values(&p, logits, v + (ulong)first * PAIR, j.tile_rows, &s, correction, sums);
#endif
            }
            if (s.ends && j.splits > 1)
                write_piece(&p, &j, &e, row, s.rows, &state, sums, pieces);
            else if (s.ends && j.with_output)
                write_rows(&p, j.tile_rows, &s, sums, factors, out + row * p.out_row);
        }
    }
#if SQUARES
    end_squares();
#endif
}

#endif

/* Logits begin … end − 1 of a row → weights. */
inline void finish_row(const problem *p, uint matrix, uint row, uint first, uint begin, uint end,
                       float2 stat, float *line)
{
#if NORMALIZER
    for (uint n = begin; n < end; n += WIDTH)
        VF_PUT(SPARSE_WEIGHT(VF_LOAD(line + n), stat), line + n);
#else
    float inverse = stat.y > 0.0f ? 1.0f / stat.y : 0.0f;
    for (uint n = begin; n < end; n += WIDTH)
        VF_PUT(exp2_fast(VF_LOAD(line + n) - stat.x) * inverse, line + n);
#endif
    if (p->flags & DROPOUT)
        drop_row(p, dropout_key(p->seed_low, p->seed_high, matrix), row, first, begin, end, line);
}

/* A unit is WEIGHT_ROWS rows of one block: their weights, as far as they lie in the rectangle of j,
 * into weights [rows,cols] of that rectangle. Where weights may be 0, also of the matrices behind it, and
 * logits in their place (sparse.clh). */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
weights(problem p, job JOB, __global const float *q, __global const float *k,
        __global const float *w, __global const uchar *padding, __global const uchar *mask,
        __global const float2 *stats, __global float *weights)
{
    TAKE_JOB(get_global_id(1))
#if SQUARES
    uint queries[SQUARES_WIDEST / STEP * STEP_SQUARES] ALIGNED;
#else
    query_tile queries;
#endif
    float logits[WEIGHT_ROWS * BLOCK_KEYS] ALIGNED;
    uint first_block = j.col_begin / BLOCK_KEYS;
    uint blocks = (j.col_end - 1) / BLOCK_KEYS - first_block + 1;
    uint first = (first_block + get_global_id(0) % blocks) * BLOCK_KEYS;
    uint row = j.row_begin + get_global_id(0) / blocks * WEIGHT_ROWS;
    uint rows = min((uint)WEIGHT_ROWS, j.row_end - row);
    uint left = max(j.col_begin, first) - first, right = min(j.col_end - first, (uint)BLOCK_KEYS);
    uint begin = left / PAIR * PAIR, end = (right + PAIR - 1) / PAIR * PAIR;
#if NORMALIZER
    weights += matrix_place(&j, get_global_id(1));
    if (has_no_logits(&p, &j, row, rows, first, BLOCK_KEYS))
        return;
#endif
    ulong query = (ulong)j.matrix * p.queries + row;

    k += ((ulong)key_matrix(&p, j.matrix) * p.panels * PAIR + first) * p.dim;
#if SQUARES
    cut_queries(q + query * p.dim, rows, p.dim, SCALE_OF_QUERIES(p.scale), queries);
    score_keys(queries, k, p.dim, p.scale, rows, begin, end, logits);
#else
    begin_tile(&queries, 0, q + query * p.dim, p.dim, w, rows, p.dim, p.scale);
    score_block(&queries, 0, rows, k, w, begin, end, logits);
#endif
    p.scale = 1.0f; /* for masked_logit() */
    for (uint r = 0; r < rows; r++) {
        float *line = logits + r * BLOCK_KEYS;
        uint from = max(begin, first_masked(&p, row + r, first, end));
        cap_row(&p, end - begin, line + begin, (float *)0);
        if (from < end)
            mask_row(&p, padding, mask, j.matrix, row + r, first, from, end, line);
        UNLESS_LOGITS(j)
        finish_row(&p, j.matrix, row + r, first, begin, end, stats[query + r], line);
        ulong at = (ulong)(row + r - j.row_begin) * (j.col_end - j.col_begin);
        write_row(line + left, 1.0f, right - left, weights + at + first + left - j.col_begin);
    }
}
