/* The choice of kernels behind sac_attention_create. */
#ifndef SAC_ATTENTION_ATTENTION_H
#define SAC_ATTENTION_ATTENTION_H

#include "attention/plan/tiling.h"
#include "attention/prepare/operands.h"
#include "device/device.h"

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

/* Attention on device buffers, forward and backward, with nothing read back: the base of nn's
 * attention layer. */

/* `output`: [B,H,Tq,dv] or [B,Tq,H·dv]. `stats` [B,H,Tq,2]: the largest of a row's logits in base
 * 2, m, and the sum l of exp2(logit − m): a row's log-sum-exp is (m + log2 l) ln 2, and a weight
 * exp2(logit − m) / l, which is more exact than by one rounded number. Waits for the device where
 * it takes more than about a millisecond. */
sac_status sac_attention_forward_on(sac_device *device, const sac_attention_operands *operands,
                                    sac_span output, sac_span stats, sac_error *error);

/* Recomputes the weights from the statistics: nothing of size Tq · Tk is kept. Every run gives the
 * same. Enqueues without waiting, unless there is a `progress` to report to (may be NULL).
 * SAC_E_DEVICE if the self-test found wrong gradients. */
sac_status sac_attention_backward_on(sac_device *device, const sac_attention_operands *operands,
                                     const sac_operand_gradients *gradients,
                                     const sac_progress *progress, sac_error *error);

/* SAC_E_ARGUMENT where such an attention has no backward pass. */
sac_status sac_check_backward(const sac_attention_spec *spec, const sac_attention_input *input,
                              sac_error *error);

#endif
