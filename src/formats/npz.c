/* NumPy's .npz: a zip file of .npy files, stored or deflated. */
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/error.h"
#include "formats/arrays.h"
#include "formats/npy.h"

static sac_status zip_failed(sac_error *error, zip_file_t *file)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "cannot be unpacked: %s",
                    zip_file_strerror(file));
}

static int64_t read_some(void *file, void *out, size_t size)
{
    return zip_fread(file, out, size);
}

/* Reads exactly `size` bytes; an end before that is an error. */
static sac_status read_exactly(zip_file_t *file, void *out, size_t size, sac_error *error)
{
    int64_t got = sac_read_pieces(read_some, file, out, size);
    if (got < 0)
        return zip_failed(error, file);
    if ((size_t)got < size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is cut after %zu of %zu bytes", (size_t)got, size);
    return SAC_OK;
}

/* The last read checks the entry's CRC. */
static sac_status read_end(zip_file_t *file, sac_error *error)
{
    char byte;
    zip_int64_t got = zip_fread(file, &byte, 1);
    if (got < 0)
        return zip_failed(error, file);
    if (got > 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "holds more than its header says");
    return SAC_OK;
}

/* `size`: what the zip directory says of this entry, once unpacked. *used: bytes taken. */
static sac_status read_header(zip_file_t *file, size_t size, sac_npy_header *header, size_t *used,
                              sac_error *error)
{
    uint8_t start[SAC_NPY_PREAMBLE];
    size_t first = size < sizeof start ? size : sizeof start, text_start = 0, text_size = 0;
    sac_status status = read_exactly(file, start, first, error);
    if (status == SAC_OK)
        status = sac_npy_preamble(start, first, &text_start, &text_size, error);
    if (status != SAC_OK)
        return status;
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
    status = read_exactly(file, text + have, text_size - have, error);
    if (status == SAC_OK)
        status = sac_npy_parse(text, text_size, header, error);
    *used = text_start + text_size;
    free(text);
    return status;
}

static sac_status read_elements(zip_file_t *file, const sac_npy_header *header, sac_array *array,
                                sac_error *error)
{
    void *raw;
    sac_status status = sac_allocate(header->bytes, &raw, error);
    if (status != SAC_OK)
        return status;
    status = read_exactly(file, raw, header->bytes, error);
    if (status == SAC_OK)
        status = read_end(file, error);
    if (status == SAC_OK)
        return sac_npy_decode(header, raw, array, error);
    free(raw);
    return status;
}

static sac_status read_array(zip_file_t *file, size_t size, sac_array *array, sac_error *error)
{
    sac_npy_header header;
    size_t used = 0;
    sac_status status = read_header(file, size, &header, &used, error);
    if (status != SAC_OK)
        return status;
    if (header.bytes != size - used)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "the header promises %zu bytes of elements, the file holds %zu",
                        header.bytes, size - used);
    return read_elements(file, &header, array, error);
}

/* The sizes in the directory are checked before anything is allocated: an entry cannot unpack to
 * more than deflate can make of it, nor pack more than the whole file. */
static sac_status check_sizes(const zip_stat_t *stat, size_t file_size, sac_error *error)
{
    zip_uint64_t both = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat->valid & both) != both)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "has no size");
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it with numpy.savez or savez_compressed",
                        "is packed by method %u, which is not read", stat->comp_method);
    bool stored = stat->comp_method == ZIP_CM_STORE;
    zip_uint64_t most = stored ? stat->comp_size : (stat->comp_size + 8) * SAC_DEFLATE_RATIO;
    if (stat->comp_size > file_size || stat->size > most)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %llu bytes, more than the file can hold",
                        (unsigned long long)stat->size);
    return SAC_OK;
}

static sac_status read_entry(zip_t *zip, const zip_stat_t *stat, size_t file_size, sac_array *array,
                             sac_error *error)
{
    sac_status status = check_sizes(stat, file_size, error);
    if (status != SAC_OK)
        return status;
    zip_file_t *file = zip_fopen_index(zip, stat->index, 0);
    if (!file)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "cannot be unpacked: %s",
                        zip_strerror(zip));
    status = read_array(file, (size_t)stat->size, array, error);
    zip_fclose(file);
    return status;
}

static size_t name_without_suffix(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".npy") == 0 ? size - 4 : size;
}

static sac_status add_entry(sac_arrays *arrays, zip_t *zip, zip_uint64_t index, sac_error *error)
{
    zip_stat_t stat;
    if (zip_stat_index(zip, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME))
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "entry %llu is damaged: %s", (unsigned long long)index, zip_strerror(zip));
    size_t size = name_without_suffix(stat.name);
    if (size && stat.name[size - 1] == '/') /* a folder: nothing in it */
        return SAC_OK;
    sac_array array;
    sac_status status = read_entry(zip, &stat, arrays->file.size, &array, error);
    if (status == SAC_OK)
        return sac_arrays_add(arrays, stat.name, size, &array, error);
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(size < 127 ? size : 127), stat.name);
    return sac_error_within(error, status, name);
}

/* An archive over `bytes`, which it lends. */
static zip_t *open_zip(const sac_bytes *bytes, zip_error_t *why)
{
    zip_source_t *source = zip_source_buffer_create(bytes->data, bytes->size, 0, why);
    if (!source)
        return NULL;
    zip_t *zip = zip_open_from_source(source, ZIP_RDONLY, why);
    if (!zip)
        zip_source_free(source);
    return zip;
}

/* A zip file begins with its first member, or where it is empty with its end. */
bool sac_npz_is(const uint8_t *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

sac_status sac_npz_open(sac_arrays *arrays, sac_error *error)
{
    sac_status status = SAC_OK;
    zip_error_t why;
    zip_error_init(&why);
    zip_t *zip = open_zip(&arrays->file, &why);
    if (!zip)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is cut or damaged: %s",
                          zip_error_strerror(&why));
    zip_int64_t count = zip ? zip_get_num_entries(zip, 0) : 0;
    for (zip_int64_t i = 0; status == SAC_OK && i < count; i++)
        status = add_entry(arrays, zip, (zip_uint64_t)i, error);
    if (zip)
        zip_discard(zip);
    zip_error_fini(&why);
    return status;
}
