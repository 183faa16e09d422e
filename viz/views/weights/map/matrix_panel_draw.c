/* Drawing of a panel: cells, their values, labels, the current cell, the read-out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "canvas/scanpath.h"
#include "parts/controls/widgets.h"
#include "view/words.h"
#include "weights/map/matrix_panel.h"

/* Cells smaller than this touch each other; larger ones are set apart by a hair. */
#define GRID_CELL 7.0f
#define HATCHED_CELL 6.0f /* strokes in smaller ones would be a blur */
#define VALUE_W 34.0f
#define VALUE_H 16.0f
#define WIDE_VALUE_W 56.0f
#define RING 7.0f          /* the least radius of the mark of the largest */
#define LEAST_NAMES 150.0f /* of a readout are read before its entropy is */

/* The place of a rectangle of weights on the canvas. */
static viz_rect rect_on_canvas(const viz_panel_layout *l, const sac_rect *r)
{
    return (viz_rect){(float)(l->room.x + ((double)r->col - l->x) * l->cell_w),
                      (float)(l->room.y + ((double)r->row - l->y) * l->cell_h),
                      (float)r->cols * l->cell_w, (float)r->rows * l->cell_h};
}

static bool is_seen(const viz_panel_layout *l, const sac_rect *rect)
{
    viz_rect r = rect_on_canvas(l, rect);
    return r.x < l->cells.x + l->cells.w && r.x + r.w > l->cells.x &&
           r.y < l->cells.y + l->cells.h && r.y + r.h > l->cells.y;
}

/* ---------------------------------------------------------------- cells */

/* Marks keys that a mask hides from the query; their weight of 0 alone would not show why. Adjacent
 * cells are drawn at once; where strokes would blur, in a tone of no colour map. */
static void draw_masked(const viz_panel_layout *l, viz_canvas *canvas, const viz_block *block)
{
    bool strokes = l->cell_w >= HATCHED_CELL && l->cell_h >= HATCHED_CELL;
    for (size_t r = 0; r < block->out_rows; r++) {
        const uint8_t *masked = block->masked + r * block->out_cols;
        for (size_t c = 0, end; c < block->out_cols; c = end + 1) {
            for (end = c; end < block->out_cols && masked[end];)
                end++;
            sac_rect run = {block->rect.row + r, 1, block->rect.col + c, end - c};
            if (end > c && strokes)
                viz_hatch(canvas, rect_on_canvas(l, &run), &l->cells);
            else if (end > c)
                viz_fill(canvas, rect_on_canvas(l, &run), canvas->theme->masked);
        }
    }
}

static void draw_values(const viz_panel *panel, viz_canvas *canvas, const viz_block *block,
                        const float *values, const viz_scale *scale)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_color *colors = viz_map_colors(canvas->theme, panel->model->look.map);
    for (size_t r = 0; r < block->out_rows; r++)
        for (size_t c = 0; c < block->out_cols; c++) {
            sac_rect one = {block->rect.row + r, 1, block->rect.col + c, 1};
            viz_rect cell = rect_on_canvas(l, &one);
            float value = values[r * block->out_cols + c];
            char text[32];
            if (cell.x + cell.w < l->cells.x || cell.x > l->cells.x + l->cells.w ||
                cell.y + cell.h < l->cells.y || cell.y > l->cells.y + l->cells.h)
                continue;
            if (block->masked && block->masked[r * block->out_cols + c])
                continue;
            /* Writes as many digits as fit; a small weight that is not 0 is not written as 0. */
            bool wide = l->cell_w >= WIDE_VALUE_W;
            size_t size = sizeof text;
            float least = wide ? 5e-5f : 5e-3f;
            if (value > 0 && value < least)
                snprintf(text, size, wide ? "<1e-4" : "<.01");
            else if (value < 0 && value > -least)
                snprintf(text, size, wide ? ">-1e-4" : ">-.01");
            else
                snprintf(text, size, wide ? "%.4f" : "%.2f", (double)value);
            viz_text(canvas, VIZ_MONO, VIZ_LABEL, cell.x + cell.w / 2, cell.y + cell.h / 2 + 4,
                     VIZ_CENTER, viz_text_on(colors[(int)(viz_scale_at(scale, value) * 255)]),
                     text);
        }
}

