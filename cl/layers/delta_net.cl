/* What a gated delta net (Yang et al. 2024) has between its linear layers: see nn/delta_net.h. */
#include "common/vector.clh"

#include "common/group.clh"

/* y [rows,width] = silu of the sum over taps of w [width,taps] times the `taps` rows of x from row · step on. One work-group per
 * row of y. */
REQD_GROUP(GROUP_ITEMS)
__kernel void convolve(uint width, uint taps, uint step, __global const float *x, uint x_at,
                       __global const float *w, uint w_at, __global float *y, uint y_at,
                       __local float *scratch)
{
    const ulong row = get_group_id(0);
    x += x_at + row * step * width;
    w += w_at;
    y += y_at + row * width;
    for (uint j = ITEM; j < width; j += GROUP_ITEMS) {
        float sum = 0.0f;
        for (uint tap = 0; tap < taps; tap++)
            sum += w[j * taps + tap] * x[tap * width + j];
        y[j] = sum / (1.0f + exp(-sum));
    }
}

/* Sentences of T tokens, whose rows follow one another; heads of queries and keys divide those of values. Each head of a sentence r has a state [depth,values], which begins as that of sentence parents[r] in `before`, where it may lie
 * itself. At each token it is multiplied by exp(−e^rate · softplus(decay + shift)); what it gives for the key is taken
 * off the value, and sigmoid(opening) of what is left is written for the key; y is what it gives for the query. One
 * work-group for each head of each sentence; columns of the state are independent of each other. */
REQD_GROUP(GROUP_ITEMS)
__kernel void scan(uint tokens, uint heads, uint key_heads, uint depth, uint values,
                   __global const float *query, uint query_at, __global const float *key,
                   uint key_at, __global const float *value, uint value_at,
                   __global const float *opening, uint opening_at, __global const float *decay,
                   uint decay_at, __global const float *rate, uint rate_at,
                   __global const float *shift, uint shift_at, __global const int *parents,
                   uint parents_at, __global const float *before, uint before_at,
                   __global float *state, uint state_at, __global float *y, uint y_at,
                   __local float *scratch)
{
    const uint head = (uint)get_group_id(0) % heads, row = (uint)get_group_id(0) / heads;
    const uint key_head = head / (heads / key_heads);
    const float speed = exp(rate[rate_at + head]), shifted = shift[shift_at + head];
    before += before_at + ((ulong)parents[parents_at + row] * heads + head) * depth * values;
    state += state_at + ((ulong)row * heads + head) * depth * values;
    query += query_at + ((ulong)row * tokens * key_heads + key_head) * depth;
    key += key_at + ((ulong)row * tokens * key_heads + key_head) * depth;
    value += value_at + ((ulong)row * tokens * heads + head) * values;
    y += y_at + ((ulong)row * tokens * heads + head) * values;
    opening += opening_at + (ulong)row * tokens * heads + head;
    decay += decay_at + (ulong)row * tokens * heads + head;
    for (uint j = ITEM * WIDTH; j < values; j += GROUP_ITEMS * WIDTH) {
        const uint left = values - j;
        for (uint i = 0; i < depth; i++)
            store_some(load_some(before + i * values + j, left, 0.0f), state + i * values + j,
                       left);
        for (ulong t = 0; t < tokens; t++) {
            const float x = decay[t * heads] + shifted;
            const float kept = exp(-speed * (x > 20.0f ? x : log1p(exp(x))));
            const float share = 1.0f / (1.0f + exp(-opening[t * heads]));
            __global const float *k = key + t * key_heads * depth;
            __global const float *q = query + t * key_heads * depth;
            vf known = 0.0f, given = 0.0f;
            for (uint i = 0; i < depth; i++)
                known += k[i] * load_some(state + i * values + j, left, 0.0f);
            const vf change =
                share * (load_some(value + t * heads * values + j, left, 0.0f) - kept * known);
            for (uint i = 0; i < depth; i++) {
                const vf now = kept * load_some(state + i * values + j, left, 0.0f) + k[i] * change;
                store_some(now, state + i * values + j, left);
                given += q[i] * now;
            }
            store_some(given, y + t * heads * values + j, left);
        }
    }
}
