/* Opening and closing a device. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/internal.h"
#include "device/quarantine.h"

static pthread_mutex_t drivers_lock = PTHREAD_MUTEX_INITIALIZER;

void sac_drivers_lock(void)
{
    pthread_mutex_lock(&drivers_lock);
}

void sac_drivers_unlock(void)
{
    pthread_mutex_unlock(&drivers_lock);
}

void sac_device_lock(sac_device *device)
{
    pthread_mutex_lock(&device->lock);
}

void sac_device_unlock(sac_device *device)
{
    pthread_mutex_unlock(&device->lock);
}

static void init_lock(sac_device *device)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&device->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

/* What a device holds of its driver's, and the device itself. */
static void release(sac_device *device)
{
    sac_programs_release(device);
    sac_buffer_release(device->scratch);
    free(device->tuning);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static sac_status open_found(const sac_found *found, sac_device **out, sac_error *error)
{
    cl_int code;
    sac_device *device = calloc(1, sizeof *device);
    if (!device)
        return sac_fail(error, SAC_E_MEMORY, found->info.name, NULL, "no memory to open it");
    init_lock(device);
    device->info = found->info;
    device->profile = sac_profile_of(&found->info);
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
        release(device);
    return status;
}

sac_status sac_device_open_untrusted(const char *selector, sac_device **device, sac_error *error)
{
    sac_found *found, *chosen;
    size_t count;
    sac_status status = sac_need(device, "device", error);
    if (status != SAC_OK)
        return status;
    *device = NULL;
    sac_drivers_lock();
    status = sac_find_devices(&found, &count, error);
    if (status == SAC_OK)
        status = sac_choose(found, count, selector, &chosen, error);
    if (status == SAC_OK)
        status = open_found(chosen, device, error);
    sac_drivers_unlock();
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
    clFinish(device->queue);
    sac_quarantine_end(device);
    sac_drivers_lock();
    release(device);
    sac_drivers_unlock();
}

const sac_device_info *sac_device_get_info(const sac_device *device)
{
    return device ? &device->info : NULL;
}
