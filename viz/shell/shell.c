/* The shell round the views: what is drawn, keys, and what is shown over the view. */
#include "shell/shell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "parts/controls/widgets.h"
#include "shell/pointer.h"
#include "shell/sheet.h"
#include "shell/split/split.h"
#include "shell/status.h"
#include "shell/why/why.h"
#include "view/settings.h"
#include "view/words.h"

/* ---------------------------------------------------------------- the text that is open */

/* The line below the tabs. While the user types, the document is opened again with the new text. */

/* The source whose text is shown: that of the current view, unless another view is shown over
 * it. */
static const sac_source *source_of_typed_text(const viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    bool shown =
        view && view == viz_shell_tab_view(shell) && view->source && view->source->result.typed;
    return shown ? view->source : NULL;
}

const char *viz_shell_typed(const viz_shell *shell)
{
    const sac_source *source = source_of_typed_text(shell);
    bool there = source && shell->typed_rect.w > 0 && shell->typed.text[0];
    bool other = there && strcmp(shell->typed.text, source->result.text) != 0;
    return other ? shell->typed.text : NULL;
}

void viz_shell_hand_typed(const viz_shell *from, viz_shell *to)
{
    to->typed = from->typed;
    to->typed_rect = from->typed_rect;
}

/* Draws the line where the current view has one; returns the height that it takes. */
static float draw_typed_text_line(viz_shell *shell, viz_canvas *canvas, float top)
{
    const sac_source *source = source_of_typed_text(shell);
    /* A text that is too long for the line stays what it is, and is not typed. */
    if (!source || strlen(source->result.text) >= VIZ_TEXT_FIELD_SIZE) {
        shell->typed.typing = false;
        shell->typed_rect = (viz_rect){0};
        return 0;
    }
    if (shell->typed_rect.w <= 0)
        viz_text_field_set(&shell->typed, source->result.text);
    viz_view *view = viz_shell_tab_view(shell);
    const char *text = view->class->retyped ? view->class->retyped(view) : NULL;
    if (text && strlen(text) < VIZ_TEXT_FIELD_SIZE)
        viz_text_field_set(&shell->typed, text);
    shell->typed_rect =
        (viz_rect){VIZ_MARGIN, top + 6, viz_width(canvas) - 2 * VIZ_MARGIN, VIZ_TYPED_HEIGHT - 10};
    viz_text_field_draw(&shell->typed, canvas, shell->typed_rect, "a text");
    return VIZ_TYPED_HEIGHT;
}

static bool begin_typing(viz_shell *shell, bool *changed)
{
    viz_text_field_begin(&shell->typed);
    *changed = true;
    return true;
}

/* Takes the keys and presses of the line of text; for viz_shell_event. */
static bool handle_typed_text(viz_shell *shell, const viz_event *e, bool *changed)
{
    viz_text_field *f = &shell->typed;
    *changed = false;
    if (!source_of_typed_text(shell) || shell->typed_rect.w <= 0)
        return false;
    if (e->kind == VIZ_PRESS) {
        if (e->button == 1 && viz_inside(shell->typed_rect, e->x, e->y))
            return begin_typing(shell, changed);
        f->typing = f->all = false;
        return false;
    }
    if (e->kind != VIZ_KEY)
        return false;
    if (e->ctrl && e->key == 'l')
        return begin_typing(shell, changed);
    if (e->ctrl && e->key == 'v')
        return *changed = viz_text_field_paste(f, e->text ? e->text : "");
    if (!f->typing)
        return false;
    bool taken = viz_text_field_key(f, e, changed) || !e->ctrl;
    *changed = taken; /* the caret may have moved */
    return taken;
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
static void draw_pressed_keys(const viz_shell *shell, viz_canvas *canvas)
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

/* ---------------------------------------------------------------- the way out */

#define LEAVE_SECONDS 2.5 /* after the pointer moved */

static bool is_leave_hint_due(const viz_shell *shell)
{
    return shell->pointed && shell->now < shell->moved_at + LEAVE_SECONDS;
}

static const char leave_figure[] = "×  leave the figure", leave_presented[] = "×  leave";

/* A view that has the whole canvas has no bar: who moves the pointer sees how to come back. */
static void draw_leave_hint(viz_shell *shell, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const char *text = viz_word(canvas->figure ? leave_figure : leave_presented);
    float w = viz_text_width(canvas, VIZ_SANS, VIZ_BODY, text) + 28;
    if (!is_leave_hint_due(shell))
        return;
    /* above what a page has there, and where the bar has the same */
    viz_rect r = shell->leave =
        (viz_rect){viz_width(canvas) - w - 12 - (canvas->figure ? 0 : VIZ_PLACES_MORE), 4, w, 28};
    viz_fill_round(canvas, r, 8, theme->panel);
    viz_frame_round(canvas, r, 8, 1, theme->line);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + w / 2, r.y + 19, VIZ_CENTER, theme->text, text);
}

