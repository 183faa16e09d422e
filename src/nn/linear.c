/* y = x Wᵀ + b and its gradients, on tensors and parameters. */
#include "gemm/linear.h"
#include "gemm/gemm_tiled.h"

#include <assert.h>

#include "nn/layers.h"

/* The product that y [rows,out] and x [rows,in] mean. */
static sac_linear layer_of(sac_tensor y, sac_tensor x, const sac_parameter *w,
                           const sac_parameter *b)
{
    assert(y.rows == x.rows && x.width == w->value.width && y.width == w->value.rows);
    sac_linear layer = {.weight = sac_tensor_span(w->value), .in = x.width, .out = y.width};
    if (b)
        layer.bias = sac_tensor_span(b->value);
    return layer;
}

static void forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                    const sac_parameter *b, bool adds)
{
    sac_linear layer = layer_of(y, x, w, b);
    SAC_PASS_CALL(pass, sac_linear_y(pass->device, &layer, x.rows, sac_tensor_span(x),
                                     sac_tensor_span(y), adds, &pass->error));
}

void sac_linear_forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b)
{
    forward(pass, y, x, w, b, false);
}

void sac_linear_add(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w)
{
    forward(pass, y, x, w, NULL, true);
}

void sac_linear_backward_weights(sac_pass *pass, sac_tensor dy, sac_tensor x,
                                 const sac_parameter *w, const sac_parameter *b)
{
    sac_linear layer = layer_of(dy, x, w, NULL);
    SAC_PASS_CALL(pass, sac_linear_dweight(pass->device, &layer, x.rows, sac_tensor_span(dy),
                                           sac_tensor_span(x), sac_tensor_span(w->gradient),
                                           &pass->error));
    if (b)
        sac_sum_rows(pass, b->gradient, dy);
}

static void backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w,
                           bool adds)
{
    sac_linear layer = layer_of(dy, dx, w, NULL);
    SAC_PASS_CALL(pass, sac_linear_dx(pass->device, &layer, dx.rows, sac_tensor_span(dy),
                                      sac_tensor_span(dx), adds, &pass->error));
}

void sac_linear_backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, false);
}

void sac_linear_backward_add(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, true);
}

/* ---------------------------------------------------------------- without a gradient */

size_t sac_linear_panels(const sac_pass *pass, const sac_parameter *w)
{
    return sac_tiled_panels(pass->device, w->value.rows, w->value.width);
}

void sac_linear_pack(sac_pass *pass, sac_tensor panels, const sac_parameter *w)
{
    cl_uint n = (cl_uint)w->value.rows, k = (cl_uint)w->value.width;
    sac_packing packing = {
        .n = n, .k = k, .inners = k, .middles = 1, .inner = 1, .column = (cl_int)k};
    SAC_PASS_CALL(pass, sac_tiled_pack(pass->device, packing, sac_tensor_span(w->value),
                                       sac_tensor_span(panels), &pass->error));
}

void sac_linear_infer(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor panels,
                      const sac_parameter *b)
{
    cl_uint m = (cl_uint)x.rows, n = (cl_uint)y.width, k = (cl_uint)x.width;
    sac_tiled_gemm tiles = {
        .m = m,
        .n = n,
        .k = k,
        .span = n,
        .length = k,
        .lines = 1,
        .along_a = {.step = 1},
        .a = {.width = m, .height = 1, .pixel = k},
        .c = {.width = m, .height = 1, .pixel = n},
    };
    sac_span bias = b ? sac_tensor_span(b->value) : (sac_span){0};
    SAC_PASS_CALL(pass, sac_tiled_rows_by_panels(pass->device, tiles, sac_tensor_span(x),
                                                 sac_tensor_span(panels), bias, sac_tensor_span(y),
                                                 &pass->error));
}
