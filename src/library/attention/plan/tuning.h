/* The result of `saccade tune`: the shape of tiles that was fastest on a device, kept on disk for
 * as long as device, driver, program version and kernels stay the same. */
#ifndef SAC_ATTENTION_PLAN_TUNING_H
#define SAC_ATTENTION_PLAN_TUNING_H

#include "attention/plan/tiling.h"
#include "attention/plan/variants.h"
#include "device/device.h"

/* Lends the tuned shape, untested, and sets its variant; NULL where there is none, or where what
 * stands on disk is no shape that the kernels take here. */
const sac_tiling *sac_tuning_get(sac_device *device, sac_variant *variant);
/* Remembers the shape for this and later processes; NULL forgets. */
void sac_tuning_set(sac_device *device, sac_variant variant, const sac_tiling *tiling);

/* ---- what a search goes through */

/* The number of a shape's numbers that are tried, those that matter most first. */
size_t sac_tuning_number_count(sac_variant variant);
enum { SAC_TUNING_VALUES = 8 };
/* The shapes that differ from `from` in number `which` (others following where they have to) and
 * fit the device, into list[SAC_TUNING_VALUES]. Returns how many. */
size_t sac_tuning_candidates(const sac_device_info *info, sac_variant variant, size_t which,
                             const sac_tiling *from, sac_tiling *list);

#endif
