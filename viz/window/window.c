/* The loop of a window: events, jobs, frames, and requests. */

#include "window/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "parts/playback/glide.h"
#include "view/settings.h"
#include "view/words.h"
#include "window/loop.h"

#define FRAME_S (1.0 / 60.0)
#define POLL_ACTIVE_S 0.002     /* between two polls for events and results, … */
#define POLL_IDLE_S 0.008       /* … and between two while nothing goes on */
#define IDLE_WAIT_S 0.1         /* an idle window ticks its views this often */
#define RESULT_WAIT_S 0.004     /* a frame waits this long for the result that it shows, … */
#define FIRST_RESULT_WAIT_S 0.3 /* … and the first frame this long */
#define SLOW_FRAME_S 0.1        /* a glide whose frames take longer to send is skipped … */
#define GLIDE_SHARE 0.1F        /* … each of which sends no more of the window than this … */
#define SLOW_S 10.0             /* … for so long, as what is small is fast on every link */
#define CLOSE_WAIT_S 0.2        /* a closed window waits this long for work that is under way */

/* ---------------------------------------------------------------- settings */

static void use_settings(viz_loop *loop)
{
    loop->screen.text = loop->settings.text > 0 ? loop->settings.text : 1;
    const viz_theme *theme = loop->settings.light ? &viz_theme_light : &viz_theme_dark;
    loop->screen.canvas.theme = loop->presents ? viz_theme_presented(theme) : theme;
    loop->dirty = true;
}

/* Presents to an audience, or no longer: the whole display, the largest text, nothing but the
 * view. */
static void set_presenting(viz_loop *loop, bool on)
{
    loop->presents = on;
    viz_screen_set_fullscreen(&loop->screen, on);
    use_settings(loop);
}

static void save_settings(viz_loop *loop)
{
    sac_error error = {0};
    if (loop->options->keep && loop->options->keep(&loop->settings, &error) != SAC_OK)
        viz_loop_error(loop, &error);
}

static void change_theme(viz_loop *loop, const viz_event *event)
{
    viz_window_settings *s = &loop->settings;
    (void)event;
    s->light = !s->light;
    use_settings(loop);
    save_settings(loop);
    viz_shell_show_message(loop->shell, s->light ? "theme: light" : "theme: dark");
}

static void change_text_size(viz_loop *loop, const viz_event *event)
{
    viz_window_settings *s = &loop->settings;
    char text[64];
    float step = event->key == '-' ? 1 / 1.1f : 1.1f;
    s->text = event->key == '0' ? 1 : fminf(fmaxf(s->text * step, VIZ_LEAST_TEXT), VIZ_MOST_TEXT);
    s->text = fabsf(s->text - 1) < 0.02f ? 1 : s->text;
    use_settings(loop);
    save_settings(loop);
    snprintf(text, sizeof text, viz_word("text: %.0f %%"), 100 * (double)s->text);
    viz_shell_show_message(loop->shell, text);
}

/* What undo takes back of them. */
static void describe_settings(const void *user, viz_put *put, void *put_user)
{
    const viz_window_settings *s = &((const viz_loop *)user)->settings;
    put(put_user, "theme", s->light ? "light" : "dark");
    viz_put_real(put, put_user, "text", (double)s->text);
}

static bool restore_setting(void *user, const char *key, const char *value)
{
    viz_loop *loop = user;
    if (strcmp(key, "theme") == 0)
        loop->settings.light = strcmp(value, "light") == 0;
    else
        viz_read_real(value, &loop->settings.text);
    use_settings(loop);
    save_settings(loop);
    return true;
}

/* After M, or a click on a map's name: what the person chose is that of all views. */
static void adopt_shared_settings(viz_loop *loop, const viz_view *view, viz_kept_values before)
{
    viz_kept_values now;
    bool changed = false;
    if (view != viz_shell_view(loop->shell))
        return;
    viz_loop_get_shared_values(view, now);
    for (int k = 0; k < VIZ_KEPT; k++)
        if (now[k][0] && strcmp(now[k], before[k]) != 0) {
            memcpy(loop->settings.shared[k], now[k], sizeof now[k]);
            changed = true;
        }
    if (!changed)
        return;
    viz_loop_apply_shared_settings(loop, true);
    viz_history_refresh(loop->shell->history); /* all of it is the step of the key */
    save_settings(loop);
}

/* ---------------------------------------------------------------- events */

