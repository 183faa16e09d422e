/* A file's content in memory: mapped (arrays: read when touched) or read whole (pictures, labels).
 */
#ifndef SAC_FORMATS_BYTES_H
#define SAC_FORMATS_BYTES_H

#include "saccade.h"

typedef struct sac_bytes {
    uint8_t *data;
    size_t size;
    bool mapped; /* from mmap (read-only), not from malloc */
} sac_bytes;

/* Both fail with SAC_E_FILE where `path` cannot be opened or is a folder, with SAC_E_FORMAT where
 * it is empty. sac_bytes_map reads what cannot be mapped (a pipe) whole. */
sac_status sac_bytes_map(const char *path, sac_bytes *bytes, sac_error *error);
sac_status sac_bytes_read(const char *path, sac_bytes *bytes, sac_error *error);
void sac_bytes_free(sac_bytes *bytes);

/* SAC_E_FILE for a write to `path` that failed with errno `code`. */
sac_status sac_not_written(const char *path, int code, sac_error *error);

#endif
