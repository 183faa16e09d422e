/* The training view: captions and their ground truth, time and events, and the class's table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "training/training_state.h"
#include "training/training_view.h"
#include "view/settings.h"
#include "view/words.h"

void training_judge(training_picture *p, const char *truth, const sac_result *caption)
{
    /* shared[i][k]: words in the longest common subsequence of the generated caption from word i on
     * and the ground truth from word k on. */
    int shared[SAC_MAX_TOKENS + 1][SAC_TRUE_WORDS + 1], i, k;
    char *rest = NULL;
    snprintf(p->text, sizeof p->text, "%s", truth);
    p->truth_count = 0;
    for (char *t = strtok_r(p->text, " ", &rest); t && p->truth_count < SAC_TRUE_WORDS;
         t = strtok_r(NULL, " ", &rest))
        p->truth[p->truth_count++] = t;
    for (i = caption->count; i >= 0; i--)
        for (k = p->truth_count; k >= 0; k--) {
            int best = 0;
            if (i < caption->count && k < p->truth_count) {
                bool same = strcmp(caption->outputs[i].text, p->truth[k]) == 0;
                int skipped =
                    shared[i + 1][k] > shared[i][k + 1] ? shared[i + 1][k] : shared[i][k + 1];
                best = same ? shared[i + 1][k + 1] + 1 : skipped;
            }
            shared[i][k] = best;
        }
    for (int n = 0; n < SAC_MAX_TOKENS; n++)
        p->wrong[n] = p->missed[n] = true;
    i = k = 0;
    while (i < caption->count && k < p->truth_count) {
        if (strcmp(caption->outputs[i].text, p->truth[k]) == 0)
            p->wrong[i++] = p->missed[k++] = false;
        else if (shared[i + 1][k] >= shared[i][k + 1])
            i++;
        else
            k++;
    }
    p->right =
        caption->finished && caption->count == p->truth_count && shared[0][0] == p->truth_count;
}

/* ---------------------------------------------------------------- time in the training view, and what keys and pointer do to it */

int training_longest(const training_view *v)
{
    int most = 0;
    for (int i = 0; i < v->state.pictures; i++)
        if (v->state.picture[i].caption.count > most)
            most = v->state.picture[i].caption.count;
    return most;
}

static void training_glide_to(training_view *v, int picture)
{
    const viz_player *p = &v->player;
    viz_glide_to(&v->picture[picture].glide, &v->state.picture[picture].caption,
                 training_word_of(v, picture), p->now, !p->has_clock || p->exporting);
}

/* Captions that are over keep their last word. */
static void glide_from(training_view *v, int before)
{
    for (int i = 0; i < v->state.pictures; i++)
        if (before < v->state.picture[i].caption.count ||
            v->player.step < v->state.picture[i].caption.count)
            training_glide_to(v, i);
}

/* True where it was another word. */
static bool go(training_view *v, int word)
{
    int before = v->player.step;
    bool moved = viz_player_go(&v->player, training_longest(v), word);
    if (moved)
        glide_from(v, before);
    return moved;
}

/* ---------------------------------------------------------------- the clock of a window */

bool training_tick(viz_view *view, double now)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool first = !p->has_clock, moves = false;
    if (viz_player_set_time(p, now)) {
        /* In a window words appear one by one; a still shows the whole caption. */
        if (first)
            go(v, 0);
        for (int i = 0; i < TRAINING_PICTURES; i++)
            v->picture[i].glide.start = v->player.now - VIZ_GLIDE_SECONDS;
    }
    int before = p->step;
    bool stepped = viz_player_advance(p, training_longest(v));
    if (stepped)
        glide_from(v, before);
    for (int i = 0; i < v->state.pictures; i++)
        moves |= viz_glide_step(&v->picture[i].glide, now, viz_player_glide_seconds(p));
    return moves || stepped || viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- the story, for export */

static int training_frames(const viz_view *view, int fps)
{
    const training_view *v = (const training_view *)view;
    int words = training_longest(v);
    return words > 0 ? viz_player_frames(&v->player, words, fps) : 1;
}

/* A person's pause is shown, and stays as it is. */
static void training_frame(viz_view *view, int index, int fps)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool playing = p->playing;
    if (training_longest(v) == 0)
        return;
    viz_player_frame(p, training_longest(v), index, fps);
    p->playing = playing;
    for (int i = 0; i < v->state.pictures; i++) {
        viz_glide *g = &v->picture[i].glide;
        viz_glide_from_before(g, &v->state.picture[i].caption, p->step, p->step_since);
        viz_glide_step(g, p->now, viz_player_glide_seconds(p));
    }
}

