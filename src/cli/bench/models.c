/* The speed of the program's own models: steps of a training, from batch to weights; and of decoding, a sample
 * encoded and the sentence that is generated for it. */
#include <stdlib.h>
#include <string.h>

#include "app/assets.h"
#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "cli/bench/bench.h"
#include "device/device.h"
#include "device/trace.h"
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
    sac_training_options options = {.values = *values, .batch = (size_t)asked->batch};
    sac_status status = class->create(device, values, 0, &model, error);
    if (status == SAC_OK) {
        sac_training_resolve(model, &options);
        if (class->defaults)
            class->defaults(model, &options.values);
        if (class->prepare)
            status = class->prepare(model, &options.values, error);
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
    sac_model_values values = *asked->values;
    if (status == SAC_OK && class->defaults)
        class->defaults(model, &values);
    if (status == SAC_OK && class->prepare)
        status = class->prepare(model, &values, error);
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

/* ---------------------------------------------------------------- a pretrained model in a folder */

/* The speed of a model of others: a picture, or a text, through all layers; the first apart, for
 * which a driver loads kernels and the system reads weights. */
enum { FOLDER_ROUNDS = 10, ROUNDS_LONG = 3, LONG = 1024, SIDE = 448, TOKENS = 16, GENERATED = 32 };

typedef struct folder_measures {
    double open, first;                 /* seconds */
    bench_times read, generate;         /* seconds: to read it, and of a token that it generates */
    bench_times read_cpu, generate_cpu; /* the same of all processors */
    bench_times prompt, prompt_cpu;     /* of as many tokens as asked, or as it has places for */
    size_t tokens, prompt_tokens;
} folder_measures;

static sac_status read_dummy_tokens(sac_pretrained_model *model, size_t count, sac_inference **p,
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
static sac_status time_generation(const sac_inference *p, int count, int *generated,
                                  double taken[2], sac_error *error)
{
    int ids[1 + GENERATED];
    double start = sac_now(), cpu = bench_processor_seconds();
    sac_status status =
        sac_inference_continue(p, &(sac_sampling){.count = count}, ids, generated, error);
    taken[0] = sac_now() - start;
    taken[1] = bench_processor_seconds() - cpu;
    return status;
}

/* Of a token: what many take less what one takes. */
static sac_status measure_token(const sac_inference *p, folder_measures *m, sac_error *error)
{
    int few = 0, many = 0;
    double less[2], more[2];
    sac_status status = time_generation(p, 2, &few, less, error);
    if (status == SAC_OK)
        status = time_generation(p, 1 + GENERATED, &many, more, error);
    if (status == SAC_OK && many > few) {
        bench_add(&m->generate, (more[0] - less[0]) / (many - few));
        bench_add(&m->generate_cpu, (more[1] - less[1]) / (many - few));
    }
    return status;
}

static sac_status measure_prompt(sac_pretrained_model *model, size_t count, folder_measures *m,
                                 sac_error *error)
{
    sac_inference *p = NULL;
    double start = bench_processor_seconds();
    sac_status status = read_dummy_tokens(model, count, &p, error);
    if (status == SAC_OK) {
        m->prompt_tokens = p->count;
        bench_add(&m->prompt, 1e-3 * p->milliseconds);
        bench_add(&m->prompt_cpu, bench_processor_seconds() - start);
    }
    sac_inference_free(p);
    return status;
}

static sac_status run_all(sac_pretrained_model *model, const sac_image *picture, size_t prompt,
                          folder_measures *m, sac_error *error)
{
    sac_status status = SAC_OK;
    int rounds = prompt > LONG ? ROUNDS_LONG : FOLDER_ROUNDS;
    for (int round = 0; status == SAC_OK && round <= rounds; round++) {
        sac_inference *p = NULL;
        double start = bench_processor_seconds();
        status = sac_architecture_has_media_encoder(model)
                     ? sac_inference_see(model, picture, SAC_FIT_TRAINED, &p, error)
                     : read_dummy_tokens(model, TOKENS, &p, error);
        if (status != SAC_OK)
            break;
        m->tokens = p->count;
        if (round == 0)
            m->first = 1e-3 * p->milliseconds;
        else {
            bench_add(&m->read, 1e-3 * p->milliseconds);
            bench_add(&m->read_cpu, bench_processor_seconds() - start);
        }
        if (sac_architecture_continues(model))
            status = measure_token(p, m, error);
        sac_inference_free(p);
        if (status == SAC_OK && sac_architecture_continues(model))
            status = measure_prompt(model, prompt, m, error);
        if (status == SAC_OK)
            status = bench_go_on("measuring the model", (double)round / rounds, error);
    }
    return status;
}

static void print(const folder_measures *m, cJSON *json)
{
    const struct {
        const char *key;
        bool is_known;
        double number;
    } figures[] = {
        {"open_ms", true, 1e3 * m->open},
        {"tokens", true, (double)m->tokens},
        {"first_ms", true, 1e3 * m->first},
        {"ms", true, bench_median_ms(&m->read)},
        {"cpu_ms", true, bench_median_ms(&m->read_cpu)},
        {"token_ms", m->generate.count, bench_median_ms(&m->generate)},
        {"token_cpu_ms", m->generate.count, bench_median_ms(&m->generate_cpu)},
        {"prompt_tokens", m->prompt.count, (double)m->prompt_tokens},
        {"prompt_ms", m->prompt.count, bench_median_ms(&m->prompt)},
        {"prompt_cpu_ms", m->prompt.count, bench_median_ms(&m->prompt_cpu)},
    };
    cli_progress_clear();
    for (size_t i = 0; json && i < sizeof figures / sizeof *figures; i++)
        if (figures[i].is_known)
            cJSON_AddNumberToObject(json, figures[i].key, figures[i].number);
    if (json)
        return;
    sac_print(stdout,
              "opened in %.0f ms; %zu tokens through all layers: the first time %.1f ms, then "
              "%.1f ms (%.1f ms of processors)\n",
              1e3 * m->open, m->tokens, 1e3 * m->first, bench_median_ms(&m->read),
              bench_median_ms(&m->read_cpu));
    if (m->generate.count)
        sac_print(stdout, "a token that it generates: %.1f ms (%.1f ms of processors)\n",
                  bench_median_ms(&m->generate), bench_median_ms(&m->generate_cpu));
    if (m->prompt.count)
        sac_print(stdout, "a prompt of %zu tokens: %.1f ms\n", m->prompt_tokens,
                  bench_median_ms(&m->prompt));
}

/* ---------------------------------------------------------------- where the time goes */

/* Where the time of a model goes, by kinds of work and by layers. */
typedef struct traced_work {
    char what[40];   /* "a prompt of 128 tokens" */
    const char *key; /* the same for JSON */
    const sac_trace *trace;
    double seconds; /* by the clock … */
    int times;      /* … of so many of what is counted */
    int layers;
} traced_work;

/* The first two are sac_work's. */
enum { PRODUCTS, ATTENTION, NORMS, TURNS, ACTIVATIONS, OTHERS, KINDS };
static const char *const kind_names[KINDS] = {"products", "attention",   "norms",
                                              "rotation", "activations", "others"};

static const struct {
    const char *source;
    int kind;
} kinds[] = {
    {"few_rows", PRODUCTS},       {"few_rows_dots", PRODUCTS},
    {"gemm_in_place", PRODUCTS},  {"gemm_tiled", PRODUCTS},
    {"gemm_naive", PRODUCTS},     {"panels", PRODUCTS},
    {"border", PRODUCTS},         {"widen", PRODUCTS},
    {"attend_cpu", ATTENTION},    {"attend_gpu", ATTENTION},
    {"attend_matrix", ATTENTION}, {"attend_naive", ATTENTION},
    {"attend_token", ATTENTION},  {"pack", ATTENTION},
    {"merge", ATTENTION},         {"overflow", ATTENTION},
    {"layer_norm", NORMS},        {"rotary", TURNS},
    {"activations", ACTIVATIONS}, {"other_activations", ACTIVATIONS},
};

static int kernel_kind_of_source(const char *source)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].source, source) == 0)
            return kinds[i].kind;
    return OTHERS;
}

