/* The weights of one row: over the picture, and as a list. */

#include "weights/row_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "canvas/scanpath.h"
#include "parts/controls/widgets.h"
#include "parts/figures/overlays.h"
#include "sources/words/peak.h"
#include "view/words.h"

#define LIST_LINE 22.0f
#define LIST_MOST 24
#define LIST_GAP 24.0f /* between the picture and a list beside it */

void viz_row_panel_free(viz_row_panel *side)
{
    viz_scaled_free(&side->scaled);
    free(side->row);
    free(side->cells);
    *side = (viz_row_panel){0};
}

float viz_row_panel_ratio(const viz_row_panel *side)
{
    const sac_image *image = side->panel->model->source->picture.image;
    return image ? (float)image->height / (float)image->width : 0;
}

/* Queries and keys are the same tokens. */
static bool is_square(const viz_row_panel *side)
{
    const viz_weights_model *model = side->panel->model;
    return sac_source_steps(model->source, model->batch) ==
           sac_source_positions(model->source, model->batch);
}

/* The largest rectangle that fits the upper left corner of `room`; false: there is none, or no
 * space. */
static bool place_picture(viz_row_panel *side, viz_rect room)
{
    float ratio = viz_row_panel_ratio(side);
    side->picture = (viz_rect){0};
    if (!(ratio > 0) || room.w <= 40 || room.h <= 40)
        return false;
    float width = floorf(fminf(room.w, room.h / ratio));
    side->picture = (viz_rect){room.x, room.y, width, floorf(width * ratio)};
    return true;
}

void viz_row_panel_lay_list(viz_row_panel *side, viz_rect room)
{
    side->list = room.h >= 3 * LIST_LINE && room.w >= 150 ? room : (viz_rect){0};
}

void viz_row_panel_lay(viz_row_panel *side, viz_rect room, float share)
{
    if (place_picture(side, (viz_rect){room.x, room.y, room.w, share * room.h})) {
        room.y += side->picture.h + 22;
        room.h -= side->picture.h + 22;
    }
    viz_row_panel_lay_list(side, room);
}

void viz_row_panel_lay_picture(viz_row_panel *side, viz_rect room, viz_rect *rest)
{
    float used = place_picture(side, room) ? side->picture.w + LIST_GAP : 0;
    *rest = (viz_rect){room.x + used, room.y, room.w - used, room.h};
}

/* ---------------------------------------------------------------- the boxes of known objects */

static bool shows_boxes(const viz_weights_model *model)
{
    return model->source->result.has_truth && model->source->picture.image && !model->without_boxes;
}

bool viz_row_boxes_localize(const viz_weights_model *model, const float *cells, int object,
                            sac_localization *localization)
{
    const sac_source *source = model->source;
    if (!cells)
        return false;
    const int w = source->picture.grid_w, h = source->picture.grid_h;
    *localization = sac_look_localize(&source->result.truth.object[object].look, cells, w, h,
                                      sac_map_peak(cells, w, h));
    return true;
}

/* The objects that contain the peak are marked. */
static void draw_boxes(const viz_weights_model *model, viz_canvas *canvas, viz_rect picture,
                       const float *cells)
{
    const sac_caption_truth *truth = &model->source->result.truth;
    if (!shows_boxes(model))
        return;
    viz_clip(canvas, picture);
    for (int i = 0; i < truth->objects * 2; i++) { /* what is looked into over the others */
        sac_localization localization = {0};
        viz_row_boxes_localize(model, cells, i % truth->objects, &localization);
        if (localization.inside == (i >= truth->objects))
            viz_look_draw(canvas, picture, &truth->object[i % truth->objects].look,
                          localization.inside, 1.5f);
    }
    viz_clip_none(canvas);
}

/* The height of a list of them, its title included; 0: there is none. */
static float boxes_height(const viz_weights_model *model, float room)
{
    float height = LIST_LINE * (float)(model->source->result.truth.objects + 1) + 14;
    return shows_boxes(model) && height <= room ? height : 0;
}

/* "dog  ▇▇▇|▇  0.62  0.18": the share of the heat that is in its boxes; and of the picture, which evenly
 * spread heat would have there, as a mark on the bar too. */
