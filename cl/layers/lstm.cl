/* The elementwise half of an LSTM step, one work-item per number of the state: see nn/recurrent.h. */
#include "common/vector.clh"

#include "layers/sigmoid.clh"

/* gates [B,4H] from place `at` on: input, forget, cell, output. */
__kernel void forward(uint batch, uint hidden, __global float *gates, uint gates_at,
                      __global const float *c_before, uint c_before_at, __global float *c,
                      uint c_at, __global float *h, uint h_at)
{
    uint id = get_global_id(0);
    if (id >= batch * hidden)
        return;
    __global float *gate = gates + gates_at + id / hidden * 4 * hidden + id % hidden;
    float input = sigmoid(gate[0]), forget = sigmoid(gate[hidden]);
    float cell = tanh_fast(gate[2 * hidden]), output = sigmoid(gate[3 * hidden]);
    float state = forget * c_before[c_before_at + id] + input * cell;
    gate[0] = input;
    gate[hidden] = forget;
    gate[2 * hidden] = cell;
    gate[3 * hidden] = output;
    c[c_at + id] = state;
    h[h_at + id] = output * tanh_fast(state);
}

/* dc_before may be dc, and dgates may be gates: an item reads all of its own before it writes. */
__kernel void backward(uint batch, uint hidden, __global const float *gates, uint gates_at,
                       __global const float *c_before, uint c_before_at, __global const float *c,
                       uint c_at, __global const float *dh, uint dh_at, __global const float *dc,
                       uint dc_at, __global float *dgates, uint dgates_at,
                       __global float *dc_before, uint dc_before_at)
{
    uint id = get_global_id(0);
    if (id >= batch * hidden)
        return;
    uint row = id / hidden * 4 * hidden + id % hidden;
    __global const float *gate = gates + gates_at + row;
    float input = gate[0], forget = gate[hidden], cell = gate[2 * hidden],
          output = gate[3 * hidden];
    float bent = tanh_fast(c[c_at + id]), above = dh[dh_at + id];
    float dstate = dc[dc_at + id] + above * output * (1.0f - bent * bent);
    float before = c_before[c_before_at + id];
    __global float *dgate = dgates + dgates_at + row;
    dgate[0] = dstate * cell * input * (1.0f - input);
    dgate[hidden] = dstate * before * forget * (1.0f - forget);
    dgate[2 * hidden] = dstate * input * (1.0f - cell * cell);
    dgate[3 * hidden] = above * bent * output * (1.0f - output);
    dc_before[dc_before_at + id] = dstate * forget;
}
