/* JSON for programs, on stdout or into a file. */
#ifndef SAC_CLI_JSON_H
#define SAC_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "saccade.h"

/* cJSON leaves out what it has no memory for. From this call on such a failure is noted, so that no
 * JSON with a gap is printed as if it were whole. */
void cli_json_install_hooks(void);
bool cli_json_is_out_of_memory(void);

/* A float with the digits that bring it back, and a list of them. */
cJSON *cli_json_real(float value);
cJSON *cli_json_reals(const float *values, size_t count);

/* Prints nothing where there is a gap. Deletes the JSON. */
void cli_print_json(cJSON *json);
/* A line of JSON, or several. */
void cli_print_json_text(const char *text);
/* The same, and frees it. SAC_E_MEMORY, and nothing is printed, where `text` is NULL or has a gap.
 */
sac_status cli_print_json_line(char *text, const char *where, sac_error *error);

/* From now on JSON goes into that file, not to stdout (NULL: nothing changes). What a file of
 * cli_json_set_output_path holds appears under its name when cli_json_close finds that all went well; else the
 * error, and what was written is removed. */
void cli_json_set_output_path(const char *path);
sac_status cli_json_close(bool keep, sac_error *error);

#endif
