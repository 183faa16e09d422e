/* Launches of cl/layers/depthwise.cl. */

#include "nn/depthwise.h"

#include <stdio.h>
#include <string.h>

#include "base/round.h"
#include "gemm/linear.h"
#include "nn/layers.h"

#define DOWN 2   /* rows of a block, as there */
#define ROWS 8   /* of y, for a piece of the weights' gradient: they stay in the second cache */
#define LEAST 16 /* channels of a group … */
#define GROUPS_PER_UNIT 32 /* … of which there are so many then, for PoCL hands out 32 at a time */

/* The twin of `depthwise` in the kernels. */
typedef struct shape {
    cl_uint height, width, channels, down, across, above, left, each, rows;
    cl_float ceiling;
} shape;

size_t sac_same_before(size_t side, size_t taps, size_t stride)
{
    size_t needed = (sac_ceil_div(side, stride) - 1) * stride + taps;
    return needed > side ? (needed - side) / 2 : 0;
}

static shape shape_of(const sac_depthwise *l)
{
    return (shape){.height = (cl_uint)l->height,
                   .width = (cl_uint)l->width,
                   .channels = (cl_uint)l->channels,
                   .down = (cl_uint)sac_ceil_div(l->height, l->stride),
                   .across = (cl_uint)sac_ceil_div(l->width, l->stride),
                   .above = (cl_uint)sac_same_before(l->height, l->taps, l->stride),
                   .left = (cl_uint)sac_same_before(l->width, l->taps, l->stride),
                   .rows = ROWS,
                   .ceiling = l->ceiling};
}

/* `rows`: groups that there are for all channels. */
static void launch(sac_pass *pass, const sac_depthwise *l, const char *kernel, shape s,
                   const sac_arg *rest, int rest_count, size_t rows)
{
    char options[48];
    sac_arg args[12] = {SAC_ARG(s)};
    size_t pieces = sac_ceil_div(pass->device->info.compute_units * GROUPS_PER_UNIT, rows);
    size_t each = sac_round_up(sac_ceil_div(l->channels, pieces), LEAST);
    assert(l->taps % 2 == 1 && (l->stride == 1 || l->stride == 2));
    s.each = (cl_uint)(pass->device->profile.is_cpu ? each : l->channels);
    memcpy(args + 1, rest, (size_t)rest_count * sizeof *rest);
    snprintf(options, sizeof options, " -DTAPS=%zu -DSTRIDE=%zu", l->taps, l->stride);
    sac_pass_groups(pass, "depthwise", options, kernel, args, 1 + rest_count,
                    rows * sac_ceil_div(l->channels, s.each));
}

void sac_depthwise_forward(sac_pass *pass, const sac_depthwise *l, sac_tensor y, sac_tensor x,
                           const sac_parameter *w, const sac_parameter *b)
{
    const shape s = shape_of(l);
    sac_arg args[] = {SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(w->value), SAC_SPAN_ARGS(b->value),
                      SAC_SPAN_ARGS(y)};
    assert(sac_tensor_count(x) == l->batch * l->height * l->width * l->channels);
    assert(sac_tensor_count(y) == l->batch * s.down * s.across * l->channels);
    launch(pass, l, "forward", s, args, 8, l->batch * sac_ceil_div(s.down, DOWN));
}

void sac_depthwise_backward_input(sac_pass *pass, const sac_depthwise *l, sac_tensor dx,
                                  sac_tensor dy, const sac_parameter *w)
{
    const shape s = shape_of(l);
    sac_arg args[] = {SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(w->value), SAC_SPAN_ARGS(dx)};
    launch(pass, l, "backward_input", s, args, 6,
           l->batch * sac_ceil_div(s.height + s.above % l->stride, DOWN));
}

void sac_depthwise_backward_weights(sac_pass *pass, const sac_depthwise *l, sac_tensor dy,
                                    sac_tensor x, const sac_parameter *w, const sac_parameter *b)
{
    const shape s = shape_of(l);
    size_t pieces = l->batch * sac_ceil_div(s.down, ROWS), count = l->taps * l->taps * l->channels;
    sac_span sums = sac_pass_scratch(pass, pieces * count);
    sac_arg args[] = {SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(sums)};
    launch(pass, l, "backward_weights", s, args, 6, pieces);
    SAC_PASS_CALL(pass, sac_linear_dbias(pass->device, pieces, count, sums,
                                         sac_tensor_span(w->gradient), &pass->error));
    sac_sum_rows(pass, b->gradient,
                 sac_tensor_shaped(dy, l->batch * s.down * s.across, l->channels));
}
