/* Recognises files that no reader takes by their first bytes, so that the error can name the file's
 * kind and a remedy. */
#ifndef SAC_ARRAYS_FOREIGN_H
#define SAC_ARRAYS_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

#include "saccade.h"

/* SAC_E_FORMAT with the kind of file and a remedy, where its first bytes are those of a known kind;
 * SAC_OK where they are not: then the caller's error names what it would have read. */
sac_status sac_foreign_check(const uint8_t *bytes, size_t size, sac_error *error);
/* The same of a regular file; SAC_OK too where it cannot be read. Its path is the place. */
sac_status sac_foreign_check_file(const char *path, sac_error *error);

#endif
