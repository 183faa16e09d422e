/* The search for the fastest shape of tiles: coordinate descent from the shipped one, by the clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/plan/tuning.h"
#include "attention/run/run.h"
#include "attention/selftest/selftest.h"
#include "attention/spec/resolve.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/order.h"
#include "base/random/random.h"
#include "saccade_tools.h"

/* ---------------------------------------------------------------- timing */

/* Scaled-dot attention of random queries, keys and values. */
typedef struct bench_problem {
    size_t heads, queries, keys, dim;
    bool causal;
} bench_problem;

typedef struct timing {
    sac_device *device;
    const sac_progress *progress; /* asked after every launch; may be NULL */
    bench_problem problem;
    sac_attention_spec spec;
    sac_array arrays[3];    /* query, key, value [1,H,T,d] */
    sac_attention *shipped; /* NULL: it was not created yet */
    float *output, *other;  /* the shipped shape's [1,H,Tq,d], and space for another */
} timing;

/* Medians over pairs of runs, of one shape and the shipped one: what slows the machine slows both.
 */
typedef struct comparison {
    int pairs, faster;       /* faster: in how many it was the faster one */
    double ratio;            /* the ratio of the shape's time to the shipped one's, pair by pair */
    double seconds, shipped; /* of a run of each: the kernels alone, nothing is read back */
} comparison;
enum { MOST_PAIRS = 31 };

#define BOUND 1e-5   /* between two right outputs: float32 rounding gives 1e-6 */
#define HOPELESS 1.1 /* times as slow in every pair */
#define FEWEST_PAIRS 3

static size_t output_floats(const timing *bench)
{
    return bench->problem.heads * bench->problem.queries * bench->problem.dim;
}

