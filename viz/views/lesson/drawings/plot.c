/* Panels with axes: curves, areas, points, bars, arrows from the origin, rules. */
#include <math.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"
#include "parts/figures/lines.h"
#include "parts/figures/overlays.h"

#define LINE 1.6f /* heights, in sizes of the text */
#define LEGEND                                                                                     \
    2.0f /* the last line above a frame, with space for half a number of the axis below it */
#define NUMBERS 1.5f     /* from an axis down to the line of its numbers, clear of a handle … */
#define BELOW 1.8f       /* … and to the end of these */
#define TICK_WIDTH 70.0f /* of a number along an axis */
#define TICK_HEIGHT 32.0f
#define PAD 0.06f        /* of the numbers' range, beyond them */
#define NUMBER_PAD 0.16f /* above bars, for their numbers */
#define MOST_PLACED 48   /* names in a panel, which keep off each other */
#define MOST_NUMBERS 12  /* bars that have their numbers above them */
#define LEAST_PANEL 9.0f /* sizes of the text: a panel's height, or width */
#define LEAST_FRAME 4.0f /* … and in which curves are read */
#define LEAST_NAMED 7.0f /* sizes of text: a side of a frame whose points have names */
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
static size_t count_points(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *y = array_of(v, mark->y);
    if (mark->kind == SAC_MARK_ARROWS)
        return lesson_cell_count(v, mark->y) / 2;
    return y->columns > 1 ? y->columns : y->rows;
}

static size_t count_lines(const lesson_view *v, const sac_drawing_mark *mark)
{
    return mark->y && mark->kind != SAC_MARK_ARROWS
               ? lesson_cell_count(v, mark->y) / count_points(v, mark)
               : 1;
}

static float point_x(const lesson_view *v, const sac_drawing_mark *mark, size_t point)
{
    if (mark->kind == SAC_MARK_ARROWS)
        return array_of(v, mark->y)->numbers[2 * point];
    return mark->x ? array_of(v, mark->x)->numbers[point] : (float)point;
}

static float point_y(const lesson_view *v, const sac_drawing_mark *mark, size_t line, size_t point)
{
    const float *numbers = array_of(v, mark->y)->numbers;
    if (mark->kind == SAC_MARK_ARROWS)
        return numbers[2 * point + 1];
    return numbers[line * count_points(v, mark) + point];
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
        size_t points = count_points(v, mark);
        for (size_t p = 0; p < points; p++) {
            widen(x, point_x(v, mark, p));
            for (size_t line = 0; line < count_lines(v, mark); line++)
                widen(y, point_y(v, mark, line, p));
        }
        if (bars || mark->kind == SAC_MARK_AREA || mark->kind == SAC_MARK_ARROWS)
            widen(y, 0);
        if (mark->kind == SAC_MARK_ARROWS)
            widen(x, 0);
        x->bars |= bars;
    }
}

/* Bars have their numbers above them where they are few and alone. */
static bool has_numbered_bars(const lesson_view *v, const sac_lesson_drawing *d, int panel)
{
    bool any = false;
    for (int i = 0; i < d->mark_count; i++) {
        const sac_drawing_mark *mark = &d->marks[i];
        if (mark->panel != panel || mark->kind == SAC_MARK_RULE)
            continue;
        if (mark->kind != SAC_MARK_BARS || count_points(v, mark) > MOST_NUMBERS)
            return false;
        any = true;
    }
    return any;
}

static void finish_axis_range(range *r, float low, float high, bool by_ratio, bool numbered)
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

/* Where a point of a mark stands. */
static float place_x(const lesson_panel *p, float x)
{
    return viz_axis_x(&p->x, p->frame, x);
}

static float place_y(const lesson_panel *p, float y)
{
    return viz_axis_y(&p->y, p->frame, y);
}

/* ---------------------------------------------------------------- layout */

/* Lines that are one where they lie on each other: the first of those that line `line` is. */
static size_t first_alike(const lesson_view *v, const sac_drawing_mark *mark, size_t line)
{
    const size_t points = count_points(v, mark);
    for (size_t other = 0; other < line; other++) {
        bool alike = true;
        for (size_t p = 0; p < points && alike; p++)
            alike = fabsf(point_y(v, mark, line, p) - point_y(v, mark, other, p)) < 1e-6f;
        if (alike)
            return other;
    }
    return line;
}

