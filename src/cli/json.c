#include "cli/json.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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

void cli_print_json(const cJSON *json)
{
    char *text = cJSON_Print(json);
    if (text && !cli_json_has_gap())
        puts(text);
    cJSON_free(text);
}
