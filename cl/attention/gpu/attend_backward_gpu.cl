/* The backward pass of attention on a GPU: nothing of a vendor's own, no atomics. A group has a tile
 * of TILE_ROWS keys (kernel `back_keys`: dK and dV) or queries (`back_queries`: dQ) of its own, whose
 * gradients stay in registers while the others, the queries or the keys, pass by BLOCK_KEYS at a
 * time. For each such pair of tiles
 *   1. the raw scores and dO Vᵀ, from slices of both staged in local memory;
 *   2. from them, in registers, P∘D and the gradient of the raw score;
 *   3. each in turn goes to local memory and is multiplied by rows of the others, staged slice by
 *      slice: what they add to the gradients.
 * tile_gpu.clh has the products. Two passes instead of one cost two products in seven, and need no
 * sums over groups: every run gives the same. */
#include "attention/gpu/tile_gpu.clh"
#include "common/philox.clh"
#include "attention/masks.clh"
#include "attention/backward.clh"

/* Local memory, in vectors. The coordinates of the others lie across, one row of a slice for each:
 * with a vector more than their number a row begins in other banks than the one before. */
#define OTHER_PITCH (BLOCK_KEYS / 4 + 1)
#define OWN_VECTORS (TILE_ROWS * (DEPTH / 4))
#define OTHER_VECTORS (BLOCK_KEYS * (DEPTH / 4))
#define ROW_VECTORS (DEPTH * (WIDE / 4))
#define SLICE (OWN_VECTORS + DEPTH * OTHER_PITCH)
#define SCRATCH_VECTORS MOST(2 * SLICE, 2 * ROW_VECTORS)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)

/* The local memory of a group. */
typedef struct shared_tiles {
    vf slices[SCRATCH_VECTORS];
    vf factors[TILE_ROWS * WEIGHT_PITCH]; /* step 3: [own][others] */
} shared_tiles;

/* A pair of tiles. */
typedef struct pair_of_tiles {
    uint matrix, keys; /* the matrices of the queries and of the keys */
    uint own, other;   /* the first of each */
} pair_of_tiles;

/* Rows of a tile, as they lie in memory. */
typedef struct rows {
    __global const float *first;
    uint apart; /* a tile's rows lie within 2^32 bytes: an address is one register more */
    uint count, dim;
    bool by_four; /* whole vectors, and aligned like them */
} rows;

ALWAYS_INLINE rows rows_at(__global const float *first, ulong apart, uint count, uint dim)
{
    rows x = {first, (uint)apart, count, dim, (((ulong)first / 4) | apart | dim) % 4 == 0};
    return x;
}

ALWAYS_INLINE rows query_rows(const backward *b, uint matrix, uint row, __global const float *q)
{
    return rows_at(q + b->query.first + query_place(b, b->query, matrix, row), b->query.row,
                   b->p.queries - row, b->p.dim);
}

ALWAYS_INLINE rows above_rows(const backward *b, uint matrix, uint row, __global const float *dout)
{
    return rows_at(dout + b->doutput + query_place(b, b->output, matrix, row), b->output.row,
                   b->p.queries - row, b->p.value_dim);
}

ALWAYS_INLINE rows key_rows(const backward *b, uint keys, uint col, __global const float *k)
{
    return rows_at(k + b->key.first + key_place(b, b->key, keys, col), b->key.row, b->p.keys - col,
                   b->p.dim);
}

ALWAYS_INLINE rows value_rows(const backward *b, uint keys, uint col, __global const float *v)
{
    return rows_at(v + b->value.first + key_place(b, b->value, keys, col), b->value.row,
                   b->p.keys - col, b->p.value_dim);
}

/* Coordinates c … c + 3 of a row; 0 where there are none. */
ALWAYS_INLINE vf four_of(const rows *x, uint row, uint c)
{
    __global const float *at =
        (__global const float *)((__global const uchar *)x->first + (row * x->apart + c) * 4);
    bool is_there = row < x->count;
    if (x->by_four)
        return is_there && c < x->dim ? *(__global const vf *)at : (vf)(0.0f);
    return (vf)(is_there && c < x->dim ? at[0] : 0.0f, is_there && c + 1 < x->dim ? at[1] : 0.0f,
                is_there && c + 2 < x->dim ? at[2] : 0.0f,
                is_there && c + 3 < x->dim ? at[3] : 0.0f);
}

