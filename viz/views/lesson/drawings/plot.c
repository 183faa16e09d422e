/* Panels with axes: curves, areas, points, bars, arrows from the origin, rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"
#include "parts/figures/lines.h"

#define LINE 1.6f /* heights, in sizes of the text */
#define LEGEND                                                                                     \
    2.0f /* the last line above a frame, with space for half a number of the axis below it */
#define NUMBERS 1.5f     /* from an axis down to the line of its numbers, clear of a handle … */
#define BELOW 1.8f       /* … and to the end of these */
#define TICKS 7.0f       /* about so many numbers along an axis … */
#define TICK_WIDTH 70.0f /* … with so much space for each */
#define TICK_HEIGHT 32.0f
#define PAD 0.06f        /* of the numbers' range, beyond them */
#define NUMBER_PAD 0.16f /* above bars, for their numbers */
#define MOST_PLACED 48   /* names in a panel, which keep off each other */
#define MOST_NUMBERS 12  /* bars that have their numbers above them */
#define LEAST_PANEL 9.0f /* sizes of the text: a panel's height, or width */
#define ARROW_AWAY 12.0f /* from the end of an arrow to its name */
#define POINT 4.0f
#define MOST_POINT 11.0f
#define THIN_ARROW 1.5f  /* from the smallest weight … */
#define THICK_ARROW 6.5f /* … to the largest */

/* ---------------------------------------------------------------- numbers of a mark */

static const sac_shown_array *array_of(const lesson_view *v, sac_node node)
{
    return lesson_array(v, node);
}

/* Points along a mark, and lines of them. */
static size_t points_of(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *y = array_of(v, mark->y);
    if (mark->kind == SAC_MARK_ARROWS)
        return lesson_count(v, mark->y) / 2;
    return y->columns > 1 ? y->columns : y->rows;
}

static size_t lines_of(const lesson_view *v, const sac_drawing_mark *mark)
{
    return mark->y && mark->kind != SAC_MARK_ARROWS ? lesson_count(v, mark->y) / points_of(v, mark)
                                                    : 1;
}

static float x_of(const lesson_view *v, const sac_drawing_mark *mark, size_t point)
{
    if (mark->kind == SAC_MARK_ARROWS)
        return array_of(v, mark->y)->numbers[2 * point];
    return mark->x ? array_of(v, mark->x)->numbers[point] : (float)point;
}

static float y_of(const lesson_view *v, const sac_drawing_mark *mark, size_t line, size_t point)
{
    const float *numbers = array_of(v, mark->y)->numbers;
    if (mark->kind == SAC_MARK_ARROWS)
        return numbers[2 * point + 1];
    return numbers[line * points_of(v, mark) + point];
}

static bool is_shown(const lesson_view *v, const sac_drawing_mark *mark, int panel)
{
    return mark->panel == panel && lesson_is_now(v, mark->since, mark->before);
}

/* ---------------------------------------------------------------- axes */

typedef struct range {
    float low, high;
    bool bars; /* they stand on it */
} range;

static void widen(range *r, float value)
{
    if (!isfinite(value))
        return;
    r->low = fminf(r->low, value);
    r->high = fmaxf(r->high, value);
}

/* Of the marks of all steps, so that axes stay while a person turns them. */
static void find_ranges(const lesson_view *v, const sac_lesson_drawing *d, int panel, range *x,
                        range *y)
{
    *x = *y = (range){.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < d->mark_count; i++) {
        const sac_drawing_mark *mark = &d->marks[i];
        bool rule = mark->kind == SAC_MARK_RULE, bars = mark->kind == SAC_MARK_BARS;
        if (mark->panel != panel || rule)
            continue;
        size_t points = points_of(v, mark);
        for (size_t p = 0; p < points; p++) {
            widen(x, x_of(v, mark, p));
            for (size_t line = 0; line < lines_of(v, mark); line++)
                widen(y, y_of(v, mark, line, p));
        }
        if (bars || mark->kind == SAC_MARK_AREA || mark->kind == SAC_MARK_ARROWS)
            widen(y, 0);
        if (mark->kind == SAC_MARK_ARROWS)
            widen(x, 0);
        x->bars |= bars;
    }
}

