#include "cli/json.h"

#include <stdio.h>

void cli_print_json(const cJSON *json)
{
    char *text = cJSON_Print(json);
    if (text)
        puts(text);
    cJSON_free(text);
}
