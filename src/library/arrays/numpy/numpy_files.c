/* NumPy's files: .npy, and .npz, a zip file of .npy files, stored or deflated. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/numpy/archive.h"
#include "arrays/numpy/npy.h"
#include "arrays/torch/pickled_arrays.h"
#include "base/cancel.h"
#include "base/error.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- a single .npy file */

/* Objects are added to `arrays`, others are given in *array. */
static sac_status read_npy(sac_arrays *arrays, sac_array *array, sac_error *error)
{
    const sac_bytes *file = &arrays->file;
    size_t start = 0, size = 0;
    sac_npy_header header;
    sac_status status = sac_npy_parse_preamble(file->data, file->size, &start, &size, error);
    if (status != SAC_OK)
        return status;
    if (size > file->size - start)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get it again", "is cut within its header");
    status = sac_npy_parse((const char *)file->data + start, size, &header, error);
    if (status != SAC_OK)
        return status;
    const uint8_t *elements = file->data + start + size;
    size_t left = file->size - start - size;
    if (header.kind == SAC_NPY_OBJECTS)
        return sac_objects_add(arrays, "", &header, elements, left, error);
    if (left != header.bytes)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get it again",
                        "the header promises %zu bytes of elements, the file holds %zu",
                        header.bytes, left);
    if (header.dtype != SAC_TEXT && !(header.fortran && header.rank > 1))
        return sac_array_from_bytes(header.dtype, header.rank, header.shape, elements,
                                    header.big_endian, array, error);
    void *copy = NULL;
    status = sac_npy_take_room(&header, &arrays->room, error);
    if (status == SAC_OK)
        status = sac_allocate(header.bytes, &copy, error);
    if (status != SAC_OK)
        return status;
    memcpy(copy, elements, header.bytes);
    return sac_npy_decode(&header, copy, array, error);
}

sac_status sac_npy_open(sac_arrays *arrays, sac_error *error)
{
    sac_array array = {0};
    sac_status status = read_npy(arrays, &array, error);
    if (status != SAC_OK || !array.data)
        return status;
    return sac_arrays_add(arrays, "array", 5, &array, error);
}

/* ---------------------------------------------------------------- .npz */

/* From this size on a member that is stored as it is, is lent from the mapped file: what is not touched is
 * never read. Smaller ones are read, so that their checksum is checked and their elements are aligned. */
#define MAPPED_FROM ((size_t)64 << 20)

/* A member as it is read: `foreign` where it is no array that is read here, and nothing is wrong
 * with the file. */
typedef struct member {
    zip_file_t *file;
    size_t size; /* size after decompression, from the directory */
    bool foreign;
    sac_npy_header header;
    uint8_t *objects; /* [object_size] the pickle of an array of objects; NULL: it is another one */
    size_t object_size;
} member;

/* *used: bytes taken. */
static sac_status read_header(member *m, sac_npy_header *header, size_t *used, sac_error *error)
{
    uint8_t start[SAC_NPY_PREAMBLE];
    size_t size = m->size, first = size < sizeof start ? size : sizeof start;
    size_t text_start = 0, text_size = 0;
    sac_status status = sac_archive_read_next(m->file, start, first, error);
    if (status != SAC_OK)
        return status;
    m->foreign = true;
    status = sac_npy_parse_preamble(start, first, &text_start, &text_size, error);
    if (status != SAC_OK)
        return status;
    m->foreign = false;
    if (text_size > size - text_start)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is cut within its header");
    size_t have = first - text_start;
    if (text_size < have)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the array again", "has no header");
    char *text;
    status = sac_allocate(text_size, (void **)&text, error);
    if (status != SAC_OK)
        return status;
    memcpy(text, start + text_start, have);
    status = sac_archive_read_next(m->file, text + have, text_size - have, error);
    if (status == SAC_OK) {
        status = sac_npy_parse(text, text_size, header, error);
        m->foreign = status != SAC_OK;
    }
    *used = text_start + text_size;
    free(text);
    return status;
}

/* Objects are a pickle, which takes the rest of the member. */
static sac_status read_array(member *m, size_t *room, sac_array *array, sac_error *error)
{
    sac_npy_header *header = &m->header;
    size_t used = 0;
    void *raw = NULL;
    sac_status status = sac_take_room(room, m->size, error);
    if (status == SAC_OK)
        status = read_header(m, header, &used, error);
    if (status != SAC_OK)
        return status;
    bool objects = header->kind == SAC_NPY_OBJECTS;
    size_t left = m->size - used;
    if (!objects && header->bytes != left)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "the header promises %zu bytes of elements, the file holds %zu",
                        header->bytes, left);
    status = objects ? SAC_OK : sac_npy_take_room(header, room, error);
    if (status == SAC_OK)
        status = sac_allocate(left, &raw, error);
    if (status == SAC_OK)
        status = sac_archive_read_next(m->file, raw, left, error);
    if (status == SAC_OK)
        status = sac_archive_check_end(m->file, error);
    if (status == SAC_OK && !objects)
        return sac_npy_decode(header, raw, array, error);
    if (status == SAC_OK) {
        m->objects = raw;
        m->object_size = left;
        return SAC_OK;
    }
    free(raw);
    return status;
}

