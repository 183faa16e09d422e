/* New numbers for an attention that stays as it is otherwise. */
#include <string.h>

#include "attention/run/run.h"
#include "attention/spec/check.h"
#include "attention/spec/resolve.h"
#include "base/error.h"

/* Checks for the shape that the array had when the attention was created. */
static sac_status check_form(sac_named_part a, const sac_array *form, sac_error *error)
{
    if (form->rank == 0)
        return sac_fail(error, SAC_E_ARGUMENT, a.name, "create another attention with it",
                        "was not there when the attention was created");
    sac_status status = sac_check_rank(a, 2, 4, "[T,D], [B,T,D] or [B,H,T,d]", error);
    bool same = a.array->rank == form->rank &&
                memcmp(a.array->shape, form->shape, (size_t)form->rank * sizeof *form->shape) == 0;
    if (status == SAC_OK && !same)
        status = sac_fail_misfit(error, a, (sac_named_part){"the one before", form},
                                 "create another attention", "only numbers can change");
    return status;
}

static sac_status check_vectors(const char *name, const sac_array *array, const sac_part *part,
                                sac_error *error)
{
    sac_named_part a = {name, array};
    if (!array)
        return SAC_OK;
    sac_status status = check_form(a, &part->form, error);
    if (status == SAC_OK)
        status = sac_check_numbers(a, 2, 4, "numbers", error);
    return status == SAC_OK ? sac_check_finite(a, false, error) : status;
}

/* Booleans stay booleans, and floats floats. */
static sac_status check_mask(const char *name, const sac_array *mask, const sac_array *form,
                             sac_error *error)
{
    sac_named_part a = {name, mask};
    if (!mask)
        return SAC_OK;
    sac_status status = check_form(a, form, error);
    if (status == SAC_OK && (sac_is_boolean(mask) != sac_is_boolean(form) ||
                             (!sac_is_boolean(mask) && mask->dtype != form->dtype)))
        status = sac_fail(error, SAC_E_ARGUMENT, name, "give it as before", "is %s, and was %s",
                          sac_dtype_name(mask->dtype), sac_dtype_name(form->dtype));
    if (status == SAC_OK)
        status = sac_is_boolean(mask) ? sac_check_bools(a, "give 0 and 1", error)
                                      : sac_check_finite(a, true, error);
    return status;
}

static sac_status check(const sac_attention *self, const sac_attention_input *input,
                        sac_error *error)
{
    sac_status status = check_vectors("query", input->query, &self->query_part, error);
    if (status == SAC_OK)
        status = check_vectors("key", input->key, &self->key_part, error);
    if (status == SAC_OK)
        status = check_vectors("value", input->value, &self->value_part, error);
    if (status == SAC_OK)
        status =
            check_mask("key_padding_mask", input->key_padding_mask, &self->padding_form, error);
    if (status == SAC_OK)
        status = check_mask("attn_mask", input->attn_mask, &self->mask_form, error);
    return status;
}

/* The buffers that `input` fills anew: of those that are taken from *self for it. */
enum { REPLACED = 10 };
static void list_replaced(sac_attention *self, const sac_attention_input *input,
                          cl_mem *list[REPLACED])
{
    list[0] = input->query ? &self->query : NULL;
    list[1] = input->key ? &self->key : NULL;
    list[2] = input->value ? &self->value : NULL;
    list[3] = input->key_padding_mask ? &self->padding : NULL;
    list[4] = input->attn_mask ? &self->mask : NULL;
    list[5] = input->query && self->norm_weight ? &self->residual : NULL;
    list[6] = input->query ? &self->query_part.source : NULL;
    list[7] = input->key ? &self->key_part.source : NULL;
    list[8] = input->value ? &self->value_part.source : NULL;
    list[9] = input->attn_mask ? &self->mask_floats : NULL;
}

static void release_replaced(sac_attention *self, const sac_attention_input *input)
{
    cl_mem *list[REPLACED];
    list_replaced(self, input, list);
    for (int i = 0; i < REPLACED; i++)
        if (list[i])
            sac_buffer_release(*list[i]);
}

/* Works in a copy of the attention that lacks the arrays to be replaced: after a failure all is as
 * before. */
