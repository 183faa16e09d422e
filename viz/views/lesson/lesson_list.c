/* The list of lessons, to be chosen from by pointer or keys. */
#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/steps.h"

#define TITLE 28.0f
#define NAME 16.0f
#define SUMMARY 13.0f
#define ROW 52.0f       /* the height of a row, at most */
#define LEAST_ROW 40.0f /* below it there is no summary */
#define COLUMN 420.0f   /* so wide at least, where two stand beside each other */

static const sac_text heading = SAC_TEXT_IN("Lessons on attention", "注意力课程");

static int row_count(const lesson_view *v)
{
    int count = v->source->lesson.entry_count;
    return v->list_area.w >= 2 * COLUMN || v->list_area.h < 360 ? (count + 1) / 2 : count;
}

static viz_rect row_at(const lesson_view *v, int index)
{
    int rows = row_count(v), columns = rows < v->source->lesson.entry_count ? 2 : 1;
    float gap = 24, w = (v->list_area.w - (float)(columns - 1) * gap) / (float)columns;
    float h = fminf(v->list_area.h / (float)(rows > 0 ? rows : 1), ROW);
    return (viz_rect){v->list_area.x + (float)(index / rows) * (w + gap),
                      v->list_area.y + (float)(index % rows) * h, w, h};
}

static void draw_row(const lesson_view *v, viz_canvas *canvas, int index)
{
    const viz_theme *theme = canvas->theme;
    const sac_lesson_entry *entry = &v->source->lesson.entries[index];
    viz_rect r = row_at(v, index);
    bool summary = r.h >= LEAST_ROW;
    float y = r.y + (summary ? 20 : r.h / 2 + 5);
    float name = fminf(NAME, 0.62f * r.h), room = r.w - 44;
    char number[16], fit[256];
    if (index == v->marked)
        viz_fill_round(canvas, (viz_rect){r.x - 12, r.y, r.w + 12, r.h - 4}, 6, theme->panel);
    snprintf(number, sizeof number, "%d", index + 1);
    viz_text(canvas, VIZ_MONO, fminf(SUMMARY, name), r.x + 20, y, VIZ_RIGHT, theme->text2, number);
    viz_text_fit(canvas, VIZ_SANS, name, room, lesson_text(v, entry->title), fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, name, r.x + 36, y, VIZ_LEFT, theme->text, fit);
    if (!summary)
        return;
    viz_text_fit(canvas, VIZ_SANS, SUMMARY, room, lesson_text(v, entry->summary), fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, SUMMARY, r.x + 36, y + 19, VIZ_LEFT, theme->text2, fit);
}

void lesson_list_draw(lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    float margin = viz_page_margin(area), unit = fminf(fmaxf(area.h / 756, 0.5f), 1);
    float y = area.y + 20 * unit + TITLE * unit;
    v->list_area = (viz_rect){area.x + margin, y + 22 * unit, area.w - 2 * margin,
                              area.y + area.h - y - 44 * unit};
    viz_text(canvas, VIZ_SANS_BOLD, fmaxf(TITLE * unit, 14), v->list_area.x, y, VIZ_LEFT,
             canvas->theme->text, lesson_text(v, heading));
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        draw_row(v, canvas, i);
}

static bool mark(lesson_view *v, int index)
{
    int last = v->source->lesson.entry_count - 1, before = v->marked;
    v->marked = index < 0 ? 0 : index > last ? last : index;
    return v->marked != before;
}

static int row_under(const lesson_view *v, float x, float y)
{
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        if (viz_inside(row_at(v, i), x, y))
            return i;
    return -1;
}

static bool press_key(lesson_view *v, int key)
{
    switch (key) {
    case VIZ_KEY_UP:
    case VIZ_KEY_LEFT:
    case VIZ_KEY_PAGE_UP:
        return mark(v, v->marked - 1);
    case VIZ_KEY_DOWN:
    case VIZ_KEY_RIGHT:
    case VIZ_KEY_PAGE_DOWN:
        return mark(v, v->marked + 1);
    case VIZ_KEY_HOME:
        return mark(v, 0);
    case VIZ_KEY_END:
        return mark(v, v->source->lesson.entry_count - 1);
    case VIZ_KEY_RETURN:
    case ' ':
        lesson_open(v, v->marked);
        return true;
    default:
        return false;
    }
}

bool lesson_list_event(lesson_view *v, const viz_event *e)
{
    int row = e->kind == VIZ_PRESS || e->kind == VIZ_MOVE ? row_under(v, e->x, e->y) : -1;
    if (e->kind == VIZ_KEY)
        return !e->ctrl && press_key(v, e->key);
    if (e->kind == VIZ_PRESS && e->button == 1 && row >= 0)
        lesson_open(v, row);
    else if (e->kind == VIZ_MOVE && row >= 0)
        return mark(v, row);
    return e->kind == VIZ_PRESS && row >= 0;
}

void lesson_list_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        viz_spots_add(spots, row_at(v, i), VIZ_SPOT_PRESSES, "Opens this lesson.");
}
