/* Attention of one query and one head for each item of a batch, forward and backward: the layer of
 * nn/attention.h with weights. A work-group computes one item. */
#include "layers/one_query.clh"

REQD_GROUP(GROUP_ITEMS)
__kernel void forward(layer l, __global const float *values, uint values_at,
                      __global const float *keys, uint keys_at, __global const float *w_v,
                      uint w_v_at, __global const float *query, uint query_at, __global float *gate,
                      uint gate_at, __global const uchar *padding, __global float *weights,
                      uint weights_at, __global float *scores, uint scores_at,
                      __global float *context, uint context_at, __global float *output,
                      uint output_at, __local float *scratch)
{
    uint b = get_group_id(0), item = l.shared ? 0 : b;
    values += values_at + (ulong)item * l.keys * l.value_dim;
    keys += keys_at + (ulong)item * l.keys * l.dim;
    weights += weights_at + (ulong)b * l.keys;
    context += context_at + (ulong)b * l.value_dim;
    output += output_at + (ulong)b * l.value_dim;
    float open = l.has_gate ? 0.5f + 0.5f * tanh(0.5f * gate[gate_at + b]) : 1.0f;

    float highest = score_keys(&l, keys, query + query_at + (ulong)b * l.dim, w_v + w_v_at,
                               padding + (ulong)item * l.keys, weights);
    for (uint n = ITEM; l.has_scores && n < l.keys; n += GROUP_ITEMS)
        scores[scores_at + b * l.keys + n] = weights[n] * SCORE_OF_LOGIT;
    highest = group_max(highest, scratch);
    weigh_logits(l.keys, highest, weights, scratch);
    SYNC();
    sum_all_columns(&l, values, weights, open, context, output);
    if (ITEM == 0 && l.has_gate)
        gate[gate_at + b] = open;
}

/* dα of all keys into `slopes` [Tk], and dvalues += β α doutput. Returns this work-item's part of
 * Σ s dα, and of Σ s (normalize.clh). */
inline float back_values(const layer *l, float gate, __global const float *values,
                         __global const float *weights, __global const float *doutput,
                         __global const float *dweights, __global float *dvalues,
                         __global float *slopes, float *slope_sum)
{
    float mean = 0.0f;
    for (uint n = ITEM; n < l->keys; n += GROUP_ITEMS) {
        __global const float *value = values + (ulong)n * l->value_dim;
        __global float *dvalue = dvalues + (ulong)n * l->value_dim;
        vf along = (vf)(0.0f);
        float weight = weights[n], share = gate * weight;
        slopes[n] = 0.0f;
        if (!IS_SOFTMAX && weight == 0.0f)
            continue;
        for (uint d = 0; d < l->value_dim; d += WIDTH) {
            uint left = l->value_dim - d;
            vf above = load_some(doutput + d, left, 0.0f);
            along = FMA(above, load_some(value + d, left, 0.0f), along);
            store_some(FMA((vf)(share), above, load_some(dvalue + d, left, 0.0f)), dvalue + d,
                       left);
        }
        float slope = gate * lanes_sum(along) + (l->has_dweights ? dweights[n] : 0.0f);
        slopes[n] = slope;
        mean += slope_of(weight) * slope;
        *slope_sum += slope_of(weight);
    }
    return mean;
}

/* dα → de, the gradient of the raw scores, in place. */
inline void back_normalize(const layer *l, float mean, __global const float *weights,
                           __global const float *dscores, __global float *slopes)
{
    for (uint n = ITEM; n < l->keys; n += GROUP_ITEMS) {
        float slope = slope_of(weights[n]) * (slopes[n] - mean);
        slopes[n] = (slope + (l->has_scores ? dscores[n] : 0.0f)) * l->scale;
    }
}

/* Columns begin … of dkeys (added to), of dquery and of this item's part of dw_v; `vectors` as in
 * sum_columns. The additive score's tanh is computed anew: to keep it would take Tk·d floats for
 * each item and step. */
