/* One benchmark of a tuning: an attention, and its times with shapes of tiles in turn. */

#include "attention/tune/tune_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"

#define BOUND 1e-5   /* between two right outputs: float32 rounding gives 1e-6 */
#define HOPELESS 1.1 /* times as slow in every pair */
#define FEWEST_PAIRS 3

static size_t output_floats(const sac_tune_bench *bench)
{
    return bench->problem.heads * bench->problem.queries * bench->problem.dim;
}

static sac_status create_shaped(const sac_tune_bench *bench, const sac_tiling *tiling,
                                sac_attention **attention, sac_error *error)
{
    sac_attention_input input = {
        .query = &bench->arrays[0], .key = &bench->arrays[1], .value = &bench->arrays[2]};
    sac_attention_shape shape;
    sac_status status = sac_attention_resolve(&bench->spec, &input, &shape, error);
    if (status == SAC_OK)
        status = sac_attention_build(bench->device, &bench->spec, &shape, &input, tiling, attention,
                                     error);
    return status;
}

static sac_status run_whole(const sac_tune_bench *bench, sac_attention *attention, float *output,
                            sac_error *error)
{
    return sac_attention_run(attention, &(sac_attention_output){.output = output}, bench->progress,
                             error);
}

/* Uniform, of mean 0 and variance 1. */
static sac_status make_arrays(sac_tune_bench *bench, sac_error *error)
{
    const sac_tune_problem *problem = &bench->problem;
    sac_status status = SAC_OK;
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        size_t shape[] = {1, problem->heads, i == 0 ? problem->queries : problem->keys,
                          problem->dim};
        status = sac_array_create(SAC_F32, 4, shape, &bench->arrays[i], error);
        float *data = bench->arrays[i].data;
        for (size_t j = 0; status == SAC_OK && j < sac_array_count(&bench->arrays[i]); j++)
            data[j] = (sac_philox_uniform((uint32_t)j, (uint32_t)i, 1) - 0.5f) * 3.4641016f;
    }
    return status;
}

sac_status sac_tune_bench_create(sac_device *device, sac_variant variant,
                                 const sac_tune_problem *problem, const sac_progress *progress,
                                 sac_tune_bench *bench, sac_error *error)
{
    *bench = (sac_tune_bench){.device = device,
                              .progress = progress,
                              .problem = *problem,
                              .spec = {.causal = problem->causal, .variant = variant}};
    sac_status status = make_arrays(bench, error);
    bench->output = malloc(output_floats(bench) * sizeof(float));
    bench->other = malloc(output_floats(bench) * sizeof(float));
    if (status == SAC_OK && (!bench->output || !bench->other))
        status = sac_no_memory(error, "tune");
    if (status == SAC_OK)
        status = create_shaped(bench, sac_tiling_shipped(&device->info, variant), &bench->shipped,
                               error);
    return status == SAC_OK ? run_whole(bench, bench->shipped, bench->output, error) : status;
}

void sac_tune_bench_free(sac_tune_bench *bench)
{
    for (int i = 0; i < 3; i++)
        sac_array_free(&bench->arrays[i]);
    sac_attention_destroy(bench->shipped);
    free(bench->output);
    free(bench->other);
    *bench = (sac_tune_bench){0};
}

/* ‖other − output‖ / ‖output‖ */
static double difference(const sac_tune_bench *bench)
{
    double apart = 0, whole = 0;
    for (size_t i = 0; i < output_floats(bench); i++) {
        double usual = bench->output[i], error = bench->other[i] - usual;
        apart += error * error;
        whole += usual * usual;
    }
    return sqrt(apart / whole);
}

sac_status sac_tune_bench_prepare(sac_tune_bench *bench, const sac_tiling *tiling,
                                  sac_attention **attention, sac_error *error)
{
    sac_status status = create_shaped(bench, tiling, attention, error);
    if (status == SAC_OK)
        status = run_whole(bench, *attention, bench->other, error);
    if (status != SAC_OK)
        return status;
    double apart = difference(bench);
    if (!(apart <= BOUND))
        return sac_fail(error, SAC_E_VALUE, "output", NULL, "wrong numbers: it is off by %.1e",
                        apart);
    return SAC_OK;
}

/* ---------------------------------------------------------------- comparing */

typedef struct pair_log {
    int pairs;
    double ratios[SAC_TUNE_PAIRS], seconds[SAC_TUNE_PAIRS], shipped[SAC_TUNE_PAIRS];
} pair_log;

static sac_status time_run(const sac_tune_bench *bench, sac_attention *attention, double *seconds,
                           sac_error *error)
{
    double start = sac_now();
    sac_status status = sac_attend_matrices(attention, 0, attention->matrices, 0,
                                            attention->shape.queries, true, bench->progress, error);
    *seconds = sac_now() - start;
    return status;
}

/* One run of each, now the one first and now the other: neither is always on the other's heels. */
static sac_status time_pair(const sac_tune_bench *bench, sac_attention *attention, pair_log *log,
                            sac_error *error)
{
    int i = log->pairs++;
    bool first = i % 2;
    double *own = &log->seconds[i], *usual = &log->shipped[i];
    sac_attention *shipped = bench->shipped;
    sac_status status = time_run(bench, first ? attention : shipped, first ? own : usual, error);
    if (status == SAC_OK)
        status = time_run(bench, first ? shipped : attention, first ? usual : own, error);
    log->ratios[i] = *own / fmax(*usual, 1e-9);
    return status;
}

static bool is_hopeless(const pair_log *log)
{
    double least = INFINITY;
    for (int i = 0; i < log->pairs; i++)
        least = fmin(least, log->ratios[i]);
    return least > HOPELESS;
}

static int count_faster(const pair_log *log)
{
    int faster = 0;
    for (int i = 0; i < log->pairs; i++)
        faster += log->ratios[i] < 1;
    return faster;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[count / 2] + values[(count - 1) / 2]) / 2;
}

sac_status sac_tune_compare(const sac_tune_bench *bench, sac_attention *attention, int most,
                            double seconds, sac_tune_comparison *comparison, sac_error *error)
{
    pair_log log = {0};
    double start = sac_now();
    bool is_over = false;
    sac_status status = SAC_OK;
    while (status == SAC_OK && !is_over && log.pairs < most) {
        status = time_pair(bench, attention, &log, error);
        is_over = log.pairs >= FEWEST_PAIRS && (sac_now() - start > seconds || is_hopeless(&log));
    }
    *comparison = (sac_tune_comparison){.pairs = log.pairs,
                                        .faster = count_faster(&log),
                                        .ratio = median(log.ratios, log.pairs),
                                        .seconds = median(log.seconds, log.pairs),
                                        .shipped = median(log.shipped, log.pairs)};
    return status;
}
