/* Opening and closing a device. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/internal.h"

static sac_status open_found(const sac_found *found, sac_device **out, sac_error *error)
{
    cl_int code;
    sac_device *device = calloc(1, sizeof *device);
    if (!device)
        return sac_fail(error, SAC_E_MEMORY, found->info.name, NULL, "no memory to open it");
    device->info = found->info;
    device->platform = found->platform;
    device->id = found->id;
    memcpy(device->verdicts, found->verdicts, sizeof device->verdicts);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)found->platform, 0};
    device->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    sac_status status = sac_cl_check(device, "clCreateContext", code, error);
    if (status == SAC_OK) {
        device->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
        status = sac_cl_check(device, "clCreateCommandQueue", code, error);
    }
    if (status == SAC_OK)
        *out = device;
    else
        sac_device_close(device);
    return status;
}

sac_status sac_device_open_untrusted(const char *selector, sac_device **device, sac_error *error)
{
    sac_found *found, *chosen;
    size_t count;
    *device = NULL;
    sac_status status = sac_find_devices(&found, &count, error);
    if (status == SAC_OK)
        status = sac_choose(found, count, selector, &chosen, error);
    if (status == SAC_OK)
        status = open_found(chosen, device, error);
    free(found);
    return status;
}

sac_status sac_device_open(const char *selector, sac_device **device, sac_error *error)
{
    sac_status status = sac_device_open_untrusted(selector, device, error);
    if (status != SAC_OK || (*device)->info.verdict != SAC_REFUSED)
        return status;
    status =
        sac_fail(error, SAC_E_NO_DEVICE, (*device)->info.name,
                 "`saccade selftest` tries again; or update its driver, or choose another with "
                 "--device (see: saccade devices)",
                 "failed its self-test: even the simplest kernel gives wrong numbers on it");
    sac_device_close(*device);
    *device = NULL;
    return status;
}

void sac_device_close(sac_device *device)
{
    if (!device)
        return;
    /* After a failure launches may be under way, and PoCL may still compile for them. */
    if (device->queue)
        clFinish(device->queue);
    sac_programs_release(device);
    sac_buffer_release(device->scratch);
    free(device->tuning);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    free(device);
}

const sac_device_info *sac_device_get_info(const sac_device *device)
{
    return &device->info;
}
