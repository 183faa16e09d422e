/* Convolutions as products whose rows are windows of a picture with a border: lines of three pixels
 * each (for a 3 × 3 kernel), one after the other in memory. No columns are written: the windows are
 * read in place. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/round.h"
#include "gemm/gemm.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"
#include "nn/layers.h"

static const sac_span nothing = {0};

/* A batch of pictures with zeros around them. */
typedef struct padded {
    cl_uint pictures, height, width, depth, before, after;
} padded;

static cl_uint floats_per_line(const padded *p)
{
    return (p->width + p->before + p->after) * p->depth;
}

static cl_uint floats_per_picture(const padded *p)
{
    return (p->height + p->before + p->after) * floats_per_line(p);
}

/* From the beginning to the first pixel inside of the border. */
static cl_uint first_inside_offset(const padded *p)
{
    return p->before * (floats_per_line(p) + p->depth);
}

static size_t padded_pixel_count(const padded *p)
{
    return (size_t)p->pictures * (p->height + p->before + p->after) *
           (p->width + p->before + p->after);
}

static cl_uint taps_of(const sac_convolution *l)
{
    return l->taps ? (cl_uint)l->taps : 3;
}

static padded padded_input(const sac_convolution *l)
{
    cl_uint border = taps_of(l) / 2;
    return (padded){
        (cl_uint)l->batch, (cl_uint)l->height, (cl_uint)l->width, (cl_uint)l->in, border, border};
}

/* Input pixel i takes from the results i − 1 … i + 1 where the stride is 1, from i / 2 and where i
 * is odd i / 2 + 1 where it is 2. */
static padded padded_gradient(const sac_convolution *l)
{
    return (padded){(cl_uint)l->batch,
                    (cl_uint)sac_convolution_out(l->height, l->stride),
                    (cl_uint)sac_convolution_out(l->width, l->stride),
                    (cl_uint)l->out,
                    l->stride == 1,
                    1};
}

size_t sac_convolution_out(size_t side, size_t stride)
{
    return sac_ceil_div(side, stride);
}

size_t sac_convolution_pixels(const sac_convolution *layer)
{
    padded x = padded_input(layer);
    return padded_pixel_count(&x);
}

size_t sac_convolution_slopes(const sac_convolution *layer)
{
    padded dy = padded_gradient(layer);
    return padded_pixel_count(&dy);
}

void sac_convolution_write(sac_pass *pass, const sac_convolution *layer, sac_tensor x,
                           const float *numbers)
{
    padded p = padded_input(layer);
    size_t pixel = p.depth * sizeof(float), line = floats_per_line(&p) * sizeof(float);
    sac_box box = {{x.at * sizeof(float) + p.before * pixel, p.before, 0},
                   {p.width * pixel, p.height, p.pictures},
                   line,
                   floats_per_picture(&p) * sizeof(float)};
    SAC_PASS_CALL(pass, sac_buffer_write_box(pass->device, x.buffer, &box, numbers, &pass->error));
}

static sac_status check_layer(const sac_convolution *l, sac_error *error)
{
    size_t around = taps_of(l) - 1;
    assert(taps_of(l) % 2 == 1);
    if (l->stride != 1 && l->stride != 2)
        return sac_fail(error, SAC_E_ARGUMENT, "convolution", "give 1 or 2", "its stride is %zu",
                        l->stride);
    if ((double)l->batch * (double)(l->height + around) * (double)(l->width + around) *
            (double)(l->in > l->out ? l->in : l->out) >
        4e9)
        return sac_fail(error, SAC_E_SHAPE, "convolution", "give smaller batches",
                        "%zu pictures of %zu x %zu are too many", l->batch, l->width, l->height);
    return SAC_OK;
}

/* Copies with the border; with `mask` only where it is above 0. */
static void add_border(sac_pass *pass, const padded *p, sac_span x, sac_span mask, sac_span result)
{
    const struct {
        padded shape;
        cl_uint masked, unused;
    } border = {*p, mask.buffer != NULL, 0};
    if (!mask.buffer)
        mask = x;
    sac_arg args[] = {SAC_ARG(border), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(mask),
                      SAC_SPAN_ARGS(result)};
    size_t lines = (size_t)p->pictures * (p->height + p->before + p->after);
    sac_pass_items(pass, "border", "add_border", args, 7, lines);
}

