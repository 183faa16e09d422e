#include "captioner/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "captioner/model.h"
#include "captioner/scene_batches.h"

enum { STEPS = 6000, BATCH = 32, CHECKPOINT_EVERY = 500 };
static const float rate_default = 2e-3f, gaze_weight_default = 0.3f, coverage_weight_default = 0.1f;
static const float warm_up = 0.03f;     /* share of the steps in which the rate rises */
static const float rate_at_end = 0.02f; /* of the highest */
static const sac_adam adam = {.beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-8f, .clip = 1};

/* A training on its way. */
typedef struct course {
    sac_captioner *captioner;
    sac_training_options options; /* resolved */
    sac_batches *batches;
    size_t step; /* done so far */
    char checkpoint[1024];
    sac_training_report report;
    double weight; /* of all that the report's means are over */
    double seconds_per_step, begun_at;
} course;

void sac_training_resolve(sac_training_options *o)
{
    o->steps = o->steps ? o->steps : STEPS;
    o->batch = o->batch ? o->batch : BATCH;
    o->rate = o->rate > 0 ? o->rate : rate_default;
    o->gaze_weight = o->gaze_weight != 0 ? o->gaze_weight : gaze_weight_default;
    o->coverage_weight = o->coverage_weight != 0 ? o->coverage_weight : coverage_weight_default;
    o->checkpoint_every = o->checkpoint_every ? o->checkpoint_every : CHECKPOINT_EVERY;
}

/* Of step 1, 2, …: a line up, then half a cosine down (Loshchilov and Hutter 2017). */
static float rate_at(const sac_training_options *o, size_t step)
{
    float warm = fmaxf(1, floorf(warm_up * (float)o->steps));
    float at = (float)step;
    if (at <= warm)
        return o->rate * at / warm;
    float done = (at - warm) / fmaxf(1, (float)o->steps - warm);
    float cosine = 0.5f * (1 + cosf((float)M_PI * done));
    return o->rate * (rate_at_end + (1 - rate_at_end) * cosine);
}

/* ---------------------------------------------------------------- going on from a file */

static bool same_shape(const sac_captioner_shape *a, const sac_captioner_shape *b)
{
    bool same = a->side == b->side && a->layers == b->layers && a->score == b->score &&
                a->attention == b->attention && a->hidden == b->hidden &&
                a->embedding == b->embedding && a->vocabulary == b->vocabulary;
    for (int i = 0; same && i < a->layers; i++)
        same = a->layer[i].channels == b->layer[i].channels &&
               a->layer[i].stride == b->layer[i].stride;
    return same;
}

/* What a course depends on besides its seed: "training" in a checkpoint's metadata. */
enum { COURSE_TEXT = 160 };
#define COURSE_FORMAT "steps %zu batch %zu rate "
#define COURSE_REALS "%.9g gaze-loss %.9g coverage-loss %.9g"

static void describe_course(const sac_training_options *o, char text[COURSE_TEXT])
{
    snprintf(text, COURSE_TEXT, COURSE_FORMAT COURSE_REALS, o->steps, o->batch, (double)o->rate,
             (double)o->gaze_weight, (double)o->coverage_weight);
}

static sac_status other_option(const char *path, const char *name, double own, double its,
                               sac_error *error)
{
    return sac_fail(error, SAC_E_ARGUMENT, path, "leave it out, or train anew without --resume",
                    "was trained with %s %g, not %g", name, its, own);
}

/* A number that is not given (0) is the checkpoint's. A factor below 0 is none, as is 0 given. */
static sac_status adopt(const char *path, const char *name, float *own, float its, sac_error *error)
{
    if (*own == 0)
        *own = its;
    if (fmaxf(*own, 0) == fmaxf(its, 0))
        return SAC_OK;
    return other_option(path, name, fmax(*own, 0), fmax(its, 0), error);
}