static sac_status create_with_tiling(const timing *bench, const sac_tiling *tiling,
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

static sac_status run_whole(const timing *bench, sac_attention *attention, float *output,
                            sac_error *error)
{
    return sac_attention_run(attention, &(sac_attention_output){.output = output}, bench->progress,
                             error);
}

/* Uniform, of mean 0 and variance 1. */
static sac_status make_arrays(timing *bench, sac_error *error)
{
    const bench_problem *problem = &bench->problem;
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

/* Leaves something to free_bench also where it fails. */
static sac_status create_bench(sac_device *device, sac_variant variant,
                               const bench_problem *problem, const sac_progress *progress,
                               timing *bench, sac_error *error)
{
    *bench = (timing){.device = device,
                      .progress = progress,
                      .problem = *problem,
                      .spec = {.causal = problem->causal, .variant = variant}};
    sac_status status = make_arrays(bench, error);
    bench->output = malloc(output_floats(bench) * sizeof(float));
    bench->other = malloc(output_floats(bench) * sizeof(float));
    if (status == SAC_OK && (!bench->output || !bench->other))
        status = sac_no_memory(error, "tune");
    if (status == SAC_OK)
        status = create_with_tiling(bench, sac_tiling_shipped(&device->info, variant),
                                    &bench->shipped, error);
    return status == SAC_OK ? run_whole(bench, bench->shipped, bench->output, error) : status;
}

static void free_bench(timing *bench)
{
    for (int i = 0; i < 3; i++)
        sac_array_free(&bench->arrays[i]);
    sac_attention_destroy(bench->shipped);
    free(bench->output);
    free(bench->other);
    *bench = (timing){0};
}

/* ‖other − output‖ / ‖output‖ */
static double output_difference(const timing *bench)
{
    double apart = 0, whole = 0;
    for (size_t i = 0; i < output_floats(bench); i++) {
        double usual = bench->output[i], error = bench->other[i] - usual;
        apart += error * error;
        whole += usual * usual;
    }
    return sqrt(apart / whole);
}

/* Prepares another shape and runs it once, which compiles it. *attention is the caller's to destroy
 * in any case. SAC_E_VALUE where its output is not the shipped shape's. */
static sac_status build_and_check_tiling(timing *bench, const sac_tiling *tiling,
                                         sac_attention **attention, sac_error *error)
{
    sac_status status = create_with_tiling(bench, tiling, attention, error);
    if (status == SAC_OK)
        status = run_whole(bench, *attention, bench->other, error);
    if (status != SAC_OK)
        return status;
    double apart = output_difference(bench);
    if (!(apart <= BOUND))
        return sac_fail(error, SAC_E_VALUE, "output", NULL, "wrong numbers: it is off by %.1e",
                        apart);
    return SAC_OK;
}

/* ---------------------------------------------------------------- comparing */

typedef struct pair_log {
    int pairs;
    double ratios[MOST_PAIRS], seconds[MOST_PAIRS], shipped[MOST_PAIRS];
} pair_log;

static sac_status time_run(const timing *bench, sac_attention *attention, double *seconds,
                           sac_error *error)
{
    double start = sac_now();
    sac_status status = sac_attend_matrices(attention, 0, attention->matrices, 0,
                                            attention->shape.queries, true, bench->progress, error);
    *seconds = sac_now() - start;
    return status;
}

/* One run of each, now the one first and now the other: neither is always on the other's heels. */
static sac_status time_pair(const timing *bench, sac_attention *attention, pair_log *log,
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

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, sac_compare_doubles);
    return (values[count / 2] + values[(count - 1) / 2]) / 2;
}

/* At least 3 pairs; more, up to `most`, as long as they fit into `seconds` and the shape is not
 * much slower in every one of them. `attention` has run before. */
static sac_status compare_with_shipped(const timing *bench, sac_attention *attention, int most,
                                       double seconds, comparison *result, sac_error *error)
{
    pair_log log = {0};
    double start = sac_now();
    bool is_over = false;
    sac_status status = SAC_OK;
    while (status == SAC_OK && !is_over && log.pairs < most) {
        status = time_pair(bench, attention, &log, error);
        is_over = log.pairs >= FEWEST_PAIRS && (sac_now() - start > seconds || is_hopeless(&log));
    }
    *result = (comparison){.pairs = log.pairs,
                           .faster = count_faster(&log),
                           .ratio = median(log.ratios, log.pairs),
                           .seconds = median(log.seconds, log.pairs),
                           .shipped = median(log.shipped, log.pairs)};
    return status;
}

/* ---------------------------------------------------------------- the search */

#define USUAL_SECONDS 20.0
#define RUN_SECONDS 0.008 /* of a run, at least: long enough to be timed */
#define GAIN 0.98         /* a faster shape takes at most this share of the shipped one's time */
#define STEP 0.99         /* the search moves for less */
enum { HEADS = 8, DIM = 64, FEWEST_TOKENS = 128, MOST_TOKENS = 16384 };

/* Pairs of runs: so many, where they fit into so many seconds. */
typedef struct budget {
    int pairs;
    double seconds;
} budget;
static const budget brief = {15, 0.4}, thorough = {MOST_PAIRS, 1.0};

/* The benchmarks: the first is made faster, the others must not become slower. */
enum { PLAIN, CAUSAL, WIDE, QUERY, BENCHES };
static const struct {
    const budget *budget;
    double most; /* of the shipped shape's time; a single query waits for memory and varies more */
    const char *reason;
} requirements[BENCHES] = {
    [PLAIN] = {&thorough, GAIN, "not faster when measured again"},
    [CAUSAL] = {&brief, 1.02, "slower with a causal mask"},
    [WIDE] = {&brief, 1.02, "slower with heads twice as large"},
    [QUERY] = {&brief, 1.05, "slower with a single query"},
};

typedef struct search {
    sac_device *device;
    const sac_progress *wanted; /* the caller's; may be NULL */
    sac_progress progress;      /* of the runs */
    sac_tune_report *report;
    sac_tiling tilings[SAC_TUNE_TRIALS]; /* of the report's trials */
    timing benches[BENCHES];
    double start, limit; /* seconds */
    double building;     /* seconds that all candidates took to build */
} search;

/* ---------------------------------------------------------------- the clock */

static double elapsed_seconds(const search *self)
{
    return sac_now() - self->start;
}

/* The progress of a run is not that of the whole, which is measured by the clock. */
static bool may_continue(void *user, double done)
{
    const search *self = user;
    const sac_progress *wanted = self->wanted;
    (void)done;
    return !wanted || !wanted->step ||
           wanted->step(wanted->user, fmin(elapsed_seconds(self) / self->limit, 1));
}

/* Seconds that a candidate takes to build. */
static double build_seconds(const search *self)
{
    size_t tried = self->report->count - 1;
    return tried ? self->building / (double)tried : 1.0;
}

/* Seconds for the comparisons on all benches. */
static double comparison_seconds(const search *self)
{
    double seconds = 0;
    for (int i = 0; i < BENCHES; i++)
        seconds += requirements[i].budget->seconds;
    return fmin(seconds, self->limit / 2);
}

/* Seconds that the confirmation may take: the comparisons, some twenty runs to prepare them, and
 * two builds for the self-test. */
static double confirmation_seconds(const search *self)
{
    double seconds = 20 * self->report->trials[0].seconds + 2 * build_seconds(self);
    return fmin(comparison_seconds(self) + seconds, self->limit / 2);
}

static bool may_try(const search *self)
{
    double next = build_seconds(self) + brief.seconds;
    return self->report->count < SAC_TUNE_TRIALS &&
           elapsed_seconds(self) + next + confirmation_seconds(self) < self->limit;
}

/* ---------------------------------------------------------------- measuring */

static sac_status create_numbered_bench(search *self, int which, sac_error *error)
{
    size_t tokens = self->report->tokens;
    bench_problem problem = {HEADS, tokens, tokens, DIM, which == CAUSAL};
    if (which == WIDE)
        problem.dim = 2 * DIM;
    if (which == QUERY) {
        problem.queries = 1;
        problem.keys = MOST_TOKENS;
    }
    return create_bench(self->device, self->report->variant, &problem, &self->progress,
                        &self->benches[which], error);
}

/* Why a candidate is out of the question. */
static void reject(sac_tune_trial *trial, const char *why)
{
    snprintf(trial->message, sizeof trial->message, "%.*s", (int)sizeof trial->message - 1, why);
}

/* Measures on one bench: the median ratio. Where a candidate does not build or computes wrong, its
 * trial records why. An error comes from the shipped shape only, or from a request to stop. */
static sac_status measure(search *self, int which, size_t index, const budget *most, comparison *c,
                          sac_error *error)
{
    timing *bench = &self->benches[which];
    sac_attention *attention = NULL;
    sac_error own = {0};
    *c = (comparison){.ratio = INFINITY};
    sac_status status = build_and_check_tiling(bench, &self->tilings[index], &attention, &own);
    if (status == SAC_OK) {
        double seconds = fmin(most->seconds, self->limit - elapsed_seconds(self));
        status = compare_with_shipped(bench, attention, most->pairs, seconds, c, error);
    } else if (status != SAC_E_CANCELLED) {
        reject(&self->report->trials[index], own.what);
        status = SAC_OK;
    }
    sac_attention_destroy(attention);
    return status;
}

/* On the bench that decides, the trial takes the figures. */
static void record_figures(search *self, size_t index, const comparison *c)
{
    sac_tune_trial *trials = self->report->trials;
    if (c->pairs == 0)
        return;
    trials[index].seconds = c->seconds;
    trials[index].ratio = c->ratio;
    trials[0].seconds = c->shipped;
}

/* ---------------------------------------------------------------- searching */

/* Adds a trial of that shape. */
static size_t add_trial(search *self, const sac_tiling *tiling)
{
    size_t index = self->report->count++;
    self->tilings[index] = *tiling;
    self->report->trials[index] = (sac_tune_trial){
        .tile_rows = tiling->tile_rows,
        .tile_keys = tiling->block_keys,
        .register_rows = tiling->micro_rows ? tiling->micro_rows : tiling->rows_each,
        .register_keys = tiling->width ? 2 * tiling->width : tiling->keys_each,
        .strip_rows = tiling->weight_rows,
        .depth = tiling->depth,
    };
    return index;
}

static bool was_tried(const search *self, const sac_tiling *tiling)
{
    for (size_t i = 0; i < self->report->count; i++)
        if (memcmp(&self->tilings[i], tiling, sizeof *tiling) == 0)
            return true;
    return false;
}

static bool is_measured(const sac_tune_trial *trial)
{
    return trial->seconds > 0 && !trial->message[0];
}

/* Tries every value of one number of shape *best, which moves to the fastest. */
static sac_status search_tiling_number(search *self, size_t which, size_t *best, sac_error *error)
{
    sac_tiling list[SAC_TUNING_VALUES];
    sac_tune_trial *trials = self->report->trials;
    size_t from = *best, count = sac_tuning_candidates(&self->device->info, self->report->variant,
                                                       which, &self->tilings[from], list);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK && may_try(self); i++) {
        if (was_tried(self, &list[i]))
            continue;
        size_t index = add_trial(self, &list[i]);
        double start = sac_now();
        comparison c;
        status = measure(self, PLAIN, index, &brief, &c, error);
        record_figures(self, index, &c);
        self->building += fmax(sac_now() - start - brief.seconds, 0);
        if (is_measured(&trials[index]) &&
            trials[index].ratio < (*best == from ? STEP : 1) * trials[*best].ratio)
            *best = index;
    }
    return status;
}