/* ---------------------------------------------------------------- a page of a hand-out */

#define NOTE_LINE 20.0f
#define NOTE_LINES 6

/* Draws the note from y on, or with `draws` NULL only measures it; returns the height that it takes. */
static float draw_or_measure_note(viz_canvas *draws, const viz_canvas *canvas, float y,
                                  const char *note)
{
    char part[1200];
    float width = viz_width(canvas) - 2 * VIZ_MARGIN, height = 0;
    for (int line = 0; note && *note && line < NOTE_LINES; line++) {
        const size_t row = strcspn(note, "\n");
        size_t length = viz_text_line_bytes(canvas, VIZ_SANS, VIZ_BODY, width, note);
        length = length < row ? length : row;
        snprintf(part, sizeof part, "%.*s", (int)length, note);
        if (draws)
            viz_text(draws, VIZ_SANS, VIZ_BODY, VIZ_MARGIN, y + height + 15, VIZ_LEFT,
                     canvas->theme->text, part);
        height += NOTE_LINE;
        note += length + (note[length] == ' ' || note[length] == '\n');
    }
    return height > 0 ? height + 16 : 0;
}

static void draw_paper(const viz_paper *paper, viz_canvas *canvas, float top, float bottom)
{
    const viz_theme *theme = canvas->theme;
    const float right = viz_width(canvas) - VIZ_MARGIN;
    char fit[300];
    if (top > 0) {
        float place = viz_text_width(canvas, VIZ_MONO, VIZ_BODY, paper->place);
        viz_text_fit(canvas, VIZ_SANS_BOLD, VIZ_TITLE, right - VIZ_MARGIN - place - 20,
                     paper->title, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS_BOLD, VIZ_TITLE, VIZ_MARGIN, top - 14, VIZ_LEFT, theme->text,
                 fit);
        viz_text(canvas, VIZ_MONO, VIZ_BODY, right, top - 14, VIZ_RIGHT, theme->text2,
                 paper->place);
    }
    draw_or_measure_note(canvas, canvas, viz_height(canvas) - bottom + 8, paper->note);
}

/* ---------------------------------------------------------------- the whole */

void viz_shell_draw(viz_shell *shell, viz_canvas *canvas)
{
    viz_view *view = viz_shell_view(shell);
    bool whole = canvas->theme->presents || (view && viz_view_is_figure(view));
    float top = whole ? 0 : VIZ_TABS_HEIGHT, bottom = whole ? 0 : viz_status_height(canvas);
    const viz_paper *paper = shell->paper.title ? &shell->paper : NULL;
    if (paper) {
        top = paper->title[0] ? VIZ_TABS_HEIGHT : 0;
        bottom = draw_or_measure_note(NULL, canvas, 0, paper->note);
    }
    viz_clip_none(canvas);
    canvas->figure = view && viz_view_is_figure(view);
    viz_clear(canvas);
    if (!canvas->figure)
        top += draw_typed_text_line(shell, canvas, top);
    else
        shell->typed_rect = (viz_rect){0};
    viz_rect area = {0, top, viz_width(canvas), viz_height(canvas) - top - bottom};
    if (view)
        viz_view_draw(view, canvas, area);
    else
        viz_status_draw_waiting(shell, canvas, area);
    viz_clip_none(canvas);
    shell->whole = whole;
    shell->toast_area = shell->leave = (viz_rect){0};
    shell->hangs &= whole && !canvas->figure && !shell->work;
    if (paper) {
        draw_paper(paper, canvas, top, bottom);
    } else if (whole && !shell->hangs) {
        viz_places_list(shell);
    } else {
        viz_places_lay(shell, canvas);
        viz_places_draw(shell, canvas);
    }
    if (bottom > 0 && !paper)
        viz_status_draw(shell, canvas, shell->work ? NULL : viz_pointer_tip(shell));
    /* A saved picture has no messages of the window. */
    if (!shell->work && !paper && bottom <= 0)
        viz_status_draw_over(shell, canvas);
    if (!shell->work) {
        draw_pressed_keys(shell, canvas);
        if (whole && !shell->hangs)
            draw_leave_hint(shell, canvas);
        viz_pointer_draw(shell, canvas);
    }
    if (shell->show_keys)
        viz_sheet_draw(canvas, view ? view->class->keys : NULL,
                       viz_is_split(view) ? viz_split_side(view, 0) : view,
                       viz_is_split(view) && viz_split_count(view) > 1);
}

