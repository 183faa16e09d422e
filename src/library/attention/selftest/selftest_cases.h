/* Known attentions, which decide by what kernels a device computes: small ones of random numbers,
 * held against the float64 reference. */
#ifndef SAC_ATTENTION_SELFTEST_SELFTEST_CASES_H
#define SAC_ATTENTION_SELFTEST_SELFTEST_CASES_H

#include "attention/plan/tiling.h"
#include "saccade_tools.h"
#include "scores/scores.h"

size_t sac_selftest_case_count(void);
/* The form of the score of number `index`, counted from 0. */
sac_score sac_selftest_case_form(size_t index);

/* Fills in the relative error that a case came to, whether it passed, and where it did not run (an
 * error below 0) the reason as its message. The bound is there already. */
void sac_selftest_result_set(sac_selftest_result *result, double error, const sac_error *why);

/* Computes output, statistics, weights and a tile of number `index` by that variant with tiles of
 * that shape, with capped scores where `softcap` says so, and compares. A failure on the way goes
 * into the result's message and into `error`, which may be NULL. */
void sac_selftest_case_run(sac_device *device, size_t index, sac_variant variant, bool softcap,
                           const sac_tiling *tiling, sac_storage storage,
                           sac_selftest_result *result, sac_error *error);

#endif