static void paste(viz_loop *loop, const viz_event *key)
{
    viz_event event = *key;
    char *text = SDL_GetClipboardText();
    event.text = text;
    loop->dirty |= viz_shell_event(loop->shell, &event);
    SDL_free(text);
}

static void press_close(viz_loop *loop, const viz_event *event)
{
    (void)event;
    loop->closing = true;
}

static void press_open(viz_loop *loop, const viz_event *event)
{
    (void)event;
    viz_loop_toggle_chooser(loop);
}

static void press_back(viz_loop *loop, const viz_event *event)
{
    (void)event;
    loop->backs = true;
}

static void press_save(viz_loop *loop, const viz_event *event)
{
    viz_loop_toggle_save_dialog(loop, !event->ctrl ? "PNG" : event->shift ? "PDF" : "SVG");
}

static void press_save_animation(viz_loop *loop, const viz_event *event)
{
    (void)event;
    viz_loop_toggle_save_dialog(loop, "GIF");
}

static void press_present(viz_loop *loop, const viz_event *event)
{
    (void)event;
    set_presenting(loop, !loop->presents);
}

/* The window's keys, each a row of the table of all keys. */
static const struct window_key {
    const char *cap;
    void (*press)(viz_loop *loop, const viz_event *event); /* NULL: makes the request */
    window_request request;
    bool repeats; /* while it is held */
} keys[] = {
    {"ctrl W", press_close},
    {"ctrl Q", press_close},
    {"Q", press_close},
    {"ctrl T", change_theme},
    {"ctrl +", change_text_size, .repeats = true},
    {"ctrl −", change_text_size, .repeats = true},
    {"ctrl 0", change_text_size},
    {"F11", press_present},
    {"ctrl V", paste},
    {"ctrl O", press_open},
    {"ctrl B", press_back},
    {"V", .request = REQUEST_DEVICE},
    {"S", press_save},
    {"ctrl S", press_save},
    {"ctrl shift S", press_save},
    {"A", press_save_animation},
    {"ctrl D", .request = REQUEST_STOP},
    {"ctrl C", .request = REQUEST_NUMBERS},
    {"ctrl shift C", .request = REQUEST_COPY},
};

static const struct window_key *find_key(const viz_event *event)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const viz_key *key = viz_key_named(keys[i].cap, NULL);
        if (viz_key_is(key, event))
            return &keys[i];
    }
    return NULL;
}

/* In a lecture the arrows are its, as those of a clicker are; with shift they are the view's. */
static bool walk_lecture(viz_loop *loop, const viz_event *event)
{
    const bool on = event->key == VIZ_KEY_RIGHT || event->key == VIZ_KEY_PAGE_DOWN,
               back = event->key == VIZ_KEY_LEFT || event->key == VIZ_KEY_PAGE_UP;
    if (!loop->shell->lecture || !loop->options->walk || event->ctrl || event->shift ||
        !(on || back))
        return false;
    loop->walks += on ? 1 : -1;
    loop->walked_at = sac_now();
    return true;
}

/* `types`: letters are text now. They are the field's then, and any key puts the sheet away or answers a
 * question. */
static void handle_key(viz_loop *loop, const viz_event *event, bool repeated, bool types)
{
    bool shells = types || loop->shell->show_keys || loop->shell->question[0];
    const struct window_key *key = shells && !event->ctrl ? NULL : find_key(event);
    viz_history *history = viz_shell_history(loop->shell);
    bool undoes = event->ctrl && event->key == 'z' && !event->shift;
    if (loop->presents && (event->ctrl || !types)) {
        viz_shell_note_key(loop->shell, event);
        loop->dirty = true;
    }
    if (key && repeated && !key->repeats)
        return;
    if (!types && !loop->shell->show_keys && walk_lecture(loop, event))
        return;
    viz_history_begin(history);
    if (undoes && viz_undo_save(loop))
        return;
    if (key && key->press)
        key->press(loop, event);
    else if (key)
        loop->request = key->request;
    else if (viz_shell_event(loop->shell, event))
        loop->dirty = true;
    else if (event->key == VIZ_KEY_ESCAPE && loop->presents)
        set_presenting(loop, false);
    if (key) /* what it changed of the settings is a step */
        viz_history_note(history, false);
}

/* A cap of one of these keys was pressed. */
static void handle_pressed_cap(viz_loop *loop)
{
    const viz_key *key = loop->shell->asked;
    loop->shell->asked = NULL;
    if (!key)
        return;
    const viz_event event = viz_key_event(key);
    handle_key(loop, &event, false, false);
}