/* ---------------------------------------------------------------- 1: scores and products */

ALWAYS_INLINE void fetch_coordinates(const rows *own, const rows *other, uint c,
                                     vf mine[SHARE(OWN_VECTORS)], vf theirs[SHARE(OTHER_VECTORS)])
{
    UNROLL_FOR(uint n = 0; n < SHARE(OWN_VECTORS); n++)
        if (IS_ONE(n, OWN_VECTORS))
            mine[n] = four_of(own, NTH(n) / (DEPTH / 4), c + NTH(n) % (DEPTH / 4) * 4);
    UNROLL_FOR(uint n = 0; n < SHARE(OTHER_VECTORS); n++)
        if (IS_ONE(n, OTHER_VECTORS))
            theirs[n] = four_of(other, NTH(n) / (DEPTH / 4), c + NTH(n) % (DEPTH / 4) * 4);
}

ALWAYS_INLINE void stage_coordinates(const vf mine[SHARE(OWN_VECTORS)],
                                     const vf theirs[SHARE(OTHER_VECTORS)], __local vf *slice)
{
    __local float *across = (__local float *)(slice + OWN_VECTORS);
    UNROLL_FOR(uint n = 0; n < SHARE(OWN_VECTORS); n++)
        if (IS_ONE(n, OWN_VECTORS))
            slice[NTH(n)] = mine[n];
    UNROLL_FOR(uint n = 0; n < SHARE(OTHER_VECTORS); n++)
        if (IS_ONE(n, OTHER_VECTORS)) {
            uint at = NTH(n) % (DEPTH / 4) * 16 * OTHER_PITCH + NTH(n) / (DEPTH / 4);
            across[at] = theirs[n].s0;
            across[at + 4 * OTHER_PITCH] = theirs[n].s1;
            across[at + 8 * OTHER_PITCH] = theirs[n].s2;
            across[at + 12 * OTHER_PITCH] = theirs[n].s3;
        }
}

/* Adds the coordinates d to d + 3 of a slice, which begins with coordinate c. */
ALWAYS_INLINE void add_slice(bool is_score, __local const vf *slice, uint d,
                             __global const float *w, uint c, uint dim, vf tile[ROWS_EACH][VECTORS])
{
    float weights[4];
    for (uint e = 0; e < 4; e++)
        weights[e] = is_score ? COORDINATE_WEIGHT(w, min(c + d + e, dim - 1)) : 0.0f;
    add_coordinates(is_score, slice + ITEM_Y * (DEPTH / 4) + d / 4, DEPTH / 4,
                    slice + OWN_VECTORS + d * OTHER_PITCH + ITEM_X, OTHER_PITCH, weights, tile);
}

/* Raw scores, or with `is_score` false products, of this work-item's own and others. */
ALWAYS_INLINE void compare(bool is_score, rows own, rows other, __global const float *w,
                           __local vf *slices, vf tile[ROWS_EACH][VECTORS])
{
    vf mine[SHARE(OWN_VECTORS)], theirs[SHARE(OTHER_VECTORS)];
#if IN_PARTS
    vf part[ROWS_EACH][VECTORS];
    clear_tile(part);
#define SUMS part
#else
#define SUMS tile
#endif
    clear_tile(tile);
    fetch_coordinates(&own, &other, 0, mine, theirs);
    SYNC();
    for (uint c = 0; c < own.dim; c += DEPTH) {
        __local vf *slice = slices + c / DEPTH % 2 * SLICE;
        stage_coordinates(mine, theirs, slice);
        SYNC();
        if (c + DEPTH < own.dim)
            fetch_coordinates(&own, &other, c + DEPTH, mine, theirs);
        UNROLL_DOT_FOR(uint d = 0; d < DEPTH; d += 4)
            add_slice(is_score, slice, d, w, c, own.dim, SUMS);
#if IN_PARTS
        if ((c + DEPTH) % PART == 0 || c + DEPTH >= own.dim)
            join_part(part, tile);
#endif
    }
}

