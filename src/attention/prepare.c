/* Query, key and value on their way to the kernels: uploaded, projected, multiplied by the score's
 * own matrices, split into heads and laid out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/device_array.h"
#include "attention/internal.h"
#include "attention/operands.h"
#include "attention/resolve.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "gemm/launch.h"

size_t sac_prepared_dim(const sac_attention *self, const sac_attention_input *input)
{
    bool is_additive = sac_score_class_of(self->spec.score)->weights == SAC_WEIGHTS_HIDDEN;
    return is_additive ? input->score_w_v->shape[0] : self->shape.key_dim;
}

/* The twin of `packing` in cl/pack.cl. */
typedef struct head_packing {
    cl_ulong source_batch, source_head, source_row;
    cl_ulong count;
    cl_uint heads, rows, dim;
    cl_uint stride, chunks;
    cl_uint panel, panels;
    cl_uint first;
    cl_uint room, token, halves;
    cl_uint unused;
} head_packing;

_Static_assert(sizeof(head_packing) == 4 * 8 + 12 * 4, "no padding: the kernel's twin has none");

/* *x, the output of one layer and the input of the next, is replaced, and *count, its numbers. */
static sac_status apply(sac_attention *self, const sac_linear *projection, size_t *count, cl_mem *x,
                        sac_error *error)
{
    cl_mem y;
    if (!projection->weight.buffer)
        return SAC_OK;
    size_t lines = *count / projection->in;
    sac_status status = sac_projection_run(self->device, projection, *x, lines, &y, error);
    if (status != SAC_OK)
        return status;
    sac_buffer_release(*x);
    *x = y;
    *count = lines * projection->out;
    return SAC_OK;
}

/* x [count], each number rounded to float16; SAC_E_VALUE where one is beyond its range. */
static sac_status round_to_half(sac_device *device, cl_mem x, size_t count, sac_error *error)
{
    cl_uint bits = 0;
    cl_ulong numbers = count;
    cl_mem beyond = NULL;
    float largest;
    sac_status status = sac_buffer_create(device, sizeof bits, &bits, &beyond, error);
    sac_arg args[] = {SAC_ARG(x), SAC_ARG(numbers), SAC_ARG(beyond)};
    if (status == SAC_OK)
        status = sac_launch_items(device, "pack", "round_to_half", args, 3, count, error);
    if (status == SAC_OK)
        status = sac_buffer_read(device, beyond, 0, sizeof bits, &bits, error);
    sac_buffer_release(beyond);
    memcpy(&largest, &bits, sizeof largest);
    if (status == SAC_OK && bits)
        return sac_fail(error, SAC_E_VALUE, NULL, "scale it down, or store it as float32",
                        "a number of magnitude %g does not fit float16, which ends at 65504",
                        (double)largest);
    return status;
}

