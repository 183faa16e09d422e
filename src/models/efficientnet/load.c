/* Published weights: PyTorch's convolutions [out,in,taps,taps] with a batch norm after each become
 * weights whose channels lie side by side, with a bias. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/round.h"
#include "efficientnet/efficientnet.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- shapes */

/* Lite's stages: what the first block of a stage does, and how many follow it. */
static const struct {
    size_t repeats, taps, stride, expansion, out;
} stages[] = {{1, 3, 1, 1, 16},  {2, 3, 2, 6, 24},  {2, 5, 2, 6, 40}, {3, 3, 2, 6, 80},
              {3, 5, 1, 6, 112}, {4, 5, 2, 6, 192}, {1, 3, 1, 6, 320}};
enum { STAGES = sizeof stages / sizeof *stages };

/* How much wider and deeper a variant is, in tenths. */
static const struct {
    const char *name;
    size_t width, depth;
} variants[] = {
    {"lite0", 10, 10}, {"lite1", 10, 11}, {"lite2", 11, 12}, {"lite3", 12, 14}, {"lite4", 14, 18}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* The nearest multiple of 8, or the next one where that would be less than nine tenths. */
static size_t scaled_channels(size_t channels, size_t tenths)
{
    size_t wanted = channels * tenths, rounded = (wanted + 40) / 80 * 8;
    if (rounded < 8)
        rounded = 8;
    return 100 * rounded < 9 * wanted ? rounded + 8 : rounded;
}

static void fill_shape(int variant, size_t side, sac_efficientnet_shape *shape)
{
    *shape = (sac_efficientnet_shape){.side = side, .stem = 32, .head = 1280};
    size_t in = shape->stem;
    for (int s = 0; s < STAGES; s++) {
        bool is_deepened = s > 0 && s < STAGES - 1;
        size_t repeats = is_deepened ? sac_ceil_div(stages[s].repeats * variants[variant].depth, 10)
                                     : stages[s].repeats;
        for (size_t i = 0; i < repeats; i++) {
            size_t out = scaled_channels(stages[s].out, variants[variant].width);
            shape->block[shape->blocks++] =
                (sac_efficientnet_block){.in = in,
                                         .expanded = in * stages[s].expansion,
                                         .out = out,
                                         .taps = stages[s].taps,
                                         .stride = i ? 1 : stages[s].stride};
            in = out;
        }
    }
}

sac_status sac_efficientnet_shape_by_name(const char *name, size_t side,
                                          sac_efficientnet_shape *shape, sac_error *error)
{
    for (int i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, name) == 0) {
            fill_shape(i, side, shape);
            shape->name = variants[i].name;
            return SAC_OK;
        }
    return sac_fail(error, SAC_E_ARGUMENT, "EfficientNet",
                    "give lite0, lite1, lite2, lite3 or lite4", "there is no variant \"%s\"", name);
}

int sac_efficientnet_parts(const sac_efficientnet_shape *shape)
{
    return shape->blocks + 2;
}

size_t sac_efficientnet_grid(const sac_efficientnet_shape *shape)
{
    size_t side = sac_ceil_div(shape->side, 2);
    for (int i = 0; i < shape->blocks; i++)
        side = sac_ceil_div(side, shape->block[i].stride);
    return side;
}

/* ---------------------------------------------------------------- parameters */

static sac_efficientnet_layer declare_layer(sac_parameters *p, const char *prefix,
                                            const char *layer, int rank, const size_t *shape,
                                            size_t in, size_t out)
{
    char name[128];
    sac_efficientnet_layer made;
    snprintf(name, sizeof name, "%s%s.weight", prefix, layer);
    made.weight =
        sac_parameter_add(p, name, sac_init_he(in), rank, shape[0], shape[1], shape[2], shape[3]);
    snprintf(name, sizeof name, "%s%s.bias", prefix, layer);
    made.bias = sac_parameter_vector(p, name, out);
    return made;
}

static sac_efficientnet_layer declare_pointwise(sac_parameters *p, const char *prefix,
                                                const char *layer, size_t out, size_t in)
{
    return declare_layer(p, prefix, layer, 2, (const size_t[4]){out, in}, in, out);
}

