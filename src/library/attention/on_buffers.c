/* saccade_cl.h: attention on buffers of the caller's own. */
#include "saccade_cl.h"

#include <string.h>

#include "attention/gradients.h"
#include "attention/run/run.h"
#include "attention/spec/device_array.h"
#include "base/checked.h"
#include "base/error.h"
#include "gemm/launch.h"

/* ---------------------------------------------------------------- arrays */

/* What a kernel does with a buffer. */
typedef enum buffer_use { READS, WRITES } buffer_use;

/* A buffer of the device's context with room for `count` floats, that kernels may use so. A driver
 * need not say where they may not: what comes of it is undefined. */
static sac_status check_buffer(const sac_device *device, const char *name, cl_mem buffer,
                               size_t count, buffer_use use, sac_error *error)
{
    cl_context context = NULL;
    cl_mem_flags flags = 0;
    size_t size = 0, bytes;
    cl_int code = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    sac_status status = sac_cl_check(device, "clGetMemObjectInfo", code, error);
    if (status != SAC_OK)
        return sac_error_within(error, status, name);
    if (use == WRITES ? flags & CL_MEM_READ_ONLY : flags & CL_MEM_WRITE_ONLY)
        return sac_fail(error, SAC_E_ARGUMENT, name, "create it with CL_MEM_READ_WRITE",
                        "is a buffer that kernels may only %s", use == WRITES ? "read" : "write");
    if (context != device->context)
        return sac_fail(error, SAC_E_ARGUMENT, name, "create it in the device's context",
                        "is a buffer of another context");
    if (!sac_checked_mul(count, sizeof(float), &bytes) || bytes > size)
        return sac_fail(error, SAC_E_SHAPE, name, "give a larger buffer",
                        "%zu bytes have no room for %zu floats", size, count);
    return SAC_OK;
}

/* Where a buffer is given, *array becomes its view for the rest of the library, and *slot points to
 * that. */
static sac_status take(const sac_device *device, const char *name, const sac_cl_array *given,
                       sac_device_array *array, const sac_array **slot, sac_error *error)
{
    if (given->rank == 0)
        return SAC_OK;
    if (given->rank < 0 || given->rank > 4)
        return sac_fail(error, SAC_E_SHAPE, name, "give [T,D], [B,T,D] or [B,H,T,d]",
                        "has %d dimensions", given->rank);
    sac_status status = sac_need(given->buffer, name, error);
    array->array = sac_array_view(SAC_F32, given->rank, given->shape, &sac_on_device);
    array->buffer = given->buffer;
    *slot = &array->array;
    return status == SAC_OK ? check_buffer(device, name, given->buffer,
                                           sac_array_count(&array->array), READS, error)
                            : status;
}

/* The input as the rest of the library takes it: lends from `arrays`. */
static sac_status take_input(const sac_device *device, const sac_cl_input *given,
                             sac_device_array arrays[3], sac_attention_input *input,
                             sac_error *error)
{
    input->query = input->key = input->value = NULL;
    sac_status status = take(device, "query", &given->query, &arrays[0], &input->query, error);
    if (status == SAC_OK)
        status = take(device, "key", &given->key, &arrays[1], &input->key, error);
    if (status == SAC_OK)
        status = take(device, "value", &given->value, &arrays[2], &input->value, error);
    return status;
}

sac_status sac_attention_create_cl(sac_device *device, const sac_attention_spec *spec,
                                   const sac_cl_input *input, const sac_attention_input *others,
                                   sac_attention **attention, sac_error *error)
{
    sac_device_array arrays[3];
    sac_attention_input whole = others ? *others : (sac_attention_input){0};
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    *attention = NULL;
    status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = take_input(device, input, arrays, &whole, error);
    return status == SAC_OK ? sac_attention_create(device, spec, &whole, attention, error) : status;
}

sac_status sac_attention_update_cl(sac_attention *attention, const sac_cl_input *input,
                                   sac_error *error)
{
    sac_device_array arrays[3];
    sac_attention_input whole = {0};
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = take_input(attention->device, input, arrays, &whole, error);
    return status == SAC_OK ? sac_attention_update(attention, &whole, error) : status;
}

/* ---------------------------------------------------------------- results */

static size_t rows_of(const sac_attention *self)
{
    return self->matrices * self->shape.queries;
}

static sac_status check_output(const sac_attention *self, const sac_cl_output *output,
                               sac_error *error)
{
    sac_status status = SAC_OK;
    if (output->output && !self->value)
        return sac_fail(error, SAC_E_ARGUMENT, "value", "give a value, or ask for no output",
                        "is missing");
    if (output->output)
        status = check_buffer(self->device, "output", output->output, sac_output_count(self),
                              WRITES, error);
    if (status == SAC_OK && output->lse)
        status = check_buffer(self->device, "lse", output->lse, rows_of(self), WRITES, error);
    return status;
}

