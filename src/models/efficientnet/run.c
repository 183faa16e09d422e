/* A batch through the network, forward and backward. Parts that stay as they are share the memory
 * of what they compute; those that learn keep theirs for the backward pass. */
#include "base/round.h"
#include "efficientnet/efficientnet.h"
#include "gemm/gemm_selftest.h"
#include "images/resample.h"
#include "nn/layers.h"

static const float RELU6 = 6;

typedef sac_efficientnet_block block;
typedef sac_efficientnet_activations activations;
typedef sac_efficientnet_run run;

static const block *block_of(const sac_efficientnet *net, int part)
{
    return &net->shape.block[part - 1];
}

static int head_part_index(const sac_efficientnet *net)
{
    return net->shape.blocks + 1;
}

/* The side of what comes into a part. */
static size_t input_side(const sac_efficientnet_shape *shape, int part)
{
    size_t side = shape->side;
    for (int i = 0; i < part; i++)
        side = sac_ceil_div(side, i == 0 ? 2 : shape->block[i - 1].stride);
    return side;
}

/* The pixels, and the channels, that come into a part after the stem. */
static size_t input_pixel_count(const sac_efficientnet *net, const run *r, int part)
{
    size_t side = input_side(&net->shape, part);
    return r->batch * side * side;
}

static size_t input_channels(const sac_efficientnet_shape *shape, int part)
{
    return part == 0              ? 3
           : part > shape->blocks ? shape->block[part - 2].out
                                  : shape->block[part - 1].in;
}

size_t sac_efficientnet_input_size(const sac_efficientnet_shape *shape, int part)
{
    size_t side = input_side(shape, part);
    return side * side * input_channels(shape, part);
}

/* The first part after the stem that runs. */
static int first_run_part(const run *r)
{
    return r->first ? r->first : 1;
}

static bool learns(const sac_efficientnet *net, int part)
{
    return net->owner[part]->gradients.buffer != NULL;
}

static bool expands(const block *b)
{
    return b->expanded != b->in;
}

static bool is_residual(const block *b)
{
    return b->stride == 1 && b->in == b->out;
}

static sac_convolution stem_of(const sac_efficientnet *net, const run *r)
{
    return (sac_convolution){.batch = r->batch,
                             .height = net->shape.side,
                             .width = net->shape.side,
                             .in = 3,
                             .out = net->shape.stem,
                             .stride = 2,
                             .same = true,
                             .ceiling = RELU6};
}

static sac_depthwise depthwise_of(const sac_efficientnet *net, const run *r, int part)
{
    const block *b = block_of(net, part);
    size_t side = input_side(&net->shape, part);
    return (sac_depthwise){r->batch, side, side, b->expanded, b->taps, b->stride, RELU6};
}

/* ---------------------------------------------------------------- memory */

/* The most floats of what comes into a part, and into the layers of a block after its first. */
typedef struct most {
    size_t narrow, wide;
} most;

static most largest_sizes(const sac_efficientnet *net, const run *r, bool of_those_that_learn)
{
    most m = {0, 0};
    for (int part = first_run_part(r); part <= head_part_index(net); part++) {
        if (learns(net, part) != of_those_that_learn)
            continue;
        m.narrow = sac_larger(m.narrow,
                              input_pixel_count(net, r, part) * input_channels(&net->shape, part));
        if (part < head_part_index(net)) {
            size_t after = input_pixel_count(net, r, part + 1);
            const block *b = block_of(net, part);
            m.narrow = sac_larger(m.narrow, after * b->out);
            m.wide = sac_larger(m.wide, b->expanded *
                                            (expands(b) ? input_pixel_count(net, r, part) : after));
        }
    }
    return m;
}

static void shape_shared_memory(const sac_efficientnet *net, sac_pass *pass, run *r,
                                bool of_those_that_learn, sac_tensor narrow[2], sac_tensor wide[2])
{
    most m = largest_sizes(net, r, of_those_that_learn);
    for (int i = 0; i < 2; i++) {
        sac_arena_shape(&r->arena, pass, &narrow[i], 1, m.narrow);
        sac_arena_shape(&r->arena, pass, &wide[i], 1, m.wide);
    }
}

/* Gives x its shape, in memory of its own or in what parts share. */
static void place_tensor(run *r, sac_pass *pass, sac_tensor *x, bool is_kept, sac_tensor shared,
                         size_t rows, size_t width)
{
    if (is_kept)
        sac_arena_shape(&r->arena, pass, x, rows, width);
    else
        *x = sac_tensor_shaped(shared, rows, width);
}

/* A block that stays as it is adds to its input where that lies. */
static void place_parts(const sac_efficientnet *net, sac_pass *pass, run *r)
{
    int turn = 0;
    for (int part = first_run_part(r); part <= head_part_index(net); part++) {
        activations *a = &r->part[part];
        bool is_kept = learns(net, part);
        size_t pixels = input_pixel_count(net, r, part);
        if (part > first_run_part(r) && !is_residual(block_of(net, part - 1)))
            turn = 1 - turn;
        place_tensor(r, pass, &a->x, is_kept, r->narrow[turn], pixels,
                     input_channels(&net->shape, part));
        if (part == head_part_index(net))
            return;
        const block *b = block_of(net, part);
        if (expands(b))
            place_tensor(r, pass, &a->expanded, is_kept, r->wide[0], pixels, b->expanded);
        place_tensor(r, pass, &a->deep, is_kept, r->wide[1], input_pixel_count(net, r, part + 1),
                     b->expanded);
    }
}

