/* Known attentions, which decide by what kernels a device computes: small ones of random numbers,
 * held against the float64 reference. */
#ifndef SAC_ATTENTION_SELFTEST_SELFTEST_CASES_H
#define SAC_ATTENTION_SELFTEST_SELFTEST_CASES_H

#include "attention/plan/tiling.h"
#include "attention/plan/variants.h"
#include "device/tested.h"

/* Kernels are built per form of the score, and once more for capped scores and for each normaliser, so a
 * device is tested form by form, as each is needed. */
typedef struct sac_forward_question {
    sac_variant variant;
    sac_score form;
    bool softcap;
    sac_normalizer normalizer;
    sac_storage storage;
    const sac_tiling *tiling;
} sac_forward_question;
/* The variant that is asked, as the harness tests it: output, statistics, weights, tiles and pooled
 * tiles of all cases of its form. `question` is lent. */
sac_tested sac_forward_make_test(const sac_device *device, const sac_forward_question *question);

size_t sac_selftest_case_count(void);
const char *sac_selftest_case_name(size_t index);

#endif
