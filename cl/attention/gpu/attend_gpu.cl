/* Attention on a GPU: a group per tile of TILE_ROWS queries, in registers 8 × 4 or so per
 * work-item. For each panel of BLOCK_KEYS keys
 *   1. the scores, from slices of queries and keys staged in local memory;
 *   2. the online softmax in registers: only the rows' maxima, and at the very end their sums, are
 *      brought together through local memory;
 *   3. weights · values, the weights out of local memory, the values staged slice by slice.
 * tile_gpu.clh has both products. Nothing of a vendor's own is needed. */
#include "attention/gpu/tile_gpu.clh"
#include "attention/extent.clh"
#include "common/philox.clh"
#include "attention/masks.clh"
#include "attention/sparse.clh"

#ifndef HALVES
#error "define HALVES: 1 where query, key and value are float16"
#endif
/* Keys whose values are staged at a time. */
#define VALUE_DEPTH (COLUMNS > 6 && DEPTH > 8 ? DEPTH / 2 : DEPTH)

/* Local memory, in vectors. Rows of a slice of queries lie dense where two neighbours then meet
 * other banks. The weights of a panel take the place of the slices of its scores, and the rows'
 * maxima that of a slice of values: neither is needed while the other is. */
#define QUERY_PITCH (DEPTH < 32 ? DEPTH / 4 : DEPTH / 4 + 1)
#define QUERY_VECTORS (TILE_ROWS * (DEPTH / 4))
#define KEY_VECTORS (DEPTH * (BLOCK_KEYS / 4))
#define VALUE_VECTORS (VALUE_DEPTH * (WIDE / 4))
#define SLICE (TILE_ROWS * QUERY_PITCH + KEY_VECTORS)
#define TOP_PITCH (TILE_ROWS + 2) /* floats */
#define TOP_VECTORS ((ACROSS * TOP_PITCH + 3) / 4)
#define FIRST_VECTORS MOST(2 * SLICE, TILE_ROWS * WEIGHT_PITCH)
#define SECOND_VECTORS MOST(2 * VALUE_VECTORS, TOP_VECTORS)

/* Four numbers of a query, key or value, as they lie in global memory. Halves are read as bits: not
 * every compiler makes one read of a vloada_half4. */
#if HALVES
#define storage_t half
ALWAYS_INLINE vf four_halves(uint2 bits)
{
    return vload_half4(0, (const half *)&bits);
}
#define FETCH(at, i) four_halves(((__global const uint2 *)(at))[i])
#else
#define storage_t float
#define FETCH(at, i) (((__global const vf *)(at))[i])
#endif

/* One work-item's part of its tile. */
typedef struct tile_sums {
    vf score[ROWS_EACH][VECTORS];
    float output[ROWS_EACH][COLUMNS];
    float sum[ROWS_EACH]; /* of exp2(logit − maximum), over this work-item's keys alone */
} tile_sums;

/* ---------------------------------------------------------------- scores */

/* Coordinates c … c + DEPTH − 1 of the tile's queries (q: the first of `rows`) and of a panel of
 * keys, as far as this work-item stages them. dim is a multiple of DEPTH. */
ALWAYS_INLINE void fetch_scores(__global const storage_t *q, __global const storage_t *panel,
                                uint rows, uint dim, uint c, vf queries[SHARE(QUERY_VECTORS)],
                                vf keys[SHARE(KEY_VECTORS)])
{
    UNROLL_FOR(uint n = 0; n < SHARE(QUERY_VECTORS); n++)
        if (IS_ONE(n, QUERY_VECTORS)) {
            uint row = min(NTH(n) / (DEPTH / 4), rows - 1);
            queries[n] = FETCH(q, (row * dim + c) / 4 + NTH(n) % (DEPTH / 4));
        }
    UNROLL_FOR(uint n = 0; n < SHARE(KEY_VECTORS); n++)
        if (IS_ONE(n, KEY_VECTORS))
            keys[n] = FETCH(panel, c * (BLOCK_KEYS / 4) + NTH(n));
}

