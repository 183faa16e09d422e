/* The layouts in which the kernels read query, key and value: packed, appended to, and read back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/prepare/prepared.h"
#include "attention/spec/check.h"
#include "attention/spec/device_array.h"
#include "attention/spec/resolve.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"
#include "scores/scores.h"

/* ---------------------------------------------------------------- the kernels' description */

/* A window that hides nothing is none. */
static void set_window(sac_problem *problem, size_t window)
{
    size_t max_distance =
        (size_t)problem->queries + problem->key_room + (size_t)abs(problem->offset);
    if (window == 0 || window >= max_distance)
        return;
    problem->flags |= SAC_WINDOW;
    problem->window = (cl_uint)window; /* kernels count in 32 bits */
}

sac_problem sac_problem_of(const sac_attention_spec *spec, const sac_attention_shape *shape)
{
    size_t key_heads = shape->key_heads ? shape->key_heads : shape->heads;
    sac_problem problem = {
        .heads = (cl_uint)shape->heads,
        .queries = (cl_uint)shape->queries,
        .keys = (cl_uint)shape->keys,
        .value_dim = (cl_uint)shape->value_dim,
        .group = (cl_uint)(shape->heads / key_heads),
        .key_room = (cl_uint)(spec->capacity ? spec->capacity : shape->keys),
        .offset = (cl_int)sac_attention_offset(spec, shape->queries, shape->keys),
        .flags = (spec->causal ? SAC_CAUSAL : 0) | (spec->dropout > 0 ? SAC_DROPOUT : 0),
        .scale = (cl_float)(sac_raw_scale(spec, shape) * M_LOG2E),
        .cap = (cl_float)(spec->softcap * M_LOG2E),
        .uncap = spec->softcap > 0 ? 2 / spec->softcap : 0,
        .dropout = spec->dropout,
        .keep = (cl_float)(1.0 / (1.0 - spec->dropout)),
        .seed_low = (cl_uint)spec->seed,
        .seed_high = (cl_uint)(spec->seed >> 32),
    };
    set_window(&problem, spec->window);
    return problem;
}

void sac_set_masks(sac_problem *problem, const sac_attention_operands *operands)
{
    const size_t *s = operands->mask_shape;
    if (operands->sinks.buffer)
        problem->flags |= SAC_SINKS;
    if (operands->padding)
        problem->flags |= SAC_PADDING;
    if (!operands->mask)
        return;
    problem->flags |= operands->mask_is_float ? SAC_MASK_FLOAT : SAC_MASK_BOOL;
    problem->mask_key = s[3] == 1 ? 0 : 1;
    problem->mask_query = s[2] == 1 ? 0 : s[3];
    problem->mask_head = s[1] == 1 ? 0 : s[2] * s[3];
    problem->mask_batch = s[0] == 1 ? 0 : s[1] * s[2] * s[3];
}

/* ---------------------------------------------------------------- arrays onto the device */

