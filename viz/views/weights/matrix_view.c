/* The view of one matrix. */

#include "weights/matrix_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/words.h"
#include "weights/map/map_place.h"
#include "weights/map/matrix_sums.h"
#include "weights/weights_view.h"

#define SIDE_GAP 32.0f
#define READOUT 380.0f  /* the line below the matrix is at least so wide, … */
#define READ_SHARE 0.5f /* … but leaves this share of a narrow area to the list beside it */
#define SIDE_MOST 760.0f
#define BAR_GAP 20.0f         /* above the bar */
#define LEAST_SELECTOR 130.0f /* as wide as its title */
#define SMALL 360.0f          /* a lower area has the picture before the matrix */
#define UPRIGHT 1.15f         /* height of the area in widths, from which on it is stacked */
#define LEAST_SUMMED 300.0f   /* of either side of the matrix, for sums around it */
#define PLAY_SECONDS 0.7
#define FRAME_ROWS 120 /* an animation steps through at most so many rows */

/* Empty rectangles are left out. */
typedef struct layout {
    float readout_x, readout_y, readout_w;
    viz_rect side;
    viz_rect selector; /* one small square per map */
    float selector_cell;
    bool layers_across; /* a column of the selector is a layer; else a row is */
    viz_rect bar;
    bool sums; /* around the matrix there is room for them */
} layout;

typedef struct matrix_view {
    viz_weights_view base;
    layout layout;
    viz_go_line go;
} matrix_view;

static matrix_view *as_matrix_view(viz_view *view)
{
    return (matrix_view *)view;
}

/* ---------------------------------------------------------------- layout */

/* Of many layers with few heads each a layer is a column where that makes larger squares. */
static void lay_selector(matrix_view *v, viz_rect *room)
{
    const viz_weights_model *model = v->base.model;
    layout *l = &v->layout;
    float layers = (float)model->source->weights.layers,
          heads = (float)viz_weights_model_heads(model);
    if (layers * heads < 2)
        return;
    float height = 0.25f * room->h;
    float upright = fminf(fminf(room->w / heads, height / layers), 16),
          across = fminf(fminf(room->w / layers, height / heads), 16);
    l->layers_across = across > 1.3f * upright;
    float cell = fmaxf(upright, l->layers_across ? across : 0);
    if (cell < 3)
        return;
    l->selector_cell = cell >= 4 ? floorf(cell) : cell;
    height = l->selector_cell * (l->layers_across ? heads : layers); /* below its title */
    if (height + 18 > room->h)
        return;
    l->selector = (viz_rect){room->x, room->y + 18,
                             l->selector_cell * (l->layers_across ? layers : heads), height};
    room->y += height + 36;
    room->h -= height + 36;
}

static void lay_side(matrix_view *v, float left, float top, float right, float bottom)
{
    layout *l = &v->layout;
    l->side = (viz_rect){left, top, right - left, bottom - top};
    l->bar = (viz_rect){left, bottom - VIZ_BAR_NAMED_HEIGHT, l->side.w, VIZ_BAR_NAMED_HEIGHT};
    viz_rect room = l->side;
    room.h -= VIZ_BAR_NAMED_HEIGHT + BAR_GAP;
    lay_selector(v, &room);
    viz_row_panel_lay(&v->base.row, room, 0.78f);
}

/* The picture takes the height that there is; selector and list stand at its right. */
static void lay_picture_first(matrix_view *v, float left, float top, float right, float bottom)
{
    layout *l = &v->layout;
    viz_rect rest;
    l->side = (viz_rect){left, top, right - left, bottom - top};
    l->bar = (viz_rect){left, bottom - VIZ_BAR_NAMED_HEIGHT, l->side.w, VIZ_BAR_NAMED_HEIGHT};
    viz_rect room = l->side;
    room.h -= VIZ_BAR_NAMED_HEIGHT + BAR_GAP;
    viz_row_panel_lay_picture(&v->base.row, room, &rest);
    lay_selector(v, &rest);
    viz_row_panel_lay_list(&v->base.row, rest);
}

/* In an area of that width. */
static float least_readout(float width)
{
    return fminf(READOUT, READ_SHARE * width);
}

