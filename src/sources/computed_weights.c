/* Layers of queries and keys, each prepared when it is first looked at. */

#include "sources/computed_weights.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_same_shape(const sac_attention_shape *a, const sac_attention_shape *b)
{
    return a->batch == b->batch && a->heads == b->heads && a->queries == b->queries &&
           a->keys == b->keys;
}

static sac_status check_like_first(const sac_computed_weights *computed, size_t layer,
                                   const sac_attention_shape *shape, sac_error *error)
{
    const sac_attention_shape *first = &computed->shape;
    if (layer == 0 || is_same_shape(shape, first))
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, computed->layers[layer].name,
                    "choose layers of one size with --take NAME",
                    "weights [%zu,%zu,%zu,%zu] are not of the first layer's sizes "
                    "[%zu,%zu,%zu,%zu]",
                    shape->batch, shape->heads, shape->queries, shape->keys, first->batch,
                    first->heads, first->queries, first->keys);
}

/* Values serve only to show what a weight leads to: where they do not fit, the layer is read
 * without them. */
static sac_status read_layer(const sac_computed_weights *computed, size_t layer,
                             sac_attention_file *file, sac_error *error)
{
    sac_attention_request request = computed->request;
    request.query = computed->layers[layer].name;
    request.extent = SAC_EXTENT_HEADS;
    if (sac_attention_file_read(computed->arrays, &request, file, NULL) == SAC_OK)
        return SAC_OK;
    request.extent = SAC_EXTENT_WEIGHTS;
    return sac_attention_file_read(computed->arrays, &request, file, error);
}

static sac_status prepare(sac_computed_weights *computed, size_t layer, sac_error *error)
{
    sac_attention_file file;
    sac_status status = read_layer(computed, layer, &file, error);
    if (status == SAC_OK)
        status = check_like_first(computed, layer, &file.shape, error);
    if (status == SAC_OK)
        status = sac_attention_create(computed->device, &file.spec, &file.input,
                                      &computed->attention[layer], error);
    if (status == SAC_OK && layer == 0) {
        computed->shape = file.shape;
        memcpy(computed->masks, file.masks, sizeof computed->masks);
        memcpy(computed->note, file.note, sizeof computed->note);
    }
    sac_attention_file_free(&file);
    return status;
}

sac_status sac_computed_weights_layer(sac_computed_weights *computed, size_t layer,
                                      sac_attention **attention, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < computed->count && !computed->keeps_all; i++)
        if (i != layer) {
            sac_attention_destroy(computed->attention[i]);
            computed->attention[i] = NULL;
        }
    if (!computed->attention[layer])
        status = prepare(computed, layer, error);
    *attention = computed->attention[layer];
    return status;
}

/* Up to 1 GiB of queries and keys stays prepared. */
static bool all_fit(const sac_array_group *queries)
{
    double numbers = 2.0 * (double)sac_array_count(queries->layers[0].array);
    return 4 * numbers * (double)queries->count <= 0x1p30;
}

sac_status sac_computed_weights_open(const sac_arrays *arrays, const sac_array_group *queries,
                                     const sac_attention_request *request, const char *device,
                                     sac_computed_weights *computed, sac_error *error)
{
    sac_attention *first;
    size_t count = queries->count;
    *computed = (sac_computed_weights){.arrays = arrays,
                                       .layers = calloc(count, sizeof *computed->layers),
                                       .count = count,
                                       .request = *request,
                                       .attention = calloc(count, sizeof(sac_attention *)),
                                       .keeps_all = all_fit(queries)};
    sac_status status = SAC_OK;
    if (!computed->layers || !computed->attention)
        status = sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu layers", count);
    if (status == SAC_OK) {
        memcpy(computed->layers, queries->layers, count * sizeof *queries->layers);
        status = sac_device_open(device, &computed->device, error);
    }
    if (status == SAC_OK)
        status = sac_computed_weights_layer(computed, 0, &first, error);
    if (status != SAC_OK)
        sac_computed_weights_free(computed);
    return status;
}

sac_status sac_computed_weights_masked(sac_computed_weights *computed, size_t layer,
                                       const sac_tile *tile, uint8_t *masked, sac_error *error)
{
    sac_status status = SAC_OK;
    if (computed->masked_layer != layer + 1) {
        sac_attention_file file;
        computed->masked_layer = 0;
        sac_masked_keys_free(&computed->masked);
        status = read_layer(computed, layer, &file, error);
        if (status == SAC_OK)
            status = sac_masked_keys_read(&file, &computed->masked, error);
        sac_attention_file_free(&file);
    }
    if (status != SAC_OK)
        return status;
    computed->masked_layer = layer + 1;
    sac_masked_keys_tile(&computed->masked, tile, masked);
    return SAC_OK;
}

void sac_computed_weights_free(sac_computed_weights *computed)
{
    sac_masked_keys_free(&computed->masked);
    for (size_t i = 0; computed->attention && i < computed->count; i++)
        sac_attention_destroy(computed->attention[i]);
    free(computed->attention);
    free(computed->layers);
    sac_device_close(computed->device);
    *computed = (sac_computed_weights){0};
}
