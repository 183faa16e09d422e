/* The variants' sizes, and the parameters that they have. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/round.h"
#include "efficientnet/efficientnet.h"

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
static size_t widen(size_t channels, size_t tenths)
{
    size_t wanted = channels * tenths, rounded = (wanted + 40) / 80 * 8;
    if (rounded < 8)
        rounded = 8;
    return 100 * rounded < 9 * wanted ? rounded + 8 : rounded;
}

static void fill(int variant, size_t side, sac_efficientnet_shape *shape)
{
    *shape = (sac_efficientnet_shape){.side = side, .stem = 32, .head = 1280};
    size_t in = shape->stem;
    for (int s = 0; s < STAGES; s++) {
        bool is_deepened = s > 0 && s < STAGES - 1;
        size_t repeats = is_deepened ? sac_ceil_div(stages[s].repeats * variants[variant].depth, 10)
                                     : stages[s].repeats;
        for (size_t i = 0; i < repeats; i++) {
            size_t out = widen(stages[s].out, variants[variant].width);
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

sac_status sac_efficientnet_named(const char *name, size_t side, sac_efficientnet_shape *shape,
                                  sac_error *error)
{
    for (int i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, name) == 0) {
            fill(i, side, shape);
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

static sac_efficientnet_layer declare(sac_parameters *p, const char *prefix, const char *layer,
                                      int rank, const size_t *shape, size_t in, size_t out)
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
    return declare(p, prefix, layer, 2, (const size_t[4]){out, in}, in, out);
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
            net->stem = declare(p, prefix, "stem", 4, (const size_t[4]){shape->stem, 3, 3, 3}, 27,
                                shape->stem);
        } else if (i == shape->blocks) {
            net->head = declare_pointwise(p, prefix, "head", shape->head,
                                          shape->block[shape->blocks - 1].out);
        } else {
            snprintf(name, sizeof name, "%sblocks.%d.", prefix, i);
            if (b->expanded != b->in)
                net->block[i].expand = declare_pointwise(p, name, "expand", b->expanded, b->in);
            net->block[i].depthwise =
                declare(p, name, "depthwise", 3, (const size_t[4]){b->taps, b->taps, b->expanded},
                        b->taps * b->taps, b->expanded);
            net->block[i].project = declare_pointwise(p, name, "project", b->out, b->expanded);
        }
    }
}
