/* The shell round the views: tabs, the status line, messages, tips, undo, and the sheet of keys. */

#include "shell/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "parts/controls/widgets.h"
#include "shell/sheet.h"
#include "shell/split.h"
#include "shell/toast.h"
#include "shell/why.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- tabs */

static sac_status add_tab(viz_shell *shell, const viz_view_class *class, viz_view *view,
                          sac_error *error)
{
    viz_tab *more = realloc(shell->tabs, ((size_t)shell->count + 1) * sizeof *more);
    if (!more) {
        viz_view_destroy(view);
        return sac_no_memory(error, class->name);
    }
    shell->tabs = more;
    shell->tabs[shell->count++] = (viz_tab){.class = class, .view = view};
    return SAC_OK;
}

sac_status viz_shell_add(viz_shell *shell, viz_view *view, sac_error *error)
{
    return add_tab(shell, view->class, view, error);
}

sac_status viz_shell_offer(viz_shell *shell, const viz_view_class *class, sac_error *error)
{
    return add_tab(shell, class, NULL, error);
}

static int find_tab(const viz_shell *shell, const char *name)
{
    if (strcasecmp(name, "pair") == 0) { /* what two beside each other were called */
        int tab = find_tab(shell, "caption");
        tab = tab >= 0 ? tab : find_tab(shell, "heads");
        return tab >= 0 && viz_is_split(shell->tabs[tab].view) ? tab : -1;
    }
    for (int i = 0; i < shell->count; i++)
        if (shell->tabs[i].view && strcasecmp(shell->tabs[i].class->name, name) == 0)
            return i;
    return -1;
}

viz_view *viz_shell_find(const viz_shell *shell, const char *name)
{
    int tab = find_tab(shell, name);
    return tab >= 0 ? shell->tabs[tab].view : NULL;
}

static void put_choice(void *user, const char *key, const char *value)
{
    viz_view *to = user;
    if (strcmp(key, "layer") == 0 || strcmp(key, "head") == 0 || strcmp(key, "batch") == 0)
        viz_view_restore(to, key, value);
}

static bool show_tab(viz_shell *shell, int tab)
{
    if (tab < 0 || tab >= shell->count || !shell->tabs[tab].view)
        return false;
    /* A head selected in one view of a source stays selected in the next. */
    const viz_view *from = viz_shell_tab(shell);
    viz_view *to = shell->tabs[tab].view;
    if (from && from != to && from->source == to->source)
        viz_view_describe(from, put_choice, to);
    shell->current = tab;
    shell->asks = shell->chooses = false;
    return true;
}

bool viz_shell_show(viz_shell *shell, const char *name)
{
    return show_tab(shell, find_tab(shell, name));
}

void viz_shell_free(viz_shell *shell)
{
    if (!shell)
        return;
    for (int i = 0; i < shell->count; i++) {
        viz_history_free(shell->tabs[i].history);
        viz_view_destroy(shell->tabs[i].view);
    }
    viz_view_destroy(shell->why);
    viz_view_destroy(shell->chooser);
    free(shell->tabs);
    *shell = (viz_shell){0};
}

/* ---------------------------------------------------------------- the tab bar */

/* Lays out the tabs; returns where the space for the status begins. */
static float lay_tabs(viz_shell *shell, const viz_canvas *canvas)
{
    float gap = viz_width(canvas) < 640 ? 12 : 22;
    float x = VIZ_MARGIN + viz_text_width(canvas, VIZ_SANS_BOLD, VIZ_BODY, "saccade") + gap;
    for (int i = 0; i < shell->count; i++) {
        viz_tab *tab = &shell->tabs[i];
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_BODY, tab->class->tab);
        tab->rect = (viz_rect){x, 0, w, VIZ_TABS_HEIGHT};
        x += w + gap;
    }
    return x;
}

