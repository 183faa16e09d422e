/* Buffers of the captioner's decoding, reserved for the largest beam so far. */

#include "captioner/decode_buffers.h"

#include <stdlib.h>

#include "base/error.h"

enum { ROWS = SAC_BEAM_WIDTH };

typedef struct sac_decode_buffers buffers;

static void shape_picture(sac_captioner *c, buffers *s)
{
    size_t hidden = (size_t)c->shape.hidden;
    sac_captioner_shape_features(c, &s->arena, 1, &s->f);
    sac_arena_shape(&s->arena, &c->base.pass, &s->first_state, 1, hidden);
    sac_arena_shape(&s->arena, &c->base.pass, &s->first_cell, 1, hidden);
    sac_arena_shape_bytes(&s->arena, &c->base.pass, &s->mask, (size_t)c->cells);
}

static void shape_sentences(sac_captioner *c, buffers *s)
{
    size_t hidden = (size_t)c->shape.hidden, depth = (size_t)c->depth;
    const struct {
        sac_tensor *tensor;
        size_t width;
    } all[] = {
        {&s->embedded, (size_t)c->shape.embedding},
        {&s->mixed, (size_t)c->shape.embedding},
        {&s->logits, (size_t)c->shape.vocabulary},
        {&s->state, hidden},
        {&s->cell, hidden},
        {&s->next_state, hidden},
        {&s->next_cell, hidden},
        {&s->gates, 4 * hidden},
        {&s->query, (size_t)c->keys},
        {&s->beta, 1},
        {&s->weights, (size_t)c->cells},
        {&s->context, depth},
        {&s->z, depth},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_arena_shape(&s->arena, &c->base.pass, all[i].tensor, ROWS, all[i].width);
    sac_arena_shape_ints(&s->arena, &c->base.pass, &s->words, ROWS);
    sac_arena_shape_ints(&s->arena, &c->base.pass, &s->parents, ROWS);
}

static bool allocate_host(const sac_captioner *c, buffers *s)
{
    size_t side = (size_t)c->shape.side;
    s->pixels = malloc(side * side * 3 * sizeof *s->pixels);
    s->query_read = malloc(SAC_CAPTION_WORDS * ROWS * (size_t)c->keys * sizeof *s->query_read);
    return s->pixels && s->query_read;
}

sac_status sac_decode_buffers_prepare(sac_captioner *c, sac_error *error)
{
    if (c->decode)
        return SAC_OK;
    buffers *s = calloc(1, sizeof *s);
    sac_status status = SAC_OK;
    if (!s || !allocate_host(c, s))
        status = sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory to speak");
    if (status == SAC_OK) {
        shape_picture(c, s);
        shape_sentences(c, s);
        status = sac_pass_end(&c->base.pass, error);
    }
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
    free(s->pixels);
    free(s->query_read);
    free(s);
}
