/* The line of status. */
#include "shell/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "shell/shell.h"
#include "view/words.h"

/* ---------------------------------------------------------------- messages that wrap */

/* A message at the lower left, in the line; one that is too long for it wraps, and grows upwards. */
#define TOAST_TEXTS 3

typedef struct toast_texts {
    const char *texts[TOAST_TEXTS]; /* one below the other; lent; NULL: none */
} toast_texts;

#define WIDEST 900.0f
#define LINE 18.0f
#define LEFT 24.0f /* from the edge to the text */
#define RIGHT 14.0f
#define PADDING 3.0f

static float toast_text_width(const viz_canvas *canvas)
{
    return fminf(viz_width(canvas) - 2 * VIZ_MARGIN, WIDEST) - LEFT - RIGHT;
}

/* Draws the lines of one text from y on, or with no `color` only measures them: *widest grows.
 * Returns their height. */
static float draw_or_measure_lines(viz_canvas *draws, const viz_canvas *canvas, float x, float y,
                                   const char *text, const viz_color *color, float *widest)
{
    char part[1200];
    float height = 0;
    while (*text) {
        size_t length =
            viz_text_line_bytes(canvas, VIZ_SANS, VIZ_LABEL, toast_text_width(canvas), text);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        *widest = fmaxf(*widest, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, part));
        if (draws)
            viz_text(draws, VIZ_SANS, VIZ_LABEL, x, y + height + 13, VIZ_LEFT, *color, part);
        height += LINE;
        text += length + (text[length] == ' ');
    }
    return height;
}

/* Where it stands with its lower edge at `bottom`, as wide as its text, at most as the canvas. */
static viz_rect toast_layout(const viz_canvas *canvas, float bottom, const toast_texts *toast)
{
    float widest = 0, height = 2 * PADDING;
    for (int i = 0; i < TOAST_TEXTS && toast->texts[i]; i++)
        height += draw_or_measure_lines(NULL, canvas, 0, 0, toast->texts[i], NULL, &widest);
    float w = widest + LEFT + RIGHT;
    return (viz_rect){VIZ_MARGIN - 2, bottom - height, w, height};
}

/* Where the text of that number stands in it. */
static viz_rect toast_text_rect(const viz_canvas *canvas, float bottom, const toast_texts *toast,
                                int index)
{
    viz_rect r = toast_layout(canvas, bottom, toast);
    float widest = 0, top = r.y + PADDING;
    for (int i = 0; i < index; i++)
        top += draw_or_measure_lines(NULL, canvas, 0, 0, toast->texts[i], NULL, &widest);
    return (viz_rect){
        r.x, top, r.w,
        draw_or_measure_lines(NULL, canvas, 0, 0, toast->texts[index], NULL, &widest)};
}

static void toast_draw(viz_canvas *canvas, float bottom, const toast_texts *toast)
{
    const viz_theme *theme = canvas->theme;
    float widest = 0;
    viz_rect r = toast_layout(canvas, bottom, toast);
    viz_fill_round(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, 7, theme->faint);
    viz_fill_round(canvas, r, 6, theme->panel);
    float y = r.y + PADDING;
    for (int i = 0; i < TOAST_TEXTS && toast->texts[i]; i++) {
        viz_disc(canvas, r.x + 13, y + 9, 3, theme->accent);
        y += draw_or_measure_lines(canvas, canvas, r.x + LEFT, y, toast->texts[i], &theme->text,
                                   &widest);
    }
}

/* ---------------------------------------------------------------- a question of yes or no, while all goes on */

/* Draws the question, from `bottom` up; false where there is none. */
static bool draw_question(viz_shell *shell, viz_canvas *canvas, float bottom)
{
    shell->yes = shell->no = (viz_rect){0};
    if (!shell->question[0])
        return false;
    toast_texts toast = {
        .texts = {shell->question, "Return  yes, open them", "Esc  no, leave them"}};
    toast_draw(canvas, bottom, &toast);
    shell->yes = toast_text_rect(canvas, bottom, &toast, 1);
    shell->no = toast_text_rect(canvas, bottom, &toast, 2);
    return true;
}

