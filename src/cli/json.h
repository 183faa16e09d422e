/* JSON on stdout, for programs. */
#ifndef SAC_CLI_JSON_H
#define SAC_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

/* cJSON leaves out what it has no memory for. From this call on such a failure is noted, so that no
 * JSON with a gap is printed as if it were whole. */
void cli_json_watch(void);
bool cli_json_has_gap(void);

/* A float with the digits that bring it back, and a list of them. */
cJSON *cli_json_real(float value);
cJSON *cli_json_reals(const float *values, size_t count);

/* Prints nothing where there is a gap. */
void cli_print_json(const cJSON *json);

#endif
