/* Adam: three passes over the buffers of a model's parameters, in two launches. */
#include <math.h>

#include "base/error.h"
#include "base/round.h"
#include "nn/parameters.h"

#define WIDTH 8 /* floats per work-item; SAC_PARAMETER_FLOATS is a multiple */
#define GROUP 32
#define OPTIONS "-DWIDTH=8 -DFAST_FMA=0"

static sac_status launch(sac_device *device, const char *kernel, const sac_arg *args, int count,
                         size_t items, sac_error *error)
{
    cl_kernel handle;
    sac_status status = sac_kernel_get(device, "adam", OPTIONS, kernel, &handle, error);
    if (status != SAC_OK)
        return status;
    size_t local = device->info.max_work_group < GROUP ? 1 : GROUP;
    size_t global = sac_round_up(items, local);
    return sac_kernel_launch(device, handle, args, count, 1, &global, &local, error);
}

/* Sums by lanes and work-items on the device, and those by the host: one order, one result. */
static sac_status measure_norm(const sac_parameters *parameters, double *norm, sac_error *error)
{
    float sums[SAC_NORM_SUMS];
    double total = 0;
    cl_ulong vectors = parameters->floats / WIDTH;
    sac_device *device = parameters->device;
    sac_arg args[] = {SAC_ARG(vectors), SAC_ARG(parameters->gradients.buffer),
                      SAC_ARG(parameters->norms.buffer)};
    sac_status status = launch(device, "squares", args, 3, SAC_NORM_SUMS, error);
    if (status == SAC_OK)
        status = sac_span_read(device, parameters->norms, SAC_NORM_SUMS, sums, error);
    for (int i = 0; i < SAC_NORM_SUMS && status == SAC_OK; i++)
        total += sums[i];
    *norm = sqrt(total);
    return status;
}

sac_status sac_adam_step(sac_parameters *parameters, const sac_adam *adam, size_t step, float *norm,
                         sac_error *error)
{
    double length;
    sac_status status = measure_norm(parameters, &length, error);
    if (status != SAC_OK)
        return status;
    if (norm)
        *norm = (float)length;
    if (!isfinite(length))
        return sac_fail(error, SAC_E_VALUE, NULL, "lower the learning rate",
                        "the gradient of step %zu is not finite", step);
    cl_ulong vectors = parameters->floats / WIDTH, slow = vectors;
    if (parameters->slow)
        slow = parameters->list[parameters->slow]->at / WIDTH;
    float clip = adam->clip > 0 && length > adam->clip ? (float)(adam->clip / length) : 1;
    double started = 1 - pow(adam->beta1, (double)step);
    float rate = (float)(adam->rate / started), slow_rate = (float)(adam->slow_rate / started);
    float unbias = (float)(1 / sqrt(1 - pow(adam->beta2, (double)step)));
    sac_arg args[] = {SAC_ARG(vectors),
                      SAC_ARG(slow),
                      SAC_ARG(clip),
                      SAC_ARG(adam->beta1),
                      SAC_ARG(adam->beta2),
                      SAC_ARG(rate),
                      SAC_ARG(slow_rate),
                      SAC_ARG(unbias),
                      SAC_ARG(adam->epsilon),
                      SAC_ARG(parameters->values.buffer),
                      SAC_ARG(parameters->gradients.buffer),
                      SAC_ARG(parameters->first.buffer),
                      SAC_ARG(parameters->second.buffer)};
    parameters->changes++;
    return launch(parameters->device, "update", args, sizeof args / sizeof *args, (size_t)vectors,
                  error);
}

sac_status sac_parameters_average_step(sac_parameters *parameters, float decay, sac_error *error)
{
    cl_ulong vectors = parameters->floats / WIDTH;
    cl_float share = 1 - decay;
    sac_arg args[] = {SAC_ARG(vectors), SAC_ARG(share), SAC_ARG(parameters->values.buffer),
                      SAC_ARG(parameters->average.buffer)};
    return launch(parameters->device, "average", args, sizeof args / sizeof *args, (size_t)vectors,
                  error);
}
