/* The elementwise half of a GRU step, one work-item per number of the state: see nn/recurrent.h. */
#include "common/vector.clh"

#include "layers/sigmoid.clh"

/* gates and recurrent [B,3H] from their places on: reset, update, new. */
__kernel void forward(uint batch, uint hidden, __global float *gates, uint gates_at,
                      __global const float *recurrent, uint recurrent_at,
                      __global const float *h_before, uint h_before_at, __global float *h,
                      uint h_at)
{
    uint id = get_global_id(0);
    if (id >= batch * hidden)
        return;
    uint row = id / hidden * 3 * hidden + id % hidden;
    __global float *gate = gates + gates_at + row;
    __global const float *own = recurrent + recurrent_at + row;
    float reset = sigmoid(gate[0] + own[0]), update = sigmoid(gate[hidden] + own[hidden]);
    float candidate = tanh_fast(FMA(reset, own[2 * hidden], gate[2 * hidden]));
    gate[0] = reset;
    gate[hidden] = update;
    gate[2 * hidden] = candidate;
    h[h_at + id] = FMA(update, h_before[h_before_at + id] - candidate, candidate);
}

/* dh_before may be dh, and dgates may be gates: an item reads all of its own before it writes. */
__kernel void backward(uint batch, uint hidden, __global const float *gates, uint gates_at,
                       __global const float *recurrent, uint recurrent_at,
                       __global const float *h_before, uint h_before_at, __global const float *dh,
                       uint dh_at, __global float *dgates, uint dgates_at,
                       __global float *drecurrent, uint drecurrent_at, __global float *dh_before,
                       uint dh_before_at)
{
    uint id = get_global_id(0);
    if (id >= batch * hidden)
        return;
    uint row = id / hidden * 3 * hidden + id % hidden;
    __global const float *gate = gates + gates_at + row;
    float reset = gate[0], update = gate[hidden], candidate = gate[2 * hidden];
    float own_new = recurrent[recurrent_at + row + 2 * hidden];
    float above = dh[dh_at + id], before = h_before[h_before_at + id];
    float dnew = above * (1.0f - update) * (1.0f - candidate * candidate);
    float dreset = dnew * own_new * reset * (1.0f - reset);
    float dupdate = above * (before - candidate) * update * (1.0f - update);
    __global float *dgate = dgates + dgates_at + row, *down = drecurrent + drecurrent_at + row;
    dgate[0] = down[0] = dreset;
    dgate[hidden] = down[hidden] = dupdate;
    dgate[2 * hidden] = dnew;
    down[2 * hidden] = dnew * reset;
    dh_before[dh_before_at + id] = above * update;
}