/* ---------------------------------------------------------------- events */

static bool press_time(viz_view *view, viz_pressed pressed)
{
    training_view *v = training_of(view);
    int before = v->player.step;
    bool changed = viz_player_press(&v->player, training_longest(v), pressed.key, NULL, 0);
    if (v->player.step != before)
        glide_from(v, before);
    return changed;
}

static const viz_key_row training_keys[] = {
    {"space", "hold the words, or go on", press_time},
    {"←  →", "the word before, the next", press_time},
    {"Home  End", "the first word, the last", press_time},
    {"click", "hold a word"},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"Q", "close: the training goes on"},
    {NULL, NULL},
};

static bool training_event(viz_view *view, const viz_event *event)
{
    training_view *v = training_of(view);
    bool was;
    switch (event->kind) {
    case VIZ_MOVE:
    case VIZ_LEAVE:
        was = v->pointed;
        v->pointer_x = event->x;
        v->pointer_y = event->y;
        v->pointed =
            event->kind == VIZ_MOVE && (viz_inside(v->layout.loss.plot, event->x, event->y) ||
                                        viz_inside(v->layout.exact.plot, event->x, event->y));
        return was || v->pointed;
    case VIZ_PRESS:
        /* A word that is pressed is held. */
        if (event->button != 1)
            return false;
        for (int i = 0; i < v->state.pictures; i++)
            for (int k = 0; k < v->state.picture[i].caption.count; k++)
                if (viz_inside(v->words[i].generated[k], event->x, event->y)) {
                    was = v->player.playing;
                    v->player.playing = false;
                    return go(v, k) || was;
                }
        return false;
    case VIZ_KEY:
        return viz_keys_press(training_keys, view, event);
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- the training view's table, its looks at the training, and what they change */

/* One look. */
typedef struct training_job {
    viz_job base;
    size_t step; /* the most recent one; none is as large as the first one's */
    sac_training_snapshot state;
    bool changed, ended;
} training_job;

/* ---------------------------------------------------------------- jobs */

/* Headless there is one look; a window looks again and again until the training has ended. */
static viz_job *training_want(viz_view *view)
{
    training_view *v = training_of(view);
    bool due =
        v->player.has_clock && !v->ended && v->player.now - v->looked_at >= TRAINING_LOOK_SECONDS;
    if (v->request.out || (v->looked && !due))
        return NULL;
    training_job *job = viz_job_create(&viz_training_class, sizeof *job);
    if (!job)
        return NULL;
    job->step = v->looked ? v->state.step : SIZE_MAX;
    return viz_request_submit(&v->request, &job->base, 0);
}

/* The end is requested first: if the training has ended, the snapshot taken after it is the last.
 */
static sac_status training_work(viz_view *view, viz_job *base, sac_error *error)
{
    training_job *job = viz_job_of(base, &viz_training_class);
    sac_source *source = training_of(view)->source;
    job->ended = source->training.ended(source->self);
    return source->training.look(source->self, job->step, &job->state, &job->changed, error);
}

static bool same_caption(const sac_result *a, const sac_result *b)
{
    size_t cells = (size_t)a->grid_w * (size_t)a->grid_h;
    return a->count == b->count && a->grid_w == b->grid_w && a->grid_h == b->grid_h &&
           memcmp(a->outputs, b->outputs, sizeof a->outputs) == 0 &&
           (a->count == 0 ||
            memcmp(a->weights, b->weights, (size_t)a->count * cells * sizeof *a->weights) == 0);
}

static void training_take(viz_view *view, viz_job *base, const sac_error *error)
{
    training_view *v = training_of(view);
    training_job *job = viz_job_of(base, &viz_training_class);
    bool worked = viz_request_take(&v->request, error);
    v->looked = true;
    v->looked_at = v->player.now;
    if (worked)
        v->ended = job->ended;
    if (worked && job->changed) {
        /* Starts the movement of the heat from the previous caption to the new one. */
        sac_training_snapshot before = v->state;
        v->state = job->state;
        job->state = before;
        if (v->state.pictures > TRAINING_PICTURES)
            v->state.pictures = TRAINING_PICTURES;
        int longest = training_longest(v);
        if (!v->player.has_clock && !v->held)
            v->player.step = longest > 0 ? longest - 1 : 0;
        for (int i = 0; i < v->state.pictures; i++) {
            training_picture *p = &v->picture[i];
            p->stamp += !(before.picture[i].image.width == v->state.picture[i].image.width &&
                          before.picture[i].image.height == v->state.picture[i].image.height &&
                          before.picture[i].image.rgba && v->state.picture[i].image.rgba &&
                          memcmp(before.picture[i].image.rgba, v->state.picture[i].image.rgba,
                                 4 * (size_t)before.picture[i].image.width *
                                     (size_t)before.picture[i].image.height) == 0);
            if (!same_caption(&before.picture[i].caption, &v->state.picture[i].caption))
                training_glide_to(v, i);
            training_judge(p, v->state.picture[i].truth, &v->state.picture[i].caption);
        }
    }
    sac_training_snapshot_free(&job->state);
    free(job);
}

/* ---------------------------------------------------------------- origin */

static void save_steps(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    viz_put_whole(put, user, s->name,
                  (long long)(!strcmp(s->name, "step") ? state->step : state->steps));
}

static void save_loss(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    if (state->points > 0)
        viz_put_real(put, user, s->name, (double)state->loss[state->points - 1]);
}

static void save_exact(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    size_t measured;
    float exact = training_exact(&((const training_view *)view)->state, &measured);
    if (isfinite(exact))
        viz_put_real(put, user, s->name, (double)exact);
}

static void set_word(viz_view *view, const viz_setting *s, double word)
{
    training_view *v = training_of(view);
    (void)s;
    v->player.step = (int)word;
    v->held = true;
    for (int i = 0; i < v->state.pictures; i++)
        training_glide_to(v, i);
}

#define IN(member) offsetof(training_view, member)

static const viz_setting training_settings[] = {
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"step", .save = save_steps},
    {"steps", .save = save_steps},
    {"loss", .save = save_loss},
    {"exact", .save = save_exact},
    {"word", VIZ_WHOLE, IN(player.step), 0, SAC_MAX_TOKENS - 1, .moves = true, .set = set_word},
    {"playing", VIZ_SWITCH, IN(player.playing), VIZ_NAMES(viz_no_yes), .moves = true},
    VIZ_STYLE_SETTINGS(IN, style),
    {0},
};

/* ---------------------------------------------------------------- the table */

static void training_status(const viz_view *view, char *text, size_t size)
{
    const training_view *v = (const training_view *)view;
    const sac_training_snapshot *s = &v->state;
    const char *model = v->source->title;
    const char *between = v->source->origin.device[0] ? "  ·  " : "",
               *device = v->source->origin.device;
    if (!v->ended)
        snprintf(text, size, viz_word("training the %s%s%s"), model, between, device);
    else if (s->step == s->steps)
        snprintf(text, size, viz_word("the %s is trained%s%s"), model, between, device);
    else
        snprintf(text, size, viz_word("the training was stopped%s%s"), between, device);
}

static void training_destroy(viz_view *view)
{
    training_view *v = training_of(view);
    for (int i = 0; i < TRAINING_PICTURES; i++) {
        viz_glide_free(&v->picture[i].glide);
        viz_scaled_free(&v->picture[i].kept);
    }
    sac_training_snapshot_free(&v->state);
    free(v);
}

static bool training_accepts(const sac_source *source)
{
    return source->training.look;
}

const viz_view_class viz_training_class = {
    .name = "training",
    .tab = "Training",
    .is_live = true,
    .accepts = training_accepts,
    .create = viz_training_view_create,
    .draw = training_draw,
    .figure = training_draw_figure,
    .figure_height = training_figure_height,
    .event = training_event,
    .tick = training_tick,
    .want = training_want,
    .work = training_work,
    .take = training_take,
    .status = training_status,
    .settings = {training_settings},
    .keys = training_keys,
    .spots = training_spots,
    .about = "The training: what the captioner generates now, and how it learns.",
    .frames = training_frames,
    .frame = training_frame,
    .destroy = training_destroy,
};

sac_status viz_training_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                    sac_error *error)
{
    training_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "training view");
    v->base.class = &viz_training_class;
    v->base.source = source;
    v->source = source;
    v->player = (viz_player){.step_seconds = TRAINING_WORD_SECONDS,
                             .rest_seconds = TRAINING_REST_SECONDS,
                             .speed = 1,
                             .loops = true,
                             .playing = true};
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    *view = &v->base;
    return SAC_OK;
}
