/* Reads zip files with libzip. Members that are not compressed are located by the directory and
 * used in place. */

#include "arrays/numpy/archive.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/error.h"

bool sac_archive_is(const uint8_t *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

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

sac_status sac_archive_open(const sac_bytes *file, zip_t **zip, sac_error *error)
{
    sac_status status = SAC_OK;
    zip_error_t why;
    zip_error_init(&why);
    *zip = open_zip(file, &why);
    if (!*zip)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is cut or damaged: %s",
                          zip_error_strerror(&why));
    zip_error_fini(&why);
    return status;
}

sac_status sac_archive_member(zip_t *zip, zip_uint64_t index, zip_stat_t *stat, sac_error *error)
{
    if (zip_stat_index(zip, index, 0, stat) == 0 && (stat->valid & ZIP_STAT_NAME))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "entry %llu is damaged: %s",
                    (unsigned long long)index, zip_strerror(zip));
}

sac_status sac_archive_check(const zip_stat_t *stat, size_t size, sac_error *error)
{
    zip_uint64_t both = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat->valid & both) != both)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "has no size");
    bool stored = stat->comp_method == ZIP_CM_STORE;
    zip_uint64_t most = stored ? stat->comp_size : (stat->comp_size + 8) * SAC_DEFLATE_RATIO;
    if (stat->comp_size > size || stat->size > most)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %llu bytes, more than the file can hold",
                        (unsigned long long)stat->size);
    return SAC_OK;
}

/* ---------------------------------------------------------------- unpacking */

static sac_status fail_unpacking(sac_error *error, zip_file_t *member)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "cannot be unpacked: %s",
                    zip_file_strerror(member));
}

sac_status sac_archive_open_member(zip_t *zip, const zip_stat_t *stat, zip_file_t **member,
                                   sac_error *error)
{
    *member = zip_fopen_index(zip, stat->index, 0);
    return *member ? SAC_OK
                   : sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                              "cannot be unpacked: %s", zip_strerror(zip));
}

static int64_t read_some(void *member, void *out, size_t size)
{
    return zip_fread(member, out, size);
}

