/* Two sentences and a band from word to word, as wide as its weight: of the word that is pointed at, or
 * of the current row of the array. */
#include <stdio.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"

static const bool every_head[16] = {true, true, true, true, true, true, true, true,
                                    true, true, true, true, true, true, true, true};

static const sac_drawing_mark *mark_of(const lesson_view *v, const sac_lesson_drawing *d)
{
    const sac_drawing_mark *shown = NULL;
    for (int i = 0; i < d->mark_count; i++)
        if (lesson_is_now(v, d->marks[i].since, d->marks[i].before))
            shown = &d->marks[i];
    return shown;
}

/* The row of the selected cell, where its array has these rows. */
static int row_of(const lesson_view *v, const sac_shown_array *array)
{
    const sac_shown_array *current = v->current.array ? lesson_array(v, v->current.array) : array;
    size_t row = current->rows == array->rows ? v->current.cell / current->columns : 0;
    return (int)(row % array->rows);
}

static viz_lines content_of(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *array = lesson_array(v, mark->y);
    float line = 1.2f * v->layout.drawing.text;
    int row = row_of(v, array);
    return (viz_lines){.weights = array->numbers,
                       .rows = (int)array->rows,
                       .columns = (int)array->columns,
                       .heads = 1,
                       .held = (int)array->rows,
                       .shown = every_head,
                       .row_labels = array->row_labels,
                       .column_labels = array->column_labels,
                       .row = row,
                       .hover_row = v->band_row,
                       .hover_column = v->band_column,
                       .line = line,
                       .scroll = line * (float)(row - 2)}; /* the row in sight */
}

static bool is_shown(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *array = mark ? lesson_array(v, mark->y) : NULL;
    return array && array->row_labels && array->column_labels;
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    const sac_drawing_mark *mark = mark_of(v, d);
    if (!is_shown(v, mark))
        return;
    viz_lines lines = content_of(v, mark);
    viz_lines_lay(&l->lines, canvas, &lines, l->room);
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    const sac_drawing_mark *mark = mark_of(v, d);
    if (!is_shown(v, mark))
        return;
    viz_lines lines = content_of(v, mark);
    viz_lines_draw(&v->layout.drawing.lines, canvas, &lines);
}

/* A word that is pressed is the current row of the array, if the step shows that. */
static bool event(lesson_view *v, const viz_event *e, const sac_lesson_drawing *d)
{
    const sac_drawing_mark *mark = mark_of(v, d);
    int row = -1, column = -1;
    if (e->kind != VIZ_MOVE && e->kind != VIZ_PRESS && e->kind != VIZ_LEAVE)
        return false;
    if (is_shown(v, mark) && e->kind != VIZ_LEAVE)
        viz_lines_hit(&v->layout.drawing.lines, e->x, e->y, &row, &column);
    bool changed = row != v->band_row || column != v->band_column;
    v->band_row = row;
    v->band_column = column;
    if (e->kind != VIZ_PRESS || e->button != 1 || row < 0)
        return changed && (row >= 0 || column >= 0);
    lesson_cell cell = {mark->y, (size_t)row * lesson_array(v, mark->y)->columns};
    if (lesson_shows(v, cell))
        lesson_choose(v, cell);
    return true;
}

static void spots(const lesson_view *v, const sac_lesson_drawing *d, viz_spots *list)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    if (!is_shown(v, mark_of(v, d)))
        return;
    viz_spots_add(list, viz_lines_side(&l->lines, true), VIZ_SPOT_AREA,
                  "Point at a word: its bands show where it looks. A click keeps it.");
    viz_spots_add(list, viz_lines_side(&l->lines, false), VIZ_SPOT_AREA,
                  "Point at a word: its bands show what looks at it.");
}

const lesson_drawing_class lesson_bands = {
    .lay = lay, .draw = draw, .event = event, .spots = spots};
