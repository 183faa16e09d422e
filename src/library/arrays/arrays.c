/* Collections of named arrays in the file's order, and their elements brought to this machine's
 * form. */

#include "arrays/arrays.h"

#include <cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "saccade_arrays.h"

sac_status sac_allocate(size_t bytes, void **data, sac_error *error)
{
    *data = malloc(bytes ? bytes : 1);
    if (!*data)
        return sac_fail(error, SAC_E_MEMORY, NULL, "close other programs or use a smaller file",
                        "out of memory for %zu bytes", bytes);
    return SAC_OK;
}

sac_status sac_take_room(size_t *room, size_t bytes, sac_error *error)
{
    if (bytes > *room)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "save it uncompressed, and copies of what is repeated",
                        "would take %zu bytes, far more than the file holds", bytes);
    *room -= bytes;
    return SAC_OK;
}

/* ---------------------------------------------------------------- elements */

static bool needs_byte_swap(sac_dtype dtype, bool big_endian)
{
    return sac_dtype_size(dtype) > 1 && big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static bool are_truth_values(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] > 1)
            return false;
    return true;
}

static void swap_bytes(uint8_t *bytes, size_t count, size_t size)
{
    for (; count > 0; count--, bytes += size)
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t held = bytes[i];
            bytes[i] = bytes[size - 1 - i];
            bytes[size - 1 - i] = held;
        }
}

void sac_elements_to_native(sac_dtype dtype, void *data, size_t count, bool big_endian)
{
    uint8_t *bytes = data;
    if (needs_byte_swap(dtype, big_endian))
        swap_bytes(bytes, count, sac_dtype_size(dtype));
    if (dtype == SAC_BOOL)
        for (size_t i = 0; i < count; i++)
            bytes[i] = bytes[i] != 0;
}

sac_status sac_array_from_bytes(sac_dtype dtype, int rank, const size_t *shape, const void *bytes,
                                bool big_endian, sac_array *array, sac_error *error)
{
    *array = sac_array_view(dtype, rank, shape, bytes);
    size_t count = sac_array_count(array), size = sac_dtype_size(dtype);
    if ((uintptr_t)bytes % size == 0 && !needs_byte_swap(dtype, big_endian) &&
        (dtype != SAC_BOOL || are_truth_values(bytes, count)))
        return SAC_OK;
    sac_status status = sac_array_create(dtype, rank, shape, array, error);
    if (status != SAC_OK)
        return status;
    memcpy(array->data, bytes, count * size);
    sac_elements_to_native(dtype, array->data, count, big_endian);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the collection */

/* Of each array or member that is left out, beside its name: the entry, twice while the list grows, the
 * reason, and what malloc adds. */
#define NAME_ROOM ((size_t)512)

static sac_status reserve(sac_arrays *arrays, sac_error *error)
{
    if (arrays->count < arrays->capacity)
        return SAC_OK;
    size_t capacity = arrays->capacity ? 2 * arrays->capacity : 16;
    sac_entry *entries = realloc(arrays->entries, capacity * sizeof *entries);
    if (!entries)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu arrays", capacity);
    arrays->entries = entries;
    arrays->capacity = capacity;
    return SAC_OK;
}

sac_status sac_arrays_add(sac_arrays *arrays, const char *name, size_t name_size, sac_array *array,
                          sac_error *error)
{
    char *copy = NULL;
    sac_error why = {0};
    sac_status status = SAC_OK;
    if (name_size > SAC_NAME_MOST) {
        sac_array_free(array);
        sac_fail(&why, SAC_E_FORMAT, NULL, "save it under a shorter one", "has a name of %zu bytes",
                 name_size);
        return sac_arrays_add_unread(arrays, name, name_size, &why, error);
    }
    status = sac_take_room(&arrays->room, NAME_ROOM + name_size, error);
    if (status == SAC_OK)
        status = reserve(arrays, error);
    if (status == SAC_OK)
        status = sac_allocate(name_size + 1, (void **)&copy, error);
    if (status != SAC_OK) {
        sac_array_free(array);
        return status;
    }
    memcpy(copy, name, name_size);
    copy[name_size] = '\0';
    arrays->entries[arrays->count++] = (sac_entry){.name = copy, .array = *array};
    *array = (sac_array){0};
    return SAC_OK;
}

/* Makes space for one more than `count` elements of a growing list; NULL: no memory, and the list
 * is unchanged. */
static void *grow(void *list, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* the capacity is a power of two */
    return full ? realloc(list, (count ? 2 * count : 1) * size) : list;
}

sac_status sac_arrays_add_unread(sac_arrays *arrays, const char *name, size_t name_size,
                                 const sac_error *why, sac_error *error)
{
    enum { SHOWN = 200 }; /* bytes of a longer name, which are lists of names anyway */
    size_t shown = name_size <= SAC_NAME_MOST ? name_size : SHOWN;
    while (shown < name_size && shown && ((uint8_t)name[shown] & 0xc0) == 0x80)
        shown--;
    sac_status status = sac_take_room(&arrays->room, NAME_ROOM + shown, error);
    if (status != SAC_OK)
        return status;
    sac_unread one = {why->status, NULL, NULL};
    if (asprintf(&one.name, "%.*s%s", (int)shown, name, shown < name_size ? "…" : "") < 0)
        one.name = NULL;
    sac_unread *more = grow(arrays->unread, arrays->unread_count, sizeof *more);
    arrays->unread = more ? more : arrays->unread;
    if (one.name && more &&
        asprintf(&one.reason, "%s%s%s", why->what, why->remedy[0] ? "; " : "", why->remedy) >= 0) {
        arrays->unread[arrays->unread_count++] = one;
        return SAC_OK;
    }
    free(one.name);
    return sac_no_memory(error, NULL);
}

sac_status sac_arrays_own_memory(sac_arrays *arrays, void *memory, sac_error *error)
{
    void **more = grow(arrays->kept, arrays->kept_count, sizeof *more);
    if (!more) {
        free(memory);
        return sac_no_memory(error, NULL);
    }
    arrays->kept = more;
    more[arrays->kept_count++] = memory;
    return SAC_OK;
}

sac_status sac_named_arrays_check(const char *path, const sac_named_array *arrays, size_t count,
                                  sac_error *error)
{
    sac_status status = sac_need(path, "path", error);
    if (status == SAC_OK && count)
        status = sac_need(arrays, "arrays", error);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        status = sac_need(arrays[i].name, "name", error);
        if (status == SAC_OK)
            status = sac_need(arrays[i].array, arrays[i].name, error);
        if (status == SAC_OK)
            status =
                sac_error_within(error, sac_array_check(arrays[i].array, error), arrays[i].name);
    }
    return status;
}

