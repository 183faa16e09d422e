/* Cross-entropy of rows of logits and its gradient, and words drawn from them, a row per work-group:
 * see nn/training.h. */
#include "common/vector.clh"

#include "common/group.clh"
#include "common/philox.clh"

#if WIDTH == 1
#define lanes_max(x) (x)
#else
#define lanes_max(x) across_max(x)
#endif

/* A row of logits → its gradient times `slope`, and `scale` times its loss. The largest is taken off
 * first. `smoothing` of the target is spread over all words; a target that is no word of the
 * vocabulary counts nothing. */
inline void cross_entropy(__global float *line, uint vocabulary, uint target, float scale,
                          float slope, float smoothing, __global float *loss,
                          __local float *scratch)
{
    uint first = ITEM * WIDTH, step = GROUP_ITEMS * WIDTH;
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
    float factor = counts ? slope / total : 0.0f,
          share = counts ? slope * smoothing / vocabulary : 0.0f;
    for (uint i = first; i < vocabulary; i += step)
        store_some(load_some(line + i, vocabulary - i, 0.0f) * factor - share, line + i,
                   vocabulary - i);
    SYNC();
    if (ITEM > 0)
        return;
    if (counts)
        line[target] -= slope * (1.0f - smoothing);
    float wanted = (1.0f - smoothing) * right + smoothing * (below / vocabulary);
    *loss = counts ? scale * (log(total) - wanted) : 0.0f;
}

REQD_GROUP(GROUP_ITEMS)
__kernel void word_loss(uint vocabulary, float scale, float smoothing, __global const int *targets,
                        __global float *logits, uint logits_at, __global float *losses,
                        uint losses_at, __local float *scratch)
{
    uint row = (uint)get_group_id(0);
    cross_entropy(logits + logits_at + (ulong)row * vocabulary, vocabulary, (uint)targets[row],
                  scale, scale, smoothing, losses + losses_at + row, scratch);
}

/* ---- a policy: softmax(logits / temperature) over the words that it may choose */

#define NEVER -1e9f /* a logit whose exponential is 0 */

/* The logits of the first words whose bit of `barred` is set become NEVER, the others are divided by the temperature. */
inline void cool(__global const float *from, float coolness, uint barred, uint vocabulary,
                 __global float *to)
{
    for (uint i = ITEM * WIDTH; i < vocabulary; i += GROUP_ITEMS * WIDTH)
        store_some(load_some(from + i, vocabulary - i, 0.0f) * coolness, to + i, vocabulary - i);
    SYNC();
    for (uint i = ITEM; i < 32 && i < vocabulary; i += GROUP_ITEMS)
        if (barred >> i & 1)
            to[i] = NEVER;
    SYNC();
}

/* word_loss of the policy, where each row counts by a factor of its own. */
REQD_GROUP(GROUP_ITEMS)
__kernel void policy_loss(uint vocabulary, float coolness, uint barred, __global const int *targets,
                          __global const float *factors, uint factors_at, __global float *logits,
                          uint logits_at, __global float *losses, uint losses_at,
                          __local float *scratch)
{
    uint row = (uint)get_group_id(0);
    __global float *line = logits + logits_at + (ulong)row * vocabulary;
    float factor = factors[factors_at + row];
    cool(line, coolness, barred, vocabulary, line);
    cross_entropy(line, vocabulary, (uint)targets[row], factor, factor * coolness, 0.0f,
                  losses + losses_at + row, scratch);
}

/* How much of the row's probability the items before this one have, and all of them. */
inline float before_of(float own, float *all, __local float *scratch)
{
#if GROUP_ITEMS == 1
    *all = own;
    return 0.0f;
#else
    float before = 0.0f;
    SYNC();
    scratch[ITEM] = own;
    SYNC();
    *all = 0.0f;
    for (uint i = 0; i < GROUP_ITEMS; i++) {
        before += i < ITEM ? scratch[i] : 0.0f;
        *all += scratch[i];
    }
    SYNC();
    return before;
#endif
}

/* A word of each row by the policy: the one at which the sum of the probabilities, each work-item's
 * one after the other, goes beyond a uniform number, which is a function of key, row and step.
 * After the end, and after what follows it, comes `pad`. Rows from `greedy` on take the most probable
 * word: their temperature is near 0. The logits are overwritten. */
REQD_GROUP(GROUP_ITEMS)
__kernel void draw_words(uint vocabulary, float coolness, uint barred, uint greedy, uint key,
                         uint step, uint end, uint pad, __global float *logits, uint logits_at,
                         __global const int *before, uint before_at, __global int *words,
                         uint words_at, __local float *scratch)
{
    uint row = (uint)get_group_id(0), last = (uint)before[before_at + row];
    __global float *line = logits + logits_at + (ulong)row * vocabulary;
    if (last == end || last == pad) {
        if (ITEM == 0)
            words[words_at + row] = (int)pad;
        return;
    }
    cool(line, row < greedy ? coolness : 1e6f, barred, vocabulary, line);
    vf largest = (vf)(NEVER), sum = (vf)(0.0f);
    for (uint i = ITEM * WIDTH; i < vocabulary; i += GROUP_ITEMS * WIDTH)
        largest = max(largest, load_some(line + i, vocabulary - i, NEVER));
    float highest = group_max(lanes_max(largest), scratch), all;
    for (uint i = ITEM * WIDTH; i < vocabulary; i += GROUP_ITEMS * WIDTH) {
        vf p = exp2_fast((load_some(line + i, vocabulary - i, NEVER) - highest) * M_LOG2E_F);
        store_some(p, line + i, vocabulary - i);
        sum += p;
    }
    float own = lanes_sum(sum), reached = before_of(own, &all, scratch);
    float wanted = philox_uniform(row, step, key) * all;
    if (wanted < reached || (wanted >= reached + own && reached + own < all))
        return; /* another's; what rounding leaves beyond all sums is the last one's */
    uint chosen = vocabulary;
    for (uint i = ITEM * WIDTH; i < vocabulary && (chosen == vocabulary || reached <= wanted);
         i += GROUP_ITEMS * WIDTH)
        for (uint w = i; w < min(i + WIDTH, vocabulary) && reached <= wanted; w++)
            if (line[w] > 0.0f) {
                reached += line[w];
                chosen = w;
            }
    if (chosen < vocabulary)
        words[words_at + row] = (int)chosen;
}
