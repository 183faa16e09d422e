/* The search for the fastest shape of tiles: coordinate descent from the shipped one, by the clock.
 * A candidate and the shipped shape run in turn, and the median of the ratios of such pairs is what
 * counts: what slows the machine slows both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/internal.h"
#include "attention/tuning.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

#define USUAL_SECONDS 20.0
#define RUN_SECONDS 0.008 /* of a run, at least: long enough to be timed */
#define GAIN 0.98         /* a faster shape takes no more of the time than that … */
#define HARM 1.02         /* … and on the courses beside it no more than that */
#define BOUND 1e-5        /* between two right outputs: float32 rounding gives 1e-6 */
enum { HEADS = 8, DIM = 64, FEWEST_TOKENS = 128, MOST_TOKENS = 16384 };

/* Pairs of runs of the two shapes: as many as fit into these seconds, within bounds. */
typedef struct effort {
    int most;
    double seconds;
} effort;
enum { FEWEST_PAIRS = 3, MOST_PAIRS = 31 };
static const effort brief = {15, 0.4}, thorough = {MOST_PAIRS, 1.0};

/* One problem, and how the shipped shape solves it. */
typedef struct course {
    sac_attention_spec spec;
    size_t dim;
    sac_array arrays[3]; /* query, key, value [1,H,T,d] */
    sac_attention *shipped;
    float *output, *other; /* the shipped shape's [1,H,T,d], and room for another */
} course;

/* What is measured, and what only must not suffer. */
enum { PLAIN, CAUSAL, WIDE, COURSES };

typedef struct search {
    sac_device *device;
    const sac_progress *progress;
    sac_tune_report *report;
    sac_tiling tilings[SAC_TUNE_TRIALS]; /* of the report's trials */
    course courses[COURSES];
    double start, limit; /* seconds */
    double building;     /* seconds that all candidates took to build */
} search;

static bool time_is_up(const search *self, double seconds)
{
    return sac_now() - self->start > seconds;
}

static sac_status go_on(const search *self, sac_error *error)
{
    double share = (sac_now() - self->start) / self->limit;
    if (self->progress && self->progress->step &&
        !self->progress->step(self->progress->user, share < 1 ? share : 1))
        return sac_fail(error, SAC_E_CANCELLED, "tune", NULL, "stopped; nothing has changed");
    return SAC_OK;
}

/* ---------------------------------------------------------------- courses */

static size_t output_floats(const search *self, const course *on)
{
    return HEADS * self->report->tokens * on->dim;
}

static sac_status create_on(const search *self, const course *on, const sac_tiling *tiling,
                            sac_attention **attention, sac_error *error)
{
    sac_attention_input input = {
        .query = &on->arrays[0], .key = &on->arrays[1], .value = &on->arrays[2]};
    return sac_attention_create_tiled(self->device, &on->spec, &input, tiling, attention, error);
}

static void course_free(course *on)
{
    for (int i = 0; i < 3; i++)
        sac_array_free(&on->arrays[i]);
    sac_attention_destroy(on->shipped);
    free(on->output);
    free(on->other);
    *on = (course){0};
}

/* Random queries, keys and values of mean 0 and variance 1, and the shipped shape's output. */
static sac_status course_create(search *self, bool causal, size_t dim, course *on, sac_error *error)
{
    size_t shape[] = {1, HEADS, self->report->tokens, dim};
    sac_status status = SAC_OK;
    *on = (course){.spec = {.causal = causal, .variant = self->report->variant}, .dim = dim};
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        status = sac_array_create(SAC_F32, 4, shape, &on->arrays[i], error);
        float *data = on->arrays[i].data;
        for (size_t j = 0; status == SAC_OK && j < sac_array_count(&on->arrays[i]); j++)
            data[j] = (sac_philox_uniform((uint32_t)j, (uint32_t)i, 1) - 0.5f) * 3.4641016f;
    }
    on->output = malloc(output_floats(self, on) * sizeof(float));
    on->other = malloc(output_floats(self, on) * sizeof(float));
    if (status == SAC_OK && (!on->output || !on->other))
        status = sac_fail(error, SAC_E_MEMORY, "tune", NULL, "no memory");
    if (status == SAC_OK)
        status = create_on(self, on, &self->tilings[0], &on->shipped, error);
    if (status == SAC_OK)
        status = sac_attention_run(on->shipped, &(sac_attention_output){.output = on->output}, NULL,
                                   error);
    return status;
}

/* The kernels alone: nothing is read back. The attention has run before. */
static sac_status time_run(sac_attention *attention, double *seconds, sac_error *error)
{
    double start = sac_now();
    sac_status status = sac_attend(attention, 0, attention->matrices, 0, attention->shape.queries,
                                   true, NULL, error);
    *seconds = sac_now() - start;
    return status;
}

