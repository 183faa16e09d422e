#include "captioner/decode_buffers.h"

#include <stdlib.h>

#include "base/error.h"

enum { STEPS = SAC_CAPTION_WORDS, ROWS = SAC_BEAM_WIDTH };

typedef struct room {
    sac_span *span;
    size_t floats;
} room;

static sac_status make_room(sac_device *device, const room *rooms, size_t count, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status = sac_span_create(device, rooms[i].floats, NULL, rooms[i].span, error);
    return status;
}

static sac_status make_picture_room(sac_captioner *c, struct sac_decode_buffers *s,
                                    sac_error *error)
{
    size_t cells = (size_t)c->cells, depth = (size_t)c->depth, hidden = (size_t)c->shape.hidden;
    size_t side = (size_t)c->shape.side, keys = (size_t)c->keys;
    const room rooms[] = {{&s->picture, side * side * 3},
                          {&s->columns, sac_captioner_columns(&c->shape, 1)},
                          {&s->features, cells * depth},
                          {&s->keys, cells * keys},
                          {&s->mean, depth},
                          {&s->first_state, hidden},
                          {&s->first_cell, hidden},
                          {&s->mask, cells}};
    sac_status status = make_room(c->device, rooms, sizeof rooms / sizeof *rooms, error);
    for (int i = 0; i < c->shape.layers && status == SAC_OK; i++) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, 1);
        size_t out = sac_convolution_out(layer.height, layer.stride);
        room result = {&s->between[i], out * out * layer.out};
        status = make_room(c->device, &result, 1, error);
    }
    return status;
}

static sac_status make_sentence_room(sac_captioner *c, struct sac_decode_buffers *s,
                                     sac_error *error)
{
    size_t cells = (size_t)c->cells, depth = (size_t)c->depth, hidden = (size_t)c->shape.hidden;
    size_t embedding = (size_t)c->shape.embedding, vocabulary = (size_t)c->shape.vocabulary;
    const room rooms[] = {
        {&s->embedded, ROWS * embedding},
        {&s->mixed, ROWS * embedding},
        {&s->logits, ROWS * vocabulary},
        {&s->state, ROWS * hidden},
        {&s->cell, ROWS * hidden},
        {&s->next_state, ROWS * hidden},
        {&s->next_cell, ROWS * hidden},
        {&s->gates, ROWS * 4 * hidden},
        {&s->query, ROWS * (size_t)c->keys},
        {&s->gate, ROWS},
        {&s->weights, ROWS * cells},
        {&s->context, ROWS * depth},
        {&s->z, ROWS * depth},
    };
    sac_status status = make_room(c->device, rooms, sizeof rooms / sizeof *rooms, error);
    if (status == SAC_OK)
        status = sac_buffer_create(c->device, 2 * ROWS * sizeof(cl_int), NULL, &s->rows, error);
    return status;
}

static sac_status make_host_room(const sac_captioner *c, struct sac_decode_buffers *s,
                                 sac_error *error)
{
    size_t side = (size_t)c->shape.side, cells = (size_t)c->cells;
    s->pixels = malloc(side * side * 3 * sizeof *s->pixels);
    s->mask_host = malloc(cells * sizeof *s->mask_host);
    s->weights_read = malloc(STEPS * ROWS * cells * sizeof *s->weights_read);
    s->log_probability =
        malloc(STEPS * ROWS * (size_t)c->shape.vocabulary * sizeof *s->log_probability);
    if (s->pixels && s->mask_host && s->weights_read && s->log_probability)
        return SAC_OK;
    return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory to speak");
}

sac_status sac_decode_buffers_prepare(sac_captioner *c, sac_error *error)
{
    if (c->decode)
        return SAC_OK;
    struct sac_decode_buffers *s = calloc(1, sizeof *s);
    if (!s)
        return sac_fail(error, SAC_E_MEMORY, "captioner", NULL, "no memory to speak");
    sac_status status = make_host_room(c, s, error);
    if (status == SAC_OK)
        status = make_picture_room(c, s, error);
    if (status == SAC_OK)
        status = make_sentence_room(c, s, error);
    if (status == SAC_OK)
        c->decode = s;
    else
        sac_decode_buffers_destroy(s);
    return status;
}

void sac_decode_buffers_destroy(struct sac_decode_buffers *s)
{
    if (!s)
        return;
    sac_span *const spans[] = {
        &s->picture,    &s->features, &s->columns,     &s->keys,  &s->mean,  &s->mask,
        &s->first_cell, &s->embedded, &s->first_state, &s->state, &s->cell,  &s->query,
        &s->gate,       &s->weights,  &s->context,     &s->z,     &s->gates, &s->mixed,
        &s->next_state, &s->logits,   &s->next_cell};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
    for (int i = 0; i < SAC_CAPTIONER_LAYERS; i++)
        sac_span_release(&s->between[i]);
    sac_buffer_release(s->rows);
    free(s->pixels);
    free(s->mask_host);
    free(s->weights_read);
    free(s->log_probability);
    free(s);
}
