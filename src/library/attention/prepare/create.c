/* Makes and releases a prepared attention of a given kernel variant. */
#include <stdlib.h>

#include "attention/prepare/operands.h"
#include "attention/prepare/prepared.h"
#include "attention/spec/resolve.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"
#include "scores/scores.h"

/* Kernels count in 32 bits. */
static sac_status check_sizes(const sac_attention_shape *shape, size_t room, size_t dim,
                              sac_error *error)
{
    size_t most = INT32_MAX, matrices, rows;
    if (shape->queries > most || room > most || dim > most || shape->value_dim > most ||
        !sac_checked_mul(shape->batch, shape->heads, &matrices) ||
        !sac_checked_mul(matrices, shape->queries, &rows) || rows > most)
        return sac_fail(error, SAC_E_SHAPE, "attention", "compute it in parts",
                        "at most %zu rows are taken at once", most);
    return SAC_OK;
}

sac_status sac_attention_check_rows(const sac_attention_spec *spec,
                                    const sac_attention_shape *shape, sac_error *error)
{
    size_t dim = shape->query_dim > shape->key_dim ? shape->query_dim : shape->key_dim;
    return check_sizes(shape, spec->capacity ? spec->capacity : shape->keys, dim, error);
}

static sac_status create_norm(sac_attention *self, const sac_attention_input *input,
                              sac_error *error)
{
    size_t features = sac_array_count(input->norm_weight);
    sac_status status =
        sac_upload_floats(self->device, input->norm_weight, &self->norm_weight, error);
    if (status == SAC_OK && input->query->data)
        status = sac_upload_floats(self->device, input->query, &self->residual, error);
    if (status != SAC_OK)
        return status;
    return input->norm_bias
               ? sac_upload_floats(self->device, input->norm_bias, &self->norm_bias.buffer, error)
               : sac_span_create(self->device, features, NULL, &self->norm_bias, error);
}

