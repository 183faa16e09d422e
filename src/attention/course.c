#include "attention/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

#define BOUND 1e-5   /* between two right outputs: float32 rounding gives 1e-6 */
#define HOPELESS 1.1 /* times as slow in every pair */
#define FEWEST_PAIRS 3

static size_t output_floats(const sac_course *course)
{
    return course->kind.heads * course->kind.queries * course->kind.dim;
}

static sac_status create_shaped(const sac_course *course, const sac_tiling *tiling,
                                sac_attention **attention, sac_error *error)
{
    sac_attention_input input = {
        .query = &course->arrays[0], .key = &course->arrays[1], .value = &course->arrays[2]};
    return sac_attention_create_tiled(course->device, &course->spec, &input, tiling, attention,
                                      error);
}

static sac_status run_whole(const sac_course *course, sac_attention *attention, float *output,
                            sac_error *error)
{
    return sac_attention_run(attention, &(sac_attention_output){.output = output}, course->progress,
                             error);
}

/* Uniform, of mean 0 and variance 1. */
static sac_status make_arrays(sac_course *course, sac_error *error)
{
    const sac_course_kind *kind = &course->kind;
    sac_status status = SAC_OK;
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        size_t shape[] = {1, kind->heads, i == 0 ? kind->queries : kind->keys, kind->dim};
        status = sac_array_create(SAC_F32, 4, shape, &course->arrays[i], error);
        float *data = course->arrays[i].data;
        for (size_t j = 0; status == SAC_OK && j < sac_array_count(&course->arrays[i]); j++)
            data[j] = (sac_philox_uniform((uint32_t)j, (uint32_t)i, 1) - 0.5f) * 3.4641016f;
    }
    return status;
}

sac_status sac_course_create(sac_device *device, sac_variant variant, const sac_course_kind *kind,
                             const sac_progress *progress, sac_course *course, sac_error *error)
{
    *course = (sac_course){.device = device,
                           .progress = progress,
                           .kind = *kind,
                           .spec = {.causal = kind->causal, .variant = variant}};
    sac_status status = make_arrays(course, error);
    course->output = malloc(output_floats(course) * sizeof(float));
    course->other = malloc(output_floats(course) * sizeof(float));
    if (status == SAC_OK && (!course->output || !course->other))
        status = sac_fail(error, SAC_E_MEMORY, "tune", NULL, "no memory");
    if (status == SAC_OK)
        status = create_shaped(course, sac_tiling_shipped(&device->info, variant), &course->shipped,
                               error);
    return status == SAC_OK ? run_whole(course, course->shipped, course->output, error) : status;
}

void sac_course_free(sac_course *course)
{
    for (int i = 0; i < 3; i++)
        sac_array_free(&course->arrays[i]);
    sac_attention_destroy(course->shipped);
    free(course->output);
    free(course->other);
    *course = (sac_course){0};
}

/* ‖other − output‖ / ‖output‖ */
static double difference(const sac_course *course)
{
    double apart = 0, whole = 0;
    for (size_t i = 0; i < output_floats(course); i++) {
        double usual = course->output[i], error = course->other[i] - usual;
        apart += error * error;
        whole += usual * usual;
    }
    return sqrt(apart / whole);
}

sac_status sac_course_prepare(sac_course *course, const sac_tiling *tiling,
                              sac_attention **attention, sac_error *error)
{
    sac_status status = create_shaped(course, tiling, attention, error);
    if (status == SAC_OK)
        status = run_whole(course, *attention, course->other, error);
    if (status != SAC_OK)
        return status;
    double apart = difference(course);
    if (!(apart <= BOUND))
        return sac_fail(error, SAC_E_VALUE, "output", NULL, "wrong numbers: it is off by %.1e",
                        apart);
    return SAC_OK;
}

/* ---------------------------------------------------------------- racing */

typedef struct race_log {
    int pairs;
    double ratios[SAC_RACE_PAIRS], seconds[SAC_RACE_PAIRS], shipped[SAC_RACE_PAIRS];
} race_log;

static sac_status time_run(const sac_course *course, sac_attention *attention, double *seconds,
                           sac_error *error)
{
    double start = sac_now();
    sac_status status = sac_attend(attention, 0, attention->matrices, 0, attention->shape.queries,
                                   true, course->progress, error);
    *seconds = sac_now() - start;
    return status;
}

/* One run of each, now the one first and now the other: neither is always on the other's heels. */
static sac_status time_pair(const sac_course *course, sac_attention *attention, race_log *log,
                            sac_error *error)
{
    int i = log->pairs++;
    bool first = i % 2;
    double *own = &log->seconds[i], *usual = &log->shipped[i];
    sac_attention *shipped = course->shipped;
    sac_status status = time_run(course, first ? attention : shipped, first ? own : usual, error);
    if (status == SAC_OK)
        status = time_run(course, first ? shipped : attention, first ? usual : own, error);
    log->ratios[i] = *own / fmax(*usual, 1e-9);
    return status;
}

static bool is_hopeless(const race_log *log)
{
    double least = INFINITY;
    for (int i = 0; i < log->pairs; i++)
        least = fmin(least, log->ratios[i]);
    return least > HOPELESS;
}

static int count_won(const race_log *log)
{
    int won = 0;
    for (int i = 0; i < log->pairs; i++)
        won += log->ratios[i] < 1;
    return won;
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

sac_status sac_course_race(const sac_course *course, sac_attention *attention, int most,
                           double seconds, sac_race *race, sac_error *error)
{
    race_log log = {0};
    double start = sac_now();
    bool is_over = false;
    sac_status status = SAC_OK;
    while (status == SAC_OK && !is_over && log.pairs < most) {
        status = time_pair(course, attention, &log, error);
        is_over = log.pairs >= FEWEST_PAIRS && (sac_now() - start > seconds || is_hopeless(&log));
    }
    *race = (sac_race){.pairs = log.pairs,
                       .won = count_won(&log),
                       .ratio = median(log.ratios, log.pairs),
                       .seconds = median(log.seconds, log.pairs),
                       .shipped = median(log.shipped, log.pairs)};
    return status;
}
