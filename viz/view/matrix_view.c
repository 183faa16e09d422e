#include "view/matrix_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/map_controls.h"
#include "view/row_side.h"

#define SIDE_GAP 32.0f
#define READOUT 380.0f /* the line below the matrix is at least so wide */
#define SIDE_MOST 480.0f
#define PLAY_SECONDS 0.7
#define FRAME_ROWS 120 /* an animation steps through at most so many rows */

/* Empty rectangles are left out. */
typedef struct layout {
    float title_y; /* baseline */
    viz_rect note;
    float readout_x, readout_y, readout_w;
    viz_rect side;
    viz_rect selector; /* one small square per map */
    float selector_cell;
    viz_rect bar;
} layout;

typedef struct matrix_view {
    viz_view view;
    viz_maps *maps;
    viz_panel panel;
    viz_row_side row;
    viz_map_controls controls;
    layout layout;
    bool playing;
    double step_at;
} matrix_view;

static matrix_view *of(viz_view *view)
{
    return (matrix_view *)view;
}

/* ---------------------------------------------------------------- layout */

/* Takes `height` and a gap off the top of `room`; empty where it is not high enough. */
static viz_rect take_top(viz_rect *room, float height, float gap)
{
    viz_rect top = {room->x, room->y, room->w, height};
    if (height > room->h)
        return (viz_rect){0};
    room->y += height + gap;
    room->h -= height + gap;
    return top;
}

static void lay_selector(matrix_view *v, viz_rect *room)
{
    layout *l = &v->layout;
    float layers = (float)v->maps->source.layers, heads = (float)viz_maps_heads(v->maps);
    if (layers * heads < 2)
        return;
    float cell = fminf(fminf(room->w / heads, 0.25f * room->h / layers), 16);
    if (cell < 3)
        return;
    l->selector_cell = cell >= 4 ? floorf(cell) : cell;
    l->selector = take_top(room, l->selector_cell * layers + 18, 18);
    l->selector.y += 18; /* below its title */
    l->selector.h -= 18;
    l->selector.w = l->selector_cell * heads;
}

static void lay_side(matrix_view *v, float left, float top, float right, float bottom)
{
    layout *l = &v->layout;
    l->side = (viz_rect){left, top, right - left, bottom - top};
    l->bar = (viz_rect){left, bottom - VIZ_BAR_NAMED_HEIGHT, l->side.w, VIZ_BAR_NAMED_HEIGHT};
    viz_rect room = l->side;
    room.h -= VIZ_BAR_NAMED_HEIGHT + 20;
    lay_selector(v, &room);
    viz_row_side_lay(&v->row, room, 0.78f);
}

/* The matrix takes what the column at its side leaves; where the window is too narrow for a
 * column, the colour bar goes below. */
static void lay(matrix_view *v, const viz_canvas *canvas, viz_rect area)
{
    layout *l = &v->layout;
    char note[512];
    const viz_panel_layout *p = &v->panel.layout;
    bool pooled = p->columns && (p->pool_rows > 1 || p->pool_cols > 1);
    *l = (layout){0};
    viz_controls_lay(&v->controls, canvas, v->maps, area, pooled, false);
    float top = area.y + 34, bottom = v->controls.rect.y - 10, left = area.x + VIZ_MARGIN;
    float right = area.x + area.w - VIZ_MARGIN;
    l->title_y = area.y + 24;
    if (viz_maps_note(v->maps, note, sizeof note)) {
        l->note = (viz_rect){left, top, right - left, VIZ_NOTE_HEIGHT};
        top += VIZ_NOTE_HEIGHT + VIZ_GAP;
    }
    bool beside = area.w >= 640;
    float share = v->maps->source.image ? 0.42f : 0.26f;
    float side = beside ? fmaxf(190, share * area.w) + SIDE_GAP : 0;
    float below = 28 + (beside ? 0 : VIZ_BAR_NAMED_HEIGHT);
    viz_panel_lay(&v->panel, canvas,
                  (viz_rect){left, top, right - left - side, bottom - top - below});
    float end = p->cells.x + p->cells.w;
    l->readout_x = left;
    l->readout_y = p->cells.y + p->cells.h + 20;
    l->readout_w = fmaxf(end, fminf(left + READOUT, right)) - left;
    float side_x = fmaxf(end, left + READOUT) + SIDE_GAP;
    if (beside && !v->maps->source.image) /* longer bars would say no more */
        right = fminf(right, side_x + SIDE_MOST);
    if (beside)
        lay_side(v, side_x, p->room.y, right, bottom);
    else
        l->bar =
            (viz_rect){left, bottom - VIZ_BAR_NAMED_HEIGHT, right - left, VIZ_BAR_NAMED_HEIGHT};
}

