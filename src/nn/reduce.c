/* Sums and means over the rows of a matrix. */
#include <assert.h>

#include "gemm/linear.h"
#include "nn/layers.h"

void sac_sum_rows(sac_pass *pass, sac_tensor db, sac_tensor dx)
{
    assert(sac_tensor_count(db) == dx.width);
    SAC_PASS_CALL(pass, sac_linear_dbias(pass->device, dx.rows, dx.width, sac_tensor_span(dx),
                                         sac_tensor_span(db), &pass->error));
}

void sac_mean_cells_forward(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    size_t cells = x.rows / y.rows;
    assert(x.rows % y.rows == 0 && x.width == y.width);
    SAC_PASS_CALL(pass,
                  sac_sum_pieces(pass->device, x.rows, x.width, cells, 1 / (float)cells, false,
                                 sac_tensor_span(x), sac_tensor_span(y), &pass->error));
}

void sac_mean_cells_backward(sac_pass *pass, sac_tensor dx, sac_tensor dy)
{
    cl_uint batch = (cl_uint)dy.rows, cells = (cl_uint)(dx.rows / dy.rows);
    cl_uint depth = (cl_uint)dx.width;
    float factor = 1 / (float)cells;
    sac_arg args[] = {SAC_ARG(batch),  SAC_ARG(cells),    SAC_ARG(depth),
                      SAC_ARG(factor), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(dx)};
    sac_pass_strips(pass, "layers", "spread_cells", args, 8, dx.rows, dx.width);
}
