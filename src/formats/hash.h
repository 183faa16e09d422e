/* A file's fingerprint, for the note of origin that a PNG carries. */
#ifndef SAC_FORMATS_HASH_H
#define SAC_FORMATS_HASH_H

#include "saccade.h"

/* "fnv1a64:0123456789abcdef" over the whole content; `text` holds at least 32 characters. */
sac_status sac_file_hash(const char *path, char *text, size_t size, sac_error *error);

#endif