/* y = relu(windows · Wᵀ + b): a row is a pixel of y [B,h,w,out]. */
static sac_tiled_gemm forward_tiles(const sac_convolution *layer)
{
    padded p = padded_input(layer), q = padded_gradient(layer);
    cl_uint stride = (cl_uint)layer->stride, in = p.depth, taps = taps_of(layer);
    sac_tiled_gemm tiles = {
        .m = p.pictures * q.height * q.width,
        .n = q.depth,
        .k = taps * taps * in,
        .span = q.depth,
        .length = taps * in,
        .lines = taps,
        .along_a = {.step = 1, .line = floats_per_line(&p)},
        .accumulate = layer->adds,
        .ceiling = layer->linear        ? 0
                   : layer->ceiling > 0 ? layer->ceiling
                                        : INFINITY,
        .a = {q.width, q.height, stride * in, stride * floats_per_line(&p), floats_per_picture(&p)},
    };
    tiles.c = (sac_grid){.width = tiles.m, .height = 1, .pixel = q.depth};
    return tiles;
}

/* The zeros before the first pixel of a side. */
static size_t zeros_before(size_t side, size_t taps, size_t stride)
{
    size_t needed = (sac_ceil_div(side, stride) - 1) * stride + taps;
    return needed > side ? (needed - side) / 2 : 0;
}

/* From the beginning of x to its first window. */
static sac_span first_window(const sac_convolution *layer, sac_tensor x)
{
    padded p = padded_input(layer);
    size_t down = layer->same ? p.before - zeros_before(p.height, 3, layer->stride) : 0;
    size_t right = layer->same ? p.before - zeros_before(p.width, 3, layer->stride) : 0;
    return sac_span_from(sac_tensor_span(x), down * floats_per_line(&p) + right * p.depth);
}

static sac_packing forward_packing(const sac_convolution *layer)
{
    return sac_packing_of(layer->out, taps_of(layer) * taps_of(layer) * layer->in, true);
}

/* Where results go: y, or what is inside of its border. */
static sac_span place_results(const sac_convolution *layer, bool with_border, sac_tensor y,
                              sac_tiled_gemm *tiles)
{
    padded q = padded_gradient(layer);
    if (!with_border)
        return sac_tensor_span(y);
    q.before = q.after = 1;
    tiles->c = (sac_grid){q.width, q.height, q.depth, floats_per_line(&q), floats_per_picture(&q)};
    return sac_span_from(sac_tensor_span(y), first_inside_offset(&q));
}

void sac_convolution_forward(sac_pass *pass, const sac_convolution *layer, sac_tensor y,
                             bool with_border, sac_tensor x, const sac_parameter *w,
                             const sac_parameter *b)
{
    sac_tiled_gemm tiles = forward_tiles(layer);
    sac_span results = place_results(layer, with_border, y, &tiles);
    SAC_PASS_CALL(pass, check_layer(layer, &pass->error));
    if (tiles.m == 0)
        return;
    SAC_PASS_CALL(pass, sac_tiled_rows(pass->device, tiles, forward_packing(layer),
                                       first_window(layer, x), sac_tensor_span(w->value),
                                       sac_tensor_span(b->value), nothing, results, &pass->error));
}

/* ---------------------------------------------------------------- without a gradient */

size_t sac_convolution_panels(const sac_pass *pass, const sac_convolution *layer)
{
    return sac_tiled_panel_floats(pass->device, layer->out,
                                  taps_of(layer) * taps_of(layer) * layer->in);
}

void sac_convolution_pack(sac_pass *pass, const sac_convolution *layer, sac_tensor panels,
                          const sac_parameter *w)
{
    SAC_PASS_CALL(pass,
                  sac_tiled_pack(pass->device, forward_packing(layer), sac_tensor_span(w->value),
                                 sac_tensor_span(panels), &pass->error));
}

void sac_convolution_infer(sac_pass *pass, const sac_convolution *layer, sac_tensor y,
                           bool with_border, sac_tensor x, sac_tensor panels,
                           const sac_parameter *b)
{
    sac_tiled_gemm tiles = forward_tiles(layer);
    sac_span results = place_results(layer, with_border, y, &tiles);
    SAC_PASS_CALL(pass, check_layer(layer, &pass->error));
    if (tiles.m == 0)
        return;
    SAC_PASS_CALL(pass, sac_tiled_rows_by_panels(pass->device, tiles, first_window(layer, x),
                                                 sac_tensor_span(panels), sac_tensor_span(b->value),
                                                 results, &pass->error));
}

