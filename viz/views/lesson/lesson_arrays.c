/* Arrays on a page: how large their cells can be, and where they stand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_layout.h"

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

/* The first cell of this array that is looked at, else the same cell as in an array of its shape,
 * else its first. */
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

/* Small arrays stand a little above the middle of their room. */
static void centre(viz_rect room, lesson_block *blocks, int count)
{
    float bottom = room.y;
    for (int i = 0; i < count; i++)
        bottom = fmaxf(bottom, blocks[i].rect.y + blocks[i].rect.h);
    for (int i = 0; i < count; i++)
        blocks[i].rect.y += 0.35f * fmaxf(room.y + room.h - bottom, 0);
}

/* Places blocks from the left to the right and line by line. True where they have room. */
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
