/* Reading of .safetensors: every tensor is checked against the header and the file, and lent from
 * it. */
#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/json.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

#define HEADER_MAX 100000000 /* bytes; as in the reference implementation */

static const char *const dtype_names[] = {
    [SAC_F32] = "F32",   [SAC_F64] = "F64", [SAC_F16] = "F16", [SAC_BF16] = "BF16",
    [SAC_BOOL] = "BOOL", [SAC_I8] = "I8",   [SAC_I16] = "I16", [SAC_I32] = "I32",
    [SAC_I64] = "I64",   [SAC_U8] = "U8",   [SAC_U16] = "U16", [SAC_U32] = "U32",
    [SAC_U64] = "U64",   [SAC_TEXT] = NULL,
};

/* False where no dtype of ours has that name. */
static bool find_dtype(const char *name, sac_dtype *dtype)
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
    *foreign = !find_dtype(name, dtype);
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
static sac_status check_extent_size(const sac_array *array, const extent *where, sac_error *error)
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
        status = check_extent_size(&shown, where, error);
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
static sac_status sort_and_check_layout(extent *extents, size_t count, size_t data_size,
                                        sac_error *error)
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

static sac_status check_metadata(cJSON *metadata, sac_error *error)
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
    return sort_and_check_layout(extents + count, count, data_size, error);
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
            status = sac_arrays_add_unread(arrays, item->string, length, &why, error);
        else
            status = sac_error_pass(error, &why, item->string);
        if (status != SAC_OK)
            return status;
    }
    return SAC_OK;
}

static sac_status read_metadata_and_tensors(sac_arrays *arrays, cJSON *header, size_t data_start,
                                            sac_error *error)
{
    sac_status status = SAC_OK;
    cJSON *metadata = cJSON_DetachItemFromObjectCaseSensitive(header, "__metadata__");
    arrays->metadata = metadata;
    if (metadata)
        status = check_metadata(metadata, error);
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
    if (size > HEADER_MAX)
        return sac_fail(error, SAC_E_FORMAT, NULL, "check that it is a .safetensors file",
                        "the stated length of the header is %llu bytes, more than %d",
                        (unsigned long long)size, HEADER_MAX);
    if (size > file->size - 8)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is cut within its header: %zu of %llu bytes", file->size - 8,
                        (unsigned long long)size);
    cJSON *header;
    sac_status status = sac_json_parse((const char *)file->data + 8, (size_t)size, &header, error);
    if (status != SAC_OK)
        return sac_error_within(error, status, "header");
    if (cJSON_IsObject(header))
        status = read_metadata_and_tensors(arrays, header, 8 + (size_t)size, error);
    else
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                          "the header is not a JSON object");
    cJSON_Delete(header);
    return status;
}

/* ---------------------------------------------------------------- saving: the header */

/* Numbers go in as text: cJSON would print them as doubles. */
static bool add_number(cJSON *list, size_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", value);
    return cJSON_AddItemToArray(list, cJSON_CreateRaw(digits));
}

static bool add_tensor(cJSON *header, const sac_named_array *named, size_t begin, size_t bytes)
{
    const sac_array *array = named->array;
    cJSON *tensor = cJSON_AddObjectToObject(header, named->name);
    /* "F32", "BF16", …; NULL where the format has no name for the dtype (text). */
    bool done = cJSON_AddStringToObject(tensor, "dtype", dtype_names[array->dtype]);
    cJSON *shape = cJSON_AddArrayToObject(tensor, "shape");
    for (int i = 0; i < array->rank; i++)
        done = done && add_number(shape, array->shape[i]);
    cJSON *offsets = cJSON_AddArrayToObject(tensor, "data_offsets");
    return done && add_number(offsets, begin) && add_number(offsets, begin + bytes);
}

static bool add_metadata(cJSON *header, const char *const *metadata)
{
    if (!metadata || !metadata[0])
        return true;
    cJSON *object = cJSON_AddObjectToObject(header, "__metadata__");
    bool done = object != NULL;
    for (; done && metadata[0]; metadata += 2)
        done = cJSON_AddStringToObject(object, metadata[0], metadata[1]) != NULL;
    return done;
}

static size_t array_byte_count(const sac_array *array)
{
    return sac_array_count(array) * sac_dtype_size(array->dtype);
}

/* NULL where memory runs out; free() it. */
static char *create_header_text(const sac_named_array *const *order, size_t count,
                                const char *const *metadata)
{
    cJSON *header = cJSON_CreateObject();
    size_t at = 0;
    bool done = add_metadata(header, metadata);
    for (size_t i = 0; done && i < count; i++) {
        done = add_tensor(header, order[i], at, array_byte_count(order[i]->array));
        at += array_byte_count(order[i]->array);
    }
    char *text = done ? cJSON_PrintUnformatted(header) : NULL;
    cJSON_Delete(header);
    return text;
}

/* ---------------------------------------------------------------- the file */

