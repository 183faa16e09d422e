/* The backward pass of attention on a CPU: one work-item per matrix of keys and share of its tiles
 * of keys, explicit vectors, no barriers, no local memory. For each tile of keys, whose gradients
 * stay in the second cache while all queries pass by, each strip of queries, and each block of the
 * tile's keys:
 *   1. the logits of the strip, as forward computes them, and dP = dO Vᵀ;
 *   2. from both, P∘D and dS, in their places;
 *   3. dV += (P∘D)ᵀ dO and dK += dSᵀ q, of the tile, and dQ += dS k, of the strip.
 * That is five products where two passes, one for the queries and one for the keys, would take
 * seven. A unit adds dQ to a part of its own; `sum_parts` adds the parts up in their order, so that
 * every run gives the same. */
#include "attention/cpu/scores_cpu.clh"
#include "attention/cpu/back_squares.clh"
#include "attention/backward.clh"
#include "common/prefetch.clh"

#if TILE_ROWS != WEIGHT_ROWS
#error "a tile of queries is one strip: TILE_ROWS is WEIGHT_ROWS"
#endif

/* Most keys of a tile, and most floats; most register tiles along a strip or a block. */
#define TILE_KEYS (2 * BLOCK_KEYS)
#define KEY_FLOATS (TILE_FLOATS + 2 * WIDTH * TILE_KEYS)
#define MOST_TILES ((TILE_ROWS > BLOCK_KEYS ? TILE_ROWS : BLOCK_KEYS) / MICRO_ROWS)
/* Rows that are multiplied together. */
#if SQUARES
#define RANGE STRIP
#else
#define RANGE MICRO_ROWS
#endif

/* A coordinate of the query gets Σ_j slope[j] · term(k[j], q) and one of the key the same of q and
 * k: the other side for a product, else term_slope(). Slopes are multiplied by SLOPE_SCALE, sums by
 * their coordinate's weight and those of queries by QUERY_FACTOR: for a product q holds the scale.
 */
#if IS_PRODUCT
#define SLOPE_SCALE(scale) LN_2
#define QUERY_FACTOR(scale) (scale)
#else
#define SLOPE_SCALE(scale) (SLOPE_FACTOR * LN_2 * (scale))
#define QUERY_FACTOR(scale) 1.0f
#endif

/* ---------------------------------------------------------------- register tiles */

/* The numbers of a strip and a block of keys, [TILE_ROWS][BLOCK_KEYS], as a product takes them:
 * its row r and term n are s[r · across + n · along]. */
typedef struct factors {
    const float *s;
    uint across, along;
} factors;

/* The terms of each RANGE of rows, queries or keys: of what no mask lets through nothing
 * is computed. */
typedef struct ranges {
    uint begin[MOST_TILES], end[MOST_TILES];
} ranges;

/* out [MICRO_ROWS][stride] += Σ_n s(r,n) · x[n], of one or two vectors of columns. */
ALWAYS_INLINE void sum_tile(int vectors, factors f, const float *x, uint x_stride, uint terms,
                            float *out, uint stride)
{
    vf sum[MICRO_ROWS][2];
    clear_tile(sum);
    for (uint n = 0; n < terms; n++, f.s += f.along, x += x_stride) {
        vf x0 = VF_LOAD(x), x1 = vectors == 2 ? VF_LOAD(x + WIDTH) : x0;
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            vf factor = (vf)(f.s[r * f.across]);
            sum[r][0] = FMA(factor, x0, sum[r][0]);
            if (vectors == 2)
                sum[r][1] = FMA(factor, x1, sum[r][1]);
        }
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++, out += stride) {
        VF_PUT(VF_LOAD(out) + sum[r][0], out);
        if (vectors == 2)
            VF_PUT(VF_LOAD(out + WIDTH) + sum[r][1], out + WIDTH);
    }
}

/* out [rows][STRIDE(dim)] += Σ_n s(r,n) · x[n] of the terms that are in range for each register
 * tile of rows. */
