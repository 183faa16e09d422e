/* Layer norm and RMS norm of rows: see attention/run/layer_norm.h. A work-group takes `each` of them, one
 * after the other, and its items share out the numbers of a row. */
#include "common/vector.clh"
#include "common/group.clh"

/* The twin of norm_rows in attention/run/layer_norm.c. */
typedef struct rows {
    uint count, depth;
    uint period; /* rows of `added`; 0: there is none */
    uint each;
    uint centred;
    uint rms;      /* no mean is taken off, and nothing is added after the gain */
    float epsilon; /* of the variance */
} rows;

/* One row of u = x + added, and what makes it a normed one. */
typedef struct row {
    __global const float *x, *added;
    uint has_added;
    float shift;         /* taken off what is added */
    float mean, inverse; /* of u, and of its deviation */
} row;

/* WIDTH numbers of u; `fill` in what lanes are left. */
inline vf load_u(const row *r, uint d, uint left, float fill)
{
    vf u = load_some(r->x + d, left, fill);
    return r->has_added ? u + (load_some(r->added + d, left, r->shift) - r->shift) : u;
}

/* Of all items' numbers. */
inline float sum_of(vf x, __local float *scratch)
{
    return group_sum(lanes_sum(x), scratch);
}

inline float mean_of(__global const float *x, uint depth, __local float *scratch)
{
    vf sums = (vf)(0.0f);
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH)
        sums += load_some(x + d, depth - d, 0.0f);
    return sum_of(sums, scratch) / depth;
}

inline row row_of(const rows *l, uint n, __global const float *x, __global const float *added)
{
    row r = {x + (ulong)n * l->depth, added, l->period > 0, 0.0f, 0.0f, 0.0f};
    if (r.has_added)
        r.added += (ulong)(n % l->period) * l->depth;
    return r;
}

/* In two passes: E[u²] − E[u]² cancels. */
inline row measured(row r, const rows *l, __local float *scratch)
{
    uint depth = l->depth;
    vf sums = (vf)(0.0f), squares = (vf)(0.0f);
    if (!l->rms) {
        for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH)
            sums += load_u(&r, d, depth - d, 0.0f);
        r.mean = sum_of(sums, scratch) / depth;
    }
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH) {
        vf away = load_u(&r, d, depth - d, r.mean) - r.mean;
        squares = FMA(away, away, squares);
    }
    r.inverse = 1.0f / sqrt(sum_of(squares, scratch) / depth + l->epsilon);
    return r;
}

/* y may be x. */
REQD_GROUP(GROUP_ITEMS)
__kernel void forward(rows l, __global const float *x, uint x_at, __global const float *added,
                      uint added_at, __global const float *gain, uint gain_at,
                      __global const float *bias, uint bias_at, __global float *y, uint y_at,
                      __local float *scratch)
{
    uint first = get_group_id(0) * l.each, end = first + min(l.each, l.count - first);
    x += x_at;
    added += added_at;
    gain += gain_at;
    bias += bias_at;
    for (uint n = first; n < end; n++) {
        row r = row_of(&l, n, x, added);
        if (l.centred)
            r.shift = mean_of(r.added, l.depth, scratch);
        r = measured(r, &l, scratch);
        __global float *out = y + y_at + (ulong)n * l.depth;
        for (uint d = ITEM * WIDTH; d < l.depth; d += GROUP_ITEMS * WIDTH) {
            uint left = l.depth - d;
            vf normed = (load_u(&r, d, left, 0.0f) - r.mean) * r.inverse;
            vf more = l.rms ? (vf)(0.0f) : load_some(bias + d, left, 0.0f);
            store_some(FMA(normed, load_some(gain + d, left, 0.0f), more), out + d, left);
        }
    }
}

/* This item's columns of the sums over the group's rows of dy û and of dy. */
inline void sum_rows(const rows *l, uint first, uint end, __global const float *x,
                     __global const float *added, __global const float *dy,
                     __global const float *norms, __global float *dgain, __global float *dbias)
{
    for (uint d = ITEM * WIDTH; d < l->depth; d += GROUP_ITEMS * WIDTH) {
        uint left = l->depth - d;
        vf gains = (vf)(0.0f), biases = (vf)(0.0f);
        for (uint n = first; n < end; n++) {
            row r = row_of(l, n, x, added);
            vf above = load_some(dy + (ulong)n * l->depth + d, left, 0.0f);
            vf normed = (load_u(&r, d, left, 0.0f) - norms[2 * n]) * norms[2 * n + 1];
            gains = FMA(above, normed, gains);
            biases += above;
        }
        store_some(gains, dgain + d, left);
        store_some(biases, dbias + d, left);
    }
}

/* dx = (g − mean g − û mean(g û)) / deviation, with g = dy · gain and û the normed u, in place of
 * dy; of an RMS norm without mean g. */
inline void back_row(const row *r, const rows *l, __global const float *gain, __global float *dy,
                     __local float *scratch)
{
    uint depth = l->depth;
    vf sums = (vf)(0.0f), products = (vf)(0.0f);
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH) {
        uint left = depth - d;
        vf g = load_some(dy + d, left, 0.0f) * load_some(gain + d, left, 0.0f);
        sums += g;
        products = FMA(g, (load_u(r, d, left, 0.0f) - r->mean) * r->inverse, products);
    }
    float sum = l->rms ? 0.0f : sum_of(sums, scratch) / depth;
    float product = sum_of(products, scratch) / depth;
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH) {
        uint left = depth - d;
        vf u = load_u(r, d, left, 0.0f);
        vf g = load_some(dy + d, left, 0.0f) * load_some(gain + d, left, 0.0f);
        store_some((g - sum - (u - r->mean) * r->inverse * product) * r->inverse, dy + d, left);
    }
}

/* The sums of each group into its row of dgain and dbias, while dy is still there; norms [rows,2] is
 * scratch. Nothing that is added is centred. */
REQD_GROUP(GROUP_ITEMS)
__kernel void backward(rows l, __global const float *x, uint x_at, __global const float *added,
                       uint added_at, __global const float *gain, uint gain_at, __global float *dy,
                       uint dy_at, __global float *norms, uint norms_at, __global float *dgain,
                       uint dgain_at, __global float *dbias, uint dbias_at, __local float *scratch)
{
    uint group = get_group_id(0), first = group * l.each;
    uint end = first + min(l.each, l.count - first);
    x += x_at;
    added += added_at;
    dy += dy_at;
    norms += norms_at;
    for (uint n = first; n < end; n++) {
        row r = measured(row_of(&l, n, x, added), &l, scratch);
        if (ITEM == 0) {
            norms[2 * n] = r.mean;
            norms[2 * n + 1] = r.inverse;
        }
    }
    SYNC();
    sum_rows(&l, first, end, x, added, dy, norms, dgain + dgain_at + (ulong)group * l.depth,
             dbias + dbias_at + (ulong)group * l.depth);
    SYNC();
    for (uint n = first; n < end; n++) {
        row r = row_of(&l, n, x, added);
        r.mean = norms[2 * n];
        r.inverse = norms[2 * n + 1];
        back_row(&r, &l, gain + gain_at, dy + (ulong)n * l.depth, scratch);
    }
}