sac_status sac_upload_floats(sac_device *device, const sac_array *array, cl_mem *buffer,
                             sac_error *error)
{
    size_t bytes;
    if (sac_is_on_device(array)) {
        *buffer = sac_array_buffer(array);
        return sac_cl_check(device, "clRetainMemObject", clRetainMemObject(*buffer), error);
    }
    if (!sac_checked_mul(sac_array_count(array), sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "an array is too large");
    if (array->dtype == SAC_F32)
        return sac_buffer_create(device, bytes, array->data, buffer, error);
    float *floats = malloc(bytes ? bytes : 1);
    if (!floats)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu bytes", bytes);
    sac_status status = sac_array_to_f32(array, floats, error);
    if (status == SAC_OK)
        status = sac_buffer_create(device, bytes, floats, buffer, error);
    free(floats);
    return status;
}

/* One byte per element, 1 where it is not zero. */
static sac_status upload_bools(sac_device *device, const sac_array *array, cl_mem *buffer,
                               sac_error *error)
{
    if (sac_is_on_device(array)) {
        *buffer = sac_array_buffer(array);
        return sac_cl_check(device, "clRetainMemObject", clRetainMemObject(*buffer), error);
    }
    size_t count = sac_array_count(array);
    const uint8_t *values = array->data;
    uint8_t *bytes = malloc(count ? count : 1);
    if (!bytes)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu bytes", count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = values[i] != 0;
    sac_status status = sac_buffer_create(device, count, bytes, buffer, error);
    free(bytes);
    return status;
}

sac_status sac_upload_masks(sac_device *device, const sac_attention_input *input,
                            sac_attention_operands *operands, sac_error *error)
{
    const sac_array *padding = input->key_padding_mask, *mask = input->attn_mask;
    sac_status status = SAC_OK;
    if (padding && padding->data)
        status = upload_bools(device, padding, &operands->padding, error);
    if (status != SAC_OK || !mask || !mask->data)
        return status;
    operands->mask_is_float = !sac_is_boolean(mask);
    operands->mask_shape[0] = mask->rank >= 3 ? mask->shape[0] : 1;
    operands->mask_shape[1] = mask->rank == 4 ? mask->shape[1] : 1;
    operands->mask_shape[2] = mask->shape[mask->rank - 2];
    operands->mask_shape[3] = mask->shape[mask->rank - 1];
    return operands->mask_is_float ? sac_upload_floats(device, mask, &operands->mask, error)
                                   : upload_bools(device, mask, &operands->mask, error);
}

#define PACKED_SIDE                                                                                \
    16 /* coordinates of a panel for a work-item: SIDE of cl/attention/around/pack.cl */

/* The twin of `packing` in cl/attention/around/pack.cl. */
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
                          .panels = (cl_uint)sac_ceil_div(self->problem.key_room, panel),
                          .room = self->problem.key_room};
}

/* Where head h of batch entry b begins in the source, and how far apart its rows are. */
static void set_source_strides(bool whole_heads, head_packing *packing)
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

/* Work-items of pack_panel_lines. */
static size_t panel_work_items(const head_packing *packing)
{
    size_t panels = (size_t)packing->count / packing->stride / packing->panel;
    return panels * sac_ceil_div(packing->stride, PACKED_SIDE);
}

static sac_status launch_packing(sac_device *device, const head_packing *packing, bool halves,
                                 cl_mem from, cl_mem to, sac_error *error)
{
    bool panels = packing->panel > 1, lines = device->profile.is_cpu && !halves;
    const char *name = lines    ? panels ? "pack_panel_lines" : "pack_row_lines"
                       : halves ? panels ? "pack_panels_half" : "pack_rows_half"
                       : panels ? "pack_panels"
                                : "pack_rows";
    size_t items = !lines   ? (size_t)packing->count
                   : panels ? panel_work_items(packing)
                            : (size_t)packing->count / packing->stride;
    sac_arg args[] = {SAC_ARG(*packing), SAC_ARG(from), SAC_ARG(to)};
    return sac_launch_items(device, "pack", name, args, 3, items, error);
}

/* *x is replaced by its packed form; nothing to do where it is that already. */
static sac_status pack(sac_attention *self, head_packing packing, bool whole_heads, cl_mem *x,
                       sac_error *error)
{
    cl_mem packed = NULL;
    bool halves = self->plan.halves;
    size_t bytes, size = halves ? sizeof(cl_half) : sizeof(float);
    set_source_strides(whole_heads, &packing);
    if (!halves && packing.panel == 1 && packing.stride == packing.dim &&
        packing.room == packing.rows && packing.first == 0 &&
        (packing.source_row == packing.dim || packing.heads == 1))
        return SAC_OK;
    packing.count = packed_count(self, &packing);
    if (!sac_checked_mul(packing.count, size, &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "an array is too large");
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &packed, error);
    if (status == SAC_OK)
        status = launch_packing(self->device, &packing, halves, *x, packed, error);
    if (status != SAC_OK) {
        sac_buffer_release(packed);
        return status;
    }
    sac_buffer_release(*x);
    *x = packed;
    return SAC_OK;
}

/* ---------------------------------------------------------------- query, key and value */

static cl_mem *buffer_of(sac_attention *self, sac_role role)
{
    return role == SAC_QUERY ? &self->query : role == SAC_KEY ? &self->key : &self->value;
}

