/* y = x Wᵀ + b and its gradients. */
#include <assert.h>

#include "gemm/gemm.h"
#include "nn/layers.h"

static void multiply(sac_pass *pass, const sac_gemm *gemm, sac_tensor a, sac_tensor b, sac_tensor c)
{
    SAC_PASS_CALL(pass, sac_gemm_run(pass->device, gemm, sac_tensor_span(a), sac_tensor_span(b),
                                     sac_tensor_span(c), &pass->error));
}

/* y [rows,out] from x [rows,in]. */
static void check(sac_tensor y, sac_tensor x, const sac_parameter *w)
{
    assert(y.rows == x.rows && x.width == w->value.width && y.width == w->value.rows);
    (void)y, (void)x, (void)w;
}

void sac_linear_forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b)
{
    sac_gemm gemm = {.m = y.rows, .n = y.width, .k = x.width, .transpose_b = true};
    check(y, x, w);
    if (b)
        gemm.bias = sac_tensor_span(b->value);
    multiply(pass, &gemm, x, w->value, y);
}

void sac_linear_add(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w)
{
    sac_gemm gemm = {
        .m = y.rows, .n = y.width, .k = x.width, .transpose_b = true, .accumulate = true};
    check(y, x, w);
    multiply(pass, &gemm, x, w->value, y);
}

void sac_linear_backward_weights(sac_pass *pass, sac_tensor dy, sac_tensor x,
                                 const sac_parameter *w, const sac_parameter *b)
{
    sac_gemm gemm = {
        .m = dy.width, .n = x.width, .k = x.rows, .transpose_a = true, .accumulate = true};
    check(dy, x, w);
    multiply(pass, &gemm, dy, x, w->gradient);
    if (b)
        sac_sum_rows(pass, b->gradient, dy);
}

static void backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w,
                           bool accumulate)
{
    sac_gemm gemm = {.m = dx.rows, .n = dx.width, .k = dy.width, .accumulate = accumulate};
    check(dy, dx, w);
    multiply(pass, &gemm, dy, w->value, dx);
}

void sac_linear_backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, false);
}

void sac_linear_backward_add(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w)
{
    backward_input(pass, dx, dy, w, true);
}
