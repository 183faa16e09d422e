/* A hash of a file's content, for the note of origin that a PNG carries. */
#ifndef SAC_ARRAYS_HASH_H
#define SAC_ARRAYS_HASH_H

#include "saccade.h"

#define SAC_HASH_MOST ((size_t)256 << 20) /* bytes; reading more would keep a person waiting */

/* "fnv1a64:0123456789abcdef" over the whole content; `text` holds at least 32 characters. Empty
 * for what is not a file, such as a pipe, and for a file of more than SAC_HASH_MOST bytes. */
sac_status sac_file_hash(const char *path, char *text, size_t size, sac_error *error);
/* The number of it, of a file of any size: of the whole, or of its size and 64 KiB at both ends. 0 for
 * what is not a file, or cannot be read. */
uint64_t sac_file_number(const char *path, bool whole);

#endif
