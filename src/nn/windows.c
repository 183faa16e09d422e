/* Launches of cl/windows.cl. */
#include "nn/windows.h"

#include <assert.h>

#include "base/round.h"

static void run(sac_pass *pass, const char *kernel, size_t height, size_t width, size_t down,
                size_t across, sac_tensor y, sac_tensor x)
{
    const cl_uint shape[8] = {(cl_uint)height, (cl_uint)width, (cl_uint)down, (cl_uint)across,
                              (cl_uint)x.width};
    sac_arg args[] = {SAC_ARG(shape), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == height * width && y.rows == down * across && x.width == y.width);
    sac_pass_items(pass, "windows", kernel, args, 5, sac_tensor_count(y));
}

void sac_max_windows(sac_pass *pass, size_t height, size_t width, sac_tensor y, sac_tensor x)
{
    run(pass, "max_windows", height, width, sac_ceil_div(height, 2), sac_ceil_div(width, 2), y, x);
}

void sac_mean_windows(sac_pass *pass, size_t height, size_t width, size_t side, sac_tensor y,
                      sac_tensor x)
{
    run(pass, "mean_windows", height, width, side, side, y, x);
}
