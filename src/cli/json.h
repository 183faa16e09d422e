/* What a command tells programs, on stdout. */
#ifndef SAC_CLI_JSON_H
#define SAC_CLI_JSON_H

#include <cjson/cJSON.h>

void cli_print_json(const cJSON *json);

#endif
