/* Residual networks of torchvision, of timm and of transformers. Batch norms have fixed statistics at inference, and are folded into the convolutions before them.
 * The residual sum of a block is part of its last matrix product. */
#include "architectures/architecture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/config_keys.h"
#include "architectures/load_tensors.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/round.h"
#include "nn/layers.h"

#define EPSILON 1e-5f /* of torch.nn.BatchNorm2d */

enum { BLOCKS = 128, CHANNELS = 1 << 14, NAME = 64 };

typedef struct block {
    sac_filter part[3]; /* of a bottleneck 1 × 1, 3 × 3, 1 × 1; of a basic block two of 3 × 3 */
    int parts;
    sac_filter shortcut; /* none: what comes is added as it is */
} block;

static const sac_filter *last_of(const block *b)
{
    return &b->part[b->parts - 1];
}

struct sac_resnet {
    sac_arena arena;
    sac_filter stem[3];
    int stems, count;
    block block[BLOCKS];
    int end[SAC_RESNET_STAGES]; /* blocks up to that of each stage */
};

/* ---------------------------------------------------------------- loading */

/* The layers' names without .weight and the like. */
typedef struct names {
    const char *stem, *stem_norm;
    const char *block;                                   /* of a stage and a block, … */
    int stage, part;                                     /* … where they count from */
    const char *layer, *norm, *shortcut, *shortcut_norm; /* of a block */
} names;

static const names of_torchvision = {.stem = "0",
                                     .stem_norm = "1",
                                     .block = "%d.%d",
                                     .stage = 4,
                                     .part = 1,
                                     .layer = "conv%d",
                                     .norm = "bn%d",
                                     .shortcut = "downsample.0",
                                     .shortcut_norm = "downsample.1"};
static const names of_timm = {.stem = "conv1",
                              .stem_norm = "bn1",
                              .block = "layer%d.%d",
                              .stage = 1,
                              .part = 1,
                              .layer = "conv%d",
                              .norm = "bn%d",
                              .shortcut = "downsample.0",
                              .shortcut_norm = "downsample.1"};
static const names of_transformers = {.stem = "embedder.embedder.convolution",
                                      .stem_norm = "embedder.embedder.normalization",
                                      .block = "encoder.stages.%d.layers.%d",
                                      .layer = "layer.%d.convolution",
                                      .norm = "layer.%d.normalization",
                                      .shortcut = "shortcut.convolution",
                                      .shortcut_norm = "shortcut.normalization"};

typedef struct loader {
    sac_filter_source from;
    const sac_resnet_layout *layout; /* NULL: torchvision's */
    bool counts; /* the layout has the number of blocks, and not the names of tensors */
    const names *names;
    sac_resnet *net;
} loader;

static const sac_array *find(const sac_filter_source *l, const char *layer)
{
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s%s.weight", l->prefix, layer);
    return sac_pretrained_find(l->files, name);
}

/* The file gives the number of output channels; those of the input and the window are known. */
static sac_status read_shape(const sac_filter_source *l, const char *layer, sac_filter *f,
                             size_t shape[4])
{
    char text[80];
    const sac_array *found = find(l, layer);
    f->out = found && found->rank == 4 ? found->shape[0] : 1;
    const size_t expected[] = {f->out, f->in, f->taps, f->taps};
    memcpy(shape, expected, sizeof expected);
    if (!found)
        return SAC_OK; /* the reader of its numbers reports it */
    if (found->rank == 4 && f->out >= 1 && f->out <= CHANNELS &&
        memcmp(found->shape, expected, sizeof expected) == 0)
        return SAC_OK;
    return sac_fail(l->error, SAC_E_SHAPE, sac_pretrained_weights_name(l->files), l->remedy,
                    "\"%s%s.weight\" is %s, and %zu channels come to its windows of %zu x %zu",
                    l->prefix, layer, sac_array_shape_text(found, text, sizeof text), f->in,
                    f->taps, f->taps);
}