size_t sac_arrays_size(const sac_arrays *arrays)
{
    return arrays ? arrays->count : 0;
}

const char *sac_arrays_name(const sac_arrays *arrays, size_t index)
{
    return index < sac_arrays_size(arrays) ? arrays->entries[index].name : NULL;
}

const sac_array *sac_arrays_at(const sac_arrays *arrays, size_t index)
{
    return index < sac_arrays_size(arrays) ? &arrays->entries[index].array : NULL;
}

static const sac_entry *find_entry(const sac_arrays *arrays, const char *name)
{
    size_t low = 0, high = name ? sac_arrays_size(arrays) : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, arrays->by_name[middle]->name);
        if (order == 0)
            return arrays->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const sac_array *sac_arrays_find(const sac_arrays *arrays, const char *name)
{
    const sac_entry *entry = find_entry(arrays, name);
    return entry ? &entry->array : NULL;
}

size_t sac_arrays_index(const sac_arrays *arrays, const char *name)
{
    const sac_entry *entry = find_entry(arrays, name);
    return entry ? (size_t)(entry - arrays->entries) : sac_arrays_size(arrays);
}

const char *sac_arrays_unread(const sac_arrays *arrays, size_t index)
{
    return arrays && index < arrays->unread_count ? arrays->unread[index].name : NULL;
}

const char *sac_arrays_unread_reason(const sac_arrays *arrays, const char *name)
{
    for (size_t i = 0; arrays && name && i < arrays->unread_count; i++)
        if (strcmp(arrays->unread[i].name, name) == 0)
            return arrays->unread[i].reason;
    return NULL;
}

/* The remedy of a reason is left out of a list. */
void sac_arrays_unread_text(const sac_arrays *arrays, char *text, size_t size)
{
    enum { TAIL = 40 }; /* space for " … and 12345 more" */
    size_t count = 0;
    while (sac_arrays_unread(arrays, count))
        count++;
    for (size_t i = 0; i < count; i++) {
        const char *name = sac_arrays_unread(arrays, i);
        const char *reason = sac_arrays_unread_reason(arrays, name);
        int length = (int)strcspn(reason, ";");
        size_t used = strlen(text);
        const char *between = text[0] && !isspace((unsigned char)text[used - 1]) ? ", " : "";
        if (used + strlen(name) + (size_t)length + 5 + TAIL > size) {
            snprintf(text + used, size - used, "%s… and %zu more", between, count - i);
            return;
        }
        snprintf(text + used, size - used, "%s%s (%.*s)", between, name, length, reason);
    }
}

const char *sac_arrays_metadata(const sac_arrays *arrays, const char *key)
{
    if (!arrays || !key)
        return NULL;
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(arrays->metadata, key));
}

void sac_arrays_close(sac_arrays *arrays)
{
    if (!arrays)
        return;
    for (size_t i = 0; i < arrays->count; i++) {
        free(arrays->entries[i].name);
        sac_array_free(&arrays->entries[i].array);
    }
    for (size_t i = 0; i < arrays->unread_count; i++) {
        free(arrays->unread[i].name);
        free(arrays->unread[i].reason);
    }
    for (size_t i = 0; i < arrays->kept_count; i++)
        free(arrays->kept[i]);
    free(arrays->entries);
    free(arrays->by_name);
    free(arrays->unread);
    free(arrays->kept);
    cJSON_Delete(arrays->metadata);
    sac_bytes_free(&arrays->file);
    free(arrays);
}
