/* Ticks at round times, as many as can be read, and a mark in the accent's colour. */
#include "parts/figures/seconds.h"

#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "view/words.h"

#define TICK 5.0f
#define APART 56.0f /* from number to number, at least */
#define MARK 3.0f

static void draw_tick(viz_canvas *canvas, viz_rect axis, float x)
{
    viz_fill(canvas, (viz_rect){fminf(roundf(x), axis.x + axis.w - 1), axis.y, 1, TICK},
             canvas->theme->text2);
}

void viz_seconds_draw(viz_canvas *canvas, viz_rect axis, float from, float seconds, float at,
                      float until)
{
    const viz_theme *theme = canvas->theme;
    if (!(axis.w > 0) || !(seconds > 0))
        return;
    /* 0.1, 0.2, 0.5, 1, 2 … s, of which the first that fits is taken. */
    float least = APART * seconds / axis.w, step = 0.1f;
    for (int i = 0; step < least; i++)
        step *= i % 3 == 1 ? 2.5f : 2;
    float right = axis.x + axis.w;
    int first = (int)floorf(from / step + 1e-3f) + 1;
    int last = (int)floorf((from + seconds) / step + 1e-3f);
    char text[48]; /* the first stands at the edge, not below the tick */
    snprintf(text, sizeof text, viz_word("%g s"), (double)roundf(from * 100) / 100);
    draw_tick(canvas, axis, axis.x);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, axis.x, axis.y + 18, VIZ_LEFT, theme->text2, text);
    float taken = axis.x + viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, text);
    for (int i = first; i <= last; i++) {
        float time = (float)i * step, x = axis.x + axis.w * fminf((time - from) / seconds, 1);
        snprintf(text, sizeof text, "%g", (double)roundf(time * 10) / 10);
        draw_tick(canvas, axis, x);
        float half = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, text) / 2;
        if (x - half > taken && x + half <= right)
            viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, axis.y + 18, VIZ_CENTER, theme->text2, text);
    }
    if (at >= from && at <= from + seconds) {
        const float x = axis.x + axis.w * (at - from) / seconds;
        viz_seconds_mark(canvas, axis, from, seconds, at, until);
        viz_fill(canvas, (viz_rect){fminf(roundf(x), right - MARK), axis.y, MARK, TICK + 3},
                 theme->accent);
    }
}

void viz_seconds_mark(viz_canvas *canvas, viz_rect axis, float from, float seconds, float at,
                      float until)
{
    const float left = roundf(axis.x + axis.w * fmaxf(at - from, 0) / seconds);
    const float right = roundf(axis.x + axis.w * fminf((until - from) / seconds, 1));
    if (seconds > 0 && right > left)
        viz_fill(canvas, (viz_rect){left, axis.y, right - left, MARK}, canvas->theme->accent);
}
