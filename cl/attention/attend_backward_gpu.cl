/* The backward pass of attention by groups of 64 work-items, for every GPU: nothing of a vendor's
 * own, no atomics. A group has a tile of keys (kernel `back_keys`: dK and dV) or of queries
 * (`back_queries`: dQ), whose gradients stay in registers while the tiles of the other side pass
 * by. For each pair of tiles, TILE × TILE,
 *   1. the raw scores and dO Vᵀ, by register tiles of 4 queries × a vector of 4 keys, with slices
 *      of DEPTH coordinates in local memory;
 *   2. from both, P∘D and the gradient of the raw score, which go to local memory;
 *   3. what they add to the gradients, slice by slice.
 * Two passes instead of one cost two products in seven, and need no sums over groups: every run
 * gives the same. */
#include "common/common.clh"
#include "attention/problem.clh"
#include "common/vector.clh"
#include "common/philox.clh"
#include "attention/score.clh"
#include "attention/masks.clh"
#include "attention/backward.clh"

#ifndef TILE_ROWS
#error "define TILE_ROWS and BLOCK_KEYS: 32, queries and keys of a tile"
#endif
#ifndef DEPTH
#error "define DEPTH: 16, coordinates of a slice"
#endif
#ifndef COLUMNS
#error "define COLUMNS: slices of the widest head"
#endif
#if TILE_ROWS != 32 || BLOCK_KEYS != 32 || DEPTH != 16 || WIDTH != 4
#error "attend_backward_gpu is written for tiles of 32 × 32, slices of 16 and vectors of 4"
#endif

#define TILE 32
#define ACROSS (TILE / 4)       /* work-items */
#define ITEMS (ACROSS * ACROSS) /* of a group */
#define LINE (TILE + 4)         /* floats of a line in local memory, whole vectors */
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)

/* The local memory of a group. */
typedef struct shared_tiles {
    float left[DEPTH * LINE], right[DEPTH * LINE];   /* slices, coordinate by coordinate */
    float weights[TILE * LINE], slopes[TILE * LINE]; /* of step 2, [other side][own side] */
    float
        along[TILE * ACROSS]; /* parts of Σ slope · score of each query, for the scale's gradient */
} shared_tiles;

/* A pair of tiles. */
typedef struct pair_of_tiles {
    uint matrix, keys; /* the matrices of the queries and of the keys */
    uint row, col;     /* the first query and key */
} pair_of_tiles;

/* Rows of a tile, as they lie in memory. */
typedef struct rows {
    __global const float *first;
    ulong apart;
    uint count, dim;
} rows;

inline rows rows_at(__global const float *first, ulong apart, uint at, uint end, uint dim)
{
    rows r = {first, apart, min((uint)TILE, end - at), dim};
    return r;
}

inline rows query_rows(const backward *b, const pair_of_tiles *t, __global const float *q)
{
    return rows_at(q + b->query.first + query_place(b, b->query, t->matrix, t->row), b->query.row,
                   t->row, b->p.queries, b->p.dim);
}

inline rows above_rows(const backward *b, const pair_of_tiles *t, __global const float *dout)
{
    return rows_at(dout + b->doutput + query_place(b, b->output, t->matrix, t->row), b->output.row,
                   t->row, b->p.queries, b->p.value_dim);
}

inline rows key_rows(const backward *b, const pair_of_tiles *t, __global const float *k)
{
    return rows_at(k + b->key.first + key_place(b, b->key, t->keys, t->col), b->key.row, t->col,
                   b->p.keys, b->p.dim);
}

inline rows value_rows(const backward *b, const pair_of_tiles *t, __global const float *v)
{
    return rows_at(v + b->value.first + key_place(b, b->value, t->keys, t->col), b->value.row,
                   t->col, b->p.keys, b->p.value_dim);
}

/* Coordinates from `first` on of a tile's rows → slice [DEPTH][LINE], 0 where there is none. */
inline void stage(rows x, uint first, __local float *slice)
{
    for (uint i = ITEM; i < TILE * DEPTH; i += ITEMS) {
        uint r = i / DEPTH, c = i % DEPTH;
        slice[c * LINE + r] =
            r < x.count && first + c < x.dim ? x.first[r * x.apart + first + c] : 0.0f;
    }
}

/* ---------------------------------------------------------------- scores and slopes */

/* Where the work-item's 4 × 4 of a pair of tiles begin: its queries, and its vector of keys. */
inline uint item_row(void)
{
    return ITEM / ACROSS * 4;
}

inline uint item_col(void)
{
    return ITEM % ACROSS * 4;
}

