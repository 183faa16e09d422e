/* The held-out samples that a training shows, and its curves. */

#include "models/monitor.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "models/checkpoint.h"
#include "models/head_history.h"

enum {
    REPORT_EVERY = 50,   /* steps */
    REPORT_SECONDS = 2,  /* on a terminal */
    MEASURE_EVERY = 250, /* steps, at most: of a short training an eighth … */
    MEASURE_LEAST = 10,  /* … and no fewer */
    POINTS = 500,        /* of a curve, about, where steps are fast … */
    POINT_SECONDS = 3,   /* … and else at least as often */
    HEAD_POINTS = 200,   /* of the scores of heads */
    CURVES = 5 + SAC_TRAINING_REWARDS,
    JUDGE_SHARE =
        10, /* a viewer's own judgements take that part of the time at most, and so do texts */
};

struct sac_monitor {
    sac_watched watched;
    sac_origin origin;
    const char *name; /* of the model */
    int reward;       /* the class's */
    double begun_at;

    /* The training's thread alone: */
    float exact;
    size_t exact_at;
    double spoke_at;
    double loss; /* sum since the last point */
    size_t losses;
    double point_at;
    double judged_at,
        judge_seconds; /* by the class's figure, for a viewer alone; the last one took so long */
    double written_at, write_seconds; /* the same of the text that the model writes */
    sac_array curve[CURVES];          /* of checkpoints, as the view has them */
    sac_named_array named[CURVES];

    pthread_mutex_t lock;
    sac_training_snapshot view; /* the lock's */
    size_t capacity;            /* of its curves */
    sac_head_history history;   /* its heads are the view's */
    atomic_bool looked_at;      /* since the samples were last decoded */
    atomic_bool ended;
};

static sac_status grow_curves(sac_monitor *w, size_t points, bool rewards, sac_error *error);

/* ---------------------------------------------------------------- curves of a checkpoint */

static const sac_dtype step_dtype = sizeof(size_t) == 8 ? SAC_U64 : SAC_U32;

enum { CURVE_AT, CURVE_LOSS, CURVE_EXACT, CURVE_HEADS_AT, CURVE_HEADS_SCORE, CURVE_REWARD };
static const char *const curve_names[CURVES] = {
    [CURVE_AT] = SAC_CURVES "at",
    [CURVE_LOSS] = SAC_CURVES "loss",
    [CURVE_EXACT] = SAC_CURVES "held-out",
    [CURVE_HEADS_AT] = SAC_CURVES "heads.at",
    [CURVE_HEADS_SCORE] = SAC_CURVES "heads.score",
    [CURVE_REWARD] = SAC_CURVES "reward",
    [CURVE_REWARD + 1] = SAC_CURVES "reward.baseline",
    [CURVE_REWARD + 2] = SAC_CURVES "reward.different",
};

/* Lends them to the model's checkpoints, as far as they have come. */
static void lend_curves(sac_monitor *w, sac_model *model)
{
    const sac_training_snapshot *v = &w->view;
    const sac_training_heads *heads = &w->history.heads;
    const size_t points[] = {v->points},
                 of_heads[] = {heads->points, heads->layers, heads->heads, SAC_TRAINING_KINDS};
    const void *const numbers[CURVES] = {
        [CURVE_AT] = v->at,
        [CURVE_LOSS] = v->loss,
        [CURVE_EXACT] = v->exact,
        [CURVE_HEADS_AT] = heads->points ? heads->at : NULL,
        [CURVE_HEADS_SCORE] = heads->points ? heads->score : NULL,
        [CURVE_REWARD] = v->reward[0],
        [CURVE_REWARD + 1] = v->reward[1],
        [CURVE_REWARD + 2] = v->reward[2],
    };
    sac_guest_arrays *to = &model->parameters.curves;
    *to = (sac_guest_arrays){.prefix = SAC_CURVES, .list = w->named};
    for (int i = 0; i < CURVES; i++) {
        const bool is_of_heads = i == CURVE_HEADS_AT || i == CURVE_HEADS_SCORE;
        if (!numbers[i])
            continue;
        w->curve[to->count] = sac_array_view(
            i == CURVE_AT || i == CURVE_HEADS_AT ? step_dtype : SAC_F32,
            i == CURVE_HEADS_SCORE ? 4 : 1, is_of_heads ? of_heads : points, numbers[i]);
        w->named[to->count] = (sac_named_array){curve_names[i], &w->curve[to->count]};
        to->count++;
    }
}

