/* Launches over columns. */
#include "nn/columns.h"

#include <assert.h>

void sac_scale_columns(sac_pass *pass, sac_tensor x, const sac_parameter *factors)
{
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(factors->value)};
    assert(sac_tensor_count(factors->value) == x.width);
    sac_pass_items(pass, "columns", "scale_columns", args, 6, sac_tensor_count(x));
}

void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    cl_uint rows = (cl_uint)y.rows, columns = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == y.rows && x.width == 2 * y.width);
    sac_pass_items(pass, "columns", "gate_columns", args, 6, sac_tensor_count(y));
}

void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(x)};
    assert(sac_tensor_count(y) == count);
    sac_pass_items(pass, "columns", "gate", args, 5, count);
}