/* ---------------------------------------------------------------- drawing */

static void draw_title(const matrix_view *v, viz_canvas *canvas, float right)
{
    const layout *l = &v->layout;
    char note[512];
    viz_controls_draw_title(canvas, v->maps, VIZ_MARGIN, l->title_y, right);
    if (l->note.w > 0 && viz_maps_note(v->maps, note, sizeof note))
        viz_note_draw(canvas, l->note.x, l->note.y, l->note.w, note);
}

static viz_rect selector_square(const matrix_view *v, size_t layer, size_t head)
{
    const layout *l = &v->layout;
    float s = l->selector_cell, inset = s >= 6 ? 1 : 0.5f;
    return (viz_rect){l->selector.x + (float)head * s, l->selector.y + (float)layer * s,
                      s - 2 * inset, s - 2 * inset};
}

static void draw_selector(const matrix_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_maps *m = v->maps;
    size_t layers = m->source.layers, heads = viz_maps_heads(m);
    char title[64];
    if (v->layout.selector.w <= 0)
        return;
    snprintf(title, sizeof title, "%zu layer%s × %zu head%s", layers, layers == 1 ? "" : "s", heads,
             heads == 1 ? "" : "s");
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->layout.selector.x, v->layout.selector.y - 8, VIZ_LEFT,
             theme->text2, title);
    for (size_t l = 0; l < layers; l++)
        for (size_t h = 0; h < heads; h++) {
            bool current = l == m->layer && (heads == 1 || h == m->head);
            bool minus = m->difference && l == m->minus_layer && (heads == 1 || h == m->minus_head);
            viz_fill(canvas, selector_square(v, l, h),
                     current ? theme->accent
                     : minus ? theme->text2
                             : theme->line);
        }
}

static void draw_bar(const matrix_view *v, viz_canvas *canvas)
{
    char scale_name[64], pooled[64], name[160];
    viz_scale scale = viz_panel_scale(&v->panel);
    viz_maps_scale_name(v->maps, scale_name, sizeof scale_name);
    bool is_pooled = viz_panel_pooling(&v->panel, pooled, sizeof pooled);
    snprintf(name, sizeof name, "%s%s%s", scale_name, is_pooled ? "; each dot " : "", pooled);
    viz_bar_draw(canvas, v->layout.bar, viz_maps_colors(v->maps), &scale, viz_maps_uniform(v->maps),
                 name);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    matrix_view *v = of(view);
    lay(v, canvas, area);
    const layout *l = &v->layout;
    draw_title(v, canvas, area.x + area.w - VIZ_MARGIN);
    viz_panel_draw(&v->panel, canvas);
    viz_panel_draw_readout(&v->panel, canvas, l->readout_x, l->readout_y, l->readout_w);
    draw_selector(v, canvas);
    if (l->side.w > 0)
        viz_row_side_draw(&v->row, canvas);
    draw_bar(v, canvas);
    viz_controls_draw(&v->controls, canvas, v->maps);
}

/* ---------------------------------------------------------------- events */

static bool press_selector(matrix_view *v, const viz_event *event)
{
    const layout *l = &v->layout;
    if (event->kind != VIZ_PRESS || l->selector.w <= 0 ||
        !viz_inside(l->selector, event->x, event->y))
        return false;
    viz_maps_select(v->maps, (size_t)((event->y - l->selector.y) / l->selector_cell),
                    (size_t)((event->x - l->selector.x) / l->selector_cell));
    return true;
}

static bool event(viz_view *view, const viz_event *e)
{
    matrix_view *v = of(view);
    if (e->kind == VIZ_KEY && e->key == ' ') {
        v->playing = !v->playing;
        v->step_at = v->panel.now + PLAY_SECONDS;
        return true;
    }
    if (e->kind == VIZ_KEY && viz_controls_step(v->maps, e->key))
        return true;
    return viz_controls_event(&v->controls, v->maps, e) || press_selector(v, e) ||
           viz_row_side_event(&v->row, e) || viz_panel_event(&v->panel, e);
}