/* The curve of that name with so many points; *array NULL: there is none. */
static sac_status find_curve(const sac_arrays *file, int curve, size_t points,
                             const sac_array **array, sac_error *error)
{
    const sac_array *a = *array = sac_arrays_find(file, curve_names[curve]);
    const sac_dtype dtype = curve == CURVE_AT || curve == CURVE_HEADS_AT ? step_dtype : SAC_F32;
    if (!a || (a->dtype == dtype && a->rank == (curve == CURVE_HEADS_SCORE ? 4 : 1) &&
               (!points || a->shape[0] == points)))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, curve_names[curve],
                    "resume from another checkpoint, or from weights", "is no curve of %zu points",
                    points);
}

static sac_status restore_losses(sac_monitor *w, const sac_arrays *file, sac_error *error)
{
    sac_training_snapshot *v = &w->view;
    const sac_array *curve[CURVES] = {0};
    sac_status status = find_curve(file, CURVE_AT, 0, &curve[CURVE_AT], error);
    if (status != SAC_OK || !curve[CURVE_AT])
        return status;
    const size_t points = curve[CURVE_AT]->shape[0];
    for (int i = CURVE_LOSS; i < CURVES && status == SAC_OK; i++)
        if (i != CURVE_HEADS_AT && i != CURVE_HEADS_SCORE)
            status = find_curve(file, i, points, &curve[i], error);
    if (status == SAC_OK)
        status = grow_curves(w, points, curve[CURVE_REWARD], error);
    void *const to[CURVES] = {[CURVE_AT] = v->at,
                              [CURVE_LOSS] = v->loss,
                              [CURVE_EXACT] = v->exact,
                              [CURVE_REWARD] = v->reward[0],
                              [CURVE_REWARD + 1] = v->reward[1],
                              [CURVE_REWARD + 2] = v->reward[2]};
    for (int i = 0; i < CURVES && status == SAC_OK; i++) {
        if (curve[i] && to[i])
            memcpy(to[i], curve[i]->data, points * sac_dtype_size(curve[i]->dtype));
        else if (to[i])
            for (size_t k = 0; k < points; k++)
                ((float *)to[i])[k] = NAN;
    }
    v->points = status == SAC_OK ? points : 0;
    return status;
}

static sac_status restore_heads(sac_monitor *w, const sac_arrays *file, sac_error *error)
{
    const sac_array *at, *score;
    sac_status status = find_curve(file, CURVE_HEADS_AT, 0, &at, error);
    if (status == SAC_OK && at)
        status = find_curve(file, CURVE_HEADS_SCORE, at->shape[0], &score, error);
    if (status != SAC_OK || !at || !score || !sac_array_count(score) ||
        score->shape[3] != SAC_TRAINING_KINDS)
        return status;
    return sac_head_history_restore(&w->history, score->shape[1], score->shape[2], at->shape[0],
                                    at->data, score->data, error);
}

static sac_status restore_curves(sac_monitor *w, const char *from, sac_error *error)
{
    sac_arrays *file = NULL;
    sac_status status = sac_arrays_open(from, &file, error);
    if (status == SAC_OK && sac_checkpoint_has_moments(file)) {
        status = restore_losses(w, file, error);
        if (status == SAC_OK)
            status = restore_heads(w, file, error);
        status = status == SAC_OK ? status : sac_error_within(error, status, from);
    }
    sac_arrays_close(file);
    return status;
}

/* ---------------------------------------------------------------- samples */

