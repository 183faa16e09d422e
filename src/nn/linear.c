/* y = x Wᵀ + b and its gradients. */
#include "nn/layers.h"

sac_status sac_linear_forward(sac_device *device, const sac_linear *layer, sac_span x, sac_span w,
                              sac_span b, sac_span y, sac_error *error)
{
    sac_product product = {
        .m = layer->rows,
        .n = layer->out,
        .k = layer->in,
        .transpose_b = true,
        .accumulate = layer->accumulate,
        .bias = b,
    };
    return sac_product_run(device, &product, x, w, y, error);
}

sac_status sac_linear_backward(sac_device *device, const sac_linear *layer, sac_span x, sac_span w,
                               sac_span dy, sac_span dx, sac_span dw, sac_span db, sac_error *error)
{
    sac_product to_weights = {
        .m = layer->out, .n = layer->in, .k = layer->rows, .transpose_a = true, .accumulate = true};
    sac_product to_input = {
        .m = layer->rows, .n = layer->in, .k = layer->out, .accumulate = layer->accumulate};
    sac_status status = SAC_OK;
    if (dw.buffer)
        status = sac_product_run(device, &to_weights, dy, x, dw, error);
    if (status == SAC_OK && db.buffer)
        status = sac_sum_rows(device, layer->rows, layer->out, dy, db, error);
    if (status == SAC_OK && dx.buffer)
        status = sac_product_run(device, &to_input, dy, w, dx, error);
    return status;
}
