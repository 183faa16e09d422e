/* Opening and closing a device. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/notice.h"
#include "device/cache/cache.h"
#include "device/cache/pocl_cache.h"
#include "device/internal.h"
#include "device/quarantine.h"
#include "saccade_cl.h"

void sac_device_lock(sac_device *device)
{
    pthread_mutex_lock(&device->lock);
}

void sac_device_unlock(sac_device *device)
{
    pthread_mutex_unlock(&device->lock);
}

/* Releases all that a device holds of OpenCL, and the device itself. */
static void release(sac_device *device)
{
    sac_programs_release(device);
    sac_buffer_release(device->scratch);
    sac_buffer_release(device->widened);
    sac_buffer_release(device->counters);
    free(device->tuning);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

/* A device without context and queue. */
static sac_status allocate_device(const sac_found *found, sac_device **out, sac_error *error)
{
    sac_device *device = calloc(1, sizeof *device);
    if (!device)
        return sac_no_memory(error, found->info.name);
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&device->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    atomic_init(&device->users, 1);
    device->info = found->info;
    device->profile = sac_profile_of(&found->info);
    device->platform = found->platform;
    device->id = found->id;
    memcpy(device->verdicts, found->verdicts, sizeof device->verdicts);
    *out = device;
    return SAC_OK;
}

static sac_status open_found(const sac_found *found, sac_device **out, sac_error *error)
{
    cl_int code;
    sac_device *device;
    /* PoCL aborts the process where it cannot keep, or load, what it compiled. */
    if (sac_device_is_pocl(&found->info) && sac_cache_nowhere_reason())
        return sac_fail(error, SAC_E_NO_DEVICE, found->info.name,
                        "let XDG_CACHE_HOME or TMPDIR name a folder in which files may be written "
                        "and executed",
                        "has no folder for compiled kernels: %s", sac_cache_nowhere_reason());
    sac_status status = allocate_device(found, &device, error);
    if (status != SAC_OK)
        return status;
    if (sac_device_is_pocl(&found->info))
        sac_pocl_cache_remove_damaged();
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)found->platform, 0};
    device->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    status = sac_cl_check(device, "clCreateContext", code, error);
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

/* Below it compilers in drivers die of SIGSEGV: 256 KB were too few for PoCL 3.1, 512 enough. */
#define LEAST_STACK (512u << 10)

static sac_status check_stack_limit(sac_error *error)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST_STACK)
        return SAC_OK;
    return sac_fail(error, SAC_E_NO_DEVICE, "stack", "raise its limit, such as by `ulimit -s 8192`",
                    "is limited to %llu KB, of which drivers die",
                    (unsigned long long)stack.rlim_cur >> 10);
}

static sac_status open_selected(const char *selector, bool no_side_effects, sac_device **device,
                                sac_error *error)
{
    sac_found *found = NULL, *chosen;
    size_t count;
    sac_status status = sac_need(device, "device", error);
    if (status != SAC_OK)
        return status;
    *device = NULL;
    sac_drivers_lock();
    if (no_side_effects)
        sac_drivers_skip_check();
    status = check_stack_limit(error);
    if (status == SAC_OK)
        status = sac_find_devices(&found, &count, error);
    if (status == SAC_OK)
        status = sac_choose_device(found, count, selector, &chosen, error);
    if (status == SAC_OK)
        status = open_found(chosen, device, error);
    sac_drivers_unlock();
    free(found);
    return status;
}

sac_status sac_device_open_untrusted(const char *selector, sac_device **device, sac_error *error)
{
    return open_selected(selector, false, device, error);
}

/* Closes a device that computes wrong: *device is NULL then. */
static sac_status close_if_refused(sac_device **device, sac_error *error)
{
    if ((*device)->info.verdict != SAC_REFUSED)
        return SAC_OK;
    sac_status status =
        sac_fail(error, SAC_E_NO_DEVICE, (*device)->info.name,
                 "`saccade selftest` tries again; or update its driver, or choose another with "
                 "--device (see: saccade devices)",
                 "failed its self-test: even the simplest kernel gives wrong numbers on it");
    sac_device_close(*device);
    *device = NULL;
    return status;
}

