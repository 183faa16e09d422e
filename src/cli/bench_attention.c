/* Attention over a table of cases, in alternating runs, each beside the limit of the same run. */
#include <stdlib.h>

#include "attention/internal.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "cli/bench.h"
#include "device/device.h"

typedef enum bench_mask { NO_MASK, CAUSAL, PADDING } bench_mask;
static const char *const mask_names[] = {"none", "causal", "padding"};

typedef struct bench_case {
    sac_score score;
    size_t heads, tokens, keys, dim;
    bench_mask mask;
} bench_case;

static const bench_case cases[] = {
    {SAC_SCORE_SCALED_DOT, 8, 512, 512, 64, NO_MASK},
    {SAC_SCORE_SCALED_DOT, 8, 1000, 1000, 80, NO_MASK},
    {SAC_SCORE_SCALED_DOT, 8, 2048, 2048, 64, NO_MASK},
    {SAC_SCORE_SCALED_DOT, 8, 2048, 2048, 64, PADDING},
    {SAC_SCORE_SCALED_DOT, 8, 2048, 2048, 64, CAUSAL},
    {SAC_SCORE_SCALED_DOT, 8, 2048, 2048, 128, NO_MASK},
    {SAC_SCORE_SCALED_DOT, 8, 4096, 4096, 64, NO_MASK},
    {SAC_SCORE_SCALED_DOT, 8, 4096, 4096, 64, CAUSAL},
    {SAC_SCORE_SCALED_DOT, 8, 1, 16384, 64, NO_MASK},
    {SAC_SCORE_GAUSSIAN, 8, 2048, 2048, 64, NO_MASK},
    {SAC_SCORE_ADDITIVE, 1, 1024, 1024, 64, NO_MASK},
};
enum { CASES = sizeof cases / sizeof *cases, RUNS = 7 };
#define PATIENCE 60.0 /* seconds: a slow device gets fewer runs of each case, but never none */

typedef struct bench_subject {
    sac_attention *attention;
    float *output;
    bench_times times;
} bench_subject;

/* ---------------------------------------------------------------- making the cases */

/* Normal enough: the sum of four uniform numbers, scaled to variance 1. */
static sac_status random_array(int rank, const size_t *shape, unsigned seed, sac_array *array,
                               sac_error *error)
{
    sac_status status = sac_array_create(SAC_F32, rank, shape, array, error);
    float *data = array->data;
    for (size_t i = 0; status == SAC_OK && i < sac_array_count(array); i++) {
        float sum = -2;
        for (unsigned k = 0; k < 4; k++)
            sum += sac_philox_uniform((uint32_t)i, k, seed);
        data[i] = sum * 1.7320508f;
    }
    return status;
}

typedef struct bench_arrays {
    sac_array query, key, value, padding, W_q, W_k, w_v;
} bench_arrays;

static void free_arrays(bench_arrays *a)
{
    sac_array *const all[] = {&a->query, &a->key, &a->value, &a->padding,
                              &a->W_q,   &a->W_k, &a->w_v};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_array_free(all[i]);
}

static sac_status make_arrays(const bench_case *c, bench_arrays *a, sac_error *error)
{
    size_t query[] = {1, c->heads, c->tokens, c->dim}, key[] = {1, c->heads, c->keys, c->dim};
    size_t padding[] = {1, c->keys}, weight[] = {c->dim, c->dim};
    sac_status status = random_array(4, query, 1, &a->query, error);
    if (status == SAC_OK)
        status = random_array(4, key, 2, &a->key, error);
    if (status == SAC_OK)
        status = random_array(4, key, 3, &a->value, error);
    if (status == SAC_OK && c->mask == PADDING)
        status = sac_array_create(SAC_BOOL, 2, padding, &a->padding, error);
    for (size_t i = c->keys / 8 * 7; status == SAC_OK && c->mask == PADDING && i < c->keys; i++)
        ((uint8_t *)a->padding.data)[i] = 1;
    if (c->score != SAC_SCORE_ADDITIVE || status != SAC_OK)
        return status;
    status = random_array(2, weight, 4, &a->W_q, error);
    if (status == SAC_OK)
        status = random_array(2, weight, 5, &a->W_k, error);
    return status == SAC_OK ? random_array(1, weight, 6, &a->w_v, error) : status;
}