static sac_status adopt_all(sac_training_options *own, const char *text, uint32_t seed,
                            const char *path, sac_error *error)
{
    sac_training_options its = {0};
    if (own->seed_given && own->seed != seed)
        return other_option(path, "--seed", own->seed, seed, error);
    own->seed = seed;
    if (!text || sscanf(text, COURSE_FORMAT "%f gaze-loss %f coverage-loss %f", &its.steps,
                        &its.batch, &its.rate, &its.gaze_weight, &its.coverage_weight) != 5)
        return SAC_OK;
    own->steps = own->steps ? own->steps : its.steps;
    if (own->batch && own->batch != its.batch)
        return other_option(path, "--batch", (double)own->batch, (double)its.batch, error);
    own->batch = its.batch;
    sac_status status = adopt(path, "--rate", &own->rate, its.rate, error);
    if (status == SAC_OK)
        status = adopt(path, "--gaze-loss", &own->gaze_weight, its.gaze_weight, error);
    if (status == SAC_OK)
        status = adopt(path, "--coverage-loss", &own->coverage_weight, its.coverage_weight, error);
    return status;
}

static sac_status read_course(course *c, const sac_arrays *file, const char *path, sac_error *error)
{
    sac_captioner_shape shape;
    size_t steps = 0;
    uint32_t seed = 0;
    sac_status status = sac_captioner_read_shape(file, path, &shape, &steps, &seed, error);
    if (status != SAC_OK)
        return status;
    if (!same_shape(&shape, &c->captioner->shape))
        return sac_fail(error, SAC_E_SHAPE, path, "train it with the score it was begun with",
                        "holds a model of other sizes or another score");
    if (sac_arrays_find(file, "adam.first.encoder.position")) {
        c->step = steps;
        status = adopt_all(&c->options, sac_arrays_metadata(file, "training"), seed, path, error);
        if (status != SAC_OK)
            return status;
    }
    sac_training_resolve(&c->options);
    if (c->step >= c->options.steps)
        return sac_fail(error, SAC_E_ARGUMENT, path, "ask for more steps",
                        "has done %zu steps of %zu already", c->step, c->options.steps);
    return sac_parameters_load(&c->captioner->parameters, file, path, error);
}

static sac_status resume(course *c, sac_error *error)
{
    sac_arrays *file = NULL;
    if (!c->options.resume) {
        sac_training_resolve(&c->options);
        return SAC_OK;
    }
    sac_status status = sac_arrays_open(c->options.resume, &file, error);
    if (status == SAC_OK)
        status = read_course(c, file, c->options.resume, error);
    sac_arrays_close(file);
    return status;
}

/* ---------------------------------------------------------------- one step */

/* A mean that forgets: step by step two per cent, and at first all steps alike. */
static void take_means(course *c, const float losses[3], float norm)
{
    sac_training_report *r = &c->report;
    float gaze = c->options.gaze_weight > 0 ? losses[2] / c->options.gaze_weight : NAN;
    c->weight = 1 + 0.98 * c->weight;
    float share = (float)(1 / c->weight);
    r->last = losses[0] + losses[1] + losses[2];
    r->loss += share * (r->last - r->loss);
    r->words += share * (losses[0] - r->words);
    r->gaze += share * (gaze - r->gaze);
    r->norm = norm;
}

/* The first step builds kernels: it counts until there is another. */
static void take_time(course *c)
{
    double now = sac_now(), seconds = now - c->begun_at;
    bool first = c->report.step <= 2 || c->seconds_per_step == 0;
    c->seconds_per_step = first ? seconds : 0.95 * c->seconds_per_step + 0.05 * seconds;
    c->begun_at = now;
    c->report.samples_per_second = (double)c->options.batch / c->seconds_per_step;
    c->report.seconds_left = (double)(c->options.steps - c->step) * c->seconds_per_step;
}