void sac_efficientnet_declare(sac_efficientnet *net, sac_parameters *p, const char *prefix,
                              int from, int to)
{
    const sac_efficientnet_shape *shape = &net->shape;
    for (int part = from; part < to; part++) {
        int i = part - 1;
        const sac_efficientnet_block *b = &shape->block[i < 0 ? 0 : i];
        char name[96];
        net->owner[part] = p;
        if (part == 0) {
            net->stem = declare_layer(p, prefix, "stem", 4, (const size_t[4]){shape->stem, 3, 3, 3},
                                      27, shape->stem);
        } else if (i == shape->blocks) {
            net->head = declare_pointwise(p, prefix, "head", shape->head,
                                          shape->block[shape->blocks - 1].out);
        } else {
            snprintf(name, sizeof name, "%sblocks.%d.", prefix, i);
            if (b->expanded != b->in)
                net->block[i].expand = declare_pointwise(p, name, "expand", b->expanded, b->in);
            net->block[i].depthwise = declare_layer(
                p, name, "depthwise", 3, (const size_t[4]){b->taps, b->taps, b->expanded},
                b->taps * b->taps, b->expanded);
            net->block[i].project = declare_pointwise(p, name, "project", b->out, b->expanded);
        }
    }
}

/* ---------------------------------------------------------------- weights */

#define EPSILON 1e-3 /* of the norms, as in TensorFlow */

enum { NAME = 96 };

typedef struct source {
    const sac_arrays *file;
    sac_error *error;
} source;

/* The numbers of an array of that shape → `numbers`. */
static sac_status read(const source *s, const char *name, int rank, const size_t *shape,
                       float *numbers)
{
    char found[128], wanted[128];
    const sac_array *array = sac_arrays_find(s->file, name);
    sac_array expected = sac_array_view(SAC_F32, rank, shape, NULL);
    if (!array)
        return sac_fail(s->error, SAC_E_FORMAT, name, "give weights of EfficientNet-Lite",
                        "is not in the file");
    if (array->rank != rank || memcmp(array->shape, shape, (size_t)rank * sizeof *shape) != 0)
        return sac_fail(s->error, SAC_E_SHAPE, name, "give weights of this very variant",
                        "shape %s, not %s", sac_array_shape_text(array, found, sizeof found),
                        sac_array_shape_text(&expected, wanted, sizeof wanted));
    return sac_array_to_f32(array, numbers, s->error);
}

/* Each of `count` channels: x ← scale · x + shift. */
static sac_status read_norm(const source *s, const char *norm, size_t count, float *scale,
                            float *shift)
{
    static const char *const kinds[] = {"weight", "bias", "running_mean", "running_var"};
    float *part = malloc(4 * count * sizeof *part);
    sac_status status = part ? SAC_OK : sac_no_memory(s->error, norm);
    for (size_t i = 0; i < 4 && status == SAC_OK; i++) {
        char name[2 * NAME];
        snprintf(name, sizeof name, "%s.%s", norm, kinds[i]);
        status = read(s, name, 1, &count, part + i * count);
    }
    for (size_t c = 0; c < count && status == SAC_OK; c++) {
        double factor = part[c] / sqrt(part[3 * count + c] + EPSILON);
        scale[c] = (float)factor;
        shift[c] = (float)(part[count + c] - factor * part[2 * count + c]);
    }
    free(part);
    return status;
}

/* [out,in,taps²] → [out,taps²,in], or of a depthwise one, whose `in` is 1, [taps²,out]. */
static void fold_norm_scale(const float *weights, const float *scale, size_t out, size_t in,
                            size_t taps, bool is_depthwise, float *folded)
{
    for (size_t o = 0; o < out; o++)
        for (size_t i = 0; i < in; i++)
            for (size_t tap = 0; tap < taps * taps; tap++) {
                size_t at = is_depthwise ? tap * out + o : (o * taps * taps + tap) * in + i;
                folded[at] = *weights++ * scale[o];
            }
}

static sac_status check_finite(const char *name, const float *numbers, size_t count,
                               sac_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return sac_fail(error, SAC_E_VALUE, name, "take a copy that is not damaged",
                            "with its batch norm, number %zu is no finite one", i);
    return SAC_OK;
}

