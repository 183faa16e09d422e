/* Attention of one query, the last token's, on a CPU: the attention of a layer in token-by-token generation, in one
 * launch. A group takes a head. */
#include "attention/cpu/attend_token.clh"

#ifndef VECTORS
#error "define VECTORS: vectors of a head"
#endif

__kernel void attend_token(token p, __global float *q, uint q_at, __global const float *key,
                           uint key_at, __global float *k, uint k_at, __global const float *v,
                           uint v_at, __global const float *table, uint table_at,
                           __global float *output, uint output_at, __local float *scores)
{
    attend_head(&p, (uint)get_group_id(0), q + q_at, key + key_at, k + k_at, v + v_at,
                table + table_at, output + output_at, scores);
}