/* "a  ·  b  ·  c" without its last part; false: there is one alone. What is open stands first. */
static bool drop_last_part(char *status)
{
    static const char between[] = "  ·  ";
    char *last = NULL, *next = status;
    while ((next = strstr(next, between)))
        last = next++;
    if (last)
        *last = 0;
    return last;
}

/* How long the computing took stands last. */
static bool ends_in_time(const char *status)
{
    static const char end[] = " ms";
    size_t length = strlen(status), size = sizeof end - 1;
    return length > size && strcmp(status + length - size, end) == 0;
}

/* Shows what the user is waiting for, or else what is open. */
static void tell_status(const viz_shell *shell, char *status, size_t size)
{
    const viz_view *view = viz_shell_view(shell);
    *status = 0;
    if (shell->progress[0])
        snprintf(status, size, "%s", view ? shell->progress : "");
    else if (view && view->class->status)
        view->class->status(view, status, size);
}

/* Numbers keep their place, so that the text before them does not move. Returns their width. */
static float draw_seconds(const viz_shell *shell, viz_canvas *canvas, float right, float y)
{
    char text[32];
    snprintf(text, sizeof text, "%d s", shell->progress_seconds);
    if (shell->progress_seconds > 0)
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, right, y, VIZ_RIGHT, canvas->theme->text2, text);
    return viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "000 s");
}

#define LEAST_STATUS 150.0f

/* Lays out the button that opens files, behind the tabs, if the status still has its space. Returns
 * where it begins. */
static float lay_caps(viz_shell *shell, const viz_canvas *canvas, float from)
{
    static const viz_key_row keys[] = {{"ctrl B", "back"}, {"ctrl O", "open"}};
    const bool shown[] = {shell->before[0] != 0, true};
    float room = viz_width(canvas) - VIZ_MARGIN - LEAST_STATUS - from, end = from;
    viz_caps caps = viz_caps_layout_of(canvas, from + room, 12, room, keys, 2, shown);
    shell->caps = caps;
    for (int i = 0; i < caps.count; i++)
        if (caps.items[i].w > 0) {
            shell->caps.items[i].x = end;
            end += caps.items[i].w + VIZ_GAP;
        }
    return end + VIZ_GAP;
}

static void draw_tab(viz_canvas *canvas, viz_rect r, const char *name, bool current)
{
    const viz_theme *theme = canvas->theme;
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x, 28, VIZ_LEFT, current ? theme->text : theme->text2,
             name);
    if (current)
        viz_fill(canvas, (viz_rect){r.x, VIZ_TABS_HEIGHT - 2, r.w, 2}, theme->accent);
}

static void draw_tabs(viz_shell *shell, viz_canvas *canvas)
{
    float end = lay_caps(shell, canvas, lay_tabs(shell, canvas));
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, VIZ_MARGIN, 28, VIZ_LEFT, canvas->theme->text,
             "saccade");
    for (int i = 0; i < shell->count; i++)
        draw_tab(canvas, shell->tabs[i].rect, shell->tabs[i].class->tab, i == shell->current);
    viz_caps_draw(canvas, &shell->caps);
    const viz_theme *theme = canvas->theme;
    char status[512], fit[512];
    float right = viz_width(canvas) - VIZ_MARGIN, y = 27;
    if (right - end < 60 || (shell->message[0] && !shell->work)) /* which stands in its place */
        return;
    tell_status(shell, status, sizeof status);
    if (canvas->for_file && ends_in_time(status))
        drop_last_part(status);
    if (shell->progress[0] && status[0])
        right -= draw_seconds(shell, canvas, right, y);
    while (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, status) > right - end &&
           drop_last_part(status))
        continue;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - end, status, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, right, y, VIZ_RIGHT,
             shell->progress[0] ? theme->text : theme->text2, fit);
}

/* ---------------------------------------------------------------- messages */

#define TOAST_TOP 7.0f

