/* Writing .npz through libzip: each array's elements go from where they are to the file, without a
 * copy, stored (trained or random floats do not shrink). The date of entries is fixed, so that the
 * same arrays give the same file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "arrays/arrays.h"
#include "arrays/numpy/npy.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- libzip writes into our file */

typedef struct target {
    FILE *file;
    int code; /* errno of the call that failed */
    zip_error_t error;
} target;

static zip_int64_t target_fail(target *to, int zip_code)
{
    to->code = errno;
    zip_error_set(&to->error, zip_code, errno);
    return -1;
}

static zip_int64_t target_write(target *to, const void *data, zip_uint64_t size)
{
    if (fwrite(data, 1, size, to->file) == size)
        return (zip_int64_t)size;
    return target_fail(to, ZIP_ER_WRITE);
}

static zip_int64_t target_seek(target *to, void *data, zip_uint64_t size)
{
    zip_source_args_seek_t *args =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, size, &to->error);
    if (args && fseeko(to->file, args->offset, args->whence) == 0)
        return 0;
    return args ? target_fail(to, ZIP_ER_SEEK) : -1;
}

static zip_int64_t target_stat(void *data)
{
    zip_stat_t *stat = data;
    zip_stat_init(stat);
    stat->size = 0;
    stat->valid = ZIP_STAT_SIZE;
    return sizeof *stat;
}

/* A source that is empty to read and can be written. Begin and commit are sac_output's work. */
static zip_int64_t handle_target_command(void *user, void *data, zip_uint64_t size,
                                         zip_source_cmd_t command)
{
    target *to = user;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
        return target_stat(data);
    case ZIP_SOURCE_WRITE:
        return target_write(to, data, size);
    case ZIP_SOURCE_SEEK_WRITE:
        return target_seek(to, data, size);
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_READ:
        return 0;
    case ZIP_SOURCE_TELL_WRITE:
        return ftello(to->file);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&to->error, data, size);
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- one array */

/* One array as libzip reads it when it writes the file: kept until zip_close. */
typedef struct part {
    char *name, *header;
    void *converted; /* text and bfloat16, which are not stored as they are */
    zip_buffer_fragment_t pieces[2];
    const sac_array_stream
        *stream;      /* gives pieces[1], which has a length alone; NULL: it is there */
    size_t read;      /* bytes of both that libzip has taken */
    sac_error *error; /* of the stream */
} part;

static sac_status check_texts(const sac_array *array, size_t count, sac_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = ((char **)array->data)[i];
        if (!text || !sac_utf8_valid(text, strlen(text)))
            return sac_fail(error, SAC_E_ARGUMENT, NULL, NULL, "string %zu is not valid UTF-8", i);
    }
    return SAC_OK;
}