ALWAYS_INLINE void add_products(factors f, const ranges *terms, const float *x, uint rows, uint dim,
                                float *out)
{
    uint stride = STRIDE(dim);
    for (uint c = 0; c < dim; c += PAIR)
        for (uint r = 0; r < rows; r += MICRO_ROWS) {
            uint begin = terms->begin[r / MICRO_ROWS], end = terms->end[r / MICRO_ROWS];
            factors part = {f.s + r * f.across + begin * f.along, f.across, f.along};
            const float *from = x + begin * stride + c;
            float *to = out + r * stride + c;
            if (dim - c <= WIDTH)
                sum_tile(1, part, from, stride, end - begin, to, stride);
            else
                sum_tile(2, part, from, stride, end - begin, to, stride);
        }
}

#if IS_PRODUCT
/* A product's slope by one side is the other side. */
#define add_slopes(f, terms, x, own, rows, dim, out, turns)                                        \
    add_products(f, terms, x, rows, dim, out)
#else
/* The same with slopes that depend on both sides, `own` [rows][STRIDE(dim)] and x; for a score with
 * weights `turns` (may be NULL), of the shape of out, gets the slopes by those. */
inline void slope_tile(factors f, const float *x, uint stride, uint terms, const float *own,
                       float *out, float *turns)
{
    vf mine[MICRO_ROWS], sum[MICRO_ROWS], turn[MICRO_ROWS];
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        mine[r] = VF_LOAD(own + r * stride);
        sum[r] = turn[r] = (vf)(0.0f);
    }
    for (uint n = 0; n < terms; n++, f.s += f.along, x += stride) {
        vf other = VF_LOAD(x);
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            vf factor = (vf)(f.s[r * f.across]);
            vf by_weight, slope = term_slope(mine[r], other, &by_weight);
            sum[r] = FMA(factor, slope, sum[r]);
#if IS_WEIGHED
            turn[r] = FMA(factor, by_weight, turn[r]);
#endif
        }
    }
#pragma unroll
    for (int r = 0; r < MICRO_ROWS; r++) {
        VF_PUT(VF_LOAD(out + r * stride) + sum[r], out + r * stride);
        if (turns)
            VF_PUT(VF_LOAD(turns + r * stride) + turn[r], turns + r * stride);
    }
}

inline void add_slopes(factors f, const ranges *terms, const float *x, const float *own, uint rows,
                       uint dim, float *out, float *turns)
{
    uint stride = STRIDE(dim);
    for (uint c = 0; c < dim; c += WIDTH)
        for (uint r = 0; r < rows; r += MICRO_ROWS) {
            uint begin = terms->begin[r / MICRO_ROWS], end = terms->end[r / MICRO_ROWS];
            factors part = {f.s + r * f.across + begin * f.along, f.across, f.along};
            uint at = r * stride + c;
            slope_tile(part, x + begin * stride + c, stride, end - begin, own + at, out + at,
                       turns ? turns + at : turns);
        }
}
#endif

/* Rows [MICRO_ROWS][stride] · a panel [dim][PAIR] → MICRO_ROWS rows of PAIR in a strip's. */
inline void dot_tile(const float *rows, uint stride, uint dim, __global const float *panel,
                     float *products)
{
    vf sum[MICRO_ROWS][2];
    clear_tile(sum);
    for (uint c = 0; c < dim; c++, rows++, panel += PAIR) {
        vf x0 = VF_LOAD(panel), x1 = VF_LOAD(panel + WIDTH);
#pragma unroll
        for (int r = 0; r < MICRO_ROWS; r++) {
            sum[r][0] = FMA((vf)(rows[r * stride]), x0, sum[r][0]);
            sum[r][1] = FMA((vf)(rows[r * stride]), x1, sum[r][1]);
        }
    }
    put_tile(sum, 1.0f, products);
}

/* ---------------------------------------------------------------- a strip */

/* A tile of keys, and what it collects. */
typedef struct key_tile {
    uint matrix, first, cols, padded; /* keys first … first + cols − 1; whole panels */
#if SQUARES
    cut_keys cut;
#else
    float rows[KEY_FLOATS] ALIGNED;   /* [padded][STRIDE(dim)] */
    float dkey[KEY_FLOATS] ALIGNED;   /* the same */
    float dvalue[KEY_FLOATS] ALIGNED; /* [padded][STRIDE(value_dim)] */
#endif
} key_tile;

/* Rows that are not needed yet. */
typedef struct rows_ahead {
    __global const float *query, *above, *part;
    uint rows, asked;
} rows_ahead;