static bool is_on_message(const viz_shell *shell, float x, float y)
{
    return shell->message[0] && !shell->question[0] && viz_inside(shell->said, x, y);
}

/* True where it goes. */
static bool tick_message(viz_shell *shell)
{
    bool held = shell->pointed && is_on_message(shell, shell->pointer_x, shell->pointer_y);
    if (!shell->message[0] || held || shell->now < shell->message_until)
        return false;
    shell->message[0] = 0;
    return true;
}

/* ---------------------------------------------------------------- keys, to an audience */

#define KEY_SECONDS 1.2
#define KEY_SIZE 26.0f

void viz_shell_note_key(viz_shell *shell, const viz_event *event)
{
    const viz_key *key = viz_keys;
    while (key->cap &&
           (key->code != event->key || key->ctrl != event->ctrl || key->shift != event->shift))
        key++;
    if (key->cap)
        snprintf(shell->pressed, sizeof shell->pressed, "%s", key->cap);
    else if (event->key > ' ' && event->key < 127)
        snprintf(shell->pressed, sizeof shell->pressed, "%s%c", event->ctrl ? "ctrl " : "",
                 event->key >= 'a' && event->key <= 'z' ? event->key - 'a' + 'A' : event->key);
    shell->pressed_until = shell->now + KEY_SECONDS;
}

/* At the lower right, where a page has its last words at most. */
static void draw_pressed(const viz_shell *shell, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    if (!theme->presents || !shell->pressed[0] || shell->now >= shell->pressed_until)
        return;
    float w = viz_text_width(canvas, VIZ_SANS_BOLD, KEY_SIZE, shell->pressed) + 1.2f * KEY_SIZE,
          h = 1.9f * KEY_SIZE;
    viz_rect r = {viz_width(canvas) - VIZ_MARGIN - w, viz_height(canvas) - VIZ_MARGIN - h, w, h};
    viz_fill_round(canvas, r, 8, theme->panel);
    viz_frame_round(canvas, r, 8, 2, theme->text);
    viz_text(canvas, VIZ_SANS_BOLD, KEY_SIZE, r.x + w / 2, r.y + h / 2 + 0.36f * KEY_SIZE,
             VIZ_CENTER, theme->text, shell->pressed);
}

/* True while it is shown, and as it goes. */
static bool tick_pressed(viz_shell *shell)
{
    bool had = shell->pressed[0];
    if (shell->now >= shell->pressed_until)
        shell->pressed[0] = 0;
    return had;
}

/* ---------------------------------------------------------------- hints of the first start */

#define HINT_SECONDS 20.0
#define FADE_SECONDS 0.7

void viz_shell_hint(viz_shell *shell)
{
    shell->hints = true;
    shell->hints_since = shell->now;
    shell->hints_until = shell->now + HINT_SECONDS;
}

static float hint_strength(const viz_shell *shell)
{
    double in = shell->now - shell->hints_since, out = shell->hints_until - shell->now;
    double strength = fmin(in, out) / FADE_SECONDS;
    return strength > 0.01 ? strength < 1 ? (float)strength : 1 : 0.01f;
}

/* True while they fade, and where they are gone. */
static bool tick_hints(viz_shell *shell)
{
    bool had = shell->hints;
    shell->hints = had && shell->now < shell->hints_until;
    return had && (!shell->hints || hint_strength(shell) < 1 ||
                   shell->now - shell->hints_since < 2 * FADE_SECONDS);
}

static const char *const usual_hints[VIZ_HINTS] = {
    "Rest the pointer on anything: it says what it is.",
    "I, or a double click on a weight, takes the number apart.",
    "ctrl O opens a file of yours; ? lists every key.",
};

