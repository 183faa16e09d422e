/* The steps after the heads: the output projection, the residual and layer norm. */
#include "attention/run/layer_norm.h"
#include "attention/run/run.h"

/* x, a row for each query, ← layer norm of (x + query). */
static sac_status add_norm(sac_attention *self, cl_mem x, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    sac_norm norm = {.rows = rows,
                     .depth = self->shape.output_shape[self->shape.output_rank - 1],
                     .period = rows,
                     .centred = true,
                     .x = {x, 0},
                     .added = {self->residual, 0},
                     .gain = {self->norm_weight, 0},
                     .bias = self->norm_bias};
    return sac_norm_forward(self->device, &norm, norm.x, error);
}

sac_status sac_post(sac_attention *self, cl_mem output, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    sac_status status = sac_raise_output(self, error);
    if (status == SAC_OK && self->out_projection.weight.buffer)
        status =
            sac_linear_y(self->device, &self->out_projection, rows,
                         (sac_span){self->heads_output, 0}, (sac_span){output, 0}, false, error);
    if (status == SAC_OK && self->norm_weight)
        status = add_norm(self, output, error);
    return status;
}
