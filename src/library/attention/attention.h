/* The choice of kernels behind sac_attention_create. */
#ifndef SAC_ATTENTION_ATTENTION_H
#define SAC_ATTENTION_ATTENTION_H

#include "attention/plan/tiling.h"
#include "device/device.h"

/* Where `spec` leaves the variant open: the fastest that computes it right. *tiling is the shape of
 * tiles that was tuned for it; NULL: what ships. goes_back: gradients or maps come back to its sums with
 * scores of float32's own products, from which those of TF32 differ by 1e-5 where they are large. */
sac_status sac_attention_choose(sac_device *device, const sac_attention_spec *spec, bool goes_back,
                                sac_variant *variant, const sac_tiling **tiling, sac_error *error);
/* Creates as sac_attention_create does, with tiles of that shape, which fits the device; NULL: of
 * the tuned shape, or else the shipped one. */
sac_status sac_attention_create_tiled(sac_device *device, const sac_attention_spec *spec,
                                      const sac_attention_input *input, const sac_tiling *tiling,
                                      sac_attention **attention, sac_error *error);
/* Creates of what sac_attention_resolve has accepted, and checks nothing again. */
sac_status sac_attention_create_resolved(sac_device *device, const sac_attention_spec *spec,
                                         const sac_attention_shape *shape,
                                         const sac_attention_input *input,
                                         sac_attention **attention, sac_error *error);

#endif
