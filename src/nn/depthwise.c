/* Launches of cl/layers/depthwise.cl. */

#include "nn/depthwise.h"

#include <stdio.h>
#include <string.h>

#include "base/round.h"
#include "gemm/gemm.h"
#include "gemm/launch.h"

#define DOWN 2   /* rows of a block, as there … */
#define ACROSS 4 /* … and columns; … */
#define MOST 128 /* … channels of a group, for the weights' gradient; a GPU's has so many items */
#define LEAST 16 /* channels of a group, of which there are GROUPS_PER_UNIT then */
#define GROUPS_PER_UNIT 32
#define BLOCKS                                                                                     \
    2048 /* of a piece of the weights' gradient, at most: some drivers end longer loops */

/* The twin of `depthwise` in the kernels. */
typedef struct shape {
    cl_uint height, width, channels, down, across, above, left, each, all, bands;
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
                   .ceiling = l->ceiling};
}

/* Channels of a group, where `rows` groups take all of them. */
static cl_uint spread(const sac_pass *pass, const sac_depthwise *l, size_t rows)
{
    size_t pieces = sac_ceil_div(pass->device->info.compute_units * GROUPS_PER_UNIT, rows);
    size_t least = pass->device->profile.is_cpu ? LEAST : MOST;
    return (cl_uint)sac_round_up(sac_ceil_div(l->channels, pieces), least);
}

/* Gradients are another program, and so are few channels, whose vectors are cut: captioning a
 * photograph does not wait for them to be compiled. */
static void write_options(size_t taps, size_t stride, bool narrow, bool backward, char *options,
                          size_t size)
{
    snprintf(options, size, " -DTAPS=%zu -DSTRIDE=%zu -DNARROW=%d -DBACKWARD=%d", taps, stride,
             narrow, backward);
}

void sac_depthwise_expect(sac_device *device, size_t taps, size_t stride)
{
    char options[80];
    write_options(taps, stride, false, false, options, sizeof options);
    sac_launch_groups_expect(device, "depthwise", options, true);
}

/* `rows`: groups for each `each` channels. */
static void launch(sac_pass *pass, const sac_depthwise *l, const char *kernel, size_t each,
                   const sac_arg *args, int arg_count, size_t rows)
{
    char options[80];
    assert(l->taps % 2 == 1 && (l->stride == 1 || l->stride == 2));
    write_options(l->taps, l->stride, l->channels < pass->device->profile.vector_width,
                  strcmp(kernel, "forward") != 0, options, sizeof options);
    sac_pass_groups(pass, "depthwise", options, kernel, args, arg_count,
                    rows * sac_ceil_div(l->channels, each));
}

void sac_depthwise_forward(sac_pass *pass, const sac_depthwise *l, sac_tensor y, sac_tensor x,
                           const sac_parameter *w, const sac_parameter *b)
{
    shape s = shape_of(l);
    size_t rows = l->batch * sac_ceil_div(s.down, DOWN);
    s.each = spread(pass, l, rows);
    sac_arg args[] = {SAC_ARG(s), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(w->value),
                      SAC_SPAN_ARGS(b->value), SAC_SPAN_ARGS(y)};
    assert(sac_tensor_count(x) == l->batch * l->height * l->width * l->channels);
    assert(sac_tensor_count(y) == l->batch * s.down * s.across * l->channels);
    launch(pass, l, "forward", s.each, args, 9, rows);
}

void sac_depthwise_backward_input(sac_pass *pass, const sac_depthwise *l, sac_tensor dx,
                                  sac_tensor dy, const sac_parameter *w)
{
    shape s = shape_of(l);
    size_t rows = l->batch * sac_ceil_div(s.height + s.above % l->stride, DOWN);
    s.each = spread(pass, l, rows);
    sac_arg args[] = {SAC_ARG(s), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(w->value), SAC_SPAN_ARGS(dx)};
    launch(pass, l, "backward_input", s.each, args, 7, rows);
}

void sac_depthwise_backward_weights(sac_pass *pass, const sac_depthwise *l, sac_tensor dy,
                                    sac_tensor x, const sac_parameter *w, const sac_parameter *b)
{
    shape s = shape_of(l);
    size_t all = l->batch * sac_ceil_div(s.down, DOWN), across = sac_ceil_div(s.across, ACROSS);
    size_t spans = sac_ceil_div(l->channels, MOST), count = l->taps * l->taps * l->channels;
    size_t wanted = sac_ceil_div(pass->device->info.compute_units * GROUPS_PER_UNIT, spans);
    wanted = sac_larger(wanted, sac_ceil_div(all * across, BLOCKS));
    s.all = (cl_uint)all;
    s.bands = (cl_uint)sac_ceil_div(all, wanted);
    s.each = (cl_uint)sac_round_up(sac_ceil_div(l->channels, spans), LEAST);
    size_t pieces = sac_ceil_div(all, s.bands);
    sac_span of_weights = sac_pass_scratch(pass, pieces * (count + l->channels));
    sac_span of_bias = sac_span_from(of_weights, pieces * count);
    sac_arg args[] = {SAC_ARG(s), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(of_weights),
                      SAC_SPAN_ARGS(of_bias)};
    launch(pass, l, "backward_weights", s.each, args, 9, pieces);
    SAC_PASS_CALL(pass, sac_linear_dbias(pass->device, pieces, count, of_weights,
                                         sac_tensor_span(w->gradient), &pass->error));
    SAC_PASS_CALL(pass, sac_linear_dbias(pass->device, pieces, l->channels, of_bias,
                                         sac_tensor_span(b->gradient), &pass->error));
}
