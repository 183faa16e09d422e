/* Attention by matrix instructions, of query, key and value stored as float16, or for NVIDIA as
 * float32 too: a group of a few sub-groups per tile of queries, BLOCKS fragments of them each. For each panel of BLOCK_KEYS keys
 *   1. the scores, a fragment at a time, from queries in registers and keys in local memory;
 *   2. the online softmax in registers, SHARERS work-items to a query;
 *   3. weights · values, the weights rounded to float16 where they are: as the first instruction
 *      leaves its result, the second takes its operand. That rounding is what the output's error
 * comes from: 2^-12 of a weight, under 1e-3 of the whole. The one instruction is matrix_step(), in
 * the form of each vendor: fragments.clh. */
#include "attention/problem.clh"
#include "attention/extent.clh"
#include "common/vector.clh"
#include "common/philox.clh"
#include "attention/masks.clh"
#include "attention/sparse.clh"
#include "attention/gpu/registers.clh"
#include "attention/gpu/fragments/fragments.clh"
#include "attention/gpu/fragments/fragments_nvidia.clh"
#include "attention/gpu/fragments/fragments_amd.clh"
#include "attention/gpu/fragments/fragments_intel.clh"
#include "attention/gpu/fragments/fragments_loops.clh"

#ifndef TILE_ROWS
#error "define TILE_ROWS: queries per tile, some sub-groups' worth"
#endif
#ifndef BLOCK_KEYS
#error "define BLOCK_KEYS: keys per panel, a multiple of NUMBERS"
#endif
#ifndef BLOCKS
#error "define BLOCKS: how many fragments of queries a sub-group has"
#endif
#ifndef DIM_STEPS
#error "define DIM_STEPS: a query has NUMBERS times as many coordinates, filled up with 0"
#endif
#ifndef COLUMN_STEPS
#error "define COLUMN_STEPS: a value has NUMBERS times as many columns, filled up with 0"
#endif

#define GROUP_ITEMS (TILE_ROWS / (BLOCKS * QUERIES) * LANES)
#define TILES (BLOCK_KEYS / STEP) /* of keys */
#define COLUMNS (NUMBERS * COLUMN_STEPS)
#define STRIPS (COLUMNS / STEP)   /* of value columns */
#define ROWS (BLOCKS * LANE_ROWS) /* queries of a work-item */
#define KEY_STEPS (BLOCK_KEYS / NUMBERS)

/* A work-item's query r, counted from the tile's first; its sums of a fragment are SUM_OF(r, 0) …
 * SUM_OF(r, ROW_SUMS − 1). */
#define ROW_OF(r)                                                                                  \
    (((ITEM / LANES) * BLOCKS + (r) / LANE_ROWS) * QUERIES + ROW_LINE((r) % LANE_ROWS))
#define ROW_SUMS (SCORES / LANE_ROWS)
#define SUM_OF(r, i) ((r) % LANE_ROWS * ROW_SUMS + (i))

/* Local memory, in uints, which are pairs of float16 or floats: keys [BLOCK_KEYS][KEY_PITCH], values
 * by columns [COLUMNS][VALUE_PITCH]. */
#define KEY_PITCH PITCH(DIM_STEPS)
#define VALUE_PITCH PITCH(KEY_STEPS)

/* ---------------------------------------------------------------- scores */

/* Sums of a work-item: of each of its fragments of queries with each of the keys, or columns. */
typedef float key_sums[TILES][SCORES];
typedef float column_sums[STRIPS][SCORES];

/* What raw scores are multiplied by: the scale's sign is in the queries, as the largest score is
 * looked for before the scale comes. */
#define FACTOR(p) fabs(LOGIT_SCALE(p))
#define SIGNS (NUMBERS == 16 ? 0x80008000u : 0x80000000u) /* of a uint's numbers */

/* This work-item's part of the tile's queries: per NUMBERS coordinates one operand of the instruction.
 * q: the tile's first query, of `rows`, in uints. */
