/* Linear layers on the device: CLBlast for those worth its first compile, a kernel of our own for
 * small ones and for devices where CLBlast computes wrong. */
#include "attention/clblast.h"
#include "attention/internal.h"
#include "base/checked.h"
#include "base/error.h"

#define WORTH_CLBLAST 4e9 /* operations of a layer; our own kernel takes about a second */

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

static sac_status forward_plain(sac_device *device, const sac_layer *layer, cl_mem x, size_t rows,
                                cl_mem y, sac_error *error)
{
    cl_mem bias = layer->bias ? layer->bias : layer->weight;
    cl_ulong lines = rows;
    cl_uint in = (cl_uint)layer->in, out = (cl_uint)layer->out, has_bias = layer->bias != NULL;
    cl_uint weight_out = layer->transposed ? 1 : in, weight_in = layer->transposed ? out : 1;
    sac_arg args[] = {SAC_ARG(x),       SAC_ARG(layer->weight), SAC_ARG(bias),
                      SAC_ARG(y),       SAC_ARG(lines),         SAC_ARG(in),
                      SAC_ARG(out),     SAC_ARG(weight_out),    SAC_ARG(weight_in),
                      SAC_ARG(has_bias)};
    return sac_launch_items(device, "linear", "linear", args, 10, rows * out, error);
}

static sac_status forward_clblast(sac_device *device, const sac_layer *layer, cl_mem x, size_t rows,
                                  cl_mem y, sac_error *error)
{
    sac_status status = sac_clblast_product(device, rows, layer->out, layer->in, x, layer->weight,
                                            !layer->transposed, y, error);
    if (status != SAC_OK || !layer->bias)
        return status;
    cl_ulong count = rows * layer->out;
    cl_uint out = (cl_uint)layer->out;
    sac_arg args[] = {SAC_ARG(y), SAC_ARG(layer->bias), SAC_ARG(count), SAC_ARG(out)};
    return sac_launch_items(device, "linear", "add_bias", args, 4, count, error);
}

/* CLBlast compiles for seconds when it is first used, and multiplies small matrices no faster. */
static bool worth_clblast(sac_device *device, const sac_layer *layer, size_t rows)
{
    double operations = 2.0 * (double)rows * (double)layer->in * (double)layer->out;
    return operations > WORTH_CLBLAST && sac_clblast_usable(device);
}

sac_status sac_layer_forward(sac_device *device, const sac_layer *layer, cl_mem x, size_t rows,
                             cl_mem *y, sac_error *error)
{
    size_t bytes;
    *y = NULL;
    if (!sac_mul_shape((size_t[]){rows, layer->out}, 2, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "a projection is too large");
    sac_status status = sac_buffer_create(device, bytes, NULL, y, error);
    if (status == SAC_OK)
        status = worth_clblast(device, layer, rows)
                     ? forward_clblast(device, layer, x, rows, *y, error)
                     : forward_plain(device, layer, x, rows, *y, error);
    if (status != SAC_OK) {
        sac_buffer_release(*y);
        *y = NULL;
    }
    return status;
}