/* ---------------------------------------------------------------- 2: weights and slopes */

/* Queries and keys of four pairs, of which one is `own` and the other four are `other` … + 3. */
typedef struct four_pairs {
    uint own, other;
    vi row, col;
} four_pairs;

ALWAYS_INLINE four_pairs pairs_at(const pair_of_tiles *t, bool by_keys, uint i, uint n)
{
    four_pairs at; /* not cleared first: Mesa's llvmpipe clears too much where that is in a loop */
    at.own = t->own + ITEM_Y + DOWN * i;
    at.other = t->other + 4 * (ITEM_X + ACROSS * n);
    vi own = (vi)((int)at.own), other = (vi)((int)at.other) + LANES;
    at.row = by_keys ? other : own;
    at.col = by_keys ? own : other;
    return at;
}

/* The base-2 logits of four pairs, masked_logit() of masks.clh; BLOCKED where there is no such query
 * or key. `capped`: CAPPED(). */
ALWAYS_INLINE vf logits_of(const problem *p, __global const uchar *padding,
                           __global const uchar *mask, uint matrix, bool by_keys, four_pairs at,
                           vf capped)
{
    uint batch = matrix / p->heads, head = matrix % p->heads;
    uint rows = p->queries - 1, cols = p->keys - 1, last = by_keys ? rows : cols;
    uint own = min(at.own, by_keys ? cols : rows);
    ulong step = by_keys ? p->mask_query : p->mask_key;
    ulong first =
        batch * p->mask_batch + head * p->mask_head + own * (by_keys ? p->mask_key : p->mask_query);
    vi ahead = at.col - at.row - (vi)(p->offset), window = (vi)((int)p->window);
    vi hidden = (at.row > (vi)((int)rows)) | (at.col > (vi)((int)cols));
    vf bias = 0.0f;
    if (p->flags & CAUSAL)
        hidden |= ahead > 0;
    if (p->flags & WINDOW)
        hidden |= (ahead >= window) | (ahead <= -window);
    if (p->flags & PADDING) {
        padding += (ulong)batch * p->keys;
        hidden |= (by_keys ? (vi)(padding[own]) : bytes_of(padding, 1, at.other, last)) != 0;
    }
    if (p->flags & MASK_BOOL)
        hidden |= bytes_of(mask + first, step, at.other, last) != 0;
    if (p->flags & MASK_FLOAT)
        bias = floats_of((__global const float *)mask + first, step, at.other, last);
    hidden |= bias <= (vf)(BLOCKED);
    return hidden ? (vf)(BLOCKED) : FMA(capped, (vf)(LOGIT_SCALE(p)), bias);
}

/* How far the keys of a pair of tiles stand ahead of its queries: from the least to the most. */
ALWAYS_INLINE int2 ahead_of(const problem *p, const pair_of_tiles *t, bool by_keys)
{
    uint row = by_keys ? t->other : t->own, rows = by_keys ? BLOCK_KEYS : TILE_ROWS;
    uint col = by_keys ? t->own : t->other, cols = by_keys ? TILE_ROWS : BLOCK_KEYS;
    int ahead = (int)col - place_of_query(p, row);
    return (int2)(ahead - (int)rows + 1, ahead + (int)cols - 1);
}

/* True where no query of the tiles may see a key of them. */
ALWAYS_INLINE bool is_far(const problem *p, const pair_of_tiles *t, bool by_keys)
{
    int2 ahead = ahead_of(p, t, by_keys);
    int window = (int)p->window;
    return ((p->flags & CAUSAL) && ahead.x > 0) ||
           ((p->flags & WINDOW) && (ahead.x >= window || ahead.y <= -window));
}