/* A strip of queries, and what it collects. */
typedef struct strip {
    uint matrix, row, rows, filled;     /* filled: whole RANGEs */
    uint cols;                          /* keys of the tile that it may see */
    query_tile queries;                 /* [filled][STRIDE(dim)] */
    float above[QUERY_FLOATS] ALIGNED;  /* dO [filled][STRIDE(value_dim)] */
    float dquery[QUERY_FLOATS] ALIGNED; /* [filled][STRIDE(dim)] */
#if IS_WEIGHED
    float turns[QUERY_FLOATS] ALIGNED; /* of w, the same */
#endif
#if SQUARES
    cut_strip cut;
#endif
    float along[TILE_ROWS];                        /* Σ_j dS · logit without masks */
    float weights[TILE_ROWS * BLOCK_KEYS] ALIGNED; /* of a block: logits, then P∘D */
    float slopes[TILE_ROWS * BLOCK_KEYS] ALIGNED;  /* dP before dropout, then dS · factor */
    ranges of_rows, of_keys;                       /* keys of a block, and rows */
    rows_ahead next;                               /* of the strip after it */
} strip;

inline void clear_floats(float *x, uint count)
{
    for (uint i = 0; i < count; i += WIDTH)
        VF_PUT((vf)(0.0f), x + i);
}

/* The numbers that one row needs. */
typedef struct row_terms {
    float maximum, inverse, delta, factor;
    float middle;        /* middle_of() */
    float alone;         /* least_alone() */
    uint query, dropout; /* dropout: the matrix' key */
} row_terms;

/* What is computed of a row beside its weights and slopes: NULL, or [cols]. */
typedef struct row_extras {
    const float *plain; /* the logits without masks */
    const float *turns; /* slopes of the cap */
} row_extras;

/* exp2(logit − maximum) and dP of WIDTH keys from `at` on → weights and slopes, in their places; where
 * weights may be 0, of the difference itself, and `inverse` is the threshold. Adds dS · (plain − middle). */
ALWAYS_INLINE void back_vector(bool drops, const problem *p, const row_terms *t, row_extras extras,
                               uint first, uint at, vf power, float *weights, float *slopes,
                               vf *along)
{
#if NORMALIZER
    vf above = sparse_above(power, (vf)(t->inverse)), weight = WEIGHT_ABOVE(NORMALIZER, above);
    vf steep = SLOPE_ABOVE(NORMALIZER, above), kept = weight, gain = VF_LOAD(slopes + at);
#else
    vf weight = power * t->inverse, kept = weight, gain = VF_LOAD(slopes + at);
#define steep weight
#endif
    if (drops) {
        vf factor = dropout_factors(p, t->dropout, t->query, first + at);
        gain *= factor;
        kept *= factor;
    }
    vf slope = slope_of(steep, gain - (vf)(t->delta), (vf)(t->alone));
#if SOFTCAP
    slope *= VF_LOAD(extras.turns + at);
#endif
    if (extras.plain)
        *along = FMA(slope, VF_LOAD(extras.plain + at) - (vf)(t->middle), *along);
    VF_PUT(kept, weights + at);
    VF_PUT(slope * t->factor, slopes + at);
}

#if NORMALIZER
#define POWERS(of_all)
#define POWER(x) (x)
#else
#define POWERS(of_all) of_all
#define POWER(x) exp2_fast(x)
#endif

/* The same for a row; returns Σ dS · (plain − middle). */
ALWAYS_INLINE float back_row(bool drops, const problem *p, const row_terms *t, row_extras extras,
                             uint first, uint cols, float *weights, float *slopes)
{
    vf along = (vf)(0.0f), x[ABREAST], top = (vf)(t->maximum);
    uint n = 0;
    for (; n + ABREAST * WIDTH <= cols; n += ABREAST * WIDTH) {
#pragma unroll
        for (int i = 0; i < ABREAST; i++)
            x[i] = VF_LOAD(weights + n + i * WIDTH) - top;
        POWERS(exp2_abreast(x));
#pragma unroll
        for (int i = 0; i < ABREAST; i++)
            back_vector(drops, p, t, extras, first, n + i * WIDTH, x[i], weights, slopes, &along);
    }
    for (; n < cols; n += WIDTH)
        back_vector(drops, p, t, extras, first, n, POWER(VF_LOAD(weights + n) - top), weights,
                    slopes, &along);
    return across_sum(along);
}

