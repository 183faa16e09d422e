/* Reading of .safetensors: every tensor is checked against the header and the file, and lent from
 * it. */

#include "arrays/safetensors/safetensors.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/json.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "saccade_arrays.h"

static const char *const dtype_names[] = {
    [SAC_F32] = "F32",   [SAC_F64] = "F64", [SAC_F16] = "F16", [SAC_BF16] = "BF16",
    [SAC_BOOL] = "BOOL", [SAC_I8] = "I8",   [SAC_I16] = "I16", [SAC_I32] = "I32",
    [SAC_I64] = "I64",   [SAC_U8] = "U8",   [SAC_U16] = "U16", [SAC_U32] = "U32",
    [SAC_U64] = "U64",   [SAC_TEXT] = NULL,
};

const char *sac_safetensors_dtype_name(sac_dtype dtype)
{
    return dtype_names[dtype];
}

bool sac_safetensors_dtype_find(const char *name, sac_dtype *dtype)
{
    for (int i = 0; i < SAC_TEXT; i++)
        if (strcmp(dtype_names[i], name) == 0) {
            *dtype = (sac_dtype)i;
            return true;
        }
    return false;
}

/* ---------------------------------------------------------------- one tensor */

/* The bytes of the data that a tensor takes, [begin,end). */
typedef struct extent {
    size_t begin, end;
    const char *name;
} extent;

/* A whole number that a double holds exactly. */
static bool get_size(const cJSON *json, size_t *size)
{
    double value = cJSON_IsNumber(json) ? json->valuedouble : -1;
    if (!(value >= 0 && value <= 0x1p53) || value != floor(value))
        return false;
    *size = (size_t)value;
    return true;
}

static sac_status read_dtype(const cJSON *tensor, sac_dtype *dtype, bool *foreign, sac_error *error)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "dtype"));
    if (!name)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again", "has no dtype");
    *foreign = !sac_safetensors_dtype_find(name, dtype);
    if (*foreign)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to F32, F16 or BF16",
                        "has dtype '%.40s', which is not read", name);
    return SAC_OK;
}

static sac_status read_shape(const cJSON *tensor, int *rank, size_t *shape, bool *foreign,
                             sac_error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(tensor, "shape"), *item;
    if (!cJSON_IsArray(list))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again", "has no shape");
    *rank = 0;
    cJSON_ArrayForEach(item, list)
    {
        *foreign = *rank == SAC_MAX_RANK;
        if (*foreign)
            return sac_fail(error, SAC_E_SHAPE, NULL, "reshape it before saving",
                            "has more than %d dimensions", SAC_MAX_RANK);
        if (!get_size(item, &shape[(*rank)++]))
            return sac_fail(error, SAC_E_SHAPE, NULL, "save the file again",
                            "dimension %d is not a size", *rank - 1);
    }
    return SAC_OK;
}

static sac_status read_extent(const cJSON *tensor, size_t data_size, extent *where,
                              sac_error *error)
{
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(tensor, "data_offsets");
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 ||
        !get_size(cJSON_GetArrayItem(pair, 0), &where->begin) ||
        !get_size(cJSON_GetArrayItem(pair, 1), &where->end))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                        "has no pair of data_offsets");
    if (where->begin > where->end)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                        "starts at byte %zu, after its end at %zu", where->begin, where->end);
    if (where->end > data_size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "ends at byte %zu of the data, the file holds %zu", where->end, data_size);
    where->name = tensor->string;
    return SAC_OK;
}

/* A size of 0 makes the product 0, yet the others must not overflow among themselves. */
static sac_status check_bytes(const sac_array *array, const extent *where, sac_error *error)
{
    size_t bytes = sac_dtype_size(array->dtype);
    bool empty = false, fits = true;
    char shape[200];
    sac_array_shape_text(array, shape, sizeof shape);
    for (int i = 0; i < array->rank; i++) {
        empty |= array->shape[i] == 0;
        fits = fits && sac_checked_mul(bytes, array->shape[i] ? array->shape[i] : 1, &bytes);
    }
    if (!fits)
        return sac_fail(error, SAC_E_SHAPE, NULL, "save the file again",
                        "shape %s overflows the address space", shape);
    bytes = empty ? 0 : bytes;
    if (bytes != where->end - where->begin)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                        "shape %s of %s takes %zu bytes, its data_offsets span %zu", shape,
                        sac_dtype_name(array->dtype), bytes, where->end - where->begin);
    return SAC_OK;
}

/* *foreign: it is of a kind that is not read, and nothing is wrong with the file. */
static sac_status read_tensor(const cJSON *tensor, const uint8_t *data, const extent *where,
                              sac_array *array, bool *foreign, sac_error *error)
{
    sac_array shown = {0};
    sac_status status = read_dtype(tensor, &shown.dtype, foreign, error);
    if (status == SAC_OK)
        status = read_shape(tensor, &shown.rank, shown.shape, foreign, error);
    if (status == SAC_OK)
        status = check_bytes(&shown, where, error);
    if (status == SAC_OK)
        status = sac_array_from_bytes(shown.dtype, shown.rank, shown.shape, data + where->begin,
                                      false, array, error);
    return status;
}