ALWAYS_INLINE void stage_scores(const vf queries[SHARE(QUERY_VECTORS)],
                                const vf keys[SHARE(KEY_VECTORS)], __local vf *slice)
{
    UNROLL_FOR(uint n = 0; n < SHARE(QUERY_VECTORS); n++)
        if (IS_ONE(n, QUERY_VECTORS))
            slice[NTH(n) / (DEPTH / 4) * QUERY_PITCH + NTH(n) % (DEPTH / 4)] = queries[n];
    UNROLL_FOR(uint n = 0; n < SHARE(KEY_VECTORS); n++)
        if (IS_ONE(n, KEY_VECTORS))
            slice[TILE_ROWS * QUERY_PITCH + NTH(n)] = keys[n];
}

/* Adds the coordinates d to d + 3 of a slice to the scores; w: their weights. */
ALWAYS_INLINE void add_slice(__local const vf *slice, __global const float *w, uint d,
                             vf score[ROWS_EACH][VECTORS])
{
    float weights[4] = {COORDINATE_WEIGHT(w, 0), COORDINATE_WEIGHT(w, 1), COORDINATE_WEIGHT(w, 2),
                        COORDINATE_WEIGHT(w, 3)};
    add_coordinates(true, slice + ITEM_Y * QUERY_PITCH + d / 4, QUERY_PITCH,
                    slice + TILE_ROWS * QUERY_PITCH + d * (BLOCK_KEYS / 4) + ITEM_X, BLOCK_KEYS / 4,
                    weights, score);
}

/* The raw scores of this work-item's queries and keys. No work-item may still read `slices`. */
ALWAYS_INLINE void score_tile(__global const storage_t *q, __global const storage_t *panel,
                              __global const float *w, uint rows, uint dim, __local vf *slices,
                              vf score[ROWS_EACH][VECTORS])
{
    vf queries[SHARE(QUERY_VECTORS)], keys[SHARE(KEY_VECTORS)];
#if IN_PARTS
    vf part[ROWS_EACH][VECTORS];
    clear_tile(part);
#define SUMS part
#else
#define SUMS score
#endif
    clear_tile(score);
    fetch_scores(q, panel, rows, dim, 0, queries, keys);
    for (uint c = 0; c < dim; c += DEPTH) {
        __local vf *slice = slices + c / DEPTH % 2 * SLICE;
        stage_scores(queries, keys, slice);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (c + DEPTH < dim)
            fetch_scores(q, panel, rows, dim, c + DEPTH, queries, keys);
        UNROLL_DOT_FOR(uint d = 0; d < DEPTH; d += 4)
            add_slice(slice, w + c + d, d, SUMS);
#if IN_PARTS
        if ((c + DEPTH) % PART == 0 || c + DEPTH == dim)
            join_part(part, score);
#endif
    }
}

/* ---------------------------------------------------------------- masks and softmax */

/* The base-2 logits of query `row` and the keys col … col + 3: masked_logit() of masks.clh for
 * four. */
ALWAYS_INLINE vf masked_logits(const problem *p, __global const uchar *padding,
                               __global const uchar *mask, uint matrix, uint row, uint col, vf raw)
{
    uint batch = matrix / p->heads, head = matrix % p->heads, last = p->keys - 1;
    ulong at = batch * p->mask_batch + head * p->mask_head + row * p->mask_query;
    vi key = (vi)((int)col) + LANES, hidden = key > (vi)((int)last);
    vf bias = 0.0f;
    int place = place_of_query(p, row), window = (int)p->window;
    if (p->flags & CAUSAL)
        hidden |= key > (vi)(place);
    if (p->flags & WINDOW)
        hidden |= (key <= (vi)(place - window)) | (key >= (vi)(place + window));
    if (p->flags & PADDING)
        hidden |= bytes_of(padding + (ulong)batch * p->keys, 1, col, last) != 0;
    if (p->flags & MASK_BOOL)
        hidden |= bytes_of(mask + at, p->mask_key, col, last) != 0;
    if (p->flags & MASK_FLOAT)
        bias = floats_of((__global const float *)mask + at, p->mask_key, col, last);
    hidden |= bias <= (vf)(BLOCKED);
    return hidden ? (vf)(BLOCKED) : FMA(raw, (vf)(LOGIT_SCALE(p)), bias);
}