ALWAYS_INLINE void load_queries(const problem *p, __global const uint *q, uint rows,
                                uint query[BLOCKS][DIM_STEPS][ROW_PARTS])
{
    uint sign = LOGIT_SCALE(p) < 0.0f ? SIGNS : 0;
    UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
        UNROLL_FOR(uint i = 0; i < ROW_PARTS; i++) {
            uint row = (ITEM / LANES * BLOCKS + b) * QUERIES + PART_LINE(i);
            __global const uint *from = q + min(row, rows - 1) * (8 * DIM_STEPS) + ROW_PAIR(i);
            UNROLL_FOR(uint s = 0; s < DIM_STEPS; s++)
                query[b][s][i] = from[8 * s] ^ sign;
        }
}

/* The number of `count` that a work-item takes, the last of them perhaps past the end. */
#define SHARE(count) (((count) + GROUP_ITEMS - 1) / GROUP_ITEMS)
#define KEY_VECTORS (BLOCK_KEYS * 2 * DIM_STEPS)
#define VALUE_VECTORS (BLOCK_KEYS * 2 * COLUMN_STEPS)

/* A panel of keys, of which there are `count`: the last stands for those past it. It is there after
 * await_copies() and a barrier, and so are values. */
ALWAYS_INLINE void stage_keys(__global const uint *k, uint count, __local uint *keys)
{
    UNROLL_FOR(uint n = 0; n < SHARE(KEY_VECTORS); n++) {
        uint i = n * GROUP_ITEMS + ITEM, row = i / (2 * DIM_STEPS), part = i % (2 * DIM_STEPS);
        if (i < KEY_VECTORS)
            copy_ahead((__local uint4 *)keys + KEY_LINE(row) * (KEY_PITCH / 4) + part,
                       (__global const uint4 *)k + min(row, count - 1) * (2 * DIM_STEPS) + part);
    }
}

/* A panel of values, by columns. */
ALWAYS_INLINE void stage_values(__global const uint *v, __local uint *values)
{
    UNROLL_FOR(uint n = 0; n < SHARE(VALUE_VECTORS); n++) {
        uint i = n * GROUP_ITEMS + ITEM, column = i / (2 * KEY_STEPS), part = i % (2 * KEY_STEPS);
        if (i < VALUE_VECTORS)
            copy_ahead((__local uint4 *)values + column * (VALUE_PITCH / 4) + part,
                       (__global const uint4 *)v + i);
    }
}

/* Loads keys or values from `at` on, NUMBERS of each. */
ALWAYS_INLINE void load_columns(__local const uint *at, uint pitch,
                                column_part columns[COLUMN_PARTS])
{
    UNROLL_FOR(uint i = 0; i < COLUMN_PARTS; i++)
        columns[i] = COLUMN_PART(at, pitch, i);
}

ALWAYS_INLINE void score_panel(const uint query[BLOCKS][DIM_STEPS][ROW_PARTS],
                               __local const uint *keys, __local uint *exchange,
                               key_sums score[BLOCKS])
{
    column_part key[COLUMN_PARTS];
    UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
        UNROLL_FOR(uint n = 0; n < TILES; n++)
            UNROLL_FOR(uint i = 0; i < SCORES; i++)
                score[b][n][i] = 0.0f;
    UNROLL_FOR(uint s = 0; s < DIM_STEPS; s++)
        UNROLL_FOR(uint n = 0; n < TILES; n++) {
            load_columns(keys + STEP * n * KEY_PITCH + 8 * s, KEY_PITCH, key);
            UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
                matrix_step(score[b][n], query[b][s], key, exchange);
        }
}

/* The first fragment of sums behind the last. */
ALWAYS_INLINE void turn_fragments(key_sums score[BLOCKS])
{
    UNROLL_FOR(uint i = 0; i < SCORES; i++) {
        float first = score[0][0][i];
        UNROLL_FOR(uint f = 1; f < BLOCKS * TILES; f++)
            score[(f - 1) / TILES][(f - 1) % TILES][i] = score[f / TILES][f % TILES][i];
        score[BLOCKS - 1][TILES - 1][i] = first;
    }
}

/* Raw scores of `rows` queries from `row` on and the panel from key `first` on → base-2 logits,
 * masked. Each fragment has its turn at the first place, in a loop that is not unrolled: all of them
 * at once would take more registers than the products, and many times their instructions. */