static void handle_event(viz_loop *loop, const SDL_Event *from)
{
    viz_event event;
    loop->screen.whole |= from->type == SDL_WINDOWEVENT &&
                          from->window.event != SDL_WINDOWEVENT_ENTER &&
                          from->window.event != SDL_WINDOWEVENT_LEAVE;
    bool chooses = from->type == SDL_KEYDOWN || from->type == SDL_MOUSEBUTTONDOWN;
    if (chooses || from->type == SDL_MOUSEWHEEL || from->type == SDL_DROPFILE)
        loop->introduces = false;
    const viz_view *view = viz_shell_view(loop->shell);
    viz_kept_values shared = {{0}};
    if (from->type != SDL_TEXTINPUT) /* that of a key which began to type is none */
        loop->screen.typing = viz_shell_typing(loop->shell);
    if (chooses)
        viz_loop_get_shared_values(view, shared);
    if (from->type == SDL_QUIT)
        loop->closing = true;
    else if (from->type == SDL_DROPFILE)
        viz_loop_add_dropped_path(loop, from->drop.file);
    else if (!viz_screen_event(&loop->screen, from, &event))
        loop->dirty |= from->type == SDL_WINDOWEVENT; /* resized, uncovered, on another display */
    else if (event.kind == VIZ_KEY)
        handle_key(loop, &event, from->type == SDL_KEYDOWN && from->key.repeat,
                   viz_shell_typing(loop->shell));
    else if (viz_shell_event(loop->shell, &event))
        loop->dirty = true;
    handle_pressed_cap(loop);
    viz_copy_view_text(loop);
    if (chooses)
        adopt_shared_settings(loop, view, shared);
    viz_screen_set_cursor(&loop->screen, viz_shell_is_on_button(loop->shell));
}

static bool is_working(const viz_loop *loop)
{
    return !viz_worker_is_idle(loop->worker) || !viz_worker_is_idle(loop->opener) ||
           !viz_worker_is_idle(loop->reader);
}

/* The time when the next frame should be drawn. A job just given may be answered in time for it. */
static double next_frame_time(const viz_loop *loop)
{
    double next = loop->drawn_at + FRAME_S;
    if (!loop->screen.shown)
        return is_working(loop) ? loop->begun_at + FIRST_RESULT_WAIT_S : next;
    if (!viz_worker_is_idle(loop->worker) && next < loop->asked_at + RESULT_WAIT_S)
        next = loop->asked_at + RESULT_WAIT_S;
    return next;
}

/* Waits up to `wait` seconds for an event or a result. SDL_WaitEvent is not used: for each event
 * that ends it SDL sends the window a message over a second connection to the X server, and where
 * the window closes upon that event the message finds it gone, which ends the program with an
 * error. */
static bool next_event(viz_loop *loop, double wait, SDL_Event *event)
{
    bool working = is_working(loop);
    double poll = working || loop->dirty || loop->moving ? POLL_ACTIVE_S : POLL_IDLE_S;
    double end = sac_now() + (working ? fmin(wait, POLL_ACTIVE_S) : wait);
    while (!SDL_PollEvent(event)) {
        double left = end - sac_now();
        if (left <= 0)
            return false;
        SDL_Delay((Uint32)(1000.0 * fmin(left, poll)) + 1);
    }
    return true;
}

static void run_request(viz_loop *loop)
{
    window_request request = loop->request;
    loop->request = REQUEST_NONE;
    if (!viz_shell_view(loop->shell))
        return;
    if (request == REQUEST_SAVE)
        viz_save(loop);
    else if (request == REQUEST_PREVIEW)
        viz_preview(loop);
    else if (request == REQUEST_COPY)
        viz_copy_picture(loop);
    else if (request == REQUEST_STOP)
        viz_add_stop(loop);
    else if (request == REQUEST_NUMBERS)
        viz_copy_command_or_numbers(loop);
}

/* What a view chose, which is opened now; −1: nothing. */
static int take_view_choice(viz_loop *loop)
{
    viz_view *view = viz_shell_tab_view(loop->shell);
    if (loop->chooses) {
        loop->chooses = false;
        return loop->choice;
    }
    return view && view->class->choose ? view->class->choose(view) : -1;
}

