/* The speed of decoding: a sample encoded, and the sentence that a model says of it. */
#include "app/open/weights.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "device/device.h"
#include "models/checkpoint.h"

enum { ROUNDS = 4, BEAMS = 2 };
static const int beams[BEAMS] = {1, 3};

typedef struct measures {
    bench_times encode, decode[BEAMS];
    size_t encode_launches, launches[BEAMS], words[BEAMS];
} measures;

/* Encodes one sample and says its sentences. */
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
        sac_caption caption = {0};
        launches = model->device->launches;
        start = sac_now();
        status = sac_model_decode(model, &(sac_caption_request){.beam = beams[i]}, &caption, error);
        bench_add(&m->decode[i], sac_now() - start);
        m->launches[i] += model->device->launches - launches;
        m->words[i] += (size_t)caption.count;
        sac_caption_free(&caption);
    }
    return status;
}

/* The first round has the driver compile and load kernels: it is no one's time. */
static sac_status run_all(sac_model *model, sac_watched *watched, measures *m, sac_error *error)
{
    const sac_progress progress = cli_progress("measuring the sentences");
    sac_status status = SAC_OK;
    for (int round = 0; status == SAC_OK && round <= ROUNDS; round++) {
        if (round == 1)
            *m = (measures){0};
        for (int i = 0; status == SAC_OK && i < watched->count; i++)
            status = run_sample(model, watched, i, m, error);
        if (!progress.step(progress.user, (double)round / ROUNDS))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return status;
}

static double median_ms(const bench_times *times)
{
    return 1e3 * bench_quantile(times, 0.5);
}

static void print(sac_model *model, const measures *m, cJSON *json)
{
    char kind[64], device[160];
    double count = m->encode.count, encode = median_ms(&m->encode);
    model->class->describe_short(model, kind, sizeof kind);
    sac_device_short_name(sac_device_get_info(model->device), device, sizeof device);
    cli_progress_clear();
    if (json) {
        cJSON_AddStringToObject(json, "model", model->class->name);
        cJSON_AddStringToObject(json, "kind", kind);
        cJSON_AddStringToObject(json, "device", device);
        cJSON_AddNumberToObject(json, "encode_ms", encode);
        cJSON_AddNumberToObject(json, "encode_launches", (double)m->encode_launches / count);
    } else {
        sac_print(stdout, "sentences of the %s (%s) on %s\n\n", model->class->name, kind, device);
        sac_print(stdout, "%-10s %8s %10s %8s\n", "", "ms", "launches", "words");
        sac_print(stdout, "%-10s %8.2f %10.1f\n", "encoding", encode,
                  (double)m->encode_launches / count);
    }
    for (int i = 0; i < BEAMS; i++) {
        char name[16];
        double decode = median_ms(&m->decode[i]), launches = (double)m->launches[i] / count;
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

sac_status bench_decode(sac_device *device, const sac_model_class *class,
                        const sac_model_values *values, const char *weights, cJSON *json,
                        sac_error *error)
{
    app_weights found;
    sac_model *model = NULL;
    sac_watched watched = {0};
    measures m = {0};
    sac_status status = weights ? SAC_OK : app_find_weights(class, NULL, NULL, &found, error);
    if (status == SAC_OK)
        status =
            sac_checkpoint_load(class, device, weights ? weights : found.paths[0], &model, error);
    if (status == SAC_OK && class->prepare)
        status = class->prepare(model, values, error);
    if (status == SAC_OK)
        status = class->watch(model, &watched, error);
    if (status == SAC_OK)
        status = run_all(model, &watched, &m, error);
    if (status == SAC_OK)
        print(model, &m, json);
    if (watched.destroy)
        watched.destroy(watched.self);
    sac_model_destroy(model);
    return status;
}
