/* The search for the fastest shape of tiles: coordinate descent from the shipped one, by the clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/course.h"
#include "attention/tuning.h"
#include "base/busy.h"
#include "base/clock.h"
#include "base/error.h"

#define USUAL_SECONDS 20.0
#define RUN_SECONDS 0.008 /* of a run, at least: long enough to be timed */
#define GAIN 0.98         /* a faster shape takes no more than that of the shipped one's time */
#define STEP 0.99         /* the search moves for less */
enum { HEADS = 8, DIM = 64, FEWEST_TOKENS = 128, MOST_TOKENS = 16384 };

/* Pairs of runs: so many, where they fit into so many seconds. */
typedef struct effort {
    int pairs;
    double seconds;
} effort;
static const effort brief = {15, 0.4}, thorough = {SAC_RACE_PAIRS, 1.0};

/* What is measured, and what only must not suffer. */
enum { PLAIN, CAUSAL, WIDE, QUERY, COURSES };
static const struct {
    const effort *effort;
    double most; /* of the shipped shape's time; a single query waits for memory and varies more */
    const char *otherwise;
} demands[COURSES] = {
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
    sac_course courses[COURSES];
    double start, limit; /* seconds */
    double building;     /* seconds that all candidates took to build */
} search;

/* ---------------------------------------------------------------- the clock */

static double elapsed(const search *self)
{
    return sac_now() - self->start;
}

/* A run's own share says nothing of the whole, which goes by the clock. */
static bool go_on(void *user, double done)
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

/* Seconds for races on all courses. */
static double race_seconds(const search *self)
{
    double seconds = 0;
    for (int i = 0; i < COURSES; i++)
        seconds += demands[i].effort->seconds;
    return fmin(seconds, self->limit / 2);
}

/* Seconds that the last judgement may take: the races, some twenty runs to prepare them, and two
 * builds for the self-test. */
static double reserve(const search *self)
{
    double seconds = 20 * self->report->trials[0].seconds + 2 * build_seconds(self);
    return fmin(race_seconds(self) + seconds, self->limit / 2);
}

/* Another judgement should not be broken off in the middle. */
static bool may_judge(const search *self)
{
    return elapsed(self) + race_seconds(self) / 2 < self->limit;
}

static bool may_try(const search *self)
{
    double next = build_seconds(self) + brief.seconds;
    return self->report->count < SAC_TUNE_TRIALS &&
           elapsed(self) + next + reserve(self) < self->limit;
}

/* ---------------------------------------------------------------- measuring */

static sac_status create_course(search *self, int which, sac_error *error)
{
    size_t tokens = self->report->tokens;
    sac_course_kind kind = {HEADS, tokens, tokens, DIM, which == CAUSAL};
    if (which == WIDE)
        kind.dim = 2 * DIM;
    if (which == QUERY) {
        kind.queries = 1;
        kind.keys = MOST_TOKENS;
    }
    return sac_course_create(self->device, self->report->variant, &kind, &self->progress,
                             &self->courses[which], error);
}

/* Why a candidate is out of the question. */
static void object(sac_tune_trial *trial, const char *why)
{
    snprintf(trial->message, sizeof trial->message, "%.*s", (int)sizeof trial->message - 1, why);
}

/* Measures on one course: the median ratio. A candidate that does not build or computes wrong is
 * told in its trial; an error is one of the shipped shape, or a request to stop. */
static sac_status measure(search *self, int which, size_t index, const effort *most, sac_race *race,
                          sac_error *error)
{
    sac_course *course = &self->courses[which];
    sac_attention *attention = NULL;
    sac_error own = {0};
    *race = (sac_race){.ratio = INFINITY};
    sac_status status = sac_course_prepare(course, &self->tilings[index], &attention, &own);
    if (status == SAC_OK) {
        double seconds = fmin(most->seconds, self->limit - elapsed(self));
        status = sac_course_race(course, attention, most->pairs, seconds, race, error);
    } else if (status != SAC_E_CANCELLED) {
        object(&self->report->trials[index], own.what);
        status = SAC_OK;
    }
    sac_attention_destroy(attention);
    return status;
}

/* On the course that decides, the trial takes the figures. */
static void take_figures(search *self, size_t index, const sac_race *race)
{
    sac_tune_trial *trials = self->report->trials;
    if (race->pairs == 0)
        return;
    trials[index].seconds = race->seconds;
    trials[index].ratio = race->ratio;
    trials[0].seconds = race->shipped;
}