/* Return opens wherever it means anything, and Escape leaves things as they are. */
bool viz_shell_question_event(viz_shell *shell, const viz_event *event)
{
    if (!shell->question[0])
        return false;
    bool key = event->kind == VIZ_KEY && !event->ctrl, press = event->kind == VIZ_PRESS;
    if ((key && event->key == VIZ_KEY_RETURN) ||
        (press && viz_inside(shell->yes, event->x, event->y)))
        shell->answer = VIZ_ANSWER_YES;
    else if ((key && event->key == VIZ_KEY_ESCAPE) ||
             (press && viz_inside(shell->no, event->x, event->y)))
        shell->answer = VIZ_ANSWER_NO;
    else
        return false;
    shell->question[0] = '\0';
    return true;
}

viz_answer viz_shell_take_answer(viz_shell *shell)
{
    viz_answer answer = shell->answer;
    shell->answer = VIZ_ANSWER_NONE;
    return answer;
}

#define HINT_SECONDS 7.0 /* each … */
#define FADE_SECONDS 0.7
#define APART 24.0f /* between the message and what is open */

float viz_status_height(const viz_canvas *canvas)
{
    return viz_height(canvas) < VIZ_LEAST_HEIGHT ? 0 : VIZ_STATUS_HEIGHT;
}

/* ---------------------------------------------------------------- what is open, or waited for */

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

/* Numbers keep their place, so that the text before them does not move. Returns their width. */
static float draw_seconds(const viz_shell *shell, viz_canvas *canvas, float right, float y)
{
    char text[32];
    snprintf(text, sizeof text, "%d s", shell->progress_seconds);
    if (shell->progress_seconds > 0)
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, right, y, VIZ_RIGHT, canvas->theme->text2, text);
    return viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "000 s");
}

/* As many parts as there is space for, from `left` on; what is waited for as much of it as fits. */
static void draw_state(const viz_shell *shell, viz_canvas *canvas, float left, float y)
{
    char status[512], fit[512];
    const viz_theme *theme = canvas->theme;
    float right = viz_width(canvas) - VIZ_MARGIN;
    bool waits = shell->progress[0];
    /* What the user is waiting for, or else what is open. */
    const viz_view *view = viz_shell_view(shell);
    *status = 0;
    if (shell->progress[0])
        snprintf(status, sizeof status, "%s", view ? shell->progress : "");
    else if (view && view->class->status)
        view->class->status(view, status, sizeof status);
    if (canvas->for_file && ends_in_time(status))
        drop_last_part(status);
    if (waits && status[0])
        right -= draw_seconds(shell, canvas, right, y);
    while (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, status) > right - left &&
           drop_last_part(status))
        continue;
    if (right - left < 60)
        return;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - left, status, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, right, y, VIZ_RIGHT, waits ? theme->text : theme->text2,
             fit);
}

void viz_status_draw_waiting(const viz_shell *shell, viz_canvas *canvas, viz_rect area)
{
    char fit[512];
    float x = area.x + area.w / 2, y = area.y + area.h / 2 - 22;
    viz_text_fit(canvas, VIZ_SANS, VIZ_SENTENCE, area.w - 2 * VIZ_MARGIN,
                 shell->progress[0] ? shell->progress : shell->absent, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_SENTENCE, x, y, VIZ_CENTER, canvas->theme->text2, fit);
    if (shell->progress[0])
        draw_seconds(shell, canvas, x + viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "00 s") / 2,
                     y + 24);
}

/* ---------------------------------------------------------------- hints of the first start */

static const char *const usual_hints[VIZ_HINTS] = {
    "Rest the pointer on anything: this line explains it.",
    "I, or a double click on a weight, takes the number apart.",
    "Open, above, opens a file of yours; ? lists every key.",
};