static void draw_said(viz_shell *shell, viz_canvas *canvas, bool whole)
{
    const viz_view *view = viz_shell_view(shell);
    const char *said = shell->message[0] ? shell->message
                       : whole           ? shell->progress /* a figure has no bar to say it in */
                                         : "";
    viz_toast toast = {.texts = {said[0] ? said : NULL}};
    shell->said = (viz_rect){0};
    if (viz_shell_draw_question(shell, canvas, TOAST_TOP))
        return;
    if (said[0]) {
        shell->said = viz_toast_layout(canvas, TOAST_TOP, &toast);
        viz_toast_draw(canvas, TOAST_TOP, &toast);
    } else if (shell->hints && view && view == viz_shell_tab(shell)) {
        memcpy(toast.texts, view->class->hints ? view->class->hints : usual_hints,
               sizeof toast.texts);
        toast.strength = hint_strength(shell);
        viz_toast_draw(canvas, VIZ_TABS_HEIGHT + VIZ_GAP, &toast);
    }
}

/* ---------------------------------------------------------------- what is pointed at */

#define TIP_AFTER 0.5 /* seconds that the pointer rests, … */
#define AREA_TIP_AFTER 1.2
#define AREA_TIP_UNTIL 6.0 /* … and then the picture is wanted back */

void viz_shell_spots(const viz_shell *shell, viz_spots *spots)
{
    const viz_view *view = viz_shell_view(shell);
    spots->count = 0;
    if (shell->show_keys)
        return;
    viz_spots_add(spots, shell->typed_rect, VIZ_SPOT_PRESSES,
                  "Click, or press ctrl L, to type another text.");
    if (view && view->class->spots)
        view->class->spots(view, spots);
    for (int i = 0; i < shell->count && !viz_shell_typing(shell); i++) {
        const viz_tab *tab = &shell->tabs[i];
        viz_rect r = {tab->rect.x - 6, tab->rect.y, tab->rect.w + 12, tab->rect.h};
        if (tab->rect.w > 0)
            viz_spots_add(spots, r, tab->view ? VIZ_SPOT_PRESSES : VIZ_SPOT_READS,
                          tab->class->about);
    }
    if (!viz_shell_typing(shell))
        viz_spots_add_caps(spots, &shell->caps);
    if (shell->question[0]) {
        viz_spots_add(spots, shell->yes, VIZ_SPOT_PRESSES, NULL);
        viz_spots_add(spots, shell->no, VIZ_SPOT_PRESSES, NULL);
    } else if (shell->message[0]) {
        viz_spots_add(spots, shell->said, VIZ_SPOT_PRESSES, NULL);
    }
}

/* False: the pointer is on nothing. */
static bool find_spot(const viz_shell *shell, viz_spot *spot)
{
    viz_spots spots;
    if (!shell->pointed)
        return false;
    viz_shell_spots(shell, &spots);
    const viz_spot *found = viz_spots_at(&spots, shell->pointer_x, shell->pointer_y);
    if (found)
        *spot = *found;
    return found;
}

bool viz_shell_is_on_button(const viz_shell *shell)
{
    viz_spot spot;
    return find_spot(shell, &spot) && viz_spot_is_pressed(&spot);
}

static bool was_seen(const viz_shell *shell, const char *tip)
{
    for (int i = 0; i < shell->tips_seen; i++)
        if (shell->tip_seen[i] == tip)
            return true;
    return false;
}

/* A tip over a picture hides what it is about: it is shown once, for a while. */
static bool tip_is_due(const viz_shell *shell, const viz_spot *spot)
{
    double rested = shell->now - shell->rests_since;
    if (!spot->tip)
        return false;
    if (spot->kind != VIZ_SPOT_AREA)
        return rested >= TIP_AFTER;
    return rested >= AREA_TIP_AFTER && rested < AREA_TIP_UNTIL && !was_seen(shell, spot->tip);
}

/* The pointer goes: what was explained over a picture is known from here on. */
static void leave_spot(viz_shell *shell)
{
    viz_spot spot;
    if (shell->tip_shown && find_spot(shell, &spot) && spot.kind == VIZ_SPOT_AREA &&
        !was_seen(shell, spot.tip) && shell->tips_seen < VIZ_TIPS_SEEN)
        shell->tip_seen[shell->tips_seen++] = spot.tip;
    shell->tip_shown = false;
}