/* True where a mask, or an end, may hide some of the tiles' pairs, or a mask changes their logits. */
ALWAYS_INLINE bool is_masked(const problem *p, const pair_of_tiles *t, bool by_keys)
{
    uint own = by_keys ? p->keys : p->queries, other = by_keys ? p->queries : p->keys;
    return (p->flags & (PADDING | MASK_BOOL | MASK_FLOAT | WINDOW)) || t->own + TILE_ROWS > own ||
           t->other + BLOCK_KEYS > other || ((p->flags & CAUSAL) && ahead_of(p, t, by_keys).y > 0);
}

#define FACTOR_OF(i, n) ((ITEM_Y + DOWN * (i)) * WEIGHT_PITCH + ITEM_X + ACROSS * (n))

/* Raw scores → masked logits in local memory, each work-item's its own. Not unrolled: masking all of
 * them at once would take more registers than the products. */
ALWAYS_INLINE void mask_tile(const problem *p, const pair_of_tiles *t, bool by_keys,
                             __global const uchar *padding, __global const uchar *mask,
                             const vf raw[ROWS_EACH][VECTORS], __local vf *logits)
{
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint n = 0; n < VECTORS; n++)
            logits[FACTOR_OF(i, n)] = CAPPED(p, raw[i][n]);
    ROLLED_FOR(uint i = 0; i < ROWS_EACH; i++)
        ROLLED_FOR(uint n = 0; n < VECTORS; n++)
            logits[FACTOR_OF(i, n)] =
                logits_of(p, padding, mask, t->matrix, by_keys, pairs_at(t, by_keys, i, n),
                          logits[FACTOR_OF(i, n)]);
}

/* A bit for each pair of this work-item, the first vector's lowest: 1 where dropout keeps it. */
ALWAYS_INLINE ulong kept_of(const problem *p, const pair_of_tiles *t, bool by_keys)
{
    uint key = dropout_key(p->seed_low, p->seed_high, t->matrix);
    ulong kept = 0;
    for (uint at = 0; at < ROWS_EACH * KEYS_EACH; at++) {
        uint own = t->own + ITEM_Y + DOWN * (at / KEYS_EACH);
        uint other = t->other + 4 * (ITEM_X + ACROSS * (at / 4 % VECTORS)) + at % 4;
        float factor = dropout_factor(p, key, by_keys ? other : own, by_keys ? own : other);
        kept |= factor > 0.0f ? (ulong)1 << at : 0;
    }
    return kept;
}

/* The factors of dropout for the four pairs whose bits begin at `first`. */
ALWAYS_INLINE vf factors_of(const problem *p, ulong kept, uint first)
{
    uint bits = (uint)(kept >> first);
    return (vf)(bits & 1 ? p->keep : 0.0f, bits & 2 ? p->keep : 0.0f, bits & 4 ? p->keep : 0.0f,
                bits & 8 ? p->keep : 0.0f);
}

/* Statistics of the forward pass for the queries of four pairs. */
typedef struct query_facts {
    vf top, inverse; /* the largest logit, and 1 / Σ exp2(logit − top), or the threshold */
    vf delta;
    vf alone;  /* least_alone() */
    vf middle; /* middle_of() */
} query_facts;

ALWAYS_INLINE query_facts facts_of(const problem *p, vi row, uint matrix,
                                   __global const float2 *stats, __global const float *delta)
{
    vi at = min(row, (vi)((int)p->queries - 1));
    stats += (ulong)matrix * p->queries;
    delta += (ulong)matrix * p->queries;
    float2 s0 = stats[at.s0], s1 = stats[at.s1], s2 = stats[at.s2], s3 = stats[at.s3];
    vf total = (vf)(s0.y, s1.y, s2.y, s3.y);
    query_facts facts = {
        .top = (vf)(s0.x, s1.x, s2.x, s3.x),
#if NORMALIZER
        .inverse = total,
#else
        .inverse = total > 0.0f ? 1.0f / total : (vf)(0.0f),
#endif
        .delta = (vf)(delta[at.s0], delta[at.s1], delta[at.s2], delta[at.s3]),
        .alone = (vf)(least_alone(s0.y), least_alone(s1.y), least_alone(s2.y), least_alone(s3.y)),
        .middle =
            (vf)(middle_of(p, s0.x), middle_of(p, s1.x), middle_of(p, s2.x), middle_of(p, s3.x)),
    };
    return facts;
}

