/* Activations of layers, number by number. A work-group takes SHARE of them, or a row. */
#include "common/vector.clh"
#include "common/group.clh"
#include "layers/activations.clh"

#define SHARE 4096 /* some µs of a CPU */

/* x [count], in place. */
#define DEFINE_ACTIVATION(name, value)                                                             \
    REQD_GROUP(GROUP_ITEMS)                                                                        \
    __kernel void name##_forward(uint count, __global float *x, uint x_at, __local float *scratch) \
    {                                                                                              \
        uint first = (uint)get_group_id(0) * SHARE, end = min(count, first + SHARE);               \
        x += x_at;                                                                                 \
        for (uint i = first + ITEM * WIDTH; i < end; i += GROUP_ITEMS * WIDTH)                     \
            store_some(value(load_some(x + i, end - i, 0.0f)), x + i, end - i);                    \
    }

DEFINE_ACTIVATION(gelu, gelu)
DEFINE_ACTIVATION(gelu_tanh, gelu_tanh)
DEFINE_ACTIVATION(silu, silu)

/* dy [count] ← dy · slope(x) */
#define DEFINE_BACKWARD(name)                                                                      \
    REQD_GROUP(GROUP_ITEMS)                                                                        \
    __kernel void name##_backward(uint count, __global const float *x, uint x_at,                  \
                                  __global float *dy, uint dy_at, __local float *scratch)          \
    {                                                                                              \
        uint first = (uint)get_group_id(0) * SHARE, end = min(count, first + SHARE);               \
        x += x_at;                                                                                 \
        dy += dy_at;                                                                               \
        for (uint i = first + ITEM * WIDTH; i < end; i += GROUP_ITEMS * WIDTH)                     \
            store_some(name##_slope(load_some(x + i, end - i, 0.0f)) *                             \
                           load_some(dy + i, end - i, 0.0f),                                       \
                       dy + i, end - i);                                                           \
    }

DEFINE_BACKWARD(gelu_tanh)
DEFINE_BACKWARD(silu)

/* x [count] ← silu(x) · y */
REQD_GROUP(GROUP_ITEMS)
__kernel void gate(uint count, __global const float *y, uint y_at, __global float *x, uint x_at,
                   __local float *scratch)
{
    uint first = (uint)get_group_id(0) * SHARE, end = min(count, first + SHARE);
    y += y_at;
    x += x_at;
    for (uint i = first + ITEM * WIDTH; i < end; i += GROUP_ITEMS * WIDTH)
        store_some(silu(load_some(x + i, end - i, 0.0f)) * load_some(y + i, end - i, 0.0f), x + i,
                   end - i);
}

/* y [rows,columns] = silu(x[:,:columns]) · x[:,columns:], x [rows,2·columns] */
REQD_GROUP(GROUP_ITEMS)
__kernel void gate_columns(uint columns, __global const float *x, uint x_at, __global float *y,
                           uint y_at, __local float *scratch)
{
    uint row = (uint)get_group_id(0);
    x += x_at + (ulong)row * 2 * columns;
    y += y_at + (ulong)row * columns;
    for (uint i = ITEM * WIDTH; i < columns; i += GROUP_ITEMS * WIDTH) {
        uint left = columns - i;
        store_some(silu(load_some(x + i, left, 0.0f)) * load_some(x + columns + i, left, 0.0f),
                   y + i, left);
    }
}