/* Step 2, of the block from key `first` on. p.scale is 1, as masked_logit() wants it. */
inline void back_strip(const backward *b, uint first, strip *s, __global const uchar *padding,
                       __global const uchar *mask, __global const float *stats,
                       __global const float *delta, float factor)
{
    const problem *p = &b->p;
    float plain[BLOCK_KEYS] ALIGNED;
#if SOFTCAP
    float turns[BLOCK_KEYS] ALIGNED; /* slopes of the cap */
#else
    float *turns = (float *)0;
#endif
    row_terms t = {.factor = factor, .dropout = dropout_key(p->seed_low, p->seed_high, s->matrix)};
    for (uint r = 0; r < s->rows; r++) {
        float *line = s->weights + r * BLOCK_KEYS, *slopes = s->slopes + r * BLOCK_KEYS;
        ulong index = (ulong)s->matrix * p->queries + s->row + r;
        uint cols = s->of_rows.end[r / RANGE];
        t.query = s->row + r;
        uint from = first_masked(p, t.query, first, cols);
        for (uint n = 0; b->with_scale && n < cols; n += WIDTH)
            VF_PUT(VF_LOAD(line + n), plain + n);
        cap_row(p, cols, line, turns);
        if (from < cols)
            mask_row(p, padding, mask, s->matrix, t.query, first, from, cols, line);
        t.maximum = stats[2 * index];
        t.middle = middle_of(p, t.maximum);
#if NORMALIZER
        t.inverse = stats[2 * index + 1];
#else
        t.inverse = stats[2 * index + 1] > 0.0f ? 1.0f / stats[2 * index + 1] : 0.0f;
#endif
        t.alone = least_alone(stats[2 * index + 1]);
        t.delta = delta[index];
        row_extras extras = {b->with_scale ? plain : (const float *)0, turns};
        s->along[r] += p->flags & DROPOUT
                           ? back_row(true, p, &t, extras, first, cols, line, slopes)
                           : back_row(false, p, &t, extras, first, cols, line, slopes);
    }
    for (uint r = s->rows; r < s->filled; r++)
        clear_floats(s->slopes + r * BLOCK_KEYS, s->of_rows.end[r / RANGE]);
}

/* Adds to the strip's rows of a unit's part [Tq][piece]: dQ, the dw of a score with weights, and
 * `along` at the end. */
inline void add_part(const backward *b, const strip *s, __global float *part)
{
    uint stride = STRIDE(b->p.dim);
    part += (ulong)s->row * b->piece;
    for (uint r = 0; r < s->rows; r++, part += b->piece) {
        for (uint c = 0; c < b->p.dim; c += WIDTH)
            VF_GIVE(VF_TAKE(part + c) + VF_LOAD(s->dquery + r * stride + c), part + c);
#if IS_WEIGHED
        for (uint c = 0; c < b->p.dim; c += WIDTH)
            VF_GIVE(VF_TAKE(part + stride + c) + VF_LOAD(s->turns + r * stride + c),
                    part + stride + c);
#endif
        part[b->piece - 1] += s->along[r];
    }
}

#if IS_WEIGHED
#define TURNS(s) (s)->turns
#else
#define TURNS(s) ((float *)0)
#endif

/* What the RANGEs of the strip and the block of `cols` keys from `first` on compute: with a
 * causal mask, whole panels up to the last key that a row of the tile may see. */
inline void find_ranges(const backward *b, strip *s, uint first, uint cols)
{
    uint padded = (cols + PAIR - 1) / PAIR * PAIR, begin = 0;
    for (uint r = 0; r < s->filled; r += RANGE) {
        uint end = padded;
        if (b->p.flags & CAUSAL) {
            uint last = causal_end(place_of_query(&b->p, s->row + r + RANGE - 1));
            end = min(padded, (max(last, first) - first + PAIR - 1) / PAIR * PAIR);
        }
        s->of_rows.begin[r / RANGE] = 0;
        s->of_rows.end[r / RANGE] = end;
    }
    for (uint n = 0; n < padded; n += RANGE) {
        while (begin < s->filled && s->of_rows.end[begin / RANGE] <= n)
            begin += RANGE;
        s->of_keys.begin[n / RANGE] = min(begin, s->rows);
        s->of_keys.end[n / RANGE] = s->rows;
    }
}

