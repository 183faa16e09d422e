/* The page behind a lesson's last step: its score where there was a quiz, two questions, and what comes
 * next; and the buttons of pages, which it shares with their feet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"

#define HEADING 24.0f
#define CARD 17.0f
#define BUTTON_HEIGHT 32.0f
#define CARDS_BESIDE 520.0f /* a narrower page has them below each other */

/* ---------------------------------------------------------------- buttons */

float lesson_button_draw(lesson_view *v, viz_canvas *canvas, int button, float x, float y,
                         const char *text, bool primary)
{
    const viz_theme *theme = canvas->theme;
    float width = viz_text_width(canvas, VIZ_SANS, VIZ_BODY, text) + 24;
    viz_rect r = {x, y, width, BUTTON_HEIGHT};
    v->buttons[button] = r;
    if (primary)
        viz_fill_round(canvas, r, 6, theme->accent);
    else
        viz_frame_round(canvas, r, 6, 1, theme->line);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, x + 12, y + BUTTON_HEIGHT / 2 + 5, VIZ_LEFT,
             primary ? theme->on_accent : theme->text, text);
    return x + width;
}

/* The entry behind the one that is open; −1: it is the last one. */
static int next_entry(const lesson_view *v)
{
    int entry = lesson_entry(v);
    return entry >= 0 && entry + 1 < v->source->lesson.entry_count ? entry + 1 : -1;
}

static bool press_button(lesson_view *v, int button)
{
    switch (button) {
    case LESSON_BUTTON_QUIZ:
        return lesson_quiz_begin(v);
    case LESSON_BUTTON_ON:
        if (v->quiz)
            return lesson_quiz_next(v);
        lesson_open(v, next_entry(v));
        return true;
    case LESSON_BUTTON_LEAVE:
        return lesson_quiz_leave(v);
    default:
        return lesson_gallery_show(v);
    }
}

bool lesson_buttons_press(lesson_view *v, float x, float y)
{
    for (int i = 0; i < LESSON_BUTTONS; i++)
        if (viz_inside(v->buttons[i], x, y))
            return press_button(v, i);
    return false;
}

/* ---------------------------------------------------------------- the end */

bool lesson_end(lesson_view *v)
{
    v->ends = true;
    lesson_finish(v);
    for (int i = 0; i < 2; i++)
        v->cards[i] = (lesson_card){.chosen = -1};
    if (v->knows_asks)
        lesson_end_ask(v);
    else
        lesson_want_asks(v);
    return true;
}

void lesson_end_ask(lesson_view *v)
{
    sac_asked asked[LESSON_SHEET];
    int count = v->lesson.ask
                    ? v->lesson.ask(v->lesson.self, (uint64_t)lesson_entry(v), asked, LESSON_SHEET)
                    : 0,
        found = 0;
    v->cards[0].asked = v->cards[1].asked = NULL;
    for (int i = count; i-- > 0 && found < 2;)
        if (sac_asks_choice(asked[i].question->kind))
            v->last[1 - found++] = asked[i];
    for (int i = 0; i < found; i++)
        v->cards[i].asked = &v->last[i + 2 - found];
}

/* Of the whole, or of the quiz: "3 of 5 right" and a mark for each. */
static void draw_heading(const lesson_view *v, viz_canvas *canvas, float x, float y, float size)
{
    const viz_theme *theme = canvas->theme;
    char text[64];
    if (!v->scored) {
        lesson_verdict_draw(canvas, x + 0.6f * size, y - 0.35f * size, 0.6f * size, true);
        viz_text(canvas, VIZ_SANS, size, x + 1.7f * size, y, VIZ_LEFT, theme->text,
                 lesson_text(v, "You have gone through this lesson."));
        return;
    }
    snprintf(text, sizeof text, lesson_text(v, "%d of %d right"), v->right_count, v->scored);
    x += viz_text(canvas, VIZ_SANS, size, x, y, VIZ_LEFT, theme->text, text) + size;
    for (int i = 0; i < v->scored; i++, x += 1.4f * size)
        lesson_verdict_draw(canvas, x + 0.5f * size, y - 0.35f * size, 0.5f * size, v->results[i]);
}

