/* Ticks at round times, as many as can be read, and a mark in the accent's colour. */
#include "parts/figures/seconds.h"

#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "view/words.h"

#define TICK 5.0f
#define APART 56.0f /* from number to number, at least */
#define MARK 3.0f

/* 0.1, 0.2, 0.5, 1, 2 … s, of which the first is told. */
static float step_of(float seconds, float width)
{
    float least = APART * seconds / width, step = 0.1f;
    for (int i = 0; step < least; i++)
        step *= i % 3 == 1 ? 2.5f : 2;
    return step;
}

void viz_seconds_draw(viz_canvas *canvas, viz_rect axis, float seconds, float at)
{
    const viz_theme *theme = canvas->theme;
    if (!(axis.w > 0) || !(seconds > 0))
        return;
    float step = step_of(seconds, axis.w), right = axis.x + axis.w;
    int ticks = (int)floorf(seconds / step + 1e-3f);
    for (int i = 0; i <= ticks; i++) {
        float time = (float)i * step, x = axis.x + axis.w * fminf(time / seconds, 1);
        char text[48];
        snprintf(text, sizeof text, i ? "%g" : viz_word("%g s"), (double)roundf(time * 10) / 10);
        viz_fill(canvas, (viz_rect){fminf(roundf(x), right - 1), axis.y, 1, TICK}, theme->text2);
        float half = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, text) / 2;
        if (i == 0 || x + half <= right) /* the first stands at the edge, not below the tick */
            viz_text(canvas, VIZ_MONO, VIZ_LABEL, i ? x : axis.x, axis.y + 18,
                     i ? VIZ_CENTER : VIZ_LEFT, theme->text2, text);
    }
    if (at >= 0 && at <= seconds) {
        float x = axis.x + axis.w * at / seconds;
        viz_fill(canvas, (viz_rect){fminf(roundf(x), right - MARK), axis.y, MARK, TICK + 3},
                 theme->accent);
    }
}
