/* Attention of one query per picture over the cells of that picture: see nn/cross_attention.h. A
 * work-group does a picture. Rows of cells lie one after the other, so that a CPU's item takes them
 * a vector of columns at a time, and a GPU's items take a column each. */
#include "vector.clh"
#include "group.clh"

#ifndef ADDITIVE
#error "define ADDITIVE: 1 for v·tanh(key + query), 0 for key·query"
#endif

#define BLOCKED -1e30f /* as in problem.clh */
#define FLOOR -1e29f
#if ADDITIVE
#define LOAD_V(at, count) load_some(at, count, 0.0f)
#else /* there is no v */
#define LOAD_V(at, count) ((vf)(0.0f))
#endif
/* Columns of a pass over the cells: as many vectors as there are registers for their sums. */
#if GROUP_ITEMS == 1
#define CONTEXT_VECTORS 8
#define BACK_VECTORS 4
#else
#define CONTEXT_VECTORS 1
#define BACK_VECTORS 1
#endif

/* i = 0 … count − 1, in a loop that is unrolled up to `most` before `count` is known. */
#define FOR_VECTORS(i, count, most)                                                                \
    _Pragma("unroll") for (uint i = 0; i < most; i++) if (i < (count))

typedef struct layer {
    uint cells, depth, keys; /* N, D, A */
    uint shared;             /* 1: one picture for the whole batch */
    uint has_padding;
    uint padding_step; /* from one row of the batch to the next; 0: one for all */
    uint has_gate, has_dweights;
    float scale; /* on the raw score: the score's own, over the temperature */
} layer;

inline vf score_step(vf sum, vf k, vf q, vf w)
{
#if ADDITIVE
    return FMA(w, tanh_fast(k + q), sum);
#else
    return FMA(k, q, sum);
#endif
}

/* The raw score of one cell's key [A]. */
inline float raw_score(uint count, __global const float *key, __global const float *query,
                       __global const float *v)
{
    vf sum = (vf)(0.0f);
    uint a = 0;
    for (; a + WIDTH <= count; a += WIDTH)
        sum = score_step(sum, VF_LOAD(key + a), VF_LOAD(query + a), LOAD_V(v + a, WIDTH));
    if (a < count)
        sum = score_step(sum, load_some(key + a, count - a, 0.0f),
                         load_some(query + a, count - a, 0.0f), LOAD_V(v + a, count - a));
    return lanes_sum(sum);
}

/* Base-2 logits of all cells into weights [N]; returns the largest of this item's. */
inline float score_cells(const layer *l, __global const float *keys, __global const float *query,
                         __global const float *v, __global const float *padding,
                         __global float *weights)
{
    float highest = FLOOR, factor = l->scale * M_LOG2E_F;
    for (uint n = ITEM; n < l->cells; n += GROUP_ITEMS) {
        float logit = BLOCKED;
        if (!l->has_padding || padding[n] == 0.0f)
            logit = raw_score(l->keys, keys + (ulong)n * l->keys, query, v) * factor;
        weights[n] = logit;
        highest = max(highest, logit);
    }
    return highest;
}

/* Logits → weights, in place. All ignored: weights of 0. */
inline void softmax(uint cells, float highest, __global float *weights, __local float *scratch)
{
    vf sum = (vf)(0.0f);
    for (uint n = ITEM * WIDTH; n < cells; n += GROUP_ITEMS * WIDTH) {
        vf e = exp2_fast(load_some(weights + n, cells - n, BLOCKED) - highest);
        store_some(e, weights + n, cells - n);
        sum += e;
    }
    float total = group_sum(lanes_sum(sum), scratch), inverse = total > 0.0f ? 1.0f / total : 0.0f;
    for (uint n = ITEM * WIDTH; n < cells; n += GROUP_ITEMS * WIDTH)
        store_some(load_some(weights + n, cells - n, 0.0f) * inverse, weights + n, cells - n);
}

/* Columns begin … of Σ α features. `vectors` is a constant wherever this is called; a single vector
 * may be cut off by the end of the row. */