ALWAYS_INLINE void back_columns(const layer *l, uint begin, const uint vectors,
                                __global const float *keys, __global const float *query,
                                __global const float *w_v, __global const float *slopes,
                                __global float *dkeys, __global float *dquery, __global float *dw_v)
{
    vf q[BACK_VECTORS], w[BACK_VECTORS], dq[BACK_VECTORS], dw[BACK_VECTORS];
    uint some = vectors > 1 ? WIDTH : l->dim - begin;
    FOR_VECTORS(i, vectors, BACK_VECTORS) {
        q[i] = load_some(query + begin + i * WIDTH, some, 0.0f);
        w[i] = LOAD_W(w_v + begin + i * WIDTH, some);
        dq[i] = dw[i] = (vf)(0.0f);
    }
    keys += begin;
    dkeys += begin;
    for (uint n = 0; n < l->keys; n++, keys += l->dim, dkeys += l->dim) {
        vf slope = (vf)(slopes[n]), x[ABREAST];
        if (!IS_SOFTMAX && slopes[n] == 0.0f)
            continue;
        FOR_VECTORS(i, vectors, BACK_VECTORS)
            x[i] = load_some(keys + i * WIDTH, some, 0.0f);
#if ADDITIVE
        FOR_VECTORS(i, vectors, BACK_VECTORS)
            x[i] += q[i];
        tanh_abreast(x, vectors);
#endif
        FOR_VECTORS(i, vectors, BACK_VECTORS) {
            vf dk = load_some(dkeys + i * WIDTH, some, 0.0f);
#if ADDITIVE
            vf bent = slope * w[i] * FMA(-x[i], x[i], (vf)(1.0f));
            dw[i] = FMA(slope, x[i], dw[i]);
            dq[i] += bent;
            dk += bent;
#else
            dq[i] = FMA(slope, x[i], dq[i]);
            dk = FMA(slope, q[i], dk);
#endif
            store_some(dk, dkeys + i * WIDTH, some);
        }
    }
    FOR_VECTORS(i, vectors, BACK_VECTORS) {
        store_some(dq[i], dquery + begin + i * WIDTH, some);
#if ADDITIVE
        store_some(dw[i], dw_v + begin + i * WIDTH, some);
#endif
    }
}

/* dw_v: [B,d], a part for each item. slopes: scratch [B,Tk]. */
REQD_GROUP(GROUP_ITEMS)
__kernel void
backward(layer l, __global const float *values, uint values_at, __global const float *keys,
         uint keys_at, __global const float *w_v, uint w_v_at, __global const float *query,
         uint query_at, __global const float *gate, uint gate_at, __global const float *weights,
         uint weights_at, __global const float *context, uint context_at,
         __global const float *doutput, uint doutput_at, __global const float *dweights,
         uint dweights_at, __global const float *dscores, uint dscores_at, __global float *dvalues,
         uint dvalues_at, __global float *dkeys, uint dkeys_at, __global float *dquery,
         uint dquery_at, __global float *dgate, uint dgate_at, __global float *slopes,
         uint slopes_at, __global float *dw_v, uint dw_v_at, __local float *scratch)
{
    uint b = get_group_id(0);
    float open = l.has_gate ? gate[gate_at + b] : 1.0f, along = 0.0f, slope_sum = 0.0f;
    weights += weights_at + (ulong)b * l.keys;
    slopes += slopes_at + (ulong)b * l.keys;
    doutput += doutput_at + (ulong)b * l.value_dim;
    context += context_at + (ulong)b * l.value_dim;
    values += values_at + (ulong)b * l.keys * l.value_dim;
    dvalues += dvalues_at + (ulong)b * l.keys * l.value_dim;
    keys += keys_at + (ulong)b * l.keys * l.dim;
    dkeys += dkeys_at + (ulong)b * l.keys * l.dim;
    query += query_at + (ulong)b * l.dim;
    dquery += dquery_at + (ulong)b * l.dim;
    dw_v += dw_v_at + (ulong)b * l.dim;

    for (uint d = ITEM; d < l.value_dim; d += GROUP_ITEMS)
        along += doutput[d] * context[d];
    along = group_sum(along, scratch);
    if (ITEM == 0 && l.has_gate)
        dgate[dgate_at + b] = open * (1.0f - open) * along;
    float mean = back_values(&l, open, values, weights, doutput,
                             dweights + dweights_at + b * l.keys, dvalues, slopes, &slope_sum);
    mean = group_sum(mean, scratch);
    if (!IS_SOFTMAX) { /* a softmax's sum to 1 */
        slope_sum = group_sum(slope_sum, scratch);
        mean = slope_sum > 0.0f ? mean / slope_sum : 0.0f;
    }
    back_normalize(&l, mean, weights, dscores + dscores_at + b * l.keys, slopes);
    SYNC();
    uint a = ITEM * BACK_VECTORS * WIDTH;
    for (; a + BACK_VECTORS * WIDTH <= l.dim; a += GROUP_ITEMS * BACK_VECTORS * WIDTH)
        back_columns(&l, a, BACK_VECTORS, keys, query, w_v + w_v_at, slopes, dkeys, dquery, dw_v);
    if (BACK_VECTORS > 1)
        for (; a < l.dim; a += WIDTH)
            back_columns(&l, a, 1, keys, query, w_v + w_v_at, slopes, dkeys, dquery, dw_v);
}