static bool same_spot(bool had, const viz_spot *a, bool has, const viz_spot *b)
{
    return had == has && (!had || (a->rect.x == b->rect.x && a->rect.y == b->rect.y &&
                                   a->rect.w == b->rect.w && a->tip == b->tip));
}

/* True where another spot is lit, or a tip goes. */
static bool follow_pointer(viz_shell *shell, const viz_event *event)
{
    viz_spot before = {0}, now = {0};
    bool moved = event->x != shell->pointer_x || event->y != shell->pointer_y;
    bool had_tip = shell->tip_shown, had = find_spot(shell, &before);
    if (event->kind == VIZ_MOVE && shell->pointed && !moved)
        return false;
    bool leaves_area = had && before.kind == VIZ_SPOT_AREA;
    if (event->kind != VIZ_MOVE || leaves_area)
        leave_spot(shell);
    shell->pointed = event->kind != VIZ_LEAVE;
    shell->pointer_x = event->x;
    shell->pointer_y = event->y;
    bool has = find_spot(shell, &now), same = same_spot(had, &before, has, &now);
    if (!same || leaves_area || event->kind != VIZ_MOVE)
        shell->rests_since = shell->now;
    if (!same)
        shell->tip_shown = false;
    return !same || had_tip != shell->tip_shown;
}

static bool tick_pointer(viz_shell *shell)
{
    viz_spot spot;
    bool due = find_spot(shell, &spot) && tip_is_due(shell, &spot),
         changed = due != shell->tip_shown;
    if (changed && !due)
        leave_spot(shell);
    shell->tip_shown = due;
    return changed;
}

/* A picture that is saved shows no pointer. */
static void draw_pointed(const viz_shell *shell, viz_canvas *canvas)
{
    viz_spot spot;
    if (shell->work || !find_spot(shell, &spot))
        return;
    viz_spot_draw(canvas, &spot);
    if (shell->tip_shown && spot.tip)
        viz_spot_draw_tip(canvas, &spot, shell->pointer_x, shell->pointer_y);
}

/* ---------------------------------------------------------------- the whole */

/* Forgets the tabs' rectangles: where none is drawn, there is none to click. */
static void forget_tabs(viz_shell *shell)
{
    for (int i = 0; i < shell->count; i++)
        shell->tabs[i].rect = (viz_rect){0};
    shell->caps = (viz_caps){0};
}

void viz_shell_draw(viz_shell *shell, viz_canvas *canvas)
{
    viz_view *view = viz_shell_view(shell);
    bool whole = canvas->theme->presents || (view && viz_view_is_figure(view));
    float top = whole ? 0 : VIZ_TABS_HEIGHT;
    viz_clip_none(canvas);
    canvas->figure = view && viz_view_is_figure(view);
    viz_clear(canvas);
    if (!canvas->figure)
        top += viz_shell_draw_typed(shell, canvas, top);
    else
        shell->typed_rect = (viz_rect){0};
    viz_rect area = {0, top, viz_width(canvas), viz_height(canvas) - top};
    if (view)
        viz_view_draw(view, canvas, area);
    else {
        /* Before the first view is there: in the middle of its area. */
        char fit[512];
        float x = area.x + area.w / 2, y = area.y + area.h / 2 - 22;
        viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, area.w - 2 * VIZ_MARGIN, shell->progress, fit,
                     sizeof fit);
        viz_text(canvas, VIZ_SANS, VIZ_BODY, x, y, VIZ_CENTER, canvas->theme->text2, fit);
        if (shell->progress[0])
            draw_seconds(shell, canvas, x + viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "00 s") / 2,
                         y + 24);
    }
    viz_clip_none(canvas);
    if (whole)
        forget_tabs(shell);
    else
        draw_tabs(shell, canvas);
    if (!shell->work) /* a picture that is saved has none of it */
        draw_said(shell, canvas, whole);
    if (!shell->work)
        draw_pressed(shell, canvas);
    draw_pointed(shell, canvas);
    if (shell->show_keys)
        viz_sheet_draw(canvas, view ? view->class->keys : NULL);
}

