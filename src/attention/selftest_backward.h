/* The self-test's cases of the backward pass: one small attention for each form of score, held
 * against the float64 reference. */
#ifndef SAC_ATTENTION_SELFTEST_BACKWARD_H
#define SAC_ATTENTION_SELFTEST_BACKWARD_H

#include "attention/variants.h"
#include "device/device.h"

/* The largest relative error of the gradients; −1, with the reason, where the case did not run.
 * Remembers the outcome. */
double sac_backward_error(sac_device *device, sac_score_form form, sac_error *error);
/* What that error may be. */
double sac_backward_bound(void);
/* SAC_E_DEVICE where the gradients of this form come out wrong; tests what was never tested. */
sac_status sac_backward_check(sac_device *device, sac_score_form form, sac_error *error);

#endif
