/* The arrays of a lesson: their cells, how numbers are written, their colours, and their places on the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"
#include "base/text/utf8.h"
#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"

static bool is_shown_until(const sac_shown_lesson *lesson, int step, sac_node node)
{
    for (int s = 0; s <= step; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS && lesson->steps[s].arrays[i]; i++)
            if (lesson->steps[s].arrays[i] == node)
                return true;
    return false;
}

/* Of what was seen, at the end of so many arrays that are not; of more than that it may be. */
static bool derives_from_shown(const sac_shown_lesson *lesson, int step, sac_node node, int depth)
{
    const sac_shown_array *array = &lesson->arrays[node - 1];
    bool comes = depth == 0 && array->inputs[0];
    for (int i = 0; i < SAC_ARRAY_INPUTS && array->inputs[i] && !comes; i++)
        comes = is_shown_until(lesson, step, array->inputs[i]) ||
                derives_from_shown(lesson, step, array->inputs[i], depth - 1);
    return comes;
}

/* The array is made of others that were seen, and no step before showed it. */
static bool lesson_is_made_here(const sac_shown_lesson *lesson, int step, sac_node node)
{
    enum { DEPTH = 6 };
    return !is_shown_until(lesson, step - 1, node) && derives_from_shown(lesson, step, node, DEPTH);
}

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
    /* That the text is about, where a person's own numbers have it; else of the array that the step is
     * about. */
    const char *named = lesson_step(v)->cell;
    lesson_cell cell = named ? lesson_cell_named(v, named) : (lesson_cell){0};
    if (lesson_shows(v, cell))
        return cell;
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

/* ---------------------------------------------------------------- numbers */

#define LEAST_CONTRAST 7.0f

static size_t count_of(const sac_shown_array *array)
{
    return array->batch * array->rows * array->columns;
}

/* ---------------------------------------------------------------- text */

/* So many decimals show all its numbers: 1.1 beside 1. */
static bool are_round(const sac_shown_array *array, int decimals)
{
    const float unit = powf(10, (float)decimals);
    for (size_t i = 0; i < count_of(array); i++) {
        float number = unit * sac_shown_number(array, i);
        if (isfinite(number) && fabsf(number - rintf(number)) > 1e-6f * fmaxf(fabsf(number), 1))
            return false;
    }
    return true;
}

lesson_format lesson_format_of(const sac_shown_array *array, int most_decimals)
{
    lesson_format format = {.noise = array->noise, .given = array->given};
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
    while (format.decimals > 1 && are_round(array, format.decimals - 1))
        format.decimals--;
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
    } else if (format->given && magnitude == rintf(magnitude) && magnitude < 1e6f) {
        snprintf(text, size, "%s%.0f", sign, (double)magnitude);
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
static viz_color light_ground_color(float share)
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
static viz_color light_ground_map_color(viz_colormap map, float share)
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
    viz_color color = light && mapped ? light_ground_map_color(heat->map, share)
                      : light         ? light_ground_color(share)
                      : heat->shares  ? viz_colormap_color(heat->map, share)
                                      : viz_colormap_color(VIZ_DIVERGING, 0.5f + 0.5f * share);
    viz_color text = viz_text_on(color);
    viz_color away = text.r ? (viz_color){0, 0, 0, 255} : (viz_color){255, 255, 255, 255};
    viz_color legible = color;
    for (float part = 0.04f; viz_contrast(legible, text) < LEAST_CONTRAST; part += 0.04f)
        legible = mix(color, away, part);
    return legible;
}

/* ---------------------------------------------------------------- what kinds of drawings share */

const sac_drawing_mark *lesson_mark(const sac_lesson_drawing *d, int step, int panel,
                                    sac_mark_kind kind)
{
    const sac_drawing_mark *shown = NULL;
    for (int i = 0; i < d->mark_count; i++)
        if (d->marks[i].panel == panel && d->marks[i].kind == kind &&
            lesson_is_at(step, d->marks[i].since, d->marks[i].before))
            shown = &d->marks[i];
    return shown;
}

float lesson_operand_value(const lesson_view *v, sac_operand operand, float other)
{
    return operand.array ? lesson_array(v, operand.array)->numbers[operand.cell] : other;
}