/* Reads a batch norm as x ← scale · x + shift. */
static sac_status read_norm(const sac_filter_source *l, const char *layer, size_t count,
                            float *scale, float *shift)
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
static bool fold_norm_into_weights(const sac_filter *f, const float *weights, const float *scale,
                                   const float *shift, float *folded)
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

static sac_status upload_filter(const sac_filter_source *l, sac_filter *f, const float *folded,
                                const float *shift)
{
    sac_pass *pass = l->pass;
    sac_arena meanwhile = {0};
    sac_parameter weights = {0};
    const sac_convolution layer = {.in = f->in, .out = f->out, .taps = f->taps};
    sac_arena_shape(&meanwhile, pass, &weights.value, f->out, f->taps * f->taps * f->in);
    sac_arena_shape(l->arena, pass, &f->panels, 1, sac_convolution_panels(pass, &layer));
    sac_arena_shape(l->arena, pass, &f->bias, 1, f->out);
    sac_pass_write(pass, weights.value, folded);
    sac_pass_write(pass, f->bias, shift);
    sac_convolution_pack(pass, &layer, f->panels, &weights);
    sac_status status = sac_pass_end(pass, l->error);
    sac_arena_release(&meanwhile);
    return status;
}

/* *folded [out,taps²,in] and behind it the shift [out]: a convolution with the norm after it; free() it. */
static sac_status fold(const sac_filter_source *l, const char *layer, const char *norm,
                       sac_filter *f, float **folded)
{
    size_t shape[4];
    char name[2 * NAME];
    float *weights = NULL;
    *folded = NULL;
    sac_status status = sac_cancel_check(layer, l->error);
    if (status == SAC_OK)
        status = read_shape(l, layer, f, shape);
    snprintf(name, sizeof name, "%s.weight", layer);
    if (status == SAC_OK)
        status = sac_pretrained_floats(l->files, l->prefix, name, 4, shape, &weights, l->error);
    if (status != SAC_OK)
        return status;
    size_t count = f->out * f->taps * f->taps * f->in;
    *folded = malloc((count + 2 * f->out) * sizeof **folded);
    if (!*folded)
        status = sac_no_memory(l->error, layer);
    float *shift = *folded + count, *scale = shift + f->out;
    if (status == SAC_OK)
        status = read_norm(l, norm, f->out, scale, shift);
    if (status == SAC_OK && !fold_norm_into_weights(f, weights, scale, shift, *folded))
        status =
            sac_fail(l->error, SAC_E_VALUE, sac_pretrained_weights_name(l->files),
                     "take a copy that is not damaged",
                     "\"%s%s\" and the norm after it are not finite; the weights may be corrupt",
                     l->prefix, name);
    sac_pretrained_forget(l->files, find(l, layer)); /* the file's own copy is not read again */
    free(weights);
    return status;
}

/* A convolution and the norm after it. */
sac_status sac_filter_load(const sac_filter_source *l, const char *layer, const char *norm,
                           sac_filter *f)
{
    float *folded;
    sac_status status = fold(l, layer, norm, f, &folded);
    if (status == SAC_OK)
        status = upload_filter(l, f, folded, folded + f->out * f->taps * f->taps * f->in);
    free(folded);
    return status;
}

sac_status sac_filter_load_sum(const sac_filter_source *l, const char *const layer[2],
                               const char *const norm[2], sac_filter *f)
{
    sac_filter one = {.in = f->in, .taps = 1};
    float *folded, *added = NULL;
    sac_status status = fold(l, layer[0], norm[0], f, &folded);
    const size_t taps = f->taps * f->taps, count = f->out * taps * f->in;
    if (status == SAC_OK)
        status = fold(l, layer[1], norm[1], &one, &added);
    if (status == SAC_OK && one.out != f->out)
        status = sac_fail(l->error, SAC_E_SHAPE, sac_pretrained_weights_name(l->files), NULL,
                          "\"%s%s.weight\" gives %zu channels, which are added to %zu", l->prefix,
                          layer[1], one.out, f->out);
    for (size_t i = 0; status == SAC_OK && i < one.out * one.in; i++)
        folded[(i / one.in * taps + taps / 2) * one.in + i % one.in] += added[i];
    for (size_t i = 0; status == SAC_OK && i < one.out; i++)
        folded[count + i] += added[one.out * one.in + i];
    if (status == SAC_OK)
        status = upload_filter(l, f, folded, folded + count);
    free(folded);
    free(added);
    return status;
}