void viz_shell_draw_changes(viz_shell *shell, viz_canvas *canvas, viz_tiles *tiles)
{
    viz_tiles_begin_noting(tiles, canvas);
    viz_shell_draw(shell, canvas);
    viz_tiles_compare(tiles, canvas);
    if (tiles->count)
        viz_shell_draw(shell, canvas);
    viz_tiles_end(tiles, canvas);
}

/* ---------------------------------------------------------------- why this number */

#define DOUBLE_CLICK_SECONDS 0.4
#define DOUBLE_CLICK_REACH 4.0f

static bool find_subject(const viz_shell *shell, viz_subject *subject)
{
    const viz_view *view = viz_shell_tab_view(shell);
    *subject = (viz_subject){.x = shell->pressed_x, .y = shell->pressed_y};
    return view && view->class->subject && view->source->weights.explain &&
           view->class->subject(view, subject);
}

static bool ask_about(viz_shell *shell, const viz_subject *subject)
{
    if (subject->problem[0]) {
        viz_shell_show_message(shell, subject->problem);
        return true;
    }
    if (!shell->why && viz_why_create(&shell->why, NULL) != SAC_OK)
        return false;
    shell->asks = viz_why_ask(shell->why, viz_shell_tab_view(shell), subject);
    return shell->asks;
}

/* Explains the weight that is selected in the current view; with a message if there is none. */
static bool explain_selected_weight(viz_shell *shell)
{
    viz_subject subject;
    if (find_subject(shell, &subject))
        return ask_about(shell, &subject);
    const viz_view *view = viz_shell_tab_view(shell);
    bool never = view && view->class->subject && !view->source->weights.explain;
    viz_shell_show_message(shell, never ? "this model's weights cannot be taken apart here"
                                        : "there is no weight here to take apart");
    return true;
}

void viz_shell_restore_why(viz_shell *shell, const char *value)
{
    viz_subject subject;
    viz_view *view = viz_shell_tab_view(shell);
    if (view && view->class->subject) /* its subject has names once the view has loaded it */
        viz_view_settle(view, NULL);
    if (find_subject(shell, &subject) && ask_about(shell, &subject) && shell->asks)
        viz_why_restore(shell->why, value);
}

/* The second of two clicks on one weight asks about it. */
static bool ask_on_double_click(viz_shell *shell, const viz_event *event)
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

/* Ctrl+F into a figure and out of it, and Escape out of it. False: the event is neither. */
static bool toggle_figure(viz_shell *shell, const viz_event *event)
{
    viz_view *view = viz_shell_tab_view(shell);
    bool key = event->kind == VIZ_KEY && event->ctrl && event->key == 'f';
    bool figure = view && viz_view_is_figure(view);
    bool leaves = figure && !shell->asks && event->kind == VIZ_KEY && event->key == VIZ_KEY_ESCAPE;
    if (!view || !view->class->figure || !(key || leaves) || shell->chooses)
        return false;
    viz_view_restore(view, "layout", figure ? "window" : "figure");
    viz_shell_show_message(shell,
                           figure ? "" : "a figure, as it would be saved: Esc or ctrl F goes back");
    return true;
}

static bool choose_place_by_digit(viz_shell *shell, int key)
{
    const int item = viz_places_by_key(shell, key);
    const viz_key *named = viz_key_named((char[]){(char)key, '\0'}, NULL);
    char text[96];
    if (item >= 0 || !shell->count)
        return viz_places_choose(shell, item);
    snprintf(text, sizeof text, viz_word("%s: nothing of what is open"), viz_word(named->meaning));
    viz_shell_show_message(shell, text);
    return true;
}

