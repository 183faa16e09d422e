/* Openings while the window goes on: the first file, a dropped one, the next device; and what of the window
 * follows what is open. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/notice.h"
#include "canvas/colormap.h"
#include "parts/playback/pace.h"
#include "view/settings.h"
#include "view/words.h"
#include "window/loop.h"

/* ---------------------------------------------------------------- the name of what is open, and settings of all views */

void viz_loop_set_name(viz_loop *loop, const char *path)
{
    viz_shell_set_name(loop->shell, path);
    const char *name = loop->shell->name;
    snprintf(loop->name, sizeof loop->name, "%s", name[0] ? name : "view");
}

static void store_title(void *user, const char *key, const char *value)
{
    if (strcmp(key, "title") == 0)
        snprintf(user, sizeof((viz_loop *)0)->title, "%s", value);
}

void viz_loop_follow_title(viz_loop *loop)
{
    const viz_view *view = viz_shell_tab_view(loop->shell);
    char title[sizeof loop->title] = "";
    if (view && viz_worker_is_idle(loop->worker)) /* which may write what is read here */
        viz_view_describe(view, store_title, title);
    bool turned = loop->title[0] && title[0] && strcmp(loop->title, title) != 0;
    if (title[0])
        memcpy(loop->title, title, sizeof title);
    for (char *c = title; *c; c++) /* it names what is saved, too */
        *c = *c == ' ' ? '-' : *c;
    if (!turned)
        return;
    viz_loop_set_name(loop, title);
    viz_screen_title(&loop->screen, loop->name);
}

void viz_loop_error(viz_loop *loop, const sac_error *error)
{
    char line[sizeof loop->shell->message];
    viz_shell_show_problem(loop->shell, sac_error_line(error, line, sizeof line));
}

/* ---------------------------------------------------------------- settings of all views */

/* Those that a person finds again in the next window, and what they are at first. */
static const struct {
    const char *key, *first;
} shared[VIZ_KEPT] = {{"map", "inferno"}, {"pace", "usual"}};

typedef struct notice {
    const char *key;
    char *value;
} notice;

static void store_shared_value(void *user, const char *key, const char *value)
{
    const notice *t = user;
    if (strcmp(key, t->key) == 0)
        snprintf(t->value, VIZ_KEPT_NAME, "%s", value);
}

void viz_loop_get_shared_values(const viz_view *view, viz_kept_values values)
{
    for (int k = 0; k < VIZ_KEPT; k++) {
        values[k][0] = '\0';
        if (view)
            viz_view_describe(view, store_shared_value, &(notice){shared[k].key, values[k]});
    }
}

void viz_loop_apply_shared_settings(viz_loop *loop, bool all)
{
    const viz_shell *shell = loop->shell;
    for (int i = 0; i < shell->count; i++) {
        viz_view *view = shell->tabs[i].view;
        viz_kept_values values;
        viz_loop_get_shared_values(view, values);
        for (int k = 0; k < VIZ_KEPT; k++) {
            const char *kept = loop->settings.shared[k];
            if (k == VIZ_KEPT_PACE && !kept[0] && loop->settings.calm)
                kept = viz_pace_names[VIZ_PACE_STILL];
            if (kept[0] && values[k][0] && (all || strcmp(values[k], shared[k].first) == 0))
                viz_view_restore(view, shared[k].key, kept);
        }
    }
}

#define SOON 0.3    /* what is over by then needs no words */
#define COUNTED 2.0 /* from then on its seconds are shown */

/* ---------------------------------------------------------------- on the opener's thread */

/* Computes the view's first jobs, and those that follow soon. The view is not in use elsewhere
 * yet. */
static sac_status compute_first(viz_view *view, sac_error *error)
{
    const viz_view_class *class = view->class;
    sac_status status = SAC_OK;
    double end = INFINITY; /* until the first is there */
    viz_job *job;
    while (status == SAC_OK && class->create_job && sac_now() < end &&
           (job = class->create_job(view))) {
        status = class->run_job(view, job, error);
        class->finish_job(view, job, status == SAC_OK ? NULL : error);
        end = fmin(end, sac_now() + SOON);
    }
    return status;
}