size_t lesson_cell_count(const lesson_view *v, sac_node node)
{
    const sac_shown_array *array = lesson_array(v, node);
    return array->batch * array->rows * array->columns;
}

viz_color lesson_ink(const viz_theme *theme, sac_mark_ink ink)
{
    switch (ink) {
    case SAC_INK_PLAIN:
        break;
    case SAC_INK_FAINT:
        return theme->faint;
    case SAC_INK_ACCENT:
        return theme->accent;
    case SAC_INK_BLUE:
        return viz_head_color(theme, 5, 9);
    case SAC_INK_GREEN:
        return viz_head_color(theme, 2, 9);
    }
    return theme->text2;
}

/* ---------------------------------------------------------------- where arrays stand, and how large their cells are: those of
 * all steps at once, so that an array which a later step shows again has its place and its size there too */

#define NAME_LINE 1.75f /* heights, in sizes of the label */
#define LABEL_LINE 1.5f
#define CLOSE 0.8f       /* of these, before rows are cut */
#define SHORT_LABEL 2.4f /* "q·k", in sizes of the label */
#define LEAST_DECIMALS 2
#define ARROW_GAP 1.5f    /* of gaps: between arrays where an arrow stands */
#define SIDES 0.9f        /* left and right of a number in its cell, in sizes of it */
#define DENSE_SIDES 0.6f  /* before arrays are cut; … */
#define DENSE_GAP 0.7f    /* … of gaps; … */
#define DENSE_GUTTER 5.5f /* … labels of rows, in sizes of the label */
#define MOST_ROWS 40      /* of arrays that are cut, at first, … */
#define LEAST_ROWS 4      /* … before columns are cut; then two */
#define ALIKE 0.72f       /* steps whose numbers and rows could be that alike in size have one */
#define STEP 0.05f        /* from a size that is tried to the next, of the largest */

/* A way to draw arrays, which is tried. */
typedef struct attempt {
    float number, roomy; /* size of numbers; a cell's height in them */
    int decimals;
    size_t across; /* batches beside each other; the next ones stand below */
    bool narrow;   /* columns are as wide as numbers and short labels: longer ones are cut */
    bool one_batch;
    size_t most_rows, most_columns;
    bool close;    /* names and labels of columns nearer to the cells */
    bool full;     /* columns are as wide as their labels */
    bool dense;    /* less room round numbers and between arrays, and labels of rows are cut, too */
    bool unshaped; /* names without the shapes, which are wider than a few columns */
} attempt;

static const float roomy[] = {2.6f, 2.2f, 1.8f, 1.5f, 1.35f};
#define TIGHT 1.25f /* of the least numbers, before arrays are cut */
static const size_t across[] = {1, 2, 4, 64};

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

/* The selected cell of this array, else the same cell as in an array of its shape, else the row of what
 * a selected column is about, else the row as in an array of as many, else its first. */
static size_t cell_to_keep_in_sight(const lesson_arrays *a, sac_node node)
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
    for (size_t i = 0; i < a->looked_count; i++) {
        const sac_shown_array *other = array_of(a, a->looked_at[i].array);
        size_t column = a->looked_at[i].cell % other->columns;
        if (array->batch == 1 && other->rows == 1 && other->columns == array->rows &&
            (!array->row_labels == !other->column_labels &&
             (!array->row_labels ||
              !strcmp(array->row_labels[column], other->column_labels[column]))))
            return column * array->columns;
    }
    for (size_t i = 0; i < a->looked_count; i++) {
        const sac_shown_array *other = array_of(a, a->looked_at[i].array);
        if (other->batch == array->batch && other->rows == array->rows)
            return a->looked_at[i].cell / other->columns * array->columns;
    }
    return 0;
}

static float widest_label(const viz_canvas *canvas, const lesson_arrays *a,
                          const sac_shown_array *array, bool of_rows, size_t first, size_t count)
{
    float width = 0;
    for (size_t i = first; i < first + count; i++) {
        const char *label = sac_shown_label(array, of_rows, i, a->language);
        width = fmaxf(width, label ? viz_text_width(canvas, VIZ_SANS, a->label, label) : 0);
    }
    return width;
}

