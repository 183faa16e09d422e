/* A file that appears under its name only when it is whole: written beside it, then renamed. */
#ifndef SAC_BASE_OUTPUT_H
#define SAC_BASE_OUTPUT_H

#include "saccade.h"

typedef struct sac_output {
    FILE *file;      /* write here */
    char path[1024]; /* where it will stand */
    char temporary[1088];
} sac_output;

/* SAC_E_FILE, naming `path`, where the folder is missing or not writable. */
sac_status sac_output_open(sac_output *output, const char *path, sac_error *error);
/* What sac_output_open would say, for what is to be told before the work and not after it. Leaves
 * nothing behind. */
sac_status sac_output_check(const char *path, sac_error *error);
/* Flushes, syncs and renames. SAC_E_FILE (and nothing left behind) where the disk is full. */
sac_status sac_output_commit(sac_output *output, sac_error *error);
/* Removes what was written. Harmless after a commit and on a zeroed struct. */
void sac_output_discard(sac_output *output);

#endif