/* What a line of a mark shows, by its label or its number; with those that lie below it: "0, 1". False: it lies below
 * a later one. */
static bool name_line(const lesson_view *v, const sac_drawing_mark *mark, size_t line, char *name,
                      size_t size)
{
    const sac_shown_array *y = array_of(v, mark->y);
    const size_t lines = count_lines(v, mark), first = first_alike(v, mark, line);
    size_t used = 0;
    char number[24];
    name[0] = '\0';
    for (size_t k = first; k < lines && used < size; k++)
        if (first_alike(v, mark, k) == first) {
            if (k > line)
                return false;
            used += (size_t)snprintf(name + used, size - used, "%s%s", used ? ", " : "",
                                     lesson_label(v, y, y->columns > 1, k, number));
        }
    return true;
}

/* Where the head of a panel goes on, and on what it is drawn; NULL: it is only laid out. */
typedef struct panel_head {
    const viz_canvas *canvas;
    viz_canvas *paint;
    const lesson_panel *panel;
    float text, x, y;
    int lines;
} panel_head;

/* A name, behind a sample of its mark if there is one, from left to right and line by line. */
static void add_to_head(panel_head *h, viz_face face, const char *name,
                        const sac_drawing_mark *sample, viz_color ink, bool strong)
{
    const lesson_panel *p = h->panel;
    float text = h->text, before = sample ? 1.5f * text : 0;
    char fit[128];
    viz_text_fit(h->canvas, face, text, p->rect.w - before, name, fit, sizeof fit);
    float w = before + viz_text_width(h->canvas, face, text, fit);
    if (h->lines > 0 && h->x + w > p->rect.x + p->rect.w) {
        h->x = p->rect.x;
        h->y += LINE * text;
        h->lines++;
    }
    h->lines += h->lines == 0;
    if (h->paint && sample) {
        float middle = h->y - 0.36f * text;
        if (sample->kind == SAC_MARK_POINTS)
            viz_disc(h->paint, h->x + 0.5f * text, middle, POINT, ink);
        else if (sample->kind == SAC_MARK_BARS || sample->kind == SAC_MARK_AREA)
            viz_fill(h->paint, (viz_rect){h->x, middle - 0.4f * text, text, 0.8f * text}, ink);
        else
            viz_line(h->paint, h->x, middle, h->x + text, middle, 2.5f, ink);
    }
    if (h->paint)
        viz_text(h->paint, face, text, h->x + before, h->y, VIZ_LEFT,
                 strong ? h->canvas->theme->text : h->canvas->theme->text2, fit);
    h->x += w + 1.4f * text;
}

/* The title, the name of the upright axis and those of the marks, each with a sample of its ink; of a mark of a few
 * lines each of them. Returns how many lines of text there are. */
static int lay_or_draw_panel_head(const lesson_view *v, const viz_canvas *canvas,
                                  const sac_lesson_drawing *d, int panel, viz_canvas *paint)
{
    const sac_drawing_panel *names = &d->panels[panel];
    const lesson_panel *p = &v->layout.drawing.panels[panel];
    const float text = v->layout.drawing.text;
    panel_head head = {canvas, paint, p, text, p->rect.x, p->rect.y + text, 0};
    const viz_color none = canvas->theme->text2;
    const char *title = lesson_text(v, names->title), *upright = lesson_text(v, names->y);
    if (title[0])
        add_to_head(&head, VIZ_SANS_BOLD, title, NULL, none, true);
    if (upright[0])
        add_to_head(&head, VIZ_SANS, upright, NULL, none, false);
    for (int i = 0; i < d->mark_count; i++) {
        const sac_drawing_mark *mark = &d->marks[i];
        if (!is_shown(v, mark, panel))
            continue;
        const char *name = lesson_text(v, mark->name);
        const size_t lines = mark->kind == SAC_MARK_LINE && mark->y ? count_lines(v, mark) : 1;
        if (name[0])
            add_to_head(&head, VIZ_SANS, name, lines > 1 ? NULL : mark,
                        lesson_ink(canvas->theme, mark->ink), false);
        for (size_t k = 0; name[0] && lines > 1 && k < lines; k++) {
            char line[96];
            if (name_line(v, mark, k, line, sizeof line))
                add_to_head(&head, VIZ_SANS, line, mark,
                            viz_head_color(canvas->theme, (int)k, (int)lines), false);
        }
    }
    return head.lines;
}

