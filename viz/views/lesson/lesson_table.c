/* The numbers of a step for a file: of the array that a person chose a cell of, else of what the
 * step is about. */
#include <stdio.h>
#include <string.h>

#include "lesson/lesson_state.h"

/* NULL: nothing is shown, or its numbers are what a question asks for. */
static const sac_shown_array *array_of(const lesson_view *v)
{
    lesson_cell cell = {0};
    if (v->known && !v->lists)
        cell = lesson_shows(v, v->chosen) ? v->chosen : lesson_usual_cell(v);
    return cell.array && !lesson_hides(v, cell.array) ? lesson_array(v, cell.array) : NULL;
}

/* The matrices of a batch below one another. */
bool lesson_table(const viz_view *view, viz_table *table)
{
    const sac_shown_array *array = array_of((const lesson_view *)view);
    if (!array)
        return false;
    *table = (viz_table){.rows = array->batch * array->rows, .columns = array->columns};
    snprintf(table->title, sizeof table->title, "%s", array->name);
    return true;
}

char *lesson_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const sac_shown_array *array = array_of((const lesson_view *)view);
    const char *const *labels = of_row ? array->row_labels : array->column_labels;
    size_t number = of_row ? index % array->rows : index;
    size_t used = 0;
    if (of_row && array->batch > 1)
        used = (size_t)snprintf(text, size, "%zu,", index / array->rows);
    if (labels)
        snprintf(text + used, size - used, "%s", labels[number]);
    else
        snprintf(text + used, size - used, "%zu", number);
    return text;
}

sac_status lesson_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_shown_array *array = array_of(lesson_of(view));
    (void)error;
    memcpy(values, array->numbers + row * array->columns, array->columns * sizeof *values);
    return SAC_OK;
}