sac_status sac_device_open(const char *selector, sac_device **device, sac_error *error)
{
    sac_status status = sac_device_open_untrusted(selector, device, error);
    return status == SAC_OK ? close_if_refused(device, error) : status;
}

sac_status sac_device_open_with(const sac_device_options *options, sac_device **device,
                                sac_error *error)
{
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK) {
        *device = NULL;
        status = sac_need(options, "options", error);
    }
    if (status != SAC_OK)
        return status;
    if (options->log)
        sac_notice_listen(options->log, options->log_user);
    status = open_selected(options->selector, options->no_side_effects, device, error);
    return status == SAC_OK ? close_if_refused(device, error) : status;
}

/* ---------------------------------------------------------------- the caller's own */

static sac_status check_queue(cl_context context, cl_device_id id, cl_command_queue queue,
                              sac_error *error)
{
    cl_context its_context = NULL;
    cl_device_id its_device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, NULL);
    if (code == CL_SUCCESS)
        code =
            clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    sac_status status = sac_cl_check(NULL, "clGetCommandQueueInfo", code, error);
    if (status == SAC_OK && (its_context != context || its_device != id))
        return sac_fail(error, SAC_E_ARGUMENT, "queue", "give one of both",
                        "belongs to another context or device");
    if (status == SAC_OK && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return sac_fail(error, SAC_E_ARGUMENT, "queue", "give one that keeps the order of commands",
                        "runs commands in any order");
    return status;
}

static sac_status describe(cl_device_id id, sac_found *found, sac_error *error)
{
    *found = (sac_found){.id = id};
    cl_int code =
        clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof found->platform, &found->platform, NULL);
    sac_status status = sac_cl_check(NULL, "clGetDeviceInfo", code, error);
    if (status != SAC_OK)
        return status;
    sac_device_describe(found->platform, id, &found->info);
    sac_verdicts_load(&found->info, found->verdicts, sizeof found->verdicts);
    if (found->info.problem[0])
        return sac_fail(error, SAC_E_NO_DEVICE, found->info.name, "choose another", "%s",
                        found->info.problem);
    return SAC_OK;
}

sac_status sac_device_wrap(cl_context context, cl_device_id id, cl_command_queue queue,
                           sac_device **device, sac_error *error)
{
    sac_found found;
    sac_status status = sac_need(device, "device", error);
    if (status != SAC_OK)
        return status;
    *device = NULL;
    status = sac_need(context, "context", error);
    if (status == SAC_OK)
        status = sac_need(id, "device id", error);
    if (status == SAC_OK)
        status = sac_need(queue, "queue", error);
    if (status == SAC_OK)
        status = check_queue(context, id, queue, error);
    if (status == SAC_OK)
        status = describe(id, &found, error);
    if (status == SAC_OK)
        status = allocate_device(&found, device, error);
    if (status != SAC_OK)
        return status;
    clRetainContext(context);
    clRetainCommandQueue(queue);
    (*device)->context = context;
    (*device)->queue = queue;
    return close_if_refused(device, error);
}

void sac_device_retain(sac_device *device)
{
    atomic_fetch_add(&device->users, 1);
}

void sac_device_close(sac_device *device)
{
    if (!device || atomic_fetch_sub(&device->users, 1) > 1)
        return;
    /* After a failure launches may be under way, and PoCL may still compile for them. */
    clFinish(device->queue);
    sac_quarantine_remove_marks(device);
    sac_drivers_lock();
    if (device->has_compiled && sac_device_is_pocl(&device->info))
        sac_pocl_cache_record_files();
    release(device);
    sac_drivers_unlock();
}

const sac_device_info *sac_device_get_info(const sac_device *device)
{
    return device ? &device->info : NULL;
}
