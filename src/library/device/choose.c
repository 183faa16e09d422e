/* The choice of a device: by default, by number, kind or name. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/internal.h"

/* The place of a device in the order of preference; lower is better. GPUs come first, then
 * accelerators, then CPUs, and among these PoCL, whose compiler vectorises best. A device that the
 * self-test reduced comes after its equals, and one that it refused after everything. */
static int rank(const sac_device_info *info)
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
        if (info->number && matches(info, selector) && (!best || rank(info) < rank(&best->info)))
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

static void default_reason(const sac_found *found, size_t count, sac_found *chosen)
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

sac_status sac_choose(sac_found *found, size_t count, const char *selector, sac_found **out,
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
        default_reason(found, count, chosen);
    return SAC_OK;
}
