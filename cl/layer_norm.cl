/* Layer norm of the cells of pictures: see nn/layer_norm.h. One work-group per picture, whose items
 * share out the cells; a GPU's many items each walk along one cell. */
#include "vector.clh"
#include "group.clh"

#define EPSILON 1e-5f

/* What makes u = x + position of one cell a normed one. */
typedef struct norm {
    float mean, inverse; /* of the deviation */
} norm;

/* In two passes: E[u²] − E[u]² cancels. */
inline norm measure(__global const float *x, __global const float *position, uint depth)
{
    vf sums = (vf)(0.0f), squares = (vf)(0.0f);
    for (uint d = 0; d < depth; d += WIDTH)
        sums += load_some(x + d, depth - d, 0.0f) + load_some(position + d, depth - d, 0.0f);
    float mean = lanes_sum(sums) / depth;
    for (uint d = 0; d < depth; d += WIDTH) {
        vf away =
            load_some(x + d, depth - d, mean) + load_some(position + d, depth - d, 0.0f) - mean;
        squares = FMA(away, away, squares);
    }
    return (norm){mean, 1.0f / sqrt(lanes_sum(squares) / depth + EPSILON)};
}

REQD_GROUP(GROUP_ITEMS)
__kernel void forward(uint cells, uint depth, __global const float *x, uint x_at,
                      __global const float *position, uint position_at, __global const float *gain,
                      uint gain_at, __global const float *bias, uint bias_at, __global float *y,
                      uint y_at, __local float *scratch)
{
    x += x_at + get_group_id(0) * cells * depth;
    y += y_at + get_group_id(0) * cells * depth;
    position += position_at;
    gain += gain_at;
    bias += bias_at;
    for (uint n = ITEM; n < cells; n += GROUP_ITEMS) {
        __global const float *cell = x + n * depth, *place = position + n * depth;
        norm by = measure(cell, place, depth);
        for (uint d = 0; d < depth; d += WIDTH) {
            uint left = depth - d;
            vf u = load_some(cell + d, left, 0.0f) + load_some(place + d, left, 0.0f);
            vf normed = (u - by.mean) * by.inverse;
            store_some(
                FMA(normed, load_some(gain + d, left, 0.0f), load_some(bias + d, left, 0.0f)),
                y + n * depth + d, left);
        }
    }
}

/* dx = (g − mean g − û mean(g û)) / deviation, with g = dy · gain and û the normed u. The sums over
 * cells of dy û and of dy come first, into dgain and dbias [B,D], while dy is still there. */
REQD_GROUP(GROUP_ITEMS)
__kernel void backward(uint cells, uint depth, __global const float *x, uint x_at,
                       __global const float *position, uint position_at, __global const float *gain,
                       uint gain_at, __global float *dy, uint dy_at, __global float *norms,
                       uint norms_at, __global float *dgain, uint dgain_at, __global float *dbias,
                       uint dbias_at, __local float *scratch)
{
    uint picture = get_group_id(0);
    x += x_at + picture * cells * depth;
    dy += dy_at + picture * cells * depth;
    norms += norms_at + picture * cells * 2;
    dgain += dgain_at + picture * depth;
    dbias += dbias_at + picture * depth;
    position += position_at;
    gain += gain_at;
    for (uint n = ITEM; n < cells; n += GROUP_ITEMS) {
        norm by = measure(x + n * depth, position + n * depth, depth);
        norms[2 * n] = by.mean;
        norms[2 * n + 1] = by.inverse;
    }
    SYNC();
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH) {
        uint left = depth - d;
        vf gains = (vf)(0.0f), biases = (vf)(0.0f);
        for (uint n = 0; n < cells; n++) {
            uint at = n * depth + d;
            vf u = load_some(x + at, left, 0.0f) + load_some(position + at, left, 0.0f);
            vf above = load_some(dy + at, left, 0.0f);
            gains = FMA(above, (u - norms[2 * n]) * norms[2 * n + 1], gains);
            biases += above;
        }
        store_some(gains, dgain + d, left);
        store_some(biases, dbias + d, left);
    }
    SYNC();
    for (uint n = ITEM; n < cells; n += GROUP_ITEMS) {
        float mean = norms[2 * n], inverse = norms[2 * n + 1];
        vf sums = (vf)(0.0f), products = (vf)(0.0f);
        for (uint d = 0; d < depth; d += WIDTH) {
            uint at = n * depth + d, left = depth - d;
            vf u = load_some(x + at, left, 0.0f) + load_some(position + at, left, 0.0f);
            vf g = load_some(dy + at, left, 0.0f) * load_some(gain + d, left, 0.0f);
            sums += g;
            products = FMA(g, (u - mean) * inverse, products);
        }
        float sum = lanes_sum(sums) / depth, product = lanes_sum(products) / depth;
        for (uint d = 0; d < depth; d += WIDTH) {
            uint at = n * depth + d, left = depth - d;
            vf u = load_some(x + at, left, 0.0f) + load_some(position + at, left, 0.0f);
            vf g = load_some(dy + at, left, 0.0f) * load_some(gain + d, left, 0.0f);
            store_some((g - sum - (u - mean) * inverse * product) * inverse, dy + at, left);
        }
    }
}