/* Bars have their numbers above them where they are few and alone. */
static bool numbers_bars(const lesson_view *v, const sac_lesson_drawing *d, int panel)
{
    bool any = false;
    for (int i = 0; i < d->mark_count; i++) {
        const sac_drawing_mark *mark = &d->marks[i];
        if (mark->panel != panel || mark->kind == SAC_MARK_RULE)
            continue;
        if (mark->kind != SAC_MARK_BARS || points_of(v, mark) > MOST_NUMBERS)
            return false;
        any = true;
    }
    return any;
}

static void end_axis(range *r, float low, float high, bool by_ratio, bool numbered)
{
    if (low != 0 || high != 0) {
        r->low = low;
        r->high = high;
        return;
    }
    if (!(r->high >= r->low))
        *r = (range){.low = 0, .high = 1};
    if (by_ratio)
        return;
    float wide = r->high > r->low ? r->high - r->low : 1;
    r->high += r->high == 0 && !r->bars ? 0 : (numbered ? NUMBER_PAD : PAD) * wide;
    r->low -= r->low == 0 ? 0 : (numbered && r->low < 0 ? NUMBER_PAD : PAD) * wide;
    if (r->bars) {
        r->low = fminf(r->low, -0.6f);
        r->high += 0.6f - PAD * wide;
    }
}

static float along(float low, float high, bool by_ratio, float value)
{
    if (by_ratio)
        return (logf(fmaxf(value, 1e-30f)) - logf(low)) / (logf(high) - logf(low));
    return (value - low) / (high - low);
}

static float backwards(float low, float high, bool by_ratio, float share)
{
    share = fminf(fmaxf(share, 0), 1);
    return by_ratio ? expf(logf(low) + share * (logf(high) - logf(low)))
                    : low + share * (high - low);
}

static float place_x(const lesson_panel *p, const sac_drawing_panel *panel, float x)
{
    return p->frame.x + p->frame.w * along(p->x_low, p->x_high, panel->x_by_ratio, x);
}

static float place_y(const lesson_panel *p, const sac_drawing_panel *panel, float y)
{
    return p->frame.y + p->frame.h * (1 - along(p->y_low, p->y_high, panel->y_by_ratio, y));
}

/* ---------------------------------------------------------------- layout */

static void draw_sample(viz_canvas *canvas, const sac_drawing_mark *mark, float x, float middle,
                        float text)
{
    viz_color ink = lesson_ink(canvas->theme, mark->ink);
    if (mark->kind == SAC_MARK_POINTS)
        viz_disc(canvas, x + 0.5f * text, middle, POINT, ink);
    else if (mark->kind == SAC_MARK_BARS || mark->kind == SAC_MARK_AREA)
        viz_fill(canvas, (viz_rect){x, middle - 0.4f * text, text, 0.8f * text}, ink);
    else
        viz_line(canvas, x, middle, x + text, middle, 2.5f, ink);
}

/* The title, the name of the upright axis and those of the marks, each with a sample of its ink, from
 * left to right and line by line; drawn on `paint`, if there is one. Returns how many lines there are. */
static int flow_head(const lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d,
                     int panel, viz_canvas *paint)
{
    const sac_drawing_panel *names = &d->panels[panel];
    const lesson_panel *p = &v->layout.drawing.panels[panel];
    float text = v->layout.drawing.text, x = p->rect.x, y = p->rect.y + text;
    int lines = 0;
    char fit[128];
    for (int i = -2; i < d->mark_count; i++) {
        const sac_drawing_mark *mark = i < 0 ? NULL : &d->marks[i];
        const char *name = lesson_text(v, mark ? mark->name : i == -2 ? names->title : names->y);
        viz_face face = i == -2 ? VIZ_SANS_BOLD : VIZ_SANS;
        float sample = mark ? 1.5f * text : 0;
        if (!name[0] || (mark && !is_shown(v, mark, panel)))
            continue;
        viz_text_fit(canvas, face, text, p->rect.w - sample, name, fit, sizeof fit);
        float w = sample + viz_text_width(canvas, face, text, fit);
        if (lines > 0 && x + w > p->rect.x + p->rect.w) {
            x = p->rect.x;
            y += LINE * text;
            lines++;
        }
        lines += lines == 0;
        if (paint && mark)
            draw_sample(paint, mark, x, y - 0.36f * text, text);
        if (paint)
            viz_text(paint, face, text, x + sample, y, VIZ_LEFT,
                     i == -2 ? canvas->theme->text : canvas->theme->text2, fit);
        x += w + 1.4f * text;
    }
    return lines;
}

/* From number to number of an axis, which has room for so many. By ratio: the powers of ten that are
 * from one to the next. */
