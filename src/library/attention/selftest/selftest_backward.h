/* The self-test's cases of the backward pass: one small attention for each form of score, held
 * against the float64 reference. */
#ifndef SAC_ATTENTION_SELFTEST_SELFTEST_BACKWARD_H
#define SAC_ATTENTION_SELFTEST_SELFTEST_BACKWARD_H

#include "attention/plan/variants.h"
#include "device/device.h"

/* The variants that have a backward pass for such a device, the fastest first, then 0. */
const sac_variant *sac_backward_candidates(const sac_device *device);
/* The largest relative error of the gradients; −1, with the reason, where the case did not run.
 * Remembers the outcome. */
double sac_backward_error(sac_device *device, sac_variant variant, sac_score form, bool softcap,
                          sac_error *error);
/* The bound of that error. */
double sac_backward_bound(void);
/* The fastest variant whose gradients of this form are right on this device; tests those that were
 * never tested. SAC_E_DEVICE where none is. */
sac_status sac_backward_choose(sac_device *device, sac_score form, bool softcap,
                               sac_variant *variant, sac_error *error);

#endif
