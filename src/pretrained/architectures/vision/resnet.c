/* Batch norms have fixed statistics at inference, and are folded into the convolutions before them.
 * The residual sum of a block is part of its last matrix product. */
#include "architectures/architecture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/load_tensors.h"
#include "base/activity.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/round.h"
#include "nn/layers.h"

#define EPSILON 1e-5f /* of torch.nn.BatchNorm2d */

enum { BLOCKS = 128, CHANNELS = 1 << 14, FIRST_STAGE = 4, LAST_STAGE = 7, NAME = 64 };

typedef struct filter {
    size_t in, out, taps, stride;
    sac_tensor panels, bias; /* no buffer: there is no such filter */
} filter;

typedef struct block {
    filter narrow, window, widen;
    filter shortcut; /* none: what comes is added as it is */
} block;

struct sac_resnet {
    sac_arena arena;
    filter first;
    int count;
    block block[BLOCKS];
};

/* ---------------------------------------------------------------- loading */

typedef struct loader {
    const sac_pretrained *files;
    const char *prefix;
    sac_pass *pass;
    sac_resnet *net;
    sac_error *error;
} loader;

static const sac_array *find(const loader *l, const char *layer)
{
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s%s.weight", l->prefix, layer);
    return sac_pretrained_find(l->files, name);
}

/* The file gives the number of output channels; those of the input and the window are known. */
static sac_status read_shape(const loader *l, const char *layer, filter *f, size_t shape[4])
{
    char text[80];
    const sac_array *found = find(l, layer);
    f->out = found && found->rank == 4 ? found->shape[0] : 1;
    const size_t expected[] = {f->out, f->in, f->taps, f->taps};
    memcpy(shape, expected, sizeof expected);
    if (!found)
        return SAC_OK; /* whoever reads its numbers tells */
    if (found->rank == 4 && f->out >= 1 && f->out <= CHANNELS &&
        memcmp(found->shape, expected, sizeof expected) == 0)
        return SAC_OK;
    return sac_fail(l->error, SAC_E_SHAPE, sac_pretrained_weights_name(l->files),
                    "give an encoder of bottlenecks",
                    "\"%s%s.weight\" is %s, and %zu channels come to its windows of %zu x %zu",
                    l->prefix, layer, sac_array_shape_text(found, text, sizeof text), f->in,
                    f->taps, f->taps);
}

/* Reads a batch norm as x ← scale · x + shift. */
static sac_status read_norm(const loader *l, const char *layer, size_t count, float *scale,
                            float *shift)
{
    static const char *const kinds[] = {"weight", "bias", "running_mean", "running_var"};
    float *part[4] = {0};
    sac_status status = SAC_OK;
    for (int i = 0; i < 4 && status == SAC_OK; i++) {
        char name[2 * NAME];
        snprintf(name, sizeof name, "%s.%s", layer, kinds[i]);
        status = sac_pretrained_floats(l->files, l->prefix, name, 1, &count, &part[i], l->error);
    }
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        scale[i] = part[0][i] / sqrtf(part[3][i] + EPSILON);
        shift[i] = part[1][i] - scale[i] * part[2][i];
    }
    for (int i = 0; i < 4; i++)
        free(part[i]);
    return status;
}

/* [out,in,taps²] → [out,taps²,in], each of the out times its scale. False: some are no numbers. */
static bool fold(const filter *f, const float *weights, const float *scale, const float *shift,
                 float *folded)
{
    size_t taps = f->taps * f->taps;
    bool are_numbers = true;
    for (size_t o = 0; o < f->out; o++, weights += taps * f->in, folded += taps * f->in) {
        for (size_t i = 0; i < f->in; i++)
            for (size_t tap = 0; tap < taps; tap++) {
                float x = weights[i * taps + tap] * scale[o];
                folded[tap * f->in + i] = x;
                are_numbers = are_numbers && isfinite(x);
            }
        are_numbers = are_numbers && isfinite(shift[o]);
    }
    return are_numbers;
}

static sac_status put(const loader *l, filter *f, const float *folded, const float *shift)
{
    sac_pass *pass = l->pass;
    sac_arena meanwhile = {0};
    sac_parameter weights = {0};
    const sac_convolution layer = {.in = f->in, .out = f->out, .taps = f->taps};
    sac_arena_shape(&meanwhile, pass, &weights.value, f->out, f->taps * f->taps * f->in);
    sac_arena_shape(&l->net->arena, pass, &f->panels, 1, sac_convolution_panels(pass, &layer));
    sac_arena_shape(&l->net->arena, pass, &f->bias, 1, f->out);
    sac_pass_write(pass, weights.value, folded);
    sac_pass_write(pass, f->bias, shift);
    sac_convolution_pack(pass, &layer, f->panels, &weights);
    sac_status status = sac_pass_end(pass, l->error);
    sac_arena_release(&meanwhile);
    return status;
}

