/* The backward pass of attention by one work-item per query, and then one per key: the formulas,
 * written down, for every device. Keeps to what every OpenCL 1.2 compiler knows: no vectors, no
 * private arrays, no local memory, no atomics.
 */
#include "attention/problem.clh"
#include "common/vector.clh"
#include "common/philox.clh"
#include "attention/score.clh"
#include "attention/masks.clh"
#include "attention/raw_score.clh"
#include "attention/backward.clh"

#if WIDTH != 1
#error "attend_backward_naive is written for WIDTH 1"
#endif

/* delta [M,Tq] = Σ_c dO O. */
__kernel void sum_products(backward b, __global const float *output, __global const float *doutput,
                           __global float *delta)
{
    uint index = (uint)get_global_id(0), matrix = index / b.p.queries, row = index % b.p.queries;
    if (matrix >= b.matrices)
        return;
    ulong at = query_place(&b, b.output, matrix, row);
    float sum = 0.0f;
    for (uint c = 0; c < b.p.value_dim; c++)
        sum = FMA(output[b.output.first + at + c], doutput[b.doutput + at + c], sum);
    delta[index] = sum;
}

/* One query and one key. */
typedef struct pair {
    float weight; /* after dropout */
    float raw;    /* score: natural score = scale · raw */
    float slope;  /* dS, times the scale: the gradient of `raw` */
} pair;

inline pair pair_of(const backward *b, uint matrix, uint row, uint col, __global const float *q,
                    __global const float *k, __global const float *v, __global const float *w,
                    __global const uchar *padding, __global const uchar *mask,
                    __global const float *stats, float delta, __global const float *dout)
{
    pair result = {0.0f, 0.0f, 0.0f};
    result.raw = raw_score(q, k, w, b->p.dim);
    float capped = result.raw, turn = 1.0f, kept = 1.0f;
#if SOFTCAP
    capped = capped_with_slope(&b->p, capped * b->p.scale, &turn);
#endif
    float logit = masked_logit(&b->p, padding, mask, matrix, row, col, capped);
#if NORMALIZER
    float alone = least_alone(stats[1]), along = 0.0f;
    float above = sparse_above(logit - stats[0], stats[1]);
    if (logit == BLOCKED || above == 0.0f)
        return result;
    float weight = WEIGHT_ABOVE(NORMALIZER, above), steep = SLOPE_ABOVE(NORMALIZER, above);
#else
    if (logit == BLOCKED || stats[1] <= 0.0f)
        return result;
    float weight = exp2_fast(logit - stats[0]) / stats[1], along = 0.0f;
    float alone = least_alone(stats[1]);
    weight = weight_of(weight, alone);
#define steep weight
#endif
    if (b->p.flags & DROPOUT)
        kept = dropout_factor(&b->p, dropout_key(b->p.seed_low, b->p.seed_high, matrix), row, col);
    for (uint c = 0; c < b->p.value_dim; c++)
        along = FMA(dout[c], v[c], along);
    result.weight = weight * kept;
    result.slope = turn * slope_of(steep, FMA(along, kept, -delta), alone) * (b->p.scale * LN_2);
    return result;
}

/* Adds the keys b.begin … b.end − 1 to dq, and for a score with weights to dw [M·Tq,dim], and to
 * dscale [M·Tq] where it is wanted. One work-item per query. */
__kernel void add_keys(backward b, __global const float *q, __global const float *k,
                       __global const float *v, __global const float *w,
                       __global const uchar *padding, __global const uchar *mask,
                       __global const float *stats, __global const float *delta,
                       __global const float *dout, __global float *dq, __global float *dw,
                       __global float *dscale)
{
    uint index = (uint)get_global_id(0), matrix = index / b.p.queries, row = index % b.p.queries;
    uint end = b.p.flags & CAUSAL ? min(b.end, causal_end(place_of_query(&b.p, row))) : b.end;
    ulong at = query_place(&b, b.query, matrix, row);
    if (matrix >= b.matrices)
        return;
    q += b.query.first + at;
    dq += b.dquery + at;
    w += b.weight;
#if IS_WEIGHED
    dw += b.dweight + (ulong)index * b.p.dim;
#endif
    dout += b.doutput + query_place(&b, b.output, matrix, row);
    stats += b.stats + 2ul * index;
    float shift = delta[index], along = 0.0f;
    float middle = middle_of(&b.p, stats[0]);
    uint keys = key_matrix(&b.p, matrix);
    for (uint col = b.begin; col < end; col++) {
        __global const float *key = k + b.key.first + key_place(&b, b.key, keys, col);
        pair s = pair_of(&b, matrix, row, col, q, key,
                         v + b.value.first + key_place(&b, b.value, keys, col), w, padding, mask,
                         stats, shift, dout);
        along = FMA(s.slope, s.raw - middle, along);
        for (uint c = 0; c < b.p.dim; c++) {
            float turn, slope = raw_slope(q[c], key[c], COORDINATE_WEIGHT(w, c), &turn);
            dq[c] = FMA(s.slope, slope, dq[c]);
#if IS_WEIGHED
            dw[c] = FMA(s.slope, turn, dw[c]);
#endif
        }
    }
    if (b.with_scale)
        dscale[b.dscale + index] += along;
}

/* Adds the queries b.begin … b.end − 1 to dk and dv. One work-item per key. */
__kernel void add_queries(backward b, __global const float *q, __global const float *k,
                          __global const float *v, __global const float *w,
                          __global const uchar *padding, __global const uchar *mask,
                          __global const float *stats, __global const float *delta,
                          __global const float *dout, __global float *dk, __global float *dv)
{
    uint index = (uint)get_global_id(0), keys = index / b.p.keys, col = index % b.p.keys;
    uint begin = b.begin;
    ulong at = key_place(&b, b.key, keys, col), value_at = key_place(&b, b.value, keys, col);
    if (keys >= b.key_matrices)
        return;
    if (b.p.flags & CAUSAL) /* the first query that sees it */
        begin = max(begin, (uint)max((int)col - b.p.offset, 0));
    k += b.key.first + at;
    dk += b.dkey + at;
    v += b.value.first + value_at;
    dv += b.dvalue + value_at;
    w += b.weight;
    for (uint head = 0; head < b.p.group; head++)
        for (uint row = begin; row < b.end; row++) {
            uint matrix = keys * b.p.group + head;
            ulong line = (ulong)matrix * b.p.queries + row;
            __global const float *query = q + b.query.first + query_place(&b, b.query, matrix, row);
            __global const float *above = dout + b.doutput + query_place(&b, b.output, matrix, row);
            pair s = pair_of(&b, matrix, row, col, query, k, v, w, padding, mask,
                             stats + b.stats + 2 * line, delta[line], above);
            for (uint c = 0; c < b.p.dim; c++) {
                float turn, slope = raw_slope(k[c], query[c], COORDINATE_WEIGHT(w, c), &turn);
                dk[c] = FMA(s.slope, slope, dk[c]);
            }
            for (uint c = 0; c < b.p.value_dim; c++)
                dv[c] = FMA(s.weight, above[c], dv[c]);
        }
}
