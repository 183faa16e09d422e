/* The speed of a model of others: a picture, or a text, through all layers; the first apart, for
 * which a driver loads kernels and the system reads weights. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "device/trace.h"

enum { ROUNDS = 10, ROUNDS_LONG = 3, LONG = 1024, SIDE = 448, TOKENS = 16, SAID = 32 };

typedef struct measures {
    double open, first;                 /* seconds */
    bench_times read, generate;         /* seconds: to read it, and of a token that it says */
    bench_times read_cpu, generate_cpu; /* the same of all processors */
    bench_times prompt, prompt_cpu;     /* of as many tokens as asked, or as it has places for */
    size_t tokens, prompt_tokens;
} measures;

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static sac_status read_text(sac_pretrained_model *model, size_t count, sac_inference **p,
                            sac_error *error)
{
    int *ids = malloc(count * sizeof *ids);
    if (!ids)
        return sac_no_memory(error, "prompt");
    for (size_t i = 0; i < count; i++)
        ids[i] = (int)(i % 8);
    sac_status status = sac_inference_read_tokens(model, ids, count, p, error);
    free(ids);
    return status;
}

/* So many tokens at most; what that takes, by the clock and of all processors. */
static sac_status generate_some(const sac_inference *p, int count, int *generated, double taken[2],
                                sac_error *error)
{
    int ids[1 + SAID];
    double start = sac_now(), cpu = processor_seconds();
    sac_status status =
        sac_inference_continue(p, &(sac_sampling){.count = count}, ids, generated, error);
    taken[0] = sac_now() - start;
    taken[1] = processor_seconds() - cpu;
    return status;
}

/* Of a token: what many take less what one takes. */
static sac_status generate(const sac_inference *p, measures *m, sac_error *error)
{
    int few = 0, many = 0;
    double less[2], more[2];
    sac_status status = generate_some(p, 2, &few, less, error);
    if (status == SAC_OK)
        status = generate_some(p, 1 + SAID, &many, more, error);
    if (status == SAC_OK && many > few) {
        bench_add(&m->generate, (more[0] - less[0]) / (many - few));
        bench_add(&m->generate_cpu, (more[1] - less[1]) / (many - few));
    }
    return status;
}

static sac_status read_prompt(sac_pretrained_model *model, size_t count, measures *m,
                              sac_error *error)
{
    sac_inference *p = NULL;
    double start = processor_seconds();
    sac_status status = read_text(model, count, &p, error);
    if (status == SAC_OK) {
        m->prompt_tokens = p->count;
        bench_add(&m->prompt, 1e-3 * p->milliseconds);
        bench_add(&m->prompt_cpu, processor_seconds() - start);
    }
    sac_inference_free(p);
    return status;
}