/* `mixed` [BLOCK²] takes the values on their way from the map before; NULL or t = 1: no way to go.
 */
static const float *glide_values(const viz_block *from, const viz_block *to, float t, float *mixed)
{
    if (!from || !mixed || t >= 1)
        return to->values;
    for (size_t i = 0; i < to->out_rows * to->out_cols; i++)
        mixed[i] = from->values[i] + t * (to->values[i] - from->values[i]);
    return mixed;
}

/* A block's places on a logarithmic scale; NULL where there is no memory to keep them. */
static const float *block_scale_positions(viz_block *block, const viz_scale *scale)
{
    size_t count = block->out_rows * block->out_cols;
    bool fresh =
        block->places && block->places_of.low == scale->low && block->places_of.high == scale->high;
    if (!block->places)
        block->places = malloc(count * sizeof *block->places);
    for (size_t i = 0; block->places && !fresh && i < count; i++)
        block->places[i] = viz_scale_at(scale, block->values[i]);
    block->places_of = *scale;
    return block->places;
}

static void draw_block(viz_panel *panel, viz_canvas *canvas, viz_block *block, viz_block *from,
                       const viz_scale *scale, float *mixed)
{
    const viz_panel_layout *l = &panel->layout;
    viz_rect rect = rect_on_canvas(l, &block->rect);
    const float *values = glide_values(from, block, viz_panel_glide_progress(panel), mixed);
    bool slow = scale->kind == VIZ_LOG && values == block->values;
    const float *places = slow ? block_scale_positions(block, scale) : NULL;
    const viz_scale as_places = {.kind = VIZ_FIXED, .low = 0, .high = 1};
    viz_cells(canvas, rect, places ? places : values, block->out_rows, block->out_cols,
              viz_map_colors(canvas->theme, panel->model->look.map), places ? &as_places : scale);
    block->used = panel->clock;
    if (from)
        from->used = panel->clock;
    bool whole = block->step_rows == 1 && block->step_cols == 1;
    if (whole && l->cell_w >= GRID_CELL && l->cell_h >= GRID_CELL) {
        /* Lines between the cells of a block, where viz_cells ends one and begins the next. */
        viz_pixels p = viz_to_pixels(canvas, rect);
        float d = canvas->density;
        viz_color color = viz_with_alpha(canvas->theme->between, 0.75f);
        int width = p.x1 - p.x0, height = p.y1 - p.y0;
        int cols = (int)block->out_cols, rows = (int)block->out_rows;
        for (int c = 1; c <= cols; c++) {
            int x = p.x0 + (int)(((long long)c * width + cols - 1) / cols) - 1;
            if (x >= canvas->clip.x0 && x < canvas->clip.x1)
                viz_fill(canvas, (viz_rect){(float)x / d, rect.y, 1 / d, rect.h}, color);
        }
        for (int r = 1; r <= rows; r++) {
            int y = p.y0 + (int)(((long long)r * height + rows - 1) / rows) - 1;
            if (y >= canvas->clip.y0 && y < canvas->clip.y1)
                viz_fill(canvas, (viz_rect){rect.x, (float)y / d, rect.w, 1 / d}, color);
        }
    }
    if (block->masked)
        draw_masked(l, canvas, block);
    if (whole && l->cell_w >= VALUE_W && l->cell_h >= VALUE_H)
        draw_values(panel, canvas, block, values, scale);
}

/* Blocks of the same map at other poolings hold the place of those that are still on their way:
 * the coarsest first, finer ones over them. */
static void draw_other_poolings(viz_panel *panel, viz_canvas *canvas, const sac_head_choice *choice,
                                const viz_scale *scale)
{
    for (size_t step = SIZE_MAX; step > 0;) {
        size_t next = 0;
        for (size_t i = 0; i < panel->block_count; i++) {
            viz_block *b = &panel->blocks[i];
            bool as_it_is = b->step_rows == 1 && b->step_cols == 1;
            if (!sac_head_choice_same(&b->choice, choice) ||
                (b->pool != panel->model->pool && !as_it_is) || !is_seen(&panel->layout, &b->rect))
                continue;
            if (b->step_rows == step)
                draw_block(panel, canvas, b, NULL, scale, NULL);
            else if (b->step_rows < step && b->step_rows > next)
                next = b->step_rows;
        }
        step = next;
    }
}

