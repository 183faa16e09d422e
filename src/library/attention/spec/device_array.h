/* Arrays whose numbers lie on the device: what saccade_cl.h gives. */
#ifndef SAC_ATTENTION_SPEC_DEVICE_ARRAY_H
#define SAC_ATTENTION_SPEC_DEVICE_ARRAY_H

#include "device/device.h"

/* float32; its `data` is &sac_on_device, which is never read. */
typedef struct sac_device_array {
    sac_array array; /* first: what is given as an array may be one of these */
    cl_mem buffer;
} sac_device_array;

extern const char sac_on_device;

static inline bool sac_is_on_device(const sac_array *array)
{
    return array->data == &sac_on_device;
}

static inline cl_mem sac_array_buffer(const sac_array *array)
{
    return ((const sac_device_array *)array)->buffer;
}

#endif
