/* The speed of the program's own models: steps of a training, from batch to weights; and of decoding, a sample
 * encoded and the sentence that is generated for it. */
#include "app/open/weights.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/bench/bench.h"
#include "device/device.h"
#include "models/checkpoint.h"
#include "models/train.h"

/* "WHAT the captioner (kind) on DEVICE"; or "model", "kind" and "device". */
static void print_model(const char *what, sac_model *model, cJSON *json)
{
    char kind[64], device[160];
    model->class->describe_short(model, kind, sizeof kind);
    sac_device_short_name(sac_device_get_info(model->device), device, sizeof device);
    cli_progress_clear();
    if (!json) {
        sac_print(stdout, "%s the %s (%s) on %s\n\n", what, model->class->name, kind, device);
        return;
    }
    cJSON_AddStringToObject(json, "model", model->class->name);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddStringToObject(json, "device", device);
}

/* ---------------------------------------------------------------- training */

enum { WARM_STEPS = 3, STEPS = 60 };
#define PATIENCE 10.0 /* seconds, after which fewer steps have to do */
#define LEAST_STEPS 5

/* The first steps have the driver compile and load kernels: they are no one's time. */
static sac_status run_steps(sac_model *model, const sac_training_options *o, sac_batches *batches,
                            bench_times *times, sac_error *error)
{
    sac_losses losses;
    float norm;
    double begun_at = sac_now();
    sac_status status = sac_parameters_zero_gradients(&model->parameters, error);
    for (size_t step = 1; status == SAC_OK && step <= WARM_STEPS + STEPS; step++) {
        double start = sac_now();
        if (times->count >= LEAST_STEPS && start - begun_at > PATIENCE)
            break;
        status = bench_go_on("measuring the training", (double)step / (WARM_STEPS + STEPS), error);
        if (status != SAC_OK)
            break;
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

static void print_steps(sac_model *model, size_t batch, const bench_times *times, cJSON *json)
{
    double median = bench_median_ms(times), late = 1e3 * bench_quantile(times, 0.95);
    double speed = 1e3 * (double)batch / median;
    const char *samples = model->class->samples;
    print_model("training", model, json);
    if (!json) {
        sac_print(stdout, "%d steps of %zu %s: %.1f ms a step (95 %%: %.1f), %.0f %s/s\n",
                  times->count, batch, samples, median, late, speed, samples);
        return;
    }
    cJSON_AddNumberToObject(json, "steps", times->count);
    cJSON_AddNumberToObject(json, "batch", (double)batch);
    cJSON_AddNumberToObject(json, "ms", median);
    cJSON_AddNumberToObject(json, "ms_95", late);
    cJSON_AddNumberToObject(json, "samples_per_second", speed);
}

sac_status bench_train(sac_device *device, const bench_trained *asked, cJSON *json,
                       sac_error *error)
{
    const sac_model_class *class = asked->class;
    const sac_model_values *values = asked->values;
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
        print_steps(model, options.batch, &times, json);
    sac_batches_close(batches);
    sac_model_destroy(model);
    return status;
}

/* ---------------------------------------------------------------- decoding */

enum { ROUNDS = 4, BEAMS = 2 };
static const int beams[BEAMS] = {1, 3};

typedef struct measures {
    bench_times encode, decode[BEAMS];
    size_t encode_launches, launches[BEAMS], words[BEAMS];
} measures;

/* Encodes one sample and generates its sentences. */
static sac_status run_sample(sac_model *model, sac_watched *watched, int sample, measures *m,
                             sac_error *error)
{
    size_t launches = model->device->launches;
    double start = sac_now();
    sac_status status = watched->encode(watched->self, model, sample, error);
    if (status == SAC_OK)
        status = sac_device_finish(model->device, error);
    bench_add(&m->encode, sac_now() - start);
    m->encode_launches += model->device->launches - launches;
    for (int i = 0; status == SAC_OK && i < BEAMS; i++) {
        sac_result caption = {0};
        launches = model->device->launches;
        start = sac_now();
        status = sac_model_decode(model, &(sac_result_request){.beam = beams[i]}, &caption, error);
        bench_add(&m->decode[i], sac_now() - start);
        m->launches[i] += model->device->launches - launches;
        m->words[i] += (size_t)caption.count;
        sac_result_free(&caption);
    }
    return status;
}

/* The first round has the driver compile and load kernels: it is no one's time. */
static sac_status decode_all(sac_model *model, sac_watched *watched, measures *m, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int round = 0; status == SAC_OK && round <= ROUNDS; round++) {
        if (round == 1)
            *m = (measures){0};
        for (int i = 0; status == SAC_OK && i < watched->count; i++)
            status = run_sample(model, watched, i, m, error);
        if (status == SAC_OK)
            status = bench_go_on("measuring the sentences", (double)round / ROUNDS, error);
    }
    return status;
}

static void print_sentences(sac_model *model, const measures *m, cJSON *json)
{
    double count = m->encode.count, encode = bench_median_ms(&m->encode);
    print_model("sentences of", model, json);
    if (json) {
        cJSON_AddNumberToObject(json, "encode_ms", encode);
        cJSON_AddNumberToObject(json, "encode_launches", (double)m->encode_launches / count);
    } else {
        sac_print(stdout, "%-10s %8s %10s %8s\n", "", "ms", "launches", "words");
        sac_print(stdout, "%-10s %8.2f %10.1f\n", "encoding", encode,
                  (double)m->encode_launches / count);
    }
    for (int i = 0; i < BEAMS; i++) {
        char name[16];
        double decode = bench_median_ms(&m->decode[i]), launches = (double)m->launches[i] / count;
        double words = (double)m->words[i] / count;
        snprintf(name, sizeof name, json ? "beam_%d" : "beam %d", beams[i]);
        cJSON *part = json ? cJSON_AddObjectToObject(json, name) : NULL;
        if (!part) {
            sac_print(stdout, "%-10s %8.2f %10.1f %8.1f\n", name, decode, launches, words);
            continue;
        }
        cJSON_AddNumberToObject(part, "ms", decode);
        cJSON_AddNumberToObject(part, "launches", launches);
        cJSON_AddNumberToObject(part, "words", words);
    }
}

sac_status bench_decode(sac_device *device, const bench_trained *asked, cJSON *json,
                        sac_error *error)
{
    const sac_model_class *class = asked->class;
    const char *weights = asked->weights;
    app_weights found;
    sac_model *model = NULL;
    sac_watched watched = {0};
    measures m = {0};
    sac_status status = weights ? SAC_OK : app_find_weights(class, NULL, NULL, &found, error);
    if (status == SAC_OK)
        status =
            sac_checkpoint_load(class, device, weights ? weights : found.paths[0], &model, error);
    if (status == SAC_OK && class->prepare)
        status = class->prepare(model, asked->values, error);
    if (status == SAC_OK)
        status = class->watch(model, &watched, error);
    if (status == SAC_OK)
        status = decode_all(model, &watched, &m, error);
    if (status == SAC_OK)
        print_sentences(model, &m, json);
    if (watched.destroy)
        watched.destroy(watched.self);
    sac_model_destroy(model);
    return status;
}
