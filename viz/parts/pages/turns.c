#include "parts/pages/turns.h"

#include <stdio.h>

#include "canvas/text.h"

void viz_turns_lay(viz_turns *t, const viz_canvas *canvas, float x, float y, float width, float gap)
{
    float widths[VIZ_TURNS], total = -gap;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        widths[i] = viz_text_width(canvas, VIZ_SANS, t->size, t->names[i]);
        total += widths[i] + gap;
    }
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        bool shown = total <= width || i == t->current;
        t->items[i] = shown ? (viz_rect){x, y, widths[i], 1.7f * t->size} : (viz_rect){0};
        x += total <= width ? widths[i] + gap : 0;
    }
}

void viz_turns_draw(const viz_turns *t, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++) {
        viz_rect r = t->items[i];
        bool current = i == t->current;
        if (r.w <= 0)
            continue;
        viz_text(canvas, VIZ_SANS, t->size, r.x, r.y + 1.1f * t->size, VIZ_LEFT,
                 current ? theme->accent : theme->text2, t->names[i]);
        if (current)
            viz_fill(canvas, (viz_rect){r.x, r.y + r.h - 2, r.w, 2}, theme->accent);
    }
}

static viz_rect draw_turn(viz_canvas *canvas, float x, float y, const char *format,
                          const char *name, viz_color color)
{
    char text[96];
    snprintf(text, sizeof text, format[0] == '<' ? "‹ %s" : "%s ›", name);
    float w = viz_text(canvas, VIZ_SANS, VIZ_BODY, x, y + 20, VIZ_LEFT, color, text);
    return (viz_rect){x - 8, y, w + 16, 30};
}

float viz_turns_draw_foot(viz_turns *t, viz_canvas *canvas, viz_rect foot, float margin)
{
    const viz_theme *theme = canvas->theme;
    float x = foot.x + margin, y = foot.y + 8;
    viz_fill(canvas, (viz_rect){foot.x, foot.y, foot.w, 1}, theme->line);
    t->back = t->on = (viz_rect){0};
    if (t->current > 0 && t->current < t->count) {
        t->back = draw_turn(canvas, x, y, "<", t->names[t->current - 1], theme->text2);
        x = t->back.x + t->back.w + 16;
    }
    if (t->current + 1 < t->count) {
        t->on = draw_turn(canvas, x, y, ">", t->names[t->current + 1], theme->text);
        x = t->on.x + t->on.w;
    }
    return x;
}

/* A name answers a little beside itself; empty where it is not shown. */
static viz_rect reach(const viz_turns *t, int step)
{
    viz_rect r = t->items[step];
    return r.w > 0 ? (viz_rect){r.x - 8, r.y - 4, r.w + 16, r.h + 8} : r;
}

int viz_turns_hit(const viz_turns *t, float x, float y)
{
    if (viz_inside(t->back, x, y))
        return t->current - 1;
    if (viz_inside(t->on, x, y))
        return t->current + 1;
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++)
        if (viz_inside(reach(t, i), x, y))
            return i;
    return -1;
}

void viz_turns_spots(const viz_turns *t, viz_spots *spots)
{
    for (int i = 0; i < t->count && i < VIZ_TURNS; i++)
        viz_spots_add(spots, reach(t, i), VIZ_SPOT_PRESSES, "Go to this step.");
    viz_spots_add(spots, t->back, VIZ_SPOT_PRESSES, "The step before.");
    viz_spots_add(spots, t->on, VIZ_SPOT_PRESSES, "The next step.");
}