/* A mean of 2 × 2 and a convolution of 1 × 1, which are together one of 3 × 3 with a stride of 2. */
static sac_status load_filter_of_means(const sac_filter_source *l, const char *layer,
                                       const char *norm, sac_filter *f)
{
    sac_filter one = {.in = f->in, .taps = 1};
    float *folded;
    sac_status status = fold(l, layer, norm, &one, &folded);
    *f = (sac_filter){.in = f->in, .out = one.out, .taps = 3, .stride = 2};
    float *spread = calloc(one.out * 9 * one.in, sizeof *spread);
    if (status == SAC_OK && !spread)
        status = sac_no_memory(l->error, layer);
    for (size_t i = 0; status == SAC_OK && i < one.out * one.in; i++)
        for (size_t tap = 4; tap < 9; tap += tap == 5 ? 2 : 1) /* 4, 5, 7, 8 */
            spread[(i / one.in * 9 + tap) * one.in + i % one.in] = folded[i] / 4;
    if (status == SAC_OK)
        status = upload_filter(l, f, spread, folded + one.out * one.in);
    free(spread);
    free(folded);
    return status;
}

static sac_status load_part(const loader *l, const char *of_block, const char *layer,
                            const char *norm, sac_filter *f)
{
    char layer_name[NAME], norm_name[NAME];
    snprintf(layer_name, sizeof layer_name, "%s.%s", of_block, layer);
    snprintf(norm_name, sizeof norm_name, "%s.%s", of_block, norm);
    return sac_filter_load(&l->from, layer_name, norm_name, f);
}

/* Loads block `index` of a stage, with `in` input channels. */
static sac_status load_block(const loader *l, int stage, int index, size_t in, block *b)
{
    const sac_resnet_layout *layout = l->layout;
    char name[NAME / 2], layer[NAME / 2], norm[NAME / 2], shortcut[NAME];
    char means[NAME], means_norm[NAME];
    bool is_basic = layout && layout->is_basic;
    size_t stride = index == 0 && (stage > 0 || (layout && layout->halves_first)) ? 2 : 1;
    int halving = is_basic || (layout && layout->halves_early) ? 0 : 1;
    snprintf(name, sizeof name, l->names->block, stage + l->names->stage, index);
    snprintf(shortcut, sizeof shortcut, "%s.%s", name, l->names->shortcut);
    b->parts = is_basic ? 2 : 3;
    sac_status status = SAC_OK;
    for (int i = 0; i < b->parts && status == SAC_OK; i++) {
        b->part[i] = (sac_filter){.in = i ? b->part[i - 1].out : in,
                                  .taps = is_basic || i == 1 ? 3 : 1,
                                  .stride = i == halving ? stride : 1};
        snprintf(layer, sizeof layer, l->names->layer, i + l->names->part);
        snprintf(norm, sizeof norm, l->names->norm, i + l->names->part);
        status = load_part(l, name, layer, norm, &b->part[i]);
    }
    b->shortcut = (sac_filter){.in = in, .taps = 1, .stride = stride};
    snprintf(means, sizeof means, "%s.shortcut.1.convolution", name);
    snprintf(means_norm, sizeof means_norm, "%s.shortcut.1.normalization", name);
    if (status == SAC_OK && layout && layout->is_deep && stride > 1 && find(&l->from, means))
        status = load_filter_of_means(&l->from, means, means_norm, &b->shortcut);
    else if (status == SAC_OK && (stride > 1 || find(&l->from, shortcut)))
        status = load_part(l, name, l->names->shortcut, l->names->shortcut_norm, &b->shortcut);
    size_t added = b->shortcut.panels.buffer ? b->shortcut.out : in;
    if (status == SAC_OK && added != last_of(b)->out)
        status = sac_fail(l->from.error, SAC_E_SHAPE, sac_pretrained_weights_name(l->from.files),
                          NULL, "\"%s%s.%s.weight\" gives %zu channels, which are added to %zu",
                          l->from.prefix, name, layer, last_of(b)->out, added);
    return status;
}

