/* A picture is encoded in a launch for each layer, where training takes two: it packs weights,
 * which change with every step. The buffers are reserved for the largest beam. */
#include "captioner/decode/encode.h"

#include <stdlib.h>

#include "base/error.h"
#include "captioner/encoders/encoder.h"
#include "gemm/launch.h"

/* In pairs of the kernel's vectors, of which the widest have 16 numbers. */
size_t sac_captioner_padded_keys(const sac_captioner *c)
{
    return ((size_t)c->keys + 31) / 32 * 32;
}

static bool allocate_stack(const sac_captioner *c, sac_captioner_stack_decoding *s)
{
    size_t layers = (size_t)c->shape.stack.layers, width = (size_t)c->depth;
    size_t steps = (size_t)sac_captioner_longest(&c->shape);
    s->key = malloc(layers * (size_t)c->cells * width * sizeof *s->key);
    s->queries = malloc(steps * layers * SAC_BEAM_WIDTH * width * sizeof *s->queries);
    return s->key && s->queries;
}

static sac_tensor *panels_of_keys(const sac_captioner *c, sac_captioner_encoder *e)
{
    return &e->panels[c->shape.layers];
}

static void shape_encoder(sac_captioner *c, sac_arena *arena, sac_captioner_encoder *e)
{
    sac_pass *pass = &c->base.pass;
    for (int i = 0; i < c->shape.layers; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        sac_arena_shape(arena, pass, &e->panels[i], 1, sac_convolution_panels(pass, &layer));
    }
    if (c->weights.key)
        sac_arena_shape(arena, pass, panels_of_keys(c, e), 1,
                        sac_linear_panels(pass, c->weights.key));
    if (c->weights.from_word)
        sac_arena_shape(arena, pass, &e->gates_of_word, (size_t)c->shape.vocabulary,
                        4 * (size_t)c->shape.hidden);
}

enum { ROWS = SAC_BEAM_WIDTH };

static size_t max_step_count(const sac_captioner *c)
{
    return (size_t)sac_captioner_longest(&c->shape);
}

typedef struct sac_decode_buffers buffers;

static void shape_all(sac_captioner *c, buffers *s)
{
    sac_pass *pass = &c->base.pass;
    shape_encoder(c, &s->arena, &s->encoder);
    sac_captioner_shape_features(c, &s->arena, 1, &s->f);
    if (sac_captioner_has_layers(&c->shape)) {
        sac_stack_decoding_shape(&c->base.pass, &s->arena, &c->weights.stack, (size_t)c->cells,
                                 (size_t)sac_captioner_longest(&c->shape), &s->stack.words);
        return;
    }
    size_t hidden = (size_t)c->shape.hidden, cells = (size_t)c->cells, depth = (size_t)c->depth;
    size_t vocabulary = (size_t)c->shape.vocabulary, embedding = (size_t)c->shape.embedding;
    size_t padded = sac_captioner_padded_keys(c), sentence = depth + 4 * hidden + embedding;
    size_t result = vocabulary + cells + (size_t)c->keys + sizeof(sac_row_end) / sizeof(float);
    sac_arena_shape_bytes(&s->arena, pass, &s->mask, cells);
    sac_arena_shape_ints(&s->arena, pass, &s->given, max_step_count(c));
    sac_arena_shape(&s->arena, pass, &s->spot, 1, cells);
    sac_arena_shape(&s->arena, pass, &s->states, (max_step_count(c) + 1) * ROWS, 2 * hidden);
    sac_arena_shape(&s->arena, pass, &s->results, (max_step_count(c) + 1) * ROWS, result);
    sac_arena_shape(&s->arena, pass, &s->work, 1,
                    cells * (padded + 1) + padded + ROWS * (sentence + padded));
}

static bool allocate_host(const sac_captioner *c, buffers *s)
{
    size_t side = (size_t)c->shape.side + 2, results = sac_tensor_count(s->results);
    s->pixels = calloc(side * side * 3, sizeof *s->pixels);
    s->spot_read = calloc((size_t)c->cells, sizeof *s->spot_read);
    s->held = calloc(SAC_STACK_LAYERS * SAC_STACK_HEADS, 1);
    if (!s->pixels || !s->spot_read || !s->held)
        return false;
    if (sac_captioner_has_layers(&c->shape))
        return allocate_stack(c, &s->stack);
    s->query_read = malloc(max_step_count(c) * ROWS * (size_t)c->keys * sizeof *s->query_read);
    s->results_read = malloc(results * sizeof *s->results_read);
    return s->query_read && s->results_read;
}