static float tick_step(float low, float high, bool by_ratio, float room, float each)
{
    float parts = fmaxf(fminf(TICKS, room / each), 1);
    if (by_ratio)
        return fmaxf(ceilf(log10f(high / low) / parts - 1e-3f), 1);
    return lesson_round_step(high - low, parts);
}

static float x_step(const lesson_panel *p, const sac_drawing_panel *panel, float text)
{
    return tick_step(p->x_low, p->x_high, panel->x_by_ratio, p->frame.w,
                     fmaxf(TICK_WIDTH, 5 * text));
}

static float y_step(const lesson_panel *p, const sac_drawing_panel *panel, float text)
{
    return tick_step(p->y_low, p->y_high, panel->y_by_ratio, p->frame.h,
                     fmaxf(TICK_HEIGHT, 2.2f * text));
}

typedef void take_tick(void *user, float value, const char *text);

/* "10⁻³" is written as 1e−3: a font may have no raised digits. */
static void each_tick(float low, float high, bool by_ratio, float step, take_tick *take, void *user)
{
    char text[32];
    if (by_ratio) {
        for (float power = ceilf(log10f(low) - 1e-3f); power <= log10f(high) + 1e-3f;
             power += step) {
            if (power >= -2 && power <= 4)
                snprintf(text, sizeof text, "%.*f", (int)fmaxf(-power, 0), (double)powf(10, power));
            else
                snprintf(text, sizeof text, "1e%s%.0f", power < 0 ? "−" : "", fabs((double)power));
            take(user, powf(10, power), text);
        }
        return;
    }
    for (float at = ceilf(low / step - 1e-3f) * step; at <= high + 1e-3f * step; at += step)
        take(user, at, lesson_axis_number(at, step, text, sizeof text));
}

typedef struct measured {
    const viz_canvas *canvas;
    float text, widest;
} measured;

static void measure_tick(void *user, float value, const char *text)
{
    measured *m = user;
    (void)value;
    m->widest = fmaxf(m->widest, viz_text_width(m->canvas, VIZ_MONO, m->text, text));
}

/* The name in place of a number, shortened where it does not fit. */
static const char *category_name(const lesson_view *v, const viz_canvas *canvas,
                                 const lesson_panel *p, const sac_drawing_panel *panel, size_t at,
                                 char *text, size_t size)
{
    const sac_shown_array *array = lesson_array(v, panel->categories);
    char number[24];
    return viz_text_fit(canvas, VIZ_SANS, v->layout.drawing.text,
                        p->frame.w / (p->x_high - p->x_low),
                        lesson_label(v, array, false, at, number), text, size);
}

/* In a plane both axes get the same unit: the shorter one is prolonged on both sides. */
static void even_out(lesson_panel *p)
{
    float unit_x = (p->x_high - p->x_low) / p->frame.w,
          unit_y = (p->y_high - p->y_low) / p->frame.h, unit = fmaxf(unit_x, unit_y);
    float more_x = unit * p->frame.w - (p->x_high - p->x_low);
    float more_y = unit * p->frame.h - (p->y_high - p->y_low);
    p->x_low -= more_x / 2;
    p->x_high += more_x / 2;
    p->y_low -= more_y / 2;
    p->y_high += more_y / 2;
}

/* The numbers or names below an axis: where the last one begins and ends, and the one before it ends. */
typedef struct row_below {
    const viz_canvas *canvas;
    const lesson_panel *p;
    const sac_drawing_panel *panel;
    float text, before, begin, end;
} row_below;

static void take_below(row_below *row, viz_face face, float value, const char *text)
{
    float half = viz_text_width(row->canvas, face, row->text, text) / 2;
    row->before = row->end;
    row->begin = place_x(row->p, row->panel, value) - half;
    row->end = row->begin + 2 * half;
}

static void take_number_below(void *user, float value, const char *text)
{
    take_below(user, VIZ_MONO, value, text);
}

/* The name of the level axis ends the line of its numbers; where it would cover the last one it stands
 * in the gap before that, or below. */
