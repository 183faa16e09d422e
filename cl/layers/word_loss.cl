/* Cross-entropy of rows of logits and its gradient, a row per work-item: see nn/losses.h. */
#include "common/vector.clh"

/* logits [rows,vocabulary] → their gradient. The largest of a row is taken off first. `smoothing`
 * of the target is spread over all words. */
__kernel void word_loss(uint rows, uint vocabulary, float scale, float smoothing,
                        __global const int *targets, __global float *logits, uint logits_at,
                        __global float *losses, uint losses_at)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    __global float *line = logits + logits_at + (ulong)row * vocabulary;
    uint target = (uint)targets[row];
    bool counts = target < vocabulary; /* one below 0 is far above */
    float highest = line[0], sum = 0.0f, all = 0.0f;
    for (uint i = 1; i < vocabulary; i++)
        highest = max(highest, line[i]);
    float right = counts ? line[target] - highest : 0.0f;
    for (uint i = 0; i < vocabulary; i++) {
        float e = exp2_fast((line[i] - highest) * M_LOG2E_F);
        all += line[i] - highest;
        sum += e;
        line[i] = e;
    }
    float factor = counts ? scale / sum : 0.0f,
          share = counts ? scale * smoothing / vocabulary : 0.0f;
    for (uint i = 0; i < vocabulary; i++)
        line[i] = line[i] * factor - share;
    if (counts)
        line[target] -= scale * (1.0f - smoothing);
    float wanted = (1.0f - smoothing) * right + smoothing * (all / vocabulary);
    losses[losses_at + row] = counts ? scale * (log(sum) - wanted) : 0.0f;
}