/* Asks memory for a row of the next strip of the matrix, and for what it collected so far; rows that
 * are not there do no harm. */
inline void ask_row(const backward *b, strip *s)
{
    const uint line = 64 / sizeof(float);
    if (s->next.asked == s->next.rows)
        return;
    uint r = s->next.asked++;
    for (uint c = 0; c < b->p.dim; c += line)
        PREFETCH(s->next.query + r * b->query.row + c);
    for (uint c = 0; c < b->p.value_dim; c += line)
        PREFETCH(s->next.above + r * b->output.row + c);
    for (uint c = 0; c < b->piece; c += line)
        PREFETCH(s->next.part + (ulong)r * b->piece + c);
}

#if SQUARES
/* Step 1, of the tile's block from key `at` on; memory keeps up without being asked ahead. */
inline void compare_block(const backward *b, const key_tile *tile, strip *s, uint at, uint padded,
                          __global const float *k, __global const float *v, __global const float *w)
{
    for (uint n = 0; n < padded; n += PAIR)
        compare_panel(&b->p, &tile->cut, &s->cut, (at + n) / PAIR,
                      s->of_keys.begin[n / RANGE] / STRIP, s->weights + n, s->slopes + n);
}

/* Step 3. */
inline void add_block_products(const backward *b, key_tile *tile, strip *s, uint at, uint padded)
{
    for (uint n = 0; n < padded; n += PAIR) {
        uint row = s->of_keys.begin[n / RANGE], first = row / STRIP, panel = (at + n) / PAIR;
        uint from = row * BLOCK_KEYS + n, panels = tile->cut.panels;
        if (row == s->rows)
            continue;
        add_turned(s->cut.above_turned, b->p.value_dim, &s->cut, first, s->weights + from,
                   s->rows - row, panel, panels, tile->cut.dvalue);
        add_turned(s->cut.queries_turned, b->p.dim, &s->cut, first, s->slopes + from, s->rows - row,
                   panel, panels, tile->cut.dkey);
    }
    for (uint r = 0; r < s->filled; r += STRIP)
        if (s->of_rows.end[r / RANGE])
            add_query_slopes(&tile->cut, b->p.dim, s->slopes + r * BLOCK_KEYS, at / STEP,
                             s->of_rows.end[r / RANGE] / STEP, s->dquery + r * STRIDE(b->p.dim),
                             STRIDE(b->p.dim));
}
#else
/* Step 1, of the tile's block from key `at` on. k, v: the tile's panels. */
inline void compare_block(const backward *b, const key_tile *tile, strip *s, uint at, uint padded,
                          __global const float *k, __global const float *v, __global const float *w)
{
    uint dim = b->p.dim, value_dim = b->p.value_dim, above = STRIDE(value_dim);
    k += (ulong)at * dim;
    v += (ulong)at * value_dim;
    for (uint n = 0; n < padded; n += PAIR) {
        uint row = s->of_keys.begin[n / RANGE];
        score_panel(&s->queries, row, s->rows - row, k + (ulong)n * dim, w,
                    s->weights + row * BLOCK_KEYS + n);
    }
    for (uint n = 0; n < padded; n += PAIR)
        for (uint r = s->of_keys.begin[n / RANGE]; r < s->rows; r += MICRO_ROWS) {
            ask_row(b, s);
            dot_tile(s->above + r * above, above, value_dim, v + (ulong)n * value_dim,
                     s->slopes + r * BLOCK_KEYS + n);
        }
}

/* Step 3. */
inline void add_block_products(const backward *b, key_tile *tile, strip *s, uint at, uint padded)
{
    uint dim = b->p.dim, value_dim = b->p.value_dim;
    factors weights = {s->weights, 1, BLOCK_KEYS}, by_keys = {s->slopes, 1, BLOCK_KEYS};
    factors by_queries = {s->slopes, BLOCK_KEYS, 1};
    add_products(weights, &s->of_keys, s->above, padded, value_dim,
                 tile->dvalue + at * STRIDE(value_dim));
    add_slopes(by_keys, &s->of_keys, s->queries.rows, tile->rows + at * STRIDE(dim), padded, dim,
               tile->dkey + at * STRIDE(dim), (float *)0);
    add_slopes(by_queries, &s->of_rows, tile->rows + at * STRIDE(dim), s->queries.rows, s->filled,
               dim, s->dquery, TURNS(s));
}
#endif