/* ---------------------------------------------------------------- the file */

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The format has tensors back to back: nothing shared, nothing hidden between them. */
static sac_status check_layout(extent *extents, size_t count, size_t data_size, sac_error *error)
{
    size_t at = 0;
    qsort(extents, count, sizeof *extents, compare_extents);
    for (size_t i = 0; i < count; at = extents[i++].end)
        if (extents[i].begin != at)
            return sac_fail(error, SAC_E_FORMAT, extents[i].name, "save the file again",
                            "starts at byte %zu of the data, %s at %zu", extents[i].begin,
                            extents[i].begin < at ? "within the tensor that ends"
                                                  : "after a gap that starts",
                            at);
    if (at != data_size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                        "holds %zu bytes after its last tensor", data_size - at);
    return SAC_OK;
}

static sac_status read_metadata(cJSON *metadata, sac_error *error)
{
    const cJSON *item;
    if (cJSON_IsNull(metadata)) /* the reference implementation treats it as absent */
        return SAC_OK;
    if (!cJSON_IsObject(metadata))
        return sac_fail(error, SAC_E_FORMAT, "__metadata__", "save the file again",
                        "is not an object");
    cJSON_ArrayForEach(item, metadata)
    {
        if (!cJSON_IsString(item))
            return sac_fail(error, SAC_E_FORMAT, "__metadata__", "save the file again",
                            "'%.60s' is not a string", item->string);
    }
    return SAC_OK;
}

/* Where all tensors lie, `extents` [2,count]: in the order of `header`, and sorted, by which they are
 * checked before any is copied. */
static sac_status read_extents(const cJSON *header, size_t data_size, extent *extents, size_t count,
                               sac_error *error)
{
    size_t i = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, header)
    {
        sac_status status =
            cJSON_IsObject(item)
                ? read_extent(item, data_size, &extents[i++], error)
                : sac_fail(error, SAC_E_FORMAT, NULL, "save the file again", "is not described");
        if (status != SAC_OK)
            return sac_error_within(error, status, item->string);
    }
    memcpy(extents + count, extents, count * sizeof *extents);
    return check_layout(extents + count, count, data_size, error);
}

static sac_status read_items(sac_arrays *arrays, const cJSON *header, size_t data_start,
                             const extent *where, sac_error *error)
{
    const uint8_t *data = arrays->file.data + data_start;
    const cJSON *item;
    cJSON_ArrayForEach(item, header)
    {
        sac_array array;
        sac_error why = {0};
        bool foreign = false;
        size_t length = strlen(item->string);
        sac_status status = sac_cancel_check(item->string, error);
        if (status != SAC_OK)
            return status;
        status = read_tensor(item, data, where++, &array, &foreign, &why);
        if (status == SAC_OK)
            status = sac_arrays_add(arrays, item->string, length, &array, error);
        else if (foreign)
            status = sac_arrays_leave(arrays, item->string, length, &why, error);
        else
            status = sac_error_pass(error, &why, item->string);
        if (status != SAC_OK)
            return status;
    }
    return SAC_OK;
}

static sac_status read_header(sac_arrays *arrays, cJSON *header, size_t data_start,
                              sac_error *error)
{
    sac_status status = SAC_OK;
    cJSON *metadata = cJSON_DetachItemFromObjectCaseSensitive(header, "__metadata__");
    arrays->metadata = metadata;
    if (metadata)
        status = read_metadata(metadata, error);
    if (status != SAC_OK)
        return status;
    extent *extents;
    size_t count = (size_t)cJSON_GetArraySize(header);
    status = sac_allocate(2 * count * sizeof *extents, (void **)&extents, error);
    if (status != SAC_OK)
        return status;
    status = read_extents(header, arrays->file.size - data_start, extents, count, error);
    if (status == SAC_OK)
        status = read_items(arrays, header, data_start, extents, error);
    free(extents);
    return status;
}

bool sac_safetensors_is(const uint8_t *bytes, size_t size)
{
    return size > 8 && bytes[8] == '{';
}

sac_status sac_safetensors_open(sac_arrays *arrays, sac_error *error)
{
    const sac_bytes *file = &arrays->file;
    uint64_t size = 0;
    for (int i = 7; i >= 0; i--)
        size = size << 8 | file->data[i];
    if (size > SAC_SAFETENSORS_HEADER_MAX)
        return sac_fail(error, SAC_E_FORMAT, NULL, "check that it is a .safetensors file",
                        "the stated length of the header is %llu bytes, more than %d",
                        (unsigned long long)size, SAC_SAFETENSORS_HEADER_MAX);
    if (size > file->size - 8)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is cut within its header: %zu of %llu bytes", file->size - 8,
                        (unsigned long long)size);
    cJSON *header;
    sac_status status = sac_json_parse((const char *)file->data + 8, (size_t)size, &header, error);
    if (status != SAC_OK)
        return sac_error_within(error, status, "header");
    if (cJSON_IsObject(header))
        status = read_header(arrays, header, 8 + (size_t)size, error);
    else
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                          "the header is not a JSON object");
    cJSON_Delete(header);
    return status;
}