/* Raw scores, or with `is_score` false products, of 4 rows and 4 columns. Each slice is summed up
 * on its own: less is rounded. */
ALWAYS_INLINE void compare(bool is_score, rows left, rows right, __global const float *w,
                           __local shared_tiles *s, vf *sum)
{
    for (uint r = 0; r < 4; r++)
        sum[r] = (vf)(0.0f);
    for (uint first = 0; first < left.dim; first += DEPTH) {
        uint depth = min((uint)DEPTH, left.dim - first);
        vf part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        SYNC();
        stage(left, first, s->left);
        stage(right, first, s->right);
        SYNC();
        for (uint c = 0; c < depth; c++) {
            vf column = VF_LOAD(s->right + c * LINE + item_col());
            vf row = VF_LOAD(s->left + c * LINE + item_row());
            float weight = is_score ? COORDINATE_WEIGHT(w, first + c) : 0.0f;
            float numbers[4] = {row.x, row.y, row.z, row.w};
#pragma unroll
            for (uint r = 0; r < 4; r++)
                part[r] = is_score ? score_step(part[r], (vf)(numbers[r]), column, weight)
                                   : FMA((vf)(numbers[r]), column, part[r]);
        }
        for (uint r = 0; r < 4; r++)
            sum[r] += part[r];
    }
}

/* A row's four logits; BLOCKED where there is no such query or key. */
inline vf logits_of(const problem *p, __global const uchar *padding, __global const uchar *mask,
                    uint matrix, uint row, uint col, vf raw)
{
    float lanes[4] = {raw.x, raw.y, raw.z, raw.w};
    for (uint n = 0; n < 4; n++)
        lanes[n] = row < p->queries && col + n < p->keys
                       ? masked_logit(p, padding, mask, matrix, row, col + n, lanes[n])
                       : BLOCKED;
    return (vf)(lanes[0], lanes[1], lanes[2], lanes[3]);
}

inline vf kept_of(const problem *p, uint matrix, uint row, uint col)
{
    uint key = dropout_key(p->seed_low, p->seed_high, matrix);
    return (vf)(dropout_factor(p, key, row, col), dropout_factor(p, key, row, col + 1),
                dropout_factor(p, key, row, col + 2), dropout_factor(p, key, row, col + 3));
}

/* Four numbers of a query → the tile in local memory; `by_keys`: the own side is that of the keys.
 */
inline void put(vf x, bool by_keys, uint row, uint col, __local float *tile)
{
    if (by_keys) {
        VF_STORE(x, tile + row * LINE + col);
        return;
    }
    tile[col * LINE + row] = x.x;
    tile[(col + 1) * LINE + row] = x.y;
    tile[(col + 2) * LINE + row] = x.z;
    tile[(col + 3) * LINE + row] = x.w;
}

/* Step 2 of one of the work-item's rows. `gain` is its dO Vᵀ; the slope is the gradient of the raw
 * score, dS times its scale, which p->scale has for logits in base 2. */
inline void back_row(const backward *b, const pair_of_tiles *t, bool by_keys, uint r, vf raw,
                     vf gain, __global const uchar *padding, __global const uchar *mask,
                     __global const float *stats, __global const float *delta,
                     __local shared_tiles *s)
{
    const problem *p = &b->p;
    uint row = t->row + item_row() + r, col = t->col + item_col();
    ulong index = (ulong)t->matrix * p->queries + min(row, p->queries - 1);
    float top = stats[2 * index], total = stats[2 * index + 1];
    vf turn = (vf)(1.0f), capped = raw;
#if SOFTCAP
    capped = capped_with_slope(p, raw * p->scale, &turn);
#endif
    vf logits = logits_of(p, padding, mask, t->matrix, row, col, capped);
    vf weight = exp2_fast(logits - (vf)(top)) * (total > 0.0f ? 1.0f / total : 0.0f);
    float alone = least_alone(total);
    weight = weight_of(weight, alone);
    vf kept = p->flags & DROPOUT ? kept_of(p, t->matrix, row, col) : (vf)(1.0f);
    vf slope = turn * slope_of(weight, gain * kept - (vf)(delta[index]), alone) * (p->scale * LN_2);
    float middle = middle_of(p, top);
    vf along = slope * (raw - (vf)(middle));
    put(weight * kept, by_keys, item_row() + r, item_col(), s->weights);
    put(slope, by_keys, item_row() + r, item_col(), s->slopes);
    s->along[(item_row() + r) * ACROSS + ITEM % ACROSS] = across_sum(along);
}