/* ---------------------------------------------------------------- why this number */

#define DOUBLE_CLICK_SECONDS 0.4
#define DOUBLE_CLICK_REACH 4.0f

static bool find_subject(const viz_shell *shell, viz_subject *subject)
{
    const viz_view *view = viz_shell_tab(shell);
    *subject = (viz_subject){.x = shell->pressed_x, .y = shell->pressed_y};
    return view && view->class->subject && view->source->weights.explain &&
           view->class->subject(view, subject);
}

static bool ask_about(viz_shell *shell, const viz_subject *subject)
{
    if (subject->problem[0]) {
        viz_shell_message(shell, subject->problem);
        return true;
    }
    if (!shell->why && viz_why_create(&shell->why, NULL) != SAC_OK)
        return false;
    shell->asks = viz_why_ask(shell->why, viz_shell_tab(shell), subject);
    return shell->asks;
}

bool viz_shell_ask(viz_shell *shell)
{
    viz_subject subject;
    if (find_subject(shell, &subject))
        return ask_about(shell, &subject);
    const viz_view *view = viz_shell_tab(shell);
    bool never = view && view->class->subject && !view->source->weights.explain;
    viz_shell_message(shell, never ? "this model's weights cannot be taken apart here"
                                   : "there is no weight here to take apart");
    return true;
}

void viz_shell_restore_why(viz_shell *shell, const char *value)
{
    viz_subject subject;
    viz_view *view = viz_shell_tab(shell);
    if (view && view->class->subject) /* its subject has names once the view has loaded it */
        viz_view_settle(view, NULL);
    if (find_subject(shell, &subject) && ask_about(shell, &subject) && shell->asks)
        viz_why_restore(shell->why, value);
}

/* The second of two clicks on one weight asks about it. */
static bool press_again(viz_shell *shell, const viz_event *event)
{
    viz_subject subject;
    bool again =
        event->button == 1 && shell->now - shell->pressed_at < DOUBLE_CLICK_SECONDS &&
        hypotf(event->x - shell->pressed_x, event->y - shell->pressed_y) < DOUBLE_CLICK_REACH;
    shell->pressed_at = again ? -DOUBLE_CLICK_SECONDS : shell->now;
    shell->pressed_x = event->x;
    shell->pressed_y = event->y;
    bool over = shell->asks || shell->chooses;
    return again && !over && find_subject(shell, &subject) && subject.pointed &&
           ask_about(shell, &subject);
}

/* ---------------------------------------------------------------- events and time */

static bool next_tab(viz_shell *shell, int step)
{
    int count = shell->count;
    for (int i = 1; i <= count; i++)
        if (show_tab(shell, (shell->current + step * i + count * i) % count))
            return true;
    return false;
}

static int tab_at(const viz_shell *shell, float x, float y)
{
    for (int i = 0; i < shell->count; i++) {
        viz_rect r = shell->tabs[i].rect;
        if (viz_inside((viz_rect){r.x - 6, r.y, r.w + 12, r.h}, x, y))
            return i;
    }
    return -1;
}

/* Ctrl+F into a figure and out of it, and Escape out of it. False: the event is neither. */
static bool turn_figure(viz_shell *shell, const viz_event *event)
{
    viz_view *view = viz_shell_tab(shell);
    bool key = event->kind == VIZ_KEY && event->ctrl && event->key == 'f';
    bool figure = view && viz_view_is_figure(view);
    bool leaves = figure && !shell->asks && event->kind == VIZ_KEY && event->key == VIZ_KEY_ESCAPE;
    if (!view || !view->class->figure || !(key || leaves) || shell->chooses)
        return false;
    viz_view_restore(view, "layout", figure ? "window" : "figure");
    viz_shell_message(shell,
                      figure ? "" : "a figure, as it would be saved: Esc or ctrl F goes back");
    return true;
}

