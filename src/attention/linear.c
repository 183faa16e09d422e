/* Linear layers on the device. */
#include "attention/internal.h"
#include "attention/product.h"
#include "base/checked.h"
#include "base/error.h"

sac_status sac_layer_create(sac_device *device, const sac_array *weight, const sac_array *bias,
                            bool transposed, sac_layer *layer, sac_error *error)
{
    layer->out = weight->shape[transposed ? 1 : 0];
    layer->in = weight->shape[transposed ? 0 : 1];
    layer->transposed = transposed;
    sac_status status = sac_upload_floats(device, weight, &layer->weight, error);
    if (status == SAC_OK && bias)
        status = sac_upload_floats(device, bias, &layer->bias, error);
    return status;
}

void sac_layer_release(sac_layer *layer)
{
    sac_buffer_release(layer->weight);
    sac_buffer_release(layer->bias);
    *layer = (sac_layer){0};
}

sac_status sac_layer_forward(sac_device *device, const sac_layer *layer, cl_mem x, size_t rows,
                             cl_mem *y, sac_error *error)
{
    sac_product product = {
        .m = rows,
        .n = layer->out,
        .k = layer->in,
        .transpose_b = !layer->transposed,
        .bias = {layer->bias, 0},
    };
    size_t bytes;
    *y = NULL;
    if (!sac_mul_shape((size_t[]){rows, layer->out}, 2, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "a projection is too large");
    sac_status status = sac_buffer_create(device, bytes, NULL, y, error);
    if (status == SAC_OK)
        status = sac_product_run(device, &product, (sac_span){x, 0}, (sac_span){layer->weight, 0},
                                 (sac_span){*y, 0}, error);
    if (status != SAC_OK) {
        sac_buffer_release(*y);
        *y = NULL;
    }
    return status;
}
