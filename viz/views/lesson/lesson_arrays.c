/* The arrays of a lesson: their cells, how numbers are written, and their drawing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"
#include "base/text/utf8.h"
#include "canvas/colormap.h"
#include "canvas/text.h"
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
    /* The array that the step is about. */
    const sac_node *arrays = lesson_step(v)->arrays;
    sac_node shown = 0, computed = 0, made = 0;
    for (int i = 0; i < SAC_STEP_ARRAYS && arrays[i]; i++) {
        shown = arrays[i];
        computed = lesson_array(v, shown)->given ? computed : shown;
        made = lesson_is_made_here(&v->lesson, v->step, shown) ? shown : made;
    }
    sac_node node = made ? made : computed ? computed : shown;
    if (!node)
        return (lesson_cell){0};
    const sac_shown_array *array = lesson_array(v, node);
    for (size_t row = array->rows; row-- > 0;) {
        const float *numbers = array->numbers + row * array->columns;
        size_t most = 0;
        bool alike = true;
        for (size_t c = 1; c < array->columns; c++) {
            alike &= numbers[c] == numbers[0];
            if (isfinite(numbers[c]) && !(numbers[c] <= numbers[most]))
                most = c;
        }
        if (!alike)
            return (lesson_cell){node, row * array->columns + most};
    }
    return (lesson_cell){node, (array->rows - 1) * array->columns};
}