/* Keys and clicks that belong to the shell and not to the view. */
static bool shell_takes(viz_shell *shell, const viz_event *event, bool *changed)
{
    int tab = event->kind == VIZ_PRESS ? tab_at(shell, event->x, event->y) : -1;
    if (viz_shell_typed_event(shell, event, changed))
        return true;
    *changed = true;
    if (event->kind == VIZ_KEY && !event->ctrl && viz_shell_typing(shell))
        return false;
    if (viz_shell_question_event(shell, event))
        return true;
    if (event->kind == VIZ_PRESS && is_on_message(shell, event->x, event->y)) {
        shell->message[0] = 0;
        return true;
    }
    if (shell->show_keys && (event->kind == VIZ_PRESS || event->kind == VIZ_KEY))
        shell->show_keys = false; /* any key or click puts the sheet away */
    else if (event->kind == VIZ_KEY && event->key == '?')
        shell->show_keys = true;
    else if (turn_figure(shell, event) || viz_shell_split_event(shell, event))
        return true;
    else if (event->kind == VIZ_KEY && event->key == VIZ_KEY_TAB && event->ctrl)
        *changed = next_tab(shell, event->shift ? -1 : 1);
    else if (event->kind == VIZ_KEY && event->key >= '1' && event->key <= '9' && !event->ctrl)
        *changed = show_tab(shell, event->key - '1');
    else if (tab >= 0)
        *changed = show_tab(shell, tab);
    else {
        /* I asks, and I or Escape goes back. */
        if (event->kind != VIZ_KEY || event->ctrl)
            return false;
        if (shell->asks && (event->key == 'i' || event->key == VIZ_KEY_ESCAPE)) {
            shell->asks = false;
            return true;
        }
        return event->key == 'i' && viz_shell_tab(shell) && viz_shell_ask(shell);
    }
    return true;
}

/* The current view's, which begins with its first event; NULL: it undoes nothing. */
static viz_history *history_of(viz_shell *shell)
{
    viz_tab *tab = shell->current < shell->count ? &shell->tabs[shell->current] : NULL;
    if (tab && tab->view && !tab->history)
        tab->history = viz_history_create(tab->view);
    return tab ? tab->history : NULL;
}

/* Escape that means nothing else takes back the last step. */
static bool take_back(viz_shell *shell, const viz_event *event)
{
    bool undo = event->key == VIZ_KEY_ESCAPE || (event->ctrl && event->key == 'z');
    if (event->kind != VIZ_KEY || !undo)
        return false;
    bool again = event->ctrl && event->shift;
    return again ? viz_history_redo(history_of(shell)) : viz_history_undo(history_of(shell));
}

static bool is_step_over(const viz_event *event)
{
    return event->kind == VIZ_KEY || event->kind == VIZ_RELEASE || event->kind == VIZ_WHEEL;
}

/* A setting of how a view looks, by the key that turns to its next value. */
typedef struct look {
    const char *setting, *name;
    int key;
    char value[64];
} look;

static void read_look(void *user, const char *setting, const char *value)
{
    look *l = user;
    if (strcmp(setting, l->setting) == 0)
        snprintf(l->value, sizeof l->value, "%s", value);
}