/* ---------------------------------------------------------------- the confirmation */

/* The fastest that is still in question; 0 where none is faster than the shipped shape. */
static size_t fastest_trial(const search *self)
{
    const sac_tune_trial *trials = self->report->trials;
    size_t best = 0;
    for (size_t i = 1; i < self->report->count; i++)
        if (is_measured(&trials[i]) && trials[i].ratio <= GAIN &&
            (best == 0 || trials[i].ratio < trials[best].ratio))
            best = i;
    return best;
}

/* Three quarters of all pairs have to agree on a gain: else it is the machine's unrest. */
static bool meets_requirement(int which, const comparison *c)
{
    return c->ratio <= requirements[which].most &&
           (which != PLAIN || 4 * c->faster >= 3 * c->pairs);
}

static sac_status confirm_on_bench(search *self, int which, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    comparison c;
    sac_status status = SAC_OK;
    if (elapsed_seconds(self) > self->limit) {
        reject(trial, "time was up before it was judged");
        return SAC_OK;
    }
    if (!self->benches[which].shipped)
        status = create_numbered_bench(self, which, error);
    if (status == SAC_OK)
        status = measure(self, which, index, requirements[which].budget, &c, error);
    if (status != SAC_OK || trial->message[0])
        return status;
    if (which == PLAIN)
        record_figures(self, index, &c);
    if (!meets_requirement(which, &c))
        reject(trial, requirements[which].reason);
    return SAC_OK;
}

