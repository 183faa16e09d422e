#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "device/cache/cache.h"
#include "device/internal.h"
#include "device/sources.h"
#include "device/tested.h"

/* ---------------------------------------------------------------- verdicts */

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

/* This handle does without the variant, which did not run. */
static void suspend_verdict(sac_device *device, const char *variant)
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

/* ---------------------------------------------------------------- tests */

sac_outcome sac_tested_run(sac_device *device, const sac_tested *tested, sac_case_report *report,
                           void *user, double *worst, sac_error *why)
{
    sac_outcome outcome = SAC_RIGHT;
    double largest = 0;
    for (size_t i = 0; i < tested->cases && (report || outcome == SAC_RIGHT); i++) {
        sac_error error = {0};
        sac_cancel_scope_set_done((double)i / (double)tested->cases);
        double off = tested->run(device, tested, i, &error);
        if (off == SAC_NO_CASE)
            continue;
        sac_outcome found = off < 0                ? SAC_DID_NOT_RUN
                            : off <= tested->bound ? SAC_RIGHT
                                                   : SAC_WRONG;
        if (off < 0 && why)
            *why = error;
        if (report && !report(user, i, off, &error))
            return SAC_DID_NOT_RUN;
        outcome = found > outcome ? found : outcome;
        largest = off < 0 || largest < 0 ? -1 : fmax(largest, off);
    }
    sac_outcome_remember(device, tested->name, outcome);
    if (worst)
        *worst = largest;
    return outcome;
}

static sac_outcome recall_or_run(sac_device *device, const sac_tested *tested, sac_error *why)
{
    char model[160];
    sac_outcome outcome = sac_outcome_recall(device, tested->name);
    if (outcome != SAC_UNASKED)
        return outcome;
    if (tested->expect)
        tested->expect(device, tested);
    outcome = sac_tested_run(device, tested, NULL, NULL, NULL, why);
    if (outcome == SAC_WRONG && tested->subject[0] && !sac_cancel_asked()) {
        sac_device_model(&device->info, model, sizeof model);
        sac_notice("%s: its %s are wrong, and simpler kernels take their place; `saccade selftest` "
                   "tests it again",
                   model, tested->subject);
    }
    return outcome;
}

bool sac_tested_passes(sac_device *device, const sac_tested *tested)
{
    sac_outcome outcome = recall_or_run(device, tested, NULL);
    if (outcome == SAC_DID_NOT_RUN)
        suspend_verdict(device, tested->name);
    return outcome == SAC_RIGHT;
}

sac_status sac_tested_choose(sac_device *device, sac_tested_candidate *candidate, void *asked,
                             const char *remedy, const char *what, size_t *chosen,
                             sac_outcome outcomes[SAC_MOST_CANDIDATES], size_t *count,
                             sac_error *error)
{
    char names[SAC_MOST_CANDIDATES][SAC_TESTED_NAME];
    sac_error why = {0};
    bool is_right = false, all_wrong = true;
    sac_tested tested = {0};
    for (*count = 0; !is_right && candidate(device, asked, *count, &tested); ++*count) {
        outcomes[*count] = recall_or_run(device, &tested, &why);
        memcpy(names[*count], tested.name, sizeof tested.name);
        is_right = outcomes[*count] == SAC_RIGHT;
        all_wrong = all_wrong && outcomes[*count] == SAC_WRONG;
    }
    sac_status status = sac_cancel_check("self-test", error); /* the cases failed for it */
    if (status != SAC_OK)
        return status;
    *chosen = *count - is_right;
    if (is_right) {
        for (size_t i = 0; i < *chosen; i++)
            if (outcomes[i] == SAC_DID_NOT_RUN) /* this handle does without it */
                suspend_verdict(device, names[i]);
        return SAC_OK;
    }
    if (all_wrong)
        return sac_fail(error, SAC_E_DEVICE, device->info.name, remedy, "%s", what);
    if (why.status == SAC_OK)
        return sac_fail(error, SAC_E_DEVICE, device->info.name, "see: saccade selftest",
                        "kernels did not run, and those that did compute wrong");
    if (error)
        *error = why;
    return why.status;
}