static head_packing layout_of(const sac_attention *self, sac_role role)
{
    return role == SAC_QUERY ? query_layout(self)
           : role == SAC_KEY ? key_layout(self)
                             : value_layout(self);
}

sac_status sac_lay_out(sac_attention *self, sac_role role, sac_span from, bool whole_heads,
                       sac_error *error)
{
    head_packing layout = layout_of(self, role);
    cl_mem *x = buffer_of(self, role);
    *x = from.buffer;
    layout.first = from.at;
    return pack(self, layout, whole_heads, x, error);
}

sac_status sac_lay_out_appended(sac_attention *self, sac_role role, cl_mem x, size_t rows,
                                bool whole_heads, sac_error *error)
{
    head_packing packing = layout_of(self, role);
    packing.rows = (cl_uint)rows;
    packing.token = (cl_uint)self->shape.keys;
    packing.halves = self->plan.halves;
    set_source_strides(whole_heads, &packing);
    packing.count = self->shape.batch * packing.heads * rows * packing.dim;
    sac_arg args[] = {SAC_ARG(packing), SAC_ARG(x), SAC_ARG(*buffer_of(self, role))};
    return sac_launch_items(self->device, "pack", "append", args, 3, (size_t)packing.count, error);
}

/* ---------------------------------------------------------------- keys and values to share */

struct sac_laid_out {
    head_packing form[2]; /* of keys, values */
    cl_mem packed[2];     /* NULL: not yet */
};

/* Retains the buffer, which is in the end released like an attention's own. */
static cl_mem retain_buffer(cl_mem buffer)
{
    clRetainMemObject(buffer);
    return buffer;
}

void sac_laid_out_destroy(sac_laid_out **laid_out)
{
    for (int i = 0; *laid_out && i < 2; i++)
        sac_buffer_release((*laid_out)->packed[i]);
    free(*laid_out);
    *laid_out = NULL;
}

/* Those of all rows of one batch entry that come behind the first `before`. */
static sac_status lay_out_new_rows(sac_attention *self, head_packing packing, size_t before,
                                   sac_span from, bool whole_heads, cl_mem packed, sac_error *error)
{
    set_source_strides(whole_heads, &packing);
    packing.first = from.at + (cl_uint)(before * packing.source_row);
    packing.token = (cl_uint)before;
    packing.rows -= (cl_uint)before;
    packing.halves = self->plan.halves;
    packing.count = (cl_ulong)packing.heads * packing.rows * packing.dim;
    sac_arg args[] = {SAC_ARG(packing), SAC_ARG(from.buffer), SAC_ARG(packed)};
    return sac_launch_items(self->device, "pack", "append", args, 3, (size_t)packing.count, error);
}

/* Whether what is laid out has the form, but for rows that are missing. */
static bool is_layout_prefix(const sac_attention *self, const head_packing *laid_out,
                             head_packing form)
{
    bool grows = form.rows > laid_out->rows && self->shape.batch == 1;
    if (grows)
        form.rows = laid_out->rows;
    return memcmp(laid_out, &form, sizeof form) == 0;
}

/* Keys or values, of an attention that may share them. A plan for other numbers of queries may want
 * another layout, which replaces the one before it. */
static sac_status lay_out_shared(sac_attention *self, sac_role role, sac_span from,
                                 const sac_attention_operands *o, sac_error *error)
{
    head_packing form = layout_of(self, role);
    if (!*o->laid_out)
        *o->laid_out = calloc(1, sizeof **o->laid_out);
    sac_laid_out *shared = *o->laid_out;
    int i = role == SAC_VALUE;
    if (!shared)
        return sac_no_memory(error, "attention");
    sac_status status = SAC_OK;
    if (shared->packed[i] && is_layout_prefix(self, &shared->form[i], form)) {
        *buffer_of(self, role) = retain_buffer(shared->packed[i]);
        if (form.rows > shared->form[i].rows)
            status = lay_out_new_rows(self, form, shared->form[i].rows, from, o->whole_heads,
                                      shared->packed[i], error);
    } else {
        status = sac_lay_out(self, role, (sac_span){retain_buffer(from.buffer), from.at},
                             o->whole_heads, error);
        sac_buffer_release(shared->packed[i]);
        shared->packed[i] = status == SAC_OK ? retain_buffer(*buffer_of(self, role)) : NULL;
    }
    shared->form[i] = form;
    return status;
}