static sac_status run_all(sac_pretrained_model *model, const sac_image *picture, size_t prompt,
                          measures *m, sac_error *error)
{
    const sac_progress progress = cli_progress("measuring the model");
    sac_status status = SAC_OK;
    int rounds = prompt > LONG ? ROUNDS_LONG : ROUNDS;
    for (int round = 0; status == SAC_OK && round <= rounds; round++) {
        sac_inference *p = NULL;
        double start = processor_seconds();
        status = sac_architecture_has_vision(model)
                     ? sac_inference_see(model, picture, SAC_FIT_TRAINED, &p, error)
                     : read_text(model, TOKENS, &p, error);
        if (status != SAC_OK)
            break;
        m->tokens = p->count;
        if (round == 0)
            m->first = 1e-3 * p->milliseconds;
        else {
            bench_add(&m->read, 1e-3 * p->milliseconds);
            bench_add(&m->read_cpu, processor_seconds() - start);
        }
        if (sac_architecture_continues(model))
            status = generate(p, m, error);
        sac_inference_free(p);
        if (status == SAC_OK && sac_architecture_continues(model))
            status = read_prompt(model, prompt, m, error);
        if (!progress.step(progress.user, (double)round / rounds))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return status;
}

static void print(const measures *m, cJSON *json)
{
    double read = 1e3 * bench_quantile(&m->read, 0.5),
           cpu = 1e3 * bench_quantile(&m->read_cpu, 0.5);
    double generated = 1e3 * bench_quantile(&m->generate, 0.5);
    double generated_cpu = 1e3 * bench_quantile(&m->generate_cpu, 0.5);
    double prompt = 1e3 * bench_quantile(&m->prompt, 0.5);
    cli_progress_clear();
    if (!json) {
        sac_print(stdout,
                  "opened in %.0f ms; %zu tokens through all layers: the first time %.1f ms, then "
                  "%.1f ms (%.1f ms of processors)\n",
                  1e3 * m->open, m->tokens, 1e3 * m->first, read, cpu);
        if (m->generate.count)
            sac_print(stdout, "a token that it says: %.1f ms (%.1f ms of processors)\n", generated,
                      generated_cpu);
        if (m->prompt.count)
            sac_print(stdout, "a prompt of %zu tokens: %.1f ms\n", m->prompt_tokens, prompt);
        return;
    }
    cJSON_AddNumberToObject(json, "open_ms", 1e3 * m->open);
    cJSON_AddNumberToObject(json, "tokens", (double)m->tokens);
    cJSON_AddNumberToObject(json, "first_ms", 1e3 * m->first);
    cJSON_AddNumberToObject(json, "ms", read);
    cJSON_AddNumberToObject(json, "cpu_ms", cpu);
    if (!m->generate.count)
        return;
    cJSON_AddNumberToObject(json, "token_ms", generated);
    cJSON_AddNumberToObject(json, "token_cpu_ms", generated_cpu);
    if (!m->prompt.count)
        return;
    cJSON_AddNumberToObject(json, "prompt_tokens", (double)m->prompt_tokens);
    cJSON_AddNumberToObject(json, "prompt_ms", prompt);
    cJSON_AddNumberToObject(json, "prompt_cpu_ms", 1e3 * bench_quantile(&m->prompt_cpu, 0.5));
}

/* ---------------------------------------------------------------- where the time goes */

/* A picture, or a prompt. */
static sac_status trace_reading(sac_pretrained_model *model, const sac_image *picture,
                                size_t prompt, bench_traced *traced, sac_error *error)
{
    bool sees = sac_architecture_has_vision(model);
    sac_inference *p = NULL;
    double start = sac_now();
    sac_status status = sees ? sac_inference_see(model, picture, SAC_FIT_TRAINED, &p, error)
                             : read_text(model, prompt, &p, error);
    traced->key = sees ? "picture" : "prompt";
    if (sees)
        strcpy(traced->what, "a picture");
    else if (status == SAC_OK)
        snprintf(traced->what, sizeof traced->what, "a prompt of %zu tokens", p->count);
    traced->seconds = sac_now() - start;
    traced->times = 1;
    sac_inference_free(p);
    return status;
}

static sac_status trace_sampling(const sac_inference *p, bench_traced *traced, sac_error *error)
{
    int generated = 0;
    double taken[2];
    sac_status status = generate_some(p, 1 + SAID, &generated, taken, error);
    traced->key = "token";
    strcpy(traced->what, "a token that it says");
    traced->seconds = taken[0];
    traced->times = generated - 1; /* the first follows from the prompt */
    return status;
}

/* What is said follows a text short enough for a model of few places. */
static sac_status trace_all(sac_pretrained_model *model, const sac_image *picture, size_t prompt,
                            cJSON *json, sac_error *error)
{
    sac_trace trace = {0};
    sac_inference *p = NULL;
    bench_limits limits = {0};
    cJSON *layers = json ? cJSON_AddObjectToObject(json, "layers") : NULL;
    sac_device *device = model->device;
    int kinds = 1 + sac_architecture_continues(model);
    sac_device_lock(device);
    sac_status status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK && kinds > 1)
        status = read_text(model, TOKENS, &p, error);
    for (int generated = 0; generated < kinds && status == SAC_OK; generated++) {
        bench_traced traced = {.trace = &trace, .layers = model->layers};
        status = sac_trace_begin(device, &trace, error);
        if (status == SAC_OK)
            status = generated ? trace_sampling(p, &traced, error)
                               : trace_reading(model, picture, prompt, &traced, error);
        sac_status ended = sac_trace_end(device, status == SAC_OK ? error : NULL);
        status = status == SAC_OK ? ended : status;
        if (status == SAC_OK && traced.times > 0)
            bench_print_layers(&traced, &limits, layers);
        sac_trace_free(&trace);
    }
    sac_device_unlock(device);
    sac_inference_free(p);
    return status;
}

sac_status bench_folder(const bench_model *asked, cJSON *json, sac_error *error)
{
    size_t prompt = (size_t)asked->prompt;
    sac_pretrained_model *model = NULL;
    sac_image picture = {0};
    measures m = {0};
    double start = sac_now();
    sac_status status = sac_pretrained_model_open_stored(asked->folder, asked->device,
                                                         asked->storage, &model, error);
    m.open = sac_now() - start;
    if (status == SAC_OK) {
        status = sac_image_create(SIDE, SIDE, &picture, error);
        for (size_t i = 0; status == SAC_OK && i < 4 * SIDE * SIDE; i++)
            picture.rgba[i] =
                i % 4 == 3 ? 255 : (uint8_t)(sac_philox_uniform((uint32_t)i, 0, 5) * 255);
    }
    if (status == SAC_OK)
        status = run_all(model, &picture, prompt, &m, error);
    if (status == SAC_OK)
        print(&m, json);
    if (status == SAC_OK && asked->layers)
        status = trace_all(model, &picture, prompt, json, error);
    sac_image_free(&picture);
    sac_pretrained_model_close(model);
    return status;
}