static viz_ticks x_ticks(const lesson_panel *p, float text)
{
    return viz_axis_ticks(&p->x, p->frame.w, fmaxf(TICK_WIDTH, 5 * text));
}

static viz_ticks y_ticks(const lesson_panel *p, float text)
{
    return viz_axis_ticks(&p->y, p->frame.h, fmaxf(TICK_HEIGHT, 2.2f * text));
}

/* The name in place of a number, shortened where it does not fit. */
static const char *category_name(const lesson_view *v, const viz_canvas *canvas,
                                 const lesson_panel *p, const sac_drawing_panel *panel, size_t at,
                                 char *text, size_t size)
{
    const sac_shown_array *array = lesson_array(v, panel->categories);
    char number[24];
    return viz_text_fit(canvas, VIZ_SANS, v->layout.drawing.text,
                        p->frame.w / (p->x.high - p->x.low),
                        lesson_label(v, array, false, at, number), text, size);
}

/* The name of the level axis ends the line of its numbers; where it would cover the last one it stands
 * in the gap before that, or below. */
static void place_axis_name(const lesson_view *v, const viz_canvas *canvas,
                            const sac_lesson_drawing *d, int i, lesson_panel *p)
{
    const sac_drawing_panel *panel = &d->panels[i];
    const viz_ticks ticks = x_ticks(p, v->layout.drawing.text);
    float text = v->layout.drawing.text, before = 0, begin = 0, end = p->frame.x;
    float w = viz_text_width(canvas, VIZ_SANS, text, lesson_text(v, panel->x));
    int count = panel->categories ? (int)lesson_array(v, panel->categories)->columns : ticks.count;
    for (int k = 0; k < count; k++) { /* where the last one stands, and the one before it ends */
        char name[64];
        float half =
            panel->categories
                ? viz_text_width(canvas, VIZ_SANS, text,
                                 category_name(v, canvas, p, panel, (size_t)k, name, sizeof name)) /
                      2
                : viz_text_width(canvas, VIZ_MONO, text, ticks.text[k]) / 2;
        before = end;
        begin = place_x(p, panel->categories ? (float)k : ticks.at[k]) - half;
        end = begin + 2 * half;
    }
    p->name_end = p->rect.x + p->rect.w;
    bool covers = w > 0 && end + 0.6f * text > p->name_end - w;
    bool between = w + 2 * text < begin - before;
    if (covers && between)
        p->name_end = (before + begin + w) / 2;
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
    finish_axis_range(&x, panel->x_low, panel->x_high, panel->x_by_ratio, false);
    finish_axis_range(&y, panel->y_low, panel->y_high, panel->y_by_ratio,
                      has_numbered_bars(v, d, i));
    int lines = lay_or_draw_panel_head(v, canvas, d, i, NULL);
    float above = ((float)lines * LINE + (lines ? LEGEND - LINE : 0.6f)) * text;
    float foot = (BELOW + (below ? LINE : 0)) * text;
    p->x = (viz_axis){x.low, x.high, panel->x_by_ratio};
    p->y = (viz_axis){y.low, y.high, panel->y_by_ratio};
    p->frame = (viz_rect){p->rect.x, p->rect.y + above, p->rect.w, p->rect.h - above - foot};
    const viz_ticks ticks = y_ticks(p, text);
    float widest = 0;
    for (int k = 0; k < ticks.count; k++)
        widest = fmaxf(widest, viz_text_width(canvas, VIZ_MONO, text, ticks.text[k]));
    inset = fmaxf(widest + 0.6f * text, inset);
    p->frame.x += inset;
    p->frame.w -= inset + text;
    if (panel->plane) {
        /* In a plane both axes get the same unit: the shorter one is prolonged on both sides. */
        float wide = p->x.high - p->x.low, high = p->y.high - p->y.low;
        float unit = fmaxf(wide / p->frame.w, high / p->frame.h);
        float more_x = unit * p->frame.w - wide, more_y = unit * p->frame.h - high;
        p->x.low -= more_x / 2;
        p->x.high += more_x / 2;
        p->y.low -= more_y / 2;
        p->y.high += more_y / 2;
    }
    if (v->handle_held) {
        p->x = v->held_panels[i].x;
        p->y = v->held_panels[i].y;
    }
    place_axis_name(v, canvas, d, i, p);
}