ALWAYS_INLINE void sum_columns(const layer *l, uint begin, const uint vectors,
                               __global const float *features, __global const float *weights,
                               float gate, __global float *context, __global float *z)
{
    vf sum[CONTEXT_VECTORS];
    uint some = vectors > 1 ? WIDTH : l->depth - begin;
    FOR_VECTORS(i, vectors, CONTEXT_VECTORS)
        sum[i] = (vf)(0.0f);
    features += begin;
    for (uint n = 0; n < l->cells; n++, features += l->depth) {
        vf weight = (vf)(weights[n]);
        FOR_VECTORS(i, vectors, CONTEXT_VECTORS)
            sum[i] = FMA(weight, load_some(features + i * WIDTH, some, 0.0f), sum[i]);
    }
    FOR_VECTORS(i, vectors, CONTEXT_VECTORS) {
        store_some(sum[i], context + begin + i * WIDTH, some);
        store_some(sum[i] * gate, z + begin + i * WIDTH, some);
    }
}

REQD_GROUP(GROUP_ITEMS)
__kernel void forward(layer l, __global const float *features, uint features_at,
                      __global const float *keys, uint keys_at, __global const float *v, uint v_at,
                      __global const float *query, uint query_at, __global float *gate,
                      uint gate_at, __global const float *padding, uint padding_at,
                      __global float *weights, uint weights_at, __global float *context,
                      uint context_at, __global float *z, uint z_at, __local float *scratch)
{
    uint b = get_group_id(0), picture = l.shared ? 0 : b;
    features += features_at + (ulong)picture * l.cells * l.depth;
    keys += keys_at + (ulong)picture * l.cells * l.keys;
    weights += weights_at + (ulong)b * l.cells;
    context += context_at + (ulong)b * l.depth;
    z += z_at + (ulong)b * l.depth;
    float open = l.has_gate ? 0.5f + 0.5f * tanh(0.5f * gate[gate_at + b]) : 1.0f;

    float highest = score_cells(&l, keys, query + query_at + (ulong)b * l.keys, v + v_at,
                                padding + padding_at + b * l.padding_step, weights);
    highest = group_max(highest, scratch);
    softmax(l.cells, highest, weights, scratch);
    SYNC();
    uint c = ITEM * CONTEXT_VECTORS * WIDTH;
    for (; c + CONTEXT_VECTORS * WIDTH <= l.depth; c += GROUP_ITEMS * CONTEXT_VECTORS * WIDTH)
        sum_columns(&l, c, CONTEXT_VECTORS, features, weights, open, context, z);
    if (CONTEXT_VECTORS > 1)
        for (; c < l.depth; c += WIDTH)
            sum_columns(&l, c, 1, features, weights, open, context, z);
    if (ITEM == 0 && l.has_gate)
        gate[gate_at + b] = open;
}

/* dα of all cells into `slopes` [N], and dfeatures += β α dz. Returns this item's part of Σ α dα.
 */
inline float back_features(const layer *l, float gate, __global const float *features,
                           __global const float *weights, __global const float *dz,
                           __global const float *dweights, __global float *dfeatures,
                           __global float *slopes)
{
    float mean = 0.0f;
    for (uint n = ITEM; n < l->cells; n += GROUP_ITEMS) {
        __global const float *feature = features + (ulong)n * l->depth;
        __global float *dfeature = dfeatures + (ulong)n * l->depth;
        vf along = (vf)(0.0f);
        float share = gate * weights[n];
        for (uint d = 0; d < l->depth; d += WIDTH) {
            uint left = l->depth - d;
            vf above = load_some(dz + d, left, 0.0f);
            along = FMA(above, load_some(feature + d, left, 0.0f), along);
            store_some(FMA((vf)(share), above, load_some(dfeature + d, left, 0.0f)), dfeature + d,
                       left);
        }
        float slope = gate * lanes_sum(along) + (l->has_dweights ? dweights[n] : 0.0f);
        slopes[n] = slope;
        mean += weights[n] * slope;
    }
    return mean;
}

/* dα → de, the gradient of the raw scores, in place. */
inline void back_softmax(const layer *l, float mean, __global const float *weights,
                         __global float *slopes)
{
    for (uint n = ITEM; n < l->cells; n += GROUP_ITEMS)
        slopes[n] = weights[n] * (slopes[n] - mean) * l->scale;
}

/* Columns begin … of dkeys (added to), of dquery and of this picture's part of dv; `vectors` as in
 * sum_columns. The additive score's tanh is computed anew: to keep it would take N·A floats a
 * picture and step. */
