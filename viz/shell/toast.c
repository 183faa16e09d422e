#include "shell/toast.h"

#include <math.h>
#include <stdio.h>

#include "parts/controls/widgets.h"

#define WIDEST 900.0f
#define LINE 18.0f
#define LEFT 24.0f /* from the edge to the text */
#define RIGHT 14.0f
#define PADDING 3.0f

static float room(const viz_canvas *canvas)
{
    return fminf(viz_width(canvas) - 2 * VIZ_MARGIN, WIDEST) - LEFT - RIGHT;
}

/* Draws the lines of one text from y on, or with no `color` only measures them: *widest grows.
 * Returns their height. */
static float lines(viz_canvas *draws, const viz_canvas *canvas, float x, float y, const char *text,
                   const viz_color *color, float *widest)
{
    char part[1200];
    float height = 0;
    while (*text) {
        size_t length = viz_text_line(canvas, VIZ_SANS, VIZ_LABEL, room(canvas), text);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        *widest = fmaxf(*widest, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, part));
        if (draws)
            viz_text(draws, VIZ_SANS, VIZ_LABEL, x, y + height + 13, VIZ_LEFT, *color, part);
        height += LINE;
        text += length + (text[length] == ' ');
    }
    return height;
}

viz_rect viz_toast_layout(const viz_canvas *canvas, float bottom, const viz_toast *toast)
{
    float widest = 0, height = 2 * PADDING;
    for (int i = 0; i < VIZ_TOAST_TEXTS && toast->texts[i]; i++)
        height += lines(NULL, canvas, 0, 0, toast->texts[i], NULL, &widest);
    float w = widest + LEFT + RIGHT;
    return (viz_rect){VIZ_MARGIN - 2, bottom - height, w, height};
}

viz_rect viz_toast_text(const viz_canvas *canvas, float bottom, const viz_toast *toast, int index)
{
    viz_rect r = viz_toast_layout(canvas, bottom, toast);
    float widest = 0, top = r.y + PADDING;
    for (int i = 0; i < index; i++)
        top += lines(NULL, canvas, 0, 0, toast->texts[i], NULL, &widest);
    return (viz_rect){r.x, top, r.w, lines(NULL, canvas, 0, 0, toast->texts[index], NULL, &widest)};
}

void viz_toast_draw(viz_canvas *canvas, float bottom, const viz_toast *toast)
{
    const viz_theme *theme = canvas->theme;
    float widest = 0;
    viz_rect r = viz_toast_layout(canvas, bottom, toast);
    viz_fill_round(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, 7, theme->faint);
    viz_fill_round(canvas, r, 6, theme->panel);
    float y = r.y + PADDING;
    for (int i = 0; i < VIZ_TOAST_TEXTS && toast->texts[i]; i++) {
        viz_disc(canvas, r.x + 13, y + 9, 3, theme->accent);
        y += lines(canvas, canvas, r.x + LEFT, y, toast->texts[i], &theme->text, &widest);
    }
}
