/* measure gemm|products|encoder|map [--json] [--device S]: see measure.h. */
#include <stdio.h>
#include <string.h>

#include "measure.h"

static sac_status measure(const char *what, const char *selector, cJSON *json, sac_error *error)
{
    sac_device *device = NULL;
    if (strcmp(what, "map") == 0)
        return measure_map(selector, json, error);
    sac_status status = sac_device_open(selector, &device, error);
    if (status == SAC_OK)
        status = strcmp(what, "gemm") == 0       ? measure_few_rows(device, json, error)
                 : strcmp(what, "products") == 0 ? measure_many_rows(device, json, error)
                                                 : measure_encoder(device, json, error);
    sac_device_close(device);
    return status;
}

int main(int count, char **words)
{
    static const char *const names[] = {"gemm", "products", "encoder", "map"};
    const char *what = count > 1 ? words[1] : "", *selector = NULL;
    bool json = false, known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known = known || strcmp(names[i], what) == 0;
    for (int i = 2; i < count && known; i++)
        if (strcmp(words[i], "--json") == 0)
            json = true;
        else if (strcmp(words[i], "--device") == 0 && i + 1 < count)
            selector = words[++i];
        else
            known = false;
    if (!known) {
        fprintf(stderr, "measure: give gemm, products, encoder or map, then --json, --device S\n");
        return 2;
    }
    sac_error error = {0};
    cJSON *found = json ? cJSON_CreateObject() : NULL;
    sac_status status = measure(what, selector, found, &error);
    char *text = found && status == SAC_OK ? cJSON_Print(found) : NULL;
    if (text)
        puts(text);
    if (status != SAC_OK)
        fprintf(stderr, "measure: %s: %s\n", error.where, error.what);
    cJSON_free(text);
    cJSON_Delete(found);
    return status != SAC_OK;
}
