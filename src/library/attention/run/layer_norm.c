/* Layer norm and RMS norm of rows on the device. */

#include "attention/run/layer_norm.h"

#include <assert.h>

#include "base/round.h"
#include "gemm/launch.h"

#define GROUP_ROWS 128 /* of a sum over rows */

/* The twin of `rows` in cl/layers/layer_norm.cl. */
typedef struct norm_rows {
    cl_uint count, depth, period, each, centred, rms;
    cl_float epsilon;
} norm_rows;

static size_t rows_per_group(const sac_norm *norm)
{
    return norm->each ? norm->each : GROUP_ROWS;
}

size_t sac_norm_groups(const sac_norm *norm)
{
    return sac_ceil_div(norm->rows, rows_per_group(norm));
}

static norm_rows norm_arguments(const sac_norm *norm)
{
    return (norm_rows){.count = (cl_uint)norm->rows,
                       .depth = (cl_uint)norm->depth,
                       .period = (cl_uint)norm->period,
                       .each = (cl_uint)rows_per_group(norm),
                       .centred = norm->centred,
                       .rms = !norm->bias.buffer,
                       .epsilon = norm->epsilon > 0 ? norm->epsilon : 1e-5f};
}

/* A kernel needs a buffer argument even if it does not read it. */
static sac_span span_or_input(const sac_norm *norm, sac_span span)
{
    return span.buffer ? span : norm->x;
}

/* Rows that a group norms forward, where no sum is taken over them: a GPU has many groups at once. */
static size_t forward_rows_per_group(const sac_device *device)
{
    enum { CPU_ROWS = 32 };
    return device->profile.is_cpu ? CPU_ROWS : 1;
}

sac_status sac_norm_forward(sac_device *device, const sac_norm *norm, sac_span y, sac_error *error)
{
    norm_rows rows = norm_arguments(norm);
    rows.each = (cl_uint)forward_rows_per_group(device);
    sac_span added = span_or_input(norm, norm->added), bias = span_or_input(norm, norm->bias);
    sac_arg args[] = {SAC_ARG(rows),        SAC_SPAN_ARGS(norm->x),
                      SAC_SPAN_ARGS(added), SAC_SPAN_ARGS(norm->gain),
                      SAC_SPAN_ARGS(bias),  SAC_SPAN_ARGS(y)};
    return sac_launch_groups(device, "layer_norm", "", "forward", args, sizeof args / sizeof *args,
                             sac_ceil_div(norm->rows, rows.each), error);
}

sac_status sac_norm_backward(sac_device *device, const sac_norm *norm, sac_span dy,
                             sac_span scratch, sac_span dgains, sac_span dbiases, sac_error *error)
{
    norm_rows rows = norm_arguments(norm);
    sac_span added = span_or_input(norm, norm->added);
    if (rows.rms) { /* which are not written */
        dgains = span_or_input(norm, dgains);
        dbiases = span_or_input(norm, dbiases);
    }
    sac_arg args[] = {
        SAC_ARG(rows),     SAC_SPAN_ARGS(norm->x), SAC_SPAN_ARGS(added),  SAC_SPAN_ARGS(norm->gain),
        SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(scratch), SAC_SPAN_ARGS(dgains), SAC_SPAN_ARGS(dbiases)};
    assert(!norm->centred);
    return sac_launch_groups(device, "layer_norm", "", "backward", args, sizeof args / sizeof *args,
                             sac_norm_groups(norm), error);
}