static float panel_share(const lesson_view *v, const sac_drawing_panel *panel)
{
    if (!lesson_is_now(v, panel->since, 0))
        return 0;
    return lesson_panel_share(panel);
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    /* As the drawing has them, unless panels were too low or too narrow for their axes then. */
    float each = 1 / (float)d->panel_count;
    bool low = l->room.h * each < LEAST_PANEL * l->text,
         narrow = l->room.w * each < LEAST_PANEL * l->text;
    bool across = d->across ? !narrow || low : low && !narrow, below = false;
    float gap = 1.2f * l->text, all = 0, at = 0, inset = 0;
    for (int i = 0; i < d->panel_count; i++)
        all += panel_share(v, &d->panels[i]);
    float room = (across ? l->room.w : l->room.h) + gap;
    for (int i = 0; i < d->panel_count; i++) {
        float size = room * panel_share(v, &d->panels[i]) / all - gap;
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
    for (int i = 0; i < d->handle_count; i++) {
        const sac_drawing_handle *handle = &d->handles[i];
        const lesson_panel *p = &l->panels[handle->panel];
        lesson_handle *h = &l->handles[i];
        const float reach = 13;
        if (!lesson_is_now(v, handle->since, 0) || p->rect.w <= 0)
            continue;
        float x = place_x(p, lesson_operand_value(v, handle->x, (p->x.low + p->x.high) / 2));
        float y = place_y(p, lesson_operand_value(v, handle->y, p->y.low));
        h->x = fminf(fmaxf(x, p->frame.x), p->frame.x + p->frame.w);
        h->y = fminf(fmaxf(y, p->frame.y), p->frame.y + p->frame.h);
        h->rect = (viz_rect){h->x - reach, h->y - reach, 2 * reach, 2 * reach};
    }
}

static void pixel_to_values(const lesson_view *v, const sac_drawing_handle *handle, float x,
                            float y, float *at_x, float *at_y)
{
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    *at_x = viz_axis_value(&p->x, (x - p->frame.x) / p->frame.w);
    *at_y = viz_axis_value(&p->y, 1 - (y - p->frame.y) / p->frame.h);
}

/* ---------------------------------------------------------------- axes are drawn */

typedef struct axis {
    const lesson_view *v;
    viz_canvas *canvas;
    const lesson_panel *p;
    const sac_drawing_panel *panel;
    float text;
} axis;

static void draw_axes(const axis *a)
{
    const lesson_panel *p = a->p;
    const viz_theme *theme = a->canvas->theme;
    viz_rect f = p->frame;
    float bottom = f.y + f.h, down = NUMBERS + (p->named_below ? LINE : 0), end = -INFINITY;
    char text[64];
    viz_ticks ticks = y_ticks(p, a->text);
    for (int i = 0; i < ticks.count; i++) {
        float y = place_y(p, ticks.at[i]);
        viz_line(a->canvas, f.x, y, f.x + f.w, y, 1, ticks.at[i] == 0 ? theme->faint : theme->line);
        viz_text(a->canvas, VIZ_MONO, a->text, f.x - 0.5f * a->text, y + 0.36f * a->text, VIZ_RIGHT,
                 theme->text2, ticks.text[i]);
    }
    viz_text(a->canvas, VIZ_SANS, a->text, p->name_end, bottom + down * a->text, VIZ_RIGHT,
             theme->text2, lesson_text(a->v, a->panel->x));
    size_t categories =
        a->panel->categories ? lesson_array(a->v, a->panel->categories)->columns : 0;
    for (size_t c = 0; c < categories; c++)
        viz_text(a->canvas, VIZ_SANS, a->text, place_x(p, (float)c), bottom + NUMBERS * a->text,
                 VIZ_CENTER, theme->text2,
                 category_name(a->v, a->canvas, p, a->panel, c, text, sizeof text));
    ticks = x_ticks(p, a->text);
    for (int i = 0; i < ticks.count && !a->panel->categories; i++) {
        float x = place_x(p, ticks.at[i]);
        float half = viz_text_width(a->canvas, VIZ_MONO, a->text, ticks.text[i]) / 2;
        viz_line(a->canvas, x, f.y, x, bottom, 1, ticks.at[i] == 0 ? theme->faint : theme->line);
        if (x - half < end) /* it would touch the number before */
            continue;
        viz_text(a->canvas, VIZ_MONO, a->text, x, bottom + NUMBERS * a->text, VIZ_CENTER,
                 theme->text2, ticks.text[i]);
        end = x + half + 0.5f * a->text;
    }
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
        viz_rect r = {middle_x - w / 2, middle_y - h / 2, w, h}, wide = grown(r, 2),
                 f = a->p->frame;
        bool free = wide.x >= f.x && wide.x + wide.w <= f.x + f.w && wide.y >= f.y &&
                    wide.y + wide.h <= f.y + f.h && names->count < MOST_PLACED;
        for (int k = 0; k < names->count && free; k++)
            free = !viz_overlap(wide, names->rects[k]);
        for (int k = 0; i < FAR * WAYS && k < names->line_count && free; k++)
            free = !crosses(grown(wide, names->lines[k].half), names->lines[k].x, names->lines[k].y,
                            names->lines[k].to_x, names->lines[k].to_y);
        if (!free)
            continue;
        names->rects[names->count++] = r;
        viz_text(a->canvas, VIZ_SANS_BOLD, a->text, middle_x, middle_y + 0.36f * a->text,
                 VIZ_CENTER, ink, name);
        return;
    }
}