static sac_status not_finite(course *c, sac_error *error)
{
    bool saved = access(c->checkpoint, R_OK) == 0;
    char todo[256] = "train anew with a lower rate";
    if (saved)
        snprintf(todo, sizeof todo, "train anew with a lower rate; the last checkpoint is %.180s",
                 c->checkpoint);
    return sac_fail(error, SAC_E_VALUE, "training", todo, "the gradient of step %zu is not finite",
                    c->step + 1);
}

static sac_status run_step(course *c, sac_error *error)
{
    const sac_training_options *o = &c->options;
    sac_adam settings = adam;
    float losses[3], norm;
    settings.rate = rate_at(o, c->step + 1);
    sac_status status = sac_captioner_learn(c->captioner, sac_batches_next(c->batches),
                                            o->gaze_weight, o->coverage_weight, losses, error);
    if (status == SAC_OK)
        status = sac_adam_step(&c->captioner->parameters, &settings, c->step + 1, &norm, error);
    if (status == SAC_E_VALUE)
        return not_finite(c, error);
    if (status != SAC_OK)
        return status;
    c->report.step = ++c->step;
    take_means(c, losses, norm);
    take_time(c);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the course */

static sac_status save_checkpoint(const course *c, sac_error *error)
{
    char text[COURSE_TEXT];
    describe_course(&c->options, text);
    return sac_captioner_save(c->captioner, c->checkpoint, c->step, c->options.seed, text, error);
}

static sac_status run(course *c,
                      bool (*report)(void *user, sac_captioner *captioner,
                                     const sac_training_report *report),
                      void *user, sac_error *error)
{
    sac_status status = SAC_OK;
    bool go_on = true;
    c->begun_at = sac_now();
    while (status == SAC_OK && go_on && c->step < c->options.steps) {
        status = run_step(c, error);
        if (status == SAC_OK && report)
            go_on = report(user, c->captioner, &c->report);
        bool last = c->step == c->options.steps;
        if (status == SAC_OK && !last && (!go_on || c->step % c->options.checkpoint_every == 0))
            status = save_checkpoint(c, error);
    }
    if (status == SAC_OK && c->step < c->options.steps)
        return sac_fail(error, SAC_E_CANCELLED, "training", "resume from that checkpoint",
                        "stopped on request after step %zu and saved %s", c->step, c->checkpoint);
    return status;
}

static sac_status begin(course *c, sac_error *error)
{
    sac_batch_maker maker;
    const char *out = c->options.out;
    int length = snprintf(c->checkpoint, sizeof c->checkpoint, "%s.checkpoint", out);
    if (length < 0 || (size_t)length >= sizeof c->checkpoint)
        return sac_fail(error, SAC_E_FILE, out, NULL, "the file name is too long");
    sac_status status = sac_output_check(out, error);
    if (status == SAC_OK)
        status = resume(c, error);
    if (status == SAC_OK)
        status = sac_parameters_zero_gradients(&c->captioner->parameters, error);
    if (status == SAC_OK)
        status = sac_scene_batches(&c->captioner->shape, c->options.batch, c->options.seed, &maker,
                                   error);
    if (status == SAC_OK)
        status = sac_batches_open(&maker, c->step, &c->batches, error);
    c->report.steps = c->options.steps;
    c->report.batch = c->options.batch;
    return status;
}

sac_status sac_captioner_train(sac_captioner *captioner, const sac_training_options *options,
                               bool (*report)(void *user, sac_captioner *captioner,
                                              const sac_training_report *report),
                               void *user, sac_error *error)
{
    course c = {.captioner = captioner, .options = *options};
    sac_status status = begin(&c, error);
    if (status == SAC_OK)
        status = run(&c, report, user, error);
    sac_batches_close(c.batches);
    if (status == SAC_OK)
        status = sac_captioner_save(captioner, c.options.out, c.step, c.options.seed, NULL, error);
    if (status == SAC_OK)
        unlink(c.checkpoint);
    return status;
}
