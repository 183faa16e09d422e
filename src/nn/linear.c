/* y = x Wᵀ + b and its gradients, on tensors and parameters. */
#include "gemm/linear.h"
#include "gemm/gemm_tiled.h"

#include <assert.h>

#include "nn/layers.h"

/* The product that y [rows,out] and x [rows,in] mean. What is trained has the same bytes, however
 * few sentences of a batch still go on. */
static sac_linear layer_of(sac_tensor y, sac_tensor x, const sac_parameter *w,
                           const sac_parameter *b)
{
    assert(y.rows == x.rows && x.width == w->value.width && y.width == w->value.rows);
    sac_linear layer = {.weight = sac_tensor_stored(w->value),
                        .stored = w->value.stored,
                        .in = x.width,
                        .out = y.width,
                        .any_rows = w->gradient.buffer != NULL};
    if (b)
        layer.bias = sac_tensor_span(b->value);
    return layer;
}

/* Of a weight that learns; `transposed`: for y. */
static sac_span panels_of(sac_pass *pass, const sac_parameter *w, bool transposed)
{
    return w->gradient.buffer ? sac_pass_panels(pass, w->value, transposed) : (sac_span){0};
}

static void forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                    const sac_parameter *b, bool adds)
{
    sac_linear layer = layer_of(y, x, w, b);
    layer.panels = panels_of(pass, w, true);
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
    layer.panels = panels_of(pass, w, false);
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
    sac_packing packing = sac_packing_of(w->value.rows, w->value.width, true);
    SAC_PASS_CALL(pass, sac_tiled_pack(pass->device, packing, sac_tensor_span(w->value),
                                       sac_tensor_span(panels), &pass->error));
}

void sac_linear_infer(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor panels,
                      const sac_parameter *b)
{
    sac_gemm gemm = {.m = x.rows, .n = y.width, .k = x.width};
    if (b)
        gemm.bias = sac_tensor_span(b->value);
    SAC_PASS_CALL(pass,
                  sac_gemm_by_panels(pass->device, &gemm, sac_tensor_span(x),
                                     sac_tensor_span(panels), sac_tensor_span(y), &pass->error));
}
