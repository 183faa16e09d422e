/* Buffers, launches and waiting: thin calls that turn codes into errors. */
#include <assert.h>

#include "base/error.h"
#include "base/notice.h"
#include "device/device.h"
#include "device/pages.h"
#include "device/quarantine.h"
#include "device/trace.h"

static void CL_CALLBACK return_pages(cl_mem buffer, void *pages)
{
    (void)buffer;
    sac_pages_return(pages);
}

/* NULL: the driver's own memory serves. */
static cl_mem create_in_large_pages(sac_device *device, size_t bytes)
{
    cl_int code;
    sac_pages *pages = device->profile.is_cpu ? sac_pages_take(bytes) : NULL;
    if (!pages)
        return NULL;
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                   sac_pages_memory(pages), &code);
    if (code == CL_SUCCESS &&
        clSetMemObjectDestructorCallback(buffer, return_pages, pages) == CL_SUCCESS)
        return buffer;
    if (code == CL_SUCCESS)
        clReleaseMemObject(buffer);
    sac_pages_return(pages);
    return NULL;
}

sac_status sac_buffer_create(sac_device *device, size_t bytes, const void *data, cl_mem *buffer,
                             sac_error *error)
{
    *buffer = NULL;
    if (bytes > device->info.max_alloc_bytes)
        return sac_fail(error, SAC_E_MEMORY, device->info.name,
                        "give smaller inputs, or choose a device with more memory",
                        "one array needs %.1f MiB, and the device allows %.1f MiB",
                        (double)bytes / 0x1p20, (double)device->info.max_alloc_bytes / 0x1p20);
    *buffer = create_in_large_pages(device, bytes);
    if (*buffer)
        return data ? sac_buffer_write(device, *buffer, 0, bytes, data, error) : SAC_OK;
    bool fill = data && bytes > 0;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (fill ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int code;
    *buffer = clCreateBuffer(device->context, flags, bytes ? bytes : 16, fill ? (void *)data : NULL,
                             &code);
    return sac_cl_check(device, "clCreateBuffer", code, error);
}

cl_mem sac_buffer_wrap_host_memory(sac_device *device, size_t bytes, const void *data)
{
    cl_int code;
    bool aligned = (uintptr_t)data % sizeof(float) == 0; /* numbers of a mapped file may not be */
    if (!device->profile.is_cpu || !aligned || bytes == 0 || bytes > device->info.max_alloc_bytes)
        return NULL;
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes,
                                   (void *)data, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

void sac_buffer_release(cl_mem buffer)
{
    if (buffer)
        clReleaseMemObject(buffer);
}

/* `kept` of `size` bytes becomes one of at least `bytes`. */
static sac_status grow(sac_device *device, size_t bytes, cl_mem *kept, size_t *size,
                       sac_error *error)
{
    if (*kept && *size >= bytes)
        return SAC_OK;
    sac_buffer_release(*kept);
    *size = 0;
    sac_status status = sac_buffer_create(device, bytes, NULL, kept, error);
    if (status == SAC_OK)
        *size = bytes;
    return status;
}

sac_status sac_device_scratch(sac_device *device, size_t bytes, cl_mem *buffer, sac_error *error)
{
    sac_status status = grow(device, bytes, &device->scratch, &device->scratch_bytes, error);
    *buffer = device->scratch;
    return status;
}

sac_status sac_device_widened_buffer(sac_device *device, size_t bytes, cl_mem *buffer,
                                     sac_error *error)
{
    sac_status status = grow(device, bytes, &device->widened, &device->widened_bytes, error);
    *buffer = device->widened;
    return status;
}

sac_status sac_buffer_write(sac_device *device, cl_mem buffer, size_t offset, size_t bytes,
                            const void *data, sac_error *error)
{
    if (bytes == 0)
        return SAC_OK;
    cl_int code =
        clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueWriteBuffer", code, error);
}

sac_status sac_buffer_write_box(sac_device *device, cl_mem buffer, const sac_box *box,
                                const void *data, sac_error *error)
{
    const size_t origin[3] = {0};
    cl_int code =
        clEnqueueWriteBufferRect(device->queue, buffer, CL_TRUE, box->at, origin, box->size,
                                 box->row, box->slice, 0, 0, data, 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueWriteBufferRect", code, error);
}

/* Ends the activity and the quarantine of kernels: all that were built before have run by now. */
static void end_compiling(const sac_device *device)
{
    sac_quarantine_in_driver(false);
    sac_activity_end();
    sac_quarantine_remove_marks(device);
}

sac_status sac_buffer_read(sac_device *device, cl_mem buffer, size_t offset, size_t bytes,
                           void *data, sac_error *error)
{
    if (bytes == 0)
        return SAC_OK;
    sac_quarantine_in_driver(true);
    cl_int code =
        clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
    end_compiling(device);
    return sac_cl_check(device, "clEnqueueReadBuffer", code, error);
}

/* "clSetKernelArg 3 of attend": a wrong argument is found by its number and kernel. */
static sac_status check_kernel_call(const sac_device *device, const char *call, cl_kernel kernel,
                                    cl_int code, sac_error *error)
{
    char name[64] = "?", text[160];
    if (code == CL_SUCCESS)
        return SAC_OK;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    snprintf(text, sizeof text, "%s of %s", call, name);
    return sac_cl_check(device, text, code, error);
}

sac_status sac_kernel_launch(sac_device *device, cl_kernel kernel, const sac_arg *args, int count,
                             int dimensions, const size_t *global, const size_t *local,
                             sac_error *error)
{
    for (int i = 0; i < count; i++) {
        cl_int code = clSetKernelArg(kernel, (cl_uint)i, args[i].size, args[i].value);
        if (code != CL_SUCCESS) {
            char call[64];
            snprintf(call, sizeof call, "clSetKernelArg %d", i);
            return check_kernel_call(device, call, kernel, code, error);
        }
    }
    for (int i = 0; local && i < dimensions; i++)
        assert(global[i] % local[i] == 0); /* not every driver takes a part of a group */
    device->launches++;
    sac_quarantine_in_driver(true);
    cl_int code = clEnqueueNDRangeKernel(device->queue, kernel, (cl_uint)dimensions, NULL, global,
                                         local, 0, NULL, sac_trace_add_launch(device, kernel));
    sac_quarantine_in_driver(false);
    return check_kernel_call(device, "clEnqueueNDRangeKernel", kernel, code, error);
}

sac_status sac_device_finish(sac_device *device, sac_error *error)
{
    sac_quarantine_in_driver(true);
    cl_int code = clFinish(device->queue);
    end_compiling(device);
    return sac_cl_check(device, "clFinish", code, error);
}

/* ---------------------------------------------------------------- spans */

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
