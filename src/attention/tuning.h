/* The result of `saccade tune`: the shape of tiles that was fastest on a device, kept on disk for
 * as long as device, driver, program version and kernels stay the same. It was measured on the dot
 * product, and is used for no other form of score. */
#ifndef SAC_ATTENTION_TUNING_H
#define SAC_ATTENTION_TUNING_H

#include "attention/tile_shapes.h"
#include "attention/variants.h"
#include "device/device.h"

/* Lends the tuned shape; NULL where there is none for this variant and form, where what stands on
 * disk is no shape that the kernels take here, or where it fails the self-test. */
const sac_tiling *sac_tuning_get(sac_device *device, sac_variant variant, sac_score_form form);
/* Lends it unasked and untested; NULL where there is none. */
const sac_tiling *sac_tuning_peek(sac_device *device, sac_variant *variant);
/* Remembers the shape for this and later processes; NULL forgets. */
void sac_tuning_set(sac_device *device, sac_variant variant, const sac_tiling *tiling);

/* ---- what a search goes through */

/* The number of a shape's numbers that are tried, those that matter most first. */
size_t sac_tuning_numbers(sac_variant variant);
enum { SAC_TUNING_VALUES = 8 };
/* The shapes that differ from `from` in number `which` (others following where they have to) and
 * fit the device, into list[SAC_TUNING_VALUES]. Returns how many. */
size_t sac_tuning_along(const sac_device_info *info, sac_variant variant, size_t which,
                        const sac_tiling *from, sac_tiling *list);

#endif