/* All blocks of the tile that the strip may see. */
inline void pass_strip(const backward *b, key_tile *tile, strip *s, __global const float *k,
                       __global const float *v, __global const float *w,
                       __global const uchar *padding, __global const uchar *mask,
                       __global const float *stats, __global const float *delta, float factor,
                       __global float *part)
{
    clear_floats(s->dquery, s->filled * STRIDE(b->p.dim));
#if IS_WEIGHED
    clear_floats(s->turns, s->filled * STRIDE(b->p.dim));
#endif
    for (uint r = 0; r < s->rows; r++)
        s->along[r] = 0.0f;
    for (uint at = 0; at < s->cols; at += BLOCK_KEYS) {
        uint cols = min((uint)BLOCK_KEYS, s->cols - at), padded = (cols + PAIR - 1) / PAIR * PAIR;
        find_ranges(b, s, tile->first + at, cols);
        compare_block(b, tile, s, at, padded, k, v, w);
        back_strip(b, tile->first + at, s, padding, mask, stats, delta, factor);
        add_block_products(b, tile, s, at, padded);
    }
    add_part(b, s, part);
}

/* ---------------------------------------------------------------- a tile of keys */

#if SQUARES
inline void begin_keys(const backward *b, key_tile *tile, __global const float *k,
                       __global const float *k_panels, __global const float *v_panels)
{
    float rows[STEP * STRIDE(SQUARES_WIDEST)] ALIGNED;
    uint dim = b->p.dim, panels = tile->padded / PAIR;
    k += b->key.first + key_place(b, b->key, tile->matrix, tile->first);
    cut_tile(&b->p, k_panels, v_panels, panels, &tile->cut);
    clear_floats(tile->cut.dkey, STEPS_OF(dim) * panels * STEP * PAIR);
    clear_floats(tile->cut.dvalue, STEPS_OF(b->p.value_dim) * panels * STEP * PAIR);
    for (uint s = 0; s < panels; s++) {
        for (uint n = 0; n < STEP; n++, k += b->key.row)
            take_query(k, s * STEP + n < tile->cols ? dim : 0, 1.0f, rows + n * STRIDE(dim));
        for (uint c = 0; c < STEPS_OF(dim); c++)
            cut_columns(rows + c * PAIR, STRIDE(dim), STEP,
                        tile->cut.rows + (c * panels + s) * STEP_SQUARES);
    }
}
#else
inline void begin_keys(const backward *b, key_tile *tile, __global const float *k,
                       __global const float *k_panels, __global const float *v_panels)
{
    uint dim = b->p.dim, stride = STRIDE(dim);
    ulong at = b->key.first + key_place(b, b->key, tile->matrix, tile->first);
    for (uint n = 0; n < tile->padded; n++)
        take_query(k + at + n * b->key.row, n < tile->cols ? dim : 0, 1.0f,
                   tile->rows + n * stride);
    clear_floats(tile->dkey, tile->padded * stride);
    clear_floats(tile->dvalue, tile->padded * STRIDE(b->p.value_dim));
}
#endif

