/* The self-test's cases of the backward pass: one small attention for each form of score, held
 * against the float64 reference. */
#ifndef SAC_ATTENTION_SELFTEST_SELFTEST_BACKWARD_H
#define SAC_ATTENTION_SELFTEST_SELFTEST_BACKWARD_H

#include "attention/plan/variants.h"
#include "device/tested.h"

/* The variants that have a backward pass for such a device, the fastest first, then 0. */
const sac_variant *sac_backward_candidates(const sac_device *device);
typedef struct sac_backward_question {
    sac_variant variant;
    sac_score form;
    bool softcap;
    sac_normalizer normalizer;
    const sac_tiling *tiling; /* of a CPU's kernels; NULL: what ships */
} sac_backward_question;
/* The gradients that are requested, as the harness tests them; `question` is lent. */
sac_tested sac_backward_make_test(const sac_backward_question *question);
/* The fastest variant whose gradients of this form are right on this device; tests those that were
 * never tested. SAC_E_DEVICE where none is. */
sac_status sac_backward_choose(sac_device *device, sac_score form, bool softcap,
                               sac_normalizer normalizer, sac_variant *variant, sac_error *error);

#endif