typedef struct sums {
    double seconds[KINDS],
        between; /* of one; between: from a launch's end to the next one's begin */
    double launches[KINDS], all;
    double operations[SAC_WORKS], bytes[SAC_WORKS];
} sums;

/* Of one layer, or where it is −2 of all. What lies between two launches belongs to the later one. */
static sums sum_up(const traced_work *traced, int layer)
{
    sums s = {0};
    const sac_trace *trace = traced->trace;
    double each = 1.0 / traced->times;
    for (size_t i = 0; i < trace->launch_count; i++) {
        const sac_traced_launch *l = &trace->launches[i];
        if (layer != -2 && l->layer != layer)
            continue;
        int kind = kernel_kind_of_source(l->source);
        s.seconds[kind] += each * (l->end - l->begin);
        s.launches[kind] += each;
        s.all += each;
        if (i > 0 && l->begin > l[-1].end)
            s.between += each * (l->begin - l[-1].end);
    }
    for (size_t i = 0; i < trace->work_count; i++) {
        const sac_traced_work *w = &trace->works[i];
        if (layer != -2 && w->layer != layer)
            continue;
        s.operations[w->what] += each * w->operations;
        s.bytes[w->what] += each * w->bytes;
    }
    return s;
}

static double sum_kernel_seconds(const sums *s)
{
    double sum = 0;
    for (int k = 0; k < KINDS; k++)
        sum += s->seconds[k];
    return sum;
}