/* dropout_factor() of the keys col … col + 3. */
ALWAYS_INLINE vf dropout_factors(const problem *p, uint key, uint row, uint col)
{
    return (vf)(dropout_factor(p, key, row, col), dropout_factor(p, key, row, col + 1),
                dropout_factor(p, key, row, col + 2), dropout_factor(p, key, row, col + 3));
}

/* What gives base-2 logits when scores that nothing masks are multiplied by it: the scale's
 * magnitude, since the rows' maxima are taken before; its sign goes into the scores. */
ALWAYS_INLINE float plain_factor(const problem *p, vf score[ROWS_EACH][VECTORS])
{
    if (LOGIT_SCALE(p) < 0.0f)
        UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
            UNROLL_FOR(uint n = 0; n < VECTORS; n++)
                score[i][n] = -score[i][n];
    return fabs(LOGIT_SCALE(p));
}

/* Raw scores → CAPPED(). */
ALWAYS_INLINE void cap_tile(const problem *p, vf score[ROWS_EACH][VECTORS])
{
#if SOFTCAP
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint n = 0; n < VECTORS; n++)
            score[i][n] = CAPPED(p, score[i][n]);
#endif
}

/* CAPPED() scores of `rows` queries from `row` on and a panel whose first key is `first` → what
 * gives base-2 logits when multiplied by the factor returned. Where a mask may change some, row
 * after row goes through `scratch`, where slices of scores were: masking all of them at once would
 * take more registers than the products. */
ALWAYS_INLINE float mask_tile(const problem *p, __global const uchar *padding,
                              __global const uchar *mask, uint matrix, uint row, uint rows,
                              uint first, __local vf *scratch, vf score[ROWS_EACH][VECTORS])
{
    barrier(CLK_LOCAL_MEM_FENCE);
    uint seen = p->keys; /* by the first query */
    if (p->flags & CAUSAL)
        seen = min(seen, causal_end(place_of_query(p, row)));
    if (!(p->flags & (PADDING | MASK_BOOL | MASK_FLOAT | WINDOW)) && first + BLOCK_KEYS <= seen)
        return plain_factor(p, score);
    scratch += ITEM_Y * WEIGHT_PITCH + ITEM_X;
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint n = 0; n < VECTORS; n++)
            scratch[i * DOWN * WEIGHT_PITCH + n * ACROSS] = score[i][n];
    for (uint i = 0; i < ROWS_EACH; i++)
        for (uint n = 0; n < VECTORS; n++) {
            uint at = i * DOWN * WEIGHT_PITCH + n * ACROSS;
            scratch[at] =
                masked_logits(p, padding, mask, matrix, row + min(ITEM_Y + DOWN * i, rows - 1),
                              first + 4 * (ITEM_X + ACROSS * n), scratch[at]);
        }
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint n = 0; n < VECTORS; n++)
            score[i][n] = scratch[i * DOWN * WEIGHT_PITCH + n * ACROSS];
    return 1.0f;
}

/* exp2(logit − maximum). One rounding, explicitly: a compiler that fuses a product and a difference
 * in one kernel and not in another would give weights that do not fit their sums. */
ALWAYS_INLINE vf weights_of(vf score, float factor, float maximum)
{
    return EXP2(FMA(score, (vf)factor, (vf)(-maximum)));
}

#if NORMALIZER == SOFTMAX_WEIGHTS
/* This work-item's largest logits → the tile's state (maximum so far, exp2(the one before − it)).
 * Begins where `tops` is free, ends with a barrier. */