/* Loads a convolution and the norm after it. */
static sac_status load(const loader *l, const char *layer, const char *norm, filter *f)
{
    size_t shape[4];
    char name[2 * NAME];
    float *weights = NULL;
    sac_status status = sac_cancel_check(layer, l->error);
    if (status == SAC_OK)
        status = read_shape(l, layer, f, shape);
    snprintf(name, sizeof name, "%s.weight", layer);
    if (status == SAC_OK)
        status = sac_pretrained_floats(l->files, l->prefix, name, 4, shape, &weights, l->error);
    if (status != SAC_OK)
        return status;
    size_t count = f->out * f->taps * f->taps * f->in;
    float *folded = malloc((count + 2 * f->out) * sizeof *folded);
    if (!folded)
        status = sac_no_memory(l->error, layer);
    float *scale = folded + count, *shift = scale + f->out;
    if (status == SAC_OK)
        status = read_norm(l, norm, f->out, scale, shift);
    if (status == SAC_OK && !fold(f, weights, scale, shift, folded))
        status =
            sac_fail(l->error, SAC_E_VALUE, sac_pretrained_weights_name(l->files),
                     "take a copy that is not damaged",
                     "\"%s%s\" and the norm after it are not finite; the weights may be corrupt",
                     l->prefix, name);
    if (status == SAC_OK)
        status = put(l, f, folded, shift);
    sac_pretrained_forget(find(l, layer)); /* the file's own copy is not read again */
    free(folded);
    free(weights);
    return status;
}

static sac_status load_part(const loader *l, const char *of_block, const char *layer,
                            const char *norm, filter *f)
{
    char layer_name[NAME], norm_name[NAME];
    snprintf(layer_name, sizeof layer_name, "%s.%s", of_block, layer);
    snprintf(norm_name, sizeof norm_name, "%s.%s", of_block, norm);
    return load(l, layer_name, norm_name, f);
}

/* Loads block `index` of a stage, with `in` input channels. */
static sac_status load_block(const loader *l, int stage, int index, size_t in, block *b)
{
    char name[NAME / 2], shortcut[NAME];
    size_t stride = stage > FIRST_STAGE && index == 0 ? 2 : 1;
    snprintf(name, sizeof name, "%d.%d", stage, index);
    snprintf(shortcut, sizeof shortcut, "%s.downsample.0", name);
    b->narrow = (filter){.in = in, .taps = 1, .stride = 1};
    sac_status status = load_part(l, name, "conv1", "bn1", &b->narrow);
    b->window = (filter){.in = b->narrow.out, .taps = 3, .stride = stride};
    if (status == SAC_OK)
        status = load_part(l, name, "conv2", "bn2", &b->window);
    b->widen = (filter){.in = b->window.out, .taps = 1, .stride = 1};
    if (status == SAC_OK)
        status = load_part(l, name, "conv3", "bn3", &b->widen);
    b->shortcut = (filter){.in = in, .taps = 1, .stride = stride};
    if (status == SAC_OK && (stride > 1 || find(l, shortcut)))
        status = load_part(l, name, "downsample.0", "downsample.1", &b->shortcut);
    size_t added = b->shortcut.panels.buffer ? b->shortcut.out : in;
    if (status == SAC_OK && added != b->widen.out)
        status = sac_fail(l->error, SAC_E_SHAPE, sac_pretrained_weights_name(l->files), NULL,
                          "\"%s%s.conv3.weight\" gives %zu channels, which are added to %zu",
                          l->prefix, name, b->widen.out, added);
    return status;
}

static sac_status load_all(const loader *l)
{
    sac_resnet *net = l->net;
    net->first = (filter){.in = 3, .taps = 7, .stride = 2};
    sac_status status = load(l, "0", "1", &net->first);
    for (int stage = FIRST_STAGE; stage <= LAST_STAGE; stage++)
        for (int i = 0; status == SAC_OK; i++) {
            char name[NAME];
            snprintf(name, sizeof name, "%d.%d.conv1", stage, i);
            if (i > 0 && !find(l, name))
                break;
            if (net->count == BLOCKS)
                return sac_fail(l->error, SAC_E_FORMAT, sac_pretrained_weights_name(l->files), NULL,
                                "its encoder has over %d blocks", BLOCKS);
            status = load_block(l, stage, i, sac_resnet_width(net), &net->block[net->count]);
            net->count++;
        }
    return status;
}

sac_status sac_resnet_create(const sac_pretrained *files, const char *prefix, sac_pass *pass,
                             sac_resnet **made, sac_error *error)
{
    sac_resnet *net = *made = calloc(1, sizeof *net);
    if (!net)
        return sac_no_memory(error, prefix);
    const loader l = {files, prefix, pass, net, error};
    sac_activity_begin("loading a residual network");
    sac_status status = load_all(&l);
    sac_activity_end();
    if (status == SAC_OK)
        return SAC_OK;
    sac_resnet_destroy(net);
    *made = NULL;
    return status;
}

void sac_resnet_destroy(sac_resnet *net)
{
    if (!net)
        return;
    sac_arena_release(&net->arena);
    free(net);
}