/* Below the matrix: the line of the cell that is read. */
static void lay_readout(matrix_view *v, float right)
{
    const viz_panel_layout *p = &v->base.panel.layout;
    layout *l = &v->layout;
    l->readout_x = p->area.x;
    l->readout_y = p->cells.y + p->cells.h + 20 + (l->sums ? VIZ_SUMS_BELOW : 0);
    l->readout_w = fmaxf(p->cells.x + p->cells.w,
                         fminf(l->readout_x + least_readout(right - l->readout_x), right)) -
                   l->readout_x;
}

/* In an upright window all but the matrix stands below it. */
static void lay_upright(matrix_view *v, const viz_canvas *canvas, viz_rect room)
{
    float ratio = viz_row_panel_ratio(&v->base.row), right = room.x + room.w;
    float below = fmaxf(room.h - room.w, fminf(0.3f * room.h, 300));
    if (ratio > 0) { /* as many square units for the picture as for the matrix */
        float rest = room.h - 28 - VIZ_BAR_NAMED_HEIGHT - BAR_GAP;
        float height = fminf(rest / (1 + 1 / sqrtf(ratio)), room.w * ratio);
        below = height + VIZ_BAR_NAMED_HEIGHT + BAR_GAP;
    }
    v->layout = (layout){0};
    viz_panel_lay(&v->base.panel, canvas, (viz_rect){room.x, room.y, room.w, room.h - below - 28});
    lay_readout(v, right);
    (ratio > 0 ? lay_picture_first : lay_side)(v, room.x, v->layout.readout_y + 28, right,
                                               room.y + room.h);
}

/* In a small window the picture takes all of the height; the matrix, its line and the bar share the
 * column at its left. */
static void lay_small(matrix_view *v, const viz_canvas *canvas, viz_rect room)
{
    const viz_panel_layout *p = &v->base.panel.layout;
    layout *l = &v->layout;
    viz_rect rest;
    float ratio = viz_row_panel_ratio(&v->base.row), bottom = room.y + room.h;
    float width = fminf(room.h / ratio, 0.6f * room.w), left = room.w - width - SIDE_GAP;
    *l = (layout){.side = {room.x + room.w - width, room.y, width, room.h},
                  .bar = {room.x, bottom - VIZ_BAR_NAMED_HEIGHT, left, VIZ_BAR_NAMED_HEIGHT}};
    viz_panel_lay(&v->base.panel, canvas,
                  (viz_rect){room.x, room.y, left, l->bar.y - 28 - VIZ_GAP - room.y});
    lay_readout(v, room.x + left);
    viz_row_panel_lay_picture(&v->base.row, l->side, &rest);
    viz_row_panel_lay_list(&v->base.row, rest);
    rest = (viz_rect){p->cells.x + p->cells.w + SIDE_GAP, p->cells.y, 0, p->cells.h};
    rest.w = room.x + left - rest.x;
    if (rest.w >= LEAST_SELECTOR)
        lay_selector(v, &rest);
}

/* The matrix takes what the column at its side leaves; where the window is too narrow for a
 * column, the colour bar goes below. */