static sac_status prepare(sac_device *device, const bench_case *c, bench_subject *subject,
                          sac_error *error)
{
    bench_arrays a = {0};
    sac_attention_spec spec = {.score = c->score, .width = 0.1f, .causal = c->mask == CAUSAL};
    sac_status status = make_arrays(c, &a, error);
    if (status == SAC_OK) {
        bool additive = c->score == SAC_SCORE_ADDITIVE;
        sac_attention_input input = {.query = &a.query,
                                     .key = &a.key,
                                     .value = &a.value,
                                     .key_padding_mask = c->mask == PADDING ? &a.padding : NULL,
                                     .score_W_q = additive ? &a.W_q : NULL,
                                     .score_W_k = additive ? &a.W_k : NULL,
                                     .score_w_v = additive ? &a.w_v : NULL};
        status = sac_attention_create(device, &spec, &input, &subject->attention, error);
    }
    free_arrays(&a);
    subject->output = malloc(c->heads * c->tokens * c->dim * sizeof *subject->output);
    if (status == SAC_OK && !subject->output)
        status = sac_fail(error, SAC_E_MEMORY, "bench", NULL, "no memory for an output");
    return status;
}

/* ---------------------------------------------------------------- running */

static sac_status run_once(bench_subject *subject, bool count, sac_error *error)
{
    sac_attention_output output = {.output = subject->output};
    double start = sac_now();
    sac_status status = sac_attention_run(subject->attention, &output, NULL, error);
    if (status == SAC_OK && count)
        bench_add(&subject->times, sac_now() - start);
    return status;
}

/* Round after round through all cases, so that whatever disturbs disturbs all of them; the first,
 * which compiles, does not count. */