static sac_status open_and_compute(void *self, sac_error *error)
{
    const window_opening *o = self;
    sac_status status = o->opening->open(o->opening, error);
    if (status != SAC_OK || o->first)
        return status;
    viz_shell_tick(o->opening->shell, o->now);
    viz_view *view = viz_shell_view(o->opening->shell);
    return view ? compute_first(view, error) : SAC_OK;
}

/* ---------------------------------------------------------------- on the window's thread */

static void show_open_dialog(viz_loop *loop, viz_pick pick)
{
    viz_opens opens = {.folder = "."};
    if (loop->options->offer)
        loop->options->offer(loop->options->user, &opens);
    if (pick.from && pick.from[0])
        snprintf(opens.folder, sizeof opens.folder, "%s", pick.from);
    if (pick.purpose)
        opens.recent_count = opens.sample_count = 0;
    opens.purpose = pick.purpose;
    opens.wanted = pick.wanted;
    viz_shell_show_open_dialog(loop->shell, &opens);
    loop->dirty = true;
}

static void show_opened(viz_loop *loop)
{
    viz_opening *opening = loop->opening.opening;
    opening->take(opening);
    loop->shell->chooses = false;
    viz_loop_apply_shared_settings(loop, false);
    viz_loop_set_name(loop, opening->name);
    loop->title[0] = '\0';
    viz_screen_title(&loop->screen, loop->name);
    viz_shell_tick(loop->shell, sac_now()); /* the message begins now */
    viz_view *view = viz_shell_tab_view(loop->shell);
    if (loop->shell->lecture)
        snprintf(loop->lecture, sizeof loop->lecture, "%s", loop->shell->lecture);
    if (opening->arrives && view && view->class->arrive)
        view->class->arrive(view);
    if (loop->introduces && !loop->opening.first && view && view->class->introduce)
        view->class->introduce(view);
    if (opening->message[0])
        viz_shell_show_message(loop->shell, opening->message);
    if (opening->asks[0]) {
        show_open_dialog(loop, (viz_pick){.from = opening->asks_in});
        viz_shell_show_problem(loop->shell, opening->asks);
    }
}

static void report_failed_opening(viz_loop *loop, const sac_error *error)
{
    if (loop->opening.first) {
        loop->status = error->status;
        loop->error = *error;
        loop->closing = true;
    } else {
        char line[1200];
        viz_view *view = viz_shell_tab_view(loop->shell);
        viz_loop_error(loop, error);
        if (loop->opening.chosen && view && view->class->refused)
            view->class->refused(view, sac_error_line(error, line, sizeof line));
    }
}

/* A view that is about to go may have chosen once more: N was pressed twice. */
static void keep_choice(viz_loop *loop)
{
    viz_view *view = viz_shell_tab_view(loop->shell);
    if (!loop->opening.chosen || !view || !view->class->choose)
        return;
    loop->choice = view->class->choose(view);
    loop->chooses = loop->choice >= 0;
}

static void finish_opening(void *self, const sac_error *error)
{
    static const sac_error closed = {.status = SAC_E_CANCELLED};
    viz_loop *loop = self;
    if (loop->closing || error) {
        report_failed_opening(loop, error ? error : &closed);
    } else {
        keep_choice(loop);
        show_opened(loop);
    }
    loop->opening.opening->destroy(loop->opening.opening);
    loop->opening = (window_opening){0};
    loop->dirty = true;
}

static sac_status open_for_loop(void *self, sac_error *error)
{
    return open_and_compute(&((viz_loop *)self)->opening, error);
}

/* ---------------------------------------------------------------- the next stop, ahead */

#define AHEAD_S 1.0

void viz_forget_ahead(viz_loop *loop)
{
    loop->ahead_tried = false;
    loop->ahead_stale = loop->ahead_opens;
    if (!loop->ahead.opening || loop->ahead_opens)
        return;
    loop->ahead.opening->destroy(loop->ahead.opening);
    loop->ahead = (window_opening){0};
}

static sac_status open_ahead(void *self, sac_error *error)
{
    return open_and_compute(&((viz_loop *)self)->ahead, error);
}