ALWAYS_INLINE void raise_maxima(vf score[ROWS_EACH][VECTORS], float factor, __local float *tops,
                                __local float2 *state)
{
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
        vf top = score[i][0];
        for (uint n = 1; n < VECTORS; n++)
            top = max(top, score[i][n]);
        tops[ITEM_X * TOP_PITCH + ITEM_Y + DOWN * i] = across_max(top) * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = ITEM; r < TILE_ROWS; r += GROUP_ITEMS) {
        float before = state[r].x, highest = before;
        UNROLL_FOR(uint x = 0; x < ACROSS; x++)
            highest = max(highest, tops[x * TOP_PITCH + r]);
        state[r] = (float2)(highest, EXP2((vf)(before - highest)).x);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Logits → what the values are multiplied by, [TILE_ROWS][WEIGHT_PITCH] in local memory; sums and
 * outputs so far are brought to the new maxima. */
ALWAYS_INLINE void softmax_tile(__local const float2 *state, float factor, __local vf *weights,
                                tile_sums *s)
{
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
        uint r = ITEM_Y + DOWN * i;
        float2 now = state[r];
        s->sum[i] *= now.y;
        UNROLL_FOR(uint c = 0; c < COLUMNS; c++)
            s->output[i][c] *= now.y;
        UNROLL_FOR(uint n = 0; n < VECTORS; n++) {
            vf weight = weights_of(s->score[i][n], factor, now.x);
            s->sum[i] += across_sum(weight);
            weights[r * WEIGHT_PITCH + ITEM_X + ACROSS * n] = weight;
        }
    }
}

/* Drops some of the weights that this work-item put into local memory. */
ALWAYS_INLINE void drop_weights(const problem *p, const extent *e, uint first, __local vf *weights)
{
    uint key = dropout_key(p->seed_low, p->seed_high, e->matrix);
    for (uint r = ITEM_Y; r < TILE_ROWS; r += DOWN)
        UNROLL_FOR(uint x = ITEM_X; x < BLOCK_KEYS / 4; x += ACROSS)
            weights[r * WEIGHT_PITCH + x] *= dropout_factors(p, key, e->row + r, first + 4 * x);
}

/* Every work-item's sums → the tile's state (maximum, sum). Begins where `tops` is free, ends with a
 * barrier. */
