/* From logits to statistics and outputs, for the normalisers whose weights may be exactly 0: a
 * work-group takes ROWS queries of a matrix, all of their keys. It finds the threshold of each, and then goes
 * through the keys once more, a block at a time: weights, and a bit for each key that has one above 0 for some
 * of the queries; only those keys' values are read. */
#include "attention/sparse.clh"
#include "attention/dropout.clh"
#include "attention/sinks.clh"
#include "common/threshold.clh"

#ifndef ROWS
#error "define ROWS: queries of a group, 1 or 4"
#endif
#ifndef HALVES
#error "define HALVES: 1 where values are float16"
#endif

#if GROUP_ITEMS == 1
#define BLOCK 256 /* keys */
#define MARK(word, bit) (word) |= (bit)
#else
#define BLOCK 512
#define MARK(word, bit) atomic_or(&(word), bit)
#endif
#define WORDS (BLOCK / 32)
/* Vectors of value columns that a work-item sums up at a time, in registers for all ROWS queries. */
#if GROUP_ITEMS > 1
#define VECTORS 1
#elif WIDTH == 16
#define VECTORS 4
#else
#define VECTORS 2
#endif
#define EACH_ROW _Pragma("unroll") for (uint r = 0; r < ROWS; r++)
#define EACH_VECTOR _Pragma("unroll") for (int i = 0; i < VECTORS; i++)

/* The queries of a group: `logits` is the first one's row, of p.keys. */
typedef struct queries {
    __global const float *logits;
    uint matrix, row, rows;
    uint begin[ROWS], end[ROWS]; /* the keys that each sees; none of those that there are not */
    float2 stat[ROWS];
} queries;

/* The logits of query r and WIDTH keys from `key` on. */
inline vf logits_of(const problem *p, const queries *q, uint r, uint key)
{
    __global const float *row = q->logits + (ulong)r * p->keys;
#if WIDTH == 1
    return key >= q->begin[r] && key < q->end[r] ? row[key] : BLOCKED;
#else
    if (key >= q->begin[r] && key + WIDTH <= q->end[r])
        return VF_TAKE(row + key);
    float lanes[WIDTH];
    for (uint i = 0; i < WIDTH; i++)
        lanes[i] = key + i >= q->begin[r] && key + i < q->end[r] ? row[key + i] : BLOCKED;
    return VF_LOAD(lanes);
#endif
}

/* How far they stand above the threshold, in its units. */
inline vf above_of(const queries *q, uint r, vf logits)
{
    return max((logits - (vf)(q->stat[r].x)) * (vf)(THRESHOLD_SHARE) - (vf)(q->stat[r].y),
               (vf)(0.0f));
}

/* The statistics of query r. */
inline float2 stat_of(const problem *p, const queries *q, uint r, float sink,
                      __local float *scratch)
{
    __global const float *row = q->logits + (ulong)r * p->keys;
    const uint step = GROUP_ITEMS * WIDTH;
    vf top = (vf)(FLOOR), other = top; /* by turns: a maximum waits for the one before it */
    uint n = q->begin[r] + ITEM * WIDTH;
    for (; n + step + WIDTH <= q->end[r]; n += 2 * step) {
        top = max(top, VF_TAKE(row + n));
        other = max(other, VF_TAKE(row + n + step));
    }
    for (; n < q->end[r]; n += step)
        top = max(top, load_some(row + n, q->end[r] - n, FLOOR));
    top = max(top, other);
#if WIDTH == 1
    float highest = group_max(top, scratch);
#else
    float highest = group_max(across_max(top), scratch);
#endif
    /* Signed: of unsigned numbers the compiler makes a saturating difference, which oclgrind 21.10 lacks. */
    uint count = (uint)max((int)q->end[r] - (int)q->begin[r], 0);
    float threshold =
        threshold_of(NORMALIZER, row + q->begin[r], count, highest, sink, THRESHOLD_SHARE, scratch);
    return (float2)(max(highest, sink), threshold);
}

/* The weights of a block of keys from `first` on before dropout, or their slopes → weights [ROWS][BLOCK], where
 * a query has some, and their keys' bits → `used`. */
