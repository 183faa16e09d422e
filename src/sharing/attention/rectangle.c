/* Parts of an attention, and what they give together. */
#include "sharing/attention/rectangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/spec/resolve.h"
#include "base/error.h"

/* The neighbours `span` along one axis, into `to`. */
static void copy_axis(const sac_array *array, int axis, sac_range span, void *to)
{
    size_t before = 1, after = sac_dtype_size(array->dtype);
    for (int i = 0; i < axis; i++)
        before *= array->shape[i];
    for (int i = axis + 1; i < array->rank; i++)
        after *= array->shape[i];
    size_t step = array->shape[axis] * after, bytes = span.count * after;
    for (size_t i = 0; i < before; i++)
        memcpy((char *)to + i * bytes, (const char *)array->data + i * step + span.first * after,
               bytes);
}

/* The neighbours `span` along one axis, into memory of their own; a form without data where the array
 * is one. */
static sac_status cut_axis(const sac_array *array, int axis, sac_range span, sac_array *cut,
                           sac_error *error)
{
    size_t shape[SAC_MAX_RANK];
    memcpy(shape, array->shape, sizeof shape);
    shape[axis] = span.count;
    if (!array->data) {
        *cut = sac_array_view(array->dtype, array->rank, shape, NULL);
        return SAC_OK;
    }
    sac_status status = sac_array_create(array->dtype, array->rank, shape, cut, error);
    if (status == SAC_OK)
        copy_axis(array, axis, span, cut->data);
    return status;
}

sac_status sac_vectors_cut(const sac_array *array, sac_range span, sac_array *cut, sac_error *error)
{
    *cut = (sac_array){0};
    return array ? cut_axis(array, array->rank - 2, span, cut, error) : SAC_OK;
}

void sac_vectors_copy(const sac_array *array, sac_range span, void *to)
{
    copy_axis(array, array->rank - 2, span, to);
}

/* ---------------------------------------------------------------- a rectangle */

static sac_status cut_mask(const sac_array *mask, sac_range queries, sac_range keys, sac_array *own,
                           sac_error *error)
{
    sac_array rows = {0};
    int rank = mask->rank;
    bool spreads = mask->shape[rank - 2] == 1; /* over the queries */
    sac_status status = spreads ? SAC_OK : cut_axis(mask, rank - 2, queries, &rows, error);
    const sac_array *from = spreads ? mask : &rows;
    if (status == SAC_OK)
        status = cut_axis(from, rank - 1, from->shape[rank - 1] == 1 ? (sac_range){0, 1} : keys,
                          own, error);
    sac_array_free(&rows);
    return status;
}

sac_status sac_rectangle_make(const sac_attention_spec *spec, const sac_attention_input *input,
                              const sac_attention_shape *shape, sac_range queries, sac_range keys,
                              const sac_array *query, const sac_array *key, const sac_array *value,
                              bool with_sinks, sac_rectangle *r, sac_error *error)
{
    *r = (sac_rectangle){.spec = *spec, .input = *input};
    r->spec.alignment = SAC_ALIGN_OFFSET;
    r->spec.offset = sac_attention_offset(spec, shape->queries, shape->keys) +
                     (int64_t)queries.first - (int64_t)keys.first;
    r->input.query = query;
    r->input.key = key;
    r->input.value = value;
    if (!with_sinks)
        r->input.sinks = NULL;
    r->input.out_proj_weight = r->input.out_proj_bias = NULL;
    r->input.norm_weight = r->input.norm_bias = NULL;
    sac_status status = SAC_OK;
    if (input->key_padding_mask) {
        status = cut_axis(input->key_padding_mask, 1, keys, &r->own[0], error);
        r->input.key_padding_mask = &r->own[0];
    }
    if (status == SAC_OK && input->attn_mask) {
        status = cut_mask(input->attn_mask, queries, keys, &r->own[1], error);
        r->input.attn_mask = &r->own[1];
    }
    return status;
}

void sac_rectangle_free(sac_rectangle *rectangle)
{
    for (int i = 0; i < 2; i++)
        sac_array_free(&rectangle->own[i]);
}

bool sac_rectangle_is_hidden(const sac_attention_spec *spec, const sac_attention_shape *shape,
                             sac_range queries, sac_range keys)
{
    int64_t offset = sac_attention_offset(spec, shape->queries, shape->keys);
    int64_t first = (int64_t)queries.first + offset, last = first + (int64_t)queries.count - 1;
    int64_t begin = (int64_t)keys.first, end = begin + (int64_t)keys.count - 1;
    int64_t window = (int64_t)spec->window;
    if (queries.count == 0 || keys.count == 0)
        return true;
    if (spec->causal && begin > last)
        return true;
    return window && (begin - last >= window || first - end >= window);
}

sac_status sac_rectangles_check(const sac_attention_spec *spec, const sac_attention_input *input,
                                sac_error *error)
{
    const char *remedy = "leave it out, or use one process";
    if (spec->dropout > 0)
        return sac_fail(
            error, SAC_E_ARGUMENT, "dropout", remedy,
            "draws for each weight by its place in the whole, and cannot be shared out");
    if (spec->normalizer != SAC_NORMALIZER_SOFTMAX)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", remedy,
                        "%s weighs whole rows, and cannot be shared out",
                        sac_normalizer_name(spec->normalizer));
    if (spec->split == SAC_SPLIT_VIEW && !sac_attention_is_split(input))
        return sac_fail(error, SAC_E_ARGUMENT, "head split", "use one process",
                        "heads that are split by view mix queries, and cannot be shared out");
    if (input->out_proj_weight || input->norm_weight)
        return sac_fail(error, SAC_E_ARGUMENT, input->out_proj_weight ? "out_proj" : "norm", remedy,
                        "comes after the heads are whole, and is not shared out");
    return SAC_OK;
}

/* ---------------------------------------------------------------- results of parts */

void sac_partial_merge(const sac_attention_shape *shape, size_t rows, bool is_split,
                       sac_partial *into, const sac_partial *more)
{
    size_t heads = shape->heads, dim = shape->value_dim;
    for (size_t b = 0; b < shape->batch; b++)
        for (size_t h = 0; h < heads; h++)
            for (size_t i = 0; i < rows; i++) {
                size_t row = (b * heads + h) * rows + i;
                double one = into->lse[row], other = more->lse[row], top = fmax(one, other);
                if (other == -INFINITY)
                    continue;
                double a = exp(one - top), c = exp(other - top), sum = a + c;
                into->lse[row] = (float)(top + log(sum));
                if (!into->output)
                    continue;
                size_t at = is_split ? row * dim : ((b * rows + i) * heads + h) * dim;
                float *out = into->output + at;
                const float *add = more->output + at;
                float keep = (float)(a / sum), gain = (float)(c / sum);
                for (size_t k = 0; k < dim; k++)
                    out[k] = keep * out[k] + gain * add[k];
            }
}
