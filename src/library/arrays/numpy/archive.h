/* Zip files, the container of .npz and of PyTorch's files: their members, checked before they are
 * decompressed, and the place of uncompressed ones. */
#ifndef SAC_ARRAYS_NUMPY_ARCHIVE_H
#define SAC_ARRAYS_NUMPY_ARCHIVE_H

#include <zip.h>

#include "arrays/bytes.h"

/* A zip file begins with its first member, or where it is empty with its end. */
bool sac_archive_is(const uint8_t *bytes, size_t size);
/* An archive over `file`, which it lends; SAC_E_FORMAT where it is cut or damaged. zip_discard()
 * it.
 */
sac_status sac_archive_open(const sac_bytes *file, zip_t **zip, sac_error *error);
/* The name and sizes of member `index`. SAC_E_FORMAT where the directory is damaged. */
sac_status sac_archive_member(zip_t *zip, zip_uint64_t index, zip_stat_t *stat, sac_error *error);
/* Checks the sizes that the directory gives before anything is allocated: a member cannot unpack to
 * more than deflate can make of it, nor pack more than the whole file, which has `size` bytes. */
sac_status sac_archive_check(const zip_stat_t *stat, size_t size, sac_error *error);
/* SAC_E_FORMAT where it cannot be unpacked. zip_fclose() it. */
sac_status sac_archive_open_member(zip_t *zip, const zip_stat_t *stat, zip_file_t **member,
                                   sac_error *error);
/* Reads exactly `size` bytes; an end before that is an error. */
sac_status sac_archive_read_next(zip_file_t *member, void *out, size_t size, sac_error *error);
/* Makes sure that no byte is left; then the checksum is right too. */
sac_status sac_archive_check_end(zip_file_t *member, sac_error *error);
/* All of it, stat->size bytes that are checked, from malloc. */
sac_status sac_archive_read(zip_t *zip, const zip_stat_t *stat, uint8_t **bytes, sac_error *error);

/* Where the bytes of a member lie in the file, by its number in the directory. */
typedef struct sac_archive_place {
    size_t start, size; /* start 0: it is compressed, or the directory has no place of it */
} sac_archive_place;
/* Finds those of the first `count` members; free() them. SAC_E_MEMORY. */
sac_status sac_archive_locate_members(const sac_bytes *file, size_t count,
                                      sac_archive_place **places, sac_error *error);

#endif