void viz_shell_start_hints(viz_shell *shell)
{
    shell->hints = true;
    shell->hints_since = shell->now;
    shell->hints_until = shell->now + HINT_SECONDS * VIZ_HINTS;
}

/* The one that is shown now; *strength: it comes and goes. */
static const char *hint_now(const viz_shell *shell, float *strength)
{
    const viz_view *view = viz_shell_view(shell);
    double since = shell->now - shell->hints_since, out = shell->hints_until - shell->now;
    int index = (int)fmin(fmax(since / HINT_SECONDS, 0), VIZ_HINTS - 1);
    double in = since - HINT_SECONDS * index;
    *strength = (float)fmin(fmax(fmin(in, fmin(HINT_SECONDS - in, out)) / FADE_SECONDS, 0.01), 1);
    return viz_word((view->class->hints ? view->class->hints : usual_hints)[index]);
}

/* True while they move, and where they are gone. */
static bool tick_hints(viz_shell *shell)
{
    bool had = shell->hints;
    float strength;
    shell->hints = had && shell->now < shell->hints_until;
    if (!had || !shell->hints || !viz_shell_view(shell))
        return had;
    hint_now(shell, &strength);
    double in = fmod(shell->now - shell->hints_since, HINT_SECONDS);
    return strength < 1 || in < 2 * FADE_SECONDS;
}

/* ---------------------------------------------------------------- messages */

bool viz_status_is_on_message(const viz_shell *shell, float x, float y)
{
    return shell->message[0] && !shell->question[0] && viz_inside(shell->toast_area, x, y);
}

/* True where it goes. */
static bool tick_message(viz_shell *shell)
{
    bool held =
        shell->pointed && viz_status_is_on_message(shell, shell->pointer_x, shell->pointer_y);
    if (!shell->message[0] || held || shell->now < shell->message_until)
        return false;
    shell->message[0] = 0;
    return true;
}

bool viz_status_tick(viz_shell *shell)
{
    bool moves = tick_message(shell);
    return tick_hints(shell) || moves;
}

/* At the lower edge of the canvas; returns where it ends. 0: there is no message. */
static float draw_toast_message(viz_shell *shell, viz_canvas *canvas, const char *text)
{
    float bottom = viz_height(canvas) - 1;
    shell->toast_area = (viz_rect){0};
    if (draw_question(shell, canvas, bottom))
        return viz_width(canvas);
    if (!text[0])
        return 0;
    toast_texts toast = {.texts = {text}};
    shell->toast_area = toast_layout(canvas, bottom, &toast);
    toast_draw(canvas, bottom, &toast);
    return shell->toast_area.x + shell->toast_area.w;
}

void viz_status_draw_over(viz_shell *shell, viz_canvas *canvas)
{
    draw_toast_message(shell, canvas, shell->message[0] ? shell->message : shell->progress);
}

void viz_status_draw(viz_shell *shell, viz_canvas *canvas, const char *tip)
{
    const viz_theme *theme = canvas->theme;
    const viz_view *view = viz_shell_view(shell);
    char fit[512];
    float x = VIZ_MARGIN, y = viz_height(canvas) - 9, strength = 1;
    float room = viz_width(canvas) - 2 * VIZ_MARGIN;
    viz_fill(canvas, (viz_rect){0, viz_height(canvas) - VIZ_STATUS_HEIGHT, viz_width(canvas), 1},
             theme->line);
    /* A picture that is saved has no messages. */
    float end = shell->work ? 0 : draw_toast_message(shell, canvas, shell->message);
    if (!end && !tip && !shell->work && shell->hints && view && view == viz_shell_tab_view(shell))
        tip = hint_now(shell, &strength);
    if (!end && tip && !shell->work) {
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, room, tip, fit, sizeof fit);
        end = x + viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT,
                           viz_with_alpha(theme->text, strength), fit);
    }
    draw_state(shell, canvas, end > 0 ? end + APART : x, y);
}
