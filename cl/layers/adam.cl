/* Adam over a whole buffer of parameters, whose length is a multiple of WIDTH: see nn/parameters.h.
 */
#include "common/vector.clh"

/* Item i's share of Σ x²: vectors i, i + items, i + 2 items, … */
__kernel void squares(ulong vectors, __global const float *gradients, __global float *sums)
{
    vf sum = (vf)(0.0f);
    for (ulong i = get_global_id(0); i < vectors; i += get_global_size(0)) {
        vf gradient = VF_LOAD(gradients + i * WIDTH);
        sum = FMA(gradient, gradient, sum);
    }
    sums[get_global_id(0)] = across_sum(sum);
}

/* θ −= step · m / (√v · unbias + ε), with the means m of gradients and v of their squares; `step`
 * and `unbias` = 1/√(1 − β2^t) hold the corrections for the zeroes they began with. `clip`
 * multiplies the gradients, which are zeroed. Vectors from `slow` on take `slow_step`; of the first
 * `decaying` the share `kept` is left before that. */
__kernel void update(ulong vectors, ulong slow, ulong decaying, float kept, float clip, float beta1,
                     float beta2, float step, float slow_step, float unbias, float epsilon,
                     __global float *values, __global float *gradients, __global float *first,
                     __global float *second)
{
    ulong at = get_global_id(0) * WIDTH;
    if (get_global_id(0) >= vectors)
        return;
    vf gradient = VF_LOAD(gradients + at) * clip;
    vf m = VF_LOAD(first + at), v = VF_LOAD(second + at);
    m = m + (gradient - m) * (1.0f - beta1);
    v = v + (gradient * gradient - v) * (1.0f - beta2);
    VF_STORE(m, first + at);
    VF_STORE(v, second + at);
    step = get_global_id(0) < slow ? step : slow_step;
    kept = get_global_id(0) < decaying ? kept : 1.0f;
    VF_STORE(kept * VF_LOAD(values + at) - step * m / (sqrt(v) * unbias + epsilon), values + at);
    VF_STORE((vf)(0.0f), gradients + at);
}

/* average += share · (values − average) */
__kernel void average(ulong vectors, float share, __global const float *values,
                      __global float *average)
{
    ulong at = get_global_id(0) * WIDTH;
    if (get_global_id(0) >= vectors)
        return;
    vf old = VF_LOAD(average + at);
    VF_STORE(old + (VF_LOAD(values + at) - old) * share, average + at);
}
