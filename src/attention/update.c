/* New numbers for an attention that stays as it is otherwise. */
#include <string.h>

#include "attention/check.h"
#include "attention/internal.h"
#include "base/error.h"

/* Of the shape that was there when the attention was created. */
static sac_status check_form(sac_named_part a, const sac_array *form, sac_error *error)
{
    if (form->rank == 0)
        return sac_fail(error, SAC_E_ARGUMENT, a.name, "create another attention with it",
                        "was not there when the attention was created");
    sac_status status = sac_check_rank(a, 2, 4, "[T,D], [B,T,D] or [B,H,T,d]", error);
    bool same = a.array->rank == form->rank &&
                memcmp(a.array->shape, form->shape, (size_t)form->rank * sizeof *form->shape) == 0;
    if (status == SAC_OK && !same)
        status = sac_misfit(error, a, (sac_named_part){"the one before", form},
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
    return status == SAC_OK ? sac_check_numbers(a, 2, 4, "numbers", error) : status;
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
enum { REPLACED = 6 };
static void list_replaced(sac_attention *self, const sac_attention_input *input,
                          cl_mem *list[REPLACED])
{
    list[0] = input->query ? &self->query : NULL;
    list[1] = input->key ? &self->key : NULL;
    list[2] = input->value ? &self->value : NULL;
    list[3] = input->key_padding_mask ? &self->padding : NULL;
    list[4] = input->attn_mask ? &self->mask : NULL;
    list[5] = input->query && self->norm_weight ? &self->residual : NULL;
}

static void release_replaced(sac_attention *self, const sac_attention_input *input)
{
    cl_mem *list[REPLACED];
    list_replaced(self, input, list);
    for (int i = 0; i < REPLACED; i++)
        if (list[i])
            sac_buffer_release(*list[i]);
}

/* In a copy of the attention that has none of what is replaced: after a failure all is as before.
 */
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