/* As many tokens as make a run long enough. */
static sac_status size_plain_course(search *self, sac_error *error)
{
    course *plain = &self->courses[PLAIN];
    double seconds = 0;
    sac_status status = SAC_OK;
    self->report->tokens = FEWEST_TOKENS / 2;
    while (status == SAC_OK && seconds < RUN_SECONDS && self->report->tokens < MOST_TOKENS) {
        course_free(plain);
        self->report->tokens *= 2;
        status = course_create(self, false, DIM, plain, error);
        for (int i = 0; i < 2 && status == SAC_OK; i++) /* the second is warm */
            status = time_run(plain->shipped, &seconds, error);
        if (status == SAC_OK)
            status = go_on(self, error);
    }
    return status;
}

/* ---------------------------------------------------------------- measuring */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[MOST_PAIRS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2;
}

/* Medians over pairs of runs. */
typedef struct pairs {
    int count;
    double ratios[MOST_PAIRS], seconds[MOST_PAIRS], shipped[MOST_PAIRS];
} pairs;

/* One run of each, the one or the other first: neither always runs on the other's heels. */
static sac_status time_pair(const course *on, sac_attention *attention, pairs *timed,
                            sac_error *error)
{
    int i = timed->count++;
    bool first = i % 2;
    double *seconds = &timed->seconds[i], *shipped = &timed->shipped[i];
    sac_status status = time_run(first ? attention : on->shipped, first ? seconds : shipped, error);
    if (status == SAC_OK)
        status = time_run(first ? on->shipped : attention, first ? shipped : seconds, error);
    timed->ratios[i] = *seconds / fmax(*shipped, 1e-9);
    return status;
}

/* Every single pair says that the candidate is much slower. */
static bool is_hopeless(const pairs *timed)
{
    double least = INFINITY;
    for (int i = 0; i < timed->count; i++)
        least = fmin(least, timed->ratios[i]);
    return least > 1.1;
}

static sac_status time_pairs(search *self, const course *on, sac_attention *attention,
                             const effort *most, pairs *timed, sac_error *error)
{
    double start = sac_now();
    sac_status status = SAC_OK;
    timed->count = 0;
    while (status == SAC_OK && timed->count < most->most) {
        status = time_pair(on, attention, timed, error);
        if (status == SAC_OK)
            status = go_on(self, error);
        bool late = sac_now() - start > most->seconds || time_is_up(self, self->limit);
        if (timed->count >= FEWEST_PAIRS && (late || is_hopeless(timed)))
            break;
    }
    return status;
}

/* ‖a − b‖ / ‖b‖ */
static double difference(const float *a, const float *b, size_t count)
{
    double apart = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        apart += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        whole += (double)b[i] * b[i];
    }
    return sqrt(apart / whole);
}

/* Prepares the candidate and runs it once, which compiles it. *attention is the caller's, also
 * where the output is wrong. */
static sac_status build(search *self, course *on, const sac_tiling *tiling,
                        sac_attention **attention, sac_error *error)
{
    double start = sac_now();
    sac_attention_output output = {.output = on->other};
    sac_status status = create_on(self, on, tiling, attention, error);
    if (status == SAC_OK)
        status = sac_attention_run(*attention, &output, NULL, error);
    if (on == &self->courses[PLAIN])
        self->building += sac_now() - start;
    if (status != SAC_OK)
        return status;
    double apart = difference(on->other, on->output, output_floats(self, on));
    if (!(apart <= BOUND))
        return sac_fail(error, SAC_E_VALUE, "output", NULL, "wrong numbers: it is off by %.1e",
                        apart);
    return SAC_OK;
}

static void say(sac_tune_trial *trial, const sac_error *error)
{
    snprintf(trial->message, sizeof trial->message, "%.*s", (int)sizeof trial->message - 1,
             error->what);
}

/* Measures on one course: the median ratio. A candidate that does not build or computes wrong is
 * told in its trial; an error is one of the shipped shape, or a request to stop. */
