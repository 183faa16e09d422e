/* The map on show as it is pinned: the enlarged matrix, or its current row over the picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/pin.h"
#include "weights/weights_view.h"

/* ---------------------------------------------------------------- what is seen of the matrix */

/* The dots that are seen: the first weight of the first one, and how many there are. */
typedef struct seen_dots {
    size_t row, column, rows, columns;
} seen_dots;

static size_t end_of(double at, float room, float cell, size_t size)
{
    size_t end = (size_t)ceil(at + (double)(room / cell));
    return end < size ? end : size;
}

static seen_dots find_seen(const viz_panel_layout *l)
{
    seen_dots s = {(size_t)l->y / l->pool_rows * l->pool_rows,
                   (size_t)l->x / l->pool_cols * l->pool_cols, 0, 0};
    size_t bottom = end_of(l->y, l->cells.h, l->cell_h, l->rows);
    size_t right = end_of(l->x, l->cells.w, l->cell_w, l->columns);
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

/* ---------------------------------------------------------------- into a pin */

/* Of a matrix that is pooled once more: a mask has no place there. */
static void pool_into(viz_pin *pin, float *dots, const seen_dots *s, sac_pool pool)
{
    for (size_t i = 0; i < s->rows * s->columns; i++)
        dots[i] = isnan(dots[i]) ? 0 : dots[i];
    sac_weights_pool(dots, s->rows, s->columns, pool, (size_t)pin->rows, (size_t)pin->columns,
                     pin->values);
}

static size_t kept(size_t count)
{
    return count / ((count + VIZ_PIN_SIDE - 1) / VIZ_PIN_SIDE);
}

static bool copy_dots(const viz_panel *panel, const seen_dots *s, viz_pin *pin)
{
    float *dots = viz_allocate(s->rows * s->columns, sizeof *dots);
    bool copied =
        dots && copy_blocks(panel, s, dots) && viz_pin_size(pin, kept(s->rows), kept(s->columns));
    if (copied && (size_t)pin->rows == s->rows && (size_t)pin->columns == s->columns)
        memcpy(pin->values, dots, s->rows * s->columns * sizeof *dots);
    else if (copied)
        pool_into(pin, dots, s, panel->model->pool);
    free(dots);
    return copied;
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

static void say_what(const viz_weights_model *model, viz_pin *pin)
{
    char title[256], *rest = NULL;
    const sac_source *source = model->source;
    viz_weights_model_title(model, title, sizeof title);
    if (model->difference)
        viz_pin_say(pin, "%s", title);
    else /* "layer 3, head 5": one of them may be what all pins have in common */
        for (char *part = strtok_r(title, ",", &rest); part; part = strtok_r(NULL, ",", &rest))
            viz_pin_say(pin, "%s", part + (part[0] == ' '));
    viz_pin_say(pin, "%s", source->weights.made.score);
    viz_pin_say(pin, "%s", source->weights.made.mask);
    viz_pin_say_source(pin, source->title, &source->origin);
}

bool viz_weights_pin_matrix(const viz_view *view, viz_pin *pin)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    const viz_panel_layout *l = &v->panel.layout;
    if (!l->columns)
        return false;
    seen_dots s = find_seen(l);
    if (!copy_dots(&v->panel, &s, pin))
        return false;
    size_t row_step = l->pool_rows * (s.rows / (size_t)pin->rows);
    size_t column_step = l->pool_cols * (s.columns / (size_t)pin->columns);
    if (row_step == 1)
        copy_labels(v->model, true, s.row, s.rows, &pin->row_labels);
    if (column_step == 1)
        copy_labels(v->model, false, s.column, s.columns, &pin->column_labels);
    say_what(v->model, pin);
    if (row_step > 1 || column_step > 1)
        viz_pin_say(pin, "each dot %s of %zu × %zu",
                    v->model->pool == SAC_POOL_MAX ? "max" : "mean", row_step, column_step);
    return true;
}

bool viz_weights_pin_head(const viz_view *view, viz_pin *pin)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    const sac_source *source = view->source;
    char name[96];
    float *row = viz_allocate(v->panel.layout.columns + 1, sizeof *row);
    const float *shown = row ? viz_panel_row(&v->panel, row) : NULL;
    bool pinned =
        shown && source->picture.image && source->picture.grid_w > 0 &&
        viz_pin_size(pin, (size_t)source->picture.grid_h, (size_t)source->picture.grid_w) &&
        viz_row_panel_gather(&v->row, shown, pin->values) &&
        viz_pin_lay_over(pin, source->picture.image);
    if (pinned) {
        viz_pin_say(pin, "query %s",
                    viz_weights_model_row_name(v->model, v->model->row, name, sizeof name));
        say_what(v->model, pin);
    }
    free(row);
    return pinned || (!source->picture.image && viz_weights_pin_matrix(view, pin));
}