/* The first `count` of them; returns where they end. */
static float lay_cards(lesson_view *v, const viz_canvas *canvas, viz_rect area, float y, float size,
                       int count)
{
    bool beside = area.w >= CARDS_BESIDE && count == 2;
    float gap = 2 * size, w = beside ? (area.w - gap) / 2 : fminf(area.w, 50 * size), bottom = y;
    for (int i = 0; i < count; i++) {
        float x = area.x + (beside ? (float)i * (w + gap) : 0), top = beside ? y : bottom;
        float h = lesson_card_lay(v, canvas, &v->cards[i], x, top, w, size);
        bottom = fmaxf(bottom, top + h + 0.5f * size);
    }
    return bottom;
}

/* As many as there is room for above the buttons; returns where those stand. */
static float draw_cards(lesson_view *v, viz_canvas *canvas, viz_rect area, float y, float size)
{
    float most = area.y + area.h - BUTTON_HEIGHT - 8, bottom = y;
    int count = 2;
    while (count > 0 && (!v->cards[count - 1].asked ||
                         (bottom = lay_cards(v, canvas, area, y, size, count)) > most))
        count--;
    for (int i = 0; i < 2; i++) {
        if (i < count)
            lesson_card_draw(v, canvas, &v->cards[i]);
        else
            memset(v->cards[i].items, 0, sizeof v->cards[i].items);
    }
    return count ? bottom : y;
}

/* `area` is what the head leaves. */
void lesson_end_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    float unit = v->layout.unit, size = fmaxf(12, CARD * fminf(unit, 1.3f));
    float y = area.y + fmaxf(14, HEADING * unit);
    draw_heading(v, canvas, area.x, y, fmaxf(14, HEADING * unit));
    y = draw_cards(v, canvas, area, y + (area.h < LESSON_LOW_PAGE ? 1.1f : 2) * size, size) +
        0.4f * size;
    int entry = next_entry(v);
    char text[160], fit[160];
    float x = lesson_button_draw(v, canvas, LESSON_BUTTON_QUIZ, area.x, y,
                                 lesson_text(v, v->scored ? "Another quiz" : "Quiz: 5 questions"),
                                 !v->scored) +
              12;
    if (entry >= 0) {
        snprintf(text, sizeof text, lesson_text(v, "Next: %s  ›"),
                 lesson_text(v, v->source->lesson.entries[entry].title));
        viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, area.x + area.w - x - 160, text, fit, sizeof fit);
        x = lesson_button_draw(v, canvas, LESSON_BUTTON_ON, x, y, fit, v->scored) + 12;
    }
    lesson_button_draw(v, canvas, LESSON_BUTTON_LIST, x, y, lesson_text(v, "All lessons"), false);
}

bool lesson_end_press(lesson_view *v, float x, float y)
{
    for (int i = 0; i < 2; i++)
        if (lesson_card_press(v, &v->cards[i], x, y))
            return true;
    return false;
}

/* Return presses what is lit. */
bool lesson_end_key(lesson_view *v)
{
    bool on = v->scored && next_entry(v) >= 0;
    return press_button(v, on          ? LESSON_BUTTON_ON
                           : v->scored ? LESSON_BUTTON_LIST
                                       : LESSON_BUTTON_QUIZ);
}

void lesson_buttons_spots(const lesson_view *v, viz_spots *spots)
{
    const char *tips[] = {[LESSON_BUTTON_QUIZ] = "Five questions about this lesson, with a score.",
                          [LESSON_BUTTON_ON] =
                              v->quiz ? "The next question (Return)." : "The next lesson (Return).",
                          [LESSON_BUTTON_LEAVE] = "Back to the lesson.",
                          [LESSON_BUTTON_LIST] = "Back to all lessons (F)."};
    for (int i = 0; i < LESSON_BUTTONS; i++)
        viz_spots_add(spots, v->buttons[i], VIZ_SPOT_PRESSES, tips[i]);
}

void lesson_end_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; i < 2; i++)
        lesson_card_spots(&v->cards[i], spots);
}
