/* A row of an attention, brought into the form of a trace's explanation. */

#include "sources/explain.h"

#include <stdlib.h>

#include "attention/run/explain.h"
#include "base/error.h"

static sac_status read_weights(sac_attention *attention, const sac_explanation_request *request,
                               sac_explanation *e, sac_error *error)
{
    sac_tile row = {request->batch, request->head, request->step, 1, 0, e->keys};
    e->weights = malloc(e->keys * sizeof *e->weights);
    if (!e->weights)
        return sac_fail(error, SAC_E_MEMORY, "weight", NULL, "no memory to take it apart");
    return sac_attention_tile(attention, &row, e->weights, error);
}

/* The arrays change hands. */
static void take_row(const sac_attention_row *row, double temperature, sac_explanation *e)
{
    e->score = row->score;
    e->keys = row->keys;
    e->dim = row->dim;
    e->value_dim = row->value_dim;
    e->scale = row->scale * temperature;
    e->temperature = temperature;
    e->inverse_width = row->inverse_width;
    e->gate = 1;
    e->query = row->query;
    e->key = row->key;
    e->w_v = row->w_v;
    e->bias = row->bias;
    e->value = row->value;
}

sac_status sac_explain_attention(sac_attention *attention, const sac_explanation_request *request,
                                 double temperature, sac_explanation *e, sac_error *error)
{
    sac_attention_row row;
    *e = (sac_explanation){.position = request->position};
    sac_status status = sac_attention_read_row(attention, request->batch, request->head,
                                               request->step, &row, error);
    if (status != SAC_OK)
        return status;
    take_row(&row, temperature, e);
    if (request->position >= e->keys)
        status = sac_fail(error, SAC_E_ARGUMENT, "weight", NULL, "there is no key %zu of %zu",
                          request->position, e->keys);
    if (status == SAC_OK)
        status = read_weights(attention, request, e, error);
    if (status == SAC_OK)
        status = sac_explanation_compute(e, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}