ALWAYS_INLINE void gather_sums(const float sum[ROWS_EACH], __local float *tops,
                               __local float2 *state)
{
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        tops[ITEM_X * TOP_PITCH + ITEM_Y + DOWN * i] = sum[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = ITEM; r < TILE_ROWS; r += GROUP_ITEMS) {
        float whole = 0.0f;
        for (uint x = 0; x < ACROSS; x++)
            whole += tops[x * TOP_PITCH + r];
        state[r].y = whole;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---------------------------------------------------------------- values */

/* VALUE_DEPTH values from v on, of which there are `left`, as far as this work-item stages them. */
ALWAYS_INLINE void fetch_values(__global const storage_t *v, uint left,
                                vf values[SHARE(VALUE_VECTORS)])
{
    UNROLL_FOR(uint n = 0; n < SHARE(VALUE_VECTORS); n++)
        if (IS_ONE(n, VALUE_VECTORS))
            values[n] = NTH(n) / (WIDE / 4) < left ? FETCH(v, NTH(n)) : (vf)(0.0f);
}

ALWAYS_INLINE void stage_values(const vf values[SHARE(VALUE_VECTORS)], __local vf *slice)
{
    UNROLL_FOR(uint n = 0; n < SHARE(VALUE_VECTORS); n++)
        if (IS_ONE(n, VALUE_VECTORS))
            slice[NTH(n)] = values[n];
}

/* output += weights · values of a panel that has `keys` of use. v: its first value, [keys][WIDE];
 * `fetched`: its first slice. Ends with a barrier. */
ALWAYS_INLINE void add_values(__global const storage_t *v, uint keys,
                              vf fetched[SHARE(VALUE_VECTORS)], __local const vf *weights,
                              __local vf *slices, float output[ROWS_EACH][COLUMNS])
{
    weights += ITEM_Y * WEIGHT_PITCH;
    for (uint k = 0; k < keys; k += VALUE_DEPTH) {
        __local vf *slice = slices + k / VALUE_DEPTH % 2 * VALUE_VECTORS;
        uint next = k + VALUE_DEPTH;
        stage_values(fetched, slice);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (next < keys)
            fetch_values(v + next * WIDE, keys - next, fetched);
        UNROLL_FOR(uint d = 0; d < VALUE_DEPTH; d += 4)
            add_rows(weights + (k + d) / 4, slice + d * (WIDE / 4), output);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---------------------------------------------------------------- results */

/* One query's columns of this work-item, times `factor`; `to` is the row's first column. */
ALWAYS_INLINE void write_columns(const problem *p, const extent *e, const float output[COLUMNS],
                                 float factor, __global float *to)
{
    UNROLL_FOR(uint c = 0; c < COLUMNS; c++) {
        uint column = e->chunk * WIDE + COLUMN_OF(c);
        if (column < p->value_dim)
            to[column] = output[c] * factor;
    }
}

/* The results of a piece, for merge.cl. */
ALWAYS_INLINE void write_piece(const problem *p, const job *j, const extent *e,
                               __local const float2 *state, float output[ROWS_EACH][COLUMNS],
                               __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    pieces += e->piece * j->tile_rows * width;
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
        uint r = ITEM_Y + DOWN * i;
        __global float *piece = pieces + (ulong)r * width;
        if (r >= e->rows)
            continue;
        if (ITEM_X == 0 && e->chunk == 0) {
            piece[0] = state[r].x;
            piece[1] = state[r].y;
        }
        if (j->with_output)
            write_columns(p, e, output[i], 1.0f, piece + 2);
    }
}

/* The results of whole rows; a row whose keys are all blocked gives 0. */
ALWAYS_INLINE void write_rows(const problem *p, const job *j, const extent *e,
                              __local const float2 *state, float output[ROWS_EACH][COLUMNS],
                              __global float *out, __global float2 *stats)
{
    stats += (ulong)e->matrix * p->queries + e->row;
    out += out_at(p, e);
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
        uint r = ITEM_Y + DOWN * i;
        if (r >= e->rows)
            continue;
        float sum = state[r].y;
        if (ITEM_X == 0 && e->chunk == 0)
            stats[r] = state[r];
        if (j->with_output)
            write_columns(p, e, output[i], sum > 0.0f ? 1.0f / sum : 0.0f, out + r * p->out_row);
    }
}

/* ---------------------------------------------------------------- kernels */

/* q [M,Tq,dim], k [M,panels,dim,BLOCK_KEYS], v [M,chunks,Tk,WIDE], w [dim], padding [B,Tk]; dim is
 * a multiple of DEPTH → out by its strides and stats [M,Tq]; or, where tiles are cut into pieces,
 * `pieces` as merge.cl wants them. */
REQD_GROUP(GROUP_ITEMS)
__kernel void attend(problem p, job j, __global const storage_t *q, __global const storage_t *k,
                     __global const storage_t *v, __global const float *w,
                     __global const uchar *padding, __global const uchar *mask, __global float *out,
                     __global float2 *stats, __global float *pieces)
{
    __local vf first_scratch[FIRST_VECTORS], second_scratch[SECOND_VECTORS];
    __local float2 state[TILE_ROWS];
    __local float *tops = (__local float *)second_scratch;
    extent e = extent_of(&p, &j, j.first + get_group_id(0));
    vf values[SHARE(VALUE_VECTORS)];
    tile_sums s;

    clear_columns(s.output);
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        s.sum[i] = 0.0f;
    for (uint r = ITEM; r < TILE_ROWS; r += GROUP_ITEMS)
        state[r].x = FLOOR;
    q += ((ulong)e.matrix * p.queries + e.row) * p.dim;
    uint keys_of = key_matrix(&p, e.matrix);
    k += (ulong)keys_of * p.panels * p.dim * BLOCK_KEYS;
    v += ((ulong)keys_of * p.value_chunks + e.chunk) * p.key_room * WIDE;
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
        uint keys = j.with_output ? min((uint)BLOCK_KEYS, e.end - first) : 0;
        score_tile(q, k + (ulong)first * p.dim, w, e.rows, p.dim, first_scratch, s.score);
        cap_tile(&p, s.score);
        fetch_values(v + (ulong)first * WIDE, keys, values);
        float factor =
            mask_tile(&p, padding, mask, e.matrix, e.row, e.rows, first, first_scratch, s.score);
        raise_maxima(s.score, factor, tops, state);
        softmax_tile(state, factor, first_scratch, &s);
        if (p.flags & DROPOUT)
            drop_weights(&p, &e, first, first_scratch);
        add_values(v + (ulong)first * WIDE, keys, values, first_scratch, second_scratch, s.output);
    }
    gather_sums(s.sum, tops, state);
    if (j.splits > 1)
        write_piece(&p, &j, &e, state, s.output, pieces);
    else
        write_rows(&p, &j, &e, state, s.output, out, stats);
}

#endif

/* Four weights of a row from key col on, as far as they lie in begin … end − 1; row: key begin's.
 */
ALWAYS_INLINE void store_weights(vf weight, uint col, uint begin, uint end, __global float *row)
{
    float lanes[4];
    vstore4(weight, 0, lanes);
    UNROLL_FOR(uint i = 0; i < 4; i++)
        if (col + i >= begin && col + i < end)
            row[col + i - begin] = lanes[i];
}

/* A group is TILE_ROWS rows of one panel: their weights, as far as they lie in the rectangle of j,
 * into weights [rows,cols] of that rectangle. Where weights may be 0, also of the matrices behind it, and
 * logits in their place (sparse.clh). */
REQD_GROUP(GROUP_ITEMS)
__kernel void weights(problem p, job JOB, __global const storage_t *q, __global const storage_t *k,
                      __global const float *w, __global const uchar *padding,
                      __global const uchar *mask, __global const float2 *stats,
                      __global float *weights)
{
    TAKE_JOB(get_group_id(1))
    __local vf scratch[FIRST_VECTORS];
    vf score[ROWS_EACH][VECTORS];
    uint first_panel = j.col_begin / BLOCK_KEYS;
    uint panels = (j.col_end - 1) / BLOCK_KEYS - first_panel + 1;
    uint panel = first_panel + get_group_id(0) % panels;
    uint row = j.row_begin + get_group_id(0) / panels * TILE_ROWS, rows = j.row_end - row;
    uint cols = j.col_end - j.col_begin;
#if NORMALIZER
    weights += matrix_place(&j, get_group_id(1));
    if (has_no_logits(&p, &j, row, min((uint)TILE_ROWS, rows), panel * BLOCK_KEYS, BLOCK_KEYS))
        return;
#endif
    uint key = dropout_key(p.seed_low, p.seed_high, j.matrix);
    q += ((ulong)j.matrix * p.queries + row) * p.dim;
    k += ((ulong)key_matrix(&p, j.matrix) * p.panels + panel) * p.dim * BLOCK_KEYS;
    score_tile(q, k, w, rows, p.dim, scratch, score);
    cap_tile(&p, score);
    float factor =
        mask_tile(&p, padding, mask, j.matrix, row, rows, panel * BLOCK_KEYS, scratch, score);

    weights += (ulong)(row - j.row_begin) * cols;
    stats += (ulong)j.matrix * p.queries + row;
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
        uint r = ITEM_Y + DOWN * i;
        if (r >= rows)
            continue;
        float2 stat = stats[r];
#if !NORMALIZER
        float inverse = stat.y > 0.0f ? 1.0f / stat.y : 0.0f;
#endif
        UNROLL_FOR(uint n = 0; n < VECTORS; n++) {
            uint col = panel * BLOCK_KEYS + 4 * (ITEM_X + ACROSS * n);
#if NORMALIZER
            vf logit = score[i][n] * factor;
            vf weight = WANTS_LOGITS(j) ? logit : SPARSE_WEIGHT(logit, stat);
#else
            vf weight = weights_of(score[i][n], factor, stat.x) * inverse;
#endif
            if (p.flags & DROPOUT AND_NO_LOGITS(j))
                weight *= dropout_factors(&p, key, row + r, col);
            store_weights(weight, col, j.col_begin, j.col_end, weights + (ulong)r * cols);
        }
    }
}
