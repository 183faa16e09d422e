/* Floats on the device: the storage of the layers' tensors. A span has only the place where the numbers
 * begin; shapes are in the layers' descriptions and in comments. */
#ifndef SAC_DEVICE_SPAN_H
#define SAC_DEVICE_SPAN_H

#include "device/device.h"

typedef struct sac_span {
    cl_mem buffer; /* NULL: there is none */
    cl_uint at;    /* the first float */
} sac_span;

/* Allocates a buffer of `count` floats, zeroed unless `data` is given. */
sac_status sac_span_create(sac_device *device, size_t count, const float *data, sac_span *span,
                           sac_error *error);
void sac_span_release(sac_span *span); /* the whole buffer; takes empty ones */
static inline sac_span sac_span_from(sac_span span, size_t floats)
{
    return (sac_span){span.buffer, span.at + (cl_uint)floats};
}
/* Both block until done. */
sac_status sac_span_read(sac_device *device, sac_span span, size_t count, float *data,
                         sac_error *error);
sac_status sac_span_write(sac_device *device, sac_span span, size_t count, const float *data,
                          sac_error *error);
sac_status sac_span_fill(sac_device *device, sac_span span, size_t count, float value,
                         sac_error *error); /* enqueues */
/* Two arguments of a kernel: `global float *x, uint x_at`. */
#define SAC_SPAN_ARGS(s) SAC_ARG((s).buffer), SAC_ARG((s).at)

#endif