static void place_name(const lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d,
                       int i, lesson_panel *p)
{
    const sac_drawing_panel *panel = &d->panels[i];
    row_below row = {canvas, p, panel, v->layout.drawing.text, 0, 0, p->frame.x};
    float w = viz_text_width(canvas, VIZ_SANS, row.text, lesson_text(v, panel->x));
    if (panel->categories) {
        char text[64];
        for (size_t c = 0; c < lesson_array(v, panel->categories)->columns; c++)
            take_below(&row, VIZ_SANS, (float)c,
                       category_name(v, canvas, p, panel, c, text, sizeof text));
    } else {
        each_tick(p->x_low, p->x_high, panel->x_by_ratio, x_step(p, panel, row.text),
                  take_number_below, &row);
    }
    p->name_end = p->rect.x + p->rect.w;
    bool covers = w > 0 && row.end + 0.6f * row.text > p->name_end - w;
    bool between = w + 2 * row.text < row.begin - row.before;
    if (covers && between)
        p->name_end = (row.before + row.begin + w) / 2;
    p->named_below = covers && !between;
}

/* Its frame begins `inset` from its left side at least, and ends higher with a line `below` the numbers. */
static void lay_panel(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d, int i,
                      float inset, bool below)
{
    const sac_drawing_panel *panel = &d->panels[i];
    lesson_panel *p = &v->layout.drawing.panels[i];
    float text = v->layout.drawing.text;
    range x, y;
    find_ranges(v, d, i, &x, &y);
    end_axis(&x, panel->x_low, panel->x_high, panel->x_by_ratio, false);
    end_axis(&y, panel->y_low, panel->y_high, panel->y_by_ratio, numbers_bars(v, d, i));
    int lines = flow_head(v, canvas, d, i, NULL);
    float above = ((float)lines * LINE + (lines ? LEGEND - LINE : 0.6f)) * text;
    float foot = (BELOW + (below ? LINE : 0)) * text;
    p->x_low = x.low;
    p->x_high = x.high;
    p->y_low = y.low;
    p->y_high = y.high;
    p->frame = (viz_rect){p->rect.x, p->rect.y + above, p->rect.w, p->rect.h - above - foot};
    measured m = {canvas, text, 0};
    each_tick(y.low, y.high, panel->y_by_ratio, y_step(p, panel, text), measure_tick, &m);
    inset = fmaxf(m.widest + 0.6f * text, inset);
    p->frame.x += inset;
    p->frame.w -= inset + text;
    if (panel->plane)
        even_out(p);
    if (v->handle_held) {
        const lesson_panel *held = &v->held_panels[i];
        p->x_low = held->x_low;
        p->x_high = held->x_high;
        p->y_low = held->y_low;
        p->y_high = held->y_high;
    }
    place_name(v, canvas, d, i, p);
}

static void lay_handle(lesson_view *v, const sac_lesson_drawing *d, int i)
{
    const sac_drawing_handle *handle = &d->handles[i];
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    const sac_drawing_panel *panel = &d->panels[handle->panel];
    lesson_handle *h = &v->layout.drawing.handles[i];
    const float reach = 13;
    if (!lesson_is_now(v, handle->since, 0) || p->rect.w <= 0)
        return;
    float x = place_x(p, panel, lesson_operand(v, handle->x, (p->x_low + p->x_high) / 2));
    float y = place_y(p, panel, lesson_operand(v, handle->y, p->y_low));
    h->x = fminf(fmaxf(x, p->frame.x), p->frame.x + p->frame.w);
    h->y = fminf(fmaxf(y, p->frame.y), p->frame.y + p->frame.h);
    h->rect = (viz_rect){h->x - reach, h->y - reach, 2 * reach, 2 * reach};
}

static float share_of(const lesson_view *v, const sac_drawing_panel *panel)
{
    if (!lesson_is_now(v, panel->since, 0))
        return 0;
    return panel->share > 0 ? panel->share : 1;
}

/* As the drawing has them, unless panels were too low or too narrow for their axes then. */
static bool stand_across(const lesson_view *v, const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    float each = 1 / (float)d->panel_count;
    bool low = l->room.h * each < LEAST_PANEL * l->text,
         narrow = l->room.w * each < LEAST_PANEL * l->text;
    return d->across ? !narrow || low : low && !narrow;
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    bool across = stand_across(v, d), below = false;
    float gap = 1.2f * l->text, all = 0, at = 0, inset = 0;
    for (int i = 0; i < d->panel_count; i++)
        all += share_of(v, &d->panels[i]);
    float room = (across ? l->room.w : l->room.h) + gap;
    for (int i = 0; i < d->panel_count; i++) {
        float size = room * share_of(v, &d->panels[i]) / all - gap;
        if (size <= 0)
            continue;
        l->panels[i].rect = across ? (viz_rect){l->room.x + at, l->room.y, size, l->room.h}
                                   : (viz_rect){l->room.x, l->room.y + at, l->room.w, size};
        at += size + gap;
        lay_panel(v, canvas, d, i, 0, false);
        below |= l->panels[i].named_below;
        inset = fmaxf(inset, l->panels[i].frame.x - l->panels[i].rect.x);
    }
    /* Frames beside each other end at one height, those below each other begin at one side. */
    for (int i = 0; i < d->panel_count; i++)
        if (l->panels[i].rect.w > 0)
            lay_panel(v, canvas, d, i, across ? 0 : inset,
                      across ? below : l->panels[i].named_below);
    for (int i = 0; i < d->handle_count; i++)
        lay_handle(v, d, i);
}