ALWAYS_INLINE void mask_panel(const problem *p, __global const uchar *padding,
                              __global const uchar *mask, uint matrix, uint row, uint rows,
                              uint first, key_sums score[BLOCKS])
{
    float sign = LOGIT_SCALE(p) < 0.0f ? -1.0f : 1.0f;
    ROLLED_FOR(uint f = 0; f < BLOCKS * TILES; f++) {
        UNROLL_FOR(uint i = 0; i < SCORES; i++) {
            uint r = f / TILES * LANE_ROWS + i / ROW_SUMS, line = row + min(ROW_OF(r), rows - 1);
            uint col = first + KEY_ALONG(f % TILES, i);
            float logit = masked_logit(p, padding, mask, matrix, line, min(col, p->keys - 1),
                                       score[0][0][i] * sign);
            score[0][0][i] = col < p->keys ? logit : BLOCKED;
        }
        turn_fragments(score);
    }
}

/* The keys that query `line` sees where no mask of bytes or floats hides some: from the first number
 * to before the second. */
ALWAYS_INLINE uint2 seen_by(const problem *p, uint line)
{
    int place = place_of_query(p, line), window = (int)p->window;
    int begin = 0, end = (int)p->keys;
    if (p->flags & CAUSAL)
        end = min(end, place + 1);
    if (p->flags & WINDOW) {
        begin = max(begin, place - window + 1);
        end = min(end, place + window);
    }
    return (uint2)((uint)begin, (uint)max(begin, end));
}

/* What mask_panel() does, where there are no masks of bytes or floats. */
ALWAYS_INLINE void hide_unseen(const problem *p, uint row, uint first, key_sums score[BLOCKS])
{
    UNROLL_FOR(uint r = 0; r < ROWS; r++) {
        uint2 seen = seen_by(p, row + ROW_OF(r));
        UNROLL_FOR(uint n = 0; n < TILES; n++)
            UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++) {
                float *sum = &score[r / LANE_ROWS][n][SUM_OF(r, i)];
                uint past = first + KEY_ALONG(n, SUM_OF(r, i)) - seen.x;
                *sum = past < seen.y - seen.x ? *sum * FACTOR(p) : BLOCKED;
            }
    }
}

/* Raw scores of `rows` queries from `row` on and the panel from key `first` on → what gives base-2
 * logits when multiplied by the factor returned. */
ALWAYS_INLINE float scale_panel(const problem *p, __global const uchar *padding,
                                __global const uchar *mask, uint matrix, uint row, uint rows,
                                uint first, key_sums score[BLOCKS])
{
#if SOFTCAP
    UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
        UNROLL_FOR(uint n = 0; n < TILES; n++)
            UNROLL_FOR(uint i = 0; i < SCORES; i++)
                score[b][n][i] = CAPPED(p, score[b][n][i]);
#endif
    bool masked = (p->flags & (PADDING | MASK_BOOL | MASK_FLOAT)) != 0;
    if (!masked && first >= seen_by(p, row + rows - 1).x && first + BLOCK_KEYS <= seen_by(p, row).y)
        return FACTOR(p);
    if (masked)
        mask_panel(p, padding, mask, matrix, row, rows, first, score);
    else
        hide_unseen(p, row, first, score);
    return 1.0f;
}

/* ---------------------------------------------------------------- softmax and values */

#if NORMALIZER == SOFTMAX_WEIGHTS
/* The exponent that a row's weights are measured from lies so far under its largest logit, for
 * float16 has more room above 1, to 2^15, than below, where 2^-14 is the last number with all its
 * digits. */
#define LIFT (NUMBERS == 16 ? 10.0f : 0.0f)

/* One work-item's part of its queries; sums and outputs are of its own columns alone. */
typedef struct row_sums {
    float maximum[ROWS], sum[ROWS];
    column_sums output[BLOCKS];
} row_sums;

/* The largest score of query r among this work-item's. */
ALWAYS_INLINE float highest_of(const key_sums score[BLOCKS], uint r)
{
    float top = BLOCKED;
    UNROLL_FOR(uint n = 0; n < TILES; n++)
        UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++)
            top = fmax(top, score[r / LANE_ROWS][n][SUM_OF(r, i)]);
    return top;
}

/* each [ROWS]: of what the work-items that share a query know of it, the sum, or the largest.
 * scratch [TILE_ROWS][SHARERS], which is free. */