static sac_status create_statistics(sac_attention *self, sac_error *error)
{
    size_t rows = self->matrices * self->shape.queries, bytes;
    size_t blocks = sac_ceil_div(self->shape.queries, SAC_STATS_ROWS);
    if (!sac_checked_mul(rows, 2 * sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "too many rows");
    self->stats_known = calloc(self->matrices * blocks, 1);
    if (!self->stats_known)
        return sac_no_memory(error, NULL);
    return sac_buffer_create(self->device, bytes, NULL, &self->stats, error);
}

/* The kernels for prepared queries and keys of `dim`, their arguments, and where their statistics
 * go. */
static sac_status fill_plan(sac_attention *self, size_t dim, bool whole_heads,
                            const sac_tiling *tiling, sac_error *error)
{
    size_t room = self->spec.capacity ? self->spec.capacity : self->shape.keys;
    sac_status status = check_sizes(&self->shape, room, dim, error);
    self->matrices = self->shape.batch * self->shape.heads;
    if (status == SAC_OK) {
        sac_plan_request request = {.variant = self->spec.variant,
                                    .form = sac_score_form(self->spec.score),
                                    .softcap = self->spec.softcap > 0,
                                    .normalizer = self->spec.normalizer,
                                    .storage = self->spec.storage,
                                    .matrices = self->matrices,
                                    .queries = self->shape.queries,
                                    .dim = dim,
                                    .value_dim = self->shape.value_dim,
                                    .tiling = tiling};
        status = sac_quirk_loop_limit(self->device, &request.loop_limit, error);
        if (status == SAC_OK)
            sac_plan_make(&self->device->info, &request, &self->plan);
    }
    if (status != SAC_OK)
        return status;
    const sac_attention_shape *shape = &self->shape;
    sac_problem *problem = &self->problem;
    size_t panel = self->plan.panel, step = self->plan.dim_step;
    size_t stride = self->plan.value_stride ? self->plan.value_stride : shape->value_dim;
    *problem = sac_problem_of(&self->spec, shape);
    problem->dim = (cl_uint)sac_round_up(dim, step);
    problem->panel = (cl_uint)panel;
    problem->panels = (cl_uint)sac_ceil_div(problem->key_room, panel);
    problem->value_chunks = (cl_uint)(stride ? sac_ceil_div(shape->value_dim, stride) : 0);
    problem->value_stride = (cl_uint)stride;
    size_t matrix = shape->queries * shape->value_dim;
    problem->out_batch = shape->heads * matrix;
    problem->out_head = whole_heads ? matrix : shape->value_dim;
    problem->out_row = whole_heads ? shape->value_dim : shape->heads * shape->value_dim;
    status = sac_buffer_create(self->device, 16, NULL, &self->nothing, error);
    return status == SAC_OK ? create_statistics(self, error) : status;
}

static sac_status allocate_attention(sac_device *device, const sac_attention_spec *spec,
                                     const sac_attention_shape *shape, sac_attention **attention,
                                     sac_error *error)
{
    sac_attention *self = calloc(1, sizeof *self);
    *attention = self;
    if (!self)
        return sac_no_memory(error, "attention");
    *self = (sac_attention){.device = device, .spec = *spec, .shape = *shape};
    sac_device_retain(device);
    if (!shape->key_heads)
        self->shape.key_heads = shape->heads;
    return SAC_OK;
}

/* Leaves *attention to the caller, or nothing where it could not be filled. */
static sac_status destroy_on_failure(sac_status status, sac_attention **attention)
{
    if (status == SAC_OK)
        return SAC_OK;
    sac_attention_destroy(*attention);
    *attention = NULL;
    return status;
}

sac_status sac_attention_build(sac_device *device, const sac_attention_spec *spec,
                               const sac_attention_shape *shape, const sac_attention_input *input,
                               const sac_tiling *tiling, sac_attention **attention,
                               sac_error *error)
{
    bool whole_heads = sac_attention_is_split(input) || spec->split == SAC_SPLIT_VIEW;
    sac_status status = allocate_attention(device, spec, shape, attention, error);
    sac_attention *self = *attention;
    if (status == SAC_OK)
        status = fill_plan(self, sac_prepared_dim(self, input), whole_heads, tiling, error);
    if (status == SAC_OK)
        status = sac_prepare_weights(self, input, error);
    if (status == SAC_OK)
        status = sac_prepare(self, input, error);
    if (status == SAC_OK) {
        /* The layers behind the heads. */
        if (input->out_proj_weight)
            status =
                sac_projection_create(self->device, input->out_proj_weight, input->out_proj_bias,
                                      false, &self->out_projection, error);
        if (status == SAC_OK && input->norm_weight)
            status = create_norm(self, input, error);
    }
    return destroy_on_failure(status, attention);
}

sac_status sac_attention_build_on(sac_device *device, const sac_attention_operands *operands,
                                  sac_variant variant, const sac_tiling *tiling,
                                  sac_attention **attention, sac_error *error)
{
    sac_attention_spec spec = operands->spec;
    spec.variant = variant;
    sac_status status = allocate_attention(device, &spec, &operands->shape, attention, error);
    if (status == SAC_OK)
        status = fill_plan(*attention, operands->dim, operands->whole_heads, tiling, error);
    if (status == SAC_OK)
        status = sac_lay_out_operands(*attention, operands, error);
    return destroy_on_failure(status, attention);
}

void sac_attention_destroy(sac_attention *attention)
{
    if (!attention)
        return;
    sac_device *device = attention->device;
    sac_device_lock(device);
    cl_mem buffers[] = {attention->query,
                        attention->key,
                        attention->value,
                        attention->padding,
                        attention->mask,
                        attention->score_weight,
                        attention->nothing,
                        attention->stats,
                        attention->heads_output,
                        attention->scratch,
                        attention->residual,
                        attention->norm_weight,
                        attention->query_part.source,
                        attention->key_part.source,
                        attention->value_part.source,
                        attention->mask_floats,
                        attention->norm_bias.buffer,
                        attention->sinks.buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        sac_buffer_release(buffers[i]);
    sac_part *parts[] = {&attention->query_part, &attention->key_part, &attention->value_part};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sac_projection_release(&parts[i]->projection);
        sac_projection_release(&parts[i]->score);
    }
    sac_projection_release(&attention->out_projection);
    free(attention->stats_known);
    free(attention);
    sac_device_unlock(device);
    sac_device_close(device); /* its share of it */
}

sac_status sac_need_numbers(const sac_attention *self, bool with_value, sac_error *error)
{
    const struct {
        const char *name;
        const sac_array *form;
        cl_mem buffer;
    } parts[] = {{"query", &self->query_part.form, self->query},
                 {"key", &self->key_part.form, self->key},
                 {"key_padding_mask", &self->padding_form, self->padding},
                 {"attn_mask", &self->mask_form, self->mask},
                 {"value", &self->value_part.form, self->value}};
    for (int i = 0; i < 4 + with_value; i++)
        if (parts[i].form->rank && !parts[i].buffer)
            return sac_fail(error, SAC_E_ARGUMENT, parts[i].name,
                            "give its numbers with sac_attention_update",
                            "is known by its shape alone");
    if (with_value && !self->value)
        return sac_fail(error, SAC_E_ARGUMENT, "value", "give a value, or ask for no output",
                        "is missing");
    return SAC_OK;
}

const sac_attention_shape *sac_attention_get_shape(const sac_attention *attention)
{
    return attention ? &attention->shape : NULL;
}

sac_variant sac_attention_get_variant(const sac_attention *attention)
{
    return attention ? attention->plan.variant : SAC_VARIANT_AUTO;
}
