/* saccade_cl.h: attention on buffers of the caller's own. */
#include "saccade_cl.h"

#include <string.h>

#include "attention/gradients.h"
#include "attention/run/run.h"
#include "attention/spec/device_array.h"
#include "base/checked.h"
#include "base/error.h"
#include "gemm/launch.h"
#include "scores/normalizers.h"

/* ---------------------------------------------------------------- arrays */

/* What a kernel does with a buffer. */
typedef enum buffer_use { READS, WRITES } buffer_use;

/* A buffer of the device's context with room for `count` numbers of that size, whose flags let kernels use it
 * so: a driver need not check flags, and the result is then undefined. */
static sac_status check_buffer(const sac_device *device, const char *name, cl_mem buffer,
                               size_t count, size_t each, buffer_use use, sac_error *error)
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
    if (!sac_checked_mul(count, each, &bytes) || bytes > size)
        return sac_fail(error, SAC_E_SHAPE, name, "give a larger buffer",
                        "%zu bytes have no room for %zu %s", size, count,
                        each == sizeof(float) ? "floats" : "numbers of 16 bits");
    return SAC_OK;
}

/* Which numbers of a buffer are taken: the twin of `gathering` in cl/attention/around/pack.cl. */
typedef struct gathering {
    cl_ulong offset, strides[4];
    cl_ulong count;
    cl_uint sizes[4];
    cl_uint type; /* 0: float32, 1: float16, 2: bfloat16 */
    cl_uint unused;
} gathering;

_Static_assert(sizeof(gathering) == 6 * 8 + 6 * 4, "no padding: the kernel's twin has none");

/* The array with all four axes, those that it has last, and the numbers that its buffer has to hold.
 * False where they cannot be counted. */
static bool describe_gathering(const sac_cl_array *given, gathering *g, size_t *needed)
{
    size_t dense = 1, last;
    bool is_dense = true;
    *g = (gathering){.offset = given->offset,
                     .sizes = {1, 1, 1, 1},
                     .type = given->dtype == SAC_F16    ? 1
                             : given->dtype == SAC_BF16 ? 2
                                                        : 0};
    for (int i = 0; i < given->rank; i++)
        is_dense = is_dense && given->strides[i] == 0;
    *needed = given->offset;
    for (int i = given->rank - 1; i >= 0; i--) {
        size_t size = given->shape[i], stride = is_dense ? dense : given->strides[i];
        if (size == 0 || size > UINT32_MAX || !sac_checked_mul(dense, size, &dense) ||
            !sac_checked_mul(size - 1, stride, &last) || !sac_checked_add(*needed, last, needed))
            return false;
        g->sizes[4 - given->rank + i] = (cl_uint)size;
        g->strides[4 - given->rank + i] = stride;
    }
    g->count = dense;
    return sac_checked_add(*needed, 1, needed);
}

/* Whether kernels read the buffer as it is: dense float32 from its first byte on. */
static bool is_dense_float32(const sac_cl_array *given)
{
    size_t dense = 1;
    bool is = given->offset == 0 && given->dtype == SAC_F32, all_zero = true;
    for (int i = given->rank - 1; i >= 0; i--) {
        all_zero = all_zero && given->strides[i] == 0;
        is = is && (given->strides[i] == 0 || given->strides[i] == dense);
        dense *= given->shape[i];
    }
    for (int i = 0; i < given->rank && !all_zero; i++)
        is = is && given->strides[i] != 0;
    return is;
}