/* False where it cannot be lent, or is damaged, which reading reports. */
static bool map_array(const sac_bytes *file, const sac_archive_place *place, const member *m,
                      sac_array *array)
{
    size_t start = 0, length = 0;
    sac_npy_header header;
    if (m->size < MAPPED_FROM || !place->start || place->size != m->size ||
        sac_npy_parse_preamble(file->data + place->start, place->size, &start, &length, NULL) !=
            SAC_OK ||
        length > place->size - start ||
        sac_npy_parse((const char *)file->data + place->start + start, length, &header, NULL) !=
            SAC_OK)
        return false;
    size_t used = start + length;
    bool foreign = header.big_endian && header.item_bytes > 1;
    if (header.kind != SAC_NPY_NUMBERS || header.dtype == SAC_BOOL || foreign ||
        (header.fortran && header.rank > 1) || header.bytes != place->size - used)
        return false;
    *array =
        sac_array_view(header.dtype, header.rank, header.shape, file->data + place->start + used);
    return true;
}

static sac_status read_entry(sac_arrays *arrays, zip_t *zip, const zip_stat_t *stat,
                             const sac_archive_place *place, member *m, sac_array *array,
                             sac_error *error)
{
    bool known = stat->comp_method == ZIP_CM_STORE || stat->comp_method == ZIP_CM_DEFLATE;
    m->size = (size_t)stat->size;
    m->foreign = (stat->valid & ZIP_STAT_COMP_METHOD) && !known;
    if (m->foreign)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it with numpy.savez or savez_compressed",
                        "is packed by method %u, which is not read", stat->comp_method);
    sac_status status = sac_archive_check(stat, arrays->file.size, error);
    m->foreign = status == SAC_OK && (stat->valid & ZIP_STAT_ENCRYPTION_METHOD) &&
                 stat->encryption_method != ZIP_EM_NONE;
    if (m->foreign)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it without a password", "is encrypted");
    if (status == SAC_OK && map_array(&arrays->file, place, m, array))
        return SAC_OK;
    if (status == SAC_OK)
        status = sac_archive_open_member(zip, stat, &m->file, error);
    if (status == SAC_OK)
        status = read_array(m, &arrays->room, array, error);
    if (m->file)
        zip_fclose(m->file);
    return status;
}

static size_t length_without_suffix(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".npy") == 0 ? size - 4 : size;
}

static sac_status add_entry(sac_arrays *arrays, zip_t *zip, zip_uint64_t index,
                            const sac_archive_place *place, sac_error *error)
{
    zip_stat_t stat;
    sac_error why = {0};
    sac_array array;
    member m = {0};
    sac_status status = sac_archive_member(zip, index, &stat, error);
    if (status != SAC_OK)
        return status;
    size_t size = length_without_suffix(stat.name);
    if (size && stat.name[size - 1] == '/') /* a folder: nothing in it */
        return SAC_OK;
    char *name = strndup(stat.name, size);
    if (!name)
        return sac_no_memory(error, NULL);
    status = read_entry(arrays, zip, &stat, place, &m, &array, &why);
    if (status == SAC_OK && m.objects)
        status = sac_objects_add(arrays, name, &m.header, m.objects, m.object_size, error);
    else if (status == SAC_OK)
        status = sac_arrays_add(arrays, name, size, &array, error);
    else if (m.foreign)
        status = sac_arrays_add_unread(arrays, name, size, &why, error);
    else
        status = sac_error_pass(error, &why, name);
    free(m.objects);
    free(name);
    return status;
}

bool sac_npz_is(const uint8_t *bytes, size_t size)
{
    return sac_archive_is(bytes, size);
}

sac_status sac_npz_open(sac_arrays *arrays, sac_error *error)
{
    zip_t *zip;
    sac_status status = sac_archive_open(&arrays->file, &zip, error);
    zip_int64_t count = zip ? zip_get_num_entries(zip, 0) : 0;
    sac_archive_place *places = NULL;
    if (status == SAC_OK)
        status = sac_archive_locate_members(&arrays->file, (size_t)count, &places, error);
    for (zip_int64_t i = 0; status == SAC_OK && i < count; i++) {
        status = sac_cancel_check(NULL, error);
        if (status == SAC_OK)
            status = add_entry(arrays, zip, (zip_uint64_t)i, &places[i], error);
    }
    free(places);
    if (zip)
        zip_discard(zip);
    return status;
}