/* *x, of `numbers`, becomes a copy where it is the caller's, who does not want it changed. */
static sac_status own(sac_attention *self, const sac_array *array, size_t numbers, cl_mem *x,
                      sac_error *error)
{
    cl_mem copy;
    size_t bytes = numbers * sizeof(float);
    if (!sac_is_on_device(array) || *x != sac_array_buffer(array))
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
static sac_status project(sac_attention *self, const sac_part *part, const sac_array *array,
                          cl_mem *x, size_t *numbers, double *largest, sac_error *error)
{
    *numbers = sac_array_count(array);
    sac_status status = sac_upload_floats(self->device, array, x, error);
    if (status == SAC_OK)
        status = apply(self, &part->projection, numbers, x, error);
    if (status == SAC_OK)
        status = apply(self, &part->score, numbers, x, error);
    if (status == SAC_OK && self->spec.storage == SAC_STORAGE_F16) {
        status = own(self, array, *numbers, x, error);
        if (status == SAC_OK)
            status = round_to_half(self->device, *x, *numbers, error);
    }
    return status == SAC_OK ? sac_largest(self, *x, *numbers, largest, error) : status;
}

/* ---------------------------------------------------------------- layouts */

static head_packing query_layout(const sac_attention *self)
{
    return (head_packing){.heads = (cl_uint)self->shape.heads,
                          .rows = (cl_uint)self->shape.queries,
                          .dim = (cl_uint)self->prepared_dim,
                          .stride = self->problem.dim,
                          .chunks = 1,
                          .panel = 1,
                          .room = (cl_uint)self->shape.queries};
}

/* Panels of one key are plain rows. */
static head_packing key_layout(const sac_attention *self)
{
    return (head_packing){.heads = (cl_uint)self->shape.key_heads,
                          .rows = self->problem.keys,
                          .dim = (cl_uint)self->prepared_dim,
                          .stride = self->problem.dim,
                          .chunks = 1,
                          .panel = self->problem.panel,
                          .panels = self->problem.panels,
                          .room = self->problem.key_room};
}

/* Rows in chunks; or by columns, in panels of block_keys. */
static head_packing value_layout(const sac_attention *self)
{
    size_t panel = self->plan.value_panels ? self->plan.block_keys : 1;
    return (head_packing){.heads = (cl_uint)self->shape.key_heads,
                          .rows = self->problem.keys,
                          .dim = (cl_uint)self->shape.value_dim,
                          .stride = self->problem.value_stride,
                          .chunks = self->problem.value_chunks,
                          .panel = (cl_uint)panel,
                          .panels = (cl_uint)((self->problem.key_room + panel - 1) / panel),
                          .room = self->problem.key_room};
}

/* Whether heads lie as [B,H,T,d], else as [B,T,H·d]. */
static bool has_whole_heads(const sac_attention *self, const sac_array *array)
{
    return array->rank == 4 || self->spec.split == SAC_SPLIT_VIEW;
}

/* Where head h of batch entry b begins in the source, and how far apart its rows are. */
static void set_source(bool whole_heads, head_packing *packing)
{
    cl_ulong heads = packing->heads, rows = packing->rows, dim = packing->dim;
    packing->source_batch = heads * rows * dim;
    packing->source_head = whole_heads ? rows * dim : dim;
    packing->source_row = whole_heads ? dim : heads * dim;
}

/* Numbers of the whole layout. */
static size_t packed_count(const sac_attention *self, const head_packing *packing)
{
    size_t matrices = self->shape.batch * packing->heads;
    size_t each = packing->panel > 1 ? (size_t)packing->panels * packing->stride * packing->panel
                                     : (size_t)packing->chunks * packing->room * packing->stride;
    return matrices * each;
}

/* *x is replaced by its packed form; nothing to do where it is that already. */
static sac_status pack(sac_attention *self, head_packing packing, bool whole_heads, cl_mem *x,
                       sac_error *error)
{
    cl_mem packed = NULL;
    bool halves = self->plan.halves;
    size_t bytes, size = halves ? sizeof(cl_half) : sizeof(float);
    const char *name = packing.panel > 1 ? halves ? "pack_panels_half" : "pack_panels"
                       : halves          ? "pack_rows_half"
                                         : "pack_rows";
    set_source(whole_heads, &packing);
    if (!halves && packing.panel == 1 && packing.stride == packing.dim &&
        packing.room == packing.rows && packing.first == 0 &&
        (packing.source_row == packing.dim || packing.heads == 1))
        return SAC_OK;
    packing.count = packed_count(self, &packing);
    if (!sac_mul(packing.count, size, &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "an array is too large");
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &packed, error);
    sac_arg args[] = {SAC_ARG(packing), SAC_ARG(*x), SAC_ARG(packed)};
    if (status == SAC_OK)
        status =
            sac_launch_items(self->device, "pack", name, args, 3, (size_t)packing.count, error);
    if (status != SAC_OK) {
        sac_buffer_release(packed);
        return status;
    }
    sac_buffer_release(*x);
    *x = packed;
    return SAC_OK;
}

/* x, of `rows` keys or values, becomes those from `first` on of what is packed. */
static sac_status append(sac_attention *self, head_packing packing, bool whole_heads, size_t first,
                         size_t rows, cl_mem x, cl_mem packed, sac_error *error)
{
    packing.rows = (cl_uint)rows;
    packing.token = (cl_uint)first;
    packing.halves = self->plan.halves;
    set_source(whole_heads, &packing);
    packing.count = self->shape.batch * packing.heads * rows * packing.dim;
    sac_arg args[] = {SAC_ARG(packing), SAC_ARG(x), SAC_ARG(packed)};
    return sac_launch_items(self->device, "pack", "append", args, 3, (size_t)packing.count, error);
}

/* ---------------------------------------------------------------- query, key and value */

static sac_status prepare_key(sac_attention *self, const sac_array *key, sac_error *error)
{
    size_t numbers;
    sac_status status =
        project(self, &self->key_part, key, &self->key, &numbers, &self->largest_key, error);
    if (status == SAC_OK)
        status = pack(self, key_layout(self), has_whole_heads(self, key), &self->key, error);
    return sac_error_within(error, status, "key");
}

static sac_status prepare_query(sac_attention *self, const sac_array *query, sac_error *error)
{
    size_t numbers;
    sac_status status = project(self, &self->query_part, query, &self->query, &numbers,
                                &self->largest_query, error);
    if (status == SAC_OK)
        status = pack(self, query_layout(self), has_whole_heads(self, query), &self->query, error);
    return sac_error_within(error, status, "query");
}

static sac_status lower_values(sac_attention *self, const sac_array *value, size_t numbers,
                               double largest, sac_error *error)
{
    sac_status status = SAC_OK;
    self->value_exponent = sac_value_exponent(self, largest);
    if (self->value_exponent)
        status = own(self, value, numbers, &self->value, error);
    return status == SAC_OK ? sac_lower_values(self, self->value, numbers, error) : status;
}

static sac_status prepare_value(sac_attention *self, const sac_array *value, sac_error *error)
{
    size_t numbers;
    double largest;
    sac_status status =
        project(self, &self->value_part, value, &self->value, &numbers, &largest, error);
    if (status == SAC_OK)
        status = lower_values(self, value, numbers, largest, error);
    if (status == SAC_OK)
        status = pack(self, value_layout(self), has_whole_heads(self, value), &self->value, error);
    return sac_error_within(error, status, "value");
}

sac_status sac_append_keys(sac_attention *self, const sac_array *key, sac_error *error)
{
    cl_mem x = NULL;
    size_t numbers;
    double largest;
    sac_status status = project(self, &self->key_part, key, &x, &numbers, &largest, error);
    if (status == SAC_OK)
        status = append(self, key_layout(self), has_whole_heads(self, key), self->shape.keys,
                        key->shape[key->rank - 2], x, self->key, error);
    sac_buffer_release(x);
    if (status == SAC_OK)
        self->largest_key = fmax(self->largest_key, largest);
    return sac_error_within(error, status, "key");
}

sac_status sac_append_values(sac_attention *self, const sac_array *value, sac_error *error)
{
    cl_mem x = NULL;
    size_t numbers;
    double largest;
    sac_status status = project(self, &self->value_part, value, &x, &numbers, &largest, error);
    if (status == SAC_OK && sac_value_exponent(self, largest) > self->value_exponent)
        status = sac_fail(error, SAC_E_VALUE, NULL, "scale them down, or create another attention",
                          "sums with numbers of magnitude %g are beyond float32", largest);
    if (status == SAC_OK && self->value_exponent)
        status = own(self, value, numbers, &x, error);
    if (status == SAC_OK)
        status = sac_lower_values(self, x, numbers, error);
    if (status == SAC_OK)
        status = append(self, value_layout(self), has_whole_heads(self, value), self->shape.keys,
                        value->shape[value->rank - 2], x, self->value, error);
    sac_buffer_release(x);
    return sac_error_within(error, status, "value");
}

/* w_v [h] of the additive score, with 0 for the coordinates that queries and keys are filled up
 * with. */
static sac_status prepare_score_weight(sac_attention *self, const sac_array *w_v, sac_error *error)
{
    size_t dim = self->problem.dim;
    sac_array filled;
    sac_status status = sac_array_create(SAC_F32, 1, &dim, &filled, error);
    if (status != SAC_OK)
        return status;
    status = sac_array_to_f32(w_v, filled.data, error);
    self->score_weights = 0;
    for (size_t i = 0; i < dim; i++)
        self->score_weights += fabs((double)((const float *)filled.data)[i]);
    if (status == SAC_OK)
        status = sac_upload_floats(self->device, &filled, &self->score_weight, error);
    sac_array_free(&filled);
    return status;
}

static sac_array form_of(const sac_array *array)
{
    return array ? sac_array_view(array->dtype, array->rank, array->shape, NULL) : (sac_array){0};
}

static sac_status keep_part(sac_attention *self, sac_part *part, const sac_array *array,
                            const sac_array *weight, const sac_array *bias, sac_error *error)
{
    part->form = form_of(array);
    if (!array || !weight)
        return SAC_OK;
    return sac_projection_create(self->device, weight, bias, false, &part->projection, error);
}

static sac_status keep_score_weights(sac_attention *self, const sac_attention_input *input,
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
    self->padding_form = form_of(in->key_padding_mask);
    self->mask_form = form_of(in->attn_mask);
    sac_status status =
        keep_part(self, &self->key_part, in->key, in->k_proj_weight, in->k_proj_bias, error);
    if (status == SAC_OK)
        status = keep_part(self, &self->query_part, in->query, in->q_proj_weight, in->q_proj_bias,
                           error);
    if (status == SAC_OK)
        status = keep_part(self, &self->value_part, in->value, in->v_proj_weight, in->v_proj_bias,
                           error);
    return status == SAC_OK ? keep_score_weights(self, in, error) : status;
}

sac_status sac_prepare(sac_attention *self, const sac_attention_input *input, sac_error *error)
{
    /* The keys first: while they are packed there are two copies of them. */
    sac_status status = input->key ? prepare_key(self, input->key, error) : SAC_OK;
    if (status == SAC_OK && input->query)
        status = prepare_query(self, input->query, error);
    if (status == SAC_OK && input->value)
        status = prepare_value(self, input->value, error);
    if (status == SAC_OK)
        status = sac_upload_masks(self, input, error);
    return status == SAC_OK ? sac_check_scores(self, error) : status;
}

/* ---------------------------------------------------------------- read back */

/* Where element (matrix, token, c) lies among what was packed. */
static size_t place_of(const head_packing *p, size_t matrix, size_t token, size_t c)
{
    if (p->panel > 1)
        return ((matrix * p->panels + token / p->panel) * p->stride + c) * p->panel +
               token % p->panel;
    return ((matrix * p->chunks + c / p->stride) * p->room + token) * p->stride + c % p->stride;
}

/* x [rows,dim]: the tokens from `row` on of one matrix. All that lies between the first of their
 * numbers and the last one is read. */
static sac_status read_packed(sac_attention *self, head_packing packing, cl_mem packed,
                              size_t matrix, size_t row, size_t rows, float *x, sac_error *error)
{
    size_t size = self->plan.halves ? sizeof(cl_half) : sizeof(float), dim = packing.dim;
    size_t first = place_of(&packing, matrix, packing.panel > 1 ? 0 : row, 0);
    size_t count = place_of(&packing, matrix, row + rows - 1, dim - 1) + 1 - first;
    void *numbers = malloc(count * size);
    if (!numbers)
        return sac_fail(error, SAC_E_MEMORY, "row", NULL, "no memory for %zu numbers", count);
    sac_status status =
        sac_buffer_read(self->device, packed, first * size, count * size, numbers, error);
    for (size_t i = 0; status == SAC_OK && i < rows * dim; i++) {
        size_t at = place_of(&packing, matrix, row + i / dim, i % dim) - first;
        x[i] = self->plan.halves ? sac_half_to_float(((const cl_half *)numbers)[at])
                                 : ((const float *)numbers)[at];
    }
    free(numbers);
    return status;
}

sac_status sac_read_query(sac_attention *self, size_t matrix, size_t row, float *query,
                          sac_error *error)
{
    return read_packed(self, query_layout(self), self->query, matrix, row, 1, query, error);
}

sac_status sac_read_keys(sac_attention *self, size_t matrix, float *keys, sac_error *error)
{
    return read_packed(self, key_layout(self), self->key, matrix, 0, self->shape.keys, keys, error);
}

sac_status sac_read_values(sac_attention *self, size_t matrix, float *values, sac_error *error)
{
    size_t keys = self->shape.keys, count = keys * self->shape.value_dim;
    sac_status status =
        read_packed(self, value_layout(self), self->value, matrix, 0, keys, values, error);
    for (size_t i = 0; status == SAC_OK && self->value_exponent && i < count; i++)
        values[i] = ldexpf(values[i], self->value_exponent);
    return status;
}

/* ---------------------------------------------------------------- what is on the device already */

/* Retains the buffer, which is then packed, and in the end released like an attention's own. */
static cl_mem retained(cl_mem buffer)
{
    clRetainMemObject(buffer);
    return buffer;
}

/* w_v [h], filled up with 0. */
static sac_status prepare_device_weight(sac_attention *self, sac_span w, size_t dim,
                                        sac_error *error)
{
    sac_span filled;
    sac_status status = sac_span_create(self->device, self->problem.dim, NULL, &filled, error);
    self->score_weight = filled.buffer;
    if (status != SAC_OK)
        return status;
    cl_int code = clEnqueueCopyBuffer(self->device->queue, w.buffer, filled.buffer,
                                      w.at * sizeof(float), 0, dim * sizeof(float), 0, NULL, NULL);
    return sac_cl_check(self->device, "clEnqueueCopyBuffer", code, error);
}

static sac_status prepare_device_masks(sac_attention *self, const sac_attention_operands *o,
                                       sac_error *error)
{
    cl_ulong count = 1;
    for (int i = 0; i < 4; i++)
        count *= o->mask_shape[i];
    sac_set_masks(&self->problem, o);
    if (o->padding)
        self->padding = retained(o->padding);
    if (o->mask && !o->mask_is_float)
        self->mask = retained(o->mask);
    if (!o->mask || !o->mask_is_float)
        return SAC_OK;
    sac_status status =
        sac_buffer_create(self->device, (size_t)count * sizeof(float), NULL, &self->mask, error);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(o->mask), SAC_ARG(self->mask)};
    if (status == SAC_OK)
        status =
            sac_launch_items(self->device, "pack", "pack_biases", args, 3, (size_t)count, error);
    return status;
}

