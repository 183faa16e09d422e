/* The gradients of an attention on buffers of the device. */
#ifndef SAC_ATTENTION_BACKWARD_BACKWARD_H
#define SAC_ATTENTION_BACKWARD_BACKWARD_H

#include "attention/plan/tiling.h"
#include "attention/prepare/operands.h"

/* Of another normaliser than the softmax, the output in `gradients` is what sac_compute_slope_output gives. Runs the
 * backward pass by the kernels of that variant (CPU, GPU or naive), which it trusts, or by
 * the naive ones where these do not take such sizes; on a CPU with squares where `tiling` (NULL: what ships) asks for
 * them and the sizes are worth it. With `progress`, which may stop it, it waits;
 * NULL: it enqueues. */
sac_status sac_attention_backward_run(sac_device *device, const sac_attention_operands *operands,
                                      const sac_operand_gradients *gradients, sac_variant variant,
                                      const sac_tiling *tiling, const sac_progress *progress,
                                      sac_error *error);

#endif