static size_t longest_text(const sac_array *array, size_t count)
{
    size_t longest = 1; /* NumPy has no width of 0 */
    for (size_t i = 0; i < count; i++) {
        const char *text = ((char **)array->data)[i];
        size_t length = 0;
        while (sac_utf8_next(&text))
            length++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* UTF-8 to [count,width] code points, padded with zeros. */
static sac_status convert_texts(const sac_array *array, size_t count, size_t width, part *p,
                                sac_error *error)
{
    size_t bytes;
    if (!sac_checked_mul(count, width, &bytes) || !sac_checked_mul(bytes, 4, &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "the text is too long to be stored");
    sac_status status = sac_allocate(bytes, &p->converted, error);
    if (status != SAC_OK)
        return status;
    uint32_t *codes = p->converted;
    memset(codes, 0, bytes);
    for (size_t i = 0; i < count; i++) {
        const char *text = ((char **)array->data)[i];
        for (size_t k = 0; *text; k++)
            codes[i * width + k] = sac_utf8_next(&text);
    }
    p->pieces[1] = (zip_buffer_fragment_t){p->converted, bytes};
    return SAC_OK;
}

static sac_status encode_part(const sac_named_array *named, part *p, sac_error *error)
{
    const sac_array *array = named->array;
    size_t count = sac_array_count(array), width = 0, size;
    sac_array shown = *array;
    sac_status status = SAC_OK;
    if (array->dtype == SAC_TEXT) {
        status = check_texts(array, count, error);
        if (status != SAC_OK)
            return status;
        width = longest_text(array, count);
        status = convert_texts(array, count, width, p, error);
    } else if (array->dtype == SAC_BF16) {
        shown.dtype = SAC_F32;
        /* NumPy has no bfloat16; float32 holds every value of it. */
        size_t bytes = count * sizeof(float);
        status = sac_allocate(bytes, &p->converted, error);
        if (status == SAC_OK)
            status = sac_array_to_f32(array, p->converted, error);
        p->pieces[1] = (zip_buffer_fragment_t){p->converted, bytes};
    } else {
        p->pieces[1] = (zip_buffer_fragment_t){array->data, count * sac_dtype_size(array->dtype)};
    }
    if (status == SAC_OK)
        status = sac_npy_create_header(&shown, width, &p->header, &size, error);
    if (status == SAC_OK)
        status = sac_allocate(strlen(named->name) + 5, (void **)&p->name, error);
    if (status != SAC_OK)
        return status;
    sprintf(p->name, "%s.npy", named->name);
    p->pieces[0] = (zip_buffer_fragment_t){(zip_uint8_t *)p->header, size};
    return SAC_OK;
}

/* What libzip reads of a part that comes: its header, then the stream's bytes. */
static zip_int64_t stream_read(part *p, char *data, zip_uint64_t size)
{
    zip_uint64_t header = p->pieces[0].length, total = header + p->pieces[1].length, given = 0;
    if (p->read < header) {
        given = header - p->read < size ? header - p->read : size;
        memcpy(data, p->pieces[0].data + p->read, given);
    }
    zip_uint64_t left = total - p->read - given, more = size - given < left ? size - given : left;
    if (more && p->stream->next(p->stream->user, data + given, more, p->error) != SAC_OK)
        return -1;
    p->read += given + more;
    return (zip_int64_t)(given + more);
}

static zip_int64_t handle_stream_command(void *user, void *data, zip_uint64_t size,
                                         zip_source_cmd_t command)
{
    part *p = user;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
    case ZIP_SOURCE_STAT: {
        zip_stat_t *stat = data;
        zip_stat_init(stat);
        stat->size = p->pieces[0].length + p->pieces[1].length;
        stat->valid = ZIP_STAT_SIZE;
        return sizeof *stat;
    }
    case ZIP_SOURCE_READ:
        return stream_read(p, data, size);
    case ZIP_SOURCE_ERROR: {
        zip_error_t error;
        zip_error_init(&error);
        zip_error_set(&error, ZIP_ER_READ, 0);
        return zip_error_to_data(&error, data, size);
    }
    default:
        return 0;
    }
}

static bool add_part(zip_t *zip, part *p)
{
    enum { NEW_YEAR_1980 = 1 << 5 | 1 }; /* month 1, day 1 of the first year in zip files */
    zip_source_t *source = p->stream ? zip_source_function(zip, handle_stream_command, p)
                                     : zip_source_buffer_fragment(zip, p->pieces, 2, 0);
    if (!source)
        return false;
    zip_int64_t index = zip_file_add(zip, p->name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, 0, NEW_YEAR_1980, 0) == 0;
}

/* ---------------------------------------------------------------- the file */

/* An empty archive that will be written to `to`; NULL where memory runs out. */
static zip_t *open_target(target *to)
{
    zip_source_t *source = zip_source_function_create(handle_target_command, to, &to->error);
    if (!source)
        return NULL;
    zip_t *zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &to->error);
    if (!zip)
        zip_source_free(source);
    return zip;
}

static sac_status pack(const char *path, target *to, part *parts, size_t count, sac_error *error)
{
    zip_t *zip = open_target(to);
    if (!zip)
        return sac_no_memory(error, path);
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < count; i++)
        if (!add_part(zip, &parts[i]))
            status = sac_fail(error, SAC_E_ARGUMENT, path, "give each array its own name",
                              "'%s' cannot be added: %s", parts[i].name, zip_strerror(zip));
    if (status == SAC_OK && zip_close(zip) == 0)
        return SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < count; i++)
        if (parts[i].stream && parts[i].error->status != SAC_OK)
            status = sac_error_pass(error, parts[i].error, NULL);
    if (status == SAC_OK)
        status = to->code ? sac_fail_not_written(path, to->code, error)
                          : sac_fail(error, SAC_E_FILE, path, NULL, "cannot be written: %s",
                                     zip_strerror(zip));
    zip_discard(zip);
    return status;
}

static sac_status write_file(const char *path, part *parts, size_t count, sac_error *error)
{
    sac_output output;
    sac_status status = sac_output_open(&output, path, error);
    if (status != SAC_OK)
        return status;
    target to = {.file = output.file};
    zip_error_init(&to.error);
    status = pack(path, &to, parts, count, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    zip_error_fini(&to.error);
    return status;
}

/* `streams` [count] or NULL. */
static sac_status save(const char *path, const sac_named_array *arrays,
                       const sac_array_stream *streams, size_t count, sac_error *error)
{
    sac_error broken = {0};
    sac_status status = SAC_OK;
    part *parts = calloc(count, sizeof *parts);
    if (!parts)
        return sac_fail(error, SAC_E_MEMORY, path, NULL, "out of memory for %zu arrays", count);
    for (size_t i = 0; status == SAC_OK && i < count; i++) {
        parts[i].stream = streams ? &streams[i] : NULL;
        parts[i].error = &broken;
        status = encode_part(&arrays[i], &parts[i], error);
        sac_error_within(error, status, arrays[i].name);
        sac_error_within(error, status, path);
    }
    if (status == SAC_OK)
        status = write_file(path, parts, count, error);
    for (size_t i = 0; i < count; i++) {
        free(parts[i].name);
        free(parts[i].header);
        free(parts[i].converted);
    }
    free(parts);
    return status;
}

sac_status sac_npz_save(const char *path, const sac_named_array *arrays, size_t count,
                        sac_error *error)
{
    if (count == 0)
        return sac_fail(error, SAC_E_ARGUMENT, path, NULL, "there are no arrays to save");
    sac_status status = sac_named_arrays_check(path, arrays, count, error);
    return status == SAC_OK ? save(path, arrays, NULL, count, error) : status;
}

sac_status sac_npz_save_streams(const char *path, const sac_named_array *arrays,
                                const sac_array_stream *streams, size_t count, sac_error *error)
{
    return save(path, arrays, streams, count, error);
}