inline void begin_strip(const backward *b, const key_tile *tile, strip *s, uint matrix, uint row,
                        __global const float *q, __global const float *dout,
                        __global const float *part, __global const float *w, float scale)
{
    uint dim = b->p.dim, value_dim = b->p.value_dim;
    s->matrix = matrix;
    s->row = row;
    s->rows = min((uint)TILE_ROWS, b->p.queries - row);
    s->filled = (s->rows + RANGE - 1) / RANGE * RANGE;
    s->cols = tile->cols;
    if (b->p.flags & CAUSAL)
        s->cols = min(s->cols, causal_end(place_of_query(&b->p, row + s->rows - 1)) - tile->first);
    q += b->query.first + query_place(b, b->query, matrix, row);
    dout += b->doutput + query_place(b, b->output, matrix, row);
    begin_tile(&s->queries, 0, q, b->query.row, w, s->rows, dim, scale);
    for (uint r = 0; r < s->filled; r++)
        take_query(dout + r * b->output.row, r < s->rows ? value_dim : 0, 1.0f,
                   s->above + r * STRIDE(value_dim));
#if SQUARES
    s->cut.steps = s->filled / STRIP;
    cut_both_ways(s->queries.rows, s->rows, dim, s->cut.queries, s->cut.queries_turned);
    cut_both_ways(s->above, s->rows, value_dim, s->cut.above, s->cut.above_turned);
#endif
    s->next = (rows_ahead){.query = q + s->rows * b->query.row,
                           .above = dout + s->rows * b->output.row,
                           .part = part + (ulong)(row + s->rows) * b->piece,
                           .rows = min((uint)TILE_ROWS, b->p.queries - row - s->rows)};
}

/* The queries that may see a key of the tile, in whole strips. */
inline void find_rows(const backward *b, const key_tile *tile, uint *begin, uint *end)
{
    const problem *p = &b->p;
    uint last = tile->first + tile->cols - 1;
    int first = 0, place = (int)tile->first - p->offset,
        window = (int)p->window; /* among queries */
    *end = p->queries;
    if (p->flags & CAUSAL)
        first = max(first, place);
    if (p->flags & WINDOW) {
        first = max(first, place - window + 1);
        *end = min(*end, (uint)max((int)last - p->offset + window, 0));
    }
    *begin = (uint)first < *end ? (uint)first / TILE_ROWS * TILE_ROWS : *end;
}

/* A sum times its factors → its place. */
inline void write_keys(const backward *b, key_tile *tile, __global const float *w,
                       __global float *dk, __global float *dv)
{
    uint dim = b->p.dim;
    dk += b->dkey + key_place(b, b->key, tile->matrix, tile->first);
    dv += b->dvalue + key_place(b, b->value, tile->matrix, tile->first);
#if SQUARES
    write_turned(tile->cut.dkey, tile->cut.panels, tile->cols, dim, dk, b->key.row);
    write_turned(tile->cut.dvalue, tile->cut.panels, tile->cols, b->p.value_dim, dv, b->value.row);
#else
    uint stride = STRIDE(dim), value_stride = STRIDE(b->p.value_dim);
    for (uint n = 0; n < tile->cols; n++) {
        for (uint c = 0; c < dim; c++)
            dk[n * b->key.row + c] = COORDINATE_WEIGHT(w, c) * tile->dkey[n * stride + c];
        for (uint c = 0; c < b->p.value_dim; c++)
            dv[n * b->value.row + c] = tile->dvalue[n * value_stride + c];
    }
#endif
}

/* A unit's part of a matrix [Tq][piece] ← 0. */
inline void clear_part(const backward *b, __global float *part)
{
    ulong count = (ulong)b->p.queries * b->piece, i = 0;
    for (; i + WIDTH <= count; i += WIDTH)
        VF_GIVE((vf)(0.0f), part + i);
    for (; i < count; i++)
        part[i] = 0.0f;
}

/* q, k, dout, dk, dv by their places; panels of keys and values [Mk,panels,d,PAIR]; stats float
 * [M,Tq,2]; delta [M,Tq]; parts [splits,M,Tq,piece]. A unit takes every splits-th tile of its
 * matrix of keys: those of a launch are the begin-th to the end-th of them. */