/* One that fails is opened once more when it is asked for, and then what is wrong is shown. */
static void finish_ahead(void *self, const sac_error *error)
{
    viz_loop *loop = self;
    loop->ahead_opens = false;
    if (error || loop->ahead_stale)
        viz_forget_ahead(loop);
    loop->ahead_stale = false;
    loop->ahead_tried = true;
}

void viz_open_ahead(viz_loop *loop)
{
    const viz_shell *shell = loop->shell;
    if (!shell->lecture || !loop->options->walk || shell->stop + 1 >= shell->stops ||
        loop->ahead_tried || loop->closing || sac_now() < loop->opening_at + AHEAD_S)
        return;
    viz_opening *opening = loop->options->walk(loop->options->user, shell->stop + 1, NULL);
    loop->ahead_tried = true;
    if (!opening)
        return;
    loop->ahead_stop = shell->stop + 1;
    loop->ahead_opens = true;
    loop->ahead = (window_opening){.opening = opening, .now = sac_now()};
    viz_worker_submit(loop->opener, (viz_task){open_ahead, finish_ahead, loop});
}

/* Takes the opening over; NULL: it could not be made, and `error` has the reason. */
static void begin_opening(viz_loop *loop, viz_opening *opening, bool first, const sac_error *error)
{
    loop->dirty = true;
    if (!opening) {
        viz_loop_error(loop, error);
        return;
    }
    viz_forget_ahead(loop);
    loop->opening_at = sac_now();
    loop->opening = (window_opening){.opening = opening, .first = first, .now = loop->opening_at};
    viz_worker_submit(loop->opener, (viz_task){open_for_loop, finish_opening, loop});
}

void viz_open_first(viz_loop *loop)
{
    if (loop->options->first)
        begin_opening(loop, loop->options->first, true, NULL);
}

/* ---------------------------------------------------------------- files that a person gives */

void viz_loop_forget_drops(viz_loop *loop)
{
    for (int i = 0; i < loop->dropped_count; i++)
        SDL_free(loop->dropped[i]);
    SDL_free(loop->dropped);
    loop->dropped = NULL;
    loop->dropped_count = 0;
}

void viz_loop_add_dropped_path(viz_loop *loop, char *path)
{
    if (!loop->drops)
        viz_loop_forget_drops(loop);
    loop->drops = true;
    char **more =
        path ? SDL_realloc(loop->dropped, ((size_t)loop->dropped_count + 1) * sizeof *more) : NULL;
    if (more) {
        loop->dropped = more;
        loop->dropped[loop->dropped_count++] = path;
    } else {
        SDL_free(path);
    }
}

void viz_open_dropped(viz_loop *loop)
{
    const char *const *paths = (const char *const *)loop->dropped;
    sac_error error = {0};
    if (loop->options->open)
        begin_opening(loop,
                      loop->options->open(loop->options->user, paths, loop->dropped_count, &error),
                      false, &error);
    else
        viz_shell_show_message(loop->shell, "this window opens no other files");
    loop->dirty = true;
    viz_loop_forget_drops(loop);
}

void viz_loop_toggle_chooser(viz_loop *loop)
{
    if (!loop->options->open)
        viz_shell_show_message(loop->shell, "this window opens no other files");
    else if (loop->shell->chooses && !loop->shell->saves)
        loop->shell->chooses = false;
    else
        show_open_dialog(loop, (viz_pick){0});
    loop->dirty = true;
}

/* For a field of the view, or to show it a file. */
static void open_file_picker(viz_loop *loop)
{
    viz_view *view = viz_shell_tab_view(loop->shell);
    viz_pick pick = {0};
    if (view && view->class->picks && view->class->picks(view, &pick))
        show_open_dialog(loop, pick);
}

void viz_loop_take_choice(viz_loop *loop)
{
    viz_recent chosen;
    open_file_picker(loop);
    viz_shell_hand_choices(loop->shell);
    if (!viz_shell_take_choice(loop->shell, &chosen))
        return;
    loop->drops = false;
    viz_loop_add_dropped_path(loop, SDL_strdup(chosen.path));
    if (chosen.beside[0])
        viz_loop_add_dropped_path(loop, SDL_strdup(chosen.beside));
    loop->drops = false;
    loop->dirty = true;
}

