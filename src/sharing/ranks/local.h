/* Processes of one machine, one for each device, that the program starts itself: an engine by memory
 * that they share. */
#ifndef SAC_SHARING_RANKS_LOCAL_H
#define SAC_SHARING_RANKS_LOCAL_H

#include "sharing/ranks/engine.h"
#include "sharing/ranks/ranks.h"

/* Starts the others of the devices that `list` fills in, with `words`, this program's own, and is the
 * first of them. Where that fails, none is left. */
sac_status sac_local_start(char *const *words, sac_ranks_list *list, const void *user,
                           sac_error *error);
/* The engine of a process that was started, or that started the others; NULL: this is neither. */
const sac_ranks_engine *sac_local_engine(void);
/* What it was started for. */
const sac_ranks_device *sac_local_device(int process);

#endif
