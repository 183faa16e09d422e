/* A device's name, shortened for people. */
#include <string.h>

#include "device/internal.h"

bool sac_device_is_pocl(const sac_device_info *info)
{
    return strcmp(info->platform, "Portable Computing Language") == 0;
}

static void remove_all(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at; (at = strstr(text, part));)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void cut_end(char *text, const char *end)
{
    size_t length = strlen(text), cut = strlen(end);
    if (length > cut && strcmp(text + length - cut, end) == 0)
        text[length - cut] = '\0';
}

/* PoCL calls a device "pthread-skylake-avx512-Intel(R) Xeon(R)": its driver, LLVM's name for the
 * processor, and the processor's own name. LLVM's name also ends `version`. */
static const char *processor_of_pocl(const sac_device_info *info)
{
    for (const char *suffix = strchr(info->version, '-'); suffix;
         suffix = strchr(suffix + 1, '-')) {
        const char *at = strstr(info->name, suffix);
        size_t length = strlen(suffix);
        if (at && at[length] == '-' && at[length + 1])
            return at + length + 1;
    }
    return info->name;
}

void sac_device_model(const sac_device_info *info, char *text, size_t size)
{
    char name[sizeof info->name];
    bool pocl = sac_device_is_pocl(info);
    bool rusticl = strcmp(info->platform, "rusticl") == 0;
    snprintf(name, sizeof name, "%s", pocl ? processor_of_pocl(info) : info->name);
    remove_all(name, "(R)");
    remove_all(name, "(TM)");
    remove_all(name, "(tm)");
    char *detail = strstr(name, " (");
    if (detail)
        *detail = '\0';
    cut_end(name, " Processor");
    snprintf(text, size, "%s%s", pocl ? "PoCL, " : rusticl ? "rusticl, " : "", name);
}

void sac_device_short_name(const sac_device_info *info, char *text, size_t size)
{
    char model[sizeof info->name + 16];
    sac_device_model(info, model, sizeof model);
    snprintf(text, size, "%s, %u %s%s", model, info->compute_units, info->is_cpu ? "core" : "unit",
             info->compute_units == 1 ? "" : "s");
}
