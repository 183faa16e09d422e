/* What comes after the heads: the output projection, the residual and layer norm. */
#include "attention/internal.h"
#include "attention/layer_norm.h"

/* x [rows,size] ← layer norm of (x + query). */
static sac_status add_norm(sac_attention *self, cl_mem x, size_t rows, size_t size,
                           sac_error *error)
{
    sac_norm norm = {.rows = rows,
                     .depth = size,
                     .period = rows,
                     .centred = true,
                     .x = {x, 0},
                     .added = {self->residual, 0},
                     .gain = {self->norm_weight, 0},
                     .bias = self->norm_bias};
    return sac_norm_forward(self->device, &norm, norm.x, error);
}

sac_status sac_post(sac_attention *self, cl_mem *result, bool *owned, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    size_t features = self->shape.output_shape[self->shape.output_rank - 1];
    *result = self->heads_output;
    *owned = false;
    sac_status status = sac_raise_output(self, error);
    if (status == SAC_OK && self->out_projection.weight.buffer) {
        status = sac_projection_run(self->device, &self->out_projection, self->heads_output, rows,
                                    result, error);
        *owned = status == SAC_OK;
    }
    if (status == SAC_OK && self->norm_weight)
        status = add_norm(self, *result, rows, features, error);
    return status;
}
