/* Writing of .safetensors: the header by cJSON, then the tensors, the widest elements first. */

#include <cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/safetensors/safetensors.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- the header */

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
    bool done = cJSON_AddStringToObject(tensor, "dtype", sac_safetensors_dtype_name(array->dtype));
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

static size_t bytes_of(const sac_array *array)
{
    return sac_array_count(array) * sac_dtype_size(array->dtype);
}

/* NULL where memory runs out; free() it. */
static char *header_text(const sac_named_array *const *order, size_t count,
                         const char *const *metadata)
{
    cJSON *header = cJSON_CreateObject();
    size_t at = 0;
    bool done = add_metadata(header, metadata);
    for (size_t i = 0; done && i < count; i++) {
        done = add_tensor(header, order[i], at, bytes_of(order[i]->array));
        at += bytes_of(order[i]->array);
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
        sac_elements_tidy(array->dtype, block, most, false);
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
        status = sac_not_written(path, errno, error);
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

static sac_status check(const sac_named_array *const *by_name, size_t count, sac_error *error)
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
        status = check(order, count, error);
    if (status != SAC_OK) {
        sac_error_within(error, status, path);
        goto cleanup;
    }
    qsort(order, count, sizeof *order, compare_widths);
    header = header_text(order, count, metadata);
    if (header)
        status = write_file(path, header, order, count, error);
    else
        status = sac_no_memory(error, path);
cleanup:
    cJSON_free(header);
    free(order);
    return status;
}
