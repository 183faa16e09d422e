/* Small files kept between runs in $XDG_CACHE_HOME/saccade (else ~/.cache/saccade). Any of them may
 * vanish or be damaged at any time: an entry is whole, or it is not there. SACCADE_CACHE=off turns
 * all of it off; SACCADE_CACHE=whole keeps at once what is else kept of programs that are used often; a folder that cannot be written, that is a link, or that another user owns or can
 * write does the same in silence. */
#ifndef SAC_DEVICE_CACHE_H
#define SAC_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Is called before the first call of OpenCL, with the drivers locked; changes the environment:
 * POCL_CACHE_DIR becomes a folder below ours, unless the user set it to one that no other user can
 * write to. Where nothing can be written or executed at the usual place, or others can write, a temporary
 * folder replaces PoCL's cache and ours, with a notice, and is removed when the process exits. */
void sac_cache_prepare(void);
/* Instead of it: PoCL's cache stays where it is, and no folder stands in. */
void sac_cache_skip_preparing(void);
/* Lends that folder; NULL where none is needed. */
const char *sac_cache_stand_in(void);
/* NULL, or why neither the usual place nor a temporary folder can hold what PoCL compiles. */
const char *sac_cache_nowhere_reason(void);
/* Lends the folder of PoCL's that is ours; NULL where a person chose it, or before all that. */
const char *sac_cache_of_pocl(void);

/* The folder that holds ours: $XDG_CACHE_HOME where it is absolute, else ~/.cache; "" and false
 * where neither variable is set, false where the path is longer. */
bool sac_cache_parent(char *parent, size_t size);
/* True for a folder (not a link) that belongs to the user and that no other user can write to. */
bool sac_cache_is_private(const char *path);

/* True where neither the folder of this path nor one above it lets others put something in the
 * place of what the user, or root, has there. */
bool sac_cache_place_is_private(const char *path);
/* Removes it with all that is in it. */
void sac_cache_remove_folder(const char *path);
/* Makes the folder where it is missing as a copy of the machine's: `saccade` in $SACCADE_MACHINE_CACHE, or in
 * /var/cache/saccade, where no other user can write. Does nothing where there is none. */
void sac_cache_begin(const char *folder);

/* The folder, made where it is missing; false where there is none. */
bool sac_cache_folder(char *path, size_t size);

/* Loads the data stored under `kind` ("program") and `key` (any text); free(*data), which ends in a
 * NUL that *size does not count. False where there is no such entry, or a damaged one. */
bool sac_cache_load(const char *kind, const char *key, char **data, size_t *size);
void sac_cache_store(const char *kind, const char *key, const void *data, size_t size);

#endif
