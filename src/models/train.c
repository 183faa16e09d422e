/* The training loop of any model. */

#include "models/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "models/checkpoint.h"
#include "saccade_arrays.h"
#include "sharing/ranks/ranks.h"

enum { CHECKPOINT_EVERY = 500 };
static const double CHECKPOINT_SECONDS = 300;
static const float warm_up = 0.03f;     /* share of the steps in which the rate rises, by default */
static const float rate_at_end = 0.02f; /* of the highest */
static const sac_adam adam = {.beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-8f, .clip = 1};
/* A running average takes over this much at least of its first steps: (1 + t) / (10 + t). */
static float average_decay(float highest, size_t step)
{
    return fminf(highest, (1 + (float)step) / (10 + (float)step));
}

/* How long things take, in seconds. What is done for the first time has kernels built for it, which
 * takes long, and does not count where there is a second time. */
typedef struct pace {
    size_t steps;     /* done here */
    double step;      /* one, with the batch that it waits for: a running mean */
    size_t pauses;    /* between two steps, counted from the second step on */
    double paused;    /* the seconds of all pauses, in which samples are shown and weights saved */
    double judgement; /* the last one */
    double begun_at, saved_at; /* what is measured now; the last checkpoint */
} pace;

/* The state of a training. */
typedef struct training {
    sac_model *model;
    sac_training_options options; /* resolved */
    sac_batches *batches;
    size_t step; /* done so far */
    bool judges;
    char checkpoint[1024];
    sac_training_report report;
    double weight; /* of all that the report's means are over */
    pace pace;
} training;

static sac_schedule schedule_of(const sac_model *model)
{
    return model->class->training_of ? model->class->training_of(model) : model->class->training;
}

void sac_training_resolve(const sac_model *model, sac_training_options *o)
{
    sac_schedule own = schedule_of(model);
    o->steps = o->steps ? o->steps : own.steps;
    o->batch = o->batch ? o->batch : own.batch;
    o->rate = o->rate > 0 ? o->rate : own.rate;
    if (!(o->warm_up > 0))
        o->warm_up = own.warm_up ? (float)own.warm_up : fmaxf(1, floorf(warm_up * (float)o->steps));
    o->checkpoint_every = o->checkpoint_every ? o->checkpoint_every : CHECKPOINT_EVERY;
    if (!(o->checkpoint_seconds > 0))
        o->checkpoint_seconds = CHECKPOINT_SECONDS;
}

/* The learning rate of step 1, 2, …: a line up, then half a cosine down (Loshchilov and Hutter
 * 2017). */
static float rate_at(const sac_training_options *o, size_t step)
{
    float warm = o->warm_up, at = (float)step;
    if (at <= warm)
        return o->rate * at / warm;
    float done = (at - warm) / fmaxf(1, (float)o->steps - warm);
    float cosine = 0.5f * (1 + cosf((float)M_PI * done));
    return o->rate * (rate_at_end + (1 - rate_at_end) * cosine);
}

/* ---------------------------------------------------------------- making the model */

/* `model` NULL: a new one. */
static sac_status refuse_options(const sac_model_class *class, const sac_model *model,
                                 const sac_training_options *o, sac_error *error)
{
    if (!class->trainings)
        return SAC_OK;
    const int kind = class->training_kind(model, &o->values, o->measures);
    for (int i = 0; class->options[i].name; i++) {
        const sac_model_option *option = &class->options[i];
        char name[40];
        if (!o->values.given[i] || option->of >> kind & 1)
            continue;
        snprintf(name, sizeof name, "--%s", option->name);
        return sac_fail(error, SAC_E_ARGUMENT, name,
                        option->otherwise ? option->otherwise : "leave it out",
                        "does not count in %s", class->trainings[kind]);
    }
    return SAC_OK;
}