/* raw: raw scores → P∘D. gain: dO Vᵀ → the gradient of the raw score, dS times its scale, which
 * p->scale has for logits in base 2. along, where it is wanted: Σ slope · score of each own query,
 * for the scale's gradient. */
ALWAYS_INLINE void weigh(const backward *b, const pair_of_tiles *t, bool by_keys,
                         __global const uchar *padding, __global const uchar *mask,
                         __global const float2 *stats, __global const float *delta,
                         __local vf *scratch, vf raw[ROWS_EACH][VECTORS],
                         vf gain[ROWS_EACH][VECTORS], float along[ROWS_EACH])
{
    const problem *p = &b->p;
    bool masked = is_masked(p, t, by_keys), drops = (p->flags & DROPOUT) != 0;
    ulong kept = drops ? kept_of(p, t, by_keys) : 0;
    if (masked)
        mask_tile(p, t, by_keys, padding, mask, raw, scratch);
    UNROLL_FOR(uint n = 0; n < VECTORS; n++)
        UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
            query_facts query =
                facts_of(p, pairs_at(t, by_keys, i, n).row, t->matrix, stats, delta);
            vf turn = (vf)(1.0f), score = raw[i][n], logits = score * p->scale;
            vf factor = drops ? factors_of(p, kept, 4 * (VECTORS * i + n)) : (vf)(1.0f);
#if SOFTCAP
            logits = capped_with_slope(p, score * p->scale, &turn);
#endif
            if (masked)
                logits = scratch[FACTOR_OF(i, n)];
#if NORMALIZER
            vf above = sparse_above(logits - query.top, query.inverse);
            vf weight = WEIGHT_ABOVE(NORMALIZER, above), steep = SLOPE_ABOVE(NORMALIZER, above);
#else
            vf weight = weight_of(EXP2(logits - query.top) * query.inverse, query.alone);
#define steep weight
#endif
            vf slope = turn * slope_of(steep, FMA(gain[i][n], factor, -query.delta), query.alone) *
                       (p->scale * LN_2);
            if (!by_keys && b->with_scale)
                along[i] += across_sum(slope * (score - query.middle));
            raw[i][n] = weight * factor;
            gain[i][n] = slope;
        }
}

/* ---------------------------------------------------------------- 3: gradients */

ALWAYS_INLINE void put_factors(const vf tile[ROWS_EACH][VECTORS], __local vf *factors)
{
    SYNC();
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint n = 0; n < VECTORS; n++)
            factors[FACTOR_OF(i, n)] = tile[i][n];
    SYNC();
}

ALWAYS_INLINE void fetch_rows(const rows *x, uint first, vf fetched[SHARE(ROW_VECTORS)])
{
    UNROLL_FOR(uint n = 0; n < SHARE(ROW_VECTORS); n++)
        if (IS_ONE(n, ROW_VECTORS))
            fetched[n] = four_of(x, first + NTH(n) / (WIDE / 4), NTH(n) % (WIDE / 4) * 4);
}

ALWAYS_INLINE void stage_rows(const vf fetched[SHARE(ROW_VECTORS)], __local vf *slice)
{
    UNROLL_FOR(uint n = 0; n < SHARE(ROW_VECTORS); n++)
        if (IS_ONE(n, ROW_VECTORS))
            slice[NTH(n)] = fetched[n];
}

/* Adds four rows of a slice, each times raw_slope() of it and the own rows and times its factor;
 * `turns`, where the score has weights: the gradient by those. */