#ifdef SHARER_STEP
#define SCRATCH 1
ALWAYS_INLINE void share(__local float *scratch, float each[ROWS], bool sums)
{
    UNROLL_FOR(uint away = SHARER_STEP; away < SHARERS * SHARER_STEP; away *= 2)
        UNROLL_FOR(uint r = 0; r < ROWS; r++) {
            float other = of_lane(each[r], away);
            each[r] = sums ? each[r] + other : max(each[r], other);
        }
}
#else
#define SCRATCH (TILE_ROWS * SHARERS)
ALWAYS_INLINE void share(__local float *scratch, float each[ROWS], bool sums)
{
    if (SHARERS == 1)
        return;
    UNROLL_FOR(uint r = 0; r < ROWS; r++)
        scratch[ROW_OF(r) * SHARERS + SHARER] = each[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_FOR(uint r = 0; r < ROWS; r++) {
        __local const float *all = scratch + ROW_OF(r) * SHARERS;
        each[r] = all[0];
        UNROLL_FOR(uint i = 1; i < SHARERS; i++)
            each[r] = sums ? each[r] + all[i] : max(each[r], all[i]);
    }
}
#endif

/* exp2(logit − maximum), by one rounding in both kernels: otherwise weights might not fit their
 * sums. */
ALWAYS_INLINE float weight_of(float score, float factor, float maximum)
{
    return EXP2(FMA(score, factor, -maximum));
}

/* What times `factor` is the logits of query r → weights times 2^LIFT at most; brings the sum, and
 * outputs of float16, to the new maximum. Returns what outputs of floats are to be multiplied by. */
ALWAYS_INLINE float softmax_row(uint r, float factor, float highest, key_sums score[BLOCKS],
                                row_sums *s)
{
    uint b = r / LANE_ROWS;
    float maximum = max(FMA(highest, factor, -LIFT), s->maximum[r]);
    float correction = EXP2(s->maximum[r] - maximum);
    s->maximum[r] = maximum;
    s->sum[r] *= correction;
    UNROLL_FOR(uint n = 0; n < TILES; n++)
        UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++) {
            float weight = weight_of(score[b][n][SUM_OF(r, i)], factor, maximum);
            score[b][n][SUM_OF(r, i)] = weight;
            s->sum[r] += weight;
        }
#if NUMBERS == 16
    UNROLL_FOR(uint c = 0; c < STRIPS; c++)
        UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++)
            s->output[b][c][SUM_OF(r, i)] *= correction;
#endif
    return correction;
}

ALWAYS_INLINE void softmax_panel(__local float *scratch, float factor, key_sums score[BLOCKS],
                                 row_sums *s, float correction[ROWS])
{
    float highest[ROWS];
    UNROLL_FOR(uint r = 0; r < ROWS; r++)
        highest[r] = highest_of(score, r);
    share(scratch, highest, false);
    UNROLL_FOR(uint r = 0; r < ROWS; r++)
        correction[r] = softmax_row(r, factor, highest[r], score, s);
}

#endif

/* A bit for each weight that a work-item has of query r, the line `line`: bit BIT(n, i) of fragment
 * n's sum i is 1 where dropout drops it. Not unrolled, as in mask_panel(). */
#define BITS (TILES * ROW_SUMS)
#define BIT(n, i) ((n)*ROW_SUMS + (i))
ALWAYS_INLINE uint dropped_of(const problem *p, uint matrix, uint r, uint line, uint first)
{
    uint key = dropout_key(p->seed_low, p->seed_high, matrix), dropped = 0;
    ROLLED_FOR(uint bit = 0; bit < BITS; bit++) {
        uint col = first + KEY_ALONG(bit / ROW_SUMS, SUM_OF(r, bit % ROW_SUMS));
        if (dropout_factor(p, key, line, col) == 0.0f)
            dropped |= 1u << bit;
    }
    return dropped;
}

#if NORMALIZER == SOFTMAX_WEIGHTS
/* The weights that stay grow in write_results(): here they might leave float16's range. */
ALWAYS_INLINE void drop_weights(const problem *p, uint matrix, uint row, uint first,
                                key_sums weight[BLOCKS])
{
    UNROLL_FOR(uint r = 0; r < ROWS; r++) {
        uint dropped = dropped_of(p, matrix, r, row + ROW_OF(r), first);
        UNROLL_FOR(uint n = 0; n < TILES; n++)
            UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++)
                if (dropped >> BIT(n, i) & 1)
                    weight[r / LANE_ROWS][n][SUM_OF(r, i)] = 0.0f;
    }
}

