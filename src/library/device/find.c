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
    for (size_t i = 0; (name = sac_drivers_bad_name(i, &problem)); i++) {
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
    sac_drivers_bad_name(0, &problem); /* before the first call of OpenCL */
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
    sac_choose_device(found, *count, NULL, &chosen, NULL);
    *infos = calloc(*count ? *count : 1, sizeof **infos);
    if (!*infos)
        status = sac_no_memory(error, "devices");
    for (size_t i = 0; *infos && i < *count; i++)
        (*infos)[i] = found[i].info;
    free(found);
    return status;
}

/* ---------------------------------------------------------------- choice */

/* The place of a device in the order of preference; lower is better. GPUs come first, then
 * accelerators, then CPUs, and among these PoCL, whose compiler vectorises best. A device that the
 * self-test reduced comes after its equals, and one that it refused after everything. */
static int preference_rank(const sac_device_info *info)
{
    int refused = info->verdict == SAC_REFUSED;
    int kind = info->is_gpu ? 0 : info->is_cpu ? 2 : 1;
    int reduced = info->verdict == SAC_REDUCED;
    return refused * 16 + kind * 4 + reduced * 2 + !sac_device_is_pocl(info);
}

static bool contains(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

/* NULL means any; "cpu" and "gpu" the kind; anything else a part of a name. */
static bool matches(const sac_device_info *info, const char *selector)
{
    char name[128];
    if (!selector)
        return true;
    if (strcasecmp(selector, "cpu") == 0)
        return info->is_cpu;
    if (strcasecmp(selector, "gpu") == 0)
        return info->is_gpu;
    sac_device_short_name(info, name, sizeof name); /* "pocl" is found only here */
    return contains(info->name, selector) || contains(info->platform, selector) ||
           contains(info->vendor, selector) || contains(name, selector);
}

static sac_found *best_match(sac_found *found, size_t count, const char *selector)
{
    sac_found *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const sac_device_info *info = &found[i].info;
        if (info->number && matches(info, selector) &&
            (!best || preference_rank(info) < preference_rank(&best->info)))
            best = &found[i];
    }
    return best;
}

/* A number counts as one where there is a device of that number; "7900" may be part of a name. */
static sac_found *find_selected(sac_found *found, size_t count, const char *selector)
{
    char *end;
    long number = strtol(selector, &end, 10);
    for (size_t i = 0; *end == '\0' && number > 0 && i < count; i++)
        if (found[i].info.number == number)
            return &found[i];
    return best_match(found, count, selector);
}

/* `1 "PoCL, …", 2 "llvmpipe …"`; empty where there is no device. */
static void list_names(const sac_found *found, size_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        char name[128];
        if (!found[i].info.number)
            continue;
        sac_device_short_name(&found[i].info, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%d \"%.60s\"", used ? ", " : "",
                                 found[i].info.number, name);
    }
}

static sac_status fail_to_choose(const sac_found *found, size_t count, const char *selector,
                                 sac_error *error)
{
    const char *install =
        "install a driver: pocl-opencl-icd on Debian, or saccade[pocl] with pip, runs on any CPU";
    char names[384];
    list_names(found, count, names, sizeof names);
    if (names[0])
        return sac_fail(error, SAC_E_NO_DEVICE, "device",
                        "choose one by number, cpu, gpu or part of a name",
                        "no device is called \"%.60s\"; there is %s", selector, names);
    const char *known = sac_drivers_advice();
    if (known)
        return sac_fail(error, SAC_E_NO_DEVICE, "OpenCL", NULL, "there is no usable device; %s",
                        known);
    if (count)
        return sac_fail(error, SAC_E_NO_DEVICE, "OpenCL", install,
                        "there is no usable device (saccade devices lists what is broken)");
    return sac_fail(error, SAC_E_NO_DEVICE, "OpenCL", install, "there is no platform at all");
}

static void set_choice_reason(const sac_found *found, size_t count, sac_found *chosen)
{
    size_t usable = 0;
    for (size_t i = 0; i < count; i++)
        usable += found[i].info.number && found[i].info.verdict != SAC_REFUSED;
    const char *reason = usable == 1            ? "the only one that can be used"
                         : chosen->info.is_gpu  ? "a GPU"
                         : !chosen->info.is_cpu ? "an accelerator, and there is no GPU"
                         : sac_device_is_pocl(&chosen->info)
                             ? "there is no GPU, and of CPU drivers PoCL comes first"
                             : "there is no GPU";
    snprintf(chosen->info.reason, sizeof chosen->info.reason, "%s", reason);
}

sac_status sac_choose_device(sac_found *found, size_t count, const char *selector, sac_found **out,
                             sac_error *error)
{
    bool given = selector && selector[0];
    const char *wanted = given ? selector : getenv("SACCADE_DEVICE");
    if (wanted && !wanted[0])
        wanted = NULL;
    sac_found *chosen =
        wanted ? find_selected(found, count, wanted) : best_match(found, count, NULL);
    *out = chosen;
    if (!chosen)
        return fail_to_choose(found, count, wanted ? wanted : "", error);
    chosen->info.chosen = chosen->info.verdict != SAC_REFUSED;
    if (wanted)
        snprintf(chosen->info.reason, sizeof chosen->info.reason, "%s \"%.60s\"",
                 given ? "asked for as" : "SACCADE_DEVICE is", wanted);
    else
        set_choice_reason(found, count, chosen);
    return SAC_OK;
}
