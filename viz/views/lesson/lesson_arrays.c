/* The arrays of a lesson: their cells, how numbers are written, and their drawing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/number_text.h"
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

static bool move_to_neighbour(lesson_view *v, size_t line, int by)
{
    /* The array of the step that stands beside this one; around at the ends. */
    const sac_lesson_step *step = lesson_step(v);
    int count = 0, place = 0;
    for (; count < SAC_STEP_ARRAYS && step->arrays[count]; count++)
        if (step->arrays[count] == v->current.array)
            place = count;
    sac_node node = step->arrays[(place + by + count) % count];
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

/* ---------------------------------------------------------------- lesson_numbers.c */

#define LEAST_CONTRAST 7.0f

static size_t count_of(const sac_shown_array *array)
{
    return array->batch * array->rows * array->columns;
}

/* ---------------------------------------------------------------- text */

static int decimals_for(float most, int at_most)
{
    int decimals = most < 10 ? 3 : most < 100 ? 2 : 1;
    return decimals < at_most ? decimals : at_most;
}

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
    format.decimals = whole ? 0 : decimals_for(most, most_decimals);
    for (size_t i = 0; i < count_of(array); i++) {
        char text[32];
        lesson_number(&format, array->numbers[i], text, sizeof text);
        int letters = (int)sac_utf8_length(text);
        format.letters = letters > format.letters ? letters : format.letters;
    }
    return format;
}

/* "2e−9" */
static void put_power(float magnitude, const char *sign, char *text, size_t size)
{
    char digits[32];
    int power = 0;
    snprintf(digits, sizeof digits, "%.0e", (double)magnitude);
    sscanf(digits + 1, "e%d", &power);
    snprintf(text, size, "%s%ce%s%d", sign, digits[0], power < 0 ? "−" : "", abs(power));
}

