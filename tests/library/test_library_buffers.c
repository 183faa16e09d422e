/* Attention on a context, a queue and buffers of the caller's own gives, to the bit, what the same
 * arrays give on the host. */

#include "device/device.h"
#include "saccade_cl.h"
#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A caller that knows OpenCL and not this library: of the device that the tests use. */
typedef struct caller {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
} caller;

static caller call(void)
{
    cl_int code;
    caller c = {.id = test_device()->id};
    c.context = clCreateContext(NULL, 1, &c.id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    c.queue = clCreateCommandQueue(c.context, c.id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return c;
}

static void hang_up(caller *c)
{
    clReleaseCommandQueue(c->queue);
    clReleaseContext(c->context);
}

static cl_mem buffer_of(const caller *c, size_t count, const float *data)
{
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(c->context, flags, count * sizeof *data, (void *)data, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static sac_cl_array on_device(const caller *c, const sac_array *array)
{
    sac_cl_array made = {.rank = array->rank};
    made.buffer = buffer_of(c, sac_array_count(array), array->data);
    memcpy(made.shape, array->shape, (size_t)array->rank * sizeof *made.shape);
    return made;
}

static sac_cl_input inputs_on_device(const caller *c, const trial *t)
{
    return (sac_cl_input){on_device(c, t->input.query), on_device(c, t->input.key),
                          on_device(c, t->input.value)};
}

/* The buffer holds the array, as it always did. */
static void assert_unchanged(const caller *c, const sac_cl_array *given, const sac_array *array)
{
    size_t count = sac_array_count(array);
    float *read = malloc(count * sizeof *read);
    assert_non_null(read);
    assert_int_equal(clEnqueueReadBuffer(c->queue, given->buffer, CL_TRUE, 0, count * sizeof *read,
                                         read, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_memory_equal(read, array->data, count * sizeof *read);
    free(read);
}

static void release_inputs(sac_cl_input *input)
{
    clReleaseMemObject(input->query.buffer);
    clReleaseMemObject(input->key.buffer);
    clReleaseMemObject(input->value.buffer);
}

static const recipe recipes[] = {
    {.queries = 40, .keys = 70, .query_dim = 16, .rank = 4, .spec = {.heads = 2}},
    {.queries = 19, .keys = 33, .batch = 2, .spec = {.heads = 4, .key_heads = 2, .causal = true}},
    {.queries = 19, .keys = 33, .spec = {.heads = 2}, .mask = MASK_EVERYTHING},
    {.queries = 12, .keys = 12, .spec = {.heads = 2}, .project = true, .norm = true},
    {.queries = 1, .keys = 900, .spec = {.score = SAC_SCORE_GAUSSIAN}, .rank = 4},
    {.queries = 9, .keys = 30, .spec = {.storage = SAC_STORAGE_F16}, .norm = true},
};

TEST(attention_on_buffers_is_attention_on_arrays)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    caller c = call();
    sac_device *device;
    OK(sac_device_wrap(c.context, c.id, c.queue, &device, NULL));
    for (size_t i = 0; i < COUNT(recipes); i++)
        for (int v = 0; v < count; v++) {
            trial t;
            results host = {0};
            sac_attention *attention;
            sac_error error = {0};
            if (device_is_slow() && (i + (size_t)v) % 5)
                continue;
            trial_make(&t, &recipes[i], i);
            if (i == 4) /* a sum that only float32 with care can hold */
                for (size_t k = 0; k < sac_array_count(t.input.value); k++)
                    ((float *)t.input.value->data)[k] *= 1e37f;
            t.spec.variant = variants[v];
            OK(compute_device(test_device(), variants[v], &t, false, &host, NULL));
            sac_cl_input input = inputs_on_device(&c, &t);
            sac_cl_output output = {buffer_of(&c, host.outputs, NULL),
                                    buffer_of(&c, host.rows, NULL)};
            if (sac_attention_create_cl(device, &t.spec, &input, &t.input, &attention, &error))
                fail_msg("%s: %s", error.where, error.what);
            float *numbers = malloc((host.outputs + host.rows) * sizeof *numbers);
            assert_non_null(numbers);
            for (int again = 0; again < 2; again++) {
                OK(sac_attention_run_cl(attention, &output, NULL, NULL, NULL));
                clEnqueueReadBuffer(c.queue, output.output, CL_TRUE, 0,
                                    host.outputs * sizeof *numbers, numbers, 0, NULL, NULL);
                clEnqueueReadBuffer(c.queue, output.lse, CL_TRUE, 0, host.rows * sizeof *numbers,
                                    numbers + host.outputs, 0, NULL, NULL);
                for (size_t k = 0; k < host.outputs; k++)
                    assert_true((double)numbers[k] == host.output[k]);
                for (size_t k = 0; k < host.rows; k++) {
                    double lse = (double)numbers[host.outputs + k], near = 1e-6 * fabs(host.lse[k]);
                    assert_true(lse == host.lse[k] || fabs(lse - host.lse[k]) <= near + 1e-6);
                }
                OK(sac_attention_update_cl(attention, &input, NULL, NULL));
            }
            assert_unchanged(&c, &input.query, t.input.query);
            assert_unchanged(&c, &input.key, t.input.key);
            assert_unchanged(&c, &input.value, t.input.value);
            sac_attention_destroy(attention);
            clReleaseMemObject(output.output);
            clReleaseMemObject(output.lse);
            release_inputs(&input);
            free(numbers);
            results_free(&host);
            trial_free(&t);
        }
    sac_device_close(device);
    hang_up(&c);
}

/* Queued behind an event of the caller's: nothing begins before it, and all is there after the
 * event that comes back. */
TEST(what_is_enqueued_waits_for_events_and_gives_one)
{
    static const recipe r = {.queries = 70, .keys = 90, .query_dim = 16, .spec = {.heads = 2}};
    caller c = call();
    sac_device *device;
    sac_attention *attention;
    trial t;
    results host = {0};
    cl_int code, progress = CL_COMPLETE;
    cl_event done, begun;
    trial_make(&t, &r, 1);
    OK(compute_device(test_device(), SAC_VARIANT_AUTO, &t, false, &host, NULL));
    OK(sac_device_wrap(c.context, c.id, c.queue, &device, NULL));
    sac_cl_input input = inputs_on_device(&c, &t);
    sac_cl_output first = {.output = buffer_of(&c, host.outputs, NULL)};
    sac_cl_output output = {.output = buffer_of(&c, host.outputs, NULL)};
    OK(sac_attention_create_cl(device, &t.spec, &input, NULL, &attention, NULL));
    OK(sac_attention_run_cl(attention, &first, &(sac_cl_events){.done = &begun}, NULL, NULL));
    cl_event gate = clCreateUserEvent(c.context, &code);
    assert_int_equal(code, CL_SUCCESS);
    if (is_oclgrind()) /* it waits for events in clFlush */
        clSetUserEventStatus(gate, CL_COMPLETE);
    const sac_cl_events events = {.wait_count = 1, .wait = &gate, .done = &done};
    OK(sac_attention_run_cl(attention, &output, &events, NULL, NULL));
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL);
    assert_true(is_oclgrind() || progress != CL_COMPLETE);
    if (!is_oclgrind())
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    float *numbers = malloc(host.outputs * sizeof *numbers);
    assert_non_null(numbers);
    clEnqueueReadBuffer(c.queue, output.output, CL_TRUE, 0, host.outputs * sizeof *numbers, numbers,
                        0, NULL, NULL);
    for (size_t k = 0; k < host.outputs; k++)
        assert_true((double)numbers[k] == host.output[k]);
    const sac_cl_events nothing = {.wait_count = 1, .done = &done};
    assert_int_equal(sac_attention_run_cl(attention, NULL, &events, NULL, NULL), SAC_E_ARGUMENT);
    assert_int_equal(sac_attention_run_cl(attention, &output, &nothing, NULL, NULL),
                     SAC_E_ARGUMENT);
    assert_int_equal(sac_attention_update_cl(attention, &input, &nothing, NULL), SAC_E_ARGUMENT);
    clReleaseEvent(begun);
    free(numbers);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    sac_attention_destroy(attention);
    clReleaseMemObject(first.output);
    clReleaseMemObject(output.output);
    release_inputs(&input);
    sac_device_close(device);
    hang_up(&c);
    results_free(&host);
    trial_free(&t);
}

TEST(what_cannot_be_wrapped_is_reported)
{
    cl_int code;
    caller c = call(), other = call();
    sac_device *device = (sac_device *)&c;
    assert_int_equal(sac_device_wrap(NULL, c.id, c.queue, &device, &failure), SAC_E_ARGUMENT);
    assert_null(device);
    assert_string_equal(failure.where, "context");
    REFUSES(SAC_E_ARGUMENT, "…belongs to another context or device…",
            sac_device_wrap(c.context, c.id, other.queue, &device, &failure));
    assert_int_equal(sac_device_wrap(c.context, c.id, other.queue, &device, NULL), SAC_E_ARGUMENT);
    cl_command_queue any_order =
        clCreateCommandQueue(c.context, c.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        REFUSES(SAC_E_ARGUMENT, "…runs commands in any order…",
                sac_device_wrap(c.context, c.id, any_order, &device, &failure));
        clReleaseCommandQueue(any_order);
    }
    hang_up(&c);
    hang_up(&other);
}

TEST(a_buffer_that_does_not_fit_is_reported)
{
    caller c = call(), other = call();
    sac_device *device;
    sac_attention *attention;
    trial t;
    recipe r = {.queries = 3, .keys = 5};
    trial_make(&t, &r, 1);
    OK(sac_device_wrap(c.context, c.id, c.queue, &device, NULL));
    sac_cl_input input = inputs_on_device(&c, &t), foreign = inputs_on_device(&other, &t);
    sac_cl_input spoilt = input;
    spoilt.key = foreign.key;
    REFUSES(SAC_E_ARGUMENT, "key: is a buffer of another context…",
            sac_attention_create_cl(device, &t.spec, &spoilt, NULL, &attention, &failure));
    spoilt = input;
    spoilt.value.shape[2] = 40;
    REFUSES(SAC_E_SHAPE, "…80 bytes have no room for 200 floats…",
            sac_attention_create_cl(device, &t.spec, &spoilt, NULL, &attention, &failure));
    spoilt = input;
    spoilt.query.rank = 5;
    assert_int_equal(sac_attention_create_cl(device, &t.spec, &spoilt, NULL, &attention, NULL),
                     SAC_E_SHAPE);
    OK(sac_attention_create_cl(device, &t.spec, &input, NULL, &attention, NULL));
    sac_cl_output small = {.output = input.query.buffer};
    assert_int_equal(sac_attention_run_cl(attention, NULL, NULL, NULL, NULL), SAC_E_ARGUMENT);
    small.output = foreign.query.buffer;
    REFUSES(SAC_E_ARGUMENT, "output: …",
            sac_attention_run_cl(attention, &small, NULL, NULL, &failure));
    cl_mem read_only = clCreateBuffer(c.context, CL_MEM_READ_ONLY, 1024, NULL, NULL);
    cl_mem write_only = clCreateBuffer(c.context, CL_MEM_WRITE_ONLY, 1024, NULL, NULL);
    for (int lse = 0; lse < 2; lse++) {
        sac_cl_output fixed = {.output = lse ? NULL : read_only, .lse = lse ? read_only : NULL};
        assert_int_equal(sac_attention_run_cl(attention, &fixed, NULL, NULL, &failure),
                         SAC_E_ARGUMENT);
        assert_string_equal(failure.where, lse ? "lse" : "output");
        assert_string_equal(failure.what, "is a buffer that kernels may only read");
    }
    spoilt = input;
    spoilt.key.buffer = write_only;
    sac_attention *none;
    REFUSES(SAC_E_ARGUMENT, "…is a buffer that kernels may only write…",
            sac_attention_create_cl(device, &t.spec, &spoilt, NULL, &none, &failure));
    clReleaseMemObject(read_only);
    clReleaseMemObject(write_only);
    sac_attention_destroy(attention);
    release_inputs(&input);
    release_inputs(&foreign);
    sac_device_close(device);
    hang_up(&c);
    hang_up(&other);
    trial_free(&t);
}

TEST_MAIN(NULL, close_device)
