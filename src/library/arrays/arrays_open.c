/* Opening a file of arrays: the choice of its reader by its first bytes, and the index by name. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/foreign.h"
#include "base/error.h"
#include "saccade_arrays.h"

/* Of what the file does not hold as it is: so much for small files, and so many times a file's size. A
 * file of 1 MB stays below 1 GB, and all that numbers take which deflate makes 700 times smaller is read. */
#define ROOM ((size_t)64 << 20)
#define ROOM_EACH 704
#define MOST_ROOM (SIZE_MAX / (2 * ROOM_EACH))

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(sac_entry *const *)a)->name, (*(sac_entry *const *)b)->name);
}

static sac_status build_name_index(sac_arrays *arrays, sac_error *error)
{
    sac_status status =
        sac_allocate(arrays->count * sizeof *arrays->by_name, (void **)&arrays->by_name, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < arrays->count; i++)
        arrays->by_name[i] = &arrays->entries[i];
    qsort(arrays->by_name, arrays->count, sizeof *arrays->by_name, compare_names);
    for (size_t i = 1; i < arrays->count; i++)
        if (strcmp(arrays->by_name[i - 1]->name, arrays->by_name[i]->name) == 0)
            return sac_fail(error, SAC_E_FORMAT, arrays->by_name[i]->name, "give each its own name",
                            "two arrays have this name");
    return SAC_OK;
}

typedef struct reader {
    bool (*is)(const uint8_t *bytes, size_t size);
    sac_status (*open)(sac_arrays *arrays, sac_error *error);
} reader;

static const reader readers[] = {{sac_torch_is, sac_torch_open}, /* before .npz: a zip too */
                                 {sac_npz_is, sac_npz_open},
                                 {sac_npy_is, sac_npy_open},
                                 {sac_json_arrays_is, sac_json_arrays_open},
                                 {sac_table_is, sac_table_open},
                                 {sac_safetensors_is, sac_safetensors_open}};

static const reader *find_reader(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].is(bytes, size))
            return &readers[i];
    return NULL;
}

bool sac_arrays_is_known_format(const uint8_t *bytes, size_t size)
{
    return find_reader(bytes, size) != NULL && !sac_json_arrays_may_be_labels(bytes, size);
}

static sac_status read_by_content(sac_arrays *arrays, sac_error *error)
{
    const reader *known = find_reader(arrays->file.data, arrays->file.size);
    if (known)
        return known->open(arrays, error);
    if (sac_foreign_check(arrays->file.data, arrays->file.size, error) != SAC_OK)
        return SAC_E_FORMAT;
    return sac_fail(error, SAC_E_FORMAT, NULL, "give one of these",
                    "is not a " SAC_ARRAY_FORMATS " file");
}

/* A file of which nothing is read gets one message. */
static sac_status check_any_readable(const sac_arrays *arrays, sac_error *error)
{
    const sac_unread *first = arrays->unread;
    if (arrays->count || !arrays->unread_count)
        return SAC_OK;
    return sac_fail(error, first->status, first->name, NULL, "%s", first->reason);
}

sac_status sac_arrays_from_bytes(sac_bytes *file, sac_arrays **arrays, sac_error *error)
{
    *arrays = NULL;
    sac_arrays *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        sac_bytes_free(file);
        return sac_no_memory(error, NULL);
    }
    fresh->file = *file;
    fresh->room = ROOM + (file->size < MOST_ROOM ? file->size * ROOM_EACH : MOST_ROOM * ROOM_EACH);
    *file = (sac_bytes){0};
    sac_status status = read_by_content(fresh, error);
    if (status == SAC_OK)
        status = check_any_readable(fresh, error);
    if (status == SAC_OK)
        status = build_name_index(fresh, error);
    if (status == SAC_OK)
        *arrays = fresh;
    else
        sac_arrays_close(fresh);
    return status;
}

sac_status sac_arrays_open(const char *path, sac_arrays **arrays, sac_error *error)
{
    sac_bytes file;
    sac_status status = sac_need(arrays, "arrays", error);
    if (status != SAC_OK)
        return status;
    *arrays = NULL;
    status = sac_need(path, "path", error);
    if (status == SAC_OK)
        status = sac_bytes_map(path, &file, error);
    if (status != SAC_OK)
        return status;
    return sac_error_within(error, sac_arrays_from_bytes(&file, arrays, error), path);
}

sac_status sac_arrays_open_regular(const char *path, sac_arrays **arrays, sac_error *error)
{
    sac_bytes file;
    *arrays = NULL;
    sac_status status = sac_bytes_map_regular(path, &file, error);
    if (status != SAC_OK)
        return status;
    return sac_error_within(error, sac_arrays_from_bytes(&file, arrays, error), path);
}
