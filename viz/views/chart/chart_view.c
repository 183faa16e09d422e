/* Curves over an axis: shares from 0 to 1, each curve named where it ends. */
#include "chart/chart_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "parts/figures/plot.h"
#include "view/settings.h"

#define TITLE_ROOM 48.0f
#define NUMBERS_ROOM 52.0f /* left of the axis */
#define STEPS_ROOM 52.0f   /* below it */
#define LEGEND_LINE 22.0f

typedef struct chart_view {
    viz_view base;
    sac_source none; /* stands for what the view shows */
    viz_chart chart;
    viz_rect plot; /* as drawn last */
} chart_view;

static float pixel_x(const chart_view *v, float x)
{
    return viz_axis_x(&(viz_axis){v->chart.low, v->chart.high, false}, v->plot, x);
}

static float pixel_y(const chart_view *v, float share)
{
    return viz_axis_y(&(viz_axis){0, 1, false}, v->plot, share);
}

static viz_color curve_color(const viz_theme *theme, int curve)
{
    const viz_color colors[VIZ_CHART_CURVES] = {theme->accent, theme->text2, theme->text,
                                                theme->faint};
    return colors[curve];
}

static void draw_mark(const chart_view *v, viz_canvas *canvas)
{
    if (!(v->chart.mark > v->chart.low && v->chart.mark < v->chart.high))
        return;
    float x = floorf(pixel_x(v, v->chart.mark));
    for (float y = v->plot.y; y < v->plot.y + v->plot.h; y += 8)
        viz_fill(canvas, (viz_rect){x, y, 1, 4}, canvas->theme->faint);
    /* Its name stands above the plot, where it covers no curve, and within it. */
    float half = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, v->chart.mark_name) / 2;
    float middle = fmaxf(fminf(x, v->plot.x + v->plot.w - half), v->plot.x + half);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, middle, v->plot.y - 10, VIZ_CENTER, canvas->theme->text2,
             v->chart.mark_name);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    chart_view *v = (chart_view *)view;
    float left = area.x + VIZ_MARGIN, top = area.y + TITLE_ROOM + LEGEND_LINE + 16;
    v->plot = (viz_rect){left + NUMBERS_ROOM, top, area.w - 2 * VIZ_MARGIN - NUMBERS_ROOM - 8,
                         fmaxf(area.y + area.h - STEPS_ROOM - top, 1)};
    viz_text_within(canvas, VIZ_SANS, 18, left, area.y + 32, area.w - 2 * VIZ_MARGIN, VIZ_LEFT,
                    canvas->theme->text, v->chart.title);
    viz_text_up(canvas, VIZ_SANS, VIZ_LABEL, left + 6,
                v->plot.y +
                    (v->plot.h + viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, v->chart.y_name)) / 2,
                canvas->theme->text2, v->chart.y_name);
    char text[16];
    for (int i = 0; i <= 4; i++) {
        float y = pixel_y(v, (float)i / 4);
        viz_fill(canvas, (viz_rect){v->plot.x, floorf(y), v->plot.w, 1}, canvas->theme->line);
        snprintf(text, sizeof text, "%.2f", (double)i / 4);
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, v->plot.x - 10, y + 4, VIZ_RIGHT,
                 canvas->theme->text2, text);
    }
    /* Every whole number, or every other one where those would crowd. */
    float room = v->plot.w / fmaxf(v->chart.high - v->chart.low, 1);
    int step = room > 26 ? 1 : room > 13 ? 2 : 5, first = (int)ceilf(v->chart.low);
    for (int x = first + (step - first % step) % step; (float)x <= v->chart.high; x += step) {
        snprintf(text, sizeof text, "%d", x);
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, pixel_x(v, (float)x), v->plot.y + v->plot.h + 20,
                 VIZ_CENTER, canvas->theme->text2, text);
    }
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->plot.x + v->plot.w / 2, v->plot.y + v->plot.h + 42,
             VIZ_CENTER, canvas->theme->text2, v->chart.x_name);
    draw_mark(v, canvas);
    float x = v->plot.x, y = area.y + TITLE_ROOM + 8;
    for (int i = 0; i < v->chart.curve_count; i++) {
        viz_color color = curve_color(canvas->theme, i);
        viz_line(canvas, x, y, x + 22, y, 2, color);
        viz_disc(canvas, x + 11, y, 3.5f, color);
        x += 30 + viz_text(canvas, VIZ_SANS, VIZ_LABEL, x + 30, y + 4, VIZ_LEFT,
                           canvas->theme->text, v->chart.curve[i].name);
        x += 28;
    }
    for (int i = v->chart.curve_count - 1; i >= 0; i--) {
        const viz_chart_curve *c = &v->chart.curve[i];
        viz_color color = curve_color(canvas->theme, i);
        for (int k = 1; k < c->count; k++)
            viz_line(canvas, pixel_x(v, c->x[k - 1]), pixel_y(v, c->y[k - 1]), pixel_x(v, c->x[k]),
                     pixel_y(v, c->y[k]), 2, color);
        for (int k = 0; k < c->count; k++)
            viz_disc(canvas, pixel_x(v, c->x[k]), pixel_y(v, c->y[k]), 3.5f, color);
    }
}

/* ---------------------------------------------------------------- the class */

static const viz_setting settings[] = {
    {"title", VIZ_TEXT, offsetof(chart_view, chart.title)},
    VIZ_VERSION_SETTING,
    {0},
};

static void status(const viz_view *view, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const chart_view *)view)->chart.status);
}

static void destroy(viz_view *view)
{
    free(view);
}

const viz_view_class viz_chart_class = {
    .name = "chart",
    .tab = "Chart",
    .draw = draw,
    .status = status,
    .settings = {settings},
    .figure = draw,
    .destroy = destroy,
};

sac_status viz_chart_view_create(const viz_chart *chart, viz_view **view, sac_error *error)
{
    chart_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, "chart");
    v->chart = *chart;
    v->base = (viz_view){.class = &viz_chart_class, .source = &v->none, .figure = true};
    *view = &v->base;
    return SAC_OK;
}