void lesson_look(lesson_view *v)
{
    lesson_cell before = v->current;
    bool stays = lesson_is_dragged(v) && lesson_shows(v, v->current);
    v->current = lesson_shows(v, v->hovered)  ? v->hovered
                 : lesson_shows(v, v->chosen) ? v->chosen
                 : stays                      ? v->current
                                              : lesson_usual_cell(v);
    if (v->quiz && v->has_question && v->step == v->asked.question->step)
        v->current = lesson_asked_cell(v);
    lesson_cell made = lesson_motion_cell(v), answer = lesson_beat_cell(v);
    v->current = made.array ? made : lesson_shows(v, answer) ? answer : v->current;
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

bool lesson_move(lesson_view *v, int rows, int columns)
{
    if (!v->current.array)
        return false;
    const sac_shown_array *array = lesson_array(v, v->current.array);
    size_t line = v->current.cell / array->columns, column = v->current.cell % array->columns;
    size_t lines = array->batch * array->rows;
    if ((columns < 0 && column == 0) || (columns > 0 && column + 1 == array->columns)) {
        /* The array of the step beside this one; around at the ends. */
        const sac_lesson_step *step = lesson_step(v);
        int count = 0, place = 0;
        for (; count < SAC_STEP_ARRAYS && step->arrays[count]; count++)
            if (step->arrays[count] == v->current.array)
                place = count;
        sac_node node = step->arrays[(place + columns + count) % count];
        array = lesson_array(v, node);
        lines = array->batch * array->rows;
        line = line < lines ? line : lines - 1;
        column = columns < 0 ? array->columns - 1 : 0;
        lesson_choose(v, (lesson_cell){node, line * array->columns + column});
        return true;
    }
    line = rows ? (rows < 0 ? line + lines - 1 : line + 1) % lines : line;
    column = columns < 0 ? column - 1 : columns > 0 ? column + 1 : column;
    lesson_choose(v, (lesson_cell){v->current.array, line * array->columns + column});
    return true;
}

/* ---------------------------------------------------------------- lesson_numbers.c */

#define LEAST_CONTRAST 7.0f

static size_t count_of(const sac_shown_array *array)
{
    return array->batch * array->rows * array->columns;
}

/* ---------------------------------------------------------------- text */

lesson_format lesson_format_of(const sac_shown_array *array, int most_decimals)
{
    lesson_format format = {.noise = array->noise};
    float most = 0;
    bool whole = true;
    for (size_t i = 0; i < count_of(array); i++) {
        float number = sac_shown_number(array, i);
        if (isfinite(number)) {
            most = fmaxf(most, fabsf(number));
            whole = whole && number == rintf(number);
        }
    }
    int decimals = most < 10 ? 3 : most < 100 ? 2 : 1;
    format.decimals = whole ? 0 : (decimals < most_decimals ? decimals : most_decimals);
    for (size_t i = 0; i < count_of(array); i++) {
        char text[32];
        lesson_number(&format, array->numbers[i], text, sizeof text);
        int letters = (int)sac_utf8_length(text);
        format.letters = letters > format.letters ? letters : format.letters;
    }
    return format;
}

char *lesson_number(const lesson_format *format, float value, char *text, size_t size)
{
    float magnitude = fabsf(value) < format->noise ? 0 : fabsf(value);
    const char *sign = value < 0 ? "−" : "";
    /* With the decimals of the array it would look like 0. */
    bool is_none = magnitude < 0.5f * powf(10, -(float)format->decimals);
    if (!isfinite(value) || magnitude == 0) {
        sac_number_text((double)(magnitude == 0 ? 0 : value), text, size);
    } else if (magnitude < 0.5e-3f || magnitude >= 1e6f || (is_none && magnitude < 0.01f)) {
        /* "2e−9" */
        char digits[32];
        int power = 0;
        snprintf(digits, sizeof digits, "%.0e", (double)magnitude);
        sscanf(digits + 1, "e%d", &power);
        snprintf(text, size, "%s%ce%s%d", sign, digits[0], power < 0 ? "−" : "", abs(power));
    } else if (is_none) /* 0.03 beside 126.9 */
        snprintf(text, size, "%s%.2f", sign, (double)magnitude);
    else
        snprintf(text, size, "%s%.*f", sign, format->decimals, (double)magnitude);
    return text;
}

/* ---------------------------------------------------------------- colours */

lesson_heat lesson_heat_of(const sac_shown_array *array, viz_colormap map)
{
    lesson_heat heat = {array->shares, array->scale, array->noise, map};
    for (size_t i = 0; array->scale == 0 && i < count_of(array); i++)
        if (isfinite(array->numbers[i]))
            heat.most = fmaxf(heat.most, fabsf(array->numbers[i]));
    return heat;
}

static viz_color mix(viz_color a, viz_color b, float share)
{
    return (viz_color){(uint8_t)((float)a.r + share * ((float)b.r - (float)a.r) + 0.5f),
                       (uint8_t)((float)a.g + share * ((float)b.g - (float)a.g) + 0.5f),
                       (uint8_t)((float)a.b + share * ((float)b.b - (float)a.b) + 0.5f), 255};
}

/* On a light ground cells are as light as it is where there is nothing, and darker where there is
 * more: orange above 0, blue below it. */
static viz_color light_color(float share)
{
    static const viz_color white = {250, 250, 248, 255};
    static const viz_color middle[] = {{244, 176, 96, 255}, {128, 186, 236, 255}};
    static const viz_color most[] = {{148, 66, 0, 255}, {12, 76, 150, 255}};
    float size = fminf(fabsf(share), 1);
    int side = share < 0;
    return size < 0.6f ? mix(white, middle[side], size / 0.6f)
                       : mix(middle[side], most[side], (size - 0.6f) / 0.4f);
}

/* Shares in another map than the usual one go from the ground through its lighter to its darker
 * half. */
static viz_color light_map_color(viz_colormap map, float share)
{
    static const viz_color white = {250, 250, 248, 255};
    viz_color middle = viz_colormap_color(map, 0.8f);
    return share < 0.4f ? mix(white, middle, share / 0.4f)
                        : viz_colormap_color(map, 0.8f - (share - 0.4f));
}

viz_color lesson_heat_color(const lesson_heat *heat, const viz_theme *theme, float value)
{
    float share = heat->most > 0 && fabsf(value) >= heat->noise ? value / heat->most : 0;
    if (!isfinite(value))
        return theme->panel;
    bool light = viz_text_on(theme->ground).r == 0, mapped = heat->shares && heat->map;
    /* A colour of middle lightness is neither light nor dark enough for any text: it goes to the side
     * that its text asks for, as far as it has to. */
    viz_color color = light && mapped ? light_map_color(heat->map, share)
                      : light         ? light_color(share)
                      : heat->shares  ? viz_colormap_color(heat->map, share)
                                      : viz_colormap_color(VIZ_DIVERGING, 0.5f + 0.5f * share);
    viz_color text = viz_text_on(color);
    viz_color away = text.r ? (viz_color){0, 0, 0, 255} : (viz_color){255, 255, 255, 255};
    viz_color legible = color;
    for (float part = 0.04f; viz_contrast(legible, text) < LEAST_CONTRAST; part += 0.04f)
        legible = mix(color, away, part);
    return legible;
}