/* The part of the array that is shown, and how wide its labels and its name are. */
static void cut_block(const lesson_arrays *a, const viz_canvas *canvas, const attempt *t,
                      lesson_block *b)
{
    const sac_shown_array *array = array_of(a, b->node);
    size_t cell = cell_to_keep_in_sight(a, b->node), row = cell / array->columns;
    char shape[96];
    b->batches = t->one_batch ? 1 : array->batch;
    b->rows = array->rows < t->most_rows ? array->rows : t->most_rows;
    b->columns = array->columns < t->most_columns ? array->columns : t->most_columns;
    b->unshaped = t->unshaped;
    b->first_batch = t->one_batch ? row / array->rows : 0;
    b->first_row = window_first(array->rows, b->rows, row % array->rows);
    b->first_column = window_first(array->columns, b->columns, cell % array->columns);
    b->labels_w = widest_label(canvas, a, array, false, b->first_column, b->columns);
    b->gutter = 0;
    if (array->batch * array->rows > 1)
        b->gutter =
            fmaxf(widest_label(canvas, a, array, true, b->first_row, b->rows),
                  viz_text_width(canvas, VIZ_MONO, a->label, array->rows > 100 ? "000" : "00")) +
            0.6f * a->label;
    if (t->dense)
        b->gutter = fminf(b->gutter, DENSE_GUTTER * a->label);
    b->name_w = viz_text_width(canvas, VIZ_SANS_BOLD, a->label, array->name) + 0.6f * a->label +
                viz_text_width(canvas, VIZ_MONO, a->label,
                               lesson_block_shape(b, array, shape, sizeof shape));
}

static void measure_block(const lesson_arrays *a, const attempt *t, float letter, lesson_block *b)
{
    float close = t->close ? CLOSE : 1;
    b->name_h = close * NAME_LINE * a->label;
    bool labels = array_of(a, b->node)->columns > 1 || b->level;
    b->label_h = labels ? close * LABEL_LINE * a->label : 0;
    b->number = t->number;
    b->decimals = t->decimals;
    b->format = b->formats[t->decimals];
    b->cell_h = t->roomy * t->number;
    float sides = (t->dense ? DENSE_SIDES : SIDES) * t->number;
    b->cell_w = fmaxf((float)b->format.letters * letter + sides, 0.95f * b->cell_h);
    float widened = t->full ? b->labels_w + 6 : t->narrow ? SHORT_LABEL * a->label : 2 * b->cell_w;
    b->cell_w = fmaxf(b->cell_w, fminf(b->labels_w + 6, widened));
    b->across = t->across < b->batches ? t->across : b->batches;
    b->gap_x = b->gutter + 0.8f * t->number;
    b->gap_y = 0.8f * t->number;
    size_t down = (b->batches + b->across - 1) / b->across;
    b->rect.w =
        b->gutter + b->cell_w * (float)(b->across * b->columns) + b->gap_x * (float)(b->across - 1);
    b->rect.h =
        b->name_h + b->label_h + b->cell_h * (float)(down * b->rows) + b->gap_y * (float)(down - 1);
    b->rect.w = fmaxf(b->rect.w, b->name_w);
}

/* ---------------------------------------------------------------- those of a step */

static float gap_before(const lesson_arrays *a, const lesson_block *b, bool dense)
{
    return (b->arrow ? ARROW_GAP : 1) * (dense ? DENSE_GAP : 1) * a->gap;
}

/* Block `k` begins where one of a line above does, if that is a little to its right. */
static void line_up(lesson_spread *spread, int k, float most)
{
    viz_rect *r = &spread->blocks[k].rect;
    for (int i = 0; i < k; i++) {
        const viz_rect *above = &spread->blocks[i].rect;
        if (above->y < r->y && above->x > r->x && above->x < r->x + most) {
            r->x = above->x;
            return;
        }
    }
}

/* What is made and then other arrays: these begin what is made next. */
static bool begins_group(const lesson_spread *spread, int i)
{
    return i > 0 && spread->blocks[i - 1].made_here && !spread->blocks[i].made_here;
}

/* Places blocks from left to right and line by line; a group that does not fit behind others begins a
 * line, and so does block `breaks` (0: none). True if they fit; `last` is the first one of the last line. */