/* Keys and clicks that belong to the shell and not to the view. */
static bool handle_shell_event(viz_shell *shell, const viz_event *event, bool *changed)
{
    int item = event->kind == VIZ_PRESS ? viz_places_hit(shell, event->x, event->y) : -1;
    if (viz_places_event(shell, event, changed))
        return true;
    if (handle_typed_text(shell, event, changed))
        return true;
    *changed = true;
    if (event->kind == VIZ_KEY && !event->ctrl && viz_shell_typing(shell))
        return false;
    if (viz_shell_question_event(shell, event))
        return true;
    if (event->kind == VIZ_PRESS && viz_status_is_on_message(shell, event->x, event->y)) {
        shell->message[0] = 0;
        return true;
    }
    if (shell->show_keys && (event->kind == VIZ_PRESS || event->kind == VIZ_KEY))
        shell->show_keys = false; /* any key or click puts the sheet away */
    else if (event->kind == VIZ_KEY && event->key == '?')
        shell->show_keys = true;
    else if (toggle_figure(shell, event) || viz_shell_split_event(shell, event))
        return true;
    else if (event->kind == VIZ_KEY && event->key == VIZ_KEY_TAB && event->ctrl)
        *changed = viz_shell_next(shell, event->shift ? -1 : 1);
    else if (event->kind == VIZ_KEY && event->key >= '1' && event->key <= '9' && !event->ctrl)
        *changed = choose_place_by_digit(shell, event->key);
    else if (item >= 0)
        *changed = viz_places_choose(shell, item);
    else {
        /* I asks, and I or Escape goes back. */
        if (event->kind != VIZ_KEY || event->ctrl)
            return false;
        if (shell->asks && (event->key == 'i' || event->key == VIZ_KEY_ESCAPE)) {
            shell->asks = false;
            return true;
        }
        return event->key == 'i' && viz_shell_tab_view(shell) && explain_selected_weight(shell);
    }
    return true;
}

/* A setting of how a view looks, by the key that turns to its next value. */
typedef struct look {
    const char *setting, *name;
    int key;
    char value[64];
} look;

static void copy_matching_setting(void *user, const char *setting, const char *value)
{
    look *l = user;
    if (strcmp(setting, l->setting) == 0)
        snprintf(l->value, sizeof l->value, "%s", value);
}

/* Passes the key to the view and names the setting's new value, as some pictures hardly show it. */
static bool pass_key_and_name_setting(viz_shell *shell, viz_view *view, const viz_event *event)
{
    static const look looks[] = {{"map", "colour map", 'm', ""},
                                 {"overlay", "overlay", 'o', ""},
                                 {"scale", "scale", 'l', ""},
                                 {"cells drawn", "cells drawn", 'b', ""}};
    bool changed = view->class->event(view, event);
    char text[128];
    for (size_t i = 0; changed && i < sizeof looks / sizeof *looks; i++) {
        look now = looks[i];
        if (event->key != now.key)
            continue;
        viz_view_describe(view, copy_matching_setting, &now);
        snprintf(text, sizeof text, viz_word("%s: %s"), viz_word(now.name), viz_word(now.value));
        if (now.value[0])
            viz_shell_show_message(shell, text);
    }
    return changed;
}

/* The view's, or a step back. */
static bool pass_to_view(viz_shell *shell, const viz_event *event)
{
    viz_view *view = viz_shell_view(shell);
    bool plain_key = event->kind == VIZ_KEY && !event->ctrl && !viz_shell_typing(shell);
    bool changed = view && view->class->event &&
                   (plain_key ? pass_key_and_name_setting(shell, view, event)
                              : view->class->event(view, event));
    if (shell->chooses && viz_chooser_is_closed(shell->chooser))
        shell->chooses = false;
    return changed;
}

static bool dispatch_event(viz_shell *shell, const viz_event *event)
{
    bool changed;
    viz_history *history = viz_shell_history(shell);
    if (event->kind == VIZ_PRESS || event->kind == VIZ_KEY || event->kind == VIZ_WHEEL)
        viz_history_begin(history);
    bool undoes = (event->ctrl || !viz_shell_typing(shell)) && !shell->asks;
    if (!handle_shell_event(shell, event, &changed))
        changed = pass_to_view(shell, event);
    if (!changed && undoes && viz_shell_undo_event(shell, event))
        changed = true; /* 0 is a step of its own, as it is undone; undo is none */
    if ((event->kind == VIZ_KEY || event->kind == VIZ_RELEASE || event->kind == VIZ_WHEEL) &&
        !shell->chooses)
        viz_history_note(history, event->kind == VIZ_WHEEL);
    return changed;
}

/* A press on a cap is its key; on ‹ it is less, as with the right button. */
static bool press_spot(viz_shell *shell, const viz_event *event)
{
    viz_spot spot;
    viz_event other = *event;
    bool found = event->button == 1 && viz_pointer_spot(shell, event->x, event->y, &spot);
    bool resizes = found && spot.key && spot.key->ctrl &&
                   (spot.key->code == '+' || spot.key->code == '-'); /* which is pressed again */
    if (found && spot.key && !resizes)
        shell->more = false;
    if (found && spot.key && viz_shell_typing(shell)) {
        /* A press on a cap is no letter of the text that is typed: like a press elsewhere it ends typing. A
         * dialog, which is typed into as long as it is there, goes for what it would take as a letter. */
        dispatch_event(shell, event);
        if (shell->chooses && !spot.key->ctrl && spot.key->owner == VIZ_KEY_OF_SHELL &&
            spot.key->code > ' ' && spot.key->code < 127)
            shell->chooses = false;
    }
    bool undoes = found && spot.key && spot.key->ctrl && spot.key->code == 'z';
    if (found && spot.key &&
        (spot.key->owner == VIZ_KEY_OF_WINDOW || (undoes && viz_shell_undoes_message(shell)))) {
        shell->asked = spot.key;
        return true;
    }
    if (found && spot.place)
        return viz_places_open(shell, spot.place);
    if (found && spot.key)
        other = viz_key_event(spot.key);
    else if (found && viz_spot_steps_down(&spot, event->x))
        other.button = 3;
    return dispatch_event(shell, &other);
}

