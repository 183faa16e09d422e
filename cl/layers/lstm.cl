/* The elementwise half of an LSTM step, one work-group per row of the batch: see nn/recurrent.h. */
#include "common/vector.clh"

#include "common/group.clh"
#include "layers/sigmoid.clh"

/* gates [B,4H] from place `at` on: input, forget, cell, output. */
REQD_GROUP(GROUP_ITEMS)
__kernel void forward(uint hidden, __global float *gates, uint gates_at,
                      __global const float *c_before, uint c_before_at, __global float *c,
                      uint c_at, __global float *h, uint h_at, __local float *scratch)
{
    ulong row = get_group_id(0) * hidden;
    for (uint j = ITEM * WIDTH; j < hidden; j += GROUP_ITEMS * WIDTH) {
        uint left = hidden - j;
        __global float *gate = gates + gates_at + 4 * row + j;
        vf input = sigmoid(load_some(gate, left, 0.0f));
        vf forget = sigmoid(load_some(gate + hidden, left, 0.0f));
        vf cell = tanh_fast(load_some(gate + 2 * hidden, left, 0.0f));
        vf output = sigmoid(load_some(gate + 3 * hidden, left, 0.0f));
        vf state = forget * load_some(c_before + c_before_at + row + j, left, 0.0f) + input * cell;
        store_some(input, gate, left);
        store_some(forget, gate + hidden, left);
        store_some(cell, gate + 2 * hidden, left);
        store_some(output, gate + 3 * hidden, left);
        store_some(state, c + c_at + row + j, left);
        store_some(output * tanh_fast(state), h + h_at + row + j, left);
    }
}

/* dc_before may be dc, and dgates may be gates: an item reads all of its own before it writes. */
REQD_GROUP(GROUP_ITEMS)
__kernel void backward(uint hidden, __global const float *gates, uint gates_at,
                       __global const float *c_before, uint c_before_at, __global const float *c,
                       uint c_at, __global const float *dh, uint dh_at, __global const float *dc,
                       uint dc_at, __global float *dgates, uint dgates_at,
                       __global float *dc_before, uint dc_before_at, __local float *scratch)
{
    ulong row = get_group_id(0) * hidden;
    for (uint j = ITEM * WIDTH; j < hidden; j += GROUP_ITEMS * WIDTH) {
        uint left = hidden - j;
        __global const float *gate = gates + gates_at + 4 * row + j;
        vf input = load_some(gate, left, 0.0f), forget = load_some(gate + hidden, left, 0.0f);
        vf cell = load_some(gate + 2 * hidden, left, 0.0f);
        vf output = load_some(gate + 3 * hidden, left, 0.0f);
        vf bent = tanh_fast(load_some(c + c_at + row + j, left, 0.0f));
        vf above = load_some(dh + dh_at + row + j, left, 0.0f);
        vf dstate =
            load_some(dc + dc_at + row + j, left, 0.0f) + above * output * (1.0f - bent * bent);
        vf before = load_some(c_before + c_before_at + row + j, left, 0.0f);
        __global float *dgate = dgates + dgates_at + 4 * row + j;
        store_some(dstate * cell * input * (1.0f - input), dgate, left);
        store_some(dstate * before * forget * (1.0f - forget), dgate + hidden, left);
        store_some(dstate * input * (1.0f - cell * cell), dgate + 2 * hidden, left);
        store_some(above * bent * output * (1.0f - output), dgate + 3 * hidden, left);
        store_some(dstate * forget, dc_before + dc_before_at + row + j, left);
    }
}