/* The numbers as dense floats, in a buffer that the caller releases. */
static sac_status gather(sac_device *device, cl_mem from, const gathering *g, cl_mem *dense,
                         sac_error *error)
{
    size_t bytes;
    if (!sac_checked_mul((size_t)g->count, sizeof(float), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "the array is too large");
    sac_device_lock(device);
    sac_status status = sac_buffer_create(device, bytes, NULL, dense, error);
    sac_arg args[] = {SAC_ARG(*g), SAC_ARG(from), SAC_ARG(*dense)};
    if (status == SAC_OK)
        status = sac_launch_items(device, "pack", "gather", args, 3, (size_t)g->count, error);
    sac_device_unlock(device);
    return status;
}

/* The views of a caller's buffers for the rest of the library, and what was gathered for them. */
typedef struct taken {
    sac_device_array arrays[3];
    cl_mem gathered[3];
} taken;

static void release_gathered(taken *t)
{
    for (int i = 0; i < 3; i++)
        sac_buffer_release(t->gathered[i]);
}

/* Where a buffer is given, *slot points to its view. A rank of which the buffer is NULL is a shape
 * alone where `shapes_do`. */
static sac_status view_buffer_as_array(sac_device *device, const char *name,
                                       const sac_cl_array *given, taken *t, int i, bool shapes_do,
                                       const sac_array **slot, sac_error *error)
{
    sac_device_array *made = &t->arrays[i];
    gathering g;
    size_t needed;
    if (given->rank == 0)
        return SAC_OK;
    if (given->rank < 0 || given->rank > 4)
        return sac_fail(error, SAC_E_SHAPE, name, "give [T,D], [B,T,D] or [B,H,T,d]",
                        "has %d dimensions", given->rank);
    *slot = &made->array;
    made->buffer = given->buffer;
    made->array = sac_array_view(SAC_F32, given->rank, given->shape,
                                 given->buffer || !shapes_do ? &sac_on_device : NULL);
    if (!given->buffer)
        return shapes_do ? SAC_OK : sac_need(given->buffer, name, error);
    if (given->dtype != SAC_F32 && given->dtype != SAC_F16 && given->dtype != SAC_BF16)
        return sac_fail(error, SAC_E_ARGUMENT, name, "give float32, float16 or bfloat16", "is %s",
                        sac_dtype_name(given->dtype));
    size_t each = given->dtype == SAC_F32 ? sizeof(float) : sizeof(cl_half);
    if (is_dense_float32(given))
        return check_buffer(device, name, given->buffer, sac_array_count(&made->array), each, READS,
                            error);
    if (!describe_gathering(given, &g, &needed))
        return sac_fail(error, SAC_E_SHAPE, name, "give sizes above 0, and smaller strides",
                        "its sizes, strides and offset give no array");
    sac_status status = check_buffer(device, name, given->buffer, needed, each, READS, error);
    if (status == SAC_OK)
        status = gather(device, given->buffer, &g, &t->gathered[i], error);
    made->buffer = t->gathered[i];
    return status;
}

/* The input as the rest of the library takes it: lends from `t`, which is let go after a failure
 * too. */
static sac_status view_input_as_arrays(sac_device *device, const sac_cl_input *given,
                                       bool shapes_do, taken *t, sac_attention_input *input,
                                       sac_error *error)
{
    *t = (taken){0};
    input->query = input->key = input->value = NULL;
    sac_status status =
        view_buffer_as_array(device, "query", &given->query, t, 0, shapes_do, &input->query, error);
    if (status == SAC_OK)
        status =
            view_buffer_as_array(device, "key", &given->key, t, 1, shapes_do, &input->key, error);
    if (status == SAC_OK)
        status = view_buffer_as_array(device, "value", &given->value, t, 2, shapes_do,
                                      &input->value, error);
    return status;
}

sac_status sac_attention_create_cl(sac_device *device, const sac_attention_spec *spec,
                                   const sac_cl_input *input, const sac_attention_input *others,
                                   sac_attention **attention, sac_error *error)
{
    taken t = {0};
    sac_attention_input whole = others ? *others : (sac_attention_input){0};
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    *attention = NULL;
    status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = view_input_as_arrays(device, input, true, &t, &whole, error);
    if (status == SAC_OK)
        status = sac_attention_create(device, spec, &whole, attention, error);
    release_gathered(&t);
    return status;
}

/* ---------------------------------------------------------------- events */

static sac_status check_events(const sac_cl_events *events, sac_error *error)
{
    return events && events->wait_count ? sac_need(events->wait, "wait", error) : SAC_OK;
}

/* What is enqueued from now on waits for the events. */
static sac_status enqueue_wait(sac_device *device, const sac_cl_events *events, sac_error *error)
{
    return events && events->wait_count
               ? sac_cl_check(device, "clEnqueueBarrierWithWaitList",
                              clEnqueueBarrierWithWaitList(device->queue, events->wait_count,
                                                           events->wait, NULL),
                              error)
               : SAC_OK;
}

/* Where there is a `done` it ends with what is enqueued so far, which begins; else all of it is waited
 * for. */
static sac_status mark_or_await_end(sac_device *device, const sac_cl_events *events,
                                    sac_error *error)
{
    if (!events || !events->done)
        return sac_device_finish(device, error);
    sac_status status =
        sac_cl_check(device, "clEnqueueMarkerWithWaitList",
                     clEnqueueMarkerWithWaitList(device->queue, 0, NULL, events->done), error);
    return status == SAC_OK ? sac_cl_check(device, "clFlush", clFlush(device->queue), error)
                            : status;
}

sac_status sac_attention_update_cl(sac_attention *attention, const sac_cl_input *input,
                                   const sac_cl_events *events, sac_error *error)
{
    taken t = {0};
    sac_attention_input whole = {0};
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = check_events(events, error);
    if (status != SAC_OK)
        return status;
    sac_device *device = attention->device;
    sac_device_lock(device);
    status = enqueue_wait(device, events, error);
    if (status == SAC_OK)
        status = view_input_as_arrays(device, input, false, &t, &whole, error);
    if (status == SAC_OK)
        status = sac_attention_update(attention, &whole, error);
    release_gathered(&t);
    if (status == SAC_OK)
        status = mark_or_await_end(device, events, error);
    sac_device_unlock(device);
    return status;
}

/* ---------------------------------------------------------------- results */

static size_t query_row_count(const sac_attention *self)
{
    return self->matrices * self->shape.queries;
}

static sac_status check_output(const sac_attention *self, const sac_cl_output *output,
                               sac_error *error)
{
    sac_status status = sac_need_numbers(self, output->output != NULL, error);
    if (status == SAC_OK && output->output)
        status = check_buffer(self->device, "output", output->output, sac_output_count(self),
                              sizeof(float), WRITES, error);
    if (status == SAC_OK && output->lse)
        status = check_buffer(self->device, "lse", output->lse, query_row_count(self),
                              sizeof(float), WRITES, error);
    return status;
}

static sac_status run(sac_attention *self, const sac_cl_output *output,
                      const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_run_into(self, output->output, progress, error);
    if (status == SAC_OK && output->lse) {
        cl_ulong rows = query_row_count(self);
        const sac_normalizer_class *class = sac_normalizer_class_of(self->plan.normalizer);
        cl_float share = (cl_float) class->share;
        sac_arg args[] = {SAC_ARG(self->stats), SAC_ARG(rows), SAC_ARG(output->lse),
                          SAC_ARG(share)};
        status = class->is_sparse ? sac_launch_items(self->device, "merge", "thresholds", args, 4,
                                                     query_row_count(self), error)
                                  : sac_launch_items(self->device, "merge", "log_sums", args, 3,
                                                     query_row_count(self), error);
    }
    return status;
}

sac_status sac_attention_run_cl(sac_attention *attention, const sac_cl_output *output,
                                const sac_cl_events *events, const sac_progress *progress,
                                sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(output, "output", error);
    if (status == SAC_OK)
        status = check_events(events, error);
    if (status == SAC_OK)
        status = check_output(attention, output, error);
    if (status != SAC_OK)
        return status;
    sac_device *device = attention->device;
    const bool returns = events && events->done;
    sac_device_lock(device);
    status = enqueue_wait(device, events, error);
    attention->is_queued = returns && attention->speed > 0; /* else kernels may still be compiled */
    if (status == SAC_OK)
        status = run(attention, output, returns ? NULL : progress, error);
    attention->is_queued = false;
    if (status == SAC_OK)
        status = mark_or_await_end(device, events, error);
    sac_device_unlock(device);
    return status;
}

sac_status sac_attention_append_cl(sac_attention *attention, const sac_cl_array *key,
                                   const sac_cl_array *value, const sac_cl_events *events,
                                   sac_error *error)
{
    taken t = {0};
    sac_attention_input more;
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(key, "key", error);
    if (status == SAC_OK)
        status = check_events(events, error);
    if (status != SAC_OK)
        return status;
    sac_device *device = attention->device;
    sac_cl_input given = {.key = *key, .value = value ? *value : (sac_cl_array){0}};
    sac_device_lock(device);
    status = enqueue_wait(device, events, error);
    if (status == SAC_OK)
        status = view_input_as_arrays(device, &given, false, &t, &more, error);
    if (status == SAC_OK)
        status = sac_attention_append(attention, more.key, more.value, error);
    release_gathered(&t);
    if (status == SAC_OK)
        status = mark_or_await_end(device, events, error);
    sac_device_unlock(device);
    return status;
}

/* ---------------------------------------------------------------- gradients */

/* The buffers in the places of the host's arrays. */
static sac_status fill_buffer_sinks(const sac_device *device, const sac_cl_gradients *wanted,
                                    const sac_array *const arrays[3],
                                    const sac_attention_gradients *others,
                                    sac_sink sinks[SAC_GRADIENT_COUNT], sac_error *error)
{
    const struct {
        const char *name;
        cl_mem buffer;
        const sac_array *array;
    } parts[] = {{"gradient of query", wanted->query, arrays[0]},
                 {"gradient of key", wanted->key, arrays[1]},
                 {"gradient of value", wanted->value, arrays[2]}};
    const sac_attention_gradients none = {0};
    sac_status status = SAC_OK;
    sac_gradients_sinks(others ? others : &none, sinks);
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        sinks[SAC_D_QUERY + i] = (sac_sink){.buffer = parts[i].buffer};
        if (parts[i].buffer)
            status = check_buffer(device, parts[i].name, parts[i].buffer,
                                  sac_array_count(parts[i].array), sizeof(float), WRITES, error);
    }
    return status;
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
        status = check_buffer(device, "doutput", doutput, outputs, sizeof(float), READS, error);
    if (status == SAC_OK)
        status = fill_buffer_sinks(device, wanted,
                                   (const sac_array *[]){input->query, input->key, input->value},
                                   others, sinks, error);
    if (status == SAC_OK)
        status = sac_gradients_check(input, sinks, error);
    if (status == SAC_OK)
        status = sac_gradients_run(device, spec, input, &shape, doutput, sinks, progress, error);
    return status == SAC_OK ? sac_device_finish(device, error) : status;
}

