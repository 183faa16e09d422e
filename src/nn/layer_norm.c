#include "nn/layer_norm.h"

#include "nn/launch.h"
#include "nn/layers.h"

/* [B,N,2] means and deviations, [B,D] for dgain and for dbias. */
size_t sac_layer_norm_scratch(const sac_layer_norm *layer)
{
    return layer->batch * 2 * (layer->cells + layer->depth);
}

sac_status sac_layer_norm_forward(sac_device *device, const sac_layer_norm *layer, sac_span x,
                                  sac_span y, sac_error *error)
{
    cl_uint cells = (cl_uint)layer->cells, depth = (cl_uint)layer->depth;
    sac_arg args[] = {SAC_ARG(cells),
                      SAC_ARG(depth),
                      SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(layer->position),
                      SAC_SPAN_ARGS(layer->gain),
                      SAC_SPAN_ARGS(layer->bias),
                      SAC_SPAN_ARGS(y)};
    return sac_launch_pictures(device, "layer_norm", "", "forward", args,
                               sizeof args / sizeof *args, layer->batch, error);
}

sac_status sac_layer_norm_backward(sac_device *device, const sac_layer_norm *layer, sac_span x,
                                   sac_span dy, sac_span scratch, sac_error *error)
{
    cl_uint cells = (cl_uint)layer->cells, depth = (cl_uint)layer->depth;
    sac_span dgains = sac_span_from(scratch, layer->batch * 2 * layer->cells);
    sac_span dbiases = sac_span_from(dgains, layer->batch * layer->depth);
    sac_arg args[] = {SAC_ARG(cells),
                      SAC_ARG(depth),
                      SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(layer->position),
                      SAC_SPAN_ARGS(layer->gain),
                      SAC_SPAN_ARGS(dy),
                      SAC_SPAN_ARGS(scratch),
                      SAC_SPAN_ARGS(dgains),
                      SAC_SPAN_ARGS(dbiases)};
    sac_status status = sac_launch_pictures(device, "layer_norm", "", "backward", args,
                                            sizeof args / sizeof *args, layer->batch, error);
    if (status == SAC_OK)
        status = sac_sum_rows(device, layer->batch, layer->depth, dgains, layer->dgain, error);
    if (status == SAC_OK)
        status = sac_sum_rows(device, layer->batch, layer->depth, dbiases, layer->dbias, error);
    if (status == SAC_OK)
        status = sac_sum_rows(device, layer->batch, layer->cells * layer->depth, dy,
                              layer->dposition, error);
    return status;
}