ALWAYS_INLINE void weigh_block(const bool slopes, const problem *p, const queries *q, uint first,
                               uint end, vf total[ROWS], __local float *weights, __local uint *used)
{
    uint key = dropout_key(p->seed_low, p->seed_high, q->matrix);
    for (uint n = ITEM * WIDTH; n < BLOCK && first + n < end; n += GROUP_ITEMS * WIDTH) {
        vf above[ROWS], most = (vf)(0.0f);
        float lanes[WIDTH];
        EACH_ROW
        {
            above[r] = above_of(q, r, logits_of(p, q, r, first + n));
            most = max(most, above[r]);
        }
        if (!ANY_ABOVE(most))
            continue;
        VF_STORE(most, lanes);
        EACH_ROW
        {
            vf weight =
                slopes ? SLOPE_ABOVE(NORMALIZER, above[r]) : WEIGHT_ABOVE(NORMALIZER, above[r]);
            if (slopes)
                total[r] += weight;
            VF_STORE(weight, weights + r * BLOCK + n);
        }
        for (uint i = 0; i < WIDTH; i++) {
            if (lanes[i] == 0.0f)
                continue;
            MARK(used[(n + i) / 32], 1u << (n + i) % 32);
            if (p->flags & DROPOUT)
                EACH_ROW weights[r * BLOCK + n + i] *=
                    dropout_factor(p, key, q->row + r, first + n + i);
        }
    }
}

/* The first `count` of WIDTH numbers of a value. */
#if HALVES
#define storage_t half
inline vf load_value(__global const half *at, uint count)
{
#if WIDTH > 1
    if (count < WIDTH) {
        float lanes[WIDTH];
        for (uint i = 0; i < WIDTH; i++)
            lanes[i] = i < count ? vload_half(i, at) : 0.0f;
        return VF_LOAD(lanes);
    }
    return JOIN(vload_half, WIDTH)(0, at);
#else
    return vload_half(0, at);
#endif
}
#else
#define storage_t float
#define load_value(at, count) load_some(at, count, 0.0f)
#endif

/* Columns c … of weights · values of the keys that are marked in every `parts`-th word from `part` on, of a
 * block whose first value is v [key][value_dim]. */
inline void sum_block(uint value_dim, uint c, uint part, uint parts, __global const storage_t *v,
                      __local const float *weights, __local const uint *used, vf sum[ROWS][VECTORS])
{
    EACH_ROW EACH_VECTOR sum[r][i] = (vf)(0.0f);
    if (c >= value_dim)
        return;
    for (uint word = part; word < WORDS; word += parts)
        for (uint bits = used[word]; bits;) {
            uint k = word * 32 + 31 - clz(bits & -bits);
            __global const storage_t *value = v + (ulong)k * value_dim + c;
            bits &= bits - 1;
            EACH_VECTOR
            {
                uint at = (uint)i * WIDTH, left = value_dim - c;
                vf x = at < left ? load_value(value + at, left - at) : (vf)(0.0f);
                EACH_ROW sum[r][i] = FMA((vf)(weights[r * BLOCK + k]), x, sum[r][i]);
            }
        }
}

/* logits [matrices of the job,its rows,Tk], of which those are read that keys_of_query() gives; v
 * [M,Tk,dv]; sinks [H] from sinks_at on → stats [M,Tq] (sparse.clh), and with j.with_output the output by its
 * strides; `slopes`: Σ s v / Σ s in its place, of the weights' slopes s, which the backward pass starts from. */