/* Passes the key to the view and names the setting's new value, as some pictures hardly show it. */
static bool turn_look(viz_shell *shell, viz_view *view, const viz_event *event)
{
    static const look looks[] = {{"map", "colour map", 'm', ""},
                                 {"overlay", "overlay", 'o', ""},
                                 {"scale", "scale", 'l', ""},
                                 {"cells drawn", "cells", 'b', ""}};
    bool changed = view->class->event(view, event);
    char text[128];
    for (size_t i = 0; changed && i < sizeof looks / sizeof *looks; i++) {
        look now = looks[i];
        if (event->key != now.key)
            continue;
        viz_view_describe(view, read_look, &now);
        snprintf(text, sizeof text, "%s: %s", now.name, now.value);
        if (now.value[0])
            viz_shell_message(shell, text);
    }
    return changed;
}

static bool pass_on(viz_shell *shell, const viz_event *event)
{
    bool changed;
    viz_history *history = history_of(shell); /* begins before the event */
    if (shell_takes(shell, event, &changed)) {
        if (changed && is_step_over(event) && !shell->asks && !shell->chooses)
            viz_history_note(history_of(shell));
        return changed;
    }
    viz_view *view = viz_shell_view(shell);
    bool plain_key = event->kind == VIZ_KEY && !event->ctrl && !viz_shell_typing(shell);
    changed = view && view->class->event &&
              (plain_key ? turn_look(shell, view, event) : view->class->event(view, event));
    if (shell->chooses && viz_chooser_is_closed(shell->chooser))
        shell->chooses = false;
    if (view != viz_shell_tab(shell)) /* what is over the view changes nothing of it */
        return changed;
    if (!changed && take_back(shell, event))
        return true;
    if (is_step_over(event))
        viz_history_note(history);
    return changed;
}

/* A press on a cap is its key; on ‹ it is less, as with the right button. */
static bool press_spot(viz_shell *shell, const viz_event *event)
{
    viz_spot spot;
    viz_event other = *event;
    bool found = event->button == 1 && find_spot(shell, &spot);
    if (found && spot.key && spot.key->owner == VIZ_KEY_OF_WINDOW) {
        shell->asked = spot.key;
        return true;
    }
    if (found && spot.key)
        other = viz_key_event(spot.key);
    else if (found && viz_spot_steps_down(&spot, event->x))
        other.button = 3;
    return pass_on(shell, &other);
}

/* ---------------------------------------------------------------- what to open */

void viz_shell_choose(viz_shell *shell, const char *folder, const viz_recent *recent, int count)
{
    if (!shell->chooser && viz_chooser_create(&shell->chooser, NULL) != SAC_OK)
        return;
    viz_chooser_begin(shell->chooser, folder, recent, count);
    shell->chooses = true;
    shell->show_keys = false;
}

bool viz_shell_take_choice(viz_shell *shell, viz_recent *chosen)
{
    if (!shell->chooses || !viz_chooser_take(shell->chooser, chosen))
        return false;
    shell->chooses = false;
    return true;
}

/* ---------------------------------------------------------------- events and time, together */

bool viz_shell_event(viz_shell *shell, const viz_event *event)
{
    /* A user who acts has learned that the window responds. */
    if (shell->hints && (event->kind == VIZ_KEY || event->kind == VIZ_PRESS))
        shell->hints_until = fmin(shell->hints_until, shell->now + FADE_SECONDS);
    bool lit = event->kind <= VIZ_RELEASE || event->kind == VIZ_LEAVE ? follow_pointer(shell, event)
                                                                      : false;
    bool changed = event->kind == VIZ_PRESS ? press_spot(shell, event) : pass_on(shell, event);
    if (event->kind == VIZ_PRESS && press_again(shell, event))
        return true;
    return changed || lit;
}

bool viz_shell_tick(viz_shell *shell, double now)
{
    viz_view *view = viz_shell_view(shell);
    bool moves = view && view->class->tick && view->class->tick(view, now);
    shell->now = now;
    moves |= tick_pointer(shell);
    moves |= tick_message(shell);
    moves |= tick_hints(shell);
    moves |= tick_pressed(shell);
    return moves || shell->message[0];
}
