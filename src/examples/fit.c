/* Training with the backward pass: keys that are unknown are found from what attention gives. Each
 * step computes the output and its distance to the wanted one, asks for the gradient of the keys,
 * and takes a step against it.
 *
 *     cc fit.c -o fit $(pkg-config --cflags --libs saccade) -lm
 */
#include <math.h>
#include <saccade.h>
#include <stdlib.h>

enum { TOKENS = 12, DIM = 4, COUNT = TOKENS * DIM, STEPS = 200 };
#define STEP_SIZE 0.5f /* with 2 the steps overshoot, and the loss grows */

typedef struct problem {
    float query[COUNT], key[COUNT], value[COUNT];
    float wanted[COUNT]; /* the output with the keys that are looked for */
    sac_array q, k, v;
    sac_attention_input input;
} problem;

static sac_status attend(sac_device *device, const problem *p, float *output, sac_error *error)
{
    sac_attention *attention = NULL;
    sac_attention_output results = {.output = output};
    sac_status status =
        sac_attention_create(device, &(sac_attention_spec){0}, &p->input, &attention, error);
    if (status == SAC_OK)
        status = sac_attention_run(attention, &results, NULL, error);
    sac_attention_destroy(attention);
    return status;
}

/* Numbers of one's own, and as the first keys others than those that are looked for. */
static sac_status set_up_problem(sac_device *device, problem *p, sac_error *error)
{
    const size_t shape[] = {TOKENS, DIM};
    p->q = sac_array_view(SAC_F32, 2, shape, p->query);
    p->k = sac_array_view(SAC_F32, 2, shape, p->key);
    p->v = sac_array_view(SAC_F32, 2, shape, p->value);
    p->input = (sac_attention_input){.query = &p->q, .key = &p->k, .value = &p->v};
    for (int i = 0; i < COUNT; i++) {
        p->query[i] = 2 * sinf((float)i);
        p->key[i] = cosf(3 * (float)i);
        p->value[i] = sinf(7 * (float)i);
    }
    sac_status status = attend(device, p, p->wanted, error);
    for (int i = 0; i < COUNT; i++)
        p->key[i] = 0;
    return status;
}

/* One step; *loss is half the square of the distance before it. */
static sac_status take_gradient_step(sac_device *device, problem *p, double *loss, sac_error *error)
{
    float output[COUNT], dkey[COUNT];
    sac_attention_gradients gradients = {.key = dkey};
    sac_status status = attend(device, p, output, error);
    *loss = 0;
    for (int i = 0; i < COUNT; i++) {
        output[i] -= p->wanted[i]; /* the gradient of the loss */
        *loss += 0.5 * output[i] * output[i];
    }
    if (status == SAC_OK)
        status = sac_attend_backward(device, &(sac_attention_spec){0}, &p->input, output,
                                     &gradients, NULL, error);
    for (int i = 0; i < COUNT && status == SAC_OK; i++)
        p->key[i] -= STEP_SIZE * dkey[i];
    return status;
}

int main(void)
{
    static problem p;
    sac_device *device = NULL;
    sac_error error = {0};
    double first = 0, loss = 0;
    sac_status status = sac_device_open(NULL, &device, &error);
    if (status == SAC_OK)
        status = set_up_problem(device, &p, &error);
    for (int i = 0; i < STEPS && status == SAC_OK; i++) {
        status = take_gradient_step(device, &p, &loss, &error);
        first = i == 0 ? loss : first;
    }
    if (status != SAC_OK)
        sac_error_print(&error, stderr);
    else
        printf("the loss fell from %.4f to %.4f\n", first, loss);
    sac_device_close(device);
    return status == SAC_OK && loss < 0.01 * first ? EXIT_SUCCESS : EXIT_FAILURE;
}
