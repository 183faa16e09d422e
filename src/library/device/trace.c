/* Traces launches by a queue that measures them. */
#include "device/trace.h"

#include <stdlib.h>

#include "base/error.h"
#include "device/internal.h"

sac_status sac_trace_begin(sac_device *device, sac_trace *trace, sac_error *error)
{
    cl_int code;
    *trace = (sac_trace){.layer = -1, .kept = device->queue};
    sac_status status = sac_device_finish(device, error);
    if (status != SAC_OK)
        return status;
    cl_command_queue queue =
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    status = sac_cl_check(device, "clCreateCommandQueue", code, error);
    if (status == SAC_OK) {
        device->queue = queue;
        device->trace = trace;
    }
    return status;
}

static sac_status read_times(const sac_device *device, sac_traced_launch *launch, sac_error *error)
{
    cl_ulong times[2];
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
        code = clGetEventProfilingInfo(launch->event, names[i], sizeof times[i], &times[i], NULL);
    if (code != CL_SUCCESS)
        return sac_cl_check(device, "clGetEventProfilingInfo", code, error);
    launch->begin = 1e-9 * (double)times[0];
    launch->end = 1e-9 * (double)times[1];
    return SAC_OK;
}

sac_status sac_trace_end(sac_device *device, sac_error *error)
{
    sac_trace *trace = device->trace;
    if (!trace)
        return SAC_OK;
    sac_status status = sac_device_finish(device, error);
    clReleaseCommandQueue(device->queue);
    device->queue = trace->kept;
    device->trace = NULL;
    if (status == SAC_OK && trace->no_memory)
        status = sac_no_memory(error, "trace");
    for (size_t i = 0; i < trace->launch_count; i++) {
        if (status == SAC_OK)
            status = read_times(device, &trace->launches[i], error);
        if (trace->launches[i].event)
            clReleaseEvent(trace->launches[i].event);
        trace->launches[i].event = NULL;
    }
    return status;
}

void sac_trace_free(sac_trace *trace)
{
    free(trace->launches);
    free(trace->works);
    *trace = (sac_trace){0};
}

/* A place for one more of `size` bytes in a list that grows by doubling; NULL: no memory. */
static void *grow_list(sac_trace *trace, void *list, size_t *count, size_t size)
{
    bool is_full = (*count & (*count - 1)) == 0;
    void *more = is_full ? realloc(list, (*count ? 2 * *count : 1) * size) : list;
    trace->no_memory |= !more;
    if (more)
        ++*count;
    return more;
}

void sac_trace_set_layer(sac_device *device, int layer)
{
    if (device->trace)
        device->trace->layer = layer;
}

void sac_trace_add_work(sac_device *device, sac_work what, double operations, double bytes)
{
    sac_trace *trace = device->trace;
    if (!trace)
        return;
    sac_traced_work *more = grow_list(trace, trace->works, &trace->work_count, sizeof *more);
    if (!more)
        return;
    trace->works = more;
    more[trace->work_count - 1] = (sac_traced_work){what, trace->layer, operations, bytes};
}

cl_event *sac_trace_add_launch(sac_device *device, cl_kernel kernel)
{
    sac_trace *trace = device->trace;
    if (!trace)
        return NULL;
    sac_traced_launch *more = grow_list(trace, trace->launches, &trace->launch_count, sizeof *more);
    if (!more)
        return NULL;
    trace->launches = more;
    more += trace->launch_count - 1;
    *more = (sac_traced_launch){.source = sac_kernel_source_name(device, kernel),
                                .layer = trace->layer};
    return &more->event;
}