/* True where a stage has a block of that number. */
static bool has_block(const loader *l, int stage, int index)
{
    char name[NAME / 2], layer[NAME / 2], whole[NAME];
    if (l->counts)
        return index < l->layout->depth[stage];
    snprintf(name, sizeof name, l->names->block, stage + l->names->stage, index);
    snprintf(layer, sizeof layer, l->names->layer, l->names->part);
    snprintf(whole, sizeof whole, "%s.%s", name, layer);
    return index == 0 || find(&l->from, whole);
}

/* One convolution of 7 × 7, or three of 3 × 3. */
static sac_status load_stem(const loader *l)
{
    sac_resnet *net = l->net;
    const bool is_deep = l->layout && l->layout->is_deep;
    sac_status status = SAC_OK;
    net->stems = is_deep ? 3 : 1;
    for (int i = 0; i < net->stems && status == SAC_OK; i++) {
        char layer[NAME] = "", norm[NAME] = "";
        if (is_deep) {
            snprintf(layer, sizeof layer, "embedder.embedder.%d.convolution", i);
            snprintf(norm, sizeof norm, "embedder.embedder.%d.normalization", i);
        }
        net->stem[i] = (sac_filter){
            .in = i ? net->stem[i - 1].out : 3, .taps = is_deep ? 3 : 7, .stride = i ? 1 : 2};
        status = sac_filter_load(&l->from, is_deep ? layer : l->names->stem,
                                 is_deep ? norm : l->names->stem_norm, &net->stem[i]);
    }
    return status;
}

static sac_status load_all(const loader *l)
{
    sac_resnet *net = l->net;
    sac_status status = load_stem(l);
    int stages = l->layout ? l->layout->stages : 4;
    for (int stage = 0; stage < stages; net->end[stage++] = net->count)
        for (int i = 0; status == SAC_OK && has_block(l, stage, i); i++) {
            if (net->count == BLOCKS)
                return sac_fail(l->from.error, SAC_E_FORMAT,
                                sac_pretrained_weights_name(l->from.files), NULL,
                                "its encoder has over %d blocks", BLOCKS);
            status = load_block(l, stage, i, sac_resnet_width(net), &net->block[net->count]);
            net->count++;
        }
    return status;
}

sac_status sac_resnet_create(const sac_pretrained *files, const char *prefix,
                             const sac_resnet_layout *layout, sac_pass *pass, sac_resnet **made,
                             sac_error *error)
{
    sac_resnet *net = *made = calloc(1, sizeof *net);
    if (!net)
        return sac_no_memory(error, prefix);
    bool counts = layout && !layout->is_timms;
    const loader l = {.from = {files, prefix, layout ? NULL : "give an encoder of bottlenecks",
                               pass, &net->arena, error},
                      .layout = layout,
                      .counts = counts,
                      .names = counts   ? &of_transformers
                               : layout ? &of_timm
                                        : &of_torchvision,
                      .net = net};
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
    return net->count ? last_of(&net->block[net->count - 1])->out : net->stem[net->stems - 1].out;
}

size_t sac_resnet_side(const sac_resnet *net, size_t side)
{
    side = sac_convolution_out(sac_convolution_out(side, 2), 2); /* the largest of windows, too */
    for (int i = 0; i < net->count; i++)
        side = sac_convolution_out(side, net->block[i].shortcut.stride);
    return side;
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
    sac_tensor input, inner[2]; /* memory for the largest of each, … */
    sac_tensor sum[2];          /* … and for what goes from block to block, in turns */
} run;