sac_status sac_monitor_create(const sac_model *model, const char *device, const char *from,
                              sac_monitor **monitor, sac_error *error)
{
    *monitor = NULL;
    sac_monitor *w = calloc(1, sizeof *w);
    if (!w)
        return sac_no_memory(error, "training");
    pthread_mutex_init(&w->lock, NULL);
    w->exact = NAN;
    w->name = model->class->name;
    w->reward = model->class->reward;
    w->begun_at = sac_now();
    snprintf(w->origin.device, sizeof w->origin.device, "%s", device);
    sac_watched *watched = &w->watched;
    sac_status status = model->class->watch(model, watched, error);
    for (int i = 0; status == SAC_OK && i < watched->shown; i++)
        status = watched->show(watched->self, i, &w->view.picture[i].image,
                               w->view.picture[i].truth, sizeof w->view.picture[i].truth, error);
    w->view.pictures = watched->shown;
    w->view.writes = watched->write != NULL;
    if (status == SAC_OK && from)
        status = restore_curves(w, from, error);
    if (status == SAC_OK)
        *monitor = w;
    else
        sac_monitor_destroy(w);
    return status;
}

void sac_monitor_destroy(sac_monitor *w)
{
    if (!w)
        return;
    if (w->watched.destroy)
        w->watched.destroy(w->watched.self);
    sac_training_snapshot_free(&w->view);
    sac_head_history_free(&w->history);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---------------------------------------------------------------- generation */

static void publish_caption(sac_monitor *w, int index, sac_result *caption)
{
    pthread_mutex_lock(&w->lock);
    sac_result_free(&w->view.picture[index].caption);
    w->view.picture[index].caption = *caption;
    w->view.picture[index].is_one_of_several = w->watched.has_word;
    for (int i = 0; w->watched.has_word && i < caption->count; i++)
        w->view.picture[index].has_word[i] =
            w->watched.has_word(w->watched.self, index, caption->outputs[i].word);
    pthread_mutex_unlock(&w->lock);
    *caption = (sac_result){0};
}

/* Decodes the first `count` samples, and counts those that are exact. */
static sac_status decode_samples(sac_monitor *w, sac_model *model, int count, int *exact,
                                 sac_error *error)
{
    const sac_result_request greedy = {.beam = 1};
    sac_status status = SAC_OK;
    *exact = 0;
    for (int i = 0; status == SAC_OK && i < count; i++) {
        sac_result caption = {0};
        status = w->watched.encode(w->watched.self, model, i, error);
        if (status == SAC_OK)
            status = sac_model_decode(model, &greedy, &caption, error);
        *exact += status == SAC_OK && w->watched.is_exact(w->watched.self, i, &caption);
        if (status == SAC_OK && i < w->watched.shown)
            publish_caption(w, i, &caption);
        sac_result_free(&caption);
    }
    return status;
}

/* What the model writes, in the place of captions. */
static sac_status write_sample(sac_monitor *w, sac_model *model, sac_error *error)
{
    char text[SAC_TRAINING_SAMPLE] = "";
    const double begun = sac_now();
    sac_status status = w->watched.write(w->watched.self, model, text, sizeof text, error);
    w->written_at = sac_now();
    w->write_seconds = w->written_at - begun;
    pthread_mutex_lock(&w->lock);
    memcpy(w->view.sample, text, sizeof text);
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* ---------------------------------------------------------------- heads */

/* Where the heads look now, and how much of each kind they have, scores [layers,heads,SAC_TRAINING_KINDS]; free both. No
 * weights: they are not watched. */
static sac_status look_at_heads(sac_monitor *w, sac_model *model, sac_attention_kind *attention,
                                float **scores, sac_error *error)
{
    *attention = (sac_attention_kind){0};
    *scores = NULL;
    sac_status status =
        w->watched.attend ? w->watched.attend(w->watched.self, model, attention, error) : SAC_OK;
    if (status != SAC_OK || !attention->weights)
        return status;
    *scores = calloc(attention->layers * attention->heads * SAC_TRAINING_KINDS, sizeof **scores);
    return *scores ? sac_heads_measure(attention, *scores, error) : sac_no_memory(error, "heads");
}

static void free_look(sac_attention_kind *attention, float *scores)
{
    free(attention->weights);
    sac_labels_free(&attention->step_labels);
    sac_labels_free(&attention->position_labels);
    free(scores);
}

static sac_status measure_heads(sac_monitor *w, sac_model *model, size_t step, sac_error *error)
{
    sac_attention_kind attention;
    float *scores;
    sac_status status = look_at_heads(w, model, &attention, &scores, error);
    pthread_mutex_lock(&w->lock);
    if (status == SAC_OK && attention.weights)
        status = sac_head_history_add(&w->history, step, scores, &attention, w->view.sample, error);
    pthread_mutex_unlock(&w->lock);
    free_look(&attention, scores);
    return status;
}

sac_status sac_monitor_name_heads(sac_monitor *w, sac_model *model, char *text, size_t size,
                                  sac_error *error)
{
    sac_attention_kind attention;
    float *scores;
    size_t used = 0;
    text[0] = '\0';
    sac_status status = look_at_heads(w, model, &attention, &scores, error);
    const sac_training_heads heads = {
        .layers = attention.layers, .heads = attention.heads, .points = 1, .score = scores};
    for (int k = 0; status == SAC_OK && scores && k < SAC_TRAINING_KINDS && used < size; k++) {
        const size_t best = sac_training_best_head(&heads, 0, k);
        used += (size_t)snprintf(text + used, size - used, "%s%s %zu.%zu (%.2f)", k ? ", " : "",
                                 sac_training_kind_names[k], best / heads.heads, best % heads.heads,
                                 (double)sac_training_head_score(&heads, 0, best, k));
    }
    free_look(&attention, scores);
    return status;
}

/* ---------------------------------------------------------------- curves */

static sac_status grow_curves(sac_monitor *w, size_t points, bool rewards, sac_error *error)
{
    sac_training_snapshot *v = &w->view;
    if (points <= w->capacity)
        return SAC_OK;
    size_t capacity = w->capacity ? 2 * w->capacity : POINTS;
    capacity = points > capacity ? points : capacity;
    float *loss = realloc(v->loss, capacity * sizeof *loss);
    v->loss = loss ? loss : v->loss;
    float *exact = realloc(v->exact, capacity * sizeof *exact);
    v->exact = exact ? exact : v->exact;
    size_t *at = realloc(v->at, capacity * sizeof *at);
    v->at = at ? at : v->at;
    bool grown = loss && exact && at;
    for (int i = 0; i < SAC_TRAINING_REWARDS && rewards; i++) {
        float *reward = realloc(v->reward[i], capacity * sizeof *reward);
        v->reward[i] = reward ? reward : v->reward[i];
        grown = grown && reward;
    }
    if (!grown)
        return sac_no_memory(error, "training");
    w->capacity = capacity;
    return SAC_OK;
}

/* The lock is held. */
static sac_status add_point(sac_monitor *w, const sac_training_report *r, float exact,
                            sac_error *error)
{
    const float *reward = w->reward ? r->part + w->reward : NULL;
    const bool rewards = reward && !isnan(*reward);
    sac_status status = grow_curves(w, w->view.points + 1, rewards, error);
    if (status != SAC_OK)
        return status;
    size_t i = w->view.points++;
    w->view.at[i] = r->step;
    for (int k = 0; k < SAC_TRAINING_REWARDS && w->view.reward[k]; k++)
        w->view.reward[k][i] = reward[k];
    w->view.loss[i] = (float)(w->loss / (double)w->losses);
    w->view.exact[i] = exact;
    w->loss = 0;
    w->losses = 0;
    return SAC_OK;
}

static sac_status record_figures(sac_monitor *w, const sac_training_report *r, float exact,
                                 sac_error *error)
{
    size_t every = r->steps / POINTS ? r->steps / POINTS : 1;
    const double now = sac_now();
    bool point = r->step % every == 0 || !isnan(exact) || r->step == r->steps ||
                 now - w->point_at >= POINT_SECONDS;
    w->point_at = point ? now : w->point_at;
    w->loss += r->last;
    w->losses++;
    pthread_mutex_lock(&w->lock);
    w->view.step = r->step;
    w->view.steps = r->steps;
    w->view.seconds = now - w->begun_at;
    w->view.samples_per_second = r->samples_per_second;
    w->view.seconds_left = r->seconds_left;
    w->view.figure = r->figure;
    w->view.figure_is_loss = r->figure_is_loss;
    sac_status status = point ? add_point(w, r, exact, error) : SAC_OK;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* Every so many steps, and every so many seconds while a viewer looks; after the first step of all what is quickly there
 * is published at once, and what takes a second (a judgement, a text) when the curve moves already. */
static bool is_time_to_report(sac_monitor *w, size_t step, bool *seen_now)
{
    const double now = sac_now();
    const bool first = !(w->spoke_at > 0);
    bool seen =
        !first && now - w->spoke_at >= REPORT_SECONDS && atomic_exchange(&w->looked_at, false);
    *seen_now = seen;
    bool generates = seen || first || step % REPORT_EVERY == 0;
    if (generates)
        w->spoke_at = now;
    return generates;
}

/* The class's figure between two judgements of the training, so that its curve grows while somebody looks: which
 * weights are kept does not depend on it. */
static sac_status judge_for_viewer(sac_monitor *w, sac_model *model, float *score, sac_error *error)
{
    const sac_model_values values = sac_model_defaults(model->class);
    const bool averages = model->parameters.average.buffer;
    const double begun = sac_now();
    double judged;
    if (averages)
        sac_parameters_swap_average(&model->parameters);
    sac_status status = model->class->judge(model, &values, &judged, error);
    if (averages)
        sac_parameters_swap_average(&model->parameters);
    w->judged_at = sac_now();
    w->judge_seconds = w->judged_at - begun;
    *score = status == SAC_OK ? (float)judged : NAN;
    return status;
}

sac_status sac_monitor_step(sac_monitor *w, sac_model *model, const sac_training_report *report,
                            sac_error *error)
{
    bool last = report->step == report->steps;
    size_t every = report->steps / 8;
    every = every < MEASURE_LEAST ? MEASURE_LEAST : every > MEASURE_EVERY ? MEASURE_EVERY : every;
    bool measure = !report->figure && (report->step % every == 0 || last);
    bool seen, generates = is_time_to_report(w, report->step, &seen) || measure || last;
    bool judged = report->figure && report->judged_at == report->step;
    bool judges = report->figure && !judged && seen &&
                  sac_now() - w->judged_at >= fmax(POINT_SECONDS, JUDGE_SHARE * w->judge_seconds);
    float between = NAN;
    int exact;
    sac_status status = SAC_OK;
    if (judges)
        status = judge_for_viewer(w, model, &between, error);
    if (status == SAC_OK && generates)
        status =
            decode_samples(w, model, measure ? w->watched.count : w->watched.shown, &exact, error);
    bool writes =
        judged || last || (seen && sac_now() - w->written_at >= JUDGE_SHARE * w->write_seconds);
    if (status == SAC_OK && w->watched.write && writes)
        status = write_sample(w, model, error);
    const size_t apart = report->steps / HEAD_POINTS ? report->steps / HEAD_POINTS : 1;
    if (status == SAC_OK && (report->step == 1 || report->step % apart == 0 || last))
        status = measure_heads(w, model, report->step, error);
    if (status == SAC_OK && measure) {
        w->exact = (float)exact / (float)w->watched.count;
        w->exact_at = report->step;
    }
    if (status == SAC_OK)
        status = record_figures(w, report,
                                judged    ? (float)report->judged
                                : measure ? w->exact
                                          : between,
                                error);
    lend_curves(w, model);
    return status;
}

float sac_monitor_exact(const sac_monitor *w, size_t *step)
{
    *step = w->exact_at;
    return w->exact;
}

const char *sac_monitor_sample(const sac_monitor *w)
{
    return w->view.sample;
}

void sac_monitor_end(sac_monitor *w)
{
    atomic_store(&w->ended, true);
}

/* ---------------------------------------------------------------- copies for a viewer */

static void *copy(const void *from, size_t bytes, bool *copied)
{
    if (!from) /* there is none to copy, such as the picture of a model that reads */
        return NULL;
    void *to = malloc(bytes ? bytes : 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    *copied = *copied && to;
    return to;
}

static void copy_picture(const sac_training_snapshot *from, int i, sac_training_snapshot *to,
                         bool *copied)
{
    const sac_image *image = &from->picture[i].image;
    const sac_result *caption = &from->picture[i].caption;
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    to->picture[i].image.rgba =
        copy(image->rgba, (size_t)image->width * (size_t)image->height * 4, copied);
    to->picture[i].caption.weights =
        copy(caption->weights, (size_t)caption->count * cells * sizeof(float), copied);
    if (caption->positions)
        to->picture[i].caption.positions =
            copy(caption->positions, cells * sizeof *caption->positions, copied);
}

/* Takes over all numbers, and copies what they point to. */
static sac_status copy_view(const sac_monitor *w, sac_training_snapshot *to, sac_error *error)
{
    const sac_training_snapshot *from = &w->view;
    bool copied = true;
    *to = *from;
    to->loss = copy(from->loss, from->points * sizeof *from->loss, &copied);
    to->exact = copy(from->exact, from->points * sizeof *from->exact, &copied);
    to->at = copy(from->at, from->points * sizeof *from->at, &copied);
    for (int i = 0; i < SAC_TRAINING_REWARDS; i++)
        to->reward[i] = copy(from->reward[i], from->points * sizeof *from->reward[i], &copied);
    for (int i = 0; i < from->pictures; i++)
        copy_picture(from, i, to, &copied);
    const sac_training_heads *heads = &w->history.heads;
    const size_t scores = heads->layers * heads->heads * SAC_TRAINING_KINDS;
    to->heads = *heads;
    to->heads.at = copy(heads->at, heads->points * sizeof *heads->at, &copied);
    to->heads.score = copy(heads->score, heads->points * scores * sizeof *heads->score, &copied);
    to->heads.kept = copy(heads->kept, heads->points * sizeof *heads->kept, &copied);
    if (copied)
        return SAC_OK;
    sac_training_snapshot_free(to);
    return sac_no_memory(error, "training");
}

static sac_status copy_view_if_changed(void *self, size_t step, sac_training_snapshot *view,
                                       bool *changed, sac_error *error)
{
    sac_monitor *w = self;
    sac_status status = SAC_OK;
    atomic_store(&w->looked_at, true);
    pthread_mutex_lock(&w->lock);
    *changed = w->view.step != step;
    if (*changed)
        status = copy_view(w, view, error);
    pthread_mutex_unlock(&w->lock);
    return status;
}

static sac_status copy_moment(void *self, size_t step, sac_training_moment *moment,
                              sac_error *error)
{
    sac_monitor *w = self;
    pthread_mutex_lock(&w->lock);
    sac_status status = sac_head_history_moment(&w->history, step, moment, error);
    pthread_mutex_unlock(&w->lock);
    return status;
}

static bool ended(void *self)
{
    sac_monitor *w = self;
    return atomic_load(&w->ended);
}

sac_source sac_monitor_source(sac_monitor *w)
{
    sac_source source = {
        .self = w,
        .origin = w->origin,
        .training.look = copy_view_if_changed,
        .training.ended = ended,
        .training.moment = w->watched.attend ? copy_moment : NULL,
    };
    snprintf(source.title, sizeof source.title, "%s%s", w->name, w->view.writes ? " model" : "");
    return source;
}
