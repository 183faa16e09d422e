/* The list of the ways to read a file of arrays, for a person to choose from. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_READINGS_H
#define SAC_SOURCES_FILES_WEIGHTS_READINGS_H

#include "sources/files/array_groups.h"
#include "sources/weights.h"

/* Makes readings of the groups of weights, then of those of queries: each by its axes for the rank,
 * and weights [N,H,Tq,Tk] of N > 1 also as layers. `readings` is owned by the caller: free() it.
 * SAC_E_MEMORY. */
sac_status sac_readings_make(const sac_array_groups *weights, const sac_array_groups *queries,
                             sac_reading **readings, int *count, sac_error *error);
/* The first that is `take` (NULL or "": any) with `axes` (the same); −1: none. */
int sac_readings_find(const sac_reading *readings, int count, const char *take, const char *axes);

#endif