static void lay(matrix_view *v, const viz_canvas *canvas, viz_rect area)
{
    const viz_panel_layout *p = &v->base.panel.layout;
    bool pooled = p->columns && (p->pool_rows > 1 || p->pool_cols > 1);
    bool beside = area.w >= 640, picture = v->base.model->source->picture.image != NULL;
    viz_rect room = viz_weights_view_lay(&v->base, canvas, area, pooled, false, false);
    if (room.h > UPRIGHT * room.w) {
        lay_upright(v, canvas, room);
        return;
    }
    if (beside && picture && room.h < SMALL) {
        lay_small(v, canvas, room);
        return;
    }
    float right = room.x + room.w, bottom = room.y + room.h;
    float side = beside ? fmaxf(190, (picture ? 0.42f : 0.26f) * area.w) + SIDE_GAP : 0;
    float below = 28 + (beside ? 0 : VIZ_BAR_NAMED_HEIGHT);
    viz_rect matrix = {room.x, room.y, room.w - side, room.h - below};
    v->layout = (layout){.sums = !viz_is_signed(v->base.model) &&
                                 matrix.w - VIZ_SUMS_LEFT - VIZ_SUMS_RIGHT >= LEAST_SUMMED &&
                                 matrix.h - VIZ_SUMS_TOP - VIZ_SUMS_BELOW >= LEAST_SUMMED};
    if (v->layout.sums)
        matrix = (viz_rect){matrix.x + VIZ_SUMS_LEFT, matrix.y + VIZ_SUMS_TOP,
                            matrix.w - VIZ_SUMS_LEFT - VIZ_SUMS_RIGHT,
                            matrix.h - VIZ_SUMS_TOP - VIZ_SUMS_BELOW};
    viz_panel_lay(&v->base.panel, canvas, matrix);
    lay_readout(v, right);
    float end = p->cells.x + p->cells.w + (v->layout.sums ? VIZ_SUMS_RIGHT : 0);
    float side_x = fmaxf(end, room.x + least_readout(room.w)) + SIDE_GAP;
    if (beside && !picture) /* longer bars would show no more */
        right = fminf(right, side_x + SIDE_MOST);
    if (beside)
        lay_side(v, side_x, p->room.y, right, bottom);
    else
        v->layout.bar =
            (viz_rect){room.x, bottom - VIZ_BAR_NAMED_HEIGHT, room.w, VIZ_BAR_NAMED_HEIGHT};
}

/* ---------------------------------------------------------------- drawing */

static void draw_selector(const matrix_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_weights_model *m = v->base.model;
    size_t layers = m->source->weights.layers, heads = viz_weights_model_heads(m);
    char title[64];
    if (v->layout.selector.w <= 0)
        return;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->layout.selector.x, v->layout.selector.y - 8, VIZ_LEFT,
             theme->text2, viz_weights_sizes(layers, heads, title, sizeof title));
    float s = v->layout.selector_cell, inset = s >= 6 ? 1 : 0.5f;
    for (size_t l = 0; l < layers; l++)
        for (size_t h = 0; h < heads; h++) {
            bool current = l == m->layer && (heads == 1 || h == m->head);
            size_t column = v->layout.layers_across ? l : h, row = v->layout.layers_across ? h : l;
            viz_rect square = {v->layout.selector.x + (float)column * s,
                               v->layout.selector.y + (float)row * s, s - 2 * inset, s - 2 * inset};
            viz_fill(canvas, square, current ? theme->accent : theme->line);
        }
}

static void draw_bar(const matrix_view *v, viz_canvas *canvas)
{
    const viz_weights_model *model = v->base.model;
    char scale_name[64], pooled[64], name[192];
    viz_scale scale = viz_panel_scale(&v->base.panel);
    viz_weights_model_scale_name(model, scale_name, sizeof scale_name);
    bool is_pooled = viz_panel_pooling(&v->base.panel, pooled, sizeof pooled);
    snprintf(name, sizeof name, "%s%s%s", scale_name, is_pooled ? viz_word("; each dot ") : "",
             pooled);
    viz_bar_draw(canvas, v->layout.bar, viz_map_colors(canvas->theme, model->look.map), &scale,
                 viz_weights_model_uniform(model), name);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    matrix_view *v = as_matrix_view(view);
    lay(v, canvas, area);
    const layout *l = &v->layout;
    viz_weights_view_draw_title(&v->base, canvas, area.x + VIZ_MARGIN,
                                area.x + area.w - VIZ_MARGIN);
    viz_panel_draw(&v->base.panel, canvas);
    if (l->sums)
        viz_sums_draw(&v->base.panel, canvas);
    viz_panel_draw_readout(&v->base.panel, canvas, l->readout_x, l->readout_y, l->readout_w);
    draw_selector(v, canvas);
    if (l->side.w > 0)
        viz_row_panel_draw(&v->base.row, canvas);
    draw_bar(v, canvas);
    viz_weights_view_draw_controls(&v->base, canvas);
    viz_go_line_draw(&v->go, &v->base.panel, canvas);
}

/* ---------------------------------------------------------------- beside another map */

