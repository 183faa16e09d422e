/* What a model says word by word of what is open, for other programs. */
#ifndef SAC_CLI_COMMANDS_GENERATION_H
#define SAC_CLI_COMMANDS_GENERATION_H

#include "sources/source.h"

/* Of a source that says something: as `how` tells, and with `without` (NULL: all heads are at work) also
 * with heads scaled so (sac_source_scale_heads). Prints the text, or with `json` the words with what else
 * might have come; `npz` (NULL: none) becomes a file of the rows by which they were said. */
sac_status cli_print_generation(sac_source *source, const sac_sampling *how, const char *without,
                                bool json, const char *npz, sac_error *error);

#endif