static void print_kinds(const traced_work *traced, const bench_limits *limits, const sums *s)
{
    double all = traced->seconds / traced->times, left = all - sum_kernel_seconds(s) - s->between;
    sac_print(stdout, "\n%s: %.2f ms, %.0f launches\n", traced->what, 1e3 * all, s->all);
    sac_print(stdout, "%-12s %9s %6s %9s %9s %8s %7s %8s\n", "", "ms", "share", "launches",
              "GFLOP/s", "of peak", "GB/s", "of copy");
    for (int k = 0; k < KINDS; k++) {
        double seconds = s->seconds[k];
        if (s->launches[k] == 0)
            continue;
        sac_print(stdout, "%-12s %9.2f %6.2f %9.0f", kind_names[k], 1e3 * seconds, seconds / all,
                  s->launches[k]);
        if (k < SAC_WORKS && seconds > 0)
            sac_print(stdout, " %9.1f %8.2f %7.1f %8.2f", 1e-9 * s->operations[k] / seconds,
                      1e-9 * s->operations[k] / seconds / bench_peak(limits),
                      1e-9 * s->bytes[k] / seconds,
                      1e-9 * s->bytes[k] / seconds / limits->copy_gbs);
        puts("");
    }
    sac_print(stdout, "%-12s %9.2f %6.2f\n", "between", 1e3 * s->between, s->between / all);
    sac_print(stdout, "%-12s %9.2f %6.2f\n", "around", 1e3 * left, left / all);
}

static void add_sums(cJSON *json, const sums *s)
{
    for (int k = 0; k < KINDS; k++)
        cJSON_AddNumberToObject(json, kind_names[k], 1e3 * s->seconds[k]);
    cJSON_AddNumberToObject(json, "between", 1e3 * s->between);
    cJSON_AddNumberToObject(json, "launches", s->all);
}

