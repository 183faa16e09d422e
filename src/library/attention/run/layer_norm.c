/* Layer norm of rows on the device. */

#include "attention/run/layer_norm.h"

#include <assert.h>

#include "base/round.h"
#include "gemm/launch.h"

#define GROUP_ROWS 128 /* one for each item of a GPU's group */

/* The twin of `rows` in cl/layers/layer_norm.cl. */
typedef struct norm_rows {
    cl_uint count, depth, period, each, centred;
    cl_float epsilon;
} norm_rows;

static size_t group_rows(const sac_norm *norm)
{
    return norm->each ? norm->each : GROUP_ROWS;
}

size_t sac_norm_groups(const sac_norm *norm)
{
    return sac_ceil_div(norm->rows, group_rows(norm));
}

static norm_rows rows_of(const sac_norm *norm)
{
    return (norm_rows){.count = (cl_uint)norm->rows,
                       .depth = (cl_uint)norm->depth,
                       .period = (cl_uint)norm->period,
                       .each = (cl_uint)group_rows(norm),
                       .centred = norm->centred,
                       .epsilon = norm->epsilon > 0 ? norm->epsilon : 1e-5f};
}

/* A kernel needs a buffer argument even if it does not read it. */
static sac_span added_of(const sac_norm *norm)
{
    return norm->period ? norm->added : norm->x;
}

/* Rows that a group norms forward, where no sum is taken over them. */
static size_t rows_forward(const sac_device *device)
{
    enum { CPU_ROWS = 32 };
    return device->profile.is_cpu ? CPU_ROWS : GROUP_ROWS;
}

sac_status sac_norm_forward(sac_device *device, const sac_norm *norm, sac_span y, sac_error *error)
{
    norm_rows rows = rows_of(norm);
    rows.each = (cl_uint)rows_forward(device);
    sac_span added = added_of(norm);
    sac_arg args[] = {SAC_ARG(rows),
                      SAC_SPAN_ARGS(norm->x),
                      SAC_SPAN_ARGS(added),
                      SAC_SPAN_ARGS(norm->gain),
                      SAC_SPAN_ARGS(norm->bias),
                      SAC_SPAN_ARGS(y)};
    return sac_launch_groups(device, "layer_norm", "", "forward", args, sizeof args / sizeof *args,
                             sac_ceil_div(norm->rows, rows.each), error);
}

sac_status sac_norm_backward(sac_device *device, const sac_norm *norm, sac_span dy,
                             sac_span scratch, sac_span dgains, sac_span dbiases, sac_error *error)
{
    norm_rows rows = rows_of(norm);
    sac_span added = added_of(norm);
    sac_arg args[] = {
        SAC_ARG(rows),     SAC_SPAN_ARGS(norm->x), SAC_SPAN_ARGS(added),  SAC_SPAN_ARGS(norm->gain),
        SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(scratch), SAC_SPAN_ARGS(dgains), SAC_SPAN_ARGS(dbiases)};
    assert(!norm->centred);
    return sac_launch_groups(device, "layer_norm", "", "backward", args, sizeof args / sizeof *args,
                             sac_norm_groups(norm), error);
}