void sac_efficientnet_prepare(const sac_efficientnet *net, sac_pass *pass, run *r, size_t batch)
{
    int head = head_part_index(net);
    if (batch > r->most) {
        int first = r->first;
        sac_efficientnet_release(r);
        r->first = first;
        r->most = batch;
    }
    r->batch = batch;
    sac_convolution stem = stem_of(net, r);
    size_t cells = input_pixel_count(net, r, head);
    if (!r->first)
        sac_arena_shape(&r->arena, pass, &r->pictures, sac_convolution_pixels(&stem), stem.in);
    sac_arena_shape(&r->arena, pass, &r->cells, cells, net->shape.head);
    shape_shared_memory(net, pass, r, false, r->narrow, r->wide);
    place_parts(net, pass, r);
    if (!learns(net, head))
        return;
    sac_arena_shape(&r->arena, pass, &r->dcells, cells, net->shape.head);
    shape_shared_memory(net, pass, r, true, r->dnarrow, r->dwide);
    if (learns(net, 0) && !r->first)
        sac_arena_shape(&r->arena, pass, &r->slopes, sac_convolution_slopes(&stem), stem.out);
}

void sac_efficientnet_release(run *r)
{
    sac_arena_release(&r->arena);
    *r = (run){0};
}

/* ---------------------------------------------------------------- forward */

/* Packs the weights of a part's products, unless they are packed or change all the time. False: it
 * has none that are. */
static bool pack(const sac_efficientnet *net, sac_pass *pass, run *r, int part)
{
    const sac_efficientnet_layers *w = &net->block[part - 1];
    const sac_parameter *weights[2] = {part == head_part_index(net) ? net->head.weight
                                                                    : w->expand.weight,
                                       part == head_part_index(net) ? NULL : w->project.weight};
    if (learns(net, part) || sac_gemm_first_backend(pass->device) != SAC_GEMM_TILED)
        return false;
    if (r->packed[part] == net->owner[part]->changes + 1)
        return true;
    for (int i = 0; i < 2; i++)
        if (weights[i]) {
            sac_arena_shape(&r->arena, pass, &r->panels[part][i], 1,
                            sac_linear_panels(pass, weights[i]));
            sac_linear_pack(pass, r->panels[part][i], weights[i]);
        }
    r->packed[part] = net->owner[part]->changes + 1;
    return true;
}

static void multiply(sac_pass *pass, bool is_packed, sac_tensor panels,
                     const sac_efficientnet_layer *layer, sac_tensor y, sac_tensor x, bool adds,
                     float ceiling)
{
    if (is_packed)
        sac_linear_infer(pass, y, x, panels, layer->bias, adds, ceiling);
    else
        sac_linear_bounded(pass, y, x, layer->weight, layer->bias, adds, ceiling);
}

void sac_efficientnet_write(const sac_efficientnet *net, sac_pass *pass, run *r,
                            const float *pixels)
{
    sac_convolution stem = stem_of(net, r);
    if (r->first)
        sac_pass_write(pass, r->part[r->first].x, pixels);
    else
        sac_convolution_write(pass, &stem, r->pictures, pixels);
}

static void block_forward(const sac_efficientnet *net, sac_pass *pass, run *r, int part)
{
    const block *b = block_of(net, part);
    const sac_efficientnet_layers *w = &net->block[part - 1];
    const activations *a = &r->part[part];
    const sac_tensor *panels = r->panels[part];
    sac_tensor y = r->part[part + 1].x;
    bool is_packed = pack(net, pass, r, part);
    sac_depthwise depthwise = depthwise_of(net, r, part);
    if (expands(b))
        multiply(pass, is_packed, panels[0], &w->expand, a->expanded, a->x, false, RELU6);
    sac_depthwise_forward(pass, &depthwise, a->deep, expands(b) ? a->expanded : a->x,
                          w->depthwise.weight, w->depthwise.bias);
    if (is_residual(b) && y.buffer != a->x.buffer)
        sac_pass_copy(pass, y, a->x);
    multiply(pass, is_packed, panels[1], &w->project, y, a->deep, is_residual(b), 0);
}

void sac_efficientnet_expect(sac_device *device)
{
    for (size_t taps = 3; taps <= 5; taps += 2)
        for (size_t stride = 1; stride <= 2; stride++)
            sac_depthwise_expect(device, taps, stride);
}

void sac_efficientnet_forward(const sac_efficientnet *net, sac_pass *pass, run *r)
{
    int head = head_part_index(net);
    sac_efficientnet_forward_to(net, pass, r, head);
    bool is_packed = pack(net, pass, r, head);
    multiply(pass, is_packed, r->panels[head][0], &net->head, r->cells, r->part[head].x, false,
             RELU6);
}