/* The result has no border, so that k may be cut into pieces where loops may not be long. */
void sac_convolution_apply(sac_pass *pass, const sac_convolution *layer, sac_tensor y, sac_tensor x,
                           sac_tensor panels, const sac_parameter *b)
{
    padded p = padded_input(layer);
    sac_span windows = sac_tensor_span(x);
    SAC_PASS_CALL(pass, check_layer(layer, &pass->error));
    if (p.before) {
        windows = sac_pass_scratch(pass, (size_t)floats_per_picture(&p) * layer->batch);
        add_border(pass, &p, sac_tensor_span(x), nothing, windows);
    }
    SAC_PASS_CALL(pass, sac_tiled_rows_by_panels(pass->device, forward_tiles(layer), windows,
                                                 sac_tensor_span(panels), sac_tensor_span(b->value),
                                                 sac_tensor_span(y), &pass->error));
}

/* dW += dyᵀ · windows: k goes over the pixels of y, and a line of windows is a span. */
static void add_weight_gradients(sac_pass *pass, const sac_convolution *layer, sac_span x,
                                 sac_span dy, sac_span dw)
{
    padded p = padded_input(layer), q = padded_gradient(layer);
    cl_uint stride = (cl_uint)layer->stride, in = p.depth;
    sac_tiled_gemm tiles = {
        .m = q.depth,
        .n = 9 * in,
        .k = p.pictures * q.height * q.width,
        .b_span = floats_per_line(&p),
        .span = 3 * in,
        .c_span = 3 * in,
        .length = q.width,
        .lines = q.height,
        .along_a = {q.depth, floats_per_line(&q), floats_per_picture(&q)},
        .along_b = {stride * in, stride * floats_per_line(&p), floats_per_picture(&p)},
        .accumulate = true,
        .a = {.width = q.depth, .height = 1, .pixel = 1},
        .c = {.width = q.depth, .height = 1, .pixel = 9 * in},
    };
    sac_span first = sac_span_from(dy, first_inside_offset(&q));
    SAC_PASS_CALL(pass,
                  sac_tiled_columns(pass->device, tiles, first, x, nothing, dw, &pass->error));
}

/* Along one side: the pixels of x that lie `phase` after a multiple of the stride, and the taps of
 * the kernel that reach them, from the last one on. */
typedef struct phase {
    cl_uint pixels, taps;
    cl_int first;
} phase;

static phase phase_of(size_t side, size_t stride, size_t offset)
{
    phase p = {(cl_uint)sac_ceil_div(side - offset, stride), 3, 2};
    if (stride == 2) {
        p.taps = offset ? 2 : 1;
        p.first = offset ? 2 : 1;
    }
    return p;
}

/* One step of backpropagation: from the gradients of a layer's output to those of its input. */
typedef struct descent {
    const sac_convolution *layer;
    padded to;          /* dx */
    sac_span x;         /* where this is 0, ReLU passed nothing; empty: there was none */
    sac_span w, dy, dx; /* dy with its border */
} descent;

/* Every `stride`th pixel of p, `count` of them. */
static sac_grid strided_grid(const padded *p, cl_uint stride, const phase *x, const phase *y)
{
    return (sac_grid){x->pixels, y->pixels, stride * p->depth, stride * floats_per_line(p),
                      floats_per_picture(p)};
}

static size_t pixel_at(const padded *p, size_t down, size_t right)
{
    return first_inside_offset(p) + down * floats_per_line(p) + right * p->depth;
}

/* dx = windows of dy · W, for the pixels of x at (down, right) after multiples of the stride: they
 * see the same taps. */
static void compute_input_gradients(sac_pass *pass, const descent *d, size_t down, size_t right)
{
    padded p = padded_input(d->layer), q = padded_gradient(d->layer);
    cl_uint stride = (cl_uint)d->layer->stride, in = p.depth;
    cl_int step = (cl_int)(stride * in);
    phase y = phase_of(p.height, stride, down), x = phase_of(p.width, stride, right);
    sac_tiled_gemm tiles = {
        .m = q.pictures * y.pixels * x.pixels,
        .n = in,
        .k = y.taps * x.taps * q.depth,
        .span = in,
        .length = x.taps * q.depth,
        .lines = y.taps,
        .along_a = {.step = 1, .line = floats_per_line(&q)},
        .a = {x.pixels, y.pixels, q.depth, floats_per_line(&q), floats_per_picture(&q)},
        .c = strided_grid(&d->to, stride, &x, &y),
        .mask = strided_grid(&p, stride, &x, &y),
    };
    sac_packing packing = {.n = in,
                           .k = tiles.k,
                           .inners = q.depth,
                           .middles = x.taps,
                           .start = (3 * y.first + x.first) * (cl_int)in,
                           .outer = -3 * step,
                           .middle = -step,
                           .inner = 9 * (cl_int)in,
                           .column = 1};
    if (tiles.m == 0)
        return;
    SAC_PASS_CALL(pass, sac_tiled_rows(pass->device, tiles, packing, d->dy, d->w, nothing,
                                       sac_span_from(d->x, pixel_at(&p, down, right)),
                                       sac_span_from(d->dx, pixel_at(&d->to, down, right)),
                                       &pass->error));
}

