/* Query, key and value of arrays on their way to the kernels: uploaded, projected, multiplied by
 * the score's own matrices, and then laid out as those are that lie on the device (layout.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/prepare/operands.h"
#include "attention/prepare/prepared.h"
#include "attention/spec/check.h"
#include "attention/spec/device_array.h"
#include "attention/spec/resolve.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "gemm/launch.h"
#include "scores/scores.h"

/* ---------------------------------------------------------------- projections */

sac_status sac_projection_create(sac_device *device, const sac_array *weight, const sac_array *bias,
                                 bool transposed, sac_linear *projection, sac_error *error)
{
    projection->out = weight->shape[transposed ? 1 : 0];
    projection->in = weight->shape[transposed ? 0 : 1];
    projection->transposed = transposed;
    projection->any_rows = true; /* keys that come one by one are those that come together */
    sac_status status = sac_upload_floats(device, weight, &projection->weight.buffer, error);
    if (status == SAC_OK && bias)
        status = sac_upload_floats(device, bias, &projection->bias.buffer, error);
    return status;
}

void sac_projection_release(sac_linear *projection)
{
    sac_buffer_release(projection->weight.buffer);
    sac_buffer_release(projection->bias.buffer);
    *projection = (sac_linear){0};
}

/* x [rows,in] → a new buffer *y [rows,out]. */
static sac_status run_projection(sac_device *device, const sac_linear *projection, cl_mem x,
                                 size_t rows, cl_mem *y, sac_error *error)
{
    size_t bytes;
    *y = NULL;
    if (!sac_checked_mul_shape((size_t[]){rows, projection->out}, 2, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "a projection is too large");
    sac_status status = sac_buffer_create(device, bytes, NULL, y, error);
    if (status == SAC_OK)
        status = sac_linear_y(device, projection, rows, (sac_span){x, 0}, (sac_span){*y, 0}, false,
                              error);
    if (status != SAC_OK) {
        sac_buffer_release(*y);
        *y = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- preparation */

size_t sac_prepared_dim(const sac_attention *self, const sac_attention_input *input)
{
    bool is_additive = sac_score_class_of(self->spec.score)->weights == SAC_WEIGHTS_HIDDEN;
    return is_additive ? input->score_w_v->shape[0] : self->shape.key_dim;
}

/* *x, the output of one layer and the input of the next, is replaced, and *count, its numbers. */
static sac_status apply_projection(sac_attention *self, const sac_linear *projection, size_t *count,
                                   cl_mem *x, sac_error *error)
{
    cl_mem y;
    if (!projection->weight.buffer)
        return SAC_OK;
    size_t lines = *count / projection->in;
    sac_status status = run_projection(self->device, projection, *x, lines, &y, error);
    if (status != SAC_OK)
        return status;
    sac_buffer_release(*x);
    *x = y;
    *count = lines * projection->out;
    return SAC_OK;
}

/* x [count], each number rounded to what it is stored as; SAC_E_VALUE where one is beyond its range. */
static sac_status round_to(sac_device *device, sac_storage storage, cl_mem x, size_t count,
                           sac_error *error)
{
    bool half = storage == SAC_STORAGE_F16;
    cl_uint bits = 0;
    cl_ulong numbers = count;
    cl_mem beyond = NULL;
    float largest;
    sac_status status = sac_buffer_create(device, sizeof bits, &bits, &beyond, error);
    sac_arg args[] = {SAC_ARG(x), SAC_ARG(numbers), SAC_ARG(beyond)};
    if (status == SAC_OK)
        status = sac_launch_items(device, "pack", half ? "round_to_half" : "round_to_bfloat", args,
                                  3, count, error);
    if (status == SAC_OK)
        status = sac_buffer_read(device, beyond, 0, sizeof bits, &bits, error);
    sac_buffer_release(beyond);
    memcpy(&largest, &bits, sizeof largest);
    if (status == SAC_OK && bits)
        return sac_fail(error, SAC_E_VALUE, NULL, "scale it down, or store it as float32",
                        "a number of magnitude %g does not fit %s, which ends at %s",
                        (double)largest, sac_storage_name(storage), half ? "65504" : "3.39e38");
    return status;
}

/* *x, of `numbers`, becomes a copy where it is the caller's, who does not want it changed, or is kept
 * for the backward pass. */
static sac_status copy_if_borrowed(sac_attention *self, const sac_part *part,
                                   const sac_array *array, size_t numbers, cl_mem *x,
                                   sac_error *error)
{
    cl_mem copy;
    size_t bytes = numbers * sizeof(float);
    if (*x != part->source && (!sac_is_on_device(array) || *x != sac_array_buffer(array)))
        return SAC_OK;
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &copy, error);
    if (status != SAC_OK)
        return status;
    cl_int code = clEnqueueCopyBuffer(self->device->queue, *x, copy, 0, 0, bytes, 0, NULL, NULL);
    sac_buffer_release(*x);
    *x = copy;
    return sac_cl_check(self->device, "clEnqueueCopyBuffer", code, error);
}

/* [B,T,H·d] or [B,H,T,d], projected, and rounded to what it is stored as: so many numbers, of at
 * most that magnitude. The score's matrix works on single heads, and in both layouts these are just
 * rows of d. */
static sac_status upload_and_project(sac_attention *self, sac_part *part, const sac_array *array,
                                     cl_mem *x, size_t *numbers, double *largest, sac_error *error)
{
    *numbers = sac_array_count(array);
    sac_status status = sac_upload_floats(self->device, array, x, error);
    if (status == SAC_OK && self->spec.gradients) {
        part->source = *x;
        clRetainMemObject(*x);
    }
    if (status == SAC_OK)
        status = apply_projection(self, &part->projection, numbers, x, error);
    if (status == SAC_OK)
        status = apply_projection(self, &part->score, numbers, x, error);
    if (status == SAC_OK && self->spec.storage != SAC_STORAGE_F32) {
        status = copy_if_borrowed(self, part, array, *numbers, x, error);
        if (status == SAC_OK)
            status = round_to(self->device, self->spec.storage, *x, *numbers, error);
    }
    return status == SAC_OK ? sac_largest_magnitude(self, *x, *numbers, largest, error) : status;
}

/* True where heads lie as [B,H,T,d]; else they lie as [B,T,H·d]. */
static bool has_whole_heads(const sac_attention *self, const sac_array *array)
{
    return array->rank == 4 || self->spec.split == SAC_SPLIT_VIEW;
}

/* ---------------------------------------------------------------- query, key and value */

/* Their common exponent; the first ones decide it. */
static sac_status scale_values_down(sac_attention *self, const sac_array *value, size_t numbers,
                                    cl_mem *x, sac_error *error)
{
    sac_status status = SAC_OK;
    if (self->value_exponent)
        status = copy_if_borrowed(self, &self->value_part, value, numbers, x, error);
    return status == SAC_OK ? sac_scale_values_down(self, *x, numbers, error) : status;
}

static sac_part *part_of(sac_attention *self, sac_role role)
{
    return role == SAC_QUERY ? &self->query_part
           : role == SAC_KEY ? &self->key_part
                             : &self->value_part;
}

static const char *const role_names[] = {
    [SAC_QUERY] = "query", [SAC_KEY] = "key", [SAC_VALUE] = "value"};

/* Uploads, projects and lays out one of the three, if it is there. */
static sac_status prepare_role(sac_attention *self, sac_role role, const sac_array *array,
                               sac_error *error)
{
    cl_mem x = NULL;
    size_t numbers;
    double largest = 0;
    if (!array || !array->data)
        return SAC_OK;
    sac_status status =
        upload_and_project(self, part_of(self, role), array, &x, &numbers, &largest, error);
    if (role == SAC_QUERY)
        self->largest_query = largest;
    if (role == SAC_KEY)
        self->largest_key = largest;
    if (status == SAC_OK && role == SAC_VALUE) {
        self->value_exponent = sac_value_exponent(self, largest);
        status = scale_values_down(self, array, numbers, &x, error);
    }
    if (status == SAC_OK)
        status = sac_lay_out(self, role, (sac_span){x, 0}, has_whole_heads(self, array), error);
    else
        sac_buffer_release(x);
    return sac_error_within(error, status, role_names[role]);
}

static sac_status check_appended_magnitude(const sac_attention *self, double largest,
                                           sac_error *error)
{
    if (sac_value_exponent(self, largest) <= self->value_exponent)
        return SAC_OK;
    return sac_fail(error, SAC_E_VALUE, NULL, "scale them down, or create another attention",
                    "sums with numbers of magnitude %g are beyond float32", largest);
}

sac_status sac_append(sac_attention *self, sac_role role, const sac_array *array, sac_error *error)
{
    cl_mem x = NULL;
    size_t numbers;
    double largest;
    sac_status status =
        upload_and_project(self, part_of(self, role), array, &x, &numbers, &largest, error);
    if (status == SAC_OK && role == SAC_VALUE)
        status = check_appended_magnitude(self, largest, error);
    if (status == SAC_OK && role == SAC_VALUE)
        status = scale_values_down(self, array, numbers, &x, error);
    if (status == SAC_OK)
        status = sac_lay_out_appended(self, role, x, array->shape[array->rank - 2],
                                      has_whole_heads(self, array), error);
    sac_buffer_release(x);
    if (status == SAC_OK && role == SAC_KEY)
        self->largest_key = fmax(self->largest_key, largest);
    return sac_error_within(error, status, role_names[role]);
}

/* w_v [h] of the additive score. */
static sac_status prepare_score_weight(sac_attention *self, const sac_array *w_v, sac_error *error)
{
    size_t count = sac_array_count(w_v);
    sac_array floats;
    sac_span w = {0};
    sac_status status = sac_array_create(SAC_F32, 1, &count, &floats, error);
    if (status != SAC_OK)
        return status;
    status = sac_array_to_f32(w_v, floats.data, error);
    self->score_weights = 0;
    for (size_t i = 0; i < count; i++)
        self->score_weights += fabs((double)((const float *)floats.data)[i]);
    if (status == SAC_OK)
        status = sac_span_create(self->device, count, floats.data, &w, error);
    if (status == SAC_OK)
        status = sac_lay_out_score_weight(self, w, error);
    sac_span_release(&w);
    sac_array_free(&floats);
    return status;
}

static sac_array array_without_data(const sac_array *array)
{
    return array ? sac_array_view(array->dtype, array->rank, array->shape, NULL) : (sac_array){0};
}

static sac_status create_part_projection(sac_attention *self, sac_part *part,
                                         const sac_array *array, const sac_array *weight,
                                         const sac_array *bias, sac_error *error)
{
    part->form = array_without_data(array);
    if (!array || !weight)
        return SAC_OK;
    return sac_projection_create(self->device, weight, bias, false, &part->projection, error);
}

static sac_status upload_score_weights(sac_attention *self, const sac_attention_input *input,
                                       sac_error *error)
{
    sac_linear *query = &self->query_part.score, *key = &self->key_part.score;
    sac_score_weights weights = sac_score_class_of(self->spec.score)->weights;
    if (weights == SAC_WEIGHTS_BETWEEN)
        return sac_projection_create(self->device, input->score_W_qk, NULL, true, query, error);
    if (weights == SAC_WEIGHTS_NONE)
        return SAC_OK;
    sac_status status =
        sac_projection_create(self->device, input->score_W_q, NULL, false, query, error);
    if (status == SAC_OK)
        status = sac_projection_create(self->device, input->score_W_k, NULL, false, key, error);
    return status == SAC_OK ? prepare_score_weight(self, input->score_w_v, error) : status;
}

sac_status sac_prepare_weights(sac_attention *self, const sac_attention_input *in, sac_error *error)
{
    self->prepared_dim = sac_prepared_dim(self, in);
    self->padding_form = array_without_data(in->key_padding_mask);
    self->mask_form = array_without_data(in->attn_mask);
    sac_status status = create_part_projection(self, &self->key_part, in->key, in->k_proj_weight,
                                               in->k_proj_bias, error);
    if (status == SAC_OK)
        status = create_part_projection(self, &self->query_part, in->query, in->q_proj_weight,
                                        in->q_proj_bias, error);
    if (status == SAC_OK)
        status = create_part_projection(self, &self->value_part, in->value, in->v_proj_weight,
                                        in->v_proj_bias, error);
    if (status == SAC_OK && in->sinks)
        status = sac_upload_floats(self->device, in->sinks, &self->sinks.buffer, error);
    return status == SAC_OK ? upload_score_weights(self, in, error) : status;
}

sac_status sac_prepare(sac_attention *self, const sac_attention_input *input, sac_error *error)
{
    /* The keys first: while they are packed there are two copies of them. */
    sac_status status = prepare_role(self, SAC_KEY, input->key, error);
    if (status == SAC_OK)
        status = prepare_role(self, SAC_QUERY, input->query, error);
    if (status == SAC_OK)
        status = prepare_role(self, SAC_VALUE, input->value, error);
    if (status == SAC_OK) {
        sac_attention_operands masks = {0};
        status = sac_upload_masks(self->device, input, &masks, error);
        if (status == SAC_OK)
            status = sac_lay_out_masks(self, &masks, error);
        if (status == SAC_OK && self->spec.gradients && masks.mask_is_float && masks.mask) {
            self->mask_floats = masks.mask;
            clRetainMemObject(masks.mask);
        }
        sac_buffer_release(masks.padding);
        sac_buffer_release(masks.mask);
    }
    bool compares = self->query && self->key; /* else the numbers of one come later */
    return status == SAC_OK && compares ? sac_check_score_overflow(self, error) : status;
}
