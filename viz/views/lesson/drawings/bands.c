/* Two sentences and a band from word to word, as wide as its weight: of the word that is pointed at, or
 * of the current row of the array. An array of several matrices has the bands of each in its own
 * colour: they are heads, which a hand switches off and on. */

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"

/* Of words that have no names. */
static const char *const places[] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                     "8", "9", "10", "11", "12", "13", "14", "15"};
enum { PLACES = sizeof places / sizeof *places };

static const sac_drawing_mark *current_bands_mark(const lesson_view *v, const sac_lesson_drawing *d)
{
    return lesson_mark(d, v->step, 0, SAC_MARK_BANDS);
}

#define LINE 1.2f        /* of a word, in sizes of the text; … */
#define LEAST_LINE 0.67f /* … so much, where all words have room then */

static viz_lines bands_content(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *array = lesson_array(v, mark->y);
    float text = v->layout.drawing.text, room = v->layout.drawing.room.h;
    int words = (int)(array->rows > array->columns ? array->rows : array->columns);
    bool fit = viz_lines_least_height(words, LEAST_LINE * text) <= room;
    float line = (fit ? LEAST_LINE : LINE) * text;
    /* The row of the selected cell, where its array has these rows. */
    const sac_shown_array *current = v->current.array ? lesson_array(v, v->current.array) : array;
    size_t selected = current->rows == array->rows ? v->current.cell / current->columns : 0;
    int beat = v->layout.drawing.beat, row = beat >= 0 ? beat : (int)(selected % array->rows);
    return (viz_lines){.weights = array->numbers,
                       .rows = (int)array->rows,
                       .columns = (int)array->columns,
                       .heads = (int)array->batch,
                       .held = (int)array->rows,
                       .shown = v->heads_shown,
                       .row_labels = array->row_labels ? array->row_labels : places,
                       .column_labels = array->column_labels ? array->column_labels : places,
                       .row = row,
                       .hover_row = v->band_row,
                       .hover_column = v->band_column,
                       .line = line,
                       .scroll = line * (float)(row - 2), /* the row in sight */
                       .heading = lesson_text(v, mark->name)};
}

static bool is_shown(const lesson_view *v, const sac_drawing_mark *mark)
{
    const sac_shown_array *array = mark ? lesson_array(v, mark->y) : NULL;
    return array && array->batch <= LESSON_HEADS && (array->row_labels || array->rows <= PLACES) &&
           (array->column_labels || array->columns <= PLACES);
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    const sac_drawing_mark *mark = current_bands_mark(v, d);
    if (!is_shown(v, mark))
        return;
    viz_lines lines = bands_content(v, mark);
    viz_lines_lay(&l->lines, canvas, &lines, l->room);
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    const sac_drawing_mark *mark = current_bands_mark(v, d);
    if (!is_shown(v, mark))
        return;
    viz_lines lines = bands_content(v, mark);
    viz_lines_draw(&v->layout.drawing.lines, canvas, &lines);
}

static bool event(lesson_view *v, const viz_event *e, const sac_lesson_drawing *d)
{
    const sac_drawing_mark *mark = current_bands_mark(v, d);
    int row = -1, column = -1;
    if (e->kind != VIZ_MOVE && e->kind != VIZ_PRESS && e->kind != VIZ_LEAVE)
        return false;
    if (e->kind == VIZ_PRESS && e->button == 1 && is_shown(v, mark) &&
        viz_lines_switch(&v->layout.drawing.lines, v->heads_shown, e) >= 0)
        return true;
    if (is_shown(v, mark) && e->kind != VIZ_LEAVE)
        viz_lines_hit(&v->layout.drawing.lines, e->x, e->y, &row, &column);
    bool changed = row != v->band_row || column != v->band_column;
    v->band_row = row;
    v->band_column = column;
    if (e->kind != VIZ_PRESS || e->button != 1 || row < 0)
        return changed && (row >= 0 || column >= 0);
    /* A word that is pressed is the current row of the array, if the step shows that: of the matrix that
     * is looked at there. */
    const sac_shown_array *array = lesson_array(v, mark->y);
    size_t matrix =
        v->current.array == mark->y ? v->current.cell / (array->rows * array->columns) : 0;
    lesson_cell cell = {mark->y, (matrix * array->rows + (size_t)row) * array->columns};
    if (lesson_shows(v, cell))
        lesson_choose(v, cell);
    return true;
}

static void add_spots(const lesson_view *v, const sac_lesson_drawing *d, viz_spots *list)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    if (!is_shown(v, current_bands_mark(v, d)))
        return;
    viz_spots_add(list, viz_lines_side(&l->lines, true), VIZ_SPOT_AREA,
                  "Point at a word: its bands show where it looks. A click keeps it.");
    viz_spots_add(list, viz_lines_side(&l->lines, false), VIZ_SPOT_AREA,
                  "Point at a word: its bands show what looks at it.");
    viz_lines_spots(&l->lines, list);
}

/* Word by word, in the order of generation. */
static int beats(const lesson_view *v, const sac_lesson_drawing *d, int step)
{
    const sac_drawing_mark *mark = lesson_mark(d, step, 0, SAC_MARK_BANDS);
    return is_shown(v, mark) ? (int)lesson_array(v, mark->y)->rows : 0;
}

/* Where the word looks most. */
static lesson_cell beat_cell(const lesson_view *v, const sac_lesson_drawing *d, int beat)
{
    sac_node node = current_bands_mark(v, d)->y;
    const sac_shown_array *array = lesson_array(v, node);
    size_t first = (size_t)beat * array->columns, most = first;
    for (size_t i = first; i < first + array->columns; i++)
        if (array->numbers[i] > array->numbers[most])
            most = i;
    return (lesson_cell){node, most};
}

const lesson_drawing_class lesson_bands = {.lay = lay,
                                           .draw = draw,
                                           .event = event,
                                           .spots = add_spots,
                                           .beats = beats,
                                           .beat_cell = beat_cell};