/* Opens the requested documents one after the other. Only while the worker is idle, as this reads
 * the open ones. */
static void open_next(viz_loop *loop)
{
    viz_opening_take(loop);
    if (!viz_worker_is_idle(loop->opener))
        return;
    int reading = take_view_choice(loop);
    if (reading >= 0) {
        viz_open_reading(loop, reading);
    } else if (loop->dropped_count) {
        viz_open_dropped(loop);
    } else if (loop->shell->wanted) {
        viz_open_wanted_view(loop);
    } else if (loop->shell->replays) {
        viz_replay_beginning(loop);
    } else if (loop->walks) {
        viz_open_stop(loop);
    } else if (loop->backs) {
        viz_open_before(loop);
    } else if (loop->request == REQUEST_DEVICE) {
        loop->request = REQUEST_NONE;
        viz_open_next_device(loop);
    } else {
        viz_open_followed(loop);
    }
}

/* The dialogs have a worker of their own, which rests while something is opened: that may take their
 * place. True while it is at work. */
static bool pump_reader(viz_loop *loop)
{
    viz_view *dialog = loop->shell->chooses ? loop->shell->chooser : NULL;
    if (viz_worker_collect(loop->reader))
        loop->dirty = true;
    if (!viz_worker_is_idle(loop->reader))
        return true;
    viz_job *job =
        dialog && viz_worker_is_idle(loop->opener) ? dialog->class->create_job(dialog) : NULL;
    if (job)
        viz_worker_submit_job(loop->reader, dialog, job);
    return job;
}

/* Takes the worker's result and submits the job that the view wants next. Requests use the views'
 * sources too, so they are run while the worker is idle and no job is wanted. */
static void pump_worker(viz_loop *loop)
{
    bool reads = pump_reader(loop);
    if (viz_worker_collect(loop->worker))
        loop->dirty = true;
    if (!viz_worker_is_idle(loop->worker))
        return;
    if (!reads || viz_worker_is_idle(loop->opener))
        open_next(loop);
    viz_view *view = viz_shell_view(loop->shell);
    view = view == loop->shell->chooser ? viz_shell_tab_view(loop->shell) : view;
    viz_job *job = view && view->class->create_job ? view->class->create_job(view) : NULL;
    if (!job && view && view->class->create_idle_job && loop->request == REQUEST_NONE)
        job = view->class->create_idle_job(view);
    if (job) {
        viz_worker_submit_job(loop->worker, view, job);
        loop->asked_at = sac_now();
    } else if (loop->request == REQUEST_NONE && viz_worker_is_idle(loop->opener)) {
        viz_open_ahead(loop);
    } else if (loop->request != REQUEST_DEVICE) {
        run_request(loop);
    }
}

static sac_status draw(viz_loop *loop, sac_error *error)
{
    sac_status status = viz_screen_fit(&loop->screen, error);
    if (status != SAC_OK)
        return status;
    loop->dirty = false;
    /* A frame drawn a little late does not push back those after it: 60 in a second, on the whole. */
    double now = sac_now();
    double planned = loop->drawn_at + FRAME_S;
    loop->drawn_at = now < planned + FRAME_S ? planned : now;
    /* Progress is drawn in the window alone: a picture saved with S does not show it. */
    memcpy(loop->shell->progress, loop->progress.text, sizeof loop->progress.text);
    loop->shell->progress_seconds = loop->progress.seconds;
    viz_shell_draw_changes(loop->shell, &loop->screen.canvas, &loop->screen.tiles);
    loop->shell->progress[0] = '\0';
    double sent = sac_now();
    status = viz_screen_present(&loop->screen, error);
    float share = GLIDE_SHARE / fmaxf(loop->screen.sent, GLIDE_SHARE);
    if ((sac_now() - sent) * (double)share > SLOW_FRAME_S)
        loop->slow_until = sac_now() + SLOW_S;
    viz_glide_skip(sac_now() < loop->slow_until);
    return status;
}

/* In the first window ever, once there is something to see. */
static void hint_once(viz_loop *loop)
{
    if (loop->settings.hinted || loop->presents || !loop->options->keep || loop->shell->lecture ||
        !viz_shell_tab_view(loop->shell))
        return;
    loop->settings.hinted = true;
    viz_view *view = viz_shell_tab_view(loop->shell);
    loop->introduces = view->class->introduce && view->class->introduce(view);
    if (!loop->introduces)
        viz_shell_start_hints(loop->shell);
    loop->options->keep(&loop->settings, NULL); /* not stored: shown again */
}