void sac_convolution_begin_backward(sac_pass *pass, const sac_convolution *layer, sac_tensor slopes,
                                    sac_tensor dy, sac_tensor y)
{
    padded q = padded_gradient(layer);
    add_border(pass, &q, sac_tensor_span(dy), sac_tensor_span(y), sac_tensor_span(slopes));
}

void sac_convolution_backward(sac_pass *pass, const sac_convolution *layer,
                              const sac_convolution *below, sac_tensor dx, sac_tensor slopes,
                              sac_tensor x, const sac_parameter *w, const sac_parameter *b)
{
    padded dense = {(cl_uint)layer->batch, (cl_uint)layer->height, (cl_uint)layer->width,
                    (cl_uint)layer->in};
    descent d = {layer,
                 below ? padded_gradient(below) : dense,
                 below ? sac_tensor_span(x) : nothing,
                 sac_tensor_span(w->value),
                 sac_tensor_span(slopes),
                 sac_tensor_span(dx)};
    SAC_PASS_CALL(pass, check_layer(layer, &pass->error));
    if (!sac_pass_runs(pass) || slopes.rows == 0)
        return;
    assert(slopes.rows == sac_convolution_slopes(layer));
    assert(!layer->same || !dx.buffer);
    add_weight_gradients(pass, layer, first_window(layer, x), d.dy, sac_tensor_span(w->gradient));
    sac_sum_rows(pass, b->gradient, slopes);
    for (size_t down = 0; dx.buffer && down < layer->stride; down++)
        for (size_t right = 0; right < layer->stride; right++)
            compute_input_gradients(pass, &d, down, right);
}

/* ---------------------------------------------------------------- over time */

/* Of one group all taps of a row lie side by side. Of several each tap is a line, and rows of y do not lie together,
 * so that k cannot be cut in one product: some taps at a time are. */
void sac_time_convolution_forward(sac_pass *pass, const sac_time_convolution *l, sac_tensor y,
                                  sac_tensor x, const sac_parameter *w, const sac_parameter *b)
{
    enum { DEPTH = 512 };
    const size_t groups = l->groups ? l->groups : 1, in = l->in / groups, out = l->out / groups;
    const size_t most = groups == 1 ? l->taps : sac_ceil_div(DEPTH, in), rows = y.rows;
    assert(x.width == l->in && y.width == l->out && in * groups == l->in);
    assert(rows == 0 || x.rows >= (rows - 1) * l->step + l->taps);
    assert(sac_tensor_count(w->value) == l->out * l->taps * in);
    for (size_t g = 0; g < groups && rows; g++)
        for (size_t tap = 0; tap < l->taps; tap += most) {
            const size_t taps = l->taps - tap < most ? l->taps - tap : most;
            const bool is_line = groups == 1;
            sac_tiled_gemm tiles = {
                .m = (cl_uint)rows,
                .n = (cl_uint)out,
                .k = (cl_uint)(taps * in),
                .span = (cl_uint)out,
                .length = (cl_uint)(is_line ? taps * in : in),
                .lines = (cl_uint)(is_line ? 1 : taps),
                .along_a = {.step = 1, .line = (cl_uint)l->in},
                .accumulate = tap > 0,
                .a = {.width = (cl_uint)rows, .height = 1, .pixel = (cl_uint)(l->step * l->in)},
            };
            tiles.c = is_line ? (sac_grid){.width = tiles.m, .height = 1, .pixel = (cl_uint)out}
                              : (sac_grid){.width = 1, .height = tiles.m, .line = (cl_uint)l->out};
            const sac_packing packing = {.n = tiles.n,
                                         .k = tiles.k,
                                         .inners = tiles.k,
                                         .middles = 1,
                                         .inner = 1,
                                         .column = (cl_int)(l->taps * in)};
            const sac_span weights =
                sac_span_from(sac_tensor_span(w->value), g * out * l->taps * in + tap * in);
            const sac_span bias =
                b && tap == 0 ? sac_span_from(sac_tensor_span(b->value), g * out) : nothing;
            SAC_PASS_CALL(pass,
                          sac_tiled_rows(pass->device, tiles, packing,
                                         sac_span_from(sac_tensor_span(x), tap * l->in + g * in),
                                         weights, bias, nothing,
                                         sac_span_from(sac_tensor_span(y), g * out), &pass->error));
        }
}

