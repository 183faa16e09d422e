/* Cross-entropy of rows of logits and its gradient, a row per work-group: see nn/losses.h. */
#include "common/vector.clh"

#include "common/group.clh"

#if WIDTH == 1
#define lanes_max(x) (x)
#else
#define lanes_max(x) across_max(x)
#endif

/* logits [rows,vocabulary] → their gradient. The largest of a row is taken off first. `smoothing`
 * of the target is spread over all words. */
REQD_GROUP(GROUP_ITEMS)
__kernel void word_loss(uint vocabulary, float scale, float smoothing, __global const int *targets,
                        __global float *logits, uint logits_at, __global float *losses,
                        uint losses_at, __local float *scratch)
{
    uint row = (uint)get_group_id(0), first = ITEM * WIDTH, step = GROUP_ITEMS * WIDTH;
    __global float *line = logits + logits_at + (ulong)row * vocabulary;
    uint target = (uint)targets[row];
    bool counts = target < vocabulary; /* one below 0 is far above */
    vf largest = (vf)(line[0]), sum = (vf)(0.0f), all = (vf)(0.0f);
    for (uint i = first; i < vocabulary; i += step)
        largest = max(largest, load_some(line + i, vocabulary - i, line[0]));
    float highest = group_max(lanes_max(largest), scratch);
    float right = counts ? line[target] - highest : 0.0f;
    SYNC();
    for (uint i = first; i < vocabulary; i += step) {
        uint left = vocabulary - i;
        vf x = load_some(line + i, left, highest) - highest;
        store_some(exp2_fast(x * M_LOG2E_F), line + i, left);
        all += x;
        sum += load_some(line + i, left, 0.0f);
    }
    float total = group_sum(lanes_sum(sum), scratch), below = group_sum(lanes_sum(all), scratch);
    float factor = counts ? scale / total : 0.0f,
          share = counts ? scale * smoothing / vocabulary : 0.0f;
    for (uint i = first; i < vocabulary; i += step)
        store_some(load_some(line + i, vocabulary - i, 0.0f) * factor - share, line + i,
                   vocabulary - i);
    SYNC();
    if (ITEM > 0)
        return;
    if (counts)
        line[target] -= scale * (1.0f - smoothing);
    float wanted = (1.0f - smoothing) * right + smoothing * (below / vocabulary);
    losses[losses_at + row] = counts ? scale * (log(total) - wanted) : 0.0f;
}
