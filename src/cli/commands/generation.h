/* Prints the generation of a source word by word, for other programs. */
#ifndef SAC_CLI_COMMANDS_GENERATION_H
#define SAC_CLI_COMMANDS_GENERATION_H

#include <cjson/cJSON.h>

#include "sources/source.h"

/* Of a source that generates: sampled by `how`, and with `without` (NULL: all heads are at work) also with
 * heads scaled so (sac_source_scale_heads). Prints the text, or with `json` the words with their
 * candidates; `npz` (NULL: none) becomes a file of the attention rows by which they were generated. */
sac_status cli_generate_and_print(sac_source *source, const sac_sampling *how, const char *without,
                                  bool json, const char *npz, sac_error *error);

/* {"token","id","probability"} */
cJSON *cli_token_json(int id, const char *text, float probability);
/* Adds "continuation" and "generated": of each token its candidates, too. */
sac_status cli_add_generation(cJSON *root, sac_source *source, const sac_generation *generation,
                              const sac_sampling *how, sac_error *error);

#endif