/* ---------------------------------------------------------------- what to open */

static bool show_dialog(viz_shell *shell, bool saves)
{
    if (!shell->chooser && viz_chooser_create(&shell->chooser, NULL) != SAC_OK)
        return false;
    shell->chooses = true;
    shell->saves = saves;
    shell->show_keys = shell->focused = false;
    viz_view *view = viz_shell_view(shell);
    if (view && view->class->event) /* what is saved shows nothing that was only pointed at */
        view->class->event(view, &(viz_event){.kind = VIZ_LEAVE});
    return true;
}

void viz_shell_show_open_dialog(viz_shell *shell, const viz_opens *opens)
{
    if (show_dialog(shell, false))
        viz_chooser_begin(shell->chooser, opens);
}

void viz_shell_show_save_dialog(viz_shell *shell, const viz_saves *saves)
{
    if (show_dialog(shell, true))
        viz_chooser_begin_saving(shell->chooser, saves);
}

void viz_shell_hand_choices(viz_shell *shell)
{
    viz_view *view = viz_shell_tab_view(shell);
    viz_recent chosen;
    bool picks = shell->chooses && !shell->saves && viz_chooser_purpose(shell->chooser);
    if (!picks || !viz_chooser_take(shell->chooser, &chosen))
        return;
    shell->chooses = false;
    if (view && view->class->picked)
        view->class->picked(view, chosen.path);
}

bool viz_shell_take_choice(viz_shell *shell, viz_recent *chosen)
{
    return shell->chooses && !viz_chooser_purpose(shell->chooser) &&
           viz_chooser_take(shell->chooser, chosen);
}

bool viz_shell_take_saves(viz_shell *shell, viz_saves *chosen)
{
    return shell->chooses && viz_chooser_take_saves(shell->chooser, chosen);
}

bool viz_shell_wants_preview(viz_shell *shell, viz_saves *saves)
{
    return shell->chooses && viz_chooser_wants_preview(shell->chooser, saves);
}

void viz_shell_show_problem(viz_shell *shell, const char *text)
{
    if (shell->chooses)
        viz_chooser_show_problem(shell->chooser, text);
    else
        viz_shell_show_message(shell, text);
}

/* ---------------------------------------------------------------- events and time, together */

bool viz_shell_event(viz_shell *shell, const viz_event *event)
{
    /* A user who acts has learned that the window responds. */
    if (event->kind == VIZ_KEY || event->kind == VIZ_PRESS)
        shell->hints = false;
    viz_event press = {.kind = VIZ_KEY}, to = press;
    bool had_focus = shell->focused;
    if (viz_focus_event(shell, event, &press, &to)) {
        if (press.kind != VIZ_PRESS)
            return true;
        press_spot(shell, &press);
        if (to.kind == VIZ_MOVE)
            dispatch_event(shell, &to);
        press.kind = VIZ_RELEASE;
        dispatch_event(shell, &press);
        return true;
    }
    bool lit = event->kind <= VIZ_RELEASE || event->kind == VIZ_LEAVE
                   ? viz_pointer_follow(shell, event)
                   : false;
    bool changed =
        event->kind == VIZ_PRESS ? press_spot(shell, event) : dispatch_event(shell, event);
    if (event->kind == VIZ_PRESS && ask_on_double_click(shell, event))
        return true;
    return changed || lit || had_focus != shell->focused;
}

bool viz_shell_tick(viz_shell *shell, double now)
{
    viz_view *view = viz_shell_view(shell);
    bool moves = view && view->class->tick && view->class->tick(view, now);
    shell->now = now;
    moves |= viz_status_tick(shell);
    bool leaves = (shell->leave.w > 0) != (is_leave_hint_due(shell) && shell->whole);
    moves |= leaves || shell->pressed[0] || shell->message[0];
    if (shell->now >= shell->pressed_until)
        shell->pressed[0] = 0;
    return moves;
}
