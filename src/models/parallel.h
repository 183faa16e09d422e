/* Work on the host that several threads share. */
#ifndef SAC_MODELS_PARALLEL_H
#define SAC_MODELS_PARALLEL_H

#include <stddef.h>

/* Calls `work` once for each index below `count`, in any order, on as many threads as the machine
 * has processors, this one among them. Returns when all are done. */
void sac_parallel(size_t count, void (*work)(void *user, size_t index), void *user);

#endif