static void draw_cells(viz_panel *panel, viz_canvas *canvas)
{
    sac_head_choice choice = viz_panel_map_drawn(panel);
    viz_scale scale = viz_panel_scale(panel);
    viz_panel_seen seen = viz_panel_blocks_seen(&panel->layout);
    bool glides = viz_panel_glide_progress(panel) < 1, missing = false;
    float *mixed = glides ? viz_allocate(seen.height * seen.width, sizeof *mixed) : NULL;
    for (size_t r = seen.row0; r < seen.row1; r++)
        for (size_t c = seen.col0; c < seen.col1; c++)
            missing |= !viz_panel_block(panel, &choice, &seen, r, c);
    if (missing) {
        viz_fill(canvas, panel->layout.cells, canvas->theme->panel);
        draw_other_poolings(panel, canvas, &choice, &scale);
    }
    for (size_t r = seen.row0; r < seen.row1; r++)
        for (size_t c = seen.col0; c < seen.col1; c++) {
            viz_block *block = viz_panel_block(panel, &choice, &seen, r, c);
            viz_block *from = glides ? viz_panel_block(panel, &panel->before, &seen, r, c) : NULL;
            if (block)
                draw_block(panel, canvas, block, from, &scale, mixed);
        }
    free(mixed);
}

/* ---------------------------------------------------------------- the current cell */

static void draw_cross(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    sac_rect row = {panel->model->row, 1, 0, l->columns},
             column = {0, l->rows, panel->model->column, 1};
    sac_rect one = {panel->model->row, 1, panel->model->column, 1};
    viz_rect r = rect_on_canvas(l, &row), c = rect_on_canvas(l, &column),
             cell = rect_on_canvas(l, &one);
    viz_color line = viz_with_alpha(canvas->theme->accent, 0.8f);
    float grow = fmaxf(0, (4 - fminf(l->cell_w, l->cell_h)) / 2); /* small cells get a margin */
    viz_rect *all[] = {&r, &c, &cell};
    for (int i = 0; i < 3; i++) {
        all[i]->x -= grow;
        all[i]->y -= grow;
        all[i]->w += 2 * grow;
        all[i]->h += 2 * grow;
    }
    viz_frame(canvas, r, 1, line);
    viz_frame(canvas, c, 1, viz_with_alpha(line, 0.45f));
    viz_frame_apart(canvas, cell, 2);
}

/* Between the texts of a pair, where both are seen. */
static void draw_boundary(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    const sac_head_choice choice = viz_weights_model_current(panel->model);
    size_t second = panel->model->source->weights.second;
    sac_rect map = viz_weights_model_map(panel->model);
    if (choice.segments != SAC_SEGMENTS_ALL || second <= map.row || second <= map.col)
        return;
    sac_rect rows = {second - map.row, 0, 0, l->columns};
    sac_rect columns = {0, l->rows, second - map.col, 0};
    viz_rect across = rect_on_canvas(l, &rows), down = rect_on_canvas(l, &columns);
    float width = fminf(l->cell_w, l->cell_h) < GRID_CELL ? 1 : 2;
    across.y -= width / 2;
    down.x -= width / 2;
    across.h = down.w = width;
    viz_fill(canvas, across, canvas->theme->text);
    viz_fill(canvas, down, canvas->theme->text);
}

/* ---------------------------------------------------------------- labels */

/* Round numbers for an axis without labels: steps of 1, 2 or 5 that leave `apart` units between. */
static size_t tick_step(float cell, float apart)
{
    size_t decade = 1;
    for (;; decade *= 10)
        for (size_t i = 0; i < 3; i++) {
            size_t step = decade * (size_t[]){1, 2, 5}[i];
            if ((float)step * cell >= apart)
                return step;
        }
}

/* Rows or columns: what differs between the two axes of labels. */
typedef struct axis {
    bool vertical, labelled;
    size_t count, current, first_index; /* first_index: of the source, where tokens are dropped */
    double origin;
    float cell, from, length, apart; /* along the axis; from: where the cells begin */
} axis;

