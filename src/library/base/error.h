/* Filling in a sac_error: one call per failure, at the place that knows what happened. */
#ifndef SAC_BASE_ERROR_H
#define SAC_BASE_ERROR_H

#include "saccade.h"

/* Fills *error (which may be NULL) and returns `status`, so that a caller can
 * `return sac_fail(error, SAC_E_SHAPE, "key", "give …", "shape %s does not fit %s", a, b)`.
 * `where` and `remedy` may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
sac_status
sac_fail(sac_error *error, sac_status status, const char *where, const char *remedy,
         const char *what_format, ...);

/* SAC_E_MEMORY, "WHAT: out of memory"; `what` is the file, the array or the part that needed it. */
sac_status sac_no_memory(sac_error *error, const char *what);

/* SAC_E_ARGUMENT, "NAME: is missing; give one", where a pointer that a call cannot do without is
 * NULL. */
sac_status sac_need(const void *pointer, const char *name, sac_error *error);

/* Hands on a failure that was kept apart until it was known to be one, with `outer` (or
 * NULL) before its place; returns its status. */
sac_status sac_error_pass(sac_error *error, const sac_error *why, const char *outer);

/* Where `status` is a failure, puts `outer` before the place of *error (which may be NULL): "key"
 * becomes "in.npz: key". Returns `status`. */
sac_status sac_error_within(sac_error *error, sac_status status, const char *outer);

#endif
