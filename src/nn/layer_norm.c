#include "nn/layer_norm.h"

#include <assert.h>

#include "nn/layers.h"

/* [B,N,2] means and deviations, [B,D] for dgain and for dbias. */
size_t sac_layer_norm_scratch(size_t batch, size_t cells, size_t depth)
{
    return batch * 2 * (cells + depth);
}

void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y, sac_tensor x)
{
    size_t places = layer->position->value.rows;
    cl_uint cells = (cl_uint)places, depth = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(cells),
                      SAC_ARG(depth),
                      SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(layer->position->value),
                      SAC_SPAN_ARGS(layer->gain->value),
                      SAC_SPAN_ARGS(layer->bias->value),
                      SAC_SPAN_ARGS(y)};
    assert(x.rows % places == 0 && x.width == layer->gain->value.width);
    sac_pass_groups(pass, "layer_norm", "", "forward", args, sizeof args / sizeof *args,
                    x.rows / places);
}

void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x)
{
    size_t places = layer->position->value.rows, batch = x.rows / places;
    cl_uint cells = (cl_uint)places, depth = (cl_uint)x.width;
    sac_span scratch = sac_pass_scratch(pass, sac_layer_norm_scratch(batch, places, x.width));
    sac_span after = sac_span_from(scratch, batch * 2 * places);
    sac_tensor dgains = {after.buffer, after.at, batch, x.width};
    sac_tensor dbiases = sac_tensor_rows(dgains, batch, batch);
    sac_arg args[] = {SAC_ARG(cells),
                      SAC_ARG(depth),
                      SAC_SPAN_ARGS(x),
                      SAC_SPAN_ARGS(layer->position->value),
                      SAC_SPAN_ARGS(layer->gain->value),
                      SAC_SPAN_ARGS(dy),
                      SAC_SPAN_ARGS(scratch),
                      SAC_SPAN_ARGS(dgains),
                      SAC_SPAN_ARGS(dbiases)};
    sac_pass_groups(pass, "layer_norm", "", "backward", args, sizeof args / sizeof *args, batch);
    sac_sum_rows(pass, layer->gain->gradient, dgains);
    sac_sum_rows(pass, layer->bias->gradient, dbiases);
    sac_sum_rows(pass, layer->position->gradient, sac_tensor_shaped(dy, batch, places * x.width));
}
