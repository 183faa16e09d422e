/* Layer norm and RMS norm of rows, forward and backward. */

#include "nn/layer_norm.h"

#include <assert.h>

#include "attention/run/layer_norm.h"
#include "nn/layers.h"

static sac_norm norm_of(const sac_layer_norm *layer, sac_tensor x)
{
    sac_norm norm = {.rows = x.rows,
                     .depth = x.width,
                     .epsilon = layer->epsilon,
                     .x = sac_tensor_span(x),
                     .gain = sac_tensor_span(layer->gain->value)};
    if (layer->bias)
        norm.bias = sac_tensor_span(layer->bias->value);
    assert(x.width == layer->gain->value.width);
    if (layer->position) {
        assert(x.rows % layer->position->value.rows == 0);
        norm.added = sac_tensor_span(layer->position->value);
        norm.period = norm.each = layer->position->value.rows; /* a group for each of the batch */
    }
    return norm;
}

/* [rows,2] means and deviations, [groups,D] for dgain and for dbias. */
size_t sac_layer_norm_scratch(const sac_layer_norm *layer, sac_tensor x)
{
    sac_norm norm = norm_of(layer, x);
    return 2 * (x.rows + sac_norm_groups(&norm) * x.width);
}

void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y, sac_tensor x)
{
    assert(y.rows == x.rows && y.width == x.width);
    sac_norm norm = norm_of(layer, x);
    SAC_PASS_CALL(pass, sac_norm_forward(pass->device, &norm, sac_tensor_span(y), &pass->error));
}

void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x)
{
    assert(layer->bias || !layer->gain->gradient.buffer);
    sac_norm norm = norm_of(layer, x);
    size_t groups = sac_norm_groups(&norm);
    sac_span scratch = sac_pass_scratch(pass, sac_layer_norm_scratch(layer, x));
    sac_span after = sac_span_from(scratch, 2 * x.rows);
    sac_tensor dgains = {after.buffer, after.at, groups, x.width};
    sac_tensor dbiases = sac_tensor_rows(dgains, groups, groups);
    SAC_PASS_CALL(pass, sac_norm_backward(pass->device, &norm, sac_tensor_span(dy), scratch,
                                          sac_tensor_span(dgains), sac_tensor_span(dbiases),
                                          &pass->error));
    if (layer->gain->gradient.buffer) {
        sac_sum_rows(pass, layer->gain->gradient, dgains);
        sac_sum_rows(pass, layer->bias->gradient, dbiases);
    }
    if (layer->position)
        sac_sum_rows(pass, layer->position->gradient,
                     sac_tensor_shaped(dy, groups, norm.period * x.width));
}
