/* A file's content in memory: mapped (arrays: read when touched) or read whole (pictures, labels).
 */
#ifndef SAC_ARRAYS_BYTES_H
#define SAC_ARRAYS_BYTES_H

#include "saccade.h"

typedef struct sac_bytes {
    uint8_t *data;
    size_t size;
    bool mapped; /* from mmap (read-only), not from malloc */
} sac_bytes;

/* Both fail with SAC_E_FILE where `path` cannot be opened or is a folder, with SAC_E_FORMAT where
 * it is empty. sac_bytes_map reads what cannot be mapped (a pipe) whole. */
sac_status sac_bytes_map(const char *path, sac_bytes *bytes, sac_error *error);
/* The same for a name that comes out of a file: it never waits, and maps regular files alone. */
sac_status sac_bytes_map_regular(const char *path, sac_bytes *bytes, sac_error *error);
sac_status sac_bytes_read(const char *path, sac_bytes *bytes, sac_error *error);
void sac_bytes_free(sac_bytes *bytes);

/* Calls `listener` with each file before it is read by these functions: whole, or one of many pictures
 * that are opened later, as sac_bytes_announce_read names them. NULL, the default: no calls. Set before
 * other threads begin. */
void sac_bytes_listen(void (*listener)(const char *path, bool whole));
void sac_bytes_announce_read(const char *path);

/* The path of the mapped file that `address` lies in; false where it lies in none. Another program
 * may cut a file while it is mapped: a read beyond its new end raises SIGBUS, and the handler asks
 * this. It takes no lock. */
bool sac_bytes_mapped_at(const void *address, char *path, size_t size);

/* Gives back the memory of mapped bytes that were read and are not needed soon: read again, they
 * come from the file again. Nothing happens to bytes that are not mapped. */
void sac_bytes_drop_pages(const void *data, size_t size);

/* Opens a file and never waits: SAC_E_FILE for a folder, a pipe or a device. It is for names that
 * come out of a file and not from a person. */
sac_status sac_open_regular(const char *path, int *file, size_t *size, sac_error *error);
bool sac_is_regular(const char *path);
/* The first bytes of a regular file, at most `size`; how many there are. 0: it is empty, no regular
 * file, or cannot be read. */
size_t sac_file_read_start(const char *path, uint8_t *start, size_t size);

/* One call of a stream: how many of at most `size` bytes it gave, 0 at the end, −1 for a failure.
 */
typedef int64_t sac_read_some(void *stream, void *out, size_t size);
/* Reads until `size` bytes are there or the stream ends; how many there are, or −1. A call asks for
 * 1 GiB at most: libzip 1.7 counts wrongly in one that unpacks more than 4 GiB. */
int64_t sac_read_pieces(sac_read_some *read, void *stream, void *out, size_t size);

/* Deflate makes at most 258 bytes of 2 bits (zlib's technical notes): no zip file or PNG unpacks to
 * more than this times its own size. */
#define SAC_DEFLATE_RATIO 1032

/* SAC_E_FILE for a write to `path` that failed with errno `code`. */
sac_status sac_fail_not_written(const char *path, int code, sac_error *error);

/* A hash of a file's content, for the note of origin that a PNG carries. */
#define SAC_HASH_MOST ((size_t)256 << 20) /* bytes; reading more would keep a person waiting */

/* "fnv1a64:0123456789abcdef" over the whole content; `text` holds at least 32 characters. Empty
 * for what is not a file, such as a pipe, and for a file of more than SAC_HASH_MOST bytes. */
sac_status sac_file_hash(const char *path, char *text, size_t size, sac_error *error);
/* The number of it, of a file of any size: of the whole, or of its size and 64 KiB at both ends. 0 for
 * what is not a file, or cannot be read. */
uint64_t sac_file_fingerprint(const char *path, bool whole);

#endif
