/* A file that appears under its name only when it is whole: written beside it, then renamed.
 *
 * The name beside it is random and the file is made anew, so that no other program's file or link
 * is followed, and two savers of one path, threads or processes, leave one whole file: the one that
 * was renamed last. Its mode is what the umask leaves of 0666. */
#ifndef SAC_BASE_OUTPUT_H
#define SAC_BASE_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "saccade.h"

typedef struct sac_output {
    FILE *file;              /* write here */
    char path[1024];         /* where it will stand */
    char temporary[1088];    /* where it is written; empty: in place */
    bool waits;              /* a pipe or a device may never take what is written */
    struct sac_output *next; /* of all that are open, so the struct stays where it is */
} sac_output;

/* SAC_E_FILE, naming `path`, where the folder is missing or not writable. */
sac_status sac_output_open(sac_output *output, const char *path, sac_error *error);
/* Fails as sac_output_open would, so that the user learns of it before the work. Leaves nothing
 * behind. */
sac_status sac_output_check(const char *path, sac_error *error);
/* Flushes, syncs and renames. SAC_E_FILE (and nothing left behind) where the disk is full. */
sac_status sac_output_commit(sac_output *output, sac_error *error);
/* The error of a write that gave that errno. */
sac_status sac_output_fail(const sac_output *output, int code, sac_error *error);
/* Removes what was written. Harmless after a commit and on a zeroed struct. */
void sac_output_discard(sac_output *output);

/* Removes what every open output of any thread has written. A process calls this that ends without
 * its other threads. No output can be opened or committed afterwards. */
void sac_outputs_abandon(void);

/* Bytes as text, by RFC 4648: writes ⌈size/3⌉·4 characters, without line breaks. A failure shows when the file is closed. */
void sac_base64_put(FILE *file, const void *bytes, size_t size);

#endif
