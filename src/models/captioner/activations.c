#include "captioner/activations.h"

#include <stdlib.h>

#include "base/error.h"
#include "scenes/scene.h"

typedef struct room {
    sac_span *span;
    size_t floats;
} room;

static sac_status reserve(sac_device *device, const room *rooms, size_t count, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < count; i++)
        if (rooms[i].floats)
            status = sac_span_create(device, rooms[i].floats, NULL, rooms[i].span, error);
    return status;
}

/* Floats of layer `index`'s result. */
static size_t layer_floats(const sac_captioner_shape *shape, int index, size_t batch)
{
    sac_convolution layer = sac_captioner_layer(shape, index, batch);
    return batch * layer.out * sac_convolution_out(layer.height, layer.stride) *
           sac_convolution_out(layer.width, layer.stride);
}

static sac_status reserve_encoder(const sac_captioner *c, sac_captioner_training *t,
                                  sac_error *error)
{
    const sac_captioner_shape *shape = &c->shape;
    size_t side = (size_t)shape->side, most = 0;
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < shape->layers; i++) {
        size_t floats = layer_floats(shape, i, t->batch);
        status = sac_span_create(t->device, floats, NULL, &t->between[i], error);
        most = i + 1 < shape->layers && floats > most ? floats : most;
    }
    const room rooms[] = {
        {&t->pictures, t->batch * side * side * 3},
        {&t->columns, sac_captioner_columns(shape, t->batch)},
        {&t->dbetween[0], most},
        {&t->dbetween[1], most},
    };
    return status == SAC_OK ? reserve(t->device, rooms, sizeof rooms / sizeof *rooms, error)
                            : status;
}

static sac_status reserve_features(const sac_captioner *c, sac_captioner_training *t,
                                   sac_error *error)
{
    size_t cells = t->batch * (size_t)c->cells;
    size_t depth = (size_t)c->depth, keys = (size_t)c->keys;
    sac_layer_norm norm = sac_captioner_norm(c, t->batch);
    const room rooms[] = {
        {&t->norm_scratch, sac_layer_norm_scratch(&norm)},
        {&t->features, cells * depth},
        {&t->dfeatures, cells * depth},
        {&t->keys, c->shape.score == SAC_SCORE_BILINEAR ? 0 : cells * keys},
        {&t->dkeys, cells * keys},
        {&t->mean, t->batch * depth},
        {&t->dmean, t->batch * depth},
        {&t->cover, cells * SAC_SCENE_OBJECTS},
    };
    return reserve(t->device, rooms, sizeof rooms / sizeof *rooms, error);
}

static sac_status reserve_decoder(const sac_captioner *c, sac_captioner_training *t,
                                  sac_error *error)
{
    size_t rows = t->batch * t->steps, hidden = (size_t)c->shape.hidden;
    size_t embedding = (size_t)c->shape.embedding, vocabulary = (size_t)c->shape.vocabulary;
    size_t depth = (size_t)c->depth, keys = (size_t)c->keys, cells = (size_t)c->cells;
    size_t states = rows + t->batch;
    sac_gaze gaze = sac_captioner_gaze(c, t->batch);
    const room rooms[] = {
        {&t->states, states * hidden},
        {&t->dstates, states * hidden},
        {&t->cells, states * hidden},
        {&t->dcell, t->batch * hidden},
        {&t->embedded, rows * embedding},
        {&t->dembedded, rows * embedding},
        {&t->query, rows * keys},
        {&t->dquery, rows * keys},
        {&t->gate, rows},
        {&t->dgate, rows},
        {&t->weights, rows * cells},
        {&t->dweights, rows * cells},
        {&t->z, rows * depth},
        {&t->dz, rows * depth},
        {&t->gates, rows * 4 * hidden},
        {&t->dgates, rows * 4 * hidden},
        {&t->context, rows * depth},
        {&t->mixed, rows * embedding},
        {&t->logits, rows * vocabulary},
        {&t->word_loss, rows},
        {&t->gaze_loss, 2 * t->batch},
        {&t->scratch, sac_gaze_scratch(&gaze)},
    };
    return reserve(t->device, rooms, sizeof rooms / sizeof *rooms, error);
}

static sac_status reserve_words(sac_captioner_training *t, sac_error *error)
{
    size_t rows = t->batch * t->steps, bytes = rows * sizeof(int);
    t->losses = malloc((rows + 2 * t->batch) * sizeof *t->losses);
    t->host_targets = malloc(bytes);
    if (!t->losses || !t->host_targets)
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "no memory for a batch's words");
    sac_status status = sac_buffer_create(t->device, bytes, NULL, &t->inputs, error);
    if (status == SAC_OK)
        status = sac_buffer_create(t->device, bytes, NULL, &t->targets, error);
    if (status == SAC_OK)
        status = sac_buffer_create(t->device, bytes, NULL, &t->object_of_word, error);
    if (status == SAC_OK)
        status = sac_buffer_create(t->device, t->batch * sizeof(int), NULL, &t->lengths, error);
    return status;
}

sac_status sac_captioner_training_reserve(sac_captioner *c, size_t batch, size_t steps,
                                          sac_error *error)
{
    if (c->training && c->training->batch >= batch && c->training->steps >= steps)
        return SAC_OK;
    sac_captioner_training_destroy(c->training);
    c->training = NULL;
    sac_captioner_training *t = calloc(1, sizeof *t);
    if (!t)
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "no memory for a batch");
    *t = (sac_captioner_training){.device = c->device, .batch = batch, .steps = steps};
    sac_status status = reserve_words(t, error);
    if (status == SAC_OK)
        status = reserve_encoder(c, t, error);
    if (status == SAC_OK)
        status = reserve_features(c, t, error);
    if (status == SAC_OK)
        status = reserve_decoder(c, t, error);
    if (status == SAC_OK)
        c->training = t;
    else
        sac_captioner_training_destroy(t);
    return status;
}

void sac_captioner_training_destroy(sac_captioner_training *t)
{
    if (!t)
        return;
    sac_span *spans[] = {
        &t->pictures,     &t->columns,   &t->features,    &t->keys,        &t->mean,
        &t->states,       &t->cells,     &t->embedded,    &t->mixed,       &t->query,
        &t->gate,         &t->weights,   &t->context,     &t->z,           &t->gates,
        &t->logits,       &t->cover,     &t->word_loss,   &t->dfeatures,   &t->dkeys,
        &t->dmean,        &t->dstates,   &t->dcell,       &t->dembedded,   &t->dquery,
        &t->dgate,        &t->dweights,  &t->dz,          &t->dgates,      &t->scratch,
        &t->norm_scratch, &t->gaze_loss, &t->dbetween[0], &t->dbetween[1],
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
    for (int i = 0; i < SAC_CAPTIONER_LAYERS; i++)
        sac_span_release(&t->between[i]);
    sac_buffer_release(t->inputs);
    sac_buffer_release(t->targets);
    sac_buffer_release(t->object_of_word);
    sac_buffer_release(t->lengths);
    free(t->losses);
    free(t->host_targets);
    free(t);
}