/* 0 … 1, of the largest. */
static float relative_weight(const axis *a, const sac_drawing_mark *mark, size_t point)
{
    float most = 0;
    if (!mark->weights)
        return 0;
    const float *weights = lesson_array(a->v, mark->weights)->numbers;
    for (size_t i = 0; i < lesson_cell_count(a->v, mark->weights); i++)
        most = fmaxf(most, weights[i]);
    return most > 0 ? fmaxf(weights[point], 0) / most : 0;
}

static void draw_curve(const axis *a, const sac_drawing_mark *mark, size_t line, viz_color ink)
{
    float zero = place_y(a->p, 0), before_x = 0, before_y = NAN;
    bool fills = mark->kind == SAC_MARK_AREA;
    for (size_t i = 0; i < count_points(a->v, mark); i++) {
        float x = place_x(a->p, point_x(a->v, mark, i));
        float y = place_y(a->p, point_y(a->v, mark, line, i));
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

/* Bars of several marks stand side by side. */
static void draw_bars(const axis *a, const sac_drawing_mark *mark, int series, int of,
                      bool numbered, viz_color ink)
{
    size_t count = count_points(a->v, mark);
    float zero = place_y(a->p, fmaxf(a->p->y.low, 0)), room = INFINITY;
    for (size_t i = 1; i < count; i++)
        room = fminf(room, fabsf(place_x(a->p, point_x(a->v, mark, i)) -
                                 place_x(a->p, point_x(a->v, mark, i - 1))));
    room = fminf(room, a->p->frame.w / 2);
    float w = (count > MOST_NUMBERS ? 0.94f : 0.72f) * room / (float)of;
    lesson_format format = lesson_format_of(lesson_array(a->v, mark->y), 3);
    float letter = viz_text_width(a->canvas, VIZ_MONO, a->text, "0");
    numbered &= (float)format.letters * letter + 4 <= (of > 1 ? w : room);
    for (size_t i = 0; i < count; i++) {
        float value = point_y(a->v, mark, 0, i); /* one that is masked has no height */
        float y = isfinite(value) ? place_y(a->p, value) : zero;
        float x = place_x(a->p, point_x(a->v, mark, i)) + ((float)series - (float)of / 2) * w;
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
    float x0 = place_x(a->p, 0), y0 = place_y(a->p, 0);
    for (size_t i = 0; i < count_points(a->v, mark); i++) {
        float x = place_x(a->p, point_x(a->v, mark, i));
        float y = place_y(a->p, point_y(a->v, mark, 0, i)), length = hypotf(x - x0, y - y0);
        float weight = relative_weight(a, mark, i),
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
    for (size_t i = 0; i < lesson_cell_count(a->v, node); i++) {
        float value = lesson_array(a->v, node)->numbers[i];
        float x = place_x(a->p, value), y = place_y(a->p, value);
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
    size_t lines = mark->y ? count_lines(a->v, mark) : 1;
    switch (mark->kind) {
    case SAC_MARK_LINE:
    case SAC_MARK_AREA:
        for (size_t line = 0; line < lines; line++)
            draw_curve(a, mark, line,
                       lines > 1 ? viz_head_color(a->canvas->theme, (int)line, (int)lines) : ink);
        break;
    case SAC_MARK_POINTS:
        for (size_t i = 0; i < count_points(a->v, mark); i++) {
            float x = place_x(a->p, point_x(a->v, mark, i));
            float y = place_y(a->p, point_y(a->v, mark, 0, i));
            float radius = POINT + (MOST_POINT - POINT) * sqrtf(relative_weight(a, mark, i));
            viz_disc(a->canvas, x, y, radius + 1.5f, a->canvas->theme->ground);
            viz_disc(a->canvas, x, y, radius, ink);
        }
        break;
    case SAC_MARK_BARS:
        draw_bars(a, mark, series, of, has_numbered_bars(a->v, d, mark->panel), ink);
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
        axis a = {
            .v = v, .canvas = canvas, .p = &l->panels[i], .panel = &d->panels[i], .text = l->text};
        placed names = {.count = 0};
        int bars = 0, series = 0;
        if (a.p->rect.w <= 0)
            continue;
        draw_axes(&a);
        lay_or_draw_panel_head(v, canvas, d, i, canvas);
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
            add_line(&names, place_x(a.p, 0), a.p->frame.y, place_x(a.p, 0),
                     a.p->frame.y + a.p->frame.h, 0);
            add_line(&names, a.p->frame.x, place_y(a.p, 0), a.p->frame.x + a.p->frame.w,
                     place_y(a.p, 0), 0);
        }
        /* The names of points, or of the ends of arrows; in a small frame they would cover the curves. */
        bool has_room = fminf(a.p->frame.w, a.p->frame.h) >= LEAST_NAMED * a.text;
        for (int k = 0; k < d->mark_count; k++) {
            const sac_drawing_mark *mark = &d->marks[k];
            bool named = has_room && is_shown(v, mark, i) && mark->labels,
                 arrows = mark->kind == SAC_MARK_ARROWS;
            for (size_t n = 0; named && n < count_points(v, mark); n++) {
                float x = place_x(a.p, point_x(v, mark, n));
                float y = place_y(a.p, point_y(v, mark, 0, n));
                float radius = POINT + (MOST_POINT - POINT) * sqrtf(relative_weight(&a, mark, n));
                draw_name(&a, &names, x, y, arrows ? ARROW_AWAY : radius + 4, canvas->theme->text,
                          mark->labels[n]);
            }
        }
    }
}

/* Curves have room between the numbers of their axes. */
static bool is_legible(const lesson_view *v, const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    for (int i = 0; i < d->panel_count; i++) {
        const viz_rect frame = l->panels[i].frame;
        if (frame.w > 0 && fminf(frame.w, frame.h) < LEAST_FRAME * l->text)
            return false;
    }
    return true;
}

const lesson_drawing_class lesson_plot = {
    .lay = lay, .draw = draw, .legible = is_legible, .at = pixel_to_values};
