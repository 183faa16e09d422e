/* The search for the fastest shape of tiles: coordinate descent from the shipped one, by the clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/plan/tuning.h"
#include "attention/selftest/selftest.h"
#include "attention/tune/tune_bench.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "saccade_tools.h"

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
static const budget brief = {15, 0.4}, thorough = {SAC_TUNE_PAIRS, 1.0};

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
    sac_tune_bench benches[BENCHES];
    double start, limit; /* seconds */
    double building;     /* seconds that all candidates took to build */
} search;

/* ---------------------------------------------------------------- the clock */

static double elapsed(const search *self)
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
           wanted->step(wanted->user, fmin(elapsed(self) / self->limit, 1));
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
static double reserve(const search *self)
{
    double seconds = 20 * self->report->trials[0].seconds + 2 * build_seconds(self);
    return fmin(comparison_seconds(self) + seconds, self->limit / 2);
}

/* Another confirmation should not be broken off in the middle. */
static bool may_confirm(const search *self)
{
    return elapsed(self) + comparison_seconds(self) / 2 < self->limit;
}

static bool may_try(const search *self)
{
    double next = build_seconds(self) + brief.seconds;
    return self->report->count < SAC_TUNE_TRIALS &&
           elapsed(self) + next + reserve(self) < self->limit;
}

/* ---------------------------------------------------------------- measuring */

static sac_status create_bench(search *self, int which, sac_error *error)
{
    size_t tokens = self->report->tokens;
    sac_tune_problem problem = {HEADS, tokens, tokens, DIM, which == CAUSAL};
    if (which == WIDE)
        problem.dim = 2 * DIM;
    if (which == QUERY) {
        problem.queries = 1;
        problem.keys = MOST_TOKENS;
    }
    return sac_tune_bench_create(self->device, self->report->variant, &problem, &self->progress,
                                 &self->benches[which], error);
}

/* Why a candidate is out of the question. */
static void reject(sac_tune_trial *trial, const char *why)
{
    snprintf(trial->message, sizeof trial->message, "%.*s", (int)sizeof trial->message - 1, why);
}

/* Measures on one bench: the median ratio. Where a candidate does not build or computes wrong, its
 * trial records why. An error comes from the shipped shape only, or from a request to stop. */
static sac_status measure(search *self, int which, size_t index, const budget *most,
                          sac_tune_comparison *c, sac_error *error)
{
    sac_tune_bench *bench = &self->benches[which];
    sac_attention *attention = NULL;
    sac_error own = {0};
    *c = (sac_tune_comparison){.ratio = INFINITY};
    sac_status status = sac_tune_bench_prepare(bench, &self->tilings[index], &attention, &own);
    if (status == SAC_OK) {
        double seconds = fmin(most->seconds, self->limit - elapsed(self));
        status = sac_tune_compare(bench, attention, most->pairs, seconds, c, error);
    } else if (status != SAC_E_CANCELLED) {
        reject(&self->report->trials[index], own.what);
        status = SAC_OK;
    }
    sac_attention_destroy(attention);
    return status;
}

/* On the bench that decides, the trial takes the figures. */
static void take_figures(search *self, size_t index, const sac_tune_comparison *c)
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
static sac_status search_along(search *self, size_t which, size_t *best, sac_error *error)
{
    sac_tiling list[SAC_TUNING_VALUES];
    sac_tune_trial *trials = self->report->trials;
    size_t from = *best, count = sac_tuning_along(&self->device->info, self->report->variant, which,
                                                  &self->tilings[from], list);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK && may_try(self); i++) {
        if (was_tried(self, &list[i]))
            continue;
        size_t index = add_trial(self, &list[i]);
        double start = sac_now();
        sac_tune_comparison c;
        status = measure(self, PLAIN, index, &brief, &c, error);
        take_figures(self, index, &c);
        self->building += fmax(sac_now() - start - brief.seconds, 0);
        if (is_measured(&trials[index]) &&
            trials[index].ratio < (*best == from ? STEP : 1) * trials[*best].ratio)
            *best = index;
    }
    return status;
}

/* ---------------------------------------------------------------- the confirmation */

/* The fastest that is still in question; 0 where none is faster than the shipped shape. */
static size_t fastest(const search *self)
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
static bool meets_requirement(int which, const sac_tune_comparison *c)
{
    return c->ratio <= requirements[which].most &&
           (which != PLAIN || 4 * c->faster >= 3 * c->pairs);
}

static sac_status confirm_on(search *self, int which, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    sac_tune_comparison c;
    sac_status status = SAC_OK;
    if (elapsed(self) > self->limit) {
        reject(trial, "time was up before it was judged");
        return SAC_OK;
    }
    if (!self->benches[which].shipped)
        status = create_bench(self, which, error);
    if (status == SAC_OK)
        status = measure(self, which, index, requirements[which].budget, &c, error);
    if (status != SAC_OK || trial->message[0])
        return status;
    if (which == PLAIN)
        take_figures(self, index, &c);
    if (!meets_requirement(which, &c))
        reject(trial, requirements[which].reason);
    return SAC_OK;
}

/* Measures the fastest once more and longer, since the fastest of many was also lucky, and on the
 * other benchmarks, and runs the self-test. Its trial records why it is rejected. */
static sac_status confirm(search *self, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    sac_status status = SAC_OK;
    for (int which = 0; which < BENCHES && status == SAC_OK && !trial->message[0]; which++)
        status = confirm_on(self, which, index, error);
    if (status == SAC_OK && !trial->message[0] &&
        !sac_tiling_passes(self->device, self->report->variant, SAC_SCORE_DOT, false,
                           &self->tilings[index]))
        reject(trial, "fails the self-test");
    if (status == SAC_OK)
        status = sac_cancel_check("tune", error); /* it may fail for that */
    return status;
}

static sac_status choose_variant(search *self, sac_error *error)
{
    sac_variant *variant = &self->report->variant;
    sac_status status =
        sac_variant_choose(self->device, SAC_SCORE_DOT, false, SAC_STORAGE_F32, variant, error);
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
    sac_tune_comparison c = {0};
    status = SAC_OK;
    self->report->tokens = FEWEST_TOKENS / 2;
    while (status == SAC_OK && c.shipped < RUN_SECONDS && self->report->tokens < MOST_TOKENS) {
        sac_tune_bench *plain = &self->benches[PLAIN];
        sac_tune_bench_free(plain);
        self->report->tokens *= 2;
        status = create_bench(self, PLAIN, error);
        if (status == SAC_OK)
            status = sac_tune_compare(plain, plain->shipped, 1, 0, &c, error);
    }
    self->report->trials[0].seconds = c.shipped;
    if (status == SAC_OK) {
        /* Until no number can be changed for the better, or time is up. */
        size_t numbers = sac_tuning_numbers(self->report->variant), best = 0, unmoved = 0;
        for (size_t which = 0; unmoved < numbers && status == SAC_OK && may_try(self);
             which = (which + 1) % numbers) {
            size_t from = best;
            status = search_along(self, which, &best, error);
            unmoved = best == from ? unmoved + 1 : 0;
        }
    }
    size_t best;
    while (status == SAC_OK && report->kept == 0 && may_confirm(self) && (best = fastest(self))) {
        status = confirm(self, best, error);
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
    report->seconds = elapsed(self);
    for (int i = 0; i < BENCHES; i++)
        sac_tune_bench_free(&self->benches[i]);
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
