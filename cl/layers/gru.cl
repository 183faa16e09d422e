/* The elementwise half of a GRU step, one work-group per row of the batch: see nn/recurrent.h. */
#include "common/vector.clh"

#include "common/group.clh"
#include "layers/sigmoid.clh"

/* gates and recurrent [B,3H] from their places on: reset, update, new. */
REQD_GROUP(GROUP_ITEMS)
__kernel void forward(uint hidden, __global float *gates, uint gates_at,
                      __global const float *recurrent, uint recurrent_at,
                      __global const float *h_before, uint h_before_at, __global float *h,
                      uint h_at, __local float *scratch)
{
    ulong row = get_group_id(0) * hidden;
    for (uint j = ITEM * WIDTH; j < hidden; j += GROUP_ITEMS * WIDTH) {
        uint left = hidden - j;
        __global float *gate = gates + gates_at + 3 * row + j;
        __global const float *own = recurrent + recurrent_at + 3 * row + j;
        vf reset = sigmoid(load_some(gate, left, 0.0f) + load_some(own, left, 0.0f));
        vf update =
            sigmoid(load_some(gate + hidden, left, 0.0f) + load_some(own + hidden, left, 0.0f));
        vf candidate = tanh_fast(FMA(reset, load_some(own + 2 * hidden, left, 0.0f),
                                     load_some(gate + 2 * hidden, left, 0.0f)));
        vf before = load_some(h_before + h_before_at + row + j, left, 0.0f);
        store_some(reset, gate, left);
        store_some(update, gate + hidden, left);
        store_some(candidate, gate + 2 * hidden, left);
        store_some(FMA(update, before - candidate, candidate), h + h_at + row + j, left);
    }
}

/* dh_before may be dh, and dgates may be gates: an item reads all of its own before it writes. */
REQD_GROUP(GROUP_ITEMS)
__kernel void backward(uint hidden, __global const float *gates, uint gates_at,
                       __global const float *recurrent, uint recurrent_at,
                       __global const float *h_before, uint h_before_at, __global const float *dh,
                       uint dh_at, __global float *dgates, uint dgates_at,
                       __global float *drecurrent, uint drecurrent_at, __global float *dh_before,
                       uint dh_before_at, __local float *scratch)
{
    ulong row = get_group_id(0) * hidden;
    for (uint j = ITEM * WIDTH; j < hidden; j += GROUP_ITEMS * WIDTH) {
        uint left = hidden - j;
        __global const float *gate = gates + gates_at + 3 * row + j;
        vf reset = load_some(gate, left, 0.0f), update = load_some(gate + hidden, left, 0.0f);
        vf candidate = load_some(gate + 2 * hidden, left, 0.0f);
        vf own_new = load_some(recurrent + recurrent_at + 3 * row + 2 * hidden + j, left, 0.0f);
        vf above = load_some(dh + dh_at + row + j, left, 0.0f);
        vf before = load_some(h_before + h_before_at + row + j, left, 0.0f);
        vf dnew = above * (1.0f - update) * (1.0f - candidate * candidate);
        vf dreset = dnew * own_new * reset * (1.0f - reset);
        vf dupdate = above * (before - candidate) * update * (1.0f - update);
        __global float *dgate = dgates + dgates_at + 3 * row + j;
        __global float *down = drecurrent + drecurrent_at + 3 * row + j;
        store_some(dreset, dgate, left);
        store_some(dreset, down, left);
        store_some(dupdate, dgate + hidden, left);
        store_some(dupdate, down + hidden, left);
        store_some(dnew, dgate + 2 * hidden, left);
        store_some(dnew * reset, down + 2 * hidden, left);
        store_some(above * update, dh_before + dh_before_at + row + j, left);
    }
}