ALWAYS_INLINE void back_columns(const layer *l, uint begin, const uint vectors,
                                __global const float *keys, __global const float *query,
                                __global const float *v, __global const float *slopes,
                                __global float *dkeys, __global float *dquery, __global float *dv)
{
    vf q[BACK_VECTORS], w[BACK_VECTORS], dq[BACK_VECTORS], dw[BACK_VECTORS];
    uint some = vectors > 1 ? WIDTH : l->keys - begin;
    FOR_VECTORS(i, vectors, BACK_VECTORS) {
        q[i] = load_some(query + begin + i * WIDTH, some, 0.0f);
        w[i] = LOAD_V(v + begin + i * WIDTH, some);
        dq[i] = dw[i] = (vf)(0.0f);
    }
    keys += begin;
    dkeys += begin;
    for (uint n = 0; n < l->cells; n++, keys += l->keys, dkeys += l->keys) {
        vf slope = (vf)(slopes[n]);
        FOR_VECTORS(i, vectors, BACK_VECTORS) {
            vf k = load_some(keys + i * WIDTH, some, 0.0f);
            vf dk = load_some(dkeys + i * WIDTH, some, 0.0f);
#if ADDITIVE
            vf t = tanh_fast(k + q[i]), bent = slope * w[i] * FMA(-t, t, (vf)(1.0f));
            dw[i] = FMA(slope, t, dw[i]);
            dq[i] += bent;
            dk += bent;
#else
            dq[i] = FMA(slope, k, dq[i]);
            dk = FMA(slope, q[i], dk);
#endif
            store_some(dk, dkeys + i * WIDTH, some);
        }
    }
    FOR_VECTORS(i, vectors, BACK_VECTORS) {
        store_some(dq[i], dquery + begin + i * WIDTH, some);
#if ADDITIVE
        store_some(dw[i], dv + begin + i * WIDTH, some);
#endif
    }
}

/* dv: [B,A], a part per picture. slopes: scratch [B,N]. */
REQD_GROUP(GROUP_ITEMS)
__kernel void backward(layer l, __global const float *features, uint features_at,
                       __global const float *keys, uint keys_at, __global const float *v, uint v_at,
                       __global const float *query, uint query_at, __global const float *gate,
                       uint gate_at, __global const float *weights, uint weights_at,
                       __global const float *context, uint context_at, __global const float *dz,
                       uint dz_at, __global const float *dweights, uint dweights_at,
                       __global float *dfeatures, uint dfeatures_at, __global float *dkeys,
                       uint dkeys_at, __global float *dquery, uint dquery_at, __global float *dgate,
                       uint dgate_at, __global float *slopes, uint slopes_at, __global float *dv,
                       uint dv_at, __local float *scratch)
{
    uint b = get_group_id(0);
    float open = l.has_gate ? gate[gate_at + b] : 1.0f, along = 0.0f;
    weights += weights_at + (ulong)b * l.cells;
    slopes += slopes_at + (ulong)b * l.cells;
    dz += dz_at + (ulong)b * l.depth;
    context += context_at + (ulong)b * l.depth;
    features += features_at + (ulong)b * l.cells * l.depth;
    dfeatures += dfeatures_at + (ulong)b * l.cells * l.depth;
    keys += keys_at + (ulong)b * l.cells * l.keys;
    dkeys += dkeys_at + (ulong)b * l.cells * l.keys;
    query += query_at + (ulong)b * l.keys;
    dquery += dquery_at + (ulong)b * l.keys;
    dv += dv_at + (ulong)b * l.keys;

    for (uint d = ITEM; d < l.depth; d += GROUP_ITEMS)
        along += dz[d] * context[d];
    along = group_sum(along, scratch);
    if (ITEM == 0 && l.has_gate)
        dgate[dgate_at + b] = open * (1.0f - open) * along;
    float mean = back_features(&l, open, features, weights, dz,
                               dweights + dweights_at + b * l.cells, dfeatures, slopes);
    mean = group_sum(mean, scratch);
    back_softmax(&l, mean, weights, slopes);
    SYNC();
    uint a = ITEM * BACK_VECTORS * WIDTH;
    for (; a + BACK_VECTORS * WIDTH <= l.keys; a += GROUP_ITEMS * BACK_VECTORS * WIDTH)
        back_columns(&l, a, BACK_VECTORS, keys, query, v + v_at, slopes, dkeys, dquery, dv);
    if (BACK_VECTORS > 1)
        for (; a < l.keys; a += WIDTH)
            back_columns(&l, a, 1, keys, query, v + v_at, slopes, dkeys, dquery, dv);
}