static sac_status run_all(bench_subject *subjects, sac_error *error)
{
    sac_progress progress = cli_progress("measuring attention");
    double start = sac_now();
    sac_status status = SAC_OK;
    for (int round = 0; round <= RUNS && status == SAC_OK; round++) {
        if (round > 1 && sac_now() - start > PATIENCE)
            break;
        for (int i = 0; i < CASES && status == SAC_OK; i++) {
            double done = (double)(round * CASES + i) / ((RUNS + 1) * CASES);
            if (!progress.step(progress.user, done))
                return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
            status = run_once(&subjects[i], round > 0, error);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- telling */

/* 4·Tq·Tk·d a head: a multiply and an add for each of the two products. Of a causal matrix only the
 * half that is needed; for additive scores d is the hidden size. */
static double operations(const bench_case *c)
{
    double all = 4.0 * (double)c->heads * (double)c->tokens * (double)c->keys * (double)c->dim;
    return c->mask == CAUSAL ? all / 2 : all;
}

/* A single query reads each key and value once and has little else to do: its limit is memory. */
static bool is_memory_bound(const bench_case *c)
{
    return c->tokens == 1;
}

static double share_of_limit(const bench_case *c, double seconds, const bench_limits *limits)
{
    double bytes = 2.0 * (double)(c->heads * c->keys * c->dim) * sizeof(float);
    return is_memory_bound(c) ? bytes / seconds * 1e-9 / limits->copy_gbs
                              : operations(c) / seconds * 1e-9 / limits->peak_gflops;
}

static void add_case(cJSON *list, const bench_case *c, const bench_subject *subject,
                     const bench_limits *limits)
{
    double median = bench_quantile(&subject->times, 0.5);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "score", sac_score_name(c->score));
    cJSON_AddNumberToObject(item, "heads", (double)c->heads);
    cJSON_AddNumberToObject(item, "tokens", (double)c->tokens);
    cJSON_AddNumberToObject(item, "keys", (double)c->keys);
    cJSON_AddNumberToObject(item, "dim", (double)c->dim);
    cJSON_AddStringToObject(item, "mask", mask_names[c->mask]);
    cJSON_AddStringToObject(item, "variant",
                            sac_variant_name(sac_attention_get_variant(subject->attention)));
    cJSON_AddNumberToObject(item, "ms", 1e3 * median);
    cJSON_AddNumberToObject(item, "ms_low", 1e3 * bench_quantile(&subject->times, 0));
    cJSON_AddNumberToObject(item, "ms_high", 1e3 * bench_quantile(&subject->times, 1));
    cJSON_AddNumberToObject(item, "runs", subject->times.count);
    cJSON_AddNumberToObject(item, "gflops", operations(c) / median * 1e-9);
    cJSON_AddStringToObject(item, "limit", is_memory_bound(c) ? "copy" : "peak");
    cJSON_AddNumberToObject(item, is_memory_bound(c) ? "share_of_copy" : "share_of_peak",
                            share_of_limit(c, median, limits));
    cJSON_AddNumberToObject(item, "scratch_bytes", (double)subject->attention->scratch_bytes);
    cJSON_AddItemToArray(list, item);
}

static void print_case(const bench_case *c, const bench_subject *subject,
                       const bench_limits *limits)
{
    double median = bench_quantile(&subject->times, 0.5);
    char size[48];
    if (c->tokens == c->keys)
        snprintf(size, sizeof size, "%zu", c->tokens);
    else
        snprintf(size, sizeof size, "%zu to %zu", c->tokens, c->keys);
    printf("%-11s %5zu %12s %5zu  %-8s %9.2f %9.2f … %-9.2f %8.1f %7.2f %s\n",
           sac_score_name(c->score), c->heads, size, c->dim, mask_names[c->mask], 1e3 * median,
           1e3 * bench_quantile(&subject->times, 0), 1e3 * bench_quantile(&subject->times, 1),
           operations(c) / median * 1e-9, share_of_limit(c, median, limits),
           is_memory_bound(c) ? "of copy" : "of peak");
}

static void print_all(sac_device *device, const bench_subject *subjects, const bench_limits *limits)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    printf("attention on %s\nlimits: %.0f GFLOP/s in multiply-adds, %.1f GB/s copied\n\n", name,
           limits->peak_gflops, limits->copy_gbs);
    printf("%-11s %5s %12s %5s  %-8s %9s %21s %8s %7s\n", "score", "heads", "tokens", "dim", "mask",
           "ms", "fastest … slowest", "GFLOP/s", "share");
    for (int i = 0; i < CASES; i++)
        print_case(&cases[i], &subjects[i], limits);
}

static void add_all(cJSON *json, sac_device *device, const bench_subject *subjects,
                    const bench_limits *limits)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    cJSON_AddStringToObject(json, "device", name);
    cJSON_AddNumberToObject(json, "peak_gflops", limits->peak_gflops);
    cJSON_AddNumberToObject(json, "copy_gbs", limits->copy_gbs);
    cJSON *list = cJSON_AddArrayToObject(json, "cases");
    for (int i = 0; i < CASES; i++)
        add_case(list, &cases[i], &subjects[i], limits);
}

sac_status bench_attention(sac_device *device, cJSON *json, sac_error *error)
{
    bench_limits limits = {0};
    bench_subject *subjects = calloc(CASES, sizeof *subjects);
    if (!subjects)
        return sac_fail(error, SAC_E_MEMORY, "bench", NULL, "no memory for its table");
    sac_status status = bench_measure_limits(device, &limits, error);
    for (int i = 0; i < CASES && status == SAC_OK; i++)
        status = prepare(device, &cases[i], &subjects[i], error);
    if (status == SAC_OK)
        status = run_all(subjects, error);
    cli_progress_clear();
    if (status == SAC_OK)
        status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK && json)
        add_all(json, device, subjects, &limits);
    else if (status == SAC_OK)
        print_all(device, subjects, &limits);
    for (int i = 0; i < CASES; i++) {
        sac_attention_destroy(subjects[i].attention);
        free(subjects[i].output);
    }
    free(subjects);
    return status;
}
