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