static bool flow_lines(const lesson_arrays *a, bool dense, viz_rect room, int breaks,
                       lesson_spread *spread, int *last)
{
    float x = room.x, y = room.y, line = 0, between = 0.5f * a->gap;
    *last = 0;
    for (int i = 0; i < spread->count; i++) {
        lesson_block *b = &spread->blocks[i];
        float gap = i == 0 ? 0 : gap_before(a, b, dense);
        /* From the left side of a block to the end of the group that it begins, or of itself. */
        float w = spread->blocks[i].rect.w;
        for (int k = i + 1;
             begins_group(spread, i) && k < spread->count && !begins_group(spread, k); k++)
            w += gap_before(a, &spread->blocks[k], dense) + spread->blocks[k].rect.w;
        bool full = x + gap + w > room.x + room.w;
        if (x > room.x && (full || (breaks > 0 && i == breaks))) {
            *last = i;
            y += line + between;
            x = room.x;
            line = 0;
            gap = b->arrow ? gap_before(a, b, dense) : 0; /* for the arrow, before the first one */
        }
        b->rect.x = x + gap;
        b->rect.y = y;
        if (y > room.y)
            line_up(spread, i, 0.6f * a->gap);
        x = b->rect.x + b->rect.w;
        line = fmaxf(line, b->rect.h);
        if (x > room.x + room.w + 0.5f)
            return false;
    }
    return y + line <= room.y + room.h;
}

static bool try_layout(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room,
                       const attempt *t, lesson_spread *spread)
{
    float letter = viz_text_width(canvas, VIZ_MONO, t->number, "0");
    for (int i = 0; i < spread->count; i++)
        measure_block(a, t, letter, &spread->blocks[i]);
    spread->number = t->number;
    /* An array that would stand alone in the second line takes the one before it along, unless an arrow leads
     * there. */
    int last, end = spread->count - 1;
    if (!flow_lines(a, t->dense, room, 0, spread, &last))
        return false;
    const lesson_block *b = spread->blocks;
    bool alone = end >= 3 && last == end && b[end - 1].rect.y <= b[0].rect.y && !b[end].arrow &&
                 !b[end - 1].arrow;
    return !alone || flow_lines(a, t->dense, room, end - 1, spread, &last) ||
           flow_lines(a, t->dense, room, 0, spread, &last);
}

/* ---------------------------------------------------------------- those of several steps, drawn in one way */

typedef struct steps {
    const lesson_arrays *arrays;
    const viz_canvas *canvas;
    int count;
    viz_rect rooms[SAC_LESSON_STEPS];
    lesson_spread *spreads[SAC_LESSON_STEPS];
} steps;

/* From roomy cells to tight ones, batches below each other or beside. */
static bool try_spacings(const steps *s, attempt *t)
{
    size_t heights = sizeof roomy / sizeof *roomy;
    for (size_t i = 0; i < heights + (t->number <= s->arrays->least); i++)
        for (size_t k = 0; k < sizeof across / sizeof *across; k++) {
            t->roomy = i < heights ? roomy[i] : TIGHT;
            t->across = across[k];
            int fit = 0;
            while (fit < s->count &&
                   try_layout(s->arrays, s->canvas, s->rooms[fit], t, s->spreads[fit]))
                fit++;
            if (fit == s->count)
                return true;
        }
    return false;
}

/* From numbers of that size down. */
static bool try_number_sizes(const steps *s, float number, attempt *t)
{
    const lesson_arrays *a = s->arrays;
    for (int decimals = LESSON_MOST_DECIMALS; decimals >= LEAST_DECIMALS; decimals--) {
        float least = decimals > LEAST_DECIMALS ? fmaxf(a->least, 0.6f * a->usual) : a->least;
        t->decimals = decimals;
        for (t->number = number; t->number >= least; t->number -= STEP * a->usual)
            if (try_spacings(s, t))
                return true;
    }
    t->number = a->least;
    return try_spacings(s, t);
}

static bool try_cut_blocks(const steps *s, attempt *t)
{
    lesson_spread *spread = s->spreads[0];
    for (int k = 0; k < spread->count; k++)
        cut_block(s->arrays, s->canvas, t, &spread->blocks[k]);
    return try_spacings(s, t);
}

enum { COLUMNS, ROWS, SHAPES, WAYS };