ALWAYS_INLINE void add_slopes(const rows *own, __global const float *w, __local const vf *factors,
                              __local const vf *slice, float sums[ROWS_EACH][COLUMNS],
                              float turns[ROWS_EACH][COLUMNS])
{
    __local const float *numbers = (__local const float *)slice;
    UNROLL_FOR(uint c = 0; c < COLUMNS; c++) {
        uint column = min((uint)COLUMN_OF(c), own->dim - 1);
        float weight = COORDINATE_WEIGHT(w, column);
        vf other = (vf)(numbers[COLUMN_OF(c)], numbers[COLUMN_OF(c) + WIDE],
                        numbers[COLUMN_OF(c) + 2 * WIDE], numbers[COLUMN_OF(c) + 3 * WIDE]);
        UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++) {
            uint row = min(ITEM_Y + DOWN * i, own->count - 1);
            vf mine = (vf)(own->first[row * own->apart + column]), turn;
            vf factor = factors[i * DOWN * WEIGHT_PITCH];
            sums[i][c] += across_sum(factor * raw_slope(mine, other, weight, &turn));
#if IS_WEIGHED
            turns[i][c] += across_sum(factor * turn);
#endif
        }
    }
}

/* sums += factors · x, by the tile of factors in local memory; or with by_slope what add_slopes()
 * does. */
ALWAYS_INLINE void add_products(bool by_slope, rows own, rows x, __global const float *w,
                                __local shared_tiles *s, float sums[ROWS_EACH][COLUMNS],
                                float turns[ROWS_EACH][COLUMNS])
{
    vf fetched[SHARE(ROW_VECTORS)];
    __local const vf *factors = s->factors + ITEM_Y * WEIGHT_PITCH;
    uint count = min((uint)BLOCK_KEYS, x.count);
    fetch_rows(&x, 0, fetched);
    for (uint k = 0; k < count; k += DEPTH) {
        __local vf *slice = s->slices + k / DEPTH % 2 * ROW_VECTORS;
        stage_rows(fetched, slice);
        SYNC();
        if (k + DEPTH < count)
            fetch_rows(&x, k + DEPTH, fetched);
        UNROLL_DOT_FOR(uint d = 0; d < DEPTH; d += 4) {
            if (by_slope && !IS_PRODUCT)
                add_slopes(&own, w, factors + (k + d) / 4, slice + d * (WIDE / 4), sums, turns);
            else
                add_rows(factors + (k + d) / 4, slice + d * (WIDE / 4), sums);
        }
    }
}

/* Adds sums to this work-item's rows of `dim` floats, as far as there are so many. */
ALWAYS_INLINE void add_sums(float sums[ROWS_EACH][COLUMNS], uint count, uint dim, ulong apart,
                            __global float *to)
{
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        UNROLL_FOR(uint c = 0; c < COLUMNS; c++)
            if (ITEM_Y + DOWN * i < count && COLUMN_OF(c) < dim)
                to[(ITEM_Y + DOWN * i) * apart + COLUMN_OF(c)] += sums[i][c];
}

/* Adds the tiles of queries b.begin … b.end − 1 to dk and dv. A group per tile of keys. */
REQD_GROUP(GROUP_ITEMS)
__kernel void back_keys(backward b, __global const float *q, __global const float *k,
                        __global const float *v, __global const float *w,
                        __global const uchar *padding, __global const uchar *mask,
                        __global const float *stats, __global const float *delta,
                        __global const float *dout, __global float *dk, __global float *dv)
{
    __local shared_tiles s;
    vf raw[ROWS_EACH][VECTORS], gain[ROWS_EACH][VECTORS];
    float dkey[ROWS_EACH][COLUMNS], dvalue[ROWS_EACH][COLUMNS], turns[ROWS_EACH][COLUMNS];
    float along[ROWS_EACH];
    uint tiles = (b.p.keys + TILE_ROWS - 1) / TILE_ROWS, group = (uint)get_group_id(0);
    pair_of_tiles t = {.keys = group / tiles, .own = group % tiles * TILE_ROWS};
    clear_columns(dkey);
    clear_columns(dvalue);
    clear_columns(turns);
    w += b.weight;
    stats += b.stats;
    rows key = key_rows(&b, t.keys, t.own, k), value = value_rows(&b, t.keys, t.own, v);
    for (uint head = 0; head < b.p.group; head++)
        for (uint tile = b.begin; tile < b.end; tile++) {
            t.matrix = t.keys * b.p.group + head;
            t.other = tile * BLOCK_KEYS;
            if (is_far(&b.p, &t, true))
                continue;
            rows query = query_rows(&b, t.matrix, t.other, q);
            rows above = above_rows(&b, t.matrix, t.other, dout);
            compare(true, key, query, w, s.slices, raw);
            compare(false, value, above, w, s.slices, gain);
            weigh(&b, &t, true, padding, mask, (__global const float2 *)stats, delta, s.factors,
                  raw, gain, along);
            put_factors(raw, s.factors);
            add_products(false, value, above, w, &s, dvalue, turns);
            put_factors(gain, s.factors);
            add_products(true, key, query, w, &s, dkey, turns);
        }
    add_sums(dkey, key.count, b.p.dim, b.key.row,
             dk + b.dkey + key_place(&b, b.key, t.keys, t.own));
    add_sums(dvalue, key.count, b.p.value_dim, b.value.row,
             dv + b.dvalue + key_place(&b, b.value, t.keys, t.own));
}