static sac_status write_lse(sac_attention *self, cl_mem lse, sac_error *error)
{
    cl_ulong rows = rows_of(self);
    sac_arg args[] = {SAC_ARG(self->stats), SAC_ARG(rows), SAC_ARG(lse)};
    return sac_launch_items(self->device, "merge", "log_sums", args, 3, rows_of(self), error);
}

static sac_status run(sac_attention *self, const sac_cl_output *output,
                      const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_run_into(self, output->output, progress, error);
    if (status == SAC_OK && output->lse)
        status = write_lse(self, output->lse, error);
    return status;
}

sac_status sac_attention_run_cl(sac_attention *attention, const sac_cl_output *output,
                                const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(output, "output", error);
    if (status == SAC_OK)
        status = check_output(attention, output, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = run(attention, output, progress, error);
    if (status == SAC_OK)
        status = sac_device_finish(attention->device, error);
    sac_device_unlock(attention->device);
    return status;
}

sac_status sac_attention_enqueue(sac_attention *attention, const sac_cl_output *output,
                                 cl_uint wait_count, const cl_event *wait, cl_event *done,
                                 sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(output, "output", error);
    if (status == SAC_OK && wait_count)
        status = sac_need(wait, "wait", error);
    if (status == SAC_OK)
        status = check_output(attention, output, error);
    if (status != SAC_OK)
        return status;
    sac_device *device = attention->device;
    sac_device_lock(device);
    if (wait_count)
        status = sac_cl_check(device, "clEnqueueBarrierWithWaitList",
                              clEnqueueBarrierWithWaitList(device->queue, wait_count, wait, NULL),
                              error);
    attention->is_queued = attention->speed > 0; /* else kernels may still be compiled */
    if (status == SAC_OK)
        status = run(attention, output, NULL, error);
    attention->is_queued = false;
    if (status == SAC_OK && done)
        status = sac_cl_check(device, "clEnqueueMarkerWithWaitList",
                              clEnqueueMarkerWithWaitList(device->queue, 0, NULL, done), error);
    if (status == SAC_OK)
        status = sac_cl_check(device, "clFlush", clFlush(device->queue), error);
    sac_device_unlock(device);
    return status;
}

/* ---------------------------------------------------------------- gradients */

/* The buffers in the places of the host's arrays. */
static sac_status take_sinks(const sac_device *device, const sac_cl_gradients *wanted,
                             const sac_attention_input *input,
                             const sac_attention_gradients *others,
                             sac_sink sinks[SAC_GRADIENT_COUNT], sac_error *error)
{
    const struct {
        const char *name;
        cl_mem buffer;
        const sac_array *array;
    } parts[] = {{"gradient of query", wanted->query, input->query},
                 {"gradient of key", wanted->key, input->key},
                 {"gradient of value", wanted->value, input->value}};
    const sac_attention_gradients none = {0};
    sac_status status = SAC_OK;
    sac_gradients_sinks(others ? others : &none, sinks);
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        sinks[SAC_D_QUERY + i] = (sac_sink){.buffer = parts[i].buffer};
        if (parts[i].buffer)
            status = check_buffer(device, parts[i].name, parts[i].buffer,
                                  sac_array_count(parts[i].array), WRITES, error);
    }
    return status == SAC_OK ? sac_gradients_check(input, sinks, error) : status;
}

static sac_status run_backward(sac_device *device, const sac_attention_spec *spec,
                               const sac_attention_input *input, cl_mem doutput,
                               const sac_cl_gradients *wanted,
                               const sac_attention_gradients *others, const sac_progress *progress,
                               sac_error *error)
{
    sac_attention_shape shape;
    sac_sink sinks[SAC_GRADIENT_COUNT];
    size_t outputs = 1;
    sac_status status = sac_gradients_resolve(spec, input, &shape, error);
    for (int i = 0; status == SAC_OK && i < shape.output_rank; i++)
        outputs *= shape.output_shape[i];
    if (status == SAC_OK)
        status = check_buffer(device, "doutput", doutput, outputs, READS, error);
    if (status == SAC_OK)
        status = take_sinks(device, wanted, input, others, sinks, error);
    return status == SAC_OK
               ? sac_gradients_run(device, spec, input, &shape, doutput, sinks, progress, error)
               : status;
}

sac_status sac_attention_backward_cl(sac_device *device, const sac_attention_spec *spec,
                                     const sac_cl_input *input, const sac_attention_input *others,
                                     cl_mem doutput, const sac_cl_gradients *gradients,
                                     const sac_attention_gradients *weights,
                                     const sac_progress *progress, sac_error *error)
{
    sac_device_array arrays[3];
    sac_attention_input whole = others ? *others : (sac_attention_input){0};
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = sac_need(doutput, "doutput", error);
    if (status == SAC_OK)
        status = sac_need(gradients, "gradients", error);
    if (status == SAC_OK)
        status = take_input(device, input, arrays, &whole, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    status = run_backward(device, spec, &whole, doutput, gradients, weights, progress, error);
    sac_device_unlock(device);
    return status;
}