typedef enum sum_kind { SUM_BENT, SUM_LINEAR, SUM_ADDED } sum_kind;

static picture convolve(run *r, const sac_filter *f, picture from, sac_tensor memory, sum_kind kind)
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

static picture max_pool(run *r, picture from)
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
    picture inner = from, sum = from;
    for (int i = 0; i < b->parts - 1; i++)
        inner = convolve(r, &b->part[i], inner, r->inner[i], SUM_BENT);
    if (b->shortcut.panels.buffer) {
        sac_tensor other = from.x.buffer == r->sum[0].buffer ? r->sum[1] : r->sum[0];
        sum = convolve(r, &b->shortcut, from, other, SUM_LINEAR);
    }
    return convolve(r, last_of(b), inner, sum.x, SUM_ADDED);
}

/* Allocates memory for pictures of that size. */
static void allocate_tensors(run *r, size_t height, size_t width)
{
    const sac_resnet *net = r->net;
    size_t inner[2] = {0}, sum;
    sac_arena_shape(&r->arena, r->pass, &r->input, height * width, 3);
    height = sac_convolution_out(height, 2);
    width = sac_convolution_out(width, 2);
    inner[0] = inner[1] =
        height * width *
        net->stem[net->stems - 1].out; /* the first layers' results are there, too */
    height = sac_convolution_out(height, 2);
    width = sac_convolution_out(width, 2);
    sum = height * width * net->stem[net->stems - 1].out;
    for (int i = 0; i < net->count; i++) {
        const block *b = &net->block[i];
        for (int k = 0; k < b->parts; k++) {
            height = sac_convolution_out(height, b->part[k].stride);
            width = sac_convolution_out(width, b->part[k].stride);
            size_t *most = k < b->parts - 1 ? &inner[k] : &sum;
            *most = sac_larger(*most, height * width * b->part[k].out);
        }
    }
    for (int i = 0; i < 2; i++) {
        sac_arena_shape(&r->arena, r->pass, &r->inner[i], 1, inner[i]);
        sac_arena_shape(&r->arena, r->pass, &r->sum[i], 1, sum);
    }
}

size_t sac_resnet_stage_width(const sac_resnet *net, int stage)
{
    return net->end[stage] ? last_of(&net->block[net->end[stage] - 1])->out : 0;
}

static sac_status see(const sac_resnet *net, sac_pass *pass, const float *pixels, size_t height,
                      size_t width, size_t cells, float *features, float *const *maps,
                      sac_error *error)
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
    allocate_tensors(&r, height, width);
    if (cells)
        sac_arena_shape(&r.arena, r.pass, &means, cells * cells, sac_resnet_width(r.net));
    sac_pass_write(r.pass, r.input, rows);
    picture p = {r.input, height, width};
    for (int i = 0; i < net->stems; i++)
        p = convolve(&r, &net->stem[i], p, r.inner[(i + 1) % 2], SUM_BENT);
    p = max_pool(&r, p);
    for (int i = 0, stage = 0; i < r.net->count; i++) {
        p = run_block(&r, &r.net->block[i], p);
        if (i + 1 == net->end[stage] && stage++ < SAC_RESNET_STAGES && maps && maps[stage - 1])
            sac_pass_read(r.pass, p.x, maps[stage - 1]);
    }
    if (cells)
        sac_mean_windows(r.pass, p.height, p.width, cells, means, p.x);
    if (features)
        sac_pass_read(r.pass, cells ? means : p.x, features);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&r.arena);
    free(rows);
    return status;
}

sac_status sac_resnet_see(const sac_resnet *net, sac_pass *pass, const float *pixels, size_t height,
                          size_t width, size_t cells, float *features, sac_error *error)
{
    return see(net, pass, pixels, height, width, cells, features, NULL, error);
}