sac_status sac_training_create(const sac_model_class *class, sac_device *device,
                               const sac_training_options *o, sac_model **model, sac_error *error)
{
    bool asked = false;
    *model = NULL;
    for (int i = 0; class->options[i].name; i++)
        asked = asked || (class->options[i].sizes && o->values.given[i]);
    sac_status status = o->resume ? sac_checkpoint_create_like(class, device, o->resume, &o->values,
                                                               o->seed, model, error)
                                  : SAC_OK;
    if (status == SAC_OK)
        status = refuse_options(class, *model, o, error);
    if (status == SAC_OK && o->resume && !asked)
        return SAC_OK;
    sac_model_destroy(*model);
    *model = NULL;
    return status == SAC_OK ? class->create(device, &o->values, o->seed, model, error) : status;
}

/* ---------------------------------------------------------------- going on from a file */

/* All that a training depends on besides its seed is "training" in a checkpoint's metadata:
 * "steps 6000 batch 32 rate 0.002 gaze-loss 0.3 …". */
enum { TRAINING_TEXT = 1024 };

static const char *stored_name(const sac_model_option *option)
{
    return option->stored ? option->stored : option->name;
}

static bool is_stored_in_checkpoint(const sac_model_option *option)
{
    return !option->sizes && !option->of_model && !option->is_text;
}

static sac_status fail_for_other_option(const char *path, const char *name, double own, double its,
                                        sac_error *error)
{
    return sac_fail(error, SAC_E_ARGUMENT, path, "leave it out, or train anew without --resume",
                    "was trained with --%s %g, not %g", name, its, own);
}

/* A number that is not given is the checkpoint's, where that has one under the name `stored`. */
static sac_status adopt(const sac_arrays *file, const char *path, const char *stored,
                        const char *name, bool given, float *own, sac_error *error)
{
    double its;
    if (!sac_checkpoint_number(file, stored, &its))
        return SAC_OK;
    if (given && *own != (float)its)
        return fail_for_other_option(path, name, (double)*own, its, error);
    *own = (float)its;
    return SAC_OK;
}

static sac_status adopt_all(const sac_model *model, sac_training_options *own,
                            const sac_arrays *file, uint32_t seed, const char *path,
                            sac_error *error)
{
    const sac_model_option *options = model->class->options;
    double steps, batch;
    if (own->seed_given && own->seed != seed)
        return fail_for_other_option(path, "seed", own->seed, seed, error);
    own->seed = seed;
    if (!own->steps && sac_checkpoint_number(file, "steps", &steps))
        own->steps = (size_t)steps;
    if (sac_checkpoint_number(file, "batch", &batch)) {
        if (own->batch && own->batch != (size_t)batch)
            return fail_for_other_option(path, "batch", (double)own->batch, batch, error);
        own->batch = (size_t)batch;
    }
    sac_status status = adopt(file, path, "rate", "rate", own->rate != 0, &own->rate, error);
    if (status == SAC_OK)
        status = adopt(file, path, "warm-up", "warm-up", own->warm_up != 0, &own->warm_up, error);
    for (int i = 0; status == SAC_OK && options[i].name; i++)
        if (is_stored_in_checkpoint(&options[i]))
            status = adopt(file, path, stored_name(&options[i]), options[i].name,
                           own->values.given[i], &own->values.value[i], error);
    return status;
}

/* Takes the options of a checkpoint where they are not given; *step: how far it is. */
static sac_status settle_options(const sac_model *model, sac_training_options *o,
                                 const sac_arrays *file, size_t *step, sac_error *error)
{
    const sac_model_class *class = model->class;
    size_t steps = 0;
    uint32_t seed = 0;
    *step = 0;
    if (class->defaults)
        class->defaults(model, &o->values);
    sac_status status = file ? class->check(model, file, o->resume, error) : SAC_OK;
    if (status == SAC_OK && file)
        status = sac_checkpoint_progress(class, file, o->resume, &steps, &seed, error);
    if (status == SAC_OK && file && sac_checkpoint_has_moments(file)) {
        *step = steps;
        status = adopt_all(model, o, file, seed, o->resume, error);
    }
    if (status == SAC_OK)
        sac_training_resolve(model, o);
    return status;
}

static sac_status settle_options_from_file(const sac_model *model, sac_training_options *options,
                                           sac_error *error)
{
    sac_arrays *file = NULL;
    size_t step;
    sac_status status = options->resume ? sac_arrays_open(options->resume, &file, error) : SAC_OK;
    if (status == SAC_OK)
        status = settle_options(model, options, file, &step, error);
    sac_arrays_close(file);
    return status;
}