static axis make_axis(const viz_panel *panel, const viz_canvas *canvas, bool vertical)
{
    const viz_panel_layout *l = &panel->layout;
    sac_rect map = viz_weights_model_map(panel->model);
    char last[32];
    snprintf(last, sizeof last, "%zu", l->columns + map.col);
    float apart = viz_text_width(canvas, VIZ_MONO, l->label, last) + 16;
    if (vertical)
        return (axis){true, l->step_labels, l->rows,   panel->model->row, map.row,
                      l->y, l->cell_h,      l->room.y, l->cells.h,        26};
    return (axis){false, l->position_labels, l->columns, panel->model->column, map.col,
                  l->x,  l->cell_w,          l->room.x,  l->cells.w,           apart};
}

static float axis_middle(const axis *a, size_t index)
{
    return (float)(a->from + ((double)index + 0.5 - a->origin) * a->cell);
}

static const char *axis_label(const viz_panel *panel, const axis *a, size_t index)
{
    return a->vertical ? viz_weights_model_row_label(panel->model, index)
                       : viz_weights_model_column_label(panel->model, index);
}

static void draw_label(const viz_panel *panel, viz_canvas *canvas, const axis *a, size_t index,
                       viz_color color)
{
    const viz_panel_layout *l = &panel->layout;
    bool named = a->labelled || (index == a->current && !canvas->figure);
    const char *label = named ? axis_label(panel, a, index) : NULL;
    float at = axis_middle(a, index), gap = 6;
    char number[32], fit[256];
    snprintf(number, sizeof number, "%zu", index + a->first_index);
    bool upright = !a->vertical && label && l->upright;
    float room = upright ? l->room.y - l->area.y - gap : l->room.x - l->area.x - gap;
    viz_face face = label ? VIZ_SANS : VIZ_MONO;
    viz_text_fit(canvas, face, l->label, a->vertical || upright ? room : 200,
                 label ? label : number, fit, sizeof fit);
    if (upright)
        viz_text_up(canvas, face, l->label, at + l->label / 3, l->room.y - gap, color, fit);
    else if (a->vertical)
        viz_text(canvas, face, l->label, l->room.x - gap, at + l->label / 3, VIZ_RIGHT, color, fit);
    else
        viz_text(canvas, face, l->label, at, l->room.y - gap, VIZ_CENTER, color, fit);
}

/* All labels where they fit, else and for what has none numbers at round places; the current one in
 * the accent, and nothing so near that they would touch. Numbers below each other have room. */
static void draw_axis(const viz_panel *panel, viz_canvas *canvas, bool vertical)
{
    const viz_theme *theme = canvas->theme;
    axis a = make_axis(panel, canvas, vertical);
    size_t ticks = tick_step(a.cell, a.apart), step = a.labelled ? 1 : ticks;
    size_t first = (size_t)a.origin / step * step;
    bool points = !canvas->figure; /* on paper no cell is pointed at */
    float current = points ? axis_middle(&a, a.current) : -INFINITY, clear = 0.9f * a.apart;
    const char *label = points ? axis_label(panel, &a, a.current) : NULL;
    if (label && !vertical && !panel->layout.upright)
        clear = fmaxf(clear, viz_text_width(canvas, VIZ_SANS, panel->layout.label, label) / 2 + 20);
    for (size_t i = first; i < a.count; i += step) {
        float at = axis_middle(&a, i);
        if (at > a.from + a.length + 0.5f)
            break;
        bool crowded = i % ticks > 0 || fabsf(at - current) < clear;
        bool may_crowd = a.labelled && (vertical || axis_label(panel, &a, i));
        /* A number that would reach far over the end would meet what is beside the cells. */
        bool beyond =
            !vertical && !a.labelled && at > a.from + a.length - 0.2f * a.apart && a.cell < 4;
        if (at < a.from - 0.5f || (points && i == a.current) || (crowded && !may_crowd) || beyond)
            continue;
        draw_label(panel, canvas, &a, i, theme->text2);
    }
    if (current >= a.from - 0.5f && current <= a.from + a.length + 0.5f)
        draw_label(panel, canvas, &a, a.current, theme->accent);
}

/* ---------------------------------------------------------------- the small map */