static void update_progress(viz_loop *loop)
{
    window_progress progress;
    viz_loop_progress(loop, sac_now(), &progress);
    if (progress.seconds == loop->progress.seconds &&
        strcmp(progress.text, loop->progress.text) == 0)
        return;
    loop->progress = progress;
    loop->dirty = true;
}

static sac_status run(viz_loop *loop, sac_error *error)
{
    sac_status status = SAC_OK;
    const viz_outside outside = {describe_settings, restore_setting, loop};
    loop->dirty = true;
    loop->begun_at = sac_now();
    if (loop->options->presents)
        set_presenting(loop, true);
    use_settings(loop);
    viz_loop_apply_shared_settings(loop, false);
    viz_shell_tick(loop->shell, loop->begun_at);
    viz_open_first(loop);
    while (!loop->closing && status == SAC_OK) {
        /* A view that stopped moving is drawn once more, where it came to rest. */
        bool moved = loop->moving;
        loop->shell->outside = &outside; /* an opening brings a shell of its own */
        loop->moving = viz_shell_tick(loop->shell, sac_now());
        loop->dirty |= moved || loop->moving;
        pump_worker(loop);
        update_progress(loop);
        viz_loop_follow_title(loop);
        hint_once(loop);
        if (loop->dirty && sac_now() >= next_frame_time(loop) && !loop->closing)
            status = draw(loop, error);
        /* Sleeps until something happens or a frame is due, then takes all that has happened. */
        double wait = loop->dirty || loop->moving ? next_frame_time(loop) - sac_now() : IDLE_WAIT_S;
        SDL_Event event;
        for (bool any = next_event(loop, wait, &event); any; any = SDL_PollEvent(&event))
            handle_event(loop, &event);
        loop->drops = false;
        viz_loop_take_choice(loop);
        viz_loop_take_save_path(loop);
        char text[sizeof((viz_shell *)0)->message];
        if (loop->options->notice && loop->options->notice(text, sizeof text))
            viz_loop_message(loop, text);
        if (loop->options->interrupted && loop->options->interrupted())
            loop->closing = true;
    }
    if (loop->status != SAC_OK && error)
        *error = loop->error;
    return loop->status != SAC_OK ? loop->status : status;
}

/* A window that is closed is gone at once; what a driver is at may go on for many seconds. False
 * where it does. */
static bool close_window(viz_loop *loop)
{
    bool *left = loop->options->left_working, all = true;
    loop->closing = true;
    if (loop->screen.window)
        SDL_HideWindow(loop->screen.window);
    viz_worker *workers[] = {loop->opener, loop->worker, loop->reader};
    for (int i = 0; i < 3; i++)
        if (left)
            all &= viz_worker_detach(workers[i], CLOSE_WAIT_S);
        else
            viz_worker_destroy(workers[i]);
    if (left)
        *left = !all;
    viz_loop_forget_drops(loop);
    if (all)
        viz_forget_ahead(loop);
    viz_screen_close(&loop->screen);
    return all;
}

static sac_status open_and_run(viz_loop *loop, sac_error *error)
{
    sac_status status = viz_screen_open(&loop->screen, loop->options, error);
    if (status == SAC_OK)
        status = viz_worker_create(NULL, NULL, &loop->worker, error);
    if (status == SAC_OK)
        status = viz_worker_create(NULL, NULL, &loop->reader, error);
    if (status == SAC_OK)
        status = viz_worker_create(NULL, NULL, &loop->opener, error);
    if (status == SAC_OK)
        return run(loop, error);
    if (loop->options->first)
        loop->options->first->destroy(loop->options->first);
    return status;
}

/* A worker that is left behind goes on using the loop. */
sac_status viz_window_run(viz_shell *shell, const viz_window_options *options, sac_error *error)
{
    viz_loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return sac_no_memory(error, "window");
    loop->shell = shell;
    loop->options = options;
    loop->settings = options->settings;
    loop->settings.text = loop->settings.text > 0 ? loop->settings.text : 1;
    loop->settings.light = options->theme
                               ? viz_theme_presented(options->theme) == &viz_theme_light_presented
                               : loop->settings.light;
    viz_loop_set_name(loop, options->name ? options->name : "");
    sac_status status = open_and_run(loop, error);
    if (close_window(loop))
        free(loop);
    return status;
}