/* The best judgement, the last one, and their steps. */
static void read_judgement(const sac_arrays *file, sac_training_report *r)
{
    double best, best_at, judged, judged_at;
    if (!sac_checkpoint_number(file, "best", &best) ||
        !sac_checkpoint_number(file, "best-at", &best_at) ||
        !sac_checkpoint_number(file, "judged", &judged) ||
        !sac_checkpoint_number(file, "judged-at", &judged_at))
        return;
    r->best = best;
    r->best_at = (size_t)best_at;
    r->judged = judged;
    r->judged_at = (size_t)judged_at;
}

/* ---------------------------------------------------------------- the first weights */

static sac_status refuse_unfinished(const sac_arrays *file, const char *path, sac_error *error)
{
    return !sac_checkpoint_has_moments(file)
               ? SAC_OK
               : sac_fail(error, SAC_E_ARGUMENT, path, "give the weights that it ended with",
                          "is the checkpoint of a training that has not ended");
}

/* `share`: of its weights in the mean of all so far. */
static sac_status average_in_weights(sac_model *model, const char *path, const char *first,
                                     float share, sac_error *error)
{
    sac_arrays *file = NULL;
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = model->class->check(model, file, path, error);
    if (status == SAC_E_SHAPE) {
        char remedy[256];
        snprintf(remedy, sizeof remedy,
                 "give weights of the same network, sizes and words as %.180s", first);
        status = sac_fail(error, SAC_E_SHAPE, path, remedy, "is another model");
    }
    if (status == SAC_OK)
        status = refuse_unfinished(file, path, error);
    if (status == SAC_OK)
        status = sac_parameters_mix(&model->parameters, file, path, share, error);
    sac_arrays_close(file);
    return status;
}

static sac_status load_and_average(sac_model *model, const sac_training_options *o,
                                   const sac_arrays *file, sac_error *error)
{
    sac_status status = sac_parameters_load(&model->parameters, file, o->resume, error);
    if (status == SAC_OK && o->average_count)
        status = refuse_unfinished(file, o->resume, error);
    for (size_t i = 0; i < o->average_count && status == SAC_OK; i++)
        status = average_in_weights(model, o->average[i], o->resume, 1 / (float)(i + 2), error);
    return status;
}

sac_status sac_training_load(sac_model *model, const sac_training_options *options,
                             sac_error *error)
{
    sac_arrays *file = NULL;
    if (!options->resume)
        return SAC_OK;
    sac_status status = sac_arrays_open(options->resume, &file, error);
    if (status == SAC_OK)
        status = load_and_average(model, options, file, error);
    sac_arrays_close(file);
    return status;
}

sac_status sac_training_prepare(sac_model *model, sac_training_options *options, sac_error *error)
{
    sac_status status = settle_options_from_file(model, options, error);
    if (status == SAC_OK)
        status = sac_training_load(model, options, error);
    return status == SAC_OK && model->class->prepare
               ? model->class->prepare(model, &options->values, error)
               : status;
}

/* A judgement of the step that was done last. */
static bool is_judgement_due(const training *t)
{
    const size_t every = schedule_of(t->model).judge_every;
    return t->judges && t->step && t->step != t->report.judged_at &&
           (t->step == t->options.steps || t->step % every == 0);
}

static sac_status resume(training *t, sac_error *error)
{
    sac_arrays *file = NULL;
    const char *path = t->options.resume;
    sac_status status = path ? sac_arrays_open(path, &file, error) : SAC_OK;
    if (status == SAC_OK)
        status = settle_options(t->model, &t->options, file, &t->step, error);
    if (status == SAC_OK && t->step)
        read_judgement(file, &t->report);
    if (status == SAC_OK && path && t->step >= t->options.steps && !is_judgement_due(t))
        status = sac_fail(error, SAC_E_ARGUMENT, path, "ask for more steps",
                          "has done %zu steps of %zu already", t->step, t->options.steps);
    if (status == SAC_OK && path)
        status = load_and_average(t->model, &t->options, file, error);
    sac_arrays_close(file);
    return status;
}