static void add_json(const traced_work *traced, const bench_limits *limits, const sums *all,
                     cJSON *json)
{
    static const char *const names[SAC_WORKS][2] = {{"products_of_peak", "products_of_copy"},
                                                    {"attention_of_peak", "attention_of_copy"}};
    cJSON *one = cJSON_AddObjectToObject(json, traced->key);
    cJSON_AddNumberToObject(one, "ms", 1e3 * traced->seconds / traced->times);
    add_sums(one, all);
    for (int k = 0; k < SAC_WORKS; k++) {
        double rate = all->seconds[k] > 0 ? 1e-9 / all->seconds[k] : 0;
        cJSON_AddNumberToObject(one, names[k][0], rate * all->operations[k] / bench_peak(limits));
        cJSON_AddNumberToObject(one, names[k][1], rate * all->bytes[k] / limits->copy_gbs);
    }
    cJSON *layers = cJSON_AddArrayToObject(one, "by_layer");
    for (int layer = 0; layer < traced->layers; layer++) {
        cJSON *each = cJSON_CreateObject();
        sums s = sum_up(traced, layer);
        add_sums(each, &s);
        cJSON_AddItemToArray(layers, each);
    }
}

static void print_layers(const traced_work *traced, const bench_limits *limits, cJSON *json)
{
    sums all = sum_up(traced, -2);
    if (json) {
        add_json(traced, limits, &all, json);
        return;
    }
    print_kinds(traced, limits, &all);
    sac_print(stdout, "\n%-12s %9s %9s %9s %9s %9s %9s\n", "ms", "products", "attention", "others",
              "between", "all", "launches");
    for (int layer = -1; layer < traced->layers; layer++) {
        sums s = sum_up(traced, layer);
        char name[24] = "no layer";
        double two = s.seconds[PRODUCTS] + s.seconds[ATTENTION];
        if (layer >= 0)
            snprintf(name, sizeof name, "layer %d", layer);
        sac_print(stdout, "%-12s %9.3f %9.3f %9.3f %9.3f %9.3f %9.0f\n", name,
                  1e3 * s.seconds[PRODUCTS], 1e3 * s.seconds[ATTENTION],
                  1e3 * (sum_kernel_seconds(&s) - two), 1e3 * s.between,
                  1e3 * (sum_kernel_seconds(&s) + s.between), s.all);
    }
}

/* A picture, or a prompt. */
static sac_status trace_reading(sac_pretrained_model *model, const sac_image *picture,
                                size_t prompt, traced_work *traced, sac_error *error)
{
    bool sees = sac_architecture_has_media_encoder(model);
    sac_inference *p = NULL;
    double start = sac_now();
    sac_status status = sees ? sac_inference_see(model, picture, SAC_FIT_TRAINED, &p, error)
                             : read_dummy_tokens(model, prompt, &p, error);
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

static sac_status trace_sampling(const sac_inference *p, traced_work *traced, sac_error *error)
{
    int generated = 0;
    double taken[2];
    sac_status status = time_generation(p, 1 + GENERATED, &generated, taken, error);
    traced->key = "token";
    strcpy(traced->what, "a token that it generates");
    traced->seconds = taken[0];
    traced->times = generated - 1; /* the first follows from the prompt */
    return status;
}

/* The prompt of a generation is short enough for a model of few places. */
static sac_status trace_all(sac_pretrained_model *model, const sac_image *picture, size_t prompt,
                            cJSON *json, sac_error *error)
{
    sac_trace trace = {0};
    sac_inference *p = NULL;
    bench_limits limits = {0};
    cJSON *layers = json ? cJSON_AddObjectToObject(json, "layers") : NULL;
    sac_device *device = model->device;
    int works = 1 + sac_architecture_continues(model);
    sac_device_lock(device);
    sac_status status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK && works > 1)
        status = read_dummy_tokens(model, TOKENS, &p, error);
    for (int generated = 0; generated < works && status == SAC_OK; generated++) {
        traced_work traced = {.trace = &trace, .layers = model->layers};
        status = sac_trace_begin(device, &trace, error);
        if (status == SAC_OK)
            status = generated ? trace_sampling(p, &traced, error)
                               : trace_reading(model, picture, prompt, &traced, error);
        sac_status ended = sac_trace_end(device, status == SAC_OK ? error : NULL);
        status = status == SAC_OK ? ended : status;
        if (status == SAC_OK && traced.times > 0)
            print_layers(&traced, &limits, layers);
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
    folder_measures m = {0};
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
