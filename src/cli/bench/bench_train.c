/* The speed of training: steps of a model, from batch to weights. */
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "device/device.h"
#include "models/train.h"

enum { WARM_STEPS = 3, STEPS = 60 };
#define PATIENCE 10.0 /* seconds, after which fewer steps have to do */
#define LEAST_STEPS 5

/* The first steps have the driver compile and load kernels: they are no one's time. */
static sac_status run_steps(sac_model *model, const sac_training_options *o, sac_batches *batches,
                            bench_times *times, sac_error *error)
{
    const sac_progress progress = cli_progress("measuring the training");
    sac_losses losses;
    float norm;
    double begun_at = sac_now();
    sac_status status = sac_parameters_zero_gradients(&model->parameters, error);
    for (size_t step = 1; status == SAC_OK && step <= WARM_STEPS + STEPS; step++) {
        double start = sac_now();
        if (times->count >= LEAST_STEPS && start - begun_at > PATIENCE)
            break;
        if (!progress.step(progress.user, (double)step / (WARM_STEPS + STEPS)))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
        const void *batch = sac_batches_next(batches, error);
        if (!batch)
            return error->status;
        status = sac_training_step(model, batch, &o->values, o->rate, o->rate, step, &losses, &norm,
                                   error);
        if (step > WARM_STEPS)
            bench_add(times, sac_now() - start);
    }
    return status;
}

static void print(sac_model *model, size_t batch, const bench_times *times, cJSON *json)
{
    const sac_model_class *class = model->class;
    char kind[64], device[160];
    double median = bench_quantile(times, 0.5), late = bench_quantile(times, 0.95);
    double speed = (double)batch / median;
    class->describe_short(model, kind, sizeof kind);
    sac_device_short_name(sac_device_get_info(model->device), device, sizeof device);
    cli_progress_clear();
    if (!json) {
        sac_print(stdout, "training the %s (%s) on %s\n\n", class->name, kind, device);
        sac_print(stdout, "%d steps of %zu %s: %.1f ms a step (95 %%: %.1f), %.0f %s/s\n",
                  times->count, batch, class->samples, 1e3 * median, 1e3 * late, speed,
                  class->samples);
        return;
    }
    cJSON_AddStringToObject(json, "model", class->name);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddStringToObject(json, "device", device);
    cJSON_AddNumberToObject(json, "steps", times->count);
    cJSON_AddNumberToObject(json, "batch", (double)batch);
    cJSON_AddNumberToObject(json, "ms", 1e3 * median);
    cJSON_AddNumberToObject(json, "ms_95", 1e3 * late);
    cJSON_AddNumberToObject(json, "samples_per_second", speed);
}

sac_status bench_train(sac_device *device, const sac_model_class *class,
                       const sac_model_values *values, cJSON *json, sac_error *error)
{
    sac_model *model = NULL;
    sac_batches *batches = NULL;
    sac_batch_maker maker;
    bench_times times = {0};
    sac_training_options options = {.values = *values};
    sac_status status = class->create(device, values, 0, &model, error);
    if (status == SAC_OK) {
        sac_training_resolve(model, &options);
        if (class->defaults)
            class->defaults(model, &options.values);
        if (class->prepare)
            status = class->prepare(model, values, error);
    }
    if (status == SAC_OK)
        status = class->batches(model, &options.values, options.batch, 0, &maker, error);
    if (status == SAC_OK)
        status = sac_batches_open(&maker, 0, &batches, error);
    if (status == SAC_OK)
        status = run_steps(model, &options, batches, &times, error);
    if (status == SAC_OK)
        print(model, options.batch, &times, json);
    sac_batches_close(batches);
    sac_model_destroy(model);
    return status;
}
