/* Projections: linear layers whose weights come as arrays of the caller. */
#include "attention/prepare/prepared.h"
#include "base/checked.h"
#include "base/error.h"

sac_status sac_projection_create(sac_device *device, const sac_array *weight, const sac_array *bias,
                                 bool transposed, sac_linear *projection, sac_error *error)
{
    projection->out = weight->shape[transposed ? 1 : 0];
    projection->in = weight->shape[transposed ? 0 : 1];
    projection->transposed = transposed;
    projection->any_rows = true; /* keys that come one by one are those that come together */
    sac_status status = sac_upload_floats(device, weight, &projection->weight.buffer, error);
    if (status == SAC_OK && bias)
        status = sac_upload_floats(device, bias, &projection->bias.buffer, error);
    return status;
}

void sac_projection_release(sac_linear *projection)
{
    sac_buffer_release(projection->weight.buffer);
    sac_buffer_release(projection->bias.buffer);
    *projection = (sac_linear){0};
}

sac_status sac_projection_run(sac_device *device, const sac_linear *projection, cl_mem x,
                              size_t rows, cl_mem *y, sac_error *error)
{
    size_t bytes;
    *y = NULL;
    if (!sac_checked_mul_shape((size_t[]){rows, projection->out}, 2, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "a projection is too large");
    sac_status status = sac_buffer_create(device, bytes, NULL, y, error);
    if (status == SAC_OK)
        status = sac_linear_y(device, projection, rows, (sac_span){x, 0}, (sac_span){*y, 0}, false,
                              error);
    if (status != SAC_OK) {
        sac_buffer_release(*y);
        *y = NULL;
    }
    return status;
}