sac_status sac_decode_buffers_prepare(sac_captioner *c, sac_error *error)
{
    if (c->decode)
        return SAC_OK;
    buffers *s = calloc(1, sizeof *s);
    sac_status status = SAC_OK;
    if (s) {
        shape_all(c, s);
        status = sac_pass_end(&c->base.pass, error);
    }
    if (!s || (status == SAC_OK && !allocate_host(c, s)))
        status = sac_no_memory(error, "captioner");
    if (status == SAC_OK)
        c->decode = s;
    else
        sac_decode_buffers_destroy(s);
    return status;
}

void sac_decode_buffers_destroy(buffers *s)
{
    if (!s)
        return;
    sac_arena_release(&s->arena);
    sac_captioner_release_features(&s->f);
    free(s->stack.key);
    free(s->stack.queries);
    free(s->pixels);
    free(s->results_read);
    free(s->query_read);
    free(s->spot_read);
    free(s->held);
    free(s);
}

/* ---------------------------------------------------------------- one picture */

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
    if (c->weights.from_word)
        sac_linear_forward(pass, e->gates_of_word, c->weights.embedding->value,
                           c->weights.from_word, c->weights.lstm_bias);
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
        sac_convolution_infer(pass, &layer, f->layer[i], i < last,
                              i ? f->layer[i - 1] : f->pictures, e->panels[i], w->encoder[i].bias);
    }
    sac_layer_norm_forward(pass, &w->norm, f->features, f->layer[last]);
    if (w->key)
        sac_linear_infer(pass, f->keys, f->features, *panels_of_keys(c, e), w->key_bias, false, 0);
}

/* Numbers of a picture for layers of its own into the middle of its border; a byte's is looked up. */
static void write_normalized_pixels(const uint8_t *restrict rgba, size_t side,
                                    float *restrict pixels)
{
    float lights[UINT8_MAX + 1];
    for (int byte = 0; byte <= UINT8_MAX; byte++)
        lights[byte] = sac_captioner_light((uint8_t)byte);
    pixels += 3 * (side + 3);
    for (size_t y = 0; y < side; y++, rgba += 4 * side, pixels += 3 * (side + 2))
        for (size_t x = 0; x < side; x++)
            for (size_t k = 0; k < 3; k++)
                pixels[3 * x + k] = lights[rgba[4 * x + k]];
}

/* Where loops may not be long, the layers of training do it: they cut products into pieces. */
void sac_captioner_encode_picture(sac_captioner *c, const uint8_t *rgba)
{
    struct sac_decode_buffers *s = c->decode;
    sac_pass *pass = &c->base.pass;
    size_t limit = 0;
    SAC_PASS_CALL(pass, sac_quirk_loop_limit(pass->device, &limit, &pass->error));
    if (!c->shape.layers) {
        size_t side = (size_t)c->shape.side;
        c->encoder->light(&c->shape, rgba, side * side, s->pixels);
        c->encoder->write(c, &s->f, s->pixels);
        pack(c, &s->encoder);
        sac_captioner_encode(c, &s->f, NULL);
        return;
    }
    write_normalized_pixels(rgba, (size_t)c->shape.side, s->pixels);
    sac_pass_write(pass, s->f.pictures, s->pixels);
    pack(c, &s->encoder);
    if (limit)
        sac_captioner_encode(c, &s->f, NULL);
    else
        run(c, &s->encoder, &s->f);
}

sac_status sac_captioner_encode_grid(sac_captioner *c, const float *grid, sac_error *error)
{
    sac_pass *pass = &c->base.pass;
    sac_status status = sac_decode_buffers_prepare(c, error);
    if (status != SAC_OK)
        return status;
    sac_captioner_features *f = &c->decode->f;
    f->first = c->first;
    c->encoder->write(c, f, grid);
    pack(c, &c->decode->encoder);
    sac_captioner_encode(c, f, NULL);
    f->first = 0;
    return sac_pass_end(pass, error);
}