/* Adds this work-item's part of Σ slope · score to each own query's; `scratch` is local memory of
 * the tile, which is free. */
ALWAYS_INLINE void add_along(const float along[ROWS_EACH], uint count, __local float *scratch,
                             __global float *to)
{
    SYNC();
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        scratch[(ITEM_Y + DOWN * i) * (ACROSS + 1) + ITEM_X] = along[i];
    SYNC();
    for (uint r = ITEM; r < min((uint)TILE_ROWS, count); r += GROUP_ITEMS) {
        float sum = 0.0f;
        for (uint x = 0; x < ACROSS; x++)
            sum += scratch[r * (ACROSS + 1) + x];
        to[r] += sum;
    }
}

/* Adds the tiles of keys b.begin … b.end − 1 to dq, for a score with weights to dw [M·Tq,dim], and
 * to dscale [M·Tq] where it is wanted. A group per tile of queries. */
REQD_GROUP(GROUP_ITEMS)
__kernel void back_queries(backward b, __global const float *q, __global const float *k,
                           __global const float *v, __global const float *w,
                           __global const uchar *padding, __global const uchar *mask,
                           __global const float *stats, __global const float *delta,
                           __global const float *dout, __global float *dq, __global float *dw,
                           __global float *dscale)
{
    __local shared_tiles s;
    vf raw[ROWS_EACH][VECTORS], gain[ROWS_EACH][VECTORS];
    float dquery[ROWS_EACH][COLUMNS], turns[ROWS_EACH][COLUMNS], along[ROWS_EACH];
    uint tiles = (b.p.queries + TILE_ROWS - 1) / TILE_ROWS, group = (uint)get_group_id(0);
    pair_of_tiles t = {.matrix = group / tiles, .own = group % tiles * TILE_ROWS};
    t.keys = key_matrix(&b.p, t.matrix);
    clear_columns(dquery);
    clear_columns(turns);
    UNROLL_FOR(uint i = 0; i < ROWS_EACH; i++)
        along[i] = 0.0f;
    w += b.weight;
    stats += b.stats;
    rows query = query_rows(&b, t.matrix, t.own, q), above = above_rows(&b, t.matrix, t.own, dout);
    for (uint tile = b.begin; tile < b.end; tile++) {
        t.other = tile * BLOCK_KEYS;
        if (is_far(&b.p, &t, false))
            continue;
        rows key = key_rows(&b, t.keys, t.other, k);
        compare(true, query, key, w, s.slices, raw);
        compare(false, above, value_rows(&b, t.keys, t.other, v), w, s.slices, gain);
        weigh(&b, &t, false, padding, mask, (__global const float2 *)stats, delta, s.factors, raw,
              gain, along);
        put_factors(gain, s.factors);
        add_products(true, query, key, w, &s, dquery, turns);
    }
    ulong line = (ulong)t.matrix * b.p.queries + t.own;
    add_sums(dquery, query.count, b.p.dim, b.query.row,
             dq + b.dquery + query_place(&b, b.query, t.matrix, t.own));
#if IS_WEIGHED
    add_sums(turns, query.count, b.p.dim, b.p.dim, dw + b.dweight + line * b.p.dim);
#endif
    if (b.with_scale)
        add_along(along, query.count, (__local float *)s.factors, dscale + b.dscale + line);
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