static void draw_minimap(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_weights_model *m = panel->model;
    const viz_theme *theme = canvas->theme;
    viz_rect r = viz_minimap_rect(panel);
    const viz_head_entry *entry = viz_weights_model_entry(m, m->layer, m->head);
    if (r.w <= 0 || canvas->figure)
        return;
    viz_rect outer = {r.x - 3, r.y - 3, r.w + 6, r.h + 6};
    viz_fill(canvas, outer, theme->ground);
    viz_frame(canvas, outer, 1, theme->line);
    if (entry && entry->thumb.cells) {
        viz_scale scale = viz_weights_model_scale(m, entry->thumb.high);
        viz_cells(canvas, r, entry->thumb.cells, entry->thumb.rows, entry->thumb.cols,
                  viz_map_colors(theme, m->look.map), &scale);
    }
    /* What is seen: a frame that is never too small to be found. */
    float x = r.x + r.w * (float)(l->x / (double)l->columns);
    float y = r.y + r.h * (float)(l->y / (double)l->rows);
    float w = r.w * l->cells.w / l->cell_w / (float)l->columns;
    float h = r.h * l->cells.h / l->cell_h / (float)l->rows;
    float grow_w = fmaxf(0, (6 - w) / 2), grow_h = fmaxf(0, (6 - h) / 2);
    viz_rect seen = {x - grow_w, y - grow_h, w + 2 * grow_w, h + 2 * grow_h};
    viz_clip(canvas, outer);
    viz_frame(canvas, seen, 1.5f, theme->accent);
    viz_clip(canvas, l->cells);
}

/* ---------------------------------------------------------------- what is coarse */

/* Frames what is drawn by a sample of its rows, with a note; nothing where all is exact. */
static void draw_coarse_marks(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    viz_panel_progress p = viz_panel_get_progress(panel);
    char text[160];
    if (p.done == p.blocks || !p.stands || !panel->live || canvas->figure)
        return;
    viz_panel_seen s = viz_panel_blocks_seen(l);
    sac_head_choice choice = viz_panel_map_drawn(panel);
    viz_color line = viz_with_alpha(canvas->theme->accent, 0.35f);
    for (size_t r = s.row0; r < s.row1; r++)
        for (size_t c = s.col0; c < s.col1; c++) {
            if (viz_panel_block(panel, &choice, &s, r, c))
                continue;
            sac_rect part = {r * s.height, s.height, c * s.width, s.width};
            part.rows = part.row + part.rows < l->rows ? part.rows : l->rows - part.row;
            part.cols = part.col + part.cols < l->columns ? part.cols : l->columns - part.col;
            viz_frame(canvas, rect_on_canvas(l, &part), 1, line);
        }
    snprintf(
        text, sizeof text,
        viz_word("coarse where framed: %zu rows of every %zu are read; exact: %zu of %zu parts"),
        p.sampled_rows, p.stands, p.done, p.blocks);
    viz_note_draw(canvas, l->cells.x + VIZ_GAP, l->cells.y + l->cells.h - VIZ_NOTE_HEIGHT - VIZ_GAP,
                  l->cells.w - 2 * VIZ_GAP, text);
}

/* ---------------------------------------------------------------- differences */

/* A ring around the largest of signed numbers, where it is seen. */
static void draw_peak(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_weights_model *model = panel->model;
    const viz_panel_layout *l = &panel->layout;
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    const sac_weights_stats *stats = entry ? &entry->scan.stats : NULL;
    if (!entry || !entry->scan.finds_peak || !viz_is_signed(model) || stats->peak == 0 ||
        stats->rows != l->rows || stats->columns != l->columns)
        return; /* of another map */
    float x = (float)(l->room.x + ((double)stats->peak_column + 0.5 - l->x) * (double)l->cell_w);
    float y = (float)(l->room.y + ((double)stats->peak_row + 0.5 - l->y) * (double)l->cell_h);
    if (!viz_inside(l->cells, x, y))
        return;
    float radius = fmaxf(0.75f * fmaxf(l->cell_w, l->cell_h), RING);
    viz_ring(canvas, x, y, radius, 2, 1);
}

