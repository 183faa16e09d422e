/* Which cell of a lesson is looked at, and the cells beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson_state.h"

char *lesson_cell_name(const lesson_view *v, lesson_cell cell, char *text, size_t size)
{
    const sac_shown_array *array = lesson_array(v, cell.array);
    size_t at[SAC_SHOWN_RANK] = {0}, rest = cell.cell;
    for (int d = array->rank; d-- > 0; rest /= array->shape[d])
        at[d] = rest % array->shape[d];
    size_t used = (size_t)snprintf(text, size, "%s", array->name);
    for (int d = 0; d < array->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, ",%zu", at[d]);
    return text;
}

static sac_node node_named(const lesson_view *v, const char *name, size_t length)
{
    for (int i = 0; i < v->lesson.array_count; i++)
        if (strlen(v->lesson.arrays[i].name) == length &&
            strncmp(v->lesson.arrays[i].name, name, length) == 0)
            return i + 1;
    return 0;
}

lesson_cell lesson_cell_named(const lesson_view *v, const char *name)
{
    lesson_cell none = {0}, cell = {node_named(v, name, strcspn(name, ",")), 0};
    const sac_shown_array *array = cell.array ? lesson_array(v, cell.array) : NULL;
    const char *at = name + strcspn(name, ",");
    int d = 0;
    for (; array && *at == ',' && d < array->rank; d++) {
        char *end;
        size_t index = strtoul(at + 1, &end, 10);
        if (end == at + 1 || index >= array->shape[d])
            return none;
        cell.cell = cell.cell * array->shape[d] + index;
        at = end;
    }
    return array && !*at && d == array->rank ? cell : none;
}

bool lesson_shows(const lesson_view *v, lesson_cell cell)
{
    const sac_lesson_step *step = lesson_step(v);
    for (int i = 0; cell.array && i < SAC_STEP_ARRAYS && step->arrays[i]; i++)
        if (step->arrays[i] == cell.array)
            return true;
    return false;
}

lesson_cell lesson_usual_cell(const lesson_view *v)
{
    const sac_lesson_step *step = lesson_step(v);
    sac_node node = step->arrays[0];
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++)
        if (!lesson_array(v, step->arrays[i])->given)
            node = step->arrays[i];
    if (!node)
        return (lesson_cell){0};
    const sac_shown_array *array = lesson_array(v, node);
    return (lesson_cell){node, (array->rows - 1) * array->columns};
}

void lesson_look(lesson_view *v)
{
    lesson_cell before = v->current;
    v->current = lesson_shows(v, v->hovered)  ? v->hovered
                 : lesson_shows(v, v->chosen) ? v->chosen
                                              : lesson_usual_cell(v);
    if (v->quiz && v->has_question && v->step == v->asked.question->step)
        v->current = lesson_asked_cell(v);
    if (lesson_asks(v)) {
        sac_arithmetic_free(&v->arithmetic);
        return;
    }
    bool same = before.array == v->current.array && before.cell == v->current.cell;
    if (!v->current.array || (same && v->arithmetic.expression))
        return;
    sac_arithmetic_free(&v->arithmetic);
    v->lesson.arithmetic(v->lesson.self, v->current.array, v->current.cell, &v->arithmetic, NULL);
}

void lesson_choose(lesson_view *v, lesson_cell cell)
{
    v->chosen = cell;
    v->hovered = (lesson_cell){0};
    v->cell_name[0] = '\0';
    if (cell.array)
        lesson_cell_name(v, cell, v->cell_name, sizeof v->cell_name);
}

/* The array of the step that stands beside this one; around at the ends. */
static sac_node neighbour(const lesson_view *v, sac_node node, int by)
{
    const sac_lesson_step *step = lesson_step(v);
    int count = 0, place = 0;
    for (; count < SAC_STEP_ARRAYS && step->arrays[count]; count++)
        if (step->arrays[count] == node)
            place = count;
    return step->arrays[(place + by + count) % count];
}

static bool move_to_neighbour(lesson_view *v, size_t line, int by)
{
    sac_node node = neighbour(v, v->current.array, by);
    const sac_shown_array *array = lesson_array(v, node);
    size_t lines = array->batch * array->rows, last = array->columns - 1;
    line = line < lines ? line : lines - 1;
    lesson_choose(v, (lesson_cell){node, line * array->columns + (by < 0 ? last : 0)});
    return true;
}

bool lesson_move(lesson_view *v, int rows, int columns)
{
    if (!v->current.array)
        return false;
    const sac_shown_array *array = lesson_array(v, v->current.array);
    size_t line = v->current.cell / array->columns, column = v->current.cell % array->columns;
    size_t lines = array->batch * array->rows;
    if ((columns < 0 && column == 0) || (columns > 0 && column + 1 == array->columns))
        return move_to_neighbour(v, line, columns);
    line = rows ? (rows < 0 ? line + lines - 1 : line + 1) % lines : line;
    column = columns < 0 ? column - 1 : columns > 0 ? column + 1 : column;
    lesson_choose(v, (lesson_cell){v->current.array, line * array->columns + column});
    return true;
}
