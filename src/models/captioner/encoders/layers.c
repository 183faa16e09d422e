/* Convolutions of the captioner's own, which learn with its decoder; all of a picture comes in. */
#include <stdio.h>

#include "captioner/encoders/encoder.h"
#include "captioner/learn/activations.h"

enum { KERNEL = 9 }; /* places of a 3 × 3 convolution */

static const sac_tensor none = {0};

static int grid(const sac_captioner_shape *shape)
{
    int side = shape->side;
    for (int i = 0; i < shape->layers; i++)
        side = (side + shape->layer[i].stride - 1) / shape->layer[i].stride;
    return side;
}

static void declare(const sac_captioner_shape *shape, sac_parameters *p, sac_parameters *frozen,
                    sac_captioner_weights *w)
{
    (void)frozen;
    char name[48];
    size_t in = 3, cells = (size_t)grid(shape) * (size_t)grid(shape), kernel = 3;
    for (int i = 0; i < shape->layers; i++) {
        size_t out = (size_t)shape->layer[i].channels;
        snprintf(name, sizeof name, "encoder.%d.weight", i);
        w->encoder[i].weight =
            sac_parameter_add(p, name, sac_init_he(KERNEL * in), 4, out, kernel, kernel, in);
        snprintf(name, sizeof name, "encoder.%d.bias", i);
        w->encoder[i].bias = sac_parameter_vector(p, name, out);
        in = out;
    }
    w->norm.position = sac_parameter_add(p, "encoder.position", sac_init_constant(0), 2, cells, in);
}

static int first_computed_part(const sac_captioner *c)
{
    (void)c;
    return 0;
}

static size_t input_size_of_part(const sac_captioner *c, int part)
{
    (void)part;
    return (size_t)c->shape.side * (size_t)c->shape.side * 3;
}

static size_t domain_feature_width(const sac_captioner_shape *shape)
{
    return (size_t)shape->layer[shape->layers - 1].channels;
}

static sac_tensor domain_features(const sac_captioner *c, const sac_captioner_features *f)
{
    return f->layer[c->shape.layers - 1];
}

static void convert_pixels(const sac_captioner_shape *shape, const uint8_t *rgba, size_t count,
                           float *pixels)
{
    (void)shape;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            pixels[3 * i + k] = sac_captioner_light(rgba[4 * i + k]);
}

/* What a layer takes: pictures, or what the one before it gives. */
static sac_tensor *input_of(sac_captioner_features *f, int layer)
{
    return layer ? &f->layer[layer - 1] : &f->pictures;
}

static void reserve(sac_captioner *c, sac_arena *arena, size_t batch, sac_captioner_features *f)
{
    sac_pass *pass = &c->base.pass;
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, batch);
        sac_arena_shape(arena, pass, input_of(f, i), sac_convolution_pixels(&layer), layer.in);
    }
    sac_arena_shape(arena, pass, input_of(f, c->shape.layers), batch * (size_t)c->cells,
                    (size_t)c->depth);
}

static void write(sac_captioner *c, sac_captioner_features *f, const float *in)
{
    sac_convolution layer = sac_captioner_layer(&c->shape, 0, f->mean.rows);
    sac_convolution_write(&c->base.pass, &layer, f->pictures, in);
}

static void forward(sac_captioner *c, sac_captioner_features *f)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    int last = c->shape.layers - 1;
    for (int i = 0; i <= last; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, f->mean.rows);
        sac_convolution_forward(pass, &layer, f->layer[i], i < last, *input_of(f, i),
                                w->encoder[i].weight, w->encoder[i].bias);
    }
    sac_layer_norm_forward(pass, &w->norm, f->features, f->layer[last]); /* [B,N,D] */
}

static void backward(sac_captioner *c, struct sac_captioner_training *a)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    size_t batch = a->f.mean.rows;
    int last = c->shape.layers - 1;
    sac_convolution layer = sac_captioner_layer(&c->shape, last, batch), below = layer;
    sac_layer_norm_backward(pass, &w->norm, a->df_features, a->f.layer[last]);
    sac_convolution_begin_backward(pass, &layer, a->slopes[last], a->df_features, a->f.layer[last]);
    for (int i = last; i >= 0; i--, layer = below) {
        if (i)
            below = sac_captioner_layer(&c->shape, i - 1, batch);
        sac_convolution_backward(pass, &layer, &below, i ? a->slopes[i - 1] : none, a->slopes[i],
                                 *input_of(&a->f, i), w->encoder[i].weight, w->encoder[i].bias);
    }
}

const sac_encoder sac_encoder_of_layers = {.grid = grid,
                                           .declare = declare,
                                           .first = first_computed_part,
                                           .numbers = input_size_of_part,
                                           .known_width = domain_feature_width,
                                           .known = domain_features,
                                           .light = convert_pixels,
                                           .reserve = reserve,
                                           .write = write,
                                           .forward = forward,
                                           .backward = backward};