/* As many tokens as make a run long enough. */
static sac_status size_plain_course(search *self, sac_error *error)
{
    sac_race race = {0};
    sac_status status = SAC_OK;
    self->report->tokens = FEWEST_TOKENS / 2;
    while (status == SAC_OK && race.shipped < RUN_SECONDS && self->report->tokens < MOST_TOKENS) {
        sac_course *plain = &self->courses[PLAIN];
        sac_course_free(plain);
        self->report->tokens *= 2;
        status = create_course(self, PLAIN, error);
        if (status == SAC_OK)
            status = sac_course_race(plain, plain->shipped, 1, 0, &race, error);
    }
    self->report->trials[0].seconds = race.shipped;
    return status;
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
        sac_race race;
        status = measure(self, PLAIN, index, &brief, &race, error);
        take_figures(self, index, &race);
        self->building += fmax(sac_now() - start - brief.seconds, 0);
        if (is_measured(&trials[index]) &&
            trials[index].ratio < (*best == from ? STEP : 1) * trials[*best].ratio)
            *best = index;
    }
    return status;
}

/* Until no number can be changed for the better, or time is up. */
static sac_status descend(search *self, sac_error *error)
{
    size_t numbers = sac_tuning_numbers(self->report->variant), best = 0, unmoved = 0;
    sac_status status = SAC_OK;
    for (size_t which = 0; unmoved < numbers && status == SAC_OK && may_try(self);
         which = (which + 1) % numbers) {
        size_t from = best;
        status = search_along(self, which, &best, error);
        unmoved = best == from ? unmoved + 1 : 0;
    }
    return status;
}

/* ---------------------------------------------------------------- the last judgement */

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
static bool meets_demand(int which, const sac_race *race)
{
    return race->ratio <= demands[which].most &&
           (which != PLAIN || 4 * race->won >= 3 * race->pairs);
}

static sac_status judge_on(search *self, int which, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    sac_race race;
    sac_status status = SAC_OK;
    if (elapsed(self) > self->limit) {
        object(trial, "time was up before it was judged");
        return SAC_OK;
    }
    if (!self->courses[which].shipped)
        status = create_course(self, which, error);
    if (status == SAC_OK)
        status = measure(self, which, index, demands[which].effort, &race, error);
    if (status != SAC_OK || trial->message[0])
        return status;
    if (which == PLAIN)
        take_figures(self, index, &race);
    if (!meets_demand(which, &race))
        object(trial, demands[which].otherwise);
    return SAC_OK;
}

/* Once more and longer, since the fastest of many was also lucky; on the other courses; and by the
 * self-test. What speaks against it is told in its trial. */
static sac_status judge(search *self, size_t index, sac_error *error)
{
    sac_tune_trial *trial = &self->report->trials[index];
    sac_status status = SAC_OK;
    for (int which = 0; which < COURSES && status == SAC_OK && !trial->message[0]; which++)
        status = judge_on(self, which, index, error);
    if (status == SAC_OK && !trial->message[0] &&
        !sac_tiling_passes(self->device, self->report->variant, SAC_FORM_DOT,
                           &self->tilings[index]))
        object(trial, "fails the self-test");
    if (status == SAC_OK)
        status = sac_busy_check("tune", error); /* it may fail for that */
    return status;
}

static sac_status choose_variant(search *self, sac_error *error)
{
    sac_variant *variant = &self->report->variant;
    sac_status status =
        sac_variant_choose(self->device, SAC_FORM_DOT, SAC_STORAGE_F32, variant, error);
    if (status == SAC_OK && *variant == SAC_VARIANT_NAIVE)
        return sac_fail(error, SAC_E_DEVICE, self->device->info.name,
                        "choose another device (see: saccade devices)",
                        "only the simplest kernels are right on it, and they have no tiles");
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
    status = size_plain_course(self, error);
    if (status == SAC_OK)
        status = descend(self, error);
    size_t best;
    while (status == SAC_OK && report->kept == 0 && may_judge(self) && (best = fastest(self))) {
        status = judge(self, best, error);
        report->kept = report->trials[best].message[0] ? 0 : best;
    }
    return status;
}

sac_status sac_tune_run(sac_device *device, double seconds, const sac_progress *progress,
                        sac_tune_report *report, sac_error *error)
{
    search *self = calloc(1, sizeof *self);
    *report = (sac_tune_report){.heads = HEADS, .dim = DIM};
    if (!self)
        return sac_fail(error, SAC_E_MEMORY, "tune", NULL, "no memory");
    sac_device_lock(device);
    self->device = device;
    self->wanted = progress;
    self->progress = (sac_progress){go_on, self};
    self->report = report;
    self->start = sac_now();
    self->limit = seconds > 0 ? seconds : USUAL_SECONDS;
    device->trying = true;
    sac_status status = run(self, error);
    device->trying = false;
    if (status == SAC_OK)
        sac_tuning_set(device, report->variant, report->kept ? &self->tilings[report->kept] : NULL);
    if (status == SAC_E_CANCELLED)
        sac_fail(error, status, "tune", NULL, "stopped; nothing has changed");
    report->seconds = elapsed(self);
    for (int i = 0; i < COURSES; i++)
        sac_course_free(&self->courses[i]);
    sac_device_unlock(device);
    free(self);
    return status;
}

void sac_tune_reset(sac_device *device)
{
    sac_device_lock(device);
    sac_tuning_set(device, SAC_VARIANT_AUTO, NULL);
    sac_device_unlock(device);
}
