/* The map on show as numbers: the enlarged matrix, or its current row over the picture; and how a
 * view follows another one that is beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/map.h"
#include "weights/weights_view.h"

/* ---------------------------------------------------------------- what is seen of the matrix */

/* The dots that are seen: the first weight of the first one, and how many there are. */
typedef struct seen_dots {
    size_t row, column, rows, columns;
} seen_dots;

static size_t visible_end(double at, float room, float cell, size_t size)
{
    size_t end = (size_t)ceil(at + (double)(room / cell));
    return end < size ? end : size;
}

static seen_dots find_visible_dots(const viz_panel_layout *l)
{
    seen_dots s = {(size_t)l->y / l->pool_rows * l->pool_rows,
                   (size_t)l->x / l->pool_cols * l->pool_cols, 0, 0};
    size_t bottom = visible_end(l->y, l->cells.h, l->cell_h, l->rows);
    size_t right = visible_end(l->x, l->cells.w, l->cell_w, l->columns);
    s.rows = (bottom - s.row + l->pool_rows - 1) / l->pool_rows;
    s.columns = (right - s.column + l->pool_cols - 1) / l->pool_cols;
    return s;
}

/* The part of a block that is seen; a masked weight is no number. */
static void copy_block(const viz_block *b, const seen_dots *s, float *dots)
{
    for (size_t r = 0; r < b->out_rows; r++)
        for (size_t c = 0; c < b->out_cols; c++) {
            size_t row = b->rect.row + r * b->step_rows, column = b->rect.col + c * b->step_cols;
            size_t at = r * b->out_cols + c;
            if (row < s->row || column < s->column)
                continue;
            row = (row - s->row) / b->step_rows;
            column = (column - s->column) / b->step_cols;
            if (row < s->rows && column < s->columns)
                dots[row * s->columns + column] = b->masked && b->masked[at] ? NAN : b->values[at];
        }
}

/* False where a block is not there yet. */
static bool copy_blocks(const viz_panel *panel, const seen_dots *s, float *dots)
{
    sac_head_choice choice = viz_weights_model_current(panel->model);
    viz_panel_seen seen = viz_panel_blocks_seen(&panel->layout);
    for (size_t r = seen.row0; r < seen.row1; r++)
        for (size_t c = seen.col0; c < seen.col1; c++) {
            const viz_block *block = viz_panel_block(panel, &choice, &seen, r, c);
            if (!block)
                return false;
            copy_block(block, s, dots);
        }
    return true;
}

/* Those of the rows or columns from `first` on; none where memory runs out. */
static void copy_labels(const viz_weights_model *model, bool of_rows, size_t first, size_t count,
                        sac_labels *labels)
{
    char name[256];
    const sac_labels *from_labels = of_rows
                                        ? sac_source_step_labels(model->source, model->batch)
                                        : sac_source_position_labels(model->source, model->batch);
    if (!from_labels->count || !(labels->text = viz_allocate(count, sizeof *labels->text)))
        return;
    for (; labels->count < count; labels->count++) {
        size_t at = first + labels->count;
        const char *label = of_rows ? viz_weights_model_row_label(model, at)
                                    : viz_weights_model_column_label(model, at);
        if (!label)
            label = of_rows ? viz_weights_model_row_name(model, at, name, sizeof name)
                            : viz_weights_model_column_name(model, at, name, sizeof name);
        if (!(labels->text[labels->count] = strdup(label))) {
            sac_labels_free(labels);
            return;
        }
    }
}

bool viz_weights_map_matrix(const viz_view *view, viz_map *map)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    const viz_panel_layout *l = &v->panel.layout;
    if (!l->columns)
        return false;
    seen_dots s = find_visible_dots(l);
    if (!viz_map_allocate(map, s.rows, s.columns) || !copy_blocks(&v->panel, &s, map->values))
        return false;
    if (l->pool_rows == 1)
        copy_labels(v->model, true, s.row, s.rows, &map->row_labels);
    if (l->pool_cols == 1)
        copy_labels(v->model, false, s.column, s.columns, &map->column_labels);
    return true;
}

bool viz_weights_map_head(const viz_view *view, viz_map *map)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    const sac_source *source = view->source;
    if (!viz_weights_view_has_picture(source))
        return viz_weights_map_matrix(view, map);
    float *row = viz_allocate(v->panel.layout.columns + 1, sizeof *row);
    const float *shown = row ? viz_panel_row(&v->panel, row) : NULL;
    bool known =
        shown &&
        viz_map_allocate(map, (size_t)source->picture.grid_h, (size_t)source->picture.grid_w) &&
        viz_row_panel_gather(&v->row, shown, map->values);
    map->image = source->picture.image;
    free(row);
    return known;
}

viz_rect viz_weights_map_rect(const viz_view *view)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    return v->panel.hidden ? v->row.picture : v->panel.layout.cells;
}

/* ---------------------------------------------------------------- beside another view */

/* A row or column of `from` at the same place of the other's picture; of a token that is no cell,
 * the one of the same name; without a picture the same one. Where there is none, *place stays as it
 * is. */
static void find_matching_place(const viz_weights_model *from, size_t index,
                                const viz_weights_model *to, size_t *place)
{
    size_t x, y;
    const char *label = viz_weights_model_column_label(from, index), *other;
    if (viz_weights_model_cell(from, index, &x, &y)) {
        viz_weights_model_column_of(to,
                                    (size_t)viz_matching_place((int)x, from->source->picture.grid_w,
                                                               to->source->picture.grid_w),
                                    (size_t)viz_matching_place((int)y, from->source->picture.grid_h,
                                                               to->source->picture.grid_h),
                                    place);
        return;
    }
    for (size_t i = 0; label && (other = viz_weights_model_column_label(to, i)) && *other; i++)
        if (strcmp(label, other) == 0)
            *place = i;
}

/* The head that is opened in one source, which was not chosen by a person, is opened in the other as well. */
static bool follow_head(const viz_weights_model *from, viz_weights_model *to)
{
    size_t layer;
    if (from->chosen || from->source->weights.heads != to->source->weights.heads ||
        !sac_source_find_layer(to->source, sac_source_layer_number(from->source, from->layer),
                               &layer))
        return false;
    viz_weights_model_select(to, layer, from->head);
    return true;
}

/* For two pictures the query is the cell at the same place; each has its own first tokens. */
bool viz_weights_view_follow(viz_view *view, const viz_view *leader, const char *key)
{
    const viz_weights_model *from = ((const viz_weights_view *)leader)->model;
    viz_weights_model *to = ((viz_weights_view *)view)->model;
    if (from->source != to->source && strcmp(key, "layer") == 0)
        return follow_head(from, to);
    if (from->source == to->source || !viz_weights_view_has_picture(from->source) ||
        !viz_weights_view_has_picture(to->source))
        return false;
    if (strcmp(key, "query") != 0)
        return strcmp(key, "first tokens count") == 0;
    find_matching_place(from, from->row, to, &to->row);
    if (from->column_chosen)
        find_matching_place(from, from->column, to, &to->column);
    to->column_chosen = from->column_chosen;
    return true;
}