static sac_status measure(search *self, int which, size_t index, const effort *most, double *ratio,
                          sac_error *error)
{
    course *on = &self->courses[which];
    sac_tune_trial *trial = &self->report->trials[index];
    sac_attention *attention = NULL;
    sac_error own = {0};
    pairs timed = {0};
    *ratio = INFINITY;
    sac_status status = SAC_OK;
    if (build(self, on, &self->tilings[index], &attention, &own) == SAC_OK)
        status = time_pairs(self, on, attention, most, &timed, error);
    else
        say(trial, &own);
    sac_attention_destroy(attention);
    if (status != SAC_OK || timed.count == 0)
        return status;
    *ratio = median(timed.ratios, timed.count);
    if (which == PLAIN) {
        trial->seconds = median(timed.seconds, timed.count);
        trial->ratio = *ratio;
        self->report->trials[0].seconds = median(timed.shipped, timed.count);
    }
    return SAC_OK;
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

/* Seconds that a candidate takes to build. */
static double build_seconds(const search *self)
{
    size_t tried = self->report->count - 1;
    return tried ? self->building / (double)tried : 1.0;
}

/* Seconds that the last judgement may take: pairs of runs on all courses, some twenty other runs,
 * and two builds for the self-test. */
static double reserve(const search *self)
{
    double seconds = thorough.seconds + 2 * brief.seconds + 20 * self->report->trials[0].seconds +
                     2 * build_seconds(self);
    return fmin(seconds, self->limit / 2);
}

static bool may_try(const search *self)
{
    double next = build_seconds(self) + brief.seconds;
    return self->report->count < SAC_TUNE_TRIALS &&
           !time_is_up(self, self->limit - reserve(self) - next);
}

/* Tries every value of one number of shape *best, which moves to the fastest. */
static sac_status search_along(search *self, size_t which, size_t *best, bool *moved,
                               sac_error *error)
{
    sac_tiling list[SAC_TUNING_VALUES];
    size_t count = sac_tuning_along(&self->device->info, self->report->variant, which,
                                    &self->tilings[*best], list);
    sac_status status = SAC_OK;
    *moved = false;
    for (size_t i = 0; i < count && status == SAC_OK && may_try(self); i++) {
        double ratio;
        if (was_tried(self, &list[i]))
            continue;
        size_t index = add_trial(self, &list[i]);
        status = measure(self, PLAIN, index, &brief, &ratio, error);
        if (ratio < (*moved ? 1 : 0.99) * self->report->trials[*best].ratio) {
            *best = index;
            *moved = true;
        }
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
        bool moved;
        status = search_along(self, which, &best, &moved, error);
        unmoved = moved ? 0 : unmoved + 1;
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
        if (trials[i].seconds > 0 && !trials[i].message[0] && trials[i].ratio <= GAIN &&
            (best == 0 || trials[i].ratio < trials[best].ratio))
            best = i;
    return best;
}

/* Once more and longer, since the fastest of many was also lucky; on the other courses; and by the
 * self-test. What speaks against it is told in its trial. */
static sac_status judge(search *self, size_t index, sac_error *error)
{
    static const struct {
        const effort *effort;
        double most;
        const char *otherwise;
    } demands[COURSES] = {
        [PLAIN] = {&thorough, GAIN, "not faster when measured again"},
        [CAUSAL] = {&brief, HARM, "slower with a causal mask"},
        [WIDE] = {&brief, HARM, "slower with heads twice as large"},
    };
    sac_tune_trial *trial = &self->report->trials[index];
    sac_status status = SAC_OK;
    for (int which = 0; which < COURSES && status == SAC_OK && !trial->message[0]; which++) {
        double ratio;
        if (!self->courses[which].shipped)
            status = course_create(self, which == CAUSAL, which == WIDE ? 2 * DIM : DIM,
                                   &self->courses[which], error);
        if (status == SAC_OK)
            status = measure(self, which, index, demands[which].effort, &ratio, error);
        if (status == SAC_OK && !trial->message[0] && ratio > demands[which].most)
            snprintf(trial->message, sizeof trial->message, "%s", demands[which].otherwise);
    }
    if (status == SAC_OK && !trial->message[0] &&
        !sac_tiling_passes(self->device, self->report->variant, SAC_FORM_DOT,
                           &self->tilings[index]))
        snprintf(trial->message, sizeof trial->message, "fails the self-test");
    return status;
}

static sac_status run(search *self, sac_error *error)
{
    sac_tune_report *report = self->report;
    sac_status status = sac_variant_choose(self->device, SAC_FORM_DOT, &report->variant, error);
    if (status == SAC_OK && report->variant == SAC_VARIANT_NAIVE)
        return sac_fail(error, SAC_E_DEVICE, self->device->info.name,
                        "choose another device (see: saccade devices)",
                        "only the simplest kernels are right on it, and they have no tiles");
    if (status != SAC_OK)
        return status;
    add_trial(self, sac_tiling_shipped(&self->device->info, report->variant));
    report->trials[0].ratio = 1;
    status = size_plain_course(self, error);
    if (status == SAC_OK)
        status = time_run(self->courses[PLAIN].shipped, &report->trials[0].seconds, error);
    if (status == SAC_OK)
        status = descend(self, error);
    size_t best;
    while (status == SAC_OK && report->kept == 0 && !time_is_up(self, self->limit) &&
           (best = fastest(self))) {
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
    *self = (search){.device = device,
                     .progress = progress,
                     .report = report,
                     .start = sac_now(),
                     .limit = seconds > 0 ? seconds : USUAL_SECONDS};
    sac_status status = run(self, error);
    if (status == SAC_OK)
        sac_tuning_set(device, report->variant, report->kept ? &self->tilings[report->kept] : NULL);
    report->seconds = sac_now() - self->start;
    for (int i = 0; i < COURSES; i++)
        course_free(&self->courses[i]);
    free(self);
    return status;
}

void sac_tune_reset(sac_device *device)
{
    sac_tuning_set(device, SAC_VARIANT_AUTO, NULL);
}