static void draw_box_line(viz_canvas *canvas, viz_rect line, const char *name,
                          const sac_localization *localization, float names)
{
    const viz_theme *theme = canvas->theme;
    viz_color color = localization->inside ? theme->accent : theme->text2;
    char number[16];
    float digits = 2 * viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "  0.00");
    float track = line.w - names - digits - 2 * VIZ_GAP, x = line.x + names + VIZ_GAP;
    snprintf(number, sizeof number, "%.2f", (double)localization->box_share);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, line.x + line.w, line.y + 14, VIZ_RIGHT, theme->text2,
             number);
    snprintf(number, sizeof number, "%.2f", (double)localization->mass);
    line.w -= digits / 2;
    viz_named_bar_draw(canvas, line, names, name, color,
                       track < 20 ? -1 : track * localization->mass, color, number);
    if (track >= 20)
        viz_fill(canvas, (viz_rect){x + track * localization->box_share, line.y + 2, 1, 16},
                 theme->text);
}

static void draw_box_list(const viz_weights_model *model, viz_canvas *canvas, viz_rect list,
                          const float *cells)
{
    const sac_caption_truth *truth = &model->source->result.truth;
    float names = 0;
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, list.x, list.y + 10, list.w, VIZ_LEFT,
                    canvas->theme->text2, "share of the heat, and of the picture");
    for (int i = 0; i < truth->objects; i++)
        names =
            fmaxf(names, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, truth->object[i].words[0]));
    names = fminf(names, 0.4f * list.w);
    for (int i = 0; i < truth->objects; i++) {
        viz_rect line = {list.x, list.y + LIST_LINE * (float)(i + 1), list.w, LIST_LINE};
        sac_localization localization;
        if (viz_row_boxes_localize(model, cells, i, &localization))
            draw_box_line(canvas, line, truth->object[i].words[0], &localization, names);
    }
}

/* ---------------------------------------------------------------- the picture */

/* Column `index` of the map as a cell of the picture; empty for tokens that are no cells. */
static viz_rect picture_cell(const viz_row_panel *side, size_t column)
{
    const sac_source *source = side->panel->model->source;
    size_t x, y;
    if (!viz_weights_model_cell(side->panel->model, column, &x, &y))
        return (viz_rect){0};
    float w = side->picture.w / (float)source->picture.grid_w;
    float h = side->picture.h / (float)source->picture.grid_h;
    return (viz_rect){side->picture.x + (float)x * w, side->picture.y + (float)y * h, w, h};
}

bool viz_row_panel_gather(const viz_row_panel *side, const float *row, float *cells)
{
    const viz_weights_model *model = side->panel->model;
    size_t left = viz_weights_model_map(model).col,
           count = (size_t)model->source->picture.grid_w * (size_t)model->source->picture.grid_h;
    if (!count || left > sac_source_cell_position(model->source, model->batch, 0))
        return false;
    for (size_t i = 0; i < count; i++)
        cells[i] = row[sac_source_cell_position(model->source, model->batch, i) - left];
    return true;
}

const float *viz_row_panel_cells(viz_row_panel *side, const float *row)
{
    const sac_source *source = side->panel->model->source;
    if (row && !side->cells)
        side->cells =
            viz_allocate((size_t)source->picture.grid_w * (size_t)source->picture.grid_h + 1,
                         sizeof *side->cells);
    return row && side->cells && viz_row_panel_gather(side, row, side->cells) ? side->cells : NULL;
}

/* Those of the row that has come, whatever glides over the picture. */
static const float *cells_of_known_row(viz_row_panel *side)
{
    return viz_row_panel_cells(side, side->panel->weights);
}

/* That of the map: a weight has one colour wherever it is shown. What is not above 1/N covers nothing of the
 * picture, whatever the scale. */
viz_scale viz_row_panel_heat_scale(const viz_row_panel *side)
{
    char pooled[64];
    const viz_head_entry *entry = viz_weights_model_entry(
        side->panel->model, side->panel->model->layer, side->panel->model->head);
    bool seen = !side->panel->hidden && !viz_panel_pooling(side->panel, pooled, sizeof pooled);
    if (!entry || seen)
        return viz_panel_scale(side->panel);
    return viz_weights_model_scale(side->panel->model, viz_head_entry_most(entry));
}

