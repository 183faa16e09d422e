#include "device/tested.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"

sac_outcome sac_tested_run(sac_device *device, const sac_tested *tested, sac_case_report *report,
                           void *user, double *worst, sac_error *why)
{
    sac_outcome outcome = SAC_RIGHT;
    double largest = 0;
    for (size_t i = 0; i < tested->cases && (report || outcome == SAC_RIGHT); i++) {
        sac_error error = {0};
        sac_cancel_scope_done((double)i / (double)tested->cases);
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
        sac_verdict_suspend(device, tested->name);
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
                sac_verdict_suspend(device, names[i]);
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