void sac_efficientnet_forward_to(const sac_efficientnet *net, sac_pass *pass, run *r, int end)
{
    sac_convolution stem = stem_of(net, r);
    if (!r->first)
        sac_convolution_forward(pass, &stem, r->part[1].x, false, r->pictures, net->stem.weight,
                                net->stem.bias);
    for (int part = first_run_part(r); part < end; part++)
        block_forward(net, pass, r, part);
}

/* ---------------------------------------------------------------- backward */

/* What goes to the part before: memory other than dy's, or none where that part does not learn. */
static sac_tensor gradient_for_part_before(const sac_efficientnet *net, const run *r, int part,
                                           sac_tensor dy)
{
    sac_tensor x = r->part[part].x, to = r->dnarrow[dy.buffer == r->dnarrow[0].buffer];
    return learns(net, part - 1) ? sac_tensor_shaped(to, x.rows, x.width) : (sac_tensor){0};
}

/* dy → dx, the result; dy is written over. */
static sac_tensor block_backward(const sac_efficientnet *net, sac_pass *pass, const run *r,
                                 int part, sac_tensor dy)
{
    const block *b = block_of(net, part);
    const sac_efficientnet_layers *w = &net->block[part - 1];
    const activations *a = &r->part[part];
    sac_depthwise depthwise = depthwise_of(net, r, part);
    sac_tensor ddeep = sac_tensor_shaped(r->dwide[0], a->deep.rows, a->deep.width);
    sac_tensor dx = gradient_for_part_before(net, r, part, dy);
    sac_linear_backward_weights(pass, dy, a->deep, w->project.weight, w->project.bias);
    sac_linear_backward_input(pass, ddeep, dy, w->project.weight);
    sac_relu6_backward(pass, ddeep, a->deep);
    sac_depthwise_backward_weights(pass, &depthwise, ddeep, expands(b) ? a->expanded : a->x,
                                   w->depthwise.weight, w->depthwise.bias);
    if (expands(b)) {
        sac_tensor dexpanded = sac_tensor_shaped(r->dwide[1], a->expanded.rows, a->expanded.width);
        sac_depthwise_backward_input(pass, &depthwise, dexpanded, ddeep, w->depthwise.weight);
        sac_relu6_backward(pass, dexpanded, a->expanded);
        sac_linear_backward_weights(pass, dexpanded, a->x, w->expand.weight, w->expand.bias);
        if (dx.buffer)
            sac_linear_backward_input(pass, dx, dexpanded, w->expand.weight);
    } else if (dx.buffer) {
        sac_depthwise_backward_input(pass, &depthwise, dx, ddeep, w->depthwise.weight);
    }
    if (dx.buffer && is_residual(b))
        sac_add(pass, dx, dy);
    return dx;
}

void sac_efficientnet_backward(const sac_efficientnet *net, sac_pass *pass, run *r)
{
    int head = head_part_index(net);
    if (!learns(net, head))
        return;
    sac_relu6_backward(pass, r->dcells, r->cells);
    sac_linear_backward_weights(pass, r->dcells, r->part[head].x, net->head.weight, net->head.bias);
    sac_tensor dy = gradient_for_part_before(net, r, head, r->dcells);
    if (dy.buffer)
        sac_linear_backward_input(pass, dy, r->dcells, net->head.weight);
    for (int part = head - 1; part >= first_run_part(r) && dy.buffer; part--)
        dy = block_backward(net, pass, r, part, dy);
    if (!dy.buffer || r->first)
        return;
    sac_convolution stem = stem_of(net, r);
    sac_relu6_backward(pass, dy, r->part[1].x);
    sac_convolution_begin_backward(pass, &stem, r->slopes, dy, r->part[1].x);
    sac_convolution_backward(pass, &stem, NULL, (sac_tensor){0}, r->slopes, r->pictures,
                             net->stem.weight, net->stem.bias);
}

/* ---------------------------------------------------------------- of pictures */

sac_status sac_efficientnet_square(const sac_image *image, size_t detail, size_t side,
                                   sac_image *square, sac_error *error)
{
    sac_image small = {0};
    sac_status status = SAC_OK;
    if (detail)
        status = sac_resample(image, (int)detail, (int)detail, SAC_RESAMPLE_BICUBIC, &small, error);
    if (status == SAC_OK)
        status = sac_resample(detail ? &small : image, (int)side, (int)side, SAC_RESAMPLE_BICUBIC,
                              square, error);
    sac_image_free(&small);
    return status;
}

void sac_efficientnet_pixels(const uint8_t *rgba, size_t count, float *pixels)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            pixels[3 * i + k] = ((float)rgba[4 * i + k] - 127) / 128;
}

sac_status sac_efficientnet_image_pixels(const sac_image *image, size_t detail, size_t side,
                                         float *pixels, sac_error *error)
{
    sac_image square = {0};
    sac_status status = sac_efficientnet_square(image, detail, side, &square, error);
    if (status == SAC_OK)
        sac_efficientnet_pixels(square.rgba, side * side, pixels);
    sac_image_free(&square);
    return status;
}
