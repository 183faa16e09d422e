/* JSON to standard output, checked for gaps. */

#include "cli/json.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"

static atomic_bool has_gap;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        atomic_store(&has_gap, true);
    return memory;
}

void cli_json_watch(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

bool cli_json_has_gap(void)
{
    return atomic_load(&has_gap);
}

/* Nine digits tell every float from its neighbours; a double's seventeen would only look exact. */
cJSON *cli_json_real(float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", (double)value);
    return cJSON_CreateRaw(text);
}

cJSON *cli_json_reals(const float *values, size_t count)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cli_json_real(values[i]));
    return array;
}

void cli_print_json(const cJSON *json)
{
    char *text = cJSON_Print(json);
    if (text && !cli_json_has_gap())
        sac_print_json(stdout, text);
    cJSON_free(text);
}