/* Measures the fastest once more and longer, since the fastest of many was also lucky, and on the
 * other benchmarks, and runs the self-test. Its trial records why it is rejected. */
static sac_status confirm_fastest(search *self, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    sac_status status = SAC_OK;
    for (int which = 0; which < BENCHES && status == SAC_OK && !trial->message[0]; which++)
        status = confirm_on_bench(self, which, index, error);
    if (status == SAC_OK && !trial->message[0] &&
        !sac_tiling_passes(self->device, self->report->variant, SAC_SCORE_DOT, false,
                           SAC_STORAGE_F32, &self->tilings[index]))
        reject(trial, "fails the self-test");
    if (status == SAC_OK)
        status = sac_cancel_check("tune", error); /* it may fail for that */
    return status;
}

static sac_status choose_variant(search *self, sac_error *error)
{
    sac_variant *variant = &self->report->variant;
    sac_status status = sac_variant_choose(self->device, SAC_SCORE_DOT, false,
                                           SAC_NORMALIZER_SOFTMAX, SAC_STORAGE_F32, variant, error);
    if (status == SAC_OK && *variant == SAC_VARIANT_NAIVE)
        return sac_fail(error, SAC_E_DEVICE, self->device->info.name,
                        "choose another device (see: saccade devices)",
                        "only the simplest kernels are right on it, and they have no tiles");
    if (*variant == SAC_VARIANT_MATRIX) /* whose registers allow one shape */
        *variant = SAC_VARIANT_GPU;
    return status;
}

