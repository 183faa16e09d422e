/* Attention by one work-item per query: the formula, written down. The last resort on a device
 * where nothing else computes right, so it keeps to what every OpenCL 1.2 compiler knows: no
 * vectors, no private arrays, no local memory. */
#include "attention/problem.clh"
#include "attention/extent.clh"
#include "common/vector.clh"
#include "common/philox.clh"
#include "attention/score.clh"
#include "attention/masks.clh"
#include "attention/raw_score.clh"
#include "attention/sparse.clh"

#if WIDTH != 1
#error "attend_naive is written for WIDTH 1"
#endif

/* The masked logit of the extent's query q with key `col`; k: the matrix's keys. */
inline float logit_of(const problem *p, const extent *e, __global const float *q,
                      __global const float *k, __global const float *w,
                      __global const uchar *padding, __global const uchar *mask, uint col)
{
    float raw = CAPPED(p, raw_score(q, k + (ulong)col * p->dim, w, p->dim));
    return masked_logit(p, padding, mask, e->matrix, e->row, col, raw);
}

#if NORMALIZER == SOFTMAX_WEIGHTS
/* q [M,Tq,dim], k [M,Tk,dim], v [M,Tk,value_stride], w [dim], padding [B,Tk] → out by its strides
 * and stats [M,Tq] = (maximum logit m, Σ exp2(logit − m)); or, where the keys are cut into pieces,
 * `pieces` as merge.cl wants them. Two passes over the keys: the statistics, then weights · values.
 * Tiles are of one query. */
__kernel void attend(problem p, job j, __global const float *q, __global const float *k,
                     __global const float *v, __global const float *w,
                     __global const uchar *padding, __global const uchar *mask, __global float *out,
                     __global float2 *stats, __global float *pieces)
{
    if (get_global_id(0) >= j.count)
        return;
    extent e = extent_of(&p, &j, j.first + get_global_id(0));
    ulong query = (ulong)e.matrix * p.queries + e.row;
    q += query * p.dim;
    k += (ulong)key_matrix(&p, e.matrix) * p.key_room * p.dim;

    /* Summed block by block: one long sum of equal terms rounds the same way every time. */
    float maximum = FLOOR, sum = 0.0f, block = 0.0f;
    for (uint col = e.begin; col < e.end; col++) {
        float logit = logit_of(&p, &e, q, k, w, padding, mask, col);
        float higher = max(maximum, logit);
        float shrink = exp2_fast(maximum - higher);
        block = block * shrink + exp2_fast(logit - higher);
        sum *= shrink;
        maximum = higher;
        if (col % 64 == 63) {
            sum += block;
            block = 0.0f;
        }
    }
    sum += block;
    float factor = 1.0f;
    if (j.splits > 1) {
        pieces += e.piece * (j.with_output ? 2 + p.value_dim : 2);
        pieces[0] = maximum;
        pieces[1] = sum;
        out = pieces + 2;
    } else {
        stats[query] = (float2)(maximum, sum);
        out += out_at(&p, &e);
        factor = sum > 0.0f ? 1.0f / sum : 0.0f;
    }
    if (!j.with_output)
        return;

    v += (ulong)key_matrix(&p, e.matrix) * p.key_room * p.value_stride;
    uint key = dropout_key(p.seed_low, p.seed_high, e.matrix);
    for (uint c = 0; c < p.value_dim; c++)
        out[c] = 0.0f;
    for (uint col = e.begin; col < e.end; col++) {
        float logit = logit_of(&p, &e, q, k, w, padding, mask, col);
        float weight = exp2_fast(logit - maximum) * factor;
        if (p.flags & DROPOUT)
            weight *= dropout_factor(&p, key, e.row, col);
        for (uint c = 0; c < p.value_dim; c++)
            out[c] = FMA(weight, v[(ulong)col * p.value_stride + c], out[c]);
    }
}
#endif

/* One weight per work-item: rows × cols of matrix j.matrix into weights [rows,cols], row by row. Where weights
 * may be 0, also of the matrices behind it, and logits in their place (sparse.clh). */
__kernel void weights(problem p, job JOB, __global const float *q, __global const float *k,
                      __global const float *w, __global const uchar *padding,
                      __global const uchar *mask, __global const float2 *stats,
                      __global float *weights)
{
    TAKE_JOB(get_global_id(1))
    uint cols = j.col_end - j.col_begin;
    ulong index = get_global_id(0);
    uint row = j.row_begin + (uint)(index / cols), col = j.col_begin + (uint)(index % cols);
    if (row >= j.row_end)
        return;
#if NORMALIZER
    weights += matrix_place(&j, get_global_id(1));
    if (has_no_logits(&p, &j, row, 1, col, 1))
        return;
#endif
    ulong query = (ulong)j.matrix * p.queries + row;
    k += ((ulong)key_matrix(&p, j.matrix) * p.key_room + col) * p.dim;
    float raw = CAPPED(&p, raw_score(q + query * p.dim, k, w, p.dim));
    float logit = masked_logit(&p, padding, mask, j.matrix, row, col, raw);
#if NORMALIZER
    float weight = WANTS_LOGITS(j) ? logit : SPARSE_WEIGHT(logit, stats[query]);
#else
    float2 stat = stats[query];
    /* By the reciprocal, as above: LLVM 18 gives up on exp2_fast(…) / stat.y where it may be 0. */
    float factor = stat.y > 0.0f ? 1.0f / stat.y : 0.0f;
    float weight = exp2_fast(logit - stat.x) * factor;
#endif
    if (p.flags & DROPOUT AND_NO_LOGITS(j))
        weight *= dropout_factor(&p, dropout_key(p.seed_low, p.seed_high, j.matrix), row, col);
    weights[index] = weight;
}
