/* A row of an attention, brought into the form of a source's explanation. */

#include "sources/files/explain_row.h"

#include <stdlib.h>
#include <string.h>

#include "attention/run/explain.h"
#include "base/error.h"

/* Moves what belongs to the keys that are kept to the front: `width` numbers a key. */
static void compact_kept_keys(float *numbers, size_t width, const size_t *kept, size_t count)
{
    for (size_t i = 0; numbers && i < count; i++)
        memmove(numbers + i * width, numbers + kept[i] * width, width * sizeof *numbers);
}

sac_status sac_explain_kept(sac_attention *attention, const sac_explanation_request *request,
                            double temperature, const size_t *kept, size_t count,
                            sac_explanation *e, sac_error *error)
{
    sac_attention_row row;
    *e = (sac_explanation){.position = request->position};
    sac_status status = sac_attention_read_row(attention, request->batch, request->head,
                                               request->step, &row, error);
    if (status != SAC_OK)
        return status;
    /* The arrays of the row change hands. */
    e->score = row.score;
    e->normalizer = row.normalizer;
    e->keys = row.keys;
    e->dim = row.dim;
    e->value_dim = row.value_dim;
    e->scale = row.scale * temperature;
    e->temperature = temperature;
    e->inverse_width = row.inverse_width;
    e->softcap = row.softcap;
    e->sink = row.sink;
    e->has_sink = row.has_sink;
    e->gate = 1;
    e->query = row.query;
    e->key = row.key;
    e->w_v = row.w_v;
    e->bias = row.bias;
    e->value = row.value;
    sac_tile tile = {request->batch, request->head, request->step, 1, 0, e->keys};
    e->weights = malloc(e->keys * sizeof *e->weights);
    status = e->weights ? sac_attention_tile(attention, &tile, e->weights, error)
                        : sac_no_memory(error, "weight");
    if (status == SAC_OK && kept) {
        compact_kept_keys(e->weights, 1, kept, count);
        compact_kept_keys(e->key, e->dim, kept, count);
        compact_kept_keys(e->bias, 1, kept, count);
        compact_kept_keys(e->value, e->value_dim, kept, count);
        e->keys = count;
    }
    if (status == SAC_OK && request->position >= e->keys)
        status = sac_fail(error, SAC_E_ARGUMENT, "weight", NULL, "there is no key %zu of %zu",
                          request->position, e->keys);
    if (status == SAC_OK)
        status = sac_explanation_compute(e, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}

sac_status sac_explain_attention(sac_attention *attention, const sac_explanation_request *request,
                                 double temperature, sac_explanation *e, sac_error *error)
{
    return sac_explain_kept(attention, request, temperature, NULL, 0, e, error);
}
