/* A picture is encoded in a launch for each layer, where training takes three or four: it packs
 * weights that change with every step, and adds a border to what came without one. */
#include "captioner/look.h"

#include "captioner/decode_buffers.h"
#include "gemm/quirks.h"

static sac_tensor *panels_of_keys(const sac_captioner *c, sac_captioner_encoder *e)
{
    return &e->panels[c->shape.layers];
}

void sac_captioner_shape_encoder(sac_captioner *c, sac_arena *arena, sac_captioner_encoder *e)
{
    sac_pass *pass = &c->base.pass;
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        size_t pixels = (layer.height + 2) * (layer.width + 2);
        sac_arena_shape(arena, pass, &e->input[i], pixels, layer.in);
        sac_arena_shape(arena, pass, &e->panels[i], 1, sac_convolution_panels(pass, &layer));
    }
    if (c->weights.key)
        sac_arena_shape(arena, pass, panels_of_keys(c, e), 1,
                        sac_linear_panels(pass, c->weights.key));
}

static void pack(sac_captioner *c, sac_captioner_encoder *e)
{
    sac_pass *pass = &c->base.pass;
    size_t changes = c->base.parameters.changes;
    if (e->is_packed && e->packed == changes)
        return;
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        sac_convolution_pack(pass, &layer, e->panels[i], c->weights.encoder[i].weight);
    }
    if (c->weights.key)
        sac_linear_pack(pass, *panels_of_keys(c, e), c->weights.key);
    e->packed = changes;
    e->is_packed = sac_pass_runs(pass);
}

static void run(sac_captioner *c, sac_captioner_encoder *e, const sac_captioner_features *f)
{
    const sac_captioner_weights *w = &c->weights;
    sac_pass *pass = &c->base.pass;
    int last = c->shape.layers - 1;
    for (int i = 0; i <= last; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        sac_convolution_infer(pass, &layer, i < last ? e->input[i + 1] : f->layer[i], i < last,
                              e->input[i], e->panels[i], w->encoder[i].bias);
    }
    sac_layer_norm_forward(pass, &w->norm, f->features, f->layer[last]);
    if (w->key)
        sac_linear_infer(pass, f->keys, f->features, *panels_of_keys(c, e), w->key_bias);
}

/* Numbers of the picture into `pixels`, whose lines are `line` pixels apart. */
static void light(const uint8_t *rgba, size_t side, size_t line, float *pixels)
{
    for (size_t y = 0; y < side; y++, rgba += 4 * side, pixels += 3 * line)
        for (size_t x = 0; x < side; x++)
            for (size_t k = 0; k < 3; k++)
                pixels[3 * x + k] = sac_captioner_light(rgba[4 * x + k]);
}

/* Where loops may not be long, the layers of training do it: they cut products into pieces. */
void sac_captioner_encode_picture(sac_captioner *c, const uint8_t *rgba)
{
    struct sac_decode_buffers *s = c->decode;
    sac_pass *pass = &c->base.pass;
    size_t side = (size_t)c->shape.side, limit = 0;
    SAC_PASS_CALL(pass, sac_quirk_loop_limit(pass->device, &limit, &pass->error));
    if (limit) {
        light(rgba, side, side, s->pixels);
        sac_pass_write(pass, s->f.pictures, s->pixels);
        sac_captioner_encode(c, &s->f);
        return;
    }
    light(rgba, side, side + 2, s->pixels + 3 * (side + 3));
    sac_pass_write(pass, s->encoder.input[0], s->pixels);
    pack(c, &s->encoder);
    run(c, &s->encoder, &s->f);
}
