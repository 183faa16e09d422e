/* Arrays of the caller onto the device. */
#include <math.h>
#include <stdlib.h>

#include "attention/check.h"
#include "attention/device_array.h"
#include "attention/internal.h"
#include "base/checked.h"
#include "base/error.h"

#define BLOCKED -1.7e38f /* of cl/problem.clh: the kernels know finite numbers only */
#define LOG2_E 1.44269504088896341f

sac_status sac_upload_floats(sac_device *device, const sac_array *array, cl_mem *buffer,
                             sac_error *error)
{
    size_t bytes;
    if (sac_is_on_device(array)) {
        *buffer = sac_array_buffer(array);
        return sac_cl_check(device, "clRetainMemObject", clRetainMemObject(*buffer), error);
    }
    if (!sac_mul(sac_array_count(array), sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "an array is too large");
    if (array->dtype == SAC_F32)
        return sac_buffer_create(device, bytes, array->data, buffer, error);
    float *floats = malloc(bytes ? bytes : 1);
    if (!floats)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu bytes", bytes);
    sac_status status = sac_array_to_f32(array, floats, error);
    if (status == SAC_OK)
        status = sac_buffer_create(device, bytes, floats, buffer, error);
    free(floats);
    return status;
}

sac_status sac_upload_bools(sac_device *device, const sac_array *array, cl_mem *buffer,
                            sac_error *error)
{
    size_t count = sac_array_count(array);
    const uint8_t *values = array->data;
    uint8_t *bytes = malloc(count ? count : 1);
    if (!bytes)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu bytes", count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = values[i] != 0;
    sac_status status = sac_buffer_create(device, count, bytes, buffer, error);
    free(bytes);
    return status;
}

/* In base 2, as the kernels' logits are, and finite. */
static sac_status upload_biases(sac_device *device, const sac_array *array, cl_mem *buffer,
                                sac_error *error)
{
    size_t count = sac_array_count(array), bytes;
    if (!sac_mul(count, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, "attn_mask", NULL, "the array is too large");
    float *biases = malloc(bytes ? bytes : 1);
    if (!biases)
        return sac_fail(error, SAC_E_MEMORY, "attn_mask", NULL, "no memory for %zu bytes", bytes);
    sac_status status = sac_array_to_f32(array, biases, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        float most = (float)SAC_MOST_BIAS, bias = fminf(fmaxf(biases[i], -most), most);
        biases[i] = biases[i] == -INFINITY ? BLOCKED : bias * LOG2_E;
    }
    if (status == SAC_OK)
        status = sac_buffer_create(device, bytes, biases, buffer, error);
    free(biases);
    return status;
}

/* The strides of a mask [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk]; 0 along a size of 1. */
static void set_mask_strides(sac_problem *problem, const sac_array *mask)
{
    const size_t *shape = mask->shape;
    int rank = mask->rank;
    size_t cols = shape[rank - 1], rows = shape[rank - 2];
    size_t heads = rank == 4 ? shape[1] : 1, batch = rank >= 3 ? shape[0] : 1;
    problem->mask_key = cols == 1 ? 0 : 1;
    problem->mask_query = rows == 1 ? 0 : cols;
    problem->mask_head = heads == 1 ? 0 : rows * cols;
    problem->mask_batch = batch == 1 ? 0 : heads * rows * cols;
}

sac_status sac_upload_masks(sac_attention *self, const sac_attention_input *input, sac_error *error)
{
    sac_problem *problem = &self->problem;
    sac_status status = SAC_OK;
    if (input->key_padding_mask) {
        problem->flags |= SAC_PADDING;
        status = sac_upload_bools(self->device, input->key_padding_mask, &self->padding, error);
    }
    if (status != SAC_OK || !input->attn_mask)
        return status;
    bool is_bool = sac_is_boolean(input->attn_mask);
    problem->flags |= is_bool ? SAC_MASK_BOOL : SAC_MASK_FLOAT;
    set_mask_strides(problem, input->attn_mask);
    return is_bool ? sac_upload_bools(self->device, input->attn_mask, &self->mask, error)
                   : upload_biases(self->device, input->attn_mask, &self->mask, error);
}