static viz_rect pair_room(viz_view *view, const viz_view *other, const viz_canvas *canvas,
                          viz_rect area)
{
    viz_weights_view *v = &as_matrix_view(view)->base;
    const viz_panel_layout *p = &v->panel.layout;
    bool pooled = p->columns && (p->pool_rows > 1 || p->pool_cols > 1);
    (void)other;
    viz_rect room = viz_weights_view_lay(v, canvas, area, pooled, false, false);
    return (viz_rect){area.x, area.y, area.w, room.y + room.h - area.y};
}

static float pair_lay(viz_view *view, const viz_canvas *canvas, viz_rect own, bool shares)
{
    matrix_view *v = as_matrix_view(view);
    float end = viz_weights_view_lay_pair(&v->base, canvas, own, shares);
    v->layout = (layout){.bar = v->base.pair.bar,
                         .readout_x = v->base.pair.x,
                         .readout_y = v->base.pair.y,
                         .readout_w = v->base.pair.w};
    return end;
}

static void pair_draw(viz_view *view, viz_canvas *canvas, float end)
{
    matrix_view *v = as_matrix_view(view);
    viz_weights_view_draw_pair(&v->base, canvas, end);
    viz_go_line_draw(&v->go, &v->base.panel, canvas);
}

/* ---------------------------------------------------------------- as a figure */

static viz_figure_frame lay_figure(viz_weights_view *v, const viz_canvas *canvas, viz_rect area)
{
    viz_figure_frame f = viz_figure_frame_lay(area, viz_weights_figure_has_title(v), true);
    viz_panel_lay(&v->panel, canvas, f.panel);
    v->panel.least_end = v->view.scale_end;
    return f;
}

static float figure_scale(const viz_view *view)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    return viz_is_difference(v->model) ? 0 : viz_panel_scale(&v->panel).high;
}

static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    viz_weights_view *v = &as_matrix_view(view)->base;
    viz_figure_frame f = lay_figure(v, canvas, (viz_rect){0, 0, width, VIZ_FIGURE_TALLEST * width});
    viz_rect cells = v->panel.layout.cells;
    return f.around + cells.y + cells.h - f.panel.y;
}

/* The panel, "query" and "key" along it, the title where there are several maps, and the bar. */
static void draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    viz_weights_view *v = &as_matrix_view(view)->base;
    const viz_weights_model *model = v->model;
    char name[192], pooled[64], title[256], peak[400], titled[700];
    float dx, dy;
    as_matrix_view(view)->layout = (layout){0};
    viz_figure_frame f = lay_figure(v, canvas, area);
    viz_figure_centre(&f, v->panel.layout.cells, &dx, &dy);
    f = lay_figure(v, canvas, (viz_rect){area.x + dx, area.y + dy, area.w, area.h});
    viz_rect cells = v->panel.layout.cells;
    viz_weights_model_title(model, title, sizeof title);
    if (viz_is_difference(model))
        snprintf(titled, sizeof titled, "%s;  %s", title,
                 viz_difference_peak(model, peak, sizeof peak));
    else
        snprintf(titled, sizeof titled, "%s", title);
    viz_weights_figure_draw_title(v, canvas, &f, cells, titled);
    viz_axis_name_draw(canvas, cells, f.name_y, model->source->weights.turned ? "query" : "key");
    viz_axis_name_draw_up(canvas, cells, f.name_x, model->source->weights.turned ? "key" : "query");
    viz_panel_draw(&v->panel, canvas);
    viz_weights_model_scale_name(model, name, sizeof name);
    if (viz_panel_pooling(&v->panel, pooled, sizeof pooled)) {
        char scale[96];
        snprintf(scale, sizeof scale, "%.90s", name);
        snprintf(name, sizeof name, "%s%s%s", scale, viz_word("; each dot "), pooled);
    }
    viz_scale scale = viz_panel_scale(&v->panel);
    viz_bar_draw(canvas, viz_figure_bar(&f, cells), viz_map_colors(canvas->theme, model->look.map),
                 &scale, viz_weights_model_uniform(model), name);
}

/* ---------------------------------------------------------------- events */

