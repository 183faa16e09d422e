/* JSON to standard output or into a file, checked for gaps. */

#include "cli/json.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"

static atomic_bool has_gap;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        atomic_store(&has_gap, true);
    return memory;
}

void cli_json_install_hooks(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

bool cli_json_is_out_of_memory(void)
{
    return atomic_load(&has_gap);
}

/* Nine digits distinguish every float from its neighbours; a double's seventeen would only look exact. */
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

void cli_print_json(cJSON *json)
{
    char *text = cJSON_Print(json);
    if (text && !cli_json_is_out_of_memory())
        cli_print_json_text(text);
    cJSON_free(text);
    cJSON_Delete(json);
}

static const char *target; /* NULL: stdout */
static sac_output output;  /* its file, open once something is printed */
static sac_error trouble;  /* of opening it */

void cli_json_set_output_path(const char *path)
{
    target = path;
}

void cli_print_json_text(const char *text)
{
    if (target && !output.file && trouble.status == SAC_OK)
        trouble.status = sac_output_open(&output, target, &trouble);
    if (!target)
        sac_print_json(stdout, text);
    else if (output.file)
        sac_print_json(output.file, text);
}

sac_status cli_print_json_line(char *text, const char *where, sac_error *error)
{
    sac_status status = SAC_OK;
    if (!text || cli_json_is_out_of_memory())
        status = sac_no_memory(error, where);
    else
        cli_print_json_text(text);
    free(text);
    return status;
}

sac_status cli_json_close(bool keep, sac_error *error)
{
    if (trouble.status != SAC_OK) {
        *error = trouble;
        return trouble.status;
    }
    if (keep && output.file)
        return sac_output_commit(&output, error);
    sac_output_discard(&output);
    return SAC_OK;
}