/* ---------------------------------------------------------------- keeping it */

static sac_status save_checkpoint(const training *t, sac_error *error)
{
    const sac_training_options *o = &t->options;
    const sac_training_report *r = &t->report;
    const sac_model_option *options = t->model->class->options;
    char text[TRAINING_TEXT];
    if (sac_ranks_me() > 0) /* the first writes for all */
        return SAC_OK;
    int used = snprintf(text, TRAINING_TEXT, "steps %zu batch %zu rate %.9g warm-up %.9g", o->steps,
                        o->batch, (double)o->rate, (double)o->warm_up);
    for (int i = 0; options[i].name; i++)
        if (is_stored_in_checkpoint(&options[i]))
            used += snprintf(text + used, (size_t)(TRAINING_TEXT - used), " %s %.9g",
                             stored_name(&options[i]), (double)o->values.value[i]);
    if (r->judged_at)
        snprintf(text + used, (size_t)(TRAINING_TEXT - used),
                 " best %.17g best-at %zu judged %.17g judged-at %zu", r->best, r->best_at,
                 r->judged, r->judged_at);
    return sac_checkpoint_save(t->model, t->checkpoint, t->step, o->seed, text, error);
}

/* What the model learns from is gone, such as a picture: the steps that are done are kept. */
static sac_status save_steps_and_fail(const training *t, const sac_error *why, sac_error *error)
{
    sac_error extended = *why;
    if (t->step && save_checkpoint(t, NULL) == SAC_OK)
        snprintf(extended.remedy, sizeof extended.remedy, "%sresume from %.200s",
                 why->status == SAC_E_CANCELLED ? "" : "mend that, and ", t->checkpoint);
    return sac_error_pass(error, &extended, NULL);
}

/* ---------------------------------------------------------------- one step */

static sac_status fail_for_gradient(training *t, sac_error *error)
{
    bool saved = access(t->checkpoint, R_OK) == 0;
    char remedy[256] = "train anew with a lower rate";
    if (saved)
        snprintf(remedy, sizeof remedy,
                 "train anew with a lower rate; the last checkpoint is %.180s", t->checkpoint);
    return sac_fail(error, SAC_E_VALUE, "training", remedy,
                    "the gradient of step %zu is not finite", t->step + 1);
}

/* Makes the gradients and losses of all processes' shares those of the whole batch. */
static sac_status sum_over_processes(sac_model *model, sac_losses *losses, sac_error *error)
{
    const sac_parameters *p = &model->parameters;
    size_t bytes = p->floats * sizeof(float);
    float all[1 + SAC_LOSS_PARTS] = {losses->total}, *gradients = malloc(bytes);
    if (!gradients)
        return sac_no_memory(error, "gradients");
    memcpy(all + 1, losses->part, sizeof losses->part);
    sac_status status = sac_buffer_read(model->device, p->gradients.buffer,
                                        p->gradients.at * sizeof(float), bytes, gradients, error);
    if (status == SAC_OK)
        status = sac_ranks_sum(gradients, p->floats, error);
    if (status == SAC_OK)
        status = sac_ranks_sum(all, 1 + SAC_LOSS_PARTS, error);
    if (status == SAC_OK)
        status = sac_buffer_write(model->device, p->gradients.buffer,
                                  p->gradients.at * sizeof(float), bytes, gradients, error);
    losses->total = all[0];
    memcpy(losses->part, all + 1, sizeof losses->part);
    free(gradients);
    return status;
}

sac_status sac_training_step(sac_model *model, const void *batch, const sac_model_values *values,
                             float rate, float highest, size_t step, sac_losses *losses,
                             float *norm, sac_error *error)
{
    const sac_schedule schedule = schedule_of(model);
    sac_adam settings = adam;
    settings.rate = rate;
    if (model->class->slow_rate)
        settings.slow_rate = model->class->slow_rate(values) * rate / highest;
    settings.decay = schedule.decay;
    settings.clip = schedule.clip > 0 ? schedule.clip : adam.clip;
    *losses = (sac_losses){0};
    sac_pass_keep_weights(&model->pass, true);
    sac_status status = model->class->learn(model, batch, values, losses, error);
    sac_pass_keep_weights(&model->pass, false);
    if (sac_ranks_count() > 1)
        status = sac_ranks_agree(status, error);
    if (status == SAC_OK && sac_ranks_count() > 1)
        status = sum_over_processes(model, losses, error);
    if (status == SAC_OK)
        status = sac_adam_step(&model->parameters, &settings, step, norm, error);
    if (status == SAC_OK && model->parameters.average.buffer)
        status = sac_parameters_average_step(&model->parameters,
                                             average_decay(schedule.average, step), error);
    return status;
}

