/* Attention of one query, the last token's, over keys and values as they lie [keys,heads of keys · D], on a CPU: what
 * a model that says token after token does in each layer. Turns the query and the token's key by its place, puts the
 * key behind those before it, and attends, in one launch. A group takes a head. */
#include "common/vector.clh"
#include "common/common.clh"

#ifndef VECTORS
#error "define VECTORS: vectors of a head"
#endif
#define D (VECTORS * WIDTH)
#define ABREAST 4 /* keys at a time */

/* The twin of token_numbers in attention/token.c. */
typedef struct token {
    uint heads, key_heads;
    uint keys;        /* with the token's */
    uint first;       /* key that it sees */
    uint half_turned; /* i and i + half_turned are turned as a point; 0: they are not */
    float scale;      /* of logits in base 2 */
} token;

/* A head's numbers, turned. */
inline void turn(__global const float *x, __global const float *table, uint half_turned, float *to)
{
    for (uint i = 0; i < D; i++)
        to[i] = x[i];
    for (uint i = 0; i < half_turned; i++) {
        float cosine = table[i], sine = table[half_turned + i];
        to[i] = x[i] * cosine - x[i + half_turned] * sine;
        to[i + half_turned] = x[i + half_turned] * cosine + x[i] * sine;
    }
}

ALWAYS_INLINE float product(const vf q[VECTORS], __global const float *key)
{
    vf sum = (vf)(0.0f);
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        sum = FMA(q[i], VF_TAKE(key + i * WIDTH), sum);
    return across_sum(sum);
}

/* scores [count], filled up with what becomes 0 → their exponentials; returns the sum. */
inline float exponentials(__local float *scores, uint count)
{
    uint filled = (count + WIDTH - 1) / WIDTH * WIDTH;
    for (uint j = count; j < filled; j++)
        scores[j] = -1.7e38f;
    vf most = VF_LOAD(scores), sum = (vf)(0.0f);
    for (uint j = WIDTH; j < filled; j += WIDTH)
        most = max(most, VF_LOAD(scores + j));
    float highest = across_max(most);
    for (uint j = 0; j < filled; j += WIDTH) {
        vf e = exp2_fast(VF_LOAD(scores + j) - (vf)(highest));
        sum += e;
        VF_STORE(e, scores + j);
    }
    return across_sum(sum);
}

/* q [heads · D], which is turned in place; key: the token's own [key_heads · D], not turned; k, v [keys,key_heads · D],
 * v with the token's; table: cosines, then sines; scores: room for the keys, filled up to a vector. */
__kernel void attend_token(token p, __global float *q, uint q_at, __global const float *key,
                           uint key_at, __global float *k, uint k_at, __global const float *v,
                           uint v_at, __global const float *table, uint table_at,
                           __global float *output, uint output_at, __local float *scores)
{
    float turned[D];
    uint head = (uint)get_group_id(0), each = p.heads / p.key_heads, count = p.keys - p.first;
    ulong row = p.key_heads * D, at = (ulong)(head / each) * D;
    vf query[VECTORS], sum[VECTORS];
    q += q_at + head * D;
    k += k_at + p.first * row + at;
    v += v_at + p.first * row + at;
    turn(q, table + table_at, p.half_turned, turned);
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        query[i] = VF_LOAD(turned + i * WIDTH);
        VF_STORE(query[i], q + i * WIDTH);
        query[i] *= p.scale;
        sum[i] = (vf)(0.0f);
    }
    turn(key + key_at + at, table + table_at, p.half_turned, turned);
    vf own = (vf)(0.0f);
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        vf x = VF_LOAD(turned + i * WIDTH);
        own = FMA(query[i], x, own);
        if (head % each == 0)
            VF_STORE(x, k + (count - 1) * row + i * WIDTH);
    }
    uint j = 0;
    for (; j + ABREAST < count; j += ABREAST)
#pragma unroll
        for (int n = 0; n < ABREAST; n++)
            scores[j + n] = product(query, k + (j + n) * row);
    for (; j + 1 < count; j++)
        scores[j] = product(query, k + j * row);
    scores[count - 1] = across_sum(own);
    float inverse = 1.0f / exponentials(scores, count);
    for (j = 0; j < count; j++)
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            sum[i] = FMA((vf)(scores[j]), VF_TAKE(v + j * row + i * WIDTH), sum[i]);
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        VF_STORE(sum[i] * inverse, output + output_at + head * D + i * WIDTH);
}