static void at(const lesson_view *v, const sac_drawing_handle *handle, float x, float y,
               float *at_x, float *at_y)
{
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    const sac_drawing_panel *panel = &lesson_drawing(v)->panels[handle->panel];
    *at_x = backwards(p->x_low, p->x_high, panel->x_by_ratio, (x - p->frame.x) / p->frame.w);
    *at_y = backwards(p->y_low, p->y_high, panel->y_by_ratio, 1 - (y - p->frame.y) / p->frame.h);
}

/* ---------------------------------------------------------------- axes are drawn */

typedef struct axis {
    const lesson_view *v;
    viz_canvas *canvas;
    const lesson_panel *p;
    const sac_drawing_panel *panel;
    float text;
    float end; /* of the number before */
} axis;

static void draw_x_tick(void *user, float value, const char *text)
{
    axis *a = user;
    const lesson_panel *p = a->p;
    float x = place_x(p, a->panel, value), bottom = p->frame.y + p->frame.h;
    float half = viz_text_width(a->canvas, VIZ_MONO, a->text, text) / 2;
    viz_line(a->canvas, x, p->frame.y, x, bottom, 1,
             value == 0 ? a->canvas->theme->faint : a->canvas->theme->line);
    if (x - half < a->end)
        return;
    viz_text(a->canvas, VIZ_MONO, a->text, x, bottom + NUMBERS * a->text, VIZ_CENTER,
             a->canvas->theme->text2, text);
    a->end = x + half + 0.5f * a->text;
}

static void draw_y_tick(void *user, float value, const char *text)
{
    axis *a = user;
    const lesson_panel *p = a->p;
    float y = place_y(p, a->panel, value);
    viz_line(a->canvas, p->frame.x, y, p->frame.x + p->frame.w, y, 1,
             value == 0 ? a->canvas->theme->faint : a->canvas->theme->line);
    viz_text(a->canvas, VIZ_MONO, a->text, p->frame.x - 0.5f * a->text, y + 0.36f * a->text,
             VIZ_RIGHT, a->canvas->theme->text2, text);
}

static void draw_categories(const axis *a)
{
    const lesson_panel *p = a->p;
    char text[64];
    for (size_t c = 0; c < lesson_array(a->v, a->panel->categories)->columns; c++)
        viz_text(a->canvas, VIZ_SANS, a->text, place_x(p, a->panel, (float)c),
                 p->frame.y + p->frame.h + NUMBERS * a->text, VIZ_CENTER, a->canvas->theme->text2,
                 category_name(a->v, a->canvas, p, a->panel, c, text, sizeof text));
}

static void draw_x_name(const axis *a)
{
    const lesson_panel *p = a->p;
    float down = NUMBERS + (p->named_below ? LINE : 0);
    viz_text(a->canvas, VIZ_SANS, a->text, p->name_end, p->frame.y + p->frame.h + down * a->text,
             VIZ_RIGHT, a->canvas->theme->text2, lesson_text(a->v, a->panel->x));
}

static void draw_axes(axis *a)
{
    const lesson_panel *p = a->p;
    each_tick(p->y_low, p->y_high, a->panel->y_by_ratio, y_step(p, a->panel, a->text), draw_y_tick,
              a);
    draw_x_name(a);
    if (a->panel->categories)
        draw_categories(a);
    else
        each_tick(p->x_low, p->x_high, a->panel->x_by_ratio, x_step(p, a->panel, a->text),
                  draw_x_tick, a);
}

/* ---------------------------------------------------------------- marks are drawn */

/* Names beside points: each at the first place around its point where nothing is yet; better a longer
 * way off than across a line. */