static sac_status run_step(training *t, sac_error *error)
{
    const sac_training_options *o = &t->options;
    sac_losses losses;
    float norm;
    sac_error why = {0};
    const void *batch = sac_batches_next(t->batches, &why);
    if (sac_ranks_agree(batch ? SAC_OK : why.status, &why) != SAC_OK)
        return save_steps_and_fail(t, &why, error);
    sac_status status = sac_training_step(t->model, batch, &o->values, rate_at(o, t->step + 1),
                                          o->rate, t->step + 1, &losses, &norm, error);
    if (status == SAC_E_VALUE)
        return fail_for_gradient(t, error);
    if (status != SAC_OK)
        return status;
    t->report.step = ++t->step;
    /* An exponential moving average (2 % a step), corrected for its start. */
    sac_training_report *r = &t->report;
    t->weight = 1 + 0.98 * t->weight;
    float share = (float)(1 / t->weight);
    r->last = losses.total;
    r->loss += share * (r->last - r->loss);
    for (int i = 0; i < SAC_LOSS_PARTS; i++)
        r->part[i] += share * (losses.part[i] - r->part[i]);
    r->norm = norm;
    return SAC_OK;
}

/* ---------------------------------------------------------------- how long it takes */

/* Since the last call. */
static double lap(pace *p)
{
    const double now = sac_now(), seconds = now - p->begun_at;
    p->begun_at = now;
    return seconds;
}

/* After a step: its own time, and what is left. */
static void estimate_time_left(training *t)
{
    enum { KNOWN = 5 }; /* from so many steps on the time is known */
    pace *p = &t->pace;
    const size_t every = t->judges ? schedule_of(t->model).judge_every : 0;
    const size_t left = t->options.steps - t->step;
    const size_t judgements = every ? (t->options.steps + every - 1) / every - t->step / every : 0;
    const double seconds = lap(p);
    const double pause = p->pauses ? p->paused / (double)p->pauses : 0;
    p->steps++;
    p->step = p->steps <= 2 ? seconds : 0.95 * p->step + 0.05 * seconds;
    t->report.samples_per_second = (double)t->options.batch / p->step;
    t->report.seconds_left =
        p->steps < KNOWN && left ? NAN
        : left ? (double)left * (p->step + pause) + (double)judgements * p->judgement
               : 0;
}

/* ---------------------------------------------------------------- the training */

/* The running average stands in the place of the weights meanwhile, where there is one. */
static void swap_average(training *t)
{
    if (t->model->parameters.average.buffer)
        sac_parameters_swap_average(&t->model->parameters);
}

static sac_status save_weights(training *t, sac_error *error)
{
    if (sac_ranks_me() > 0)
        return SAC_OK;
    swap_average(t);
    sac_status status =
        sac_checkpoint_save(t->model, t->options.out, t->step, t->options.seed, NULL, error);
    swap_average(t);
    return status;
}

/* The first process judges for all. */
static sac_status judge_on_first_process(const training *t, double *score, sac_error *error)
{
    sac_status status = SAC_OK;
    double *all = calloc((size_t)sac_ranks_count(), sizeof *all);
    *score = 0;
    if (!all)
        status = sac_no_memory(error, "training");
    else if (sac_ranks_me() == 0)
        status = t->model->class->judge(t->model, &t->options.values, score, error);
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK)
        status = sac_ranks_share(score, all, sizeof *score, error);
    if (status == SAC_OK)
        *score = all[0];
    free(all);
    return status;
}