/* ---------------------------------------------------------------- what comes with them */

sac_status sac_lay_out_score_weight(sac_attention *self, sac_span w, sac_error *error)
{
    sac_span filled;
    sac_status status = sac_span_create(self->device, self->problem.dim, NULL, &filled, error);
    self->score_weight = filled.buffer;
    if (status != SAC_OK)
        return status;
    cl_int code =
        clEnqueueCopyBuffer(self->device->queue, w.buffer, filled.buffer, w.at * sizeof(float), 0,
                            self->prepared_dim * sizeof(float), 0, NULL, NULL);
    return sac_cl_check(self->device, "clEnqueueCopyBuffer", code, error);
}

sac_status sac_lay_out_masks(sac_attention *self, const sac_attention_operands *o, sac_error *error)
{
    cl_ulong count = 1;
    size_t bytes;
    for (int i = 0; i < 4; i++)
        count *= o->mask_shape[i];
    sac_set_masks(&self->problem, o);
    if (o->padding)
        self->padding = retain_buffer(o->padding);
    if (o->mask && !o->mask_is_float)
        self->mask = retain_buffer(o->mask);
    if (!o->mask || !o->mask_is_float)
        return SAC_OK;
    if (!sac_checked_mul((size_t)count, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, "attn_mask", NULL, "the array is too large");
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &self->mask, error);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(o->mask), SAC_ARG(self->mask)};
    if (status == SAC_OK)
        status =
            sac_launch_items(self->device, "pack", "pack_biases", args, 3, (size_t)count, error);
    return status;
}

sac_status sac_lay_out_operands(sac_attention *self, const sac_attention_operands *o,
                                sac_error *error)
{
    const sac_span from[] = {o->key, o->query, o->value};
    static const sac_role roles[] = {SAC_KEY, SAC_QUERY, SAC_VALUE};
    sac_status status = SAC_OK;
    self->prepared_dim = o->dim;
    for (int i = 0; i < 3 && status == SAC_OK; i++)
        status =
            o->laid_out && roles[i] != SAC_QUERY
                ? lay_out_shared(self, roles[i], from[i], o, error)
                : sac_lay_out(self, roles[i], (sac_span){retain_buffer(from[i].buffer), from[i].at},
                              o->whole_heads, error);
    if (status == SAC_OK && sac_score_class_of(o->spec.score)->weights == SAC_WEIGHTS_HIDDEN)
        status = sac_lay_out_score_weight(self, o->score_weight, error);
    self->sinks = (sac_span){retain_buffer(o->sinks.buffer), o->sinks.at};
    return status == SAC_OK ? sac_lay_out_masks(self, o, error) : status;
}

/* ---------------------------------------------------------------- read back */

/* The place of element (matrix, token, c) in the packed array. */
static size_t packed_index(const head_packing *p, size_t matrix, size_t token, size_t c)
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
    size_t first = packed_index(&packing, matrix, packing.panel > 1 ? 0 : row, 0);
    size_t count = packed_index(&packing, matrix, row + rows - 1, dim - 1) + 1 - first;
    void *numbers = malloc(count * size);
    if (!numbers)
        return sac_fail(error, SAC_E_MEMORY, "row", NULL, "out of memory for %zu numbers", count);
    sac_status status =
        sac_buffer_read(self->device, packed, first * size, count * size, numbers, error);
    for (size_t i = 0; status == SAC_OK && i < rows * dim; i++) {
        size_t at = packed_index(&packing, matrix, row + i / dim, i % dim) - first;
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

/* ---------------------------------------------------------------- panels of anything */

sac_status sac_pack_panels(sac_device *device, const sac_rows *rows, size_t panel, cl_mem *packed,
                           sac_error *error)
{
    size_t panels = sac_ceil_div(rows->rows, panel);
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
    set_source_strides(rows->whole_heads, &packing);
    sac_status status =
        sac_buffer_create(device, packing.count * sizeof(float), NULL, packed, error);
    return status == SAC_OK
               ? launch_packing(device, &packing, false, rows->first.buffer, *packed, error)
               : status;
}