/* Packs what begins so far into its buffer. */
static sac_status pack_operand(sac_attention *self, head_packing layout, sac_span from,
                               bool whole_heads, cl_mem *x, sac_error *error)
{
    *x = retained(from.buffer);
    layout.first = from.at;
    return pack(self, layout, whole_heads, x, error);
}

sac_status sac_prepare_operands(sac_attention *self, const sac_attention_operands *o,
                                sac_error *error)
{
    bool whole = o->whole_heads;
    self->prepared_dim = o->dim;
    sac_status status = pack_operand(self, key_layout(self), o->key, whole, &self->key, error);
    if (status == SAC_OK)
        status = pack_operand(self, query_layout(self), o->query, whole, &self->query, error);
    if (status == SAC_OK)
        status = pack_operand(self, value_layout(self), o->value, whole, &self->value, error);
    if (status == SAC_OK && sac_score_class_of(o->spec.score)->weights == SAC_WEIGHTS_HIDDEN)
        status = prepare_device_weight(self, o->score_weight, o->dim, error);
    return status == SAC_OK ? prepare_device_masks(self, o, error) : status;
}

sac_status sac_pack_panels(sac_device *device, const sac_rows *rows, size_t panel, cl_mem *packed,
                           sac_error *error)
{
    size_t panels = (rows->rows + panel - 1) / panel;
    head_packing packing = {.count = rows->batch * rows->heads * panels * rows->dim * panel,
                            .heads = (cl_uint)rows->heads,
                            .rows = (cl_uint)rows->rows,
                            .dim = (cl_uint)rows->dim,
                            .stride = (cl_uint)rows->dim,
                            .chunks = 1,
                            .panel = (cl_uint)panel,
                            .panels = (cl_uint)panels,
                            .first = rows->first.at,
                            .room = (cl_uint)rows->rows};
    set_source(rows->whole_heads, &packing);
    sac_status status =
        sac_buffer_create(device, packing.count * sizeof(float), NULL, packed, error);
    sac_arg args[] = {SAC_ARG(packing), SAC_ARG(rows->first.buffer), SAC_ARG(*packed)};
    return status == SAC_OK ? sac_launch_items(device, "pack", "pack_panels", args, 3,
                                               (size_t)packing.count, error)
                            : status;
}
