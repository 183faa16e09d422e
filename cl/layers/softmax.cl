/* Softmax of whole rows, in place, for attention that keeps its matrix of scores: what `saccade
 * bench` holds the fused kernels against. One work-group per row. */
#include "common/vector.clh"
#include "common/group.clh"

#if WIDTH == 1
#define lanes_max(x) (x)
#else
#define lanes_max(x) across_max(x)
#endif

/* The scores from key `at` on, in base 2 and −∞ where padding hides them. */
inline vf visible(__global const float *row, __global const uchar *padding, uint at, uint end,
                  uint has_padding, float scale)
{
    vf x = load_some(row + at, end - at, -INFINITY) * scale;
    if (!has_padding)
        return x;
    float lanes[WIDTH];
    for (uint i = 0; i < WIDTH; i++)
        lanes[i] = at + i < end && padding[at + i] ? -INFINITY : 0.0f;
    return x + VF_LOAD(lanes);
}

/* scores [rows,keys] ← exp(scale · score), each row divided by its sum; `scale` holds log2 e. With
 * `causal`, row i sees keys 0 … i. Every row sees a key. */
REQD_GROUP(GROUP_ITEMS)
__kernel void softmax_rows(__global float *scores, __global const uchar *padding, uint keys,
                           uint causal, uint has_padding, float scale, __local float *scratch)
{
    __global float *row = scores + (ulong)get_group_id(0) * keys;
    uint end = causal ? min(keys, (uint)get_group_id(0) + 1) : keys;
    vf most = (vf)(-INFINITY), sums = (vf)(0.0f);
    for (uint at = ITEM * WIDTH; at < end; at += GROUP_ITEMS * WIDTH)
        most = max(most, visible(row, padding, at, end, has_padding, scale));
    float maximum = group_max(lanes_max(most), scratch);
    for (uint at = ITEM * WIDTH; at < end; at += GROUP_ITEMS * WIDTH) {
        vf e = exp2_fast(visible(row, padding, at, end, has_padding, scale) - maximum);
        sums += e;
        store_some(e, row + at, end - at);
    }
    float inverse = 1.0f / group_sum(lanes_sum(sums), scratch);
    for (uint at = ITEM * WIDTH; at < end; at += GROUP_ITEMS * WIDTH)
        store_some(load_some(row + at, end - at, 0.0f) * inverse, row + at, end - at);
    for (uint at = end + ITEM; at < keys; at += GROUP_ITEMS)
        row[at] = 0.0f;
}
