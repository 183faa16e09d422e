/* The arrays of a file while they are gathered. */
#ifndef SAC_CLI_ARRAYS_FILE_H
#define SAC_CLI_ARRAYS_FILE_H

#include "saccade.h"

/* Zeroed: none yet. Give `named` and `count` to sac_npz_save. */
typedef struct cli_arrays_file {
    sac_array array[24]; /* their data is lent */
    sac_named_array named[24];
    size_t count;
    char names[24][40];
} cli_arrays_file;

/* Adds an array under a name, which is formatted as by printf. */
__attribute__((format(printf, 3, 4))) void
cli_arrays_file_add(cli_arrays_file *file, sac_array array, const char *name, ...);

#endif