size_t sac_resnet_width(const sac_resnet *net)
{
    return net->count ? net->block[net->count - 1].widen.out : net->first.out;
}

/* ---------------------------------------------------------------- seeing */

/* The feature map between two layers. */
typedef struct picture {
    sac_tensor x; /* [height·width,channels] */
    size_t height, width;
} picture;

typedef struct run {
    const sac_resnet *net;
    sac_pass *pass;
    sac_arena arena;
    sac_tensor input, narrow, window; /* memory for the largest of each, … */
    sac_tensor sum[2];                /* … and for what goes from block to block, in turns */
} run;

typedef enum sum_kind { SUM_BENT, SUM_LINEAR, SUM_ADDED } sum_kind;

static picture convolve(run *r, const filter *f, picture from, sac_tensor memory, sum_kind kind)
{
    const sac_convolution layer = {1,
                                   from.height,
                                   from.width,
                                   f->in,
                                   f->out,
                                   f->stride,
                                   .taps = f->taps,
                                   .adds = kind == SUM_ADDED,
                                   .linear = kind == SUM_LINEAR};
    const sac_parameter bias = {.value = f->bias};
    picture to = {.height = sac_convolution_out(from.height, f->stride),
                  .width = sac_convolution_out(from.width, f->stride)};
    to.x = sac_tensor_shaped(memory, to.height * to.width, f->out);
    sac_convolution_apply(r->pass, &layer, to.x, from.x, f->panels, &bias);
    return to;
}

static picture find_largest(run *r, picture from)
{
    picture to = {.height = sac_convolution_out(from.height, 2),
                  .width = sac_convolution_out(from.width, 2)};
    to.x = sac_tensor_shaped(r->sum[0], to.height * to.width, from.x.width);
    sac_max_windows(r->pass, from.height, from.width, to.x, from.x);
    return to;
}

static picture run_block(run *r, const block *b, picture from)
{
    SAC_PASS_CALL(r->pass, sac_cancel_check("picture", &r->pass->error));
    picture narrow = convolve(r, &b->narrow, from, r->narrow, SUM_BENT);
    picture window = convolve(r, &b->window, narrow, r->window, SUM_BENT);
    picture sum = from;
    if (b->shortcut.panels.buffer) {
        sac_tensor other = from.x.buffer == r->sum[0].buffer ? r->sum[1] : r->sum[0];
        sum = convolve(r, &b->shortcut, from, other, SUM_LINEAR);
    }
    return convolve(r, &b->widen, window, sum.x, SUM_ADDED);
}

/* Allocates memory for pictures of that size. */
static void reserve(run *r, size_t height, size_t width)
{
    const sac_resnet *net = r->net;
    size_t narrow = 0, pixels = height * width, window, sum;
    sac_arena_shape(&r->arena, r->pass, &r->input, pixels, 3);
    height = sac_convolution_out(height, 2);
    width = sac_convolution_out(width, 2);
    window = height * width * net->first.out; /* the first layer's result is there, too */
    height = sac_convolution_out(height, 2);
    width = sac_convolution_out(width, 2);
    sum = height * width * net->first.out;
    for (int i = 0; i < net->count; i++) {
        const block *b = &net->block[i];
        narrow = sac_larger(narrow, height * width * b->narrow.out);
        height = sac_convolution_out(height, b->window.stride);
        width = sac_convolution_out(width, b->window.stride);
        window = sac_larger(window, height * width * b->window.out);
        sum = sac_larger(sum, height * width * b->widen.out);
    }
    sac_arena_shape(&r->arena, r->pass, &r->narrow, 1, narrow);
    sac_arena_shape(&r->arena, r->pass, &r->window, 1, window);
    for (int i = 0; i < 2; i++)
        sac_arena_shape(&r->arena, r->pass, &r->sum[i], 1, sum);
}

sac_status sac_resnet_see(const sac_resnet *net, sac_pass *pass, const float *pixels, size_t height,
                          size_t width, size_t cells, float *features, sac_error *error)
{
    run r = {.net = net, .pass = pass};
    /* Converts planes of colours to pixels of three values. */
    size_t count = height * width;
    float *rows = malloc(3 * count * sizeof *rows);
    for (size_t i = 0; rows && i < 3 * count; i++)
        rows[i] = pixels[i % 3 * count + i / 3];
    if (!rows)
        return sac_no_memory(error, "picture");
    sac_tensor means = {0};
    reserve(&r, height, width);
    sac_arena_shape(&r.arena, r.pass, &means, cells * cells, sac_resnet_width(r.net));
    sac_pass_write(r.pass, r.input, rows);
    picture p = {r.input, height, width};
    p = find_largest(&r, convolve(&r, &r.net->first, p, r.window, SUM_BENT));
    for (int i = 0; i < r.net->count; i++)
        p = run_block(&r, &r.net->block[i], p);
    sac_mean_windows(r.pass, p.height, p.width, cells, means, p.x);
    sac_pass_read(r.pass, means, features);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&r.arena);
    free(rows);
    return status;
}