/* Weights of NUMBERS keys, as they lie in sums → as rows of the next product. */
ALWAYS_INLINE void pack_weights(const float weight[NUMBERS / STEP][SCORES], __local uint *exchange,
                                uint rows[ROW_PARTS])
{
#if NUMBERS == 8 /* sum i is of query i / 2, uint i of query i % 2 */
    UNROLL_FOR(uint i = 0; i < ROW_PARTS; i++)
        rows[i] = as_uint(weight[0][i % 2 * 2 + i / 2]);
#else
    UNROLL_FOR(uint i = 0; i < 8 * SCORES / STEP; i++)
        rows[i] = pack_pair(weight[2 * i / SCORES][2 * i % SCORES],
                            weight[2 * i / SCORES][2 * i % SCORES + 1]);
    complete_rows(rows, exchange);
#endif
}

#if NUMBERS == 8
/* NVIDIA's matrix units cut off what a sum has no digits for, and over thousands of keys that is 50
 * times float32's rounding. So what a panel gives is summed apart, for a few strips of outputs at a
 * time, and added by multiply-adds, which round. */
#define TOGETHER (COLUMN_STEPS > 8 ? 1u : 4u) /* as many as registers hold */

/* output ← correction · output + weights · values, of `count` strips from `first` on. */
ALWAYS_INLINE void add_strips(const key_sums weight[BLOCKS], const float correction[ROWS],
                              __local const uint *values, __local uint *exchange, uint first,
                              uint count, column_sums output[BLOCKS])
{
    float sum[BLOCKS][TOGETHER][SCORES] = {{{0}}};
    UNROLL_FOR(uint j = 0; j < KEY_STEPS; j++) {
        uint rows[BLOCKS][ROW_PARTS];
        UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
            pack_weights(weight[b] + j, exchange, rows[b]);
        UNROLL_FOR(uint c = 0; c < count; c++) {
            column_part value[COLUMN_PARTS];
            load_columns(values + STEP * (first + c) * VALUE_PITCH + 8 * j, VALUE_PITCH, value);
            UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
                matrix_step(sum[b][c], rows[b], value, exchange);
        }
    }
    UNROLL_FOR(uint r = 0; r < ROWS; r++)
        UNROLL_FOR(uint c = 0; c < count; c++)
            UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++) {
                float *to = &output[r / LANE_ROWS][first + c][SUM_OF(r, i)];
                *to = FMA(*to, correction[r], sum[r / LANE_ROWS][c][SUM_OF(r, i)]);
            }
}

ALWAYS_INLINE void add_values(const key_sums weight[BLOCKS], const float correction[ROWS],
                              __local const uint *values, __local uint *exchange,
                              column_sums output[BLOCKS])
{
    UNROLL_FOR(uint first = 0; first < STRIPS; first += TOGETHER)
        add_strips(weight, correction, values, exchange, first, min(TOGETHER, STRIPS - first),
                   output);
}
#else
ALWAYS_INLINE void add_values(const key_sums weight[BLOCKS], const float correction[ROWS],
                              __local const uint *values, __local uint *exchange,
                              column_sums output[BLOCKS])
{
    UNROLL_FOR(uint j = 0; j < KEY_STEPS; j++) {
        uint rows[BLOCKS][ROW_PARTS];
        UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
            pack_weights(weight[b] + j * (NUMBERS / STEP), exchange, rows[b]);
        UNROLL_FOR(uint c = 0; c < STRIPS; c++) {
            column_part value[COLUMN_PARTS];
            load_columns(values + STEP * c * VALUE_PITCH + 8 * j, VALUE_PITCH, value);
            UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
                matrix_step(output[b][c], rows[b], value, exchange);
        }
    }
}
#endif

/* ---------------------------------------------------------------- results */

/* This work-item's columns of its query r, times `factor`; `to` is the row's first column. */
ALWAYS_INLINE void write_columns(const problem *p, const column_sums output[BLOCKS], uint r,
                                 float factor, __global float *to)
{
    UNROLL_FOR(uint c = 0; c < STRIPS; c++)
        UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++) {
            uint column = STEP * c + ALONG(SUM_OF(r, i));
            if (column < p->value_dim)
                to[column] = output[r / LANE_ROWS][c][SUM_OF(r, i)] * factor;
        }
}