typedef struct placed {
    viz_rect rects[MOST_PLACED];
    int count;
    struct {
        float x, y, to_x, to_y, half; /* of its thickness */
    } lines[MOST_PLACED];
    int line_count;
} placed;

static bool overlaps(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* A line goes through a rectangle: some part of it is on the inner side of all four edges. */
static bool crosses(viz_rect r, float x, float y, float to_x, float to_y)
{
    const float from[] = {x - r.x, r.x + r.w - x, y - r.y, r.y + r.h - y};
    const float by[] = {to_x - x, x - to_x, to_y - y, y - to_y};
    float low = 0, high = 1;
    for (int i = 0; i < 4; i++)
        if (by[i] > 0)
            low = fmaxf(low, -from[i] / by[i]);
        else if (by[i] < 0)
            high = fminf(high, -from[i] / by[i]);
        else if (from[i] < 0)
            return false;
    return low <= high;
}

static viz_rect grown(viz_rect r, float by)
{
    return (viz_rect){r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by};
}

static bool is_free(const placed *names, viz_rect r, viz_rect frame, bool of_lines)
{
    bool free = r.x >= frame.x && r.x + r.w <= frame.x + frame.w && r.y >= frame.y &&
                r.y + r.h <= frame.y + frame.h && names->count < MOST_PLACED;
    for (int i = 0; i < names->count && free; i++)
        free = !overlaps(r, names->rects[i]);
    for (int i = 0; of_lines && i < names->line_count && free; i++)
        free = !crosses(grown(r, names->lines[i].half), names->lines[i].x, names->lines[i].y,
                        names->lines[i].to_x, names->lines[i].to_y);
    return free;
}

static void add_line(placed *names, float x, float y, float to_x, float to_y, float thick)
{
    if (names->line_count >= MOST_PLACED)
        return;
    names->lines[names->line_count].x = x;
    names->lines[names->line_count].y = y;
    names->lines[names->line_count].to_x = to_x;
    names->lines[names->line_count].to_y = to_y;
    names->lines[names->line_count++].half = thick / 2;
}

static void draw_name(const axis *a, placed *names, float x, float y, float away, viz_color ink,
                      const char *name)
{
    static const float ways[][2] = {{0, -1}, {1, 0},  {-1, 0},  {0.5f, -1}, {-0.5f, -1},
                                    {0, 1},  {1, -1}, {-1, -1}, {1, 1},     {-1, 1}};
    enum { WAYS = sizeof ways / sizeof *ways, FAR = 3 };
    float w = viz_text_width(a->canvas, VIZ_SANS_BOLD, a->text, name), h = a->text;
    for (int i = 0; i < (FAR + 1) * WAYS; i++) { /* at last across lines */
        float off = away + (float)(i / WAYS % FAR) * 0.7f * a->text;
        float middle_x = x + ways[i % WAYS][0] * (off + w / 2),
              middle_y = y + ways[i % WAYS][1] * (off + h / 2);
        viz_rect r = {middle_x - w / 2, middle_y - h / 2, w, h};
        if (!is_free(names, grown(r, 2), a->p->frame, i < FAR * WAYS))
            continue;
        names->rects[names->count++] = r;
        viz_text(a->canvas, VIZ_SANS_BOLD, a->text, middle_x, middle_y + 0.36f * a->text,
                 VIZ_CENTER, ink, name);
        return;
    }
}

/* 0 … 1, of the largest. */
static float weight_of(const axis *a, const sac_drawing_mark *mark, size_t point)
{
    float most = 0;
    if (!mark->weights)
        return 0;
    const float *weights = lesson_array(a->v, mark->weights)->numbers;
    for (size_t i = 0; i < lesson_count(a->v, mark->weights); i++)
        most = fmaxf(most, weights[i]);
    return most > 0 ? fmaxf(weights[point], 0) / most : 0;
}

/* The names of a mark's points, or of the ends of its arrows. */
static void draw_names(const axis *a, const sac_drawing_mark *mark, placed *names)
{
    for (size_t i = 0; mark->labels && i < points_of(a->v, mark); i++) {
        float x = place_x(a->p, a->panel, x_of(a->v, mark, i));
        float y = place_y(a->p, a->panel, y_of(a->v, mark, 0, i));
        bool arrows = mark->kind == SAC_MARK_ARROWS;
        float radius = POINT + (MOST_POINT - POINT) * sqrtf(weight_of(a, mark, i));
        draw_name(a, names, x, y, arrows ? ARROW_AWAY : radius + 4, a->canvas->theme->text,
                  mark->labels[i]);
    }
}

static void draw_curve(const axis *a, const sac_drawing_mark *mark, size_t line, viz_color ink)
{
    float zero = place_y(a->p, a->panel, 0), before_x = 0, before_y = NAN;
    bool fills = mark->kind == SAC_MARK_AREA;
    for (size_t i = 0; i < points_of(a->v, mark); i++) {
        float x = place_x(a->p, a->panel, x_of(a->v, mark, i));
        float y = place_y(a->p, a->panel, y_of(a->v, mark, line, i));
        if (isfinite(y) && isfinite(before_y)) {
            if (fills)
                viz_fill(a->canvas,
                         (viz_rect){before_x, fminf(zero, (y + before_y) / 2), x - before_x,
                                    fabsf(zero - (y + before_y) / 2)},
                         viz_with_alpha(ink, 0.25f));
            viz_line(a->canvas, before_x, before_y, x, y, 2, ink);
        }
        before_x = x;
        before_y = y;
    }
}

static void draw_points(const axis *a, const sac_drawing_mark *mark, viz_color ink)
{
    for (size_t i = 0; i < points_of(a->v, mark); i++) {
        float x = place_x(a->p, a->panel, x_of(a->v, mark, i));
        float y = place_y(a->p, a->panel, y_of(a->v, mark, 0, i));
        float radius = POINT + (MOST_POINT - POINT) * sqrtf(weight_of(a, mark, i));
        viz_disc(a->canvas, x, y, radius + 1.5f, a->canvas->theme->ground);
        viz_disc(a->canvas, x, y, radius, ink);
    }
}

/* Bars of several marks stand side by side. */
static void draw_bars(const axis *a, const sac_drawing_mark *mark, int series, int of,
                      bool numbered, viz_color ink)
{
    size_t count = points_of(a->v, mark);
    float zero = place_y(a->p, a->panel, fmaxf(a->p->y_low, 0)), room = INFINITY;
    for (size_t i = 1; i < count; i++)
        room = fminf(room, fabsf(place_x(a->p, a->panel, x_of(a->v, mark, i)) -
                                 place_x(a->p, a->panel, x_of(a->v, mark, i - 1))));
    room = fminf(room, a->p->frame.w / 2);
    float w = (count > MOST_NUMBERS ? 0.94f : 0.72f) * room / (float)of;
    lesson_format format = lesson_format_of(lesson_array(a->v, mark->y), 3);
    float letter = viz_text_width(a->canvas, VIZ_MONO, a->text, "0");
    numbered &= (float)format.letters * letter + 4 <= (of > 1 ? w : room);
    for (size_t i = 0; i < count; i++) {
        float value = y_of(a->v, mark, 0, i); /* one that is masked has no height */
        float y = isfinite(value) ? place_y(a->p, a->panel, value) : zero;
        float x =
            place_x(a->p, a->panel, x_of(a->v, mark, i)) + ((float)series - (float)of / 2) * w;
        char text[32];
        if (isnan(value))
            continue;
        viz_fill(a->canvas, (viz_rect){x, fminf(y, zero), w - 1, fmaxf(fabsf(zero - y), 1)}, ink);
        lesson_number(&format, value, text, sizeof text);
        if (numbered)
            viz_text(a->canvas, VIZ_MONO, a->text, x + w / 2,
                     y > zero ? y + 1.1f * a->text : y - 0.35f * a->text, VIZ_CENTER,
                     a->canvas->theme->text, text);
    }
}

static void draw_arrows(const axis *a, const sac_drawing_mark *mark, viz_color ink, placed *names)
{
    float x0 = place_x(a->p, a->panel, 0), y0 = place_y(a->p, a->panel, 0);
    for (size_t i = 0; i < points_of(a->v, mark); i++) {
        float x = place_x(a->p, a->panel, x_of(a->v, mark, i));
        float y = place_y(a->p, a->panel, y_of(a->v, mark, 0, i)), length = hypotf(x - x0, y - y0);
        float weight = weight_of(a, mark, i),
              thick = mark->weights ? THIN_ARROW + (THICK_ARROW - THIN_ARROW) * weight : 2.5f;
        float head = fminf(6 + 1.6f * thick, length), ux = length > 0 ? (x - x0) / length : 1,
              uy = length > 0 ? (y - y0) / length : 0;
        viz_line(a->canvas, x0, y0, x - 0.4f * head * ux, y - 0.4f * head * uy, thick, ink);
        for (int side = -1; side <= 1; side += 2)
            viz_line(a->canvas, x, y, x - head * (ux + 0.45f * (float)side * uy),
                     y - head * (uy - 0.45f * (float)side * ux), fmaxf(thick, 2), ink);
        /* names stay where they are when the weights change */
        add_line(names, x0, y0, x, y, mark->weights ? THICK_ARROW : thick);
    }
}

static void draw_rule(const axis *a, const sac_drawing_mark *mark, viz_color ink)
{
    viz_rect f = a->p->frame;
    sac_node node = mark->x ? mark->x : mark->y;
    for (size_t i = 0; i < lesson_count(a->v, node); i++) {
        float value = lesson_array(a->v, node)->numbers[i];
        float x = place_x(a->p, a->panel, value), y = place_y(a->p, a->panel, value);
        if (mark->x)
            viz_line(a->canvas, x, f.y, x, f.y + f.h, 1.5f, ink);
        else
            viz_line(a->canvas, f.x, y, f.x + f.w, y, 1.5f, ink);
    }
}

static void draw_mark(const axis *a, const sac_lesson_drawing *d, const sac_drawing_mark *mark,
                      int series, int of, placed *names)
{
    viz_color ink = lesson_ink(a->canvas->theme, mark->ink);
    size_t lines = mark->y ? lines_of(a->v, mark) : 1;
    switch (mark->kind) {
    case SAC_MARK_LINE:
    case SAC_MARK_AREA:
        for (size_t line = 0; line < lines; line++)
            draw_curve(a, mark, line,
                       lines > 1 ? viz_head_color(a->canvas->theme, (int)line, (int)lines) : ink);
        break;
    case SAC_MARK_POINTS:
        draw_points(a, mark, ink);
        break;
    case SAC_MARK_BARS:
        draw_bars(a, mark, series, of, numbers_bars(a->v, d, mark->panel), ink);
        break;
    case SAC_MARK_ARROWS:
        draw_arrows(a, mark, ink, names);
        break;
    case SAC_MARK_RULE:
        draw_rule(a, mark, ink);
        break;
    case SAC_MARK_CELLS: /* of other kinds of drawings */
    case SAC_MARK_BANDS:
    case SAC_MARK_PICTURE:
        break;
    }
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    for (int i = 0; i < d->panel_count; i++) {
        axis a = {.v = v,
                  .canvas = canvas,
                  .p = &l->panels[i],
                  .panel = &d->panels[i],
                  .text = l->text,
                  .end = -INFINITY};
        placed names = {.count = 0};
        int bars = 0, series = 0;
        if (a.p->rect.w <= 0)
            continue;
        draw_axes(&a);
        flow_head(v, canvas, d, i, canvas);
        for (int k = 0; k < d->handle_count; k++) /* names keep off handles, too */
            if (l->handles[k].rect.w > 0 && !d->handles[k].quiet && names.count < MOST_PLACED)
                names.rects[names.count++] = grown(l->handles[k].rect, 5);
        for (int k = 0; k < d->mark_count; k++)
            bars += is_shown(v, &d->marks[k], i) && d->marks[k].kind == SAC_MARK_BARS;
        for (int k = 0; k < d->mark_count; k++) {
            if (!is_shown(v, &d->marks[k], i))
                continue;
            /* What lies beyond the axes is cut; the numbers of bars stand within them. */
            viz_rect f = a.p->frame;
            viz_clip(canvas, (viz_rect){f.x - 12, f.y - 12, f.w + 24, f.h + 24});
            draw_mark(&a, d, &d->marks[k], series, bars, &names);
            viz_clip_none(canvas);
            series += d->marks[k].kind == SAC_MARK_BARS;
        }
        if (names.line_count > 0) {
            add_line(&names, place_x(a.p, a.panel, 0), a.p->frame.y, place_x(a.p, a.panel, 0),
                     a.p->frame.y + a.p->frame.h, 0);
            add_line(&names, a.p->frame.x, place_y(a.p, a.panel, 0), a.p->frame.x + a.p->frame.w,
                     place_y(a.p, a.panel, 0), 0);
        }
        for (int k = 0; k < d->mark_count; k++)
            if (is_shown(v, &d->marks[k], i))
                draw_names(&a, &d->marks[k], &names);
    }
}

const lesson_drawing_class lesson_plot = {.lay = lay, .draw = draw, .at = at};
