/* Known-answer tests: an implementation of an operation runs the cases of the operation's table, each
 * held against float64. The outcome is remembered under its name, and by outcomes kernels are
 * chosen. */
#ifndef SAC_DEVICE_TESTED_H
#define SAC_DEVICE_TESTED_H

#include "device/device.h"

enum { SAC_TESTED_NAME = 48, SAC_MOST_CANDIDATES = 4 };
#define SAC_NO_CASE (-2.0) /* the case is not for this implementation */

/* An implementation that is tested. */
typedef struct sac_tested {
    char name[SAC_TESTED_NAME]; /* "cpu-dot", "tiled-rows" */
    size_t cases;               /* of the operation's table */
    double bound;               /* of the relative error */
    /* The relative error of a case; −1, with the reason, where it did not run; or SAC_NO_CASE. */
    double (*run)(sac_device *device, const struct sac_tested *tested, size_t index,
                  sac_error *error);
    /* Announces the programs that the cases need (sac_kernel_expect), where they were not run yet; may be NULL. */
    void (*expect)(sac_device *device, const struct sac_tested *tested);
    const void *what; /* the operation's own; lent */
    char subject[64]; /* "matrix products by …": the subject of the notice that it is wrong, given
                      once; or empty */
} sac_tested;

/* Is called after each case; false stops the test. */
typedef bool sac_case_report(void *user, size_t index, double off, const sac_error *why);

/* Runs the cases and remembers the outcome; without a listener it stops at the first wrong case.
 * *worst (may be NULL) is the largest error, or −1. `why` (may be NULL): why a case did not run. */
sac_outcome sac_tested_run(sac_device *device, const sac_tested *tested, sac_case_report *report,
                           void *user, double *worst, sac_error *why);
/* True where the outcome is right, now or as it is remembered. It is for kernels that others stand
 * in for: those that did not run are not tried again until the device is opened anew. */
bool sac_tested_passes(sac_device *device, const sac_tested *tested);

/* Fills in candidate `index`, the fastest first; false behind the last. */
typedef bool sac_tested_candidate(sac_device *device, void *asked, size_t index,
                                  sac_tested *tested);
/* *chosen: the first candidate that is right. The outcomes up to it go into `outcomes`, of which
 * *count are known. SAC_E_DEVICE, with `remedy` and `what`, where all are wrong; else why none ran. */
sac_status sac_tested_choose(sac_device *device, sac_tested_candidate *candidate, void *asked,
                             const char *remedy, const char *what, size_t *chosen,
                             sac_outcome outcomes[SAC_MOST_CANDIDATES], size_t *count,
                             sac_error *error);

#endif
