/* few_rows.cl for weights in blocks, by integers. */
#include "gemm/few_rows_dots.clh"
#include "gemm/fused_linear_kernels.clh"
#include "layers/token_layer.clh"

/* One group per `share` steps. */
__kernel void multiply_by_lines(gemm p, __global const float *a, uint a_at,
                                __global const number *b, uint b_at, __global const float *bias,
                                uint bias_at, __global float *c, uint c_at, __local digits *x)
{
    uint t = (uint)get_group_id(0) * p.share;
    multiply_alone(&p, t, min(STREAM(&p), t + p.share), a + a_at, PLACE(b, b_at), bias + bias_at,
                   c + c_at, x);
}
