/* The verdicts of the self-test, by which the kernels for a device are chosen. */
#ifndef SAC_ATTENTION_SELFTEST_SELFTEST_H
#define SAC_ATTENTION_SELFTEST_SELFTEST_H

#include "attention/plan/variants.h"
#include "device/device.h"

/* The fastest variant that computes this form of score, capped or not, with that normaliser right on this
 * device, from arrays so stored; tests those that were never tested. SAC_E_DEVICE where none does. `plain`:
 * among those without matrix instructions. */
sac_status sac_variant_choose(sac_device *device, sac_score form, bool softcap,
                              sac_normalizer normalizer, sac_storage storage, sac_variant *variant,
                              sac_error *error);
sac_status sac_variant_choose_no_matrix(sac_device *device, sac_score form, bool softcap,
                                        sac_normalizer normalizer, sac_storage storage,
                                        sac_variant *variant, sac_error *error);
/* True where the CPU kernel multiplies bfloat16 by pairs right; tests it where that was never done. */
bool sac_pairs_pass(sac_device *device, bool softcap);
/* True where the variant computes this form right, of numbers that are stored so, with tiles of that shape; tests it
 * where that was never done. */
bool sac_tiling_passes(sac_device *device, sac_variant variant, sac_score form, bool softcap,
                       sac_storage storage, const sac_tiling *tiling);

#endif