static sac_status replace(sac_attention *self, const sac_attention_input *input, sac_error *error)
{
    sac_attention fresh = *self;
    cl_mem *list[REPLACED];
    list_replaced(&fresh, input, list);
    for (int i = 0; i < REPLACED; i++)
        if (list[i])
            *list[i] = NULL;
    sac_status status = sac_prepare(&fresh, input, error);
    if (status == SAC_OK && list[5])
        status = sac_upload_floats(self->device, input->query, &fresh.residual, error);
    release_replaced(status == SAC_OK ? self : &fresh, input);
    if (status == SAC_OK)
        *self = fresh;
    return status;
}

sac_status sac_attention_update(sac_attention *attention, const sac_attention_input *input,
                                sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = check(attention, input, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = replace(attention, input, error);
    if (status == SAC_OK)
        sac_stats_forget(attention);
    sac_device_unlock(attention->device);
    return status;
}

/* ---------------------------------------------------------------- a cache of keys */

/* Checks as check_vectors does, but for the number of vectors. */
static sac_status check_appended_vectors(const char *name, const sac_array *array,
                                         const sac_part *part, sac_error *error)
{
    sac_named_part a = {name, array};
    if (!array || part->form.rank == 0)
        return sac_fail(error, SAC_E_ARGUMENT, name, "give key and value as the first ones were",
                        array ? "was not there when the attention was created" : "is missing");
    sac_status status = sac_check_rank(a, 2, 4, "[T,D], [B,T,D] or [B,H,T,d]", error);
    sac_array like = part->form;
    if (status == SAC_OK && array->rank == like.rank)
        like.shape[like.rank - 2] = array->shape[array->rank - 2];
    sac_part wanted = {.form = like};
    return status == SAC_OK ? check_vectors(name, array, &wanted, error) : status;
}

static sac_status check_append(const sac_attention *self, const sac_array *key,
                               const sac_array *value, sac_error *error)
{
    sac_status status = check_appended_vectors("key", key, &self->key_part, error);
    if (status == SAC_OK && (value || self->value_part.form.rank))
        status = check_appended_vectors("value", value, &self->value_part, error);
    if (status != SAC_OK)
        return status;
    size_t more = key->shape[key->rank - 2], room = self->problem.key_room - self->shape.keys;
    if (value && value->shape[value->rank - 2] != more)
        return sac_fail_misfit(error, (sac_named_part){"value", value},
                               (sac_named_part){"key", key}, "give one value per key",
                               "%zu values for %zu keys", value->shape[value->rank - 2], more);
    if (more > room)
        return sac_fail(error, SAC_E_SHAPE, "capacity", "create the attention with more",
                        "%zu more keys have no room beside %zu of %u", more, self->shape.keys,
                        (unsigned)self->problem.key_room);
    return SAC_OK;
}

static void set_key_count(sac_attention *self, size_t keys)
{
    self->shape.keys = keys;
    self->problem.keys = (cl_uint)keys;
    self->problem.offset = (cl_int)sac_attention_offset(&self->spec, self->shape.queries, keys);
    if (self->key_part.form.rank)
        self->key_part.form.shape[self->key_part.form.rank - 2] = keys;
    if (self->value_part.form.rank)
        self->value_part.form.shape[self->value_part.form.rank - 2] = keys;
}

static sac_status append(sac_attention *self, const sac_array *key, const sac_array *value,
                         sac_error *error)
{
    size_t keys = self->shape.keys;
    double largest = self->largest_key;
    sac_status status = sac_append(self, SAC_KEY, key, error);
    if (status == SAC_OK && value)
        status = sac_append(self, SAC_VALUE, value, error);
    if (status == SAC_OK) {
        set_key_count(self, keys + key->shape[key->rank - 2]);
        status = sac_check_score_overflow(self, error);
    }
    if (status == SAC_OK)
        return SAC_OK;
    set_key_count(self, keys); /* what was written behind them is not read */
    self->largest_key = largest;
    return status;
}

sac_status sac_attention_append(sac_attention *attention, const sac_array *key,
                                const sac_array *value, sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = check_append(attention, key, value, error);
    if (status != SAC_OK)
        return status;
    status = sac_need_numbers(attention, value != NULL, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = append(attention, key, value, error);
    if (status == SAC_OK)
        sac_stats_forget(attention);
    sac_device_unlock(attention->device);
    return status;
}