sac_status sac_attend_backward_cl(sac_device *device, const sac_attention_spec *spec,
                                  const sac_cl_input *input, const sac_attention_input *others,
                                  cl_mem doutput, const sac_cl_gradients *gradients,
                                  const sac_attention_gradients *weights,
                                  const sac_progress *progress, sac_error *error)
{
    taken t = {0};
    sac_attention_input whole = others ? *others : (sac_attention_input){0};
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = sac_need(doutput, "doutput", error);
    if (status == SAC_OK)
        status = sac_need(gradients, "gradients", error);
    if (status == SAC_OK)
        status = view_input_as_arrays(device, input, false, &t, &whole, error);
    if (status == SAC_OK) {
        sac_device_lock(device);
        status = run_backward(device, spec, &whole, doutput, gradients, weights, progress, error);
        sac_device_unlock(device);
    }
    release_gathered(&t);
    return status;
}

sac_status sac_attention_backward_cl(sac_attention *attention, cl_mem doutput,
                                     const sac_cl_gradients *gradients, const sac_cl_events *events,
                                     const sac_progress *progress, sac_error *error)
{
    sac_sink sinks[SAC_GRADIENT_COUNT];
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(doutput, "doutput", error);
    if (status == SAC_OK)
        status = sac_need(gradients, "gradients", error);
    if (status == SAC_OK)
        status = check_events(events, error);
    if (status != SAC_OK)
        return status;
    sac_device *device = attention->device;
    const sac_array *const forms[] = {&attention->query_part.form, &attention->key_part.form,
                                      &attention->value_part.form};
    status = check_buffer(device, "doutput", doutput, sac_output_count(attention), sizeof(float),
                          READS, error);
    if (status == SAC_OK)
        status = fill_buffer_sinks(device, gradients, forms, NULL, sinks, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    status = enqueue_wait(device, events, error);
    if (status == SAC_OK)
        status = sac_gradients_of_attention(attention, doutput, sinks, progress, error);
    if (status == SAC_OK)
        status = mark_or_await_end(device, events, error);
    sac_device_unlock(device);
    return status;
}
