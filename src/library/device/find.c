/* Every platform and device there is, the broken ones with what is wrong with them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/internal.h"

#define CL_PLATFORM_NOT_FOUND                                                                      \
    (-1001) /* of cl_khr_icd: the loader's word for "no driver at all"                             \
             */
#define MAX_PLATFORMS 64
#define MAX_DEVICES 64 /* of one platform */

typedef struct found_list {
    sac_found *items;
    size_t count, capacity;
} found_list;

/* Lends a zeroed entry at the end; NULL where there is no memory. */
static sac_found *append(found_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        sac_found *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    sac_found *item = &list->items[list->count++];
    *item = (sac_found){0};
    return item;
}

static bool append_broken(found_list *list, cl_platform_id platform, const char *problem)
{
    sac_found *item = append(list);
    if (!item)
        return false;
    sac_device_info *info = &item->info;
    item->platform = platform;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof info->vendor - 1, info->vendor, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof info->version - 1, info->version, NULL);
    snprintf(info->name, sizeof info->name, "%s", info->platform);
    if (strcmp(info->platform, "rusticl") == 0) /* lists none until it is named */
        snprintf(info->problem, sizeof info->problem,
                 "%s; RUSTICL_ENABLE=radeonsi, iris, … turns its drivers on", problem);
    else
        snprintf(info->problem, sizeof info->problem, "%s", problem);
    return true;
}

/* False where there is no memory. */
static bool append_platform(found_list *list, cl_platform_id platform)
{
    cl_device_id ids[MAX_DEVICES];
    cl_uint count = 0;
    char problem[128];
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return append_broken(list, platform, "has no device");
    if (code != CL_SUCCESS) {
        snprintf(problem, sizeof problem, "clGetDeviceIDs gave %s", sac_cl_code_name(code));
        return append_broken(list, platform, problem);
    }
    for (cl_uint i = 0; i < count && i < MAX_DEVICES; i++) {
        sac_found *item = append(list);
        if (!item)
            return false;
        item->platform = platform;
        item->id = ids[i];
        sac_device_describe(platform, ids[i], &item->info);
        sac_verdicts_load(&item->info, item->verdicts, sizeof item->verdicts);
    }
    return true;
}

static bool append_bad_drivers(found_list *list)
{
    const char *name, *problem;
    for (size_t i = 0; (name = sac_drivers_bad(i, &problem)); i++) {
        sac_found *item = append(list);
        if (!item)
            return false;
        snprintf(item->info.name, sizeof item->info.name, "%s", name);
        snprintf(item->info.platform, sizeof item->info.platform, "%s", name);
        snprintf(item->info.problem, sizeof item->info.problem, "%s", problem);
    }
    return true;
}

sac_status sac_find_devices(sac_found **found, size_t *count, sac_error *error)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    const char *problem;
    found_list list = {0};
    *found = NULL;
    *count = 0;
    sac_drivers_bad(0, &problem); /* before the first call of OpenCL */
    cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
    if (code != CL_SUCCESS && code != CL_PLATFORM_NOT_FOUND)
        return sac_cl_check(NULL, "clGetPlatformIDs", code, error);
    bool fits = true;
    for (cl_uint i = 0; fits && i < platform_count && i < MAX_PLATFORMS; i++)
        fits = append_platform(&list, platforms[i]);
    if (!fits || !append_bad_drivers(&list)) {
        free(list.items);
        return sac_no_memory(error, "devices");
    }
    /* Numbers the devices that can be used from 1, in the loader's order. */
    int number = 0;
    for (size_t i = 0; i < list.count; i++)
        if (!list.items[i].info.problem[0])
            list.items[i].info.number = ++number;
    *found = list.items;
    *count = list.count;
    return SAC_OK;
}

sac_status sac_devices_list(sac_device_info **infos, size_t *count, sac_error *error)
{
    sac_found *found;
    sac_status status = sac_need(infos, "infos", error);
    if (status == SAC_OK)
        status = sac_need(count, "count", error);
    if (status != SAC_OK)
        return status;
    *infos = NULL;
    sac_drivers_lock();
    status = sac_find_devices(&found, count, error);
    sac_drivers_unlock();
    if (status != SAC_OK)
        return status;
    sac_found
        *chosen; /* none where SACCADE_DEVICE means nothing here: the list is still the list */
    sac_choose(found, *count, NULL, &chosen, NULL);
    *infos = calloc(*count ? *count : 1, sizeof **infos);
    if (!*infos)
        status = sac_no_memory(error, "devices");
    for (size_t i = 0; *infos && i < *count; i++)
        (*infos)[i] = found[i].info;
    free(found);
    return status;
}