/* A column, a row or the shape more for block `k`, and for those that have as many in all. */
static bool grow_block(const steps *s, const attempt *t, int k, int way)
{
    lesson_spread *spread = s->spreads[0], before = *spread;
    const sac_shown_array *like = array_of(s->arrays, spread->blocks[k].node);
    bool more = false;
    for (int i = 0; i < spread->count; i++) {
        lesson_block *b = &spread->blocks[i];
        const sac_shown_array *array = array_of(s->arrays, b->node);
        attempt larger = *t;
        bool alike = way == COLUMNS ? array->columns == like->columns : array->rows == like->rows;
        bool grows = way == SHAPES    ? i == k && b->unshaped
                     : way == COLUMNS ? alike && b->columns < array->columns
                                      : alike && b->rows < array->rows;
        larger.most_columns = b->columns + (grows && way == COLUMNS);
        larger.most_rows = b->rows + (grows && way == ROWS);
        larger.unshaped = b->unshaped && !(grows && way == SHAPES);
        cut_block(s->arrays, s->canvas, &larger, b);
        more |= grows;
    }
    if (more && try_layout(s->arrays, s->canvas, s->rooms[0], t, spread))
        return true;
    *spread = before;
    return false;
}

/* Nothing is cut that would fit: what all arrays were cut to is more than some of them have to give. */
static void grow_blocks(const steps *s, const attempt *t)
{
    for (int way = 0; way < WAYS; way++)
        for (bool grew = true; grew;) {
            grew = false;
            for (int k = 0; k < s->spreads[0]->count; k++)
                grew |= grow_block(s, t, k, way);
        }
}

static size_t count_cells(const lesson_spread *spread)
{
    size_t cells = 0;
    for (int i = 0; i < spread->count; i++)
        cells += spread->blocks[i].batches * spread->blocks[i].rows * spread->blocks[i].columns;
    return cells;
}

/* What was cut or fits only so has whole labels, if there is room for these then. */
static void restore_whole_labels(const steps *s, const attempt *t)
{
    lesson_spread *spread = s->spreads[0], before = *spread;
    for (int way = 0; way < 4; way++) {
        attempt loose = *t;
        loose.narrow = false;
        loose.full = way % 2 == 0;
        loose.dense = t->dense && way >= 2;
        for (int k = 0; k < spread->count; k++) {
            lesson_block *b = &spread->blocks[k];
            attempt one = loose;
            one.most_columns = b->columns;
            one.most_rows = b->rows;
            one.unshaped = b->unshaped;
            cut_block(s->arrays, s->canvas, &one, b);
        }
        if (try_layout(s->arrays, s->canvas, s->rooms[0], &loose, spread))
            return;
        *spread = before;
    }
}

/* Under shortened labels all of them, if need be densely; else one batch of each in the largest numbers
 * that fit; in the least ones then fewer rows or fewer columns, whichever leaves more cells; at last without
 * shapes. */
static bool try_stronger_cuts(const steps *s, attempt *t)
{
    static const size_t columns[] = {SIZE_MAX, 12, 9, 7, 5, 4, 3, 2, 1};
    t->narrow = true;
    for (int pass = 0; pass < 3; pass++) {
        t->dense = pass > 0;
        t->close = pass > 1;
        try_cut_blocks(s, t); /* with the room that its labels take now */
        if (try_number_sizes(s, s->arrays->number, t)) {
            restore_whole_labels(s, t);
            return true;
        }
    }
    t->close = false;
    t->one_batch = true;
    if (try_cut_blocks(s, t) && try_number_sizes(s, s->arrays->number, t))
        return true;
    static const size_t least_rows[] = {LEAST_ROWS, 2, 1, 1};
    enum { PASSES = sizeof least_rows / sizeof *least_rows };
    lesson_spread *spread = s->spreads[0], best = {0};
    attempt taken = *t;
    t->close = true;
    for (int pass = 0; pass < PASSES && !best.count; pass++)
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            size_t least = columns[i] > 2 ? least_rows[pass] : 1;
            t->unshaped = pass == PASSES - 1;
            t->most_columns = columns[i];
            if (!t->unshaped && columns[i] <= 2)
                break;
            t->most_rows = MOST_ROWS;
            while (t->most_rows >= least && !try_cut_blocks(s, t))
                t->most_rows--;
            if (t->most_rows < least)
                continue;
            grow_blocks(s, t);
            if (count_cells(spread) >= count_cells(&best)) { /* of as many, with whole columns */
                best = *spread;
                taken = *t;
            }
        }
    if (!best.count)
        return false;
    *spread = best;
    *t = taken;
    restore_whole_labels(s, t);
    return true;
}