char *lesson_number(const lesson_format *format, float value, char *text, size_t size)
{
    float magnitude = fabsf(value) < format->noise ? 0 : fabsf(value);
    const char *sign = value < 0 ? "−" : "";
    if (!isfinite(value) || magnitude == 0)
        sac_number_text((double)(magnitude == 0 ? 0 : value), text, size);
    else if (magnitude < 0.5e-3f || magnitude >= 1e6f)
        put_power(magnitude, sign, text, size);
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

/* A colour of middle lightness is neither light nor dark enough for any text: it goes to the side
 * that its text asks for, as far as it has to. */
static viz_color make_legible(viz_color color)
{
    viz_color text = viz_text_on(color);
    viz_color away = text.r ? (viz_color){0, 0, 0, 255} : (viz_color){255, 255, 255, 255};
    viz_color legible = color;
    for (float share = 0.04f; viz_contrast(legible, text) < LEAST_CONTRAST; share += 0.04f)
        legible = mix(color, away, share);
    return legible;
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

static viz_color dark_color(const lesson_heat *heat, float share)
{
    return heat->shares ? viz_colormap_color(heat->map, share)
                        : viz_colormap_color(VIZ_DIVERGING, 0.5f + 0.5f * share);
}

viz_color lesson_heat_color(const lesson_heat *heat, const viz_theme *theme, float value)
{
    float share = heat->most > 0 && fabsf(value) >= heat->noise ? value / heat->most : 0;
    if (!isfinite(value))
        return theme->panel;
    bool light = viz_text_on(theme->ground).r == 0, mapped = heat->shares && heat->map;
    return make_legible(light ? mapped ? light_map_color(heat->map, share) : light_color(share)
                              : dark_color(heat, share));
}

/* ---------------------------------------------------------------- arrays on a page: how large their cells can be, and where they stand */

#define NAME_LINE 1.75f /* heights, in sizes of the label */
#define LABEL_LINE 1.5f
#define LEAST_DECIMALS 2
#define ARROW_GAP 1.5f /* of gaps: between arrays where an arrow stands */
#define MOST_ROWS 40   /* of arrays that are cut, at first, … */
#define LEAST_ROWS 4   /* … and before columns are cut */

/* A way to draw arrays, which is tried. */
typedef struct attempt {
    float number, roomy; /* size of numbers; a cell's height in them */
    int decimals;
    bool beside, one_batch;
    size_t most_rows, most_columns;
} attempt;

/* ---------------------------------------------------------------- one array */

static const sac_shown_array *array_of(const lesson_arrays *a, sac_node node)
{
    return &a->lesson->arrays[node - 1];
}

/* `count` of `all`, from the place that keeps `wanted` in sight. */
static size_t window_first(size_t all, size_t count, size_t wanted)
{
    size_t before = count / 2, last = all - count;
    size_t first = wanted > before ? wanted - before : 0;
    return first < last ? first : last;
}

/* The selected cell of this array, else the same cell as in an array of its shape, else its
 * first. */
static size_t cell_in_sight(const lesson_arrays *a, sac_node node)
{
    const sac_shown_array *array = array_of(a, node);
    for (size_t i = 0; i < a->looked_count; i++)
        if (a->looked_at[i].array == node)
            return a->looked_at[i].cell;
    for (size_t i = 0; i < a->looked_count; i++) {
        const sac_shown_array *other = array_of(a, a->looked_at[i].array);
        if (other->batch == array->batch && other->rows == array->rows &&
            other->columns == array->columns)
            return a->looked_at[i].cell;
    }
    return 0;
}

static void cut_block(const lesson_arrays *a, const attempt *t, lesson_block *b)
{
    const sac_shown_array *array = array_of(a, b->node);
    size_t cell = cell_in_sight(a, b->node), row = cell / array->columns;
    b->batches = t->one_batch ? 1 : array->batch;
    b->rows = array->rows < t->most_rows ? array->rows : t->most_rows;
    b->columns = array->columns < t->most_columns ? array->columns : t->most_columns;
    b->first_batch = t->one_batch ? row / array->rows : 0;
    b->first_row = window_first(array->rows, b->rows, row % array->rows);
    b->first_column = window_first(array->columns, b->columns, cell % array->columns);
}

static float widest_label(const viz_canvas *canvas, float size, const char *const *labels,
                          size_t first, size_t count)
{
    float width = 0;
    for (size_t i = first; labels && i < first + count; i++)
        width = fmaxf(width, viz_text_width(canvas, VIZ_SANS, size, labels[i]));
    return width;
}

static float name_width(const lesson_arrays *a, const viz_canvas *canvas, const lesson_block *b)
{
    const sac_shown_array *array = array_of(a, b->node);
    char shape[96];
    return viz_text_width(canvas, VIZ_SANS_BOLD, a->label, array->name) + 0.6f * a->label +
           viz_text_width(canvas, VIZ_MONO, a->label, lesson_block_shape(b, array, shape, 96));
}

static void measure_block(const lesson_arrays *a, const viz_canvas *canvas, const attempt *t,
                          lesson_block *b)
{
    const sac_shown_array *array = array_of(a, b->node);
    float letter = viz_text_width(canvas, VIZ_MONO, t->number, "0");
    cut_block(a, t, b);
    b->beside = t->beside;
    b->format = b->formats[t->decimals];
    b->cell_h = t->roomy * t->number;
    b->name_h = NAME_LINE * a->label;
    b->label_h = array->columns > 1 ? LABEL_LINE * a->label : 0;
    float labels =
        widest_label(canvas, a->label, array->column_labels, b->first_column, b->columns);
    b->cell_w = fmaxf((float)b->format.letters * letter + 0.9f * t->number, 0.95f * b->cell_h);
    b->cell_w = fmaxf(b->cell_w, fminf(labels + 0.5f * a->label, 2 * b->cell_w));
    b->gutter = 0;
    if (array->batch * array->rows > 1)
        b->gutter = fmaxf(widest_label(canvas, a->label, array->row_labels, b->first_row, b->rows),
                          viz_text_width(canvas, VIZ_MONO, a->label, "00")) +
                    0.6f * a->label;
    b->batch_gap = b->beside ? b->gutter + 0.8f * t->number : 0.8f * t->number;
    size_t across = b->beside ? b->batches : 1, down = b->beside ? 1 : b->batches;
    float gaps = b->batch_gap * (float)(b->batches - 1);
    b->rect.w = b->gutter + b->cell_w * (float)(across * b->columns) + (b->beside ? gaps : 0);
    b->rect.h =
        b->name_h + b->label_h + b->cell_h * (float)(down * b->rows) + (b->beside ? 0 : gaps);
    b->rect.w = fmaxf(b->rect.w, name_width(a, canvas, b));
}

/* ---------------------------------------------------------------- all of them */

/* Small arrays stand a little above the middle of their area. */
static void centre(viz_rect room, lesson_block *blocks, int count)
{
    float bottom = room.y;
    for (int i = 0; i < count; i++)
        bottom = fmaxf(bottom, blocks[i].rect.y + blocks[i].rect.h);
    for (int i = 0; i < count; i++)
        blocks[i].rect.y += 0.35f * fmaxf(room.y + room.h - bottom, 0);
}

/* Places blocks from left to right and line by line. True if they fit. */
static bool flow(const lesson_arrays *a, viz_rect room, lesson_block *blocks, int count)
{
    float x = room.x, y = room.y, line = 0, between = 0.5f * a->gap;
    for (int i = 0; i < count; i++) {
        lesson_block *b = &blocks[i];
        float gap = i == 0 ? 0 : b->arrow ? ARROW_GAP * a->gap : a->gap;
        if (x > room.x && x + gap + b->rect.w > room.x + room.w) {
            y += line + between;
            x = room.x;
            line = 0;
            gap = b->arrow ? ARROW_GAP * a->gap : 0; /* for the arrow, before the first one */
        }
        b->rect.x = x + gap;
        b->rect.y = y;
        x = b->rect.x + b->rect.w;
        line = fmaxf(line, b->rect.h);
        if (x > room.x + room.w + 0.5f)
            return false;
    }
    return y + line <= room.y + room.h;
}

static bool try(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room, const attempt *t,
                lesson_block *blocks, int count)
{
    for (int i = 0; i < count; i++)
        measure_block(a, canvas, t, &blocks[i]);
    return flow(a, room, blocks, count);
}

/* From roomy cells to tight ones, batches below each other or beside. */
static bool try_size(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room, attempt *t,
                     lesson_block *blocks, int count)
{
    static const float roomy[] = {2.6f, 2.2f, 1.8f, 1.5f, 1.35f};
    for (size_t i = 0; i < sizeof roomy / sizeof *roomy; i++)
        for (int beside = 0; beside < 2; beside++) {
            t->roomy = roomy[i];
            t->beside = beside;
            if (try(a, canvas, room, t, blocks, count))
                return true;
        }
    return false;
}

static bool try_sizes(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room, attempt *t,
                      lesson_block *blocks, int count)
{
    for (int decimals = LESSON_MOST_DECIMALS; decimals >= LEAST_DECIMALS; decimals--) {
        float least = decimals > LEAST_DECIMALS ? fmaxf(a->least, 0.6f * a->number) : a->least;
        t->decimals = decimals;
        for (t->number = a->number; t->number >= least; t->number -= 0.05f * a->number)
            if (try_size(a, canvas, room, t, blocks, count))
                return true;
    }
    t->number = a->least;
    return try_size(a, canvas, room, t, blocks, count);
}

/* An array is of this step where no step before showed it and it is made of others. */
static bool is_made_here(const sac_shown_lesson *lesson, int step, sac_node node)
{
    for (int s = 0; s < step; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS && lesson->steps[s].arrays[i]; i++)
            if (lesson->steps[s].arrays[i] == node)
                return false;
    return lesson->arrays[node - 1].inputs[0] != 0;
}

static int list_blocks(const lesson_arrays *a, lesson_block *blocks)
{
    const sac_lesson_step *step = &a->lesson->steps[a->step];
    int count = 0;
    bool pointed = false;
    for (; count < SAC_STEP_ARRAYS && step->arrays[count]; count++) {
        lesson_block *b = &blocks[count];
        *b = (lesson_block){.node = step->arrays[count]};
        b->made_here = is_made_here(a->lesson, a->step, b->node);
        b->arrow = b->made_here && count > 0 && !pointed;
        pointed = pointed || b->made_here;
        for (int decimals = LEAST_DECIMALS; decimals <= LESSON_MOST_DECIMALS; decimals++)
            b->formats[decimals] = lesson_format_of(array_of(a, b->node), decimals);
    }
    return count;
}

/* In the least numbers: one batch of each, then fewer rows, and then fewer columns. */
static bool try_cuts(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room, attempt *t,
                     lesson_block *blocks, int count)
{
    static const size_t columns[] = {SIZE_MAX, 12, 9, 7, 5, 4, 3, 2, 1};
    t->one_batch = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (size_t rows = MOST_ROWS; rows >= (columns[i] > 2 ? LEAST_ROWS : 1); rows--) {
            t->most_rows = rows;
            t->most_columns = columns[i];
            if (try_size(a, canvas, room, t, blocks, count))
                return true;
        }
    return false;
}

float lesson_arrays_lay(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room,
                        lesson_block blocks[SAC_STEP_ARRAYS], int *count)
{
    attempt t = {.most_rows = SIZE_MAX, .most_columns = SIZE_MAX};
    *count = list_blocks(a, blocks);
    if (!try_sizes(a, canvas, room, &t, blocks, *count))
        try_cuts(a, canvas, room, &t, blocks, *count);
    centre(room, blocks, *count);
    return t.number;
}

/* ---------------------------------------------------------------- cells */

char *lesson_block_shape(const lesson_block *b, const sac_shown_array *array, char *text,
                         size_t size)
{
    size_t used = 0;
    for (int d = 0; d < array->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", d ? "×" : "", array->shape[d]);
    if (b->batches < array->batch && used < size)
        used += (size_t)snprintf(text + used, size - used, "  [%zu]", b->first_batch);
    if ((b->rows < array->rows || b->columns < array->columns) && used < size)
        snprintf(text + used, size - used, "  %zu×%zu", b->rows, b->columns);
    return text;
}

static viz_rect batch_cells(const lesson_block *b, size_t batch)
{
    viz_rect r = {b->rect.x + b->gutter, b->rect.y + b->name_h + b->label_h,
                  b->cell_w * (float)b->columns, b->cell_h * (float)b->rows};
    float place = (float)batch;
    r.x += b->beside ? place * (r.w + b->batch_gap) : 0;
    r.y += b->beside ? 0 : place * (r.h + b->batch_gap);
    return r;
}

viz_rect lesson_cell_rect(const lesson_block *b, const sac_shown_array *array, size_t cell)
{
    size_t column = cell % array->columns, line = cell / array->columns;
    size_t row = line % array->rows, batch = line / array->rows;
    bool shown = batch - b->first_batch < b->batches && row - b->first_row < b->rows &&
                 column - b->first_column < b->columns;
    viz_rect r = batch_cells(b, batch - b->first_batch);
    return shown ? (viz_rect){r.x + b->cell_w * (float)(column - b->first_column),
                              r.y + b->cell_h * (float)(row - b->first_row), b->cell_w, b->cell_h}
                 : (viz_rect){0};
}

bool lesson_cell_at(const lesson_block *b, const sac_shown_array *array, float x, float y,
                    size_t *cell)
{
    for (size_t batch = 0; batch < b->batches; batch++) {
        viz_rect r = batch_cells(b, batch);
        if (!viz_inside(r, x, y))
            continue;
        size_t column = b->first_column + (size_t)((x - r.x) / b->cell_w);
        size_t row = b->first_row + (size_t)((y - r.y) / b->cell_h);
        *cell = ((b->first_batch + batch) * array->rows + row) * array->columns + column;
        return row < array->rows && column < array->columns;
    }
    return false;
}
