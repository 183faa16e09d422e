/* Both directions of a recurrent layer, joined word by word: see nn/recurrent.h. States
 * [T+1,B,H] are by step; state n + 1 is the one after word n, in the direction's own order. */

/* y [B,T,2H] and last [B,2H] from states. One work-item per number of a direction of y. */
__kernel void join(uint batch, uint words, uint hidden, __global const int *lengths,
                   uint lengths_at, __global const float *there, uint there_at,
                   __global const float *back, uint back_at, __global float *y, uint y_at,
                   __global float *last, uint last_at)
{
    uint id = get_global_id(0);
    if (id >= batch * words * hidden)
        return;
    uint i = id % hidden, n = id / hidden % words, b = id / hidden / words;
    uint length = (uint)lengths[lengths_at + b];
    bool inside = n < length;
    float first = inside ? there[there_at + ((n + 1) * batch + b) * hidden + i] : 0.0f;
    float second = inside ? back[back_at + ((length - n) * batch + b) * hidden + i] : 0.0f;
    y += y_at + (b * words + n) * 2 * hidden;
    y[i] = first;
    y[hidden + i] = second;
    last += last_at + b * 2 * hidden;
    if (n + 1 == length)
        last[i] = first;
    if (n == 0)
        last[hidden + i] = second;
}

/* Gradients of the states from those of y and last. One work-item per number of a state. */
__kernel void split(uint batch, uint words, uint hidden, __global const int *lengths,
                    uint lengths_at, __global const float *dy, uint dy_at,
                    __global const float *dlast, uint dlast_at, __global float *dthere,
                    uint dthere_at, __global float *dback, uint dback_at)
{
    uint id = get_global_id(0);
    if (id >= (words + 1) * batch * hidden)
        return;
    uint i = id % hidden, b = id / hidden % batch, step = id / hidden / batch;
    uint length = (uint)lengths[lengths_at + b];
    float first = 0.0f, second = 0.0f;
    if (step > 0 && step <= length) {
        dy += dy_at + b * words * 2 * hidden + i;
        first = dy[(step - 1) * 2 * hidden];
        second = dy[(length - step) * 2 * hidden + hidden];
    }
    if (step == length) {
        first += dlast[dlast_at + b * 2 * hidden + i];
        second += dlast[dlast_at + b * 2 * hidden + hidden + i];
    }
    dthere[dthere_at + id] = first;
    dback[dback_at + id] = second;
}
