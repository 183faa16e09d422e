/* Attention between OpenCL code of one's own: on a context, a queue and buffers that exist already.
 * It is made from shapes once; numbers come as often as they change. None passes through the host.
 *
 *     cc attention_on_buffers.c -o attention_on_buffers $(pkg-config --cflags --libs saccade) -lOpenCL
 */
#include <saccade_cl.h>
#include <stdlib.h>

enum { HEADS = 4, TOKENS = 512, DIM = 64, COUNT = HEADS * TOKENS * DIM };

/* The OpenCL objects that the caller's program has anyway. */
typedef struct program {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_mem q, k, v, out;
} program;

/* The first device of the first platform that has one. */
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id id = NULL;
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count && i < 16 && !id; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, NULL);
    return id;
}

static cl_mem create_filled_buffer(program *p, float value)
{
    cl_mem buffer = clCreateBuffer(p->context, CL_MEM_READ_WRITE, COUNT * sizeof value, NULL, NULL);
    clEnqueueFillBuffer(p->queue, buffer, &value, sizeof value, 0, COUNT * sizeof value, 0, NULL,
                        NULL);
    return buffer;
}

static void create_context_and_buffers(program *p)
{
    p->id = find_device();
    p->context = clCreateContext(NULL, 1, &p->id, NULL, NULL, NULL);
    p->queue = clCreateCommandQueue(p->context, p->id, 0, NULL);
    p->q = create_filled_buffer(p, 0.5f);
    p->k = create_filled_buffer(p, 0.25f);
    p->v = create_filled_buffer(p, 3.0f);
    p->out = create_filled_buffer(p, 0.0f);
}

static void release_context_and_buffers(program *p)
{
    cl_mem buffers[] = {p->q, p->k, p->v, p->out};
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseCommandQueue(p->queue);
    clReleaseContext(p->context);
}

static sac_status attend(program *p, sac_error *error)
{
    sac_device *device = NULL;
    sac_attention *attention = NULL;
    sac_cl_array shape = {.rank = 4, .shape = {1, HEADS, TOKENS, DIM}}; /* without numbers */
    sac_cl_input shapes = {shape, shape, shape}, input = shapes;
    input.key.buffer = p->k; /* [B,H,T,d], as the shape is */
    input.value.buffer = p->v;
    input.query.buffer = p->q; /* [B,T,H,d]: numbers from one head, or token, to the next */
    size_t strides[] = {COUNT, DIM, HEADS * DIM, 1};
    for (int i = 0; i < 4; i++)
        input.query.strides[i] = strides[i];
    sac_cl_output output = {.output = p->out};
    sac_attention_spec spec = {.causal = true};
    sac_status status = sac_device_wrap(p->context, p->id, p->queue, &device, error);
    if (status == SAC_OK)
        status = sac_attention_create_cl(device, &spec, &shapes, NULL, &attention, error);
    if (status == SAC_OK) /* and again for each step of the caller's */
        status = sac_attention_update_cl(attention, &input, NULL, error);
    if (status == SAC_OK)
        status = sac_attention_run_cl(attention, &output, NULL, NULL, error);
    sac_attention_destroy(attention);
    sac_device_close(device);
    return status;
}

int main(void)
{
    program p;
    sac_error error = {0};
    float last = 0;
    create_context_and_buffers(&p);
    if (attend(&p, &error) == SAC_OK) {
        clEnqueueReadBuffer(p.queue, p.out, CL_TRUE, (COUNT - 1) * sizeof last, sizeof last, &last,
                            0, NULL, NULL);
        printf("the mean of values that are all 3 is %g\n", (double)last);
    } else {
        sac_error_print(&error, stderr);
    }
    release_context_and_buffers(&p);
    return error.status == SAC_OK && last > 2.999f && last < 3.001f ? EXIT_SUCCESS : EXIT_FAILURE;
}
