/* Layers that go over the elements of a matrix, one by one. */
#include <assert.h>

#include "nn/layers.h"

void sac_add_rows(sac_pass *pass, sac_tensor x, sac_tensor b)
{
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(columns), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(b)};
    assert(sac_tensor_count(b) == x.width);
    sac_pass_strips(pass, "layers", "add_rows", args, 6, x.rows, x.width);
}

void sac_add(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    size_t count = sac_tensor_count(y);
    sac_add_rows(pass, sac_tensor_shaped(y, 1, count), sac_tensor_shaped(x, 1, count));
}

/* Runs a kernel over x in place. */
static void run_forward(sac_pass *pass, const char *kernel, sac_tensor x)
{
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(x)};
    sac_pass_items(pass, "layers", kernel, args, 3, count);
}

static void run_backward(sac_pass *pass, const char *kernel, sac_tensor dy, sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(y);
    sac_arg args[] = {SAC_ARG(count), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(dy)};
    assert(sac_tensor_count(dy) == count);
    sac_pass_items(pass, "layers", kernel, args, 5, count);
}

void sac_tanh_forward(sac_pass *pass, sac_tensor x)
{
    run_forward(pass, "tanh_forward", x);
}

void sac_tanh_backward(sac_pass *pass, sac_tensor dy, sac_tensor y)
{
    run_backward(pass, "tanh_backward", dy, y);
}

void sac_relu_forward(sac_pass *pass, sac_tensor x)
{
    run_forward(pass, "relu_forward", x);
}

void sac_relu_backward(sac_pass *pass, sac_tensor dy, sac_tensor y)
{
    run_backward(pass, "relu_backward", dy, y);
}