static bool press_selector(matrix_view *v, const viz_event *event)
{
    const layout *l = &v->layout;
    if (event->kind != VIZ_PRESS || l->selector.w <= 0 ||
        !viz_inside(l->selector, event->x, event->y))
        return false;
    size_t row = (size_t)((event->y - l->selector.y) / l->selector_cell),
           column = (size_t)((event->x - l->selector.x) / l->selector_cell);
    viz_weights_model_select(v->base.model, l->layers_across ? column : row,
                             l->layers_across ? row : column);
    return true;
}

static bool press_step_layer_or_head(viz_view *view, viz_pressed pressed)
{
    viz_weights_view_step(&as_matrix_view(view)->base, pressed.what, pressed.step);
    return true;
}

static bool press_open_go_line(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_go_line_begin(&as_matrix_view(view)->go);
    return true;
}

/* By a cell, or where several share a dot by a dot; what is current stays in sight. */
static bool press_move_cell(viz_view *view, viz_pressed pressed)
{
    viz_panel *panel = &as_matrix_view(view)->base.panel;
    const viz_panel_layout *l = &panel->layout;
    size_t *at = pressed.what ? &panel->model->row : &panel->model->column;
    size_t count = pressed.what ? l->rows : l->columns,
           step = pressed.what ? l->pool_rows : l->pool_cols, before = *at;
    if (!count)
        return false;
    size_t to = pressed.step > 0 ? (count - 1 - before > step ? before + step : count - 1)
                                 : (before > step ? before - step : 0);
    viz_panel_select_cell(panel, pressed.what ? to : panel->model->row,
                          pressed.what ? panel->model->column : to);
    viz_panel_scroll_to_current(panel);
    return to != before;
}

static bool press_first_or_last_row(viz_view *view, viz_pressed pressed)
{
    viz_panel *panel = &as_matrix_view(view)->base.panel;
    size_t rows = panel->layout.rows;
    if (!rows)
        return false;
    viz_panel_go(panel, &(viz_map_place){.row = pressed.step < 0 ? 0 : rows - 1, .rows = 1});
    return true;
}

static const viz_key_row keys[] = {
    {"←  →", "head", press_step_layer_or_head},
    {"↑  ↓", "layer", press_step_layer_or_head, true, .acts = viz_weights_has_layers},
    {"J", "the next query (shift: before)", viz_weights_press_row},
    {"N  P", "another of several pictures", viz_weights_press_next_picture,
     .acts = viz_weights_has_pictures},
    {"space", "play through the queries", viz_weights_press_play},
    {"wheel", "zoom; drag to pan"},
    {"+  −", "zoom in, zoom out", viz_weights_press_zoom},
    {"ctrl ←  ctrl →", "the key beside this one", press_move_cell},
    {"ctrl ↑  ctrl ↓", "the query above, below", press_move_cell, true},
    {"Home  End", "the first query, the last", press_first_or_last_row},
    {"ctrl L", "go to a row or column: type row 1234", press_open_go_line},
    {"F", "fit the whole matrix", viz_weights_press_fit},
    VIZ_WEIGHTS_KEYS,
};

static bool event(viz_view *view, const viz_event *e)
{
    matrix_view *v = as_matrix_view(view);
    bool changed;
    if (viz_go_line_event(&v->go, &v->base.panel, e))
        return true;
    if (e->kind == VIZ_KEY)
        return viz_keys_press(keys, view, e);
    return viz_weights_view_axis_switch_event(&v->base, e) ||
           viz_controls_event(&v->base.controls.choices, &v->base.view, e, &changed) ||
           press_selector(v, e) || viz_row_panel_event(&v->base.row, e) ||
           viz_panel_event(&v->base.panel, e);
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const matrix_view *v = (const matrix_view *)view;
    const layout *l = &v->layout;
    viz_weights_view_spots(&v->base, l->bar, spots);
    viz_spots_add(spots, viz_minimap_rect(&v->base.panel), VIZ_SPOT_AREA,
                  "The whole map; the frame is what is seen. Click or drag to go there.");
    if (l->sums) {
        viz_spots_add(
            spots, viz_sums_of_rows(&v->base.panel), VIZ_SPOT_READOUT,
            viz_sums_are_numbered(&v->base.panel)
                ? "The sum of each row: the weights of one query, which are shares of 1."
                : "How far each row spreads: its entropy, of which the whole width is that "
                  "of weights that are all alike.");
        viz_spots_add(
            spots, viz_sums_of_columns(&v->base.panel), VIZ_SPOT_READOUT,
            "The sum of each column: the attention that a key receives from all queries.");
    }
    viz_spots_add(spots, l->selector, VIZ_SPOT_AREA, "Click to choose a layer and a head.");
    viz_spots_add_press(spots, (viz_rect){l->readout_x, l->readout_y - 14, l->readout_w, 20}, "I",
                        "The weight of this key for this query, and how far the row spreads: 0 "
                        "bits for one key, the second number for all alike; click to see why.");
}