void viz_open_before(viz_loop *loop)
{
    sac_error error = {0};
    loop->backs = false;
    if (loop->options->back)
        begin_opening(loop, loop->options->back(loop->options->user, &error), false, &error);
    else
        viz_shell_show_message(loop->shell, "this window opens no other files");
    loop->dirty = true;
}

void viz_open_wanted_view(viz_loop *loop)
{
    const viz_view_class *class = loop->shell->wanted;
    sac_error error = {0};
    loop->shell->wanted = NULL;
    if (loop->options->place)
        begin_opening(loop, loop->options->place(loop->options->user, class, &error), false,
                      &error);
    else
        viz_shell_show_message(loop->shell, "this window opens nothing else");
    loop->dirty = true;
}

void viz_replay_beginning(viz_loop *loop)
{
    viz_view *view = viz_shell_tab_view(loop->shell);
    sac_error error = {0};
    loop->shell->replays = false;
    loop->dirty = true;
    bool there = view && view->class->introduce && view->source->picture.leads &&
                 view->source->picture.number == 0;
    if (there && view->class->introduce(view))
        loop->introduces = true;
    else if (loop->options->beginning) {
        begin_opening(loop, loop->options->beginning(loop->options->user, &error), false, &error);
        loop->introduces = true;
    } else
        viz_shell_show_message(loop->shell, "this window opens nothing else");
}

void viz_open_followed(viz_loop *loop)
{
    sac_error error = {0};
    viz_opening *opening =
        loop->options->follow ? loop->options->follow(loop->options->user, &error) : NULL;
    if (opening || error.status != SAC_OK)
        begin_opening(loop, opening, false, &error);
}

void viz_open_reading(viz_loop *loop, int reading)
{
    sac_error error = {0};
    if (loop->options->choose)
        begin_opening(loop, loop->options->choose(loop->options->user, reading, &error), false,
                      &error);
    else
        viz_shell_show_message(loop->shell, "this window opens nothing else");
    loop->opening.chosen = true;
    loop->dirty = true;
}

void viz_open_next_device(viz_loop *loop)
{
    sac_error error = {0};
    if (loop->options->next_device)
        begin_opening(loop, loop->options->next_device(loop->options->user, &error), false, &error);
    else
        viz_shell_show_message(loop->shell, "this window stays on its device");
    loop->dirty = true;
}

void viz_open_stop(viz_loop *loop)
{
    const viz_shell *shell = loop->shell;
    const int wanted = shell->stop + loop->walks, last = shell->stops - 1;
    const int stop = wanted < 0 ? 0 : wanted > last ? last : wanted;
    sac_error error = {0};
    loop->walks = 0;
    if (loop->ahead.opening && stop == loop->ahead_stop) {
        loop->opening = loop->ahead;
        loop->opening_at = sac_now();
        loop->ahead = (window_opening){0};
        loop->ahead_tried = false;
        finish_opening(loop, NULL);
    } else if (stop != shell->stop)
        begin_opening(loop, loop->options->walk(loop->options->user, stop, &error), false, &error);
    else
        viz_loop_message(loop, wanted < 0 ? "this is the first stop of the lecture"
                                          : "this is the last stop of the lecture");
}

bool viz_opening_take(viz_loop *loop)
{
    return viz_worker_collect(loop->opener);
}

/* ---------------------------------------------------------------- messages meanwhile */

void viz_loop_progress(const viz_loop *loop, double now, window_progress *progress)
{
    const bool waits = loop->walks && loop->ahead_opens; /* for a stop that is being opened ahead */
    const viz_opening *opening = waits ? loop->ahead.opening : loop->opening.opening;
    bool working = opening || !viz_worker_is_idle(loop->worker);
    double took = now - (waits ? loop->walked_at : opening ? loop->opening_at : loop->asked_at);
    char busy[SAC_ACTIVITY_SIZE];
    memset(progress, 0, sizeof *progress);
    if (!working || (took < SOON && viz_shell_view(loop->shell)))
        return;
    const char *what = sac_activity_text(busy) ? viz_word(busy) : opening ? opening->text : "";
    if (!what[0])
        return;
    snprintf(progress->text, sizeof progress->text, "%s …", what);
    progress->seconds = took < COUNTED ? 0 : (int)took;
}