REQD_GROUP(GROUP_ITEMS)
__kernel void attend(problem p, job j, uint slopes, __global const float *logits,
                     __global const storage_t *v, __global const float *sinks, ulong sinks_at,
                     __global float *out, __global float2 *stats, __local float *scratch)
{
    __local float weights[ROWS * BLOCK];
    __local uint used[WORDS];
#if GROUP_ITEMS > 1
    __local float parted[ROWS * GROUP_ITEMS];
#endif
    uint all = j.row_end - j.row_begin, tiles = (all + ROWS - 1) / ROWS;
    uint nth = get_group_id(0) / tiles, tile = get_group_id(0) % tiles * ROWS;
    uint begin = p.keys, end = 0;
    queries q;
    q.matrix = j.matrix + nth;
    q.row = j.row_begin + tile;
    q.rows = min((uint)ROWS, all - tile);
    q.logits = logits + ((ulong)nth * all + tile) * p.keys;
    float sink = p.flags & SINKS ? sink_logit(sinks[sinks_at + q.matrix % p.heads]) : BLOCKED;
    EACH_ROW
    {
        q.begin[r] = q.end[r] = 0;
        q.stat[r] = (float2)(FLOOR, NO_THRESHOLD);
        if (r < q.rows) {
            keys_of_query(&p, q.row + r, &q.begin[r], &q.end[r]);
            q.stat[r] = stat_of(&p, &q, r, sink, scratch);
            if (ITEM == 0)
                stats[(ulong)q.matrix * p.queries + q.row + r] = q.stat[r];
            begin = min(begin, q.begin[r]);
            end = max(end, q.end[r]);
        }
    }
    if (!j.with_output)
        return;

    /* Items share out the columns, and where there are more of them, the keys. */
    uint across = 1, dv = p.value_dim;
    while (across < GROUP_ITEMS && across < dv)
        across *= 2;
    uint part = ITEM / across, parts = GROUP_ITEMS / across, column = ITEM % across;
    const uint step = WIDTH * VECTORS;
    vf total[ROWS], sum[ROWS][VECTORS];
    v += (ulong)key_matrix(&p, q.matrix) * p.key_room * dv;
    out += q.matrix / p.heads * p.out_batch + q.matrix % p.heads * p.out_head + q.row * p.out_row;
    EACH_ROW total[r] = (vf)(0.0f);
    for (uint c = column * step; c < dv && part == 0; c += across * step)
        EACH_ROW EACH_VECTOR if (r < q.rows && c + i * WIDTH < dv)
            store_some((vf)(0.0f), out + r * p.out_row + c + i * WIDTH, dv - c - i * WIDTH);
    for (uint first = begin / BLOCK * BLOCK; first < end; first += BLOCK) {
        SYNC();
        for (uint word = ITEM; word < WORDS; word += GROUP_ITEMS)
            used[word] = 0;
        SYNC();
        if (slopes)
            weigh_block(true, &p, &q, first, end, total, weights, used);
        else
            weigh_block(false, &p, &q, first, end, total, weights, used);
        SYNC();
        for (uint base = 0; base < dv; base += across * step) {
            uint c = base + column * step;
            sum_block(dv, c, part, parts, v + (ulong)first * dv, weights, used, sum);
#if GROUP_ITEMS > 1
            if (parts > 1) { /* which are WIDTH 1, VECTORS 1 */
                SYNC();
                EACH_ROW parted[r * GROUP_ITEMS + ITEM] = sum[r][0];
                SYNC();
                for (uint other = 1; other < parts && part == 0; other++)
                    EACH_ROW sum[r][0] += parted[r * GROUP_ITEMS + other * across + column];
            }
#endif
            EACH_ROW EACH_VECTOR
            {
                __global float *to = out + r * p.out_row + c + i * WIDTH;
                if (part == 0 && r < q.rows && c + i * WIDTH < dv)
                    store_some(load_some(to, dv - c - i * WIDTH, 0.0f) + sum[r][i], to,
                               dv - c - i * WIDTH);
            }
        }
    }
    if (!slopes)
        return;
    EACH_ROW
    {
        float d = max((sink - q.stat[r].x) * THRESHOLD_SHARE - q.stat[r].y, 0.0f);
        float whole = group_sum(lanes_sum(total[r]), scratch) + SLOPE_ABOVE(NORMALIZER, d);
        float factor = whole > 0.0f ? 1.0f / whole : 0.0f;
        for (uint c = column * step; c < dv && part == 0 && r < q.rows; c += across * step)
            EACH_VECTOR if (c + i * WIDTH < dv)
            {
                __global float *to = out + r * p.out_row + c + i * WIDTH;
                uint left = dv - c - i * WIDTH;
                store_some(load_some(to, left, 0.0f) * factor, to, left);
            }
    }
}
