/* Activations, and gates that are activated. */
#include <assert.h>

#include "base/round.h"
#include "nn/layers.h"

#define SHARE 4096 /* numbers of a group, as in cl/activations.cl */

/* The kernel of an activation, of the source of those that many models have, or that of the others;
 * NULL: of neither. */
static const struct {
    const char *often, *rare;
} kernels[SAC_ACTIVATIONS] = {
    [SAC_GELU] = {"gelu_forward", NULL},
    [SAC_GELU_TANH] = {"gelu_tanh_forward", NULL},
    [SAC_SILU] = {"silu_forward", NULL},
    [SAC_GELU_10] = {NULL, "gelu_10_forward"},
    [SAC_QUICK_GELU] = {NULL, "quick_gelu_forward"},
    [SAC_RELU_SQUARED] = {NULL, "relu_squared_forward"},
    [SAC_RELU6] = {NULL, "relu6_forward"},
    [SAC_LEAKY_RELU] = {NULL, "leaky_relu_forward"},
    [SAC_MISH] = {NULL, "mish_forward"},
    [SAC_SIGMOID] = {NULL, "sigmoid_forward"},
    [SAC_TANH] = {NULL, "tanh_forward"},
    [SAC_HARDSWISH] = {NULL, "hardswish_forward"},
    [SAC_LAPLACE] = {NULL, "laplace_forward"},
    [SAC_SQRT_SOFTPLUS] = {NULL, "sqrt_softplus_forward"},
};

void sac_activate(sac_pass *pass, sac_tensor x, sac_activation activation)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(x)};
    if (activation == SAC_RELU)
        sac_relu_forward(pass, x);
    else if (kernels[activation].often)
        sac_pass_groups(pass, "activations", "", kernels[activation].often, args, 3,
                        sac_ceil_div(count, SHARE));
    else if (kernels[activation].rare)
        sac_pass_items(pass, "other_activations", kernels[activation].rare, args, 3, count);
}

void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y, sac_activation activation)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(x)};
    assert(sac_tensor_count(y) == count);
    if (activation == SAC_SILU) {
        sac_pass_groups(pass, "activations", "", "gate", args, 5, sac_ceil_div(count, SHARE));
        return;
    }
    sac_activate(pass, x, activation);
    sac_pass_items(pass, "other_activations", "multiply", args, 5, count);
}

void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    cl_uint columns = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == y.rows && x.width == 2 * y.width);
    sac_pass_groups(pass, "activations", "", "gate_columns", args, 5, y.rows);
}