sac_status sac_archive_read_next(zip_file_t *member, void *out, size_t size, sac_error *error)
{
    int64_t got = sac_read_pieces(read_some, member, out, size);
    if (got < 0)
        return fail_unpacking(error, member);
    if ((size_t)got < size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is cut after %zu of %zu bytes", (size_t)got, size);
    return SAC_OK;
}

/* The last read checks the entry's CRC. */
sac_status sac_archive_check_end(zip_file_t *member, sac_error *error)
{
    char byte;
    zip_int64_t got = zip_fread(member, &byte, 1);
    if (got < 0)
        return fail_unpacking(error, member);
    if (got > 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is longer than its header states");
    return SAC_OK;
}

sac_status sac_archive_read(zip_t *zip, const zip_stat_t *stat, uint8_t **bytes, sac_error *error)
{
    zip_file_t *member = NULL;
    *bytes = NULL;
    sac_status status = sac_archive_open_member(zip, stat, &member, error);
    if (status == SAC_OK)
        status = sac_allocate((size_t)stat->size, (void **)bytes, error);
    if (status == SAC_OK)
        status = sac_archive_read_next(member, *bytes, (size_t)stat->size, error);
    if (status == SAC_OK)
        status = sac_archive_check_end(member, error);
    if (member)
        zip_fclose(member);
    if (status != SAC_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- where members lie */

enum { END_SIZE = 22, END_64 = 56, LOCATOR = 20, ENTRY = 46, LOCAL = 30, COMMENT_MOST = 65535 };

static uint64_t little_endian_number(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | bytes[size];
    return value;
}

/* `size` bytes at `at` that begin with a record's signature; NULL where there are none. */
static const uint8_t *record_at(const sac_bytes *file, uint64_t at, size_t size,
                                const char *signature)
{
    bool fits = at <= file->size && size <= file->size - at;
    const uint8_t *bytes = file->data + (fits ? at : 0);
    return fits && memcmp(bytes, signature, 4) == 0 ? bytes : NULL;
}

/* Where the directory begins; 0 where that is not found. */
static uint64_t find_directory(const sac_bytes *file)
{
    const uint8_t *end = NULL;
    size_t at = file->size < END_SIZE ? 0 : file->size - END_SIZE;
    size_t first = at > COMMENT_MOST ? at - COMMENT_MOST : 0;
    while (!(end = record_at(file, at, END_SIZE, "PK\5\6")) && at > first)
        at--;
    if (!end)
        return 0;
    uint64_t start = little_endian_number(end + 16, 4);
    const uint8_t *locator = start == UINT32_MAX && at >= LOCATOR
                                 ? record_at(file, at - LOCATOR, LOCATOR, "PK\6\7")
                                 : NULL;
    const uint8_t *large =
        locator ? record_at(file, little_endian_number(locator + 8, 8), END_64, "PK\6\6") : NULL;
    return large ? little_endian_number(large + 48, 8) : start;
}

/* A number of an entry that is too large for its 4 bytes stands in an extra field, in order. */
static bool read_large_field(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    if (*value != UINT32_MAX)
        return true;
    if (end - *at < 8)
        return false;
    *value = little_endian_number(*at, 8);
    *at += 8;
    return true;
}

static bool read_large_sizes(const uint8_t *extra, size_t size, uint64_t *unpacked,
                             uint64_t *packed, uint64_t *local)
{
    const uint8_t *end = extra + size;
    while (end - extra >= 4) {
        size_t length = (size_t)little_endian_number(extra + 2, 2);
        const uint8_t *at = extra + 4;
        if (length > (size_t)(end - at))
            break;
        if (little_endian_number(extra, 2) == 1)
            return read_large_field(&at, at + length, unpacked) &&
                   read_large_field(&at, at + length, packed) &&
                   read_large_field(&at, at + length, local);
        extra = at + length;
    }
    return *unpacked != UINT32_MAX && *packed != UINT32_MAX && *local != UINT32_MAX;
}

static void find_place(const sac_bytes *file, const uint8_t *entry, size_t name, size_t extra,
                       sac_archive_place *place)
{
    enum { ENCRYPTED = 1 };
    uint64_t unpacked = little_endian_number(entry + 24, 4),
             packed = little_endian_number(entry + 20, 4);
    uint64_t at = little_endian_number(entry + 42, 4);
    bool stored = little_endian_number(entry + 10, 2) == 0 &&
                  !(little_endian_number(entry + 8, 2) & ENCRYPTED);
    if (!stored || !read_large_sizes(entry + ENTRY + name, extra, &unpacked, &packed, &at))
        return;
    const uint8_t *local = record_at(file, at, LOCAL, "PK\3\4");
    if (!local || unpacked != packed)
        return;
    uint64_t start =
        at + LOCAL + little_endian_number(local + 26, 2) + little_endian_number(local + 28, 2);
    if (start <= file->size && unpacked <= file->size - start)
        *place = (sac_archive_place){(size_t)start, (size_t)unpacked};
}

sac_status sac_archive_locate_members(const sac_bytes *file, size_t count,
                                      sac_archive_place **places, sac_error *error)
{
    *places = calloc(count + 1, sizeof **places);
    if (!*places)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu members", count);
    uint64_t at = find_directory(file);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = record_at(file, at, ENTRY, "PK\1\2");
        if (!entry)
            break;
        size_t name = (size_t)little_endian_number(entry + 28, 2),
               extra = (size_t)little_endian_number(entry + 30, 2);
        size_t comment = (size_t)little_endian_number(entry + 32, 2);
        if (!record_at(file, at, ENTRY + name + extra + comment, "PK\1\2"))
            break;
        find_place(file, entry, name, extra, &(*places)[i]);
        at += ENTRY + name + extra + comment;
    }
    return SAC_OK;
}
