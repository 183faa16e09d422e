/* Activations, and gates that are activated. */
#include <assert.h>

#include "base/round.h"
#include "nn/layers.h"

#define SHARE 4096 /* numbers of a group, as in cl/activations.cl */

void sac_activate(sac_pass *pass, sac_tensor x, sac_activation activation)
{
    static const char *const kernels[SAC_ACTIVATIONS] = {
        [SAC_GELU] = "gelu_forward",
        [SAC_GELU_TANH] = "gelu_tanh_forward",
        [SAC_SILU] = "silu_forward",
    };
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(x)};
    if (activation == SAC_RELU)
        sac_relu_forward(pass, x);
    else
        sac_pass_groups(pass, "activations", "", kernels[activation], args, 3,
                        sac_ceil_div(count, SHARE));
}

void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(x)};
    assert(sac_tensor_count(y) == count);
    sac_pass_groups(pass, "activations", "", "gate", args, 5, sac_ceil_div(count, SHARE));
}

void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    cl_uint columns = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == y.rows && x.width == 2 * y.width);
    sac_pass_groups(pass, "activations", "", "gate_columns", args, 5, y.rows);
}