/* ---------------------------------------------------------------- windows without weights */

static void run_window_kernel(sac_pass *pass, const char *kernel, size_t height, size_t width,
                              size_t down, size_t across, sac_tensor y, sac_tensor x)
{
    const cl_uint shape[8] = {(cl_uint)height, (cl_uint)width, (cl_uint)down, (cl_uint)across,
                              (cl_uint)x.width};
    sac_arg args[] = {SAC_ARG(shape), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(x.rows == height * width && y.rows == down * across && x.width == y.width);
    sac_pass_items(pass, "windows", kernel, args, 5, sac_tensor_count(y));
}

void sac_max_windows(sac_pass *pass, size_t height, size_t width, sac_tensor y, sac_tensor x)
{
    run_window_kernel(pass, "max_windows", height, width, sac_ceil_div(height, 2),
                      sac_ceil_div(width, 2), y, x);
}

void sac_mean_windows(sac_pass *pass, size_t height, size_t width, size_t side, sac_tensor y,
                      sac_tensor x)
{
    run_window_kernel(pass, "mean_windows", height, width, side, side, y, x);
}

/* ---------------------------------------------------------------- depthwise */

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

static shape shape_of(const sac_depthwise *l)
{
    return (shape){.height = (cl_uint)l->height,
                   .width = (cl_uint)l->width,
                   .channels = (cl_uint)l->channels,
                   .down = (cl_uint)sac_ceil_div(l->height, l->stride),
                   .across = (cl_uint)sac_ceil_div(l->width, l->stride),
                   .above = (cl_uint)zeros_before(l->height, l->taps, l->stride),
                   .left = (cl_uint)zeros_before(l->width, l->taps, l->stride),
                   .ceiling = l->ceiling};
}

/* Channels of a group, where `rows` groups take all of them. */
static cl_uint channels_per_group(const sac_pass *pass, const sac_depthwise *l, size_t rows)
{
    size_t pieces = sac_ceil_div(pass->device->info.compute_units * GROUPS_PER_UNIT, rows);
    size_t least = pass->device->profile.is_cpu ? LEAST : MOST;
    return (cl_uint)sac_round_up(sac_ceil_div(l->channels, pieces), least);
}

/* Gradients are another program, and so are few channels, whose vectors are cut: captioning a
 * photograph does not wait for them to be compiled. */
static void format_options(size_t taps, size_t stride, bool narrow, bool backward, char *options,
                           size_t size)
{
    snprintf(options, size, " -DTAPS=%zu -DSTRIDE=%zu -DNARROW=%d -DBACKWARD=%d", taps, stride,
             narrow, backward);
}

void sac_depthwise_expect(sac_device *device, size_t taps, size_t stride)
{
    char options[80];
    format_options(taps, stride, false, false, options, sizeof options);
    sac_launch_groups_expect(device, "depthwise", options, true);
}

/* `rows`: groups for each `each` channels. */
static void launch(sac_pass *pass, const sac_depthwise *l, const char *kernel, size_t each,
                   const sac_arg *args, int arg_count, size_t rows)
{
    char options[80];
    assert(l->taps % 2 == 1 && (l->stride == 1 || l->stride == 2));
    format_options(l->taps, l->stride, l->channels < pass->device->profile.vector_width,
                   strcmp(kernel, "forward") != 0, options, sizeof options);
    sac_pass_groups(pass, "depthwise", options, kernel, args, arg_count,
                    rows * sac_ceil_div(l->channels, each));
}

void sac_depthwise_forward(sac_pass *pass, const sac_depthwise *l, sac_tensor y, sac_tensor x,
                           const sac_parameter *w, const sac_parameter *b)
{
    shape s = shape_of(l);
    size_t rows = l->batch * sac_ceil_div(s.down, DOWN);
    s.each = channels_per_group(pass, l, rows);
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
    s.each = channels_per_group(pass, l, rows);
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