/* What both sides have in the current cell, at the right end of a line; returns its width. */
static float draw_sides(const viz_panel *panel, viz_canvas *canvas, float right, float y,
                        float most)
{
    const viz_weights_model *model = panel->model;
    const char *const *names = model->source->weights.side_names;
    size_t column = model->column, columns = panel->weights_count;
    char number[3][32], text[400];
    if (!panel->sides || column >= columns)
        return 0;
    viz_number(panel->sides[column], number[0], sizeof number[0]);
    viz_number(panel->sides[columns + column], number[1], sizeof number[1]);
    snprintf(text, sizeof text, "%s %s  ·  %s %s", names[0], number[0], names[1], number[1]);
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > most)
        snprintf(text, sizeof text, "= %s − %s", number[1], number[0]);
    return viz_text(canvas, VIZ_SANS, VIZ_LABEL, right, y, VIZ_RIGHT, canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- the whole */

void viz_panel_draw(viz_panel *panel, viz_canvas *canvas)
{
    panel->clock++;
    viz_clip(canvas, panel->layout.cells);
    draw_cells(panel, canvas);
    draw_boundary(panel, canvas);
    const viz_panel_layout *l = &panel->layout;
    for (size_t r = 0; r < l->rows && panel->model->several_count; r++) { /* of several queries */
        sac_rect row = {r, 1, 0, l->columns};
        if (viz_weights_model_is_query(panel->model, r))
            viz_frame(canvas, rect_on_canvas(l, &row), 1, canvas->theme->text);
    }
    if (!canvas->figure)
        draw_cross(panel, canvas);
    draw_coarse_marks(panel, canvas);
    draw_minimap(panel, canvas);
    viz_clip_none(canvas);
    draw_axis(panel, canvas, true);
    draw_axis(panel, canvas, false);
    draw_peak(panel, canvas);
}

/* What a head's sink took of the current row, as "sink 0.61, ": what of it no key has; "" where there
 * is none, or the map is not made of whole rows. */
static void write_sink_share(const viz_panel *panel, char *text, size_t size)
{
    const viz_weights_model *model = panel->model;
    const sac_head_choice choice = viz_weights_model_current(model);
    bool is_whole = choice.prefix == SAC_PREFIX_SHOWN &&
                    (choice.reduce == SAC_REDUCE_NONE || choice.reduce == SAC_REDUCE_MEAN);
    char number[32];
    double sum = 0;
    text[0] = '\0';
    if (!model->source->weights.has_sinks || !is_whole)
        return;
    for (size_t i = 0; i < panel->weights_count; i++)
        sum += (double)panel->weights[i];
    viz_number((float)fmax(1 - sum, 0), number, sizeof number);
    snprintf(text, size, viz_word("sink %s, "), number);
}

void viz_panel_draw_readout(const viz_panel *panel, viz_canvas *canvas, float x, float y,
                            float width)
{
    const viz_theme *theme = canvas->theme;
    const viz_weights_model *model = panel->model;
    if (!panel->weights || panel->weights_count != panel->layout.columns ||
        panel->model->column >= panel->weights_count)
        return;
    char row[160], column[160], names[400], number[32], sink[64], entropy[160];
    viz_weights_model_row_name(model, panel->weights_row, row, sizeof row);
    viz_weights_model_column_name(model, panel->model->column, column, sizeof column);
    snprintf(names, sizeof names, "%s %s %s", row, model->source->weights.turned ? "←" : "→",
             column);
    bool difference = viz_is_signed(model);
    (difference ? viz_signed_number : viz_number)(panel->weights[panel->model->column], number,
                                                  sizeof number);
    float bits = sac_entropy(panel->weights, panel->weights_count);
    write_sink_share(panel, sink, sizeof sink);
    snprintf(entropy, sizeof entropy, "%s", sink);
    snprintf(entropy + strlen(entropy), sizeof entropy - strlen(entropy),
             viz_word("row entropy %.1f of %.1f bits"), (double)bits,
             (double)log2f((float)panel->weights_count));
    if (difference) /* whose rows have none */
        entropy[0] = '\0';
    float right = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, entropy);
    float value = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, number) + VIZ_GAP;
    float least = fminf(viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, names), LEAST_NAMES);
    if (least + value + right + 2 * VIZ_GAP > width)
        entropy[0] = '\0';
    right = entropy[0] ? right : 0;
    if (difference)
        right = draw_sides(panel, canvas, x + width, y, width - least - value);
    float end = viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x, y,
                                width - right - value - 2 * VIZ_GAP, VIZ_LEFT, theme->text2, names);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, x + end + VIZ_GAP, y, VIZ_LEFT, theme->text, number);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x + width, y, VIZ_RIGHT, theme->text2, entropy);
}