/* Steps 1 and 2 of a pair of tiles. */
ALWAYS_INLINE void pass_pair(const backward *b, const pair_of_tiles *t, bool by_keys,
                             __global const float *q, __global const float *k,
                             __global const float *v, __global const float *w,
                             __global const uchar *padding, __global const uchar *mask,
                             __global const float *stats, __global const float *delta,
                             __global const float *dout, __local shared_tiles *s)
{
    vf raw[4], gain[4];
    compare(true, query_rows(b, t, q), key_rows(b, t, k), w, s, raw);
    compare(false, above_rows(b, t, dout), value_rows(b, t, v), w, s, gain);
    SYNC();
    for (uint r = 0; r < 4; r++)
        back_row(b, t, by_keys, r, raw[r], gain[r], padding, mask, stats, delta, s);
    SYNC();
}

/* True where no query of the tiles may see a key of them. */
inline bool is_far(const problem *p, const pair_of_tiles *t)
{
    int ahead = (int)t->col - place_of_query(p, t->row), window = (int)p->window;
    bool far = (p->flags & CAUSAL) && ahead > TILE - 1;
    if (p->flags & WINDOW)
        far = far || -ahead >= TILE - 1 + window || ahead >= TILE - 1 + window;
    return far;
}

/* ---------------------------------------------------------------- gradients */

/* Of the gradients, a work-item has four rows of the own side, from item_row() on, and two columns
 * of each slice, from item_pair() on: a vector of rows for each column, sums[2 · slice + column].
 */
inline uint item_pair(void)
{
    return ITEM % ACROSS * 2;
}

/* sums [COLUMNS][2] += Σ_n factor[n] · x[n], by the tile of factors [n][own]. */
inline void add_products(rows x, __local const float *factors, __local float *slice, vf *sums)
{
    for (uint i = 0; i < COLUMNS; i++) {
        SYNC();
        stage(x, i * DEPTH, slice);
        SYNC();
        for (uint n = 0; n < TILE; n++) {
            vf factor = VF_LOAD(factors + n * LINE + item_row());
            sums[2 * i] = FMA(factor, (vf)(slice[item_pair() * LINE + n]), sums[2 * i]);
            sums[2 * i + 1] =
                FMA(factor, (vf)(slice[(item_pair() + 1) * LINE + n]), sums[2 * i + 1]);
        }
    }
}

/* The same with raw_slope() of the own rows and x in place of x. `turns`, where the score has
 * weights: the gradient by those. */
inline void add_slopes(rows own, rows x, __global const float *w, __local shared_tiles *s, vf *sums,
                       vf *turns)
{
#if IS_PRODUCT
    add_products(x, s->slopes, s->right, sums);
#else
    for (uint i = 0; i < COLUMNS; i++) {
        SYNC();
        stage(own, i * DEPTH, s->left);
        stage(x, i * DEPTH, s->right);
        SYNC();
        for (uint h = 0; h < 2; h++) {
            uint c = item_pair() + h;
            float weight = COORDINATE_WEIGHT(w, min(i * DEPTH + c, x.dim - 1));
            vf mine = VF_LOAD(s->left + c * LINE + item_row()), sum = sums[2 * i + h];
#if IS_WEIGHED
            vf turn = turns[2 * i + h];
#endif
            for (uint n = 0; n < TILE; n++) {
                vf factor = VF_LOAD(s->slopes + n * LINE + item_row());
                vf other = (vf)(s->right[c * LINE + n]), by_weight;
                sum = FMA(factor, raw_slope(mine, other, weight, &by_weight), sum);
#if IS_WEIGHED
                turn = FMA(factor, by_weight, turn);
#endif
            }
            sums[2 * i + h] = sum;
#if IS_WEIGHED
            turns[2 * i + h] = turn;
#endif
        }
    }
#endif
}

/* Adds sums [COLUMNS][2] to rows of `dim` floats, `count` of them. */
inline void add_sums(const vf *sums, uint count, uint dim, ulong apart, __global float *to)
{
    for (uint i = 0; i < 2 * COLUMNS; i++) {
        uint c = i / 2 * DEPTH + item_pair() + i % 2;
        float lanes[4] = {sums[i].x, sums[i].y, sums[i].z, sums[i].w};
        for (uint r = 0; r < 4 && c < dim; r++)
            if (item_row() + r < count)
                to[(item_row() + r) * apart + c] += lanes[r];
    }
}

inline void clear_sums(vf *sums)
{
    for (uint i = 0; i < 2 * COLUMNS; i++)
        sums[i] = (vf)(0.0f);
}

