/* What comes after the heads: the output projection, the residual and layer norm. */
#include "attention/internal.h"
#include "base/error.h"
#include "gemm/launch.h"

#define NORM_EPSILON 1e-5f

/* x [rows,size] ← layer norm of (x + query). */
static sac_status add_norm(sac_attention *self, cl_mem x, size_t rows, size_t size,
                           sac_error *error)
{
    cl_ulong lines = rows;
    cl_uint features = (cl_uint)size, has_bias = self->norm_bias != NULL;
    cl_float epsilon = NORM_EPSILON;
    cl_mem bias = has_bias ? self->norm_bias : self->norm_weight;
    sac_arg args[] = {SAC_ARG(x),        SAC_ARG(self->residual), SAC_ARG(self->norm_weight),
                      SAC_ARG(bias),     SAC_ARG(has_bias),       SAC_ARG(lines),
                      SAC_ARG(features), SAC_ARG(epsilon)};
    return sac_launch_items(self->device, "norm", "add_norm", args, 8, rows, error);
}

sac_status sac_post(sac_attention *self, cl_mem *result, bool *owned, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    size_t features = self->shape.output_shape[self->shape.output_rank - 1];
    *result = self->heads_output;
    *owned = false;
    sac_status status = sac_raise_output(self, error);
    if (status == SAC_OK && self->out_projection.weight) {
        status = sac_projection_run(self->device, &self->out_projection, self->heads_output, rows,
                                    result, error);
        *owned = status == SAC_OK;
    }
    if (status == SAC_OK && self->norm_weight)
        status = add_norm(self, *result, rows, features, error);
    return status;
}
