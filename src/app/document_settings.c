/* Settings of a request, and checks that the sources have what they ask for. */
#include <stdio.h>
#include <string.h>

#include "app/document_parts.h"
#include "base/error.h"

const char *app_find_setting(const app_request *request, const char *key)
{
    const char *value = NULL; /* of the last, as later options override earlier ones */
    for (int i = 0; i < request->setting_count; i++)
        if (strcmp(request->settings[i].key, key) == 0)
            value = request->settings[i].value;
    return value;
}

sac_status app_check_query(const app_request *request, size_t columns, size_t rows,
                           sac_error *error)
{
    size_t x, y;
    const char *query = app_find_setting(request, "query");
    if (!query || (sscanf(query, "%zu,%zu", &x, &y) == 2 && x < columns && y < rows))
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "--query", NULL,
                    "%s is out of range; columns go from 0 to %zu, rows from 0 to %zu", query,
                    columns - 1, rows - 1);
}

/* A view leaves alone what it does not have; a person who asked for it should hear so. */
static sac_status check_model(const app_request *request, const char *key, const char *option,
                              const sac_source *source, sac_error *error)
{
    char there[160] = "";
    const char *wanted = app_find_setting(request, key);
    for (int i = 0; wanted && i < source->speaker.models; i++) {
        if (strcmp(wanted, source->speaker.model[i]) == 0)
            return SAC_OK;
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 source->speaker.model[i]);
    }
    return wanted ? sac_fail(error, SAC_E_ARGUMENT, option, NULL,
                             "unknown value \"%.60s\"; there is: %s", wanted, there)
                  : SAC_OK;
}

sac_status app_check_models(const app_request *request, const sac_source *source, sac_error *error)
{
    sac_status status = check_model(request, "model", "--model", source, error);
    return status == SAC_OK ? check_model(request, "compared with", "--compare", source, error)
                            : status;
}