/* The results of whole rows, or of a piece for merge.cl; a row whose keys are all blocked gives 0.
 */
ALWAYS_INLINE void write_results(const problem *p, const job *j, const extent *e, const row_sums *s,
                                 __global float *out, __global float2 *stats,
                                 __global float *pieces)
{
    uint width = j->with_output ? 2 + p->value_dim : 2;
    bool whole = j->splits == 1;
    stats += (ulong)e->matrix * p->queries + e->row;
    out += out_at(p, e);
    pieces += e->piece * j->tile_rows * width;
    UNROLL_FOR(uint h = 0; h < ROWS; h++) {
        uint r = ROW_OF(h);
        float sum = s->sum[h], factor = p->flags & DROPOUT ? p->keep : 1.0f;
        if (r >= e->rows)
            continue;
        __global float2 *stat = whole ? stats + r : (__global float2 *)(pieces + (ulong)r * width);
        if (SHARER == 0) {
            ((__global float *)stat)[0] = s->maximum[h];
            ((__global float *)stat)[1] = sum;
        }
        if (whole)
            factor = sum > 0.0f ? factor / sum : 0.0f;
        if (j->with_output)
            write_columns(p, s->output, h, factor,
                          whole ? out + r * p->out_row : pieces + (ulong)r * width + 2);
    }
}

/* ---------------------------------------------------------------- kernels */

ALWAYS_INLINE void clear_sums(row_sums *s)
{
    UNROLL_FOR(uint r = 0; r < ROWS; r++) {
        s->maximum[r] = FLOOR;
        s->sum[r] = 0.0f;
    }
    UNROLL_FOR(uint b = 0; b < BLOCKS; b++)
        UNROLL_FOR(uint c = 0; c < STRIPS; c++)
            UNROLL_FOR(uint i = 0; i < SCORES; i++)
                s->output[b][c][i] = 0.0f;
}

/* q [M,Tq,NUMBERS·DIM_STEPS], k [M,Tk,NUMBERS·DIM_STEPS], v [M,panels,COLUMNS,BLOCK_KEYS], the rest as
 * in attend_gpu.cl. */
