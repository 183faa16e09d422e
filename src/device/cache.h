/* Small files kept between runs in $XDG_CACHE_HOME/saccade (else ~/.cache/saccade). Any of them may
 * vanish or be damaged at any time: an entry is whole, or it is not there. SACCADE_CACHE=off turns
 * all of it off; a folder that cannot be written, that is a link, or that another user owns or can
 * write does the same in silence. */
#ifndef SAC_DEVICE_CACHE_H
#define SAC_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Is called before the first call of OpenCL, with the drivers locked. Where nothing can be written
 * at the usual place, a temporary folder stands in for PoCL's cache and for ours, and is removed
 * when the process exits; this changes the environment, and gives a notice. */
void sac_cache_prepare(void);
/* Lends that folder; NULL where none is needed. */
const char *sac_cache_stand_in(void);

/* The folder, made where it is missing; false where there is none. */
bool sac_cache_folder(char *path, size_t size);

/* Loads the data stored under `kind` ("program") and `key` (any text); free(*data), which ends in a
 * NUL that *size does not count. False where there is no such entry, or a damaged one. */
bool sac_cache_load(const char *kind, const char *key, char **data, size_t *size);
void sac_cache_store(const char *kind, const char *key, const void *data, size_t size);

#endif
