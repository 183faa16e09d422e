/* Uploads the caller's arrays to the device. */
#include <stdlib.h>

#include "attention/prepare/prepared.h"
#include "attention/spec/check.h"
#include "attention/spec/device_array.h"
#include "base/checked.h"
#include "base/error.h"

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
