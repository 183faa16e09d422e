/* The bar by which a number is guessed: dragged from the least to the largest number that the array
 * may hold; answered, it shows how far that was from the number itself. */
#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"

/* Of the page's width, beside the line that tells what to do. */
#define BEGINS 0.56f

/* 1, 2 or 5 with zeros, above the number: an end that does not give it away. */
static float round_above(float most)
{
    static const float ends[] = {1, 2, 5, 10};
    float power = powf(10, floorf(log10f(most)));
    int i = 0;
    while (i < 3 && ends[i] * power < 1.05f * most)
        i++;
    return ends[i] * power;
}

/* A bar goes from 0, or from the negative of its end where numbers are negative; shares end at 1.
 */
static void range_of(const lesson_view *v, float *low, float *high)
{
    const sac_shown_array *array = lesson_array(v, v->asked.question->array);
    size_t count = array->batch * array->rows * array->columns;
    bool negative = false;
    for (size_t i = 0; i < count; i++)
        negative |= array->numbers[i] < 0;
    float most = lesson_heat_of(array, v->map).most;
    *high = array->shares || most <= 0 ? 1 : round_above(most);
    *low = negative ? -*high : 0;
}

static bool asks_number(const lesson_view *v)
{
    return v->quiz && v->has_question && !v->figure && v->step == v->asked.question->step &&
           v->asked.question->kind == SAC_ASK_VALUE;
}

void lesson_bar_lay(lesson_view *v)
{
    lesson_layout *l = &v->layout;
    bool shown = asks_number(v) && (!v->answered || v->by_bar);
    float x = l->area.x + BEGINS * l->area.w, size = l->notice;
    float y = l->answer_y - 0.9f * size, w = l->area.x + l->area.w - x;
    l->bar = shown ? (viz_rect){x, y, w, 1.1f * size} : (viz_rect){0};
}

static float place(const lesson_view *v, float value)
{
    float low, high;
    range_of(v, &low, &high);
    float share = (value - low) / (high - low);
    return v->layout.bar.x + v->layout.bar.w * fminf(fmaxf(share, 0), 1);
}

void lesson_bar_draw(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.bar;
    float zero, end, low, high, size = v->layout.label;
    char text[32];
    if (r.w <= 0)
        return;
    range_of(v, &low, &high);
    viz_text(canvas, VIZ_MONO, size, r.x, r.y - 0.5f * size, VIZ_LEFT, theme->text2,
             viz_number(low, text, sizeof text));
    viz_text(canvas, VIZ_MONO, size, r.x + r.w, r.y - 0.5f * size, VIZ_RIGHT, theme->text2,
             viz_number(high, text, sizeof text));
    viz_fill_round(canvas, r, 4, theme->line);
    zero = place(v, 0);
    end = place(v, v->said);
    if (v->by_bar)
        viz_fill(canvas, (viz_rect){fminf(zero, end), r.y, fabsf(end - zero), r.h},
                 v->answered ? theme->text2 : theme->accent);
    viz_line(canvas, zero, r.y - 3, zero, r.y + r.h + 3, 1.5f, theme->text2);
    if (v->answered) {
        float is = place(v, v->asked.answer);
        viz_line(canvas, is, r.y - 4, is, r.y + r.h + 4, 4, theme->accent);
    }
}

/* Three digits of the range are more than a hand can drag. */
static bool drag_to(lesson_view *v, float x)
{
    float low, high;
    range_of(v, &low, &high);
    float share = fminf(fmaxf((x - v->layout.bar.x) / v->layout.bar.w, 0), 1);
    float unit = powf(10, floorf(log10f(high)) - 2);
    v->said = unit * rintf((low + share * (high - low)) / unit);
    v->by_bar = true;
    snprintf(v->typed, sizeof v->typed, "%.3g", (double)v->said);
    return true;
}

bool lesson_bar_event(lesson_view *v, const viz_event *e)
{
    viz_rect r = v->layout.bar;
    viz_rect wide = {r.x - 6, r.y - 8, r.w + 12, r.h + 16};
    if (!lesson_asks(v) || r.w <= 0)
        return v->bar_held = false;
    if (e->kind == VIZ_PRESS && e->button == 1 && viz_inside(wide, e->x, e->y)) {
        v->bar_held = true;
        return drag_to(v, e->x);
    }
    if (e->kind == VIZ_MOVE && v->bar_held)
        return drag_to(v, e->x);
    if (e->kind != VIZ_RELEASE || !v->bar_held)
        return false;
    v->bar_held = false;
    v->answered = true;
    return true;
}

bool lesson_bar_is_close(const lesson_view *v)
{
    float low, high;
    range_of(v, &low, &high);
    return v->by_bar && fabsf(v->said - v->asked.answer) <= 0.025f * (high - low);
}