/* Judges, and saves what is better than all before. *go_on is false where patience is at its end. */
static sac_status judge(training *t, const sac_schedule *schedule, bool *go_on, sac_error *error)
{
    sac_training_report *r = &t->report;
    double score;
    sac_error why = {0};
    swap_average(t);
    sac_status status = judge_on_first_process(t, &score, &why);
    swap_average(t);
    if (status != SAC_OK)
        return save_steps_and_fail(t, &why, error);
    bool is_better =
        r->figure_is_loss ? !(score >= r->best) : !(score <= r->best); /* the first one is */
    r->judged = score;
    r->judged_at = t->step;
    if (is_better) {
        r->best = score;
        r->best_at = t->step;
        status = save_weights(t, error);
    }
    size_t missed = (t->step - r->best_at) / schedule->judge_every;
    *go_on = !schedule->patience || missed < (size_t)schedule->patience;
    t->pace.judgement = lap(&t->pace);
    return status;
}

/* One that is to stop stops all, after the same step. */
static sac_status agree_to_go_on(bool *go_on, sac_error *error)
{
    float stops = !*go_on;
    sac_status status = sac_ranks_sum(&stops, 1, error);
    *go_on = stops == 0;
    return status;
}

static sac_status run(training *t, sac_training_listener report, void *user, sac_error *error)
{
    const sac_schedule schedule = schedule_of(t->model);
    const size_t steps = t->options.steps;
    sac_status status = SAC_OK;
    bool go_on = true, better_to_come = true;
    t->pace.saved_at = t->pace.begun_at = sac_now();
    if (is_judgement_due(t)) /* a judgement at which it was stopped */
        status = judge(t, &schedule, &better_to_come, error);
    (void)lap(&t->pace);
    while (status == SAC_OK && go_on && better_to_come && t->step < steps) {
        status = run_step(t, error);
        estimate_time_left(t);
        if (status == SAC_OK && is_judgement_due(t))
            status = judge(t, &schedule, &better_to_come, error);
        const bool last = t->step == steps || !better_to_come;
        const bool late = sac_now() - t->pace.saved_at >= t->options.checkpoint_seconds;
        t->report.saves = !last && (late || t->step % t->options.checkpoint_every == 0);
        if (status == SAC_OK && report)
            go_on = report(user, t->model, &t->report);
        if (status == SAC_OK)
            status = agree_to_go_on(&go_on, error);
        if (status == SAC_OK && !last && (!go_on || t->report.saves)) {
            status = save_checkpoint(t, error);
            t->pace.saved_at = sac_now();
        }
        const double pause = lap(&t->pace);
        if (t->pace.steps > 1) {
            t->pace.paused += pause;
            t->pace.pauses++;
        }
    }
    if (status == SAC_OK && t->step < steps && better_to_come)
        return sac_fail(error, SAC_E_CANCELLED, "training", "resume from that checkpoint",
                        "stopped on request after step %zu and saved %s", t->step, t->checkpoint);
    return status;
}

static sac_status begin(training *t, sac_error *error)
{
    sac_batch_maker maker;
    const sac_model_class *class = t->model->class;
    const char *out = t->options.out;
    int length = snprintf(t->checkpoint, sizeof t->checkpoint, "%s.checkpoint", out);
    if (length < 0 || (size_t)length >= sizeof t->checkpoint)
        return sac_fail(error, SAC_E_FILE, out, NULL, "the file name is too long");
    const sac_schedule schedule = schedule_of(t->model);
    t->judges = class->judge && schedule.judge_every;
    t->report.judged = t->report.best = NAN;
    t->report.figure = t->judges ? class->figure : NULL;
    t->report.figure_is_loss = class->figure_is_loss;
    t->report.may_end_earlier = t->judges && schedule.patience;
    t->model->share = (sac_batch_share){(size_t)sac_ranks_me(), (size_t)sac_ranks_count()};
    sac_status status = sac_ranks_me() ? SAC_OK : sac_checkpoint_check_path(t->model, out, error);
    if (status == SAC_OK && schedule.average > 0)
        status = sac_parameters_average(&t->model->parameters, error);
    if (status == SAC_OK)
        status = resume(t, error);
    if (status == SAC_OK && t->options.batch < (size_t)sac_ranks_count())
        status = sac_fail(error, SAC_E_ARGUMENT, "--batch",
                          sac_ranks_device_of(0) ? "give fewer devices" : "start fewer processes",
                          "%zu samples are too few for %d %s", t->options.batch, sac_ranks_count(),
                          sac_ranks_device_of(0) ? "devices" : "processes");
    if (status == SAC_OK && class->prepare)
        status = class->prepare(t->model, &t->options.values, error);
    if (status == SAC_OK)
        status = sac_parameters_zero_gradients(&t->model->parameters, error);
    if (status == SAC_OK)
        status = class->batches(t->model, &t->options.values, t->options.batch, t->options.seed,
                                &maker, error);
    if (status == SAC_OK)
        status = sac_batches_open(&maker, t->step, &t->batches, error);
    t->report.steps = t->options.steps;
    t->report.samples = schedule.samples ? schedule.samples : class->samples;
    t->report.batch = t->options.batch;
    return status;
}