sac_status sac_resnet_see_stages(const sac_resnet *net, sac_pass *pass, const float *pixels,
                                 size_t height, size_t width, float *const *maps, sac_error *error)
{
    return see(net, pass, pixels, height, width, 0, NULL, maps, error);
}

/* ---------------------------------------------------------------- transformers' models */

size_t sac_resnet_read_layout(sac_config *c, sac_resnet_layout *layout)
{
    int widths[] = {256, 512, 1024, 2048}, depth[] = {3, 4, 6, 3};
    if (sac_config_size_or(c, "num_channels", 1, 64, 3) != 3)
        sac_config_refuse(c, "num_channels", "is not 3, and pictures have three colours");
    if (sac_config_has(c, "hidden_act") && strcmp(sac_config_text(c, "hidden_act"), "relu") != 0)
        sac_config_refuse(c, "hidden_act", "is not relu, which is all that is supported");
    const char *type = sac_config_text(c, "layer_type");
    layout->is_basic = strcmp(type, "basic") == 0;
    if (type[0] && !layout->is_basic && strcmp(type, "bottleneck") != 0)
        sac_config_refuse(c, "layer_type", "\"%.40s\" is neither basic nor bottleneck", type);
    layout->halves_first = sac_config_flag_or(c, "downsample_in_first_stage", false);
    layout->halves_early = sac_config_flag_or(c, "downsample_in_bottleneck", false);
    layout->stages =
        sac_config_sizes(c, "hidden_sizes", 1, SAC_ARCHITECTURE_WIDTH, widths, SAC_RESNET_STAGES);
    if (!layout->stages)
        sac_config_refuse(c, "hidden_sizes", "has no stage");
    if (sac_config_sizes(c, "depths", 1, BLOCKS, depth, SAC_RESNET_STAGES) != layout->stages)
        sac_config_refuse(c, "depths", "is not of as many stages as hidden_sizes");
    memcpy(layout->depth, depth, sizeof depth);
    return c->status == SAC_OK ? (size_t)widths[layout->stages - 1] : 1;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_vision_encoder *s = &m->vision_encoder;
    m->width = sac_resnet_read_layout(c, &s->layout);
    m->run.heads = 1;
    s->image_w = s->image_h = 224;
    s->processor = "ConvNextImageProcessor";
}

static sac_status create_network(sac_pretrained_model *m, sac_error *error)
{
    static const char *const prefixes[] = {"resnet.", "", NULL};
    sac_vision_encoder *s = &m->vision_encoder;
    const char *prefix =
        sac_pretrained_prefix(m->files, prefixes, "embedder.embedder.convolution.weight");
    sac_device_lock(m->device);
    sac_status status = sac_resnet_create(m->files, prefix, &s->layout, &m->pass, &s->net, error);
    sac_device_unlock(m->device);
    if (status == SAC_OK && sac_resnet_width(s->net) != m->width)
        status = sac_fail(error, SAC_E_SHAPE, "hidden_sizes", NULL,
                          "ends with %zu, and the last stage gives %zu channels", m->width,
                          sac_resnet_width(s->net));
    return sac_error_within(error, status, m->folder);
}

const sac_config_key sac_keys_of_resnet[] = {
    COMMON,
    U("num_channels", "3"),
    U("embedding_size", "64"),
    U("hidden_sizes", "[256, 512, 1024, 2048]"),
    U("depths", "[3, 4, 6, 3]"),
    U("layer_type", "\"bottleneck\""),
    U("hidden_act", "\"relu\""),
    U("downsample_in_first_stage", "false"),
    U("downsample_in_bottleneck", "false"),
    H("stage_names"),
    H("out_features"),
    H("out_indices"),
    END,
};

const sac_architecture sac_architecture_resnet = {.types = {"resnet"},
                                                  .keys = sac_keys_of_resnet,
                                                  .architectures = {"ResNet"},
                                                  .mark = "embedder.embedder.convolution.weight",
                                                  .declare = declare,
                                                  .take = create_network};
