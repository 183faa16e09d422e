/* Buffers of the captioner's decoding, reserved for the largest beam so far. */

#include "captioner/decode/decode_buffers.h"

#include <stdlib.h>

#include "base/error.h"
#include "captioner/decode/decode_step.h"

enum { ROWS = SAC_BEAM_WIDTH };

static size_t steps_of(const sac_captioner *c)
{
    return (size_t)sac_captioner_longest(&c->shape);
}

typedef struct sac_decode_buffers buffers;

static void shape_all(sac_captioner *c, buffers *s)
{
    sac_pass *pass = &c->base.pass;
    sac_captioner_shape_encoder(c, &s->arena, &s->encoder);
    sac_captioner_shape_features(c, &s->arena, 1, &s->f);
    if (sac_captioner_has_layers(&c->shape)) {
        sac_captioner_stack_decoding_shape(c, &s->arena, &s->stack);
        return;
    }
    size_t hidden = (size_t)c->shape.hidden, cells = (size_t)c->cells, depth = (size_t)c->depth;
    size_t vocabulary = (size_t)c->shape.vocabulary, embedding = (size_t)c->shape.embedding;
    size_t padded = sac_captioner_padded_keys(c), sentence = depth + 4 * hidden + embedding;
    size_t result = vocabulary + cells + (size_t)c->keys + sizeof(sac_row_end) / sizeof(float);
    sac_arena_shape_bytes(&s->arena, pass, &s->mask, cells);
    sac_arena_shape_ints(&s->arena, pass, &s->given, steps_of(c));
    sac_arena_shape(&s->arena, pass, &s->states, (steps_of(c) + 1) * ROWS, 2 * hidden);
    sac_arena_shape(&s->arena, pass, &s->results, (steps_of(c) + 1) * ROWS, result);
    sac_arena_shape(&s->arena, pass, &s->work, 1,
                    cells * (padded + 1) + padded + ROWS * (sentence + padded));
}

static bool allocate_host(const sac_captioner *c, buffers *s)
{
    size_t side = (size_t)c->shape.side + 2, results = sac_tensor_count(s->results);
    s->pixels = calloc(side * side * 3, sizeof *s->pixels);
    if (sac_captioner_has_layers(&c->shape))
        return s->pixels && sac_captioner_stack_decoding_allocate(c, &s->stack);
    s->query_read = malloc(steps_of(c) * ROWS * (size_t)c->keys * sizeof *s->query_read);
    s->results_read = malloc(results * sizeof *s->results_read);
    return s->pixels && s->query_read && s->results_read;
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
    sac_captioner_stack_decoding_free(&s->stack);
    free(s->pixels);
    free(s->results_read);
    free(s->query_read);
    free(s);
}