static bool tick(viz_view *view, double now)
{
    matrix_view *v = of(view);
    if (v->playing && now >= v->step_at) {
        viz_panel_step_row(&v->panel, 1);
        v->step_at = now + PLAY_SECONDS;
    }
    return viz_panel_tick(&v->panel, now) || v->playing;
}

/* ---------------------------------------------------------------- work, words, frames */

static viz_job *want(viz_view *view)
{
    matrix_view *v = of(view);
    viz_job *job = viz_panel_want(&v->panel);
    return job ? job : viz_maps_want(v->maps, v->maps->scale == VIZ_SHARED);
}

static sac_status work(viz_view *view, viz_job *job, sac_error *error)
{
    return viz_maps_work(of(view)->maps, job, error);
}

static void take(viz_view *view, viz_job *job, const sac_error *error)
{
    matrix_view *v = of(view);
    viz_panel_take(&v->panel, job);
    viz_maps_take(v->maps, job, error);
}

static void status(const viz_view *view, char *text, size_t size)
{
    viz_maps_status(((const matrix_view *)view)->maps, text, size);
}

static void describe(const viz_view *view, viz_put *put, void *user)
{
    const matrix_view *v = (const matrix_view *)view;
    put(user, "view", "matrix");
    viz_maps_describe(v->maps, put, user);
    viz_panel_describe(&v->panel, put, user);
}

static void restore(viz_view *view, const char *key, const char *value)
{
    viz_maps_restore(of(view)->maps, key, value);
    viz_panel_restore(&of(view)->panel, key, value);
}

static size_t frame_rows(const matrix_view *v)
{
    size_t rows, columns;
    sac_map map = viz_maps_current(v->maps);
    sac_map_size(&v->maps->source, &map, &rows, &columns);
    return rows < FRAME_ROWS ? rows : FRAME_ROWS;
}

static int frames_per_row(int fps)
{
    int frames = (int)(PLAY_SECONDS * fps + 0.5);
    return frames > 0 ? frames : 1;
}

/* The queries, one after the other, the way playing shows them. */
static int frames(const viz_view *view, int fps)
{
    return (int)frame_rows((const matrix_view *)view) * frames_per_row(fps);
}

static void frame(viz_view *view, int index, int fps)
{
    matrix_view *v = of(view);
    size_t rows, columns, count = frame_rows(v);
    sac_map map = viz_maps_current(v->maps);
    sac_map_size(&v->maps->source, &map, &rows, &columns);
    size_t step = (size_t)(index / frames_per_row(fps));
    size_t row = count > 1 ? step * (rows - 1) / (count - 1) : 0;
    v->maps->column_chosen &= row == v->maps->row && index > 0;
    v->maps->row = row;
    viz_panel_tick(&v->panel, (double)index / fps);
}

static void destroy(viz_view *view)
{
    matrix_view *v = of(view);
    viz_panel_free(&v->panel);
    viz_row_side_free(&v->row);
    viz_maps_release(v->maps);
    free(v);
}

static const viz_key_help keys[] = {
    {"← →", "head"},
    {"↑ ↓", "layer"},
    {"J K", "next query, the one before"},
    {"space", "play through the queries"},
    {"wheel", "zoom; drag to pan"},
    {"F", "fit the whole matrix"},
    {"R", "reduce heads: none, mean, max, min, rollout"},
    {"T", "first tokens: shown, dropped, masked"},
    {", .", "fewer, more first tokens"},
    {"L", "scale: per map, shared, logarithmic, fixed"},
    {"P", "pool by mean or by max"},
    {"D", "difference from the map before"},
    {"C", "colour map"},
    {"PgUp PgDn", "item of the batch"},
    {NULL, NULL},
};

static const viz_view_class matrix_class = {.tab = "Matrix",
                                            .draw = draw,
                                            .event = event,
                                            .tick = tick,
                                            .want = want,
                                            .work = work,
                                            .take = take,
                                            .status = status,
                                            .describe = describe,
                                            .restore = restore,
                                            .keys = keys,
                                            .frames = frames,
                                            .frame = frame,
                                            .destroy = destroy};

sac_status viz_matrix_view_create(viz_maps *maps, viz_view **view, sac_error *error)
{
    matrix_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_fail(error, SAC_E_MEMORY, "matrix", NULL, "no memory for the view");
    v->view.class = &matrix_class;
    v->maps = viz_maps_keep(maps);
    viz_panel_init(&v->panel, maps);
    v->row.panel = &v->panel;
    *view = &v->view;
    return SAC_OK;
}