/* A convolution [out,in,taps,taps] and the norm after it → the layer's parameters. */
static sac_status load_convolution(const source *s, sac_device *device, const char *block,
                                   const char *convolution, const char *norm, size_t out, size_t in,
                                   size_t taps, bool is_depthwise,
                                   const sac_efficientnet_layer *layer)
{
    char name[NAME], norm_name[NAME];
    size_t count = out * in * taps * taps;
    float *weights = malloc((2 * count + 2 * out) * sizeof *weights);
    if (!weights)
        return sac_no_memory(s->error, convolution);
    float *folded = weights + count, *shift = folded + count, *scale = shift + out;
    snprintf(name, sizeof name, "%s%s.weight", block, convolution);
    snprintf(norm_name, sizeof norm_name, "%s%s", block, norm);
    sac_status status = read(s, name, 4, (const size_t[4]){out, in, taps, taps}, weights);
    if (status == SAC_OK)
        status = read_norm(s, norm_name, out, scale, shift);
    if (status == SAC_OK) {
        fold_norm_scale(weights, scale, out, in, taps, is_depthwise, folded);
        status = check_finite(name, folded, count + out, s->error);
    }
    if (status == SAC_OK)
        status =
            sac_span_write(device, sac_tensor_span(layer->weight->value), count, folded, s->error);
    if (status == SAC_OK)
        status = sac_span_write(device, sac_tensor_span(layer->bias->value), out, shift, s->error);
    free(weights);
    return status;
}

static sac_status load_block(const source *s, sac_device *device, int index,
                             const sac_efficientnet_block *b, const sac_efficientnet_layers *layers)
{
    char name[NAME / 2];
    sac_status status = SAC_OK;
    snprintf(name, sizeof name, "_blocks.%d.", index);
    if (b->expanded != b->in)
        status = load_convolution(s, device, name, "_expand_conv", "_bn0", b->expanded, b->in, 1,
                                  false, &layers->expand);
    if (status == SAC_OK)
        status = load_convolution(s, device, name, "_depthwise_conv", "_bn1", b->expanded, 1,
                                  b->taps, true, &layers->depthwise);
    if (status == SAC_OK)
        status = load_convolution(s, device, name, "_project_conv", "_bn2", b->out, b->expanded, 1,
                                  false, &layers->project);
    return status;
}

sac_status sac_efficientnet_load(const sac_efficientnet *net, const sac_arrays *file,
                                 const char *path, sac_error *error)
{
    const source s = {file, error};
    const sac_efficientnet_shape *shape = &net->shape;
    sac_status status = SAC_OK;
    for (int part = 0; part < sac_efficientnet_parts(shape) && status == SAC_OK; part++) {
        sac_parameters *owner = net->owner[part];
        if (!owner)
            continue;
        if (part == 0)
            status = load_convolution(&s, owner->device, "", "_conv_stem", "_bn0", shape->stem, 3,
                                      3, false, &net->stem);
        else if (part <= shape->blocks)
            status = load_block(&s, owner->device, part - 1, &shape->block[part - 1],
                                &net->block[part - 1]);
        else
            status = load_convolution(&s, owner->device, "", "_conv_head", "_bn1", shape->head,
                                      shape->block[shape->blocks - 1].out, 1, false, &net->head);
        owner->changes++;
    }
    return sac_error_within(error, status, path);
}

/* ---------------------------------------------------------------- which variant */

static const sac_array *find_projection(const sac_arrays *file, int block)
{
    char name[NAME];
    snprintf(name, sizeof name, "_blocks.%d._project_conv.weight", block);
    return sac_arrays_find(file, name);
}

sac_status sac_efficientnet_recognise(const sac_arrays *file, const char *path, size_t side,
                                      sac_efficientnet_shape *shape, sac_error *error)
{
    static const char *const names[] = {"lite0", "lite1", "lite2", "lite3", "lite4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_status status = sac_efficientnet_shape_by_name(names[i], side, shape, error);
        if (status != SAC_OK)
            return status;
        int last = shape->blocks - 1;
        const sac_array *projection = find_projection(file, last);
        if (projection && !find_projection(file, last + 1) && projection->rank > 0 &&
            projection->shape[0] == shape->block[last].out)
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_FORMAT, path, "give the weights of lite0 to lite4",
                    "are not those of a variant of EfficientNet-Lite");
}