/* Adds the tiles of queries b.begin … b.end − 1 to dk and dv. A group per tile of keys. */
REQD_GROUP(ITEMS)
__kernel void back_keys(backward b, __global const float *q, __global const float *k,
                        __global const float *v, __global const float *w,
                        __global const uchar *padding, __global const uchar *mask,
                        __global const float *stats, __global const float *delta,
                        __global const float *dout, __global float *dk, __global float *dv)
{
    __local shared_tiles s;
    vf dkey[2 * COLUMNS], dvalue[2 * COLUMNS], turns[2 * COLUMNS];
    uint tiles = (b.p.keys + TILE - 1) / TILE, group = (uint)get_group_id(0);
    pair_of_tiles t = {.keys = group / tiles, .col = group % tiles * TILE};
    clear_sums(dkey);
    clear_sums(dvalue);
    clear_sums(turns);
    w += b.weight;
    stats += b.stats;
    for (uint head = 0; head < b.p.group; head++)
        for (uint tile = b.begin; tile < b.end; tile++) {
            t.matrix = t.keys * b.p.group + head;
            t.row = tile * TILE;
            if (is_far(&b.p, &t))
                continue;
            pass_pair(&b, &t, true, q, k, v, w, padding, mask, stats, delta, dout, &s);
            add_products(above_rows(&b, &t, dout), s.weights, s.right, dvalue);
            add_slopes(key_rows(&b, &t, k), query_rows(&b, &t, q), w, &s, dkey, turns);
        }
    uint count = min((uint)TILE, b.p.keys - t.col);
    add_sums(dkey, count, b.p.dim, b.key.row, dk + b.dkey + key_place(&b, b.key, t.keys, t.col));
    add_sums(dvalue, count, b.p.value_dim, b.value.row,
             dv + b.dvalue + key_place(&b, b.value, t.keys, t.col));
}

/* Adds the tiles of keys b.begin … b.end − 1 to dq, for a score with weights to dw [M·Tq,dim], and
 * to dscale [M·Tq] where it is wanted. A group per tile of queries. */
REQD_GROUP(ITEMS)
__kernel void back_queries(backward b, __global const float *q, __global const float *k,
                           __global const float *v, __global const float *w,
                           __global const uchar *padding, __global const uchar *mask,
                           __global const float *stats, __global const float *delta,
                           __global const float *dout, __global float *dq, __global float *dw,
                           __global float *dscale)
{
    __local shared_tiles s;
    vf dquery[2 * COLUMNS], turns[2 * COLUMNS];
    float along = 0.0f;
    uint tiles = (b.p.queries + TILE - 1) / TILE, group = (uint)get_group_id(0);
    pair_of_tiles t = {.matrix = group / tiles, .row = group % tiles * TILE};
    t.keys = key_matrix(&b.p, t.matrix);
    clear_sums(dquery);
    clear_sums(turns);
    w += b.weight;
    stats += b.stats;
    for (uint tile = b.begin; tile < b.end; tile++) {
        t.col = tile * TILE;
        if (is_far(&b.p, &t))
            continue;
        pass_pair(&b, &t, false, q, k, v, w, padding, mask, stats, delta, dout, &s);
        for (uint i = 0; i < ACROSS && ITEM < TILE; i++)
            along += s.along[ITEM * ACROSS + i];
        add_slopes(query_rows(&b, &t, q), key_rows(&b, &t, k), w, &s, dquery, turns);
    }
    uint count = min((uint)TILE, b.p.queries - t.row);
    ulong line = (ulong)t.matrix * b.p.queries + t.row;
    add_sums(dquery, count, b.p.dim, b.query.row,
             dq + b.dquery + query_place(&b, b.query, t.matrix, t.row));
#if IS_WEIGHED
    add_sums(turns, count, b.p.dim, b.p.dim, dw + b.dweight + line * b.p.dim);
#endif
    if (b.with_scale && ITEM < count)
        dscale[b.dscale + line + ITEM] += along;
}

/* delta [M,Tq] = Σ_c dO O. */
__kernel void sum_products(backward b, __global const float *output, __global const float *dout,
                           __global float *delta)
{
    uint index = (uint)get_global_id(0), matrix = index / b.p.queries, row = index % b.p.queries;
    if (matrix >= b.matrices)
        return;
    ulong at = query_place(&b, b.output, matrix, row);
    output += b.output.first + at;
    dout += b.doutput + at;
    float sum = 0.0f;
    for (uint c = 0; c < b.p.value_dim; c++)
        sum = FMA(output[c], dout[c], sum);
    delta[index] = sum;
}
