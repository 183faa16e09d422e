/* `saccade attend` by several processes. */
#ifndef SAC_CLI_COMMANDS_ATTEND_SHARED_H
#define SAC_CLI_COMMANDS_ATTEND_SHARED_H

#include "sources/files/queries/attention_file.h"

typedef struct cli_shared {
    sac_array output; /* the form of the output, in the file's order of axes */
    sac_variant variant;
    char device[256];
    double seconds;  /* of the slowest process, from its first key to its last */
    double waited_s; /* of that process, for keys and values */
    double sent;     /* bytes of keys and values, by all processes */
} cli_shared;

/* Computes the attention of a file with the other processes and writes output and log-sum-exp to `path`,
 * a .npz. Each reads its own queries, keys and values, and process 0 writes. */
sac_status cli_attend_shared(const char *device, const sac_attention_file *file, const char *path,
                             const sac_progress *progress, cli_shared *shared, sac_error *error);

#endif