void lesson_spread_move_down(lesson_spread *spread, float by)
{
    for (int i = 0; i < spread->count; i++)
        spread->blocks[i].rect.y += by;
    for (int i = 0; i < spread->past_count; i++)
        spread->past[i].rect.y += by;
}

float lesson_spread_height_below(const lesson_spread *spread, viz_rect room)
{
    float least = room.y;
    for (int i = 0; i < spread->count; i++)
        least = fmaxf(least, spread->blocks[i].rect.y + spread->blocks[i].rect.h);
    return spread->count ? room.y + room.h - least : 0;
}

void lesson_spread_one(const lesson_arrays *a, const viz_canvas *canvas, viz_rect room, int step,
                       lesson_spread *spread)
{
    steps s = {a, canvas, 1, {room}, {spread}};
    attempt t = {.most_rows = SIZE_MAX, .most_columns = SIZE_MAX};
    const attempt whole = {.most_rows = SIZE_MAX, .most_columns = SIZE_MAX};
    const sac_node *arrays = a->lesson->steps[step].arrays;
    /* The step has a matrix, whose columns have labels, beside one column, which has none. */
    bool with = false, without = false;
    for (int i = 0; i < SAC_STEP_ARRAYS && a->lesson->steps[step].arrays[i]; i++) {
        bool labels = a->lesson->arrays[a->lesson->steps[step].arrays[i] - 1].columns > 1;
        with |= labels;
        without |= !labels;
    }
    bool mixed = with && without;
    *spread = (lesson_spread){0};
    for (int i = 0; i < SAC_STEP_ARRAYS && arrays[i]; i++) {
        lesson_block *b = &spread->blocks[spread->count++];
        *b = (lesson_block){.node = arrays[i]};
        b->made_here = lesson_is_made_here(a->lesson, step, b->node);
        b->level = mixed;
        b->arrow = b->made_here && i > 0 && !spread->blocks[i - 1].made_here;
        b->most = lesson_heat_of(array_of(a, b->node), 0).most;
        for (int decimals = LEAST_DECIMALS; decimals <= LESSON_MOST_DECIMALS; decimals++)
            b->formats[decimals] = lesson_format_of(array_of(a, b->node), decimals);
        cut_block(a, canvas, &whole, b);
    }
    spread->cut = !try_number_sizes(&s, a->number, &t);
    if (spread->cut)
        try_stronger_cuts(&s, &t);
}

/* ---------------------------------------------------------------- places that arrays keep */

static bool meet(viz_rect a, viz_rect b, float apart)
{
    return a.x < b.x + b.w + apart && b.x < a.x + a.w + apart && a.y < b.y + b.h + apart / 2 &&
           b.y < a.y + a.h + apart / 2;
}

static const lesson_block *find(const lesson_spread *spread, sac_node node)
{
    for (int i = 0; i < spread->count; i++)
        if (spread->blocks[i].node == node)
            return &spread->blocks[i];
    return NULL;
}

static bool is_free(const lesson_arrays *a, const lesson_spread *spread, int count, viz_rect room,
                    viz_rect r)
{
    bool free = r.x + r.w <= room.x + room.w + 0.5f && r.y + r.h <= room.y + room.h;
    for (int i = 0; i < count && free; i++)
        free = !meet(r, spread->blocks[i].rect, 0.45f * a->gap);
    return free;
}

/* The first arrays of a step stand where the step before has them; the others come behind the last of
 * these, or below. False: there is no such room, and all is as it was. */