static size_t count_rows(const matrix_view *v)
{
    return viz_weights_model_map(v->base.model).rows;
}

static bool typing(const viz_view *view)
{
    return ((const matrix_view *)view)->go.open;
}

static bool tick(viz_view *view, double now)
{
    return viz_weights_view_tick(&as_matrix_view(view)->base, now);
}

/* ---------------------------------------------------------------- work, words, frames */

static viz_job *create_job(viz_view *view)
{
    matrix_view *v = as_matrix_view(view);
    const viz_weights_model *model = v->base.model;
    bool all = viz_weights_model_shares_scale(model) && model->scale != VIZ_LOG; /* of long maps */
    return viz_weights_view_create_job(&v->base, all);
}

static int frame_rows(const matrix_view *v)
{
    size_t rows = count_rows(v);
    return rows < FRAME_ROWS ? (int)rows : FRAME_ROWS;
}

/* The queries, one after the other, the way playing shows them. */
static int frames(const viz_view *view, int fps)
{
    const matrix_view *v = (const matrix_view *)view;
    return viz_player_frames(&v->base.player, frame_rows(v), fps);
}

static void frame(viz_view *view, int index, int fps)
{
    matrix_view *v = as_matrix_view(view);
    viz_weights_model *model = v->base.model;
    int count = frame_rows(v);
    viz_player_set_frame(&v->base.player, count, index, fps);
    size_t last = count_rows(v) - 1, step = (size_t)v->base.player.step;
    size_t row = count > 1 ? step * last / (size_t)(count - 1) : 0;
    model->column_chosen &= row == model->row && index > 0;
    model->row = row;
    if (index == 0)
        viz_panel_rewind(&v->base.panel);
    viz_panel_tick(&v->base.panel, v->base.player.now);
}

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    viz_weights_model *model;
    sac_status status = viz_weights_view_create_model(source, beside, &model, error);
    if (status != SAC_OK)
        return status;
    status = viz_matrix_view_create(model, view, error);
    viz_weights_model_release(model);
    return status;
}

const viz_view_class viz_matrix_class = {
    .name = "matrix",
    .tab = "Matrix",
    .create = create,
    .draw = draw,
    .figure = draw_figure,
    .figure_height = figure_height,
    .figure_scale = figure_scale,
    .event = event,
    .typing = typing,
    .tick = tick,
    .create_job = create_job,
    .finish_job = viz_weights_view_finish_job,
    .settings = {viz_weights_settings, viz_panel_settings},
    .map = viz_weights_map_matrix,
    .pair_room = pair_room,
    .pair_lay = pair_lay,
    .pair_draw = pair_draw,
    .keys = keys,
    .spots = add_spots,
    .about = "One head: a row for each query, a column for each key.",
    .frames = frames,
    .frame = frame,
    .destroy = viz_weights_view_destroy,
    VIZ_WEIGHTS_VIEW_FUNCTIONS};

sac_status viz_matrix_view_create(viz_weights_model *model, viz_view **view, sac_error *error)
{
    matrix_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, "matrix");
    viz_weights_view_init(&v->base, &viz_matrix_class, model);
    v->base.player = (viz_player){.step_seconds = PLAY_SECONDS, .speed = 1, .loops = true};
    *view = &v->base.view;
    return SAC_OK;
}