REQD_GROUP(GROUP_ITEMS)
SUB_GROUP __kernel void attend(problem p, job j, __global const uint *q, __global const uint *k,
                               __global const uint *v, __global const float *w,
                               __global const uchar *padding, __global const uchar *mask,
                               __global float *out, __global float2 *stats, __global float *pieces)
{
    __local uint4 key_scratch[BLOCK_KEYS * KEY_PITCH / 4];
    __local uint4 value_scratch[COLUMNS * VALUE_PITCH / 4];
    __local float scratch[SCRATCH];
    __local uint exchange[EXCHANGE];
    __local uint *keys = (__local uint *)key_scratch, *values = (__local uint *)value_scratch;
    __local extent kept; /* registers are few until the results are written */
    extent e = extent_of(&p, &j, j.first + get_group_id(0));
    uint query[BLOCKS][DIM_STEPS][ROW_PARTS];
    key_sums score[BLOCKS];
    row_sums s;

    clear_sums(&s);
    if (ITEM == 0)
        kept = e;
    uint keys_of = key_matrix(&p, e.matrix);
    k += (ulong)keys_of * p.key_room * (8 * DIM_STEPS);
    v += (ulong)keys_of * ((p.key_room + BLOCK_KEYS - 1) / BLOCK_KEYS) *
         (8 * COLUMN_STEPS * BLOCK_KEYS);
    load_queries(&p, q + ((ulong)e.matrix * p.queries + e.row) * (8 * DIM_STEPS), e.rows, query);
    if (e.begin < e.end)
        stage_keys(k + (ulong)e.begin * (8 * DIM_STEPS), p.keys - e.begin, keys);
    for (uint first = e.begin; first < e.end; first += BLOCK_KEYS) {
        /* Values come while scores are computed, the next keys during the softmax. */
        uint next = first + BLOCK_KEYS;
        await_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        if (j.with_output)
            stage_values(v + (ulong)first * (8 * COLUMN_STEPS), values);
        score_panel(query, keys, exchange, score);
        await_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        if (next < e.end)
            stage_keys(k + (ulong)next * (8 * DIM_STEPS), p.keys - next, keys);
        float factor = scale_panel(&p, padding, mask, e.matrix, e.row, e.rows, first, score);
        float correction[ROWS];
        softmax_panel(scratch, factor, score, &s, correction);
        if (p.flags & DROPOUT)
            drop_weights(&p, e.matrix, e.row, first, score);
        if (j.with_output)
            add_values(score, correction, values, exchange, s.output);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    share(scratch, s.sum, true);
    e = kept;
    write_results(&p, &j, &e, &s, out, stats, pieces);
}

#endif

/* The weights of this work-item's query r among the columns of the job; score: what times `factor`
 * is logits. stats, weights: of the tile's first query. */
ALWAYS_INLINE void write_weights(const problem *p, const job *j, const key_sums score[BLOCKS],
                                 float factor, uint r, uint row, uint first,
                                 __global const float2 *stats, __global float *weights)
{
    bool drops = (p->flags & DROPOUT) != 0 AND_NO_LOGITS(*j);
    uint dropped = drops ? dropped_of(p, j->matrix, r, row + ROW_OF(r), first) : 0;
    float2 stat = stats[ROW_OF(r)];
    float kept = drops ? p->keep : 1.0f;
    weights += (ulong)ROW_OF(r) * (j->col_end - j->col_begin);
    UNROLL_FOR(uint n = 0; n < TILES; n++)
        UNROLL_FOR(uint i = 0; i < ROW_SUMS; i++) {
            uint col = first + KEY_ALONG(n, SUM_OF(r, i));
#if NORMALIZER
            float weight = score[r / LANE_ROWS][n][SUM_OF(r, i)] * factor;
            if (!WANTS_LOGITS(*j))
                weight = SPARSE_WEIGHT(weight, stat) * kept;
#else
            float weight = weight_of(score[r / LANE_ROWS][n][SUM_OF(r, i)], factor, stat.x);
            weight = stat.y > 0.0f ? weight / stat.y * kept : 0.0f;
#endif
            if (col < j->col_begin || col >= j->col_end)
                continue;
            weights[col - j->col_begin] = dropped >> BIT(n, i) & 1 ? 0.0f : weight;
        }
}

/* A group is TILE_ROWS rows of one panel, as in attend_gpu.cl; the matrices of a launch too. */
REQD_GROUP(GROUP_ITEMS)
SUB_GROUP __kernel void weights(problem p, job JOB, __global const uint *q, __global const uint *k,
                                __global const float *w, __global const uchar *padding,
                                __global const uchar *mask, __global const float2 *stats,
                                __global float *weights)
{
    TAKE_JOB(get_group_id(1))
    __local uint4 key_scratch[BLOCK_KEYS * KEY_PITCH / 4];
    __local uint exchange[EXCHANGE];
    __local uint *keys = (__local uint *)key_scratch;
    uint query[BLOCKS][DIM_STEPS][ROW_PARTS];
    key_sums score[BLOCKS];
    uint panels = (j.col_end - 1) / BLOCK_KEYS - j.col_begin / BLOCK_KEYS + 1;
    uint first = (j.col_begin / BLOCK_KEYS + get_group_id(0) % panels) * BLOCK_KEYS;
    uint row = j.row_begin + get_group_id(0) / panels * TILE_ROWS, rows = j.row_end - row;
#if NORMALIZER
    weights += matrix_place(&j, get_group_id(1));
    if (has_no_logits(&p, &j, row, min((uint)TILE_ROWS, rows), first, BLOCK_KEYS))
        return;
#endif
    k += ((ulong)key_matrix(&p, j.matrix) * p.key_room + first) * (8 * DIM_STEPS);
    load_queries(&p, q + ((ulong)j.matrix * p.queries + row) * (8 * DIM_STEPS), rows, query);
    stage_keys(k, p.keys - first, keys);
    await_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    score_panel(query, keys, exchange, score);
    float factor = scale_panel(&p, padding, mask, j.matrix, row, rows, first, score);

    stats += (ulong)j.matrix * p.queries + row;
    weights += (ulong)(row - j.row_begin) * (j.col_end - j.col_begin);
    UNROLL_FOR(uint r = 0; r < ROWS; r++)
        if (ROW_OF(r) < rows)
            write_weights(&p, &j, score, factor, r, row, first, stats, weights);
}
