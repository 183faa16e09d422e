/* The self-test's verdicts on a device: lines "VARIANT VERDICT", read when the device is opened. */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/hash.h"
#include "device/cache.h"
#include "device/internal.h"
#include "device/sources.h"

static const char *const verdict_names[] = {
    [SAC_UNTESTED] = "untested",
    [SAC_PASSED] = "passed",
    [SAC_REDUCED] = "reduced",
    [SAC_REFUSED] = "refused",
};

void sac_device_key(const sac_device_info *info, char *key, size_t size)
{
    snprintf(key, size, "saccade %s\n%s\n%s\n%s\n%s\n", SAC_VERSION, info->platform, info->name,
             info->version, info->driver);
}

/* 0.3 ms for all of them, so once. */
static uint64_t hash_of_kernels(void)
{
    static _Atomic uint64_t known; /* 0: not yet */
    uint64_t hash = SAC_HASH_START;
    if (known)
        return known;
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++)
        hash = sac_hash(hash, source->text, strlen(source->text));
    known = hash;
    return hash;
}

void sac_device_kernels_key(const sac_device_info *info, char *key, size_t size)
{
    sac_device_key(info, key, size);
    size_t used = strlen(key);
    snprintf(key + used, size - used, "kernels %016llx\n", (unsigned long long)hash_of_kernels());
}

/* Lends the line of `variant`; NULL where there is none. */
static const char *find_line(const char *verdicts, const char *variant)
{
    size_t length = strlen(variant);
    for (const char *line = verdicts; *line;) {
        if (strncmp(line, variant, length) == 0 && line[length] == ' ')
            return line;
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : line + strlen(line);
    }
    return NULL;
}

static sac_verdict parse_verdict(const char *verdicts, const char *variant)
{
    char name[16];
    const char *line = find_line(verdicts, variant);
    if (!line || sscanf(line + strlen(variant), "%15s", name) != 1)
        return SAC_UNTESTED;
    for (int i = SAC_PASSED; i <= SAC_REFUSED; i++)
        if (strcmp(name, verdict_names[i]) == 0)
            return (sac_verdict)i;
    return SAC_UNTESTED;
}

void sac_verdicts_load(sac_device_info *info, char *verdicts, size_t size)
{
    char key[1024], *text;
    size_t length;
    verdicts[0] = '\0';
    sac_device_kernels_key(info, key, sizeof key);
    if (sac_cache_load("verdicts", key, &text, &length)) {
        if (length < size)
            memcpy(verdicts, text, length + 1);
        free(text);
    }
    info->verdict = parse_verdict(verdicts, SAC_VERDICT_DEVICE);
}

sac_verdict sac_verdict_recall(const sac_device *device, const char *variant)
{
    return parse_verdict(device->verdicts, variant);
}

void sac_verdict_remember(sac_device *device, const char *variant, sac_verdict verdict)
{
    char key[1024], text[sizeof device->verdicts];
    if (sac_cancel_asked())
        return; /* the failure may come of the stop */
    if (strcmp(variant, SAC_VERDICT_DEVICE) == 0)
        device->info.verdict = verdict;
    if (sac_verdict_recall(device, variant) == verdict)
        return;
    const char *old = find_line(device->verdicts, variant);
    const char *after = old ? strchr(old, '\n') : NULL;
    int before = (int)(old ? (size_t)(old - device->verdicts) : strlen(device->verdicts));
    int length = snprintf(text, sizeof text, "%.*s%s %s\n%s", before, device->verdicts, variant,
                          verdict_names[verdict], after ? after + 1 : "");
    if (length >= (int)sizeof text)
        return; /* no space: that variant is tested again */
    memcpy(device->verdicts, text, (size_t)length + 1);
    sac_device_kernels_key(&device->info, key, sizeof key);
    sac_cache_store("verdicts", key, device->verdicts, (size_t)length);
}

/* "long-loops" is a property of a device. */
bool sac_verdicts_refused(const sac_device_info *info, char *names, size_t size)
{
    char verdicts[sizeof((sac_device *)0)->verdicts], name[64], verdict[16];
    sac_device_info copy = *info;
    size_t used = 0;
    names[0] = '\0';
    sac_verdicts_load(&copy, verdicts, sizeof verdicts);
    for (const char *line = verdicts; *line; line += strcspn(line, "\n") + 1) {
        if (sscanf(line, "%63s %15s", name, verdict) == 2 && used < size &&
            strcmp(verdict, verdict_names[SAC_REFUSED]) == 0 && strcmp(name, "long-loops") != 0 &&
            strcmp(name, SAC_VERDICT_DEVICE) != 0)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
        if (!strchr(line, '\n'))
            break;
    }
    return used > 0;
}

sac_outcome sac_outcome_recall(const sac_device *device, const char *variant)
{
    sac_verdict verdict = sac_verdict_recall(device, variant);
    if (verdict == SAC_UNTESTED)
        return find_line(device->suspended, variant) ? SAC_DID_NOT_RUN : SAC_UNASKED;
    return verdict == SAC_PASSED ? SAC_RIGHT : SAC_WRONG;
}

void sac_outcome_remember(sac_device *device, const char *variant, sac_outcome outcome)
{
    if (outcome == SAC_RIGHT || outcome == SAC_WRONG)
        sac_verdict_remember(device, variant, outcome == SAC_RIGHT ? SAC_PASSED : SAC_REFUSED);
}

void sac_verdict_suspend(sac_device *device, const char *variant)
{
    size_t used = strlen(device->suspended), left = sizeof device->suspended - used;
    if (sac_cancel_asked() || find_line(device->suspended, variant))
        return;
    if (snprintf(device->suspended + used, left, "%s suspended\n", variant) >= (int)left)
        device->suspended[used] = '\0'; /* no space: that variant is tried again */
}

void sac_verdicts_resume(sac_device *device)
{
    device->suspended[0] = '\0';
}