static sac_status run(search *self, sac_error *error)
{
    sac_tune_report *report = self->report;
    sac_status status = choose_variant(self, error);
    if (status != SAC_OK)
        return status;
    add_trial(self, sac_tiling_shipped(&self->device->info, report->variant));
    report->trials[0].ratio = 1;
    /* Finds a number of tokens that makes a run long enough. */
    comparison c = {0};
    status = SAC_OK;
    self->report->tokens = FEWEST_TOKENS / 2;
    while (status == SAC_OK && c.shipped < RUN_SECONDS && self->report->tokens < MOST_TOKENS) {
        timing *plain = &self->benches[PLAIN];
        free_bench(plain);
        self->report->tokens *= 2;
        status = create_numbered_bench(self, PLAIN, error);
        if (status == SAC_OK)
            status = compare_with_shipped(plain, plain->shipped, 1, 0, &c, error);
    }
    self->report->trials[0].seconds = c.shipped;
    if (status == SAC_OK) {
        /* Until no number can be changed for the better, or time is up. */
        size_t numbers = sac_tuning_number_count(self->report->variant), best = 0, unmoved = 0;
        for (size_t which = 0; unmoved < numbers && status == SAC_OK && may_try(self);
             which = (which + 1) % numbers) {
            size_t from = best;
            status = search_tiling_number(self, which, &best, error);
            unmoved = best == from ? unmoved + 1 : 0;
        }
    }
    size_t best;
    /* Another confirmation should not be broken off in the middle. */
    while (status == SAC_OK && report->kept == 0 &&
           elapsed_seconds(self) + comparison_seconds(self) / 2 < self->limit &&
           (best = fastest_trial(self))) {
        status = confirm_fastest(self, best, error);
        report->kept = report->trials[best].message[0] ? 0 : best;
    }
    return status;
}

sac_status sac_tune_run(sac_device *device, double seconds, const sac_progress *progress,
                        sac_tune_report *report, sac_error *error)
{
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(report, "report", error);
    if (status != SAC_OK)
        return status;
    search *self = calloc(1, sizeof *self);
    *report = (sac_tune_report){.heads = HEADS, .dim = DIM};
    if (!self)
        return sac_no_memory(error, "tune");
    sac_device_lock(device);
    self->device = device;
    self->wanted = progress;
    self->progress = (sac_progress){may_continue, self};
    self->report = report;
    self->start = sac_now();
    self->limit = seconds > 0 ? seconds : USUAL_SECONDS;
    status = run(self, error);
    if (status == SAC_OK)
        sac_tuning_set(device, report->variant, report->kept ? &self->tilings[report->kept] : NULL);
    if (status == SAC_E_CANCELLED)
        sac_fail(error, status, "tune", NULL, "stopped; nothing has changed");
    report->seconds = elapsed_seconds(self);
    for (int i = 0; i < BENCHES; i++)
        free_bench(&self->benches[i]);
    sac_device_unlock(device);
    free(self);
    return status;
}

void sac_tune_reset(sac_device *device)
{
    if (!device)
        return;
    sac_device_lock(device);
    sac_tuning_set(device, SAC_VARIANT_AUTO, NULL);
    sac_device_unlock(device);
}