__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void
back_tiles(backward b, __global const float *q, __global const float *k,
           __global const float *key_panels, __global const float *value_panels,
           __global const float *w, __global const uchar *padding, __global const uchar *mask,
           __global const float *stats, __global const float *delta, __global const float *dout,
           __global float *parts, __global float *dk, __global float *dv)
{
    key_tile tile;
    strip s;
    uint split = (uint)get_global_id(0) % b.splits, begin, end;
    float scale = b.p.scale, factor = SLOPE_SCALE(scale);
    tile.matrix = (uint)get_global_id(0) / b.splits;
    b.p.scale = 1.0f; /* for masked_logit() */
#if SQUARES
    begin_squares();
#endif
    w += b.weight;
    stats += b.stats;
    parts += ((ulong)split * b.matrices + tile.matrix * b.p.group) * b.p.queries * b.piece;
    for (uint h = 0; b.begin == 0 && h < b.p.group; h++)
        clear_part(&b, parts + (ulong)h * b.p.queries * b.piece);
    for (uint nth = b.begin; nth < b.end && nth * b.splits + split < b.tiles; nth++) {
        tile.first = (nth * b.splits + split) * b.tile_keys;
        tile.cols = min(b.tile_keys, b.p.keys - tile.first);
        tile.padded = (tile.cols + PAIR - 1) / PAIR * PAIR;
        ulong panel = (ulong)tile.matrix * b.p.panels * PAIR + tile.first;
        begin_keys(&b, &tile, k, key_panels + panel * b.p.dim,
                   value_panels + panel * b.p.value_dim);
        find_rows(&b, &tile, &begin, &end);
        for (uint h = 0; h < b.p.group; h++)
            for (uint row = begin; row < end; row += TILE_ROWS) {
                uint matrix = tile.matrix * b.p.group + h;
                __global float *part = parts + (ulong)h * b.p.queries * b.piece;
                begin_strip(&b, &tile, &s, matrix, row, q, dout, part, w, scale);
                pass_strip(&b, &tile, &s, key_panels + panel * b.p.dim,
                           value_panels + panel * b.p.value_dim, w, padding, mask, stats, delta,
                           factor, part);
            }
        write_keys(&b, &tile, w, dk, dv);
    }
#if SQUARES
    end_squares();
#endif
}

/* ---------------------------------------------------------------- before and after */

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
    vf sums = (vf)(0.0f);
    float sum = 0.0f;
    uint c = 0;
    for (; c + WIDTH <= b.p.value_dim; c += WIDTH)
        sums = FMA(VF_TAKE(output + c), VF_TAKE(dout + c), sums);
    for (; c < b.p.value_dim; c++)
        sum = FMA(output[c], dout[c], sum);
    delta[index] = sum + across_sum(sums);
}

/* WIDTH floats of the parts of a query, added up in their order. */
inline vf sum_of_parts(const backward *b, __global const float *parts, ulong at)
{
    vf sum = (vf)(0.0f);
    for (uint i = 0; i < b->splits; i++)
        sum += VF_TAKE(parts + i * ((ulong)b->matrices * b->p.queries * b->piece) + at);
    return sum;
}

/* The sums of `dim` floats of the parts, times their factors → to. */
inline void write_sums(const backward *b, __global const float *parts, ulong at, float factor,
                       __global const float *w, __global float *to)
{
    for (uint c = 0; c < b->p.dim; c += WIDTH) {
        vf sum = sum_of_parts(b, parts, at + c) * factor;
        if (!IS_WEIGHED && c + WIDTH <= b->p.dim) {
            VF_GIVE(sum, to + c);
            continue;
        }
        float lanes[WIDTH] ALIGNED;
        VF_PUT(sum, lanes);
        for (uint i = 0; i < WIDTH && c + i < b->p.dim; i++)
            to[c + i] = w ? COORDINATE_WEIGHT(w, c + i) * lanes[i] : lanes[i];
    }
}

/* parts → dq by its places, and where they are wanted dw [M·Tq,dim] and dscale [M·Tq]. One
 * work-item per query. */
__kernel void sum_parts(backward b, __global const float *parts, __global const float *w,
                        __global float *dq, __global float *dw, __global float *dscale)
{
    uint index = (uint)get_global_id(0), matrix = index / b.p.queries, row = index % b.p.queries;
    ulong at = (ulong)index * b.piece;
    if (matrix >= b.matrices)
        return;
    dq += b.dquery + query_place(&b, b.query, matrix, row);
    write_sums(&b, parts, at, QUERY_FACTOR(b.p.scale), w + b.weight, dq);
#if IS_WEIGHED
    dw += b.dweight + (ulong)index * b.p.dim;
    write_sums(&b, parts, at + STRIDE(b.p.dim), 1.0f, (__global const float *)0, dw);
#endif
    if (b.with_scale) {
        float sum = 0.0f;
        for (uint i = 0; i < b.splits; i++)
            sum += parts[i * ((ulong)b.matrices * b.p.queries * b.piece) + at + b.piece - 1];
        dscale[b.dscale + index] = LN_2 * sum;
    }
}
