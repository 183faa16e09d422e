/* The numbers behind one row of weights. */
#include "attention/run/explain.h"

#include <math.h>
#include <stdlib.h>

#include "attention/run/run.h"
#include "attention/spec/resolve.h"
#include "base/error.h"

static sac_status no_memory(sac_error *error)
{
    return sac_no_memory(error, "row");
}

static sac_status allocate_row_numbers(const sac_attention *self, sac_attention_row *n,
                                       sac_error *error)
{
    n->query = malloc(n->dim * sizeof *n->query);
    n->key = malloc(n->keys * n->dim * sizeof *n->key);
    n->bias = calloc(n->keys, sizeof *n->bias);
    bool whole = n->query && n->key && n->bias;
    if (self->score_weight)
        whole &= (n->w_v = malloc(n->dim * sizeof *n->w_v)) != NULL;
    if (n->value_dim)
        whole &= (n->value = malloc(n->keys * n->value_dim * sizeof *n->value)) != NULL;
    return whole ? SAC_OK : no_memory(error);
}

static sac_status read_vectors(sac_attention *self, size_t matrix, size_t row, sac_attention_row *n,
                               sac_error *error)
{
    size_t shared = matrix / self->problem.group;
    sac_status status = sac_read_query(self, matrix, row, n->query, error);
    if (status == SAC_OK)
        status = sac_read_keys(self, shared, n->key, error);
    if (status == SAC_OK && n->value)
        status = sac_read_values(self, shared, n->value, error);
    if (status == SAC_OK && n->w_v)
        status = sac_buffer_read(self->device, self->score_weight, 0, n->dim * sizeof *n->w_v,
                                 n->w_v, error);
    return status;
}

/* ---------------------------------------------------------------- masks */

static void hide_by_place(const sac_attention *self, size_t row, sac_attention_row *n)
{
    const sac_problem *p = &self->problem;
    ptrdiff_t place = (ptrdiff_t)row + p->offset, window = (ptrdiff_t)p->window;
    for (size_t j = 0; j < n->keys; j++) {
        ptrdiff_t ahead = (ptrdiff_t)j - place;
        if (((p->flags & SAC_CAUSAL) && ahead > 0) ||
            ((p->flags & SAC_WINDOW) && (ahead >= window || -ahead >= window)))
            n->bias[j] = -INFINITY;
    }
}

/* `bytes` [n->keys], or [1] for all keys: 1 hides. */
static void hide_by_bytes(const uint8_t *bytes, size_t stride, sac_attention_row *n)
{
    for (size_t j = 0; j < n->keys; j++)
        if (bytes[j * stride])
            n->bias[j] = -INFINITY;
}

static sac_status read_padding(sac_attention *self, size_t batch, sac_attention_row *n,
                               sac_error *error)
{
    uint8_t *bytes = malloc(n->keys);
    if (!bytes)
        return no_memory(error);
    sac_status status =
        sac_buffer_read(self->device, self->padding, batch * n->keys, n->keys, bytes, error);
    if (status == SAC_OK)
        hide_by_bytes(bytes, 1, n);
    free(bytes);
    return status;
}

static sac_status read_mask(sac_attention *self, size_t batch, size_t head, size_t row,
                            sac_attention_row *n, sac_error *error)
{
    const sac_problem *p = &self->problem;
    bool floats = p->flags & SAC_MASK_FLOAT;
    size_t size = floats ? sizeof(float) : 1, count = p->mask_key ? n->keys : 1;
    size_t at = batch * p->mask_batch + head * p->mask_head + row * p->mask_query;
    void *numbers = malloc(count * size);
    if (!numbers)
        return no_memory(error);
    sac_status status =
        sac_buffer_read(self->device, self->mask, at * size, count * size, numbers, error);
    if (status == SAC_OK && floats) {
        const float *biases = numbers; /* in base 2, as kernels take them */
        for (size_t j = 0; j < n->keys; j++) {
            float bias = biases[j * p->mask_key];
            n->bias[j] += bias < -1.5e38f ? -INFINITY : (float)(bias * M_LN2);
        }
    } else if (status == SAC_OK)
        hide_by_bytes(numbers, p->mask_key, n);
    free(numbers);
    return status;
}

static sac_status read_masks(sac_attention *self, size_t batch, size_t head, size_t row,
                             sac_attention_row *n, sac_error *error)
{
    unsigned flags = self->problem.flags;
    sac_status status = SAC_OK;
    if (flags & (SAC_MASK_BOOL | SAC_MASK_FLOAT))
        status = read_mask(self, batch, head, row, n, error);
    if (status == SAC_OK && (flags & SAC_PADDING))
        status = read_padding(self, batch, n, error);
    hide_by_place(self, row, n);
    return status;
}

static sac_status read_sink(sac_attention *self, size_t head, sac_attention_row *n,
                            sac_error *error)
{
    float sink;
    sac_status status =
        sac_buffer_read(self->device, self->sinks.buffer, (self->sinks.at + head) * sizeof sink,
                        sizeof sink, &sink, error);
    n->has_sink = status == SAC_OK && isfinite(sink);
    n->sink = n->has_sink ? (double)sink : 0;
    return status;
}

/* ---------------------------------------------------------------- all of it */

static sac_status read_row(sac_attention *self, size_t batch, size_t head, size_t row,
                           sac_attention_row *n, sac_error *error)
{
    const sac_attention_shape *shape = &self->shape;
    sac_tile tile = {batch, head, row, 1, 0, shape->keys};
    sac_status status = sac_tile_check(self, &tile, error);
    if (status != SAC_OK)
        return status;
    n->score = self->spec.score;
    n->normalizer = self->spec.normalizer;
    n->keys = shape->keys;
    n->dim = self->prepared_dim;
    n->value_dim = self->value ? shape->value_dim : 0;
    n->scale = sac_attention_scale(&self->spec, shape->query_dim, shape->key_dim);
    n->inverse_width = sac_attention_inverse_width(&self->spec);
    n->softcap = (double)self->spec.softcap;
    status = allocate_row_numbers(self, n, error);
    if (status == SAC_OK)
        status = read_vectors(self, batch * shape->heads + head, row, n, error);
    if (status == SAC_OK && self->sinks.buffer)
        status = read_sink(self, head, n, error);
    return status == SAC_OK ? read_masks(self, batch, head, row, n, error) : status;
}

sac_status sac_attention_read_row(sac_attention *attention, size_t batch, size_t head, size_t row,
                                  sac_attention_row *numbers, sac_error *error)
{
    *numbers = (sac_attention_row){0};
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = read_row(attention, batch, head, row, numbers, error);
    sac_device_unlock(attention->device);
    if (status == SAC_OK)
        return SAC_OK;
    free(numbers->query);
    free(numbers->key);
    free(numbers->w_v);
    free(numbers->bias);
    free(numbers->value);
    *numbers = (sac_attention_row){0};
    return status;
}