static void draw_picture(viz_row_panel *side, viz_canvas *canvas, const float *row)
{
    const sac_source *source = side->panel->model->source;
    viz_rect rect = side->picture;
    const float *cells = viz_row_panel_cells(side, row);
    if (rect.w <= 0)
        return;
    viz_image_kept(canvas, &side->scaled, source->picture.image, 1, rect, true);
    if (cells) {
        viz_heat_style style = side->panel->model->look;
        style.scale = viz_row_panel_heat_scale(side);
        viz_heat(canvas, &side->scaled, rect, cells, source->picture.grid_w, source->picture.grid_h,
                 &style);
    }
    if (cells && viz_heat_is_even(cells, source->picture.grid_w * source->picture.grid_h, 0))
        viz_note_draw_over(canvas, rect, VIZ_EVEN_NOTE);
    draw_boxes(side->panel->model, canvas, rect, cells_of_known_row(side));
    viz_rect query = picture_cell(side, side->panel->model->row),
             key = picture_cell(side, side->panel->model->column);
    for (size_t i = 0; is_square(side) && i < side->panel->layout.columns; i++) {
        viz_rect cell = viz_weights_model_is_query(side->panel->model, i) ? picture_cell(side, i)
                                                                          : (viz_rect){0};
        if (cell.w > 0)
            viz_ring(canvas, cell.x + cell.w / 2, cell.y + cell.h / 2,
                     fmaxf(0.3f * fminf(cell.w, cell.h), 4), 1.5f, 1);
    }
    if (is_square(side) && query.w > 0 && !side->panel->model->several_count)
        viz_ring(canvas, query.x + query.w / 2, query.y + query.h / 2,
                 fmaxf(0.42f * fminf(query.w, query.h), 6), 2, 1);
    if (key.w > 0)
        viz_frame_apart(canvas, key, 2);
}

/* ---------------------------------------------------------------- the list */

size_t viz_largest(const float *row, size_t count, size_t most, size_t *places)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = found < most ? found : most - 1;
        if (found == most && fabsf(row[i]) <= fabsf(row[places[at]]))
            continue;
        for (; at > 0 && fabsf(row[i]) > fabsf(row[places[at - 1]]); at--)
            places[at] = places[at - 1];
        places[at] = i;
        found += found < most;
    }
    return found;
}

/* The space for the list below that of the boxes. */
static viz_rect keys_list(const viz_row_panel *side)
{
    viz_rect list = side->list;
    float boxes = boxes_height(side->panel->model, list.h);
    list.y += boxes;
    list.h -= boxes;
    return list;
}

/* A key's name in the list; of those of one name each has its place. */
static const char *key_label(const viz_row_panel *side, size_t column, char *text, size_t size)
{
    const viz_weights_model *model = side->panel->model;
    const char *label = viz_weights_model_column_label(model, column), *other;
    bool repeated = false;
    if (!label)
        return viz_weights_model_column_name(model, column, text, size);
    for (size_t i = 0; i < side->panel->layout.columns && !repeated; i++) {
        other = i != column ? viz_weights_model_column_label(model, i) : NULL;
        repeated = other && strcmp(other, label) == 0;
    }
    if (!repeated)
        return label;
    snprintf(text, size, "%s (%zu)", label, column);
    return text;
}

/* One line of the list: name, bar, number. */
static void draw_line(const viz_row_panel *side, viz_canvas *canvas, viz_rect line,
                      const float *row, size_t column, float most, float names)
{
    const viz_theme *theme = canvas->theme;
    const viz_weights_model *model = side->panel->model;
    char name[160], number[32];
    bool current = column == model->column, difference = viz_is_signed(model);
    const uint8_t *masked = side->panel->weights_masked;
    bool hidden = masked && masked[column]; /* 0, but not by its score */
    (difference ? viz_signed_number : viz_number)(row[column], number, sizeof number);
    viz_named_bar_draw(
        canvas, line, names, key_label(side, column, name, sizeof name),
        current ? theme->accent : theme->text2,
        hidden ? -1 : (line.w - names - VIZ_BAR_DIGITS - VIZ_GAP) * fabsf(row[column]) / most,
        difference ? viz_map_color(theme, model->look.map, row[column] < 0 ? 0.2f : 0.8f)
        : current  ? theme->accent
                   : theme->text2,
        hidden ? NULL : number);
    if (hidden)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, line.x + line.w, line.y + 14, VIZ_RIGHT, theme->text2,
                 "masked");
}

/* The number of lines that fit. */
static size_t list_line_count(const viz_row_panel *side)
{
    viz_rect list = keys_list(side);
    float lines = (list.h - LIST_LINE) / LIST_LINE;
    return list.w <= 0 || lines < 1 ? 0 : lines > LIST_MOST ? LIST_MOST : (size_t)lines;
}