/* What was written has fewer bits than what was trained, so that it is read again. */
static sac_status judge_file(sac_model *model, const sac_training_options *options,
                             sac_error *error)
{
    sac_training_outcome *outcome = options->outcome;
    sac_arrays *file = NULL;
    uint32_t seed;
    char inside[1024];
    const char *path = sac_checkpoint_file(options->out, inside);
    if (!outcome)
        return SAC_OK;
    *outcome = (sac_training_outcome){.figure = NAN};
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = sac_checkpoint_progress(model->class, file, path, &outcome->step, &seed, error);
    const bool judges = model->class->judge && schedule_of(model).judge_every;
    if (status == SAC_OK && judges)
        status = sac_parameters_load(&model->parameters, file, path, error);
    sac_arrays_close(file);
    return status == SAC_OK && judges
               ? model->class->judge(model, &options->values, &outcome->figure, error)
               : status;
}

sac_status sac_training_measure(sac_model *model, const sac_training_options *options,
                                sac_error *error)
{
    sac_arrays *file = NULL;
    size_t steps = 0;
    uint32_t seed = 0;
    const char *from = options->resume; /* NULL: it has the weights that it began with */
    sac_status status = from ? sac_arrays_open(from, &file, error) : SAC_OK;
    if (status == SAC_OK && from)
        status = sac_checkpoint_progress(model->class, file, from, &steps, &seed, error);
    if (status == SAC_OK && from)
        status = load_and_average(model, options, file, error);
    sac_arrays_close(file);
    if (status == SAC_OK && model->class->measure)
        status = model->class->measure(model, error);
    if (status == SAC_OK)
        status = sac_checkpoint_save(model, options->out, steps, seed, NULL, error);
    return status == SAC_OK ? judge_file(model, options, error) : status;
}

/* Of a training that judged no weights, the last ones. They are measured before they are saved: a file
 * is written once. */
static sac_status save_last(training *t, sac_error *error)
{
    const sac_model_class *class = t->model->class;
    swap_average(t);
    sac_status status = class->measure ? class->measure(t->model, error) : SAC_OK;
    swap_average(t);
    if (status == SAC_OK)
        status = save_weights(t, error);
    return status == SAC_OK ? judge_file(t->model, &t->options, error) : status;
}

/* Of one that did, the best ones, which it has saved. */
static sac_status measure_best(training *t, sac_error *error)
{
    const sac_training_options saved = {.resume = t->options.out,
                                        .out = t->options.out,
                                        .values = t->options.values,
                                        .outcome = t->options.outcome};
    return t->model->class->measure ? sac_training_measure(t->model, &saved, error)
                                    : judge_file(t->model, &saved, error);
}

sac_status sac_train(sac_model *model, const sac_training_options *options,
                     sac_training_listener report, void *user, sac_error *error)
{
    training t = {.model = model, .options = *options};
    sac_status status = sac_ranks_agree(begin(&t, error), error);
    if (status == SAC_OK)
        status = run(&t, report, user, error);
    sac_batches_close(t.batches);
    if (status == SAC_OK && sac_ranks_me() == 0)
        status = t.judges ? measure_best(&t, error) : save_last(&t, error);
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK && sac_ranks_me() == 0)
        unlink(t.checkpoint);
    return status;
}
