/* The gradients of a whole attention, projections and score's matrices included: what the public
 * backward functions of saccade.h and saccade_cl.h share. */
#ifndef SAC_ATTENTION_GRADIENTS_H
#define SAC_ATTENTION_GRADIENTS_H

#include "attention/spec/resolve.h"
#include "device/device.h"

/* The place that a gradient goes to, on the host or on the device; both NULL: it is not wanted. */
typedef struct sac_sink {
    float *host;
    cl_mem buffer;
} sac_sink;

/* Enqueues, but for gradients that go to the host, and parts of work that is long; the caller holds
 * the device. The output's gradient lies on the device as the
 * output would. */
sac_status sac_gradients_run(sac_device *device, const sac_attention_spec *spec,
                             const sac_attention_input *input, const sac_attention_shape *shape,
                             cl_mem doutput, const sac_sink sinks[SAC_GRADIENT_COUNT],
                             const sac_progress *progress, sac_error *error);
/* The same of what an attention holds, which was created with spec.gradients. */
sac_status sac_gradients_of_attention(sac_attention *attention, cl_mem doutput,
                                      const sac_sink sinks[SAC_GRADIENT_COUNT],
                                      const sac_progress *progress, sac_error *error);
/* sac_attention_resolve, and what has no gradients is refused. */
sac_status sac_gradients_resolve(const sac_attention_spec *spec, const sac_attention_input *input,
                                 sac_attention_shape *shape, sac_error *error);
/* SAC_E_ARGUMENT where a gradient is wanted of what the input does not have. */
sac_status sac_gradients_check(const sac_attention_input *input,
                               const sac_sink sinks[SAC_GRADIENT_COUNT], sac_error *error);
/* The host's pointers as sinks. */
void sac_gradients_sinks(const sac_attention_gradients *gradients,
                         sac_sink sinks[SAC_GRADIENT_COUNT]);

#endif