static void draw_list(const viz_row_panel *side, viz_canvas *canvas, const float *row)
{
    viz_rect list = keys_list(side);
    size_t places[LIST_MOST], lines = list_line_count(side);
    char name[160], title[200];
    if (!lines || !row)
        return;
    size_t count = viz_largest(row, side->panel->layout.columns, lines, places);
    viz_weights_model_row_name(side->panel->model, side->panel->weights_row, name, sizeof name);
    snprintf(title, sizeof title,
             viz_word(viz_is_difference(side->panel->model)        ? "%s: largest differences"
                      : viz_is_signed(side->panel->model)          ? "%s: largest"
                      : side->panel->model->source->weights.turned ? "%s is looked at from"
                                                                   : "%s attends to"),
             name);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, list.x, list.y + 10, list.w, VIZ_LEFT,
                    canvas->theme->text2, title);
    float names = 0, most = fmaxf(fabsf(row[places[0]]), 1e-30f);
    for (size_t i = 0; i < count; i++) {
        const char *label = key_label(side, places[i], name, sizeof name);
        names = fmaxf(names, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label));
    }
    names = fminf(names, 0.4f * list.w);
    for (size_t i = 0; i < count; i++)
        draw_line(side, canvas, viz_row_panel_line(side, i), row, places[i], most, names);
}

size_t viz_row_panel_line_count(const viz_row_panel *side)
{
    size_t room = list_line_count(side), columns = side->panel->layout.columns;
    bool known = side->panel->weights && side->panel->weights_count == columns;
    return !known ? 0 : room < columns ? room : columns;
}

viz_rect viz_row_panel_line(const viz_row_panel *side, size_t line)
{
    viz_rect list = keys_list(side);
    return (viz_rect){list.x, list.y + LIST_LINE * (float)(line + 1), list.w, LIST_LINE};
}

static bool press_list(viz_row_panel *side, const viz_event *event)
{
    size_t places[LIST_MOST], lines = viz_row_panel_line_count(side);
    if (event->kind != VIZ_PRESS || event->button != 1 || !lines)
        return false;
    viz_largest(side->panel->weights, side->panel->weights_count, lines, places);
    for (size_t i = 0; i < lines; i++)
        if (viz_inside(viz_row_panel_line(side, i), event->x, event->y)) {
            viz_panel_select_cell(side->panel, side->panel->model->row, places[i]);
            return true;
        }
    return false;
}

bool viz_row_panel_event(viz_row_panel *side, const viz_event *event)
{
    if (press_list(side, event))
        return true;
    const sac_source *source = side->panel->model->source;
    viz_rect rect = side->picture;
    bool moves = event->kind == VIZ_MOVE || event->kind == VIZ_PRESS;
    if (!moves || rect.w <= 0 || !viz_inside(rect, event->x, event->y))
        return false;
    size_t x = (size_t)((event->x - rect.x) / rect.w * (float)source->picture.grid_w);
    size_t y = (size_t)((event->y - rect.y) / rect.h * (float)source->picture.grid_h), column;
    if (!viz_weights_model_column_of(side->panel->model, x, y, &column))
        return false;
    bool pressed = event->kind == VIZ_PRESS || (event->button == 1 && !side->panel->dragging);
    bool query = pressed && is_square(side);
    if (query && event->shift) {
        if (event->kind == VIZ_PRESS)
            viz_weights_model_toggle_query(side->panel->model, column);
        else
            viz_weights_model_add_query(side->panel->model, column);
        return true;
    }
    if (query)
        viz_weights_model_unmark_queries(side->panel->model);
    viz_panel_select_cell(side->panel, query ? column : side->panel->model->row, column);
    return true;
}

void viz_row_panel_draw(viz_row_panel *side, viz_canvas *canvas)
{
    float *scratch = realloc(side->row, side->panel->layout.columns * sizeof *side->row);
    side->row = scratch ? scratch : side->row;
    if (!scratch)
        viz_drawing_lacks_memory();
    const float *row = scratch ? viz_panel_row(side->panel, side->row) : NULL;
    draw_picture(side, canvas, row);
    /* Numbers do not glide: the list shows the row that has come. */
    if (side->list.w > 0 && boxes_height(side->panel->model, side->list.h) > 0)
        draw_box_list(side->panel->model, canvas, side->list, cells_of_known_row(side));
    draw_list(side, canvas, row ? side->panel->weights : NULL);
}

void viz_row_panel_draw_bar(viz_row_panel *side, viz_canvas *canvas, viz_rect rect)
{
    const viz_weights_model *model = side->panel->model;
    const float *weights = side->row ? viz_panel_row(side->panel, side->row) : NULL;
    const float *cells = viz_row_panel_cells(side, weights);
    char name[64];
    if (!cells)
        return;
    viz_heat_style style = model->look;
    style.scale = viz_row_panel_heat_scale(side);
    viz_weights_model_scale_name(model, name, sizeof name);
    viz_heat_bar_draw(canvas, rect, &style, viz_weights_model_uniform(model), name);
}