static bool write_header(FILE *file, const char *text)
{
    size_t length = strlen(text), padded = (length + 7) / 8 * 8;
    uint8_t size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (uint8_t)((uint64_t)padded >> 8 * i);
    return fwrite(size, 1, 8, file) == 8 && fwrite(text, 1, length, file) == length &&
           fwrite("       ", 1, padded - length, file) == padded - length;
}

/* Block by block, as little-endian. */
static bool write_elements(FILE *file, const sac_array *array)
{
    uint8_t block[16384];
    size_t size = sac_dtype_size(array->dtype), left = sac_array_count(array), most;
    for (const uint8_t *from = array->data; left > 0; from += most * size, left -= most) {
        most = sizeof block / size < left ? sizeof block / size : left;
        memcpy(block, from, most * size);
        sac_elements_to_native(array->dtype, block, most, false);
        if (fwrite(block, size, most, file) != most)
            return false;
    }
    return true;
}

static sac_status write_file(const char *path, const char *header,
                             const sac_named_array *const *order, size_t count, sac_error *error)
{
    sac_output output;
    sac_status status = sac_output_open(&output, path, error);
    if (status != SAC_OK)
        return status;
    bool done = write_header(output.file, header);
    for (size_t i = 0; done && i < count; i++)
        done = write_elements(output.file, order[i]->array);
    if (done)
        status = sac_output_commit(&output, error);
    else
        status = sac_fail_not_written(path, errno, error);
    sac_output_discard(&output);
    return status;
}

/* ---------------------------------------------------------------- what may be saved */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(sac_named_array *const *)a)->name, (*(sac_named_array *const *)b)->name);
}

/* Wide elements first keeps every tensor aligned to its own; then as they were given. */
static int compare_widths(const void *a, const void *b)
{
    const sac_named_array *x = *(sac_named_array *const *)a, *y = *(sac_named_array *const *)b;
    size_t wide = sac_dtype_size(x->array->dtype), other = sac_dtype_size(y->array->dtype);
    if (wide != other)
        return wide > other ? -1 : 1;
    return (x > y) - (x < y);
}

static bool is_utf8(const char *text)
{
    return sac_utf8_valid(text, strlen(text));
}

/* The header is JSON, and JSON is UTF-8. A name that is not UTF-8 cannot be shown either, so the
 * error gives its index. */
static sac_status check_utf8(const sac_named_array *arrays, size_t count,
                             const char *const *metadata, sac_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!is_utf8(arrays[i].name))
            return sac_fail(error, SAC_E_ARGUMENT, NULL, "write it in UTF-8",
                            "the name of array %zu is not valid UTF-8", i);
    for (size_t i = 0; metadata && metadata[2 * i]; i++)
        if (!metadata[2 * i + 1])
            return sac_fail(error, SAC_E_ARGUMENT, NULL, "give key, value, …, NULL",
                            "the metadata's key %zu has no value", i);
        else if (!is_utf8(metadata[2 * i]) || !is_utf8(metadata[2 * i + 1]))
            return sac_fail(error, SAC_E_ARGUMENT, NULL, "write it in UTF-8",
                            "entry %zu of the metadata is not valid UTF-8", i);
    return SAC_OK;
}

static sac_status check_savable_arrays(const sac_named_array *const *by_name, size_t count,
                                       sac_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = by_name[i]->name;
        if (by_name[i]->array->dtype == SAC_TEXT)
            return sac_fail(error, SAC_E_ARGUMENT, name, "save it as .npz",
                            "is text, which .safetensors does not hold");
        if (strcmp(name, "__metadata__") == 0)
            return sac_fail(error, SAC_E_ARGUMENT, name, "choose another name",
                            "is a name that .safetensors keeps for itself");
        if (i > 0 && strcmp(by_name[i - 1]->name, name) == 0)
            return sac_fail(error, SAC_E_ARGUMENT, name, "give each its own name",
                            "two arrays have this name");
    }
    return SAC_OK;
}

sac_status sac_safetensors_save(const char *path, const sac_named_array *arrays, size_t count,
                                const char *const *metadata, sac_error *error)
{
    char *header = NULL;
    sac_status status = sac_named_arrays_check(path, arrays, count, error);
    if (status != SAC_OK)
        return status;
    const sac_named_array **order = malloc((count ? count : 1) * sizeof *order);
    if (!order)
        return sac_fail(error, SAC_E_MEMORY, path, NULL, "out of memory for %zu arrays", count);
    for (size_t i = 0; i < count; i++)
        order[i] = &arrays[i];
    qsort(order, count, sizeof *order, compare_names);
    status = check_utf8(arrays, count, metadata, error);
    if (status == SAC_OK)
        status = check_savable_arrays(order, count, error);
    if (status != SAC_OK) {
        sac_error_within(error, status, path);
        goto cleanup;
    }
    qsort(order, count, sizeof *order, compare_widths);
    header = create_header_text(order, count, metadata);
    if (header)
        status = write_file(path, header, order, count, error);
    else
        status = sac_no_memory(error, path);
cleanup:
    cJSON_free(header);
    free(order);
    return status;
}
