/* Spans of floats: buffers made, filled, read and written. */

#include "device/span.h"

sac_status sac_span_create(sac_device *device, size_t count, const float *data, sac_span *span,
                           sac_error *error)
{
    *span = (sac_span){0};
    sac_status status =
        sac_buffer_create(device, count * sizeof(float), data, &span->buffer, error);
    if (status == SAC_OK && !data)
        status = sac_span_fill(device, *span, count, 0, error);
    if (status != SAC_OK)
        sac_span_release(span);
    return status;
}

void sac_span_release(sac_span *span)
{
    sac_buffer_release(span->buffer);
    *span = (sac_span){0};
}

sac_status sac_span_read(sac_device *device, sac_span span, size_t count, float *data,
                         sac_error *error)
{
    return sac_buffer_read(device, span.buffer, span.at * sizeof(float), count * sizeof(float),
                           data, error);
}

sac_status sac_span_write(sac_device *device, sac_span span, size_t count, const float *data,
                          sac_error *error)
{
    return sac_buffer_write(device, span.buffer, span.at * sizeof(float), count * sizeof(float),
                            data, error);
}

sac_status sac_span_fill(sac_device *device, sac_span span, size_t count, float value,
                         sac_error *error)
{
    if (count == 0)
        return SAC_OK;
    cl_int code = clEnqueueFillBuffer(device->queue, span.buffer, &value, sizeof value,
                                      span.at * sizeof value, count * sizeof value, 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueFillBuffer", code, error);
}