static bool keep_block_places(const lesson_arrays *a, viz_rect room, const lesson_spread *before,
                              lesson_spread *spread)
{
    lesson_spread kept = *spread;
    int count = 0;
    float bottom = room.y;
    for (const lesson_block *b; count < kept.count && (b = find(before, kept.blocks[count].node));
         count++) {
        if (kept.blocks[count].label_h != b->label_h)
            return false; /* its rows would begin elsewhere */
        kept.blocks[count].rect.x = b->rect.x;
        kept.blocks[count].rect.y = b->rect.y;
        bottom = fmaxf(bottom, b->rect.y + b->rect.h);
    }
    for (int i = count; i < kept.count && count > 0; i++) {
        if (find(before, kept.blocks[i].node))
            return false; /* it would have to move, so that all is in order */
        lesson_block *b = &kept.blocks[i];
        const lesson_block *last = &kept.blocks[i - 1];
        b->rect.x = last->rect.x + last->rect.w + gap_before(a, b, false);
        b->rect.y = last->rect.y;
        if (!is_free(a, &kept, i, room, b->rect)) {
            b->rect.x = room.x + (b->arrow ? ARROW_GAP * a->gap : 0);
            b->rect.y = bottom + 0.5f * a->gap;
            if (!is_free(a, &kept, i, room, b->rect) || kept.blocks[0].rect.x > room.x + a->gap)
                return false; /* a line that begins far from the edge has none below it */
        }
        bottom = fmaxf(bottom, b->rect.y + b->rect.h);
    }
    if (count > 0)
        *spread = kept;
    return count > 0;
}

void lesson_spread_all(const lesson_arrays *a, const viz_canvas *canvas, const viz_rect *rooms,
                       lesson_spread *spreads)
{
    int count = a->lesson->step_count, group_of[SAC_LESSON_STEPS] = {0};
    for (int i = 0; i < count; i++)
        lesson_spread_one(a, canvas, rooms[i], i, &spreads[i]);
    /* Steps whose numbers could have nearly one size get one, with one height of rows. */
    for (int group = 1;; group++) {
        float most = 0, least = a->number, high = 0;
        for (int i = 0; i < count; i++)
            if (!group_of[i] && !spreads[i].cut && spreads[i].number >= most) {
                high = fmaxf(spreads[i].number > most ? 0 : high, spreads[i].blocks[0].cell_h);
                most = spreads[i].number;
            }
        if (most == 0)
            break;
        steps s = {a, canvas, 0, {{0}}, {0}};
        attempt t = {.most_rows = SIZE_MAX, .most_columns = SIZE_MAX};
        for (int i = 0; i < count; i++)
            if (!group_of[i] && !spreads[i].cut && spreads[i].number >= ALIKE * most &&
                spreads[i].blocks[0].cell_h >= ALIKE * high) {
                group_of[i] = group;
                s.rooms[s.count] = rooms[i];
                s.spreads[s.count++] = &spreads[i];
                least = fminf(least, spreads[i].number);
            }
        if (!try_number_sizes(&s, least, &t))
            for (int i = 0; i < count; i++)
                if (group_of[i] == group)
                    lesson_spread_one(a, canvas, rooms[i], i, &spreads[i]);
    }
    for (int i = 1; i < count; i++) {
        const lesson_spread *before = &spreads[i - 1];
        lesson_spread *spread = &spreads[i];
        if (group_of[i] && group_of[i] == group_of[i - 1] &&
            keep_block_places(a, rooms[i], before, spread)) {
            /* What steps before showed stays in sight where nothing else stands now. */
            for (int n = -before->count; n < before->past_count; n++) {
                const lesson_block *b = n < 0 ? &before->blocks[-1 - n] : &before->past[n];
                bool free = !find(spread, b->node) && spread->past_count < LESSON_PAST;
                for (int k = 0; k < spread->count && free; k++)
                    free = !meet(b->rect, spread->blocks[k].rect, 0.45f * a->gap);
                if (free)
                    spread->past[spread->past_count++] = *b;
            }
        }
    }
}

/* ---------------------------------------------------------------- cells */

char *lesson_block_shape(const lesson_block *b, const sac_shown_array *array, char *text,
                         size_t size)
{
    size_t used = 0;
    bool part = b->batches < array->batch || b->rows < array->rows || b->columns < array->columns;
    if (b->unshaped && part) {
        snprintf(text, size, "…");
        return text;
    }
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
    r.x += (float)(batch % b->across) * (r.w + b->gap_x);
    r.y += (float)(batch / b->across) * (r.h + b->gap_y);
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
