/* From a step to the next one: arrays go to their new places, and what the step makes is made of its
 * operands before one's eyes. Back, the same runs the other way. What is drawn is a function of the two
 * steps and the time, and at both ends of it the page is the still one. */
#include "lesson/lesson_state.h"
#include "parts/playback/glide.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- arrays as they are drawn */

static viz_color label_color(const lesson_view *v, const viz_canvas *canvas, const lesson_block *b,
                             bool current, float alpha)
{
    bool lit = current && v->current.array == b->node;
    return viz_with_alpha(lit ? canvas->theme->accent : canvas->theme->text2, alpha);
}

#define LEAST_LABEL 0.88f /* of its size, where it would touch the next one */

static void draw_column_labels(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                               size_t batch, float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    float size = v->layout.label;
    char text[32], fit[64];
    for (size_t c = b->first_column; array->columns > 1 && c < b->first_column + b->columns; c++) {
        viz_rect r =
            lesson_cell_rect(b, array, (batch * array->rows + b->first_row) * array->columns + c);
        bool current = v->current.cell % array->columns == c && !lesson_asks_row(v);
        const char *label = lesson_label(v, array, false, c, text);
        float wide = viz_text_width(canvas, VIZ_SANS, v->layout.label, label);
        float least = canvas->theme->presents ? 1 : LEAST_LABEL; /* far away each is to be read */
        float fits = fminf((r.w - 3) / wide, 1);
        size = v->layout.label * (fits >= least ? fits : 1); /* one that is cut keeps its size */
        viz_text_fit(canvas, VIZ_SANS, size, r.w, label, fit, sizeof fit);
        viz_text(canvas, array->column_labels ? VIZ_SANS : VIZ_MONO, size, r.x + r.w / 2,
                 r.y - 0.45f * size, VIZ_CENTER, label_color(v, canvas, b, current, alpha), fit);
    }
}

static void draw_row_label(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                           size_t line, float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    viz_rect r = lesson_cell_rect(b, array, line * array->columns + b->first_column);
    size_t index = array->rows > 1 ? line % array->rows : line / array->rows;
    float size = v->layout.label;
    bool current = v->current.cell / array->columns == line;
    char text[32], fit[64];
    const viz_face face = array->row_labels ? VIZ_SANS : VIZ_MONO;
    const char *label = lesson_label(v, array, true, index, text);
    if (b->gutter > 0)
        viz_text(canvas, face, size, r.x - 0.6f * size, r.y + r.h / 2 + 0.36f * size, VIZ_RIGHT,
                 label_color(v, canvas, b, current, alpha),
                 viz_text_fit(canvas, face, size, b->gutter - 0.5f * size, label, fit, sizeof fit));
}

static lesson_paint lesson_paint_of(const lesson_view *v, const viz_canvas *canvas,
                                    const lesson_block *b)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    lesson_paint paint = {lesson_heat_of(array, v->map), b->format, b->number, 1};
    if (lesson_is_dragged(v) ||
        v->plan.kept) { /* the numbers are others than those it was laid out for */
        paint.heat.most = b->most;
        paint.format = lesson_format_of(array, b->decimals);
    }
    float letter = viz_text_width(canvas, VIZ_MONO, 100, "0") / 100;
    float fits = (b->cell_w - 4) / (letter * (float)(paint.format.letters + !paint.format.letters));
    paint.number = fminf(paint.number, fits);
    return paint;
}

/* In a cell, which may stand anywhere. */
static void lesson_paint_number(viz_canvas *canvas, const lesson_paint *paint, viz_rect r,
                                float value)
{
    const viz_theme *theme = canvas->theme;
    char text[32];
    viz_color color = lesson_heat_color(&paint->heat, theme, value);
    viz_color ink = isfinite(value) ? viz_text_on(color) : theme->text;
    viz_rect cell = lesson_cell_ground(r);
    viz_fill(canvas, cell, viz_with_alpha(color, paint->alpha));
    viz_text(canvas, VIZ_MONO, paint->number, cell.x + cell.w / 2,
             cell.y + cell.h / 2 + 0.36f * paint->number, VIZ_CENTER,
             viz_with_alpha(ink, paint->alpha), lesson_number(&paint->format, value, text, 32));
}

/* `seen` (NULL: all): how much of each cell is visible, 0 to 1. */
static void lesson_draw_array(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                              float alpha, float (*seen)(const void *user, size_t cell),
                              const void *user)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    const viz_theme *theme = canvas->theme;
    float size = v->layout.label, y = b->rect.y + size;
    char shape[96];
    viz_color name = b->made_here ? theme->text : theme->text2;
    if (alpha <= 0)
        return;
    float x = b->rect.x + viz_text(canvas, VIZ_SANS_BOLD, size, b->rect.x, y, VIZ_LEFT,
                                   viz_with_alpha(name, alpha), array->name);
    viz_text(canvas, VIZ_MONO, size, x + 0.6f * size, y, VIZ_LEFT,
             viz_with_alpha(theme->text2, alpha),
             lesson_block_shape(b, array, shape, sizeof shape));
    if (b->arrow) {
        float reach = 22 * v->layout.unit, head = 6 * v->layout.unit,
              thick = fmaxf(1.5f, v->layout.unit * 2);
        float middle = b->rect.x - 1.1f * reach,
              level = b->rect.y + b->name_h + b->label_h + b->cell_h / 2;
        viz_color color = viz_with_alpha(canvas->theme->faint, alpha);
        viz_line(canvas, middle - reach / 2, level, middle + reach / 2, level, thick, color);
        viz_line(canvas, middle + reach / 2 - head, level - head, middle + reach / 2, level, thick,
                 color);
        viz_line(canvas, middle + reach / 2 - head, level + head, middle + reach / 2, level, thick,
                 color);
    }
    lesson_paint paint = lesson_paint_of(v, canvas, b);
    paint.alpha = alpha;
    for (size_t batch = b->first_batch; batch < b->first_batch + b->batches; batch++) {
        if (batch - b->first_batch < b->across)
            draw_column_labels(v, canvas, b, batch, alpha);
        for (size_t row = b->first_row; row < b->first_row + b->rows; row++) {
            size_t line = batch * array->rows + row;
            draw_row_label(v, canvas, b, line, alpha);
            for (size_t c = b->first_column; c < b->first_column + b->columns; c++) {
                size_t cell = line * array->columns + c;
                /* A cell that is not seen yet has its ground. */
                float part = seen ? seen(user, cell) : 1;
                viz_rect r = lesson_cell_rect(b, array, cell);
                bool hidden = lesson_hides_cell(v, b->node, cell);
                lesson_paint faded = paint;
                faded.alpha *= part;
                if (hidden || part < 1)
                    viz_fill(canvas, lesson_cell_ground(r),
                             viz_with_alpha(canvas->theme->panel, paint.alpha));
                if (!hidden && part > 0)
                    lesson_paint_number(canvas, &faded, r, array->numbers[cell]);
            }
        }
    }
}

#define PAST 0.3f /* how much is left of the colours of arrays that are not of this step */

/* Its name, and its cells without numbers. */
static void lesson_draw_past(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                             float alpha)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    lesson_heat heat = lesson_heat_of(array, v->map);
    float size = v->layout.label;
    viz_text(canvas, VIZ_SANS, size, b->rect.x, b->rect.y + size, VIZ_LEFT,
             viz_with_alpha(canvas->theme->text2, alpha), array->name);
    for (size_t cell = 0; cell < array->batch * array->rows * array->columns; cell++) {
        viz_rect r = lesson_cell_rect(b, array, cell);
        viz_color color = lesson_heat_color(&heat, canvas->theme, array->numbers[cell]);
        viz_fill(canvas, lesson_cell_ground(r), viz_with_alpha(color, PAST * alpha));
    }
}

/* ---------------------------------------------------------------- the cells that make one */

/* A frame round cells, over the gaps between them. */
static void draw_frame(viz_canvas *canvas, const lesson_block *b, viz_rect r, viz_color color)
{
    float thick = b->cell_h > 26 ? 3 : 2, gap = b->cell_h > 26 ? 2 : 1;
    if (r.w > 0)
        viz_frame(canvas, (viz_rect){r.x - gap, r.y - gap, r.w + gap, r.h + gap}, thick, color);
}

/* A frame round each run of cells in a row; a column of runs has one frame. */
static void draw_operand_frames(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                                const sac_operand *operands, size_t count)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    size_t lines = array->batch * array->rows;
    viz_rect open = {0};
    for (size_t line = 0; line <= lines; line++) {
        viz_rect run = {0};
        for (size_t c = 0; line < lines && c < array->columns; c++) {
            size_t cell = line * array->columns + c;
            viz_rect r = lesson_cell_rect(b, array, cell);
            bool found = false;
            for (size_t i = 0; i < count && !found; i++)
                found = operands[i].array == b->node && operands[i].cell == cell;
            if (r.w <= 0 || !found)
                continue;
            run = run.w > 0 ? (viz_rect){run.x, run.y, r.x + r.w - run.x, run.h} : r;
        }
        bool continues = run.w > 0 && open.w == run.w && open.x == run.x &&
                         fabsf(open.y + open.h - run.y) < 0.5f;
        if (continues) {
            open.h += run.h;
            continue;
        }
        if (open.w > 0)
            draw_frame(canvas, b, open, canvas->theme->text);
        open = run;
    }
}

/* Frames round the current cell and its operands, [count]. */
static void lesson_draw_cell_frames(const lesson_view *v, viz_canvas *canvas,
                                    const lesson_block *blocks, int block_count,
                                    const sac_operand *operands, size_t count)
{
    for (int i = 0; i < block_count; i++) {
        const lesson_block *b = &blocks[i];
        draw_operand_frames(v, canvas, b, operands, count);
        if (b->node != v->current.array)
            continue;
        viz_rect r = lesson_cell_rect(b, lesson_array(v, b->node), v->current.cell);
        r.w *= lesson_asks_row(v) ? (float)b->columns : 1; /* a row is in question */
        draw_frame(canvas, b, r, canvas->theme->accent);
    }
}

void lesson_arrays_draw(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_layout *l = &v->layout;
    for (int i = 0; i < l->past_count; i++)
        lesson_draw_past(v, canvas, &l->past[i], 1);
    for (int i = 0; i < l->block_count; i++)
        lesson_draw_array(v, canvas, &l->blocks[i], 1, NULL, NULL);
    lesson_draw_cell_frames(v, canvas, l->blocks, l->block_count, v->arithmetic.operands,
                            v->arithmetic.count);
}

#define GLIDE 0.55f      /* seconds to the new places … */
#define APPEAR 0.3f      /* … or of the first arrays to come in sight */
#define MOST_MAKING 7.0f /* of all that a step makes */
#define REST 2.6f        /* at a step, after its beats, where they follow by themselves */
#define BACK 2.2f        /* so much faster is the way back */
#define LANDS 0.78f      /* part of a flight after which the result comes in sight */

static float clamped_fraction(float value, float from, float to)
{
    return fminf(fmaxf((value - from) / (to - from), 0), 1);
}

static float interpolate(float from, float to, float t)
{
    return from + (to - from) * t;
}

/* Its arrays are those of the lesson. */
static bool is_planned(const lesson_view *v)
{
    return v->plan.key.taught > 0 && v->plan.key.taught == v->taught;
}

/* ---------------------------------------------------------------- what is made, and when */

static const lesson_block *find(const lesson_block *blocks, int count, sac_node node)
{
    for (int i = 0; i < count; i++)
        if (blocks[i].node == node)
            return &blocks[i];
    return NULL;
}

static bool is_product(sac_making making)
{
    return making == SAC_MADE_OF_PRODUCTS || making == SAC_MADE_OF_PRODUCTS_T;
}

/* How it is made of what is in sight: of a product that is not shown, by that. */
static sac_making making_in_sight(const lesson_view *v, const lesson_spread *spread, sac_node node)
{
    const sac_shown_array *array = lesson_array(v, node);
    sac_node first = array->inputs[0];
    bool near = !first || find(spread->blocks, spread->count, first);
    sac_making before = near ? SAC_MADE_OF_NOTHING : making_in_sight(v, spread, first);
    return array->making == SAC_MADE_CELLWISE && is_product(before) ? before : array->making;
}

enum { FLOWN = 9 }; /* cells of a product, to which numbers fly; the others are seen to come */
enum { DIRECT = 48, DEPTH = 5, PRODUCTS = 16, NUMBERS = 24 };

/* The cells in sight that a cell is made of, through arrays that are not shown. */
static size_t collect_visible_operands(const lesson_view *v, const lesson_spread *spread,
                                       sac_node node, size_t cell, int depth, sac_operand *operands,
                                       size_t most)
{
    sac_operand direct[DIRECT];
    size_t count = 0, all = sac_shown_operands(&v->lesson, node, cell, direct, DIRECT);
    for (size_t i = 0; i < all && count < most; i++)
        if (find(spread->blocks, spread->count, direct[i].array))
            operands[count++] = direct[i];
        else if (depth < DEPTH)
            count += collect_visible_operands(v, spread, direct[i].array, direct[i].cell, depth + 1,
                                              operands + count, most - count);
    return count;
}

static size_t count_shown_cells(const lesson_block *b)
{
    return b->batches * b->rows * b->columns;
}

/* When the cell of that number, among those that are shown, begins to be made, and how long that takes:
 * a product cell by cell, quick after the first few; a softmax and a sum row by row; the rest all
 * together. */
static float cell_start_time(sac_making making, const lesson_block *b, size_t cell, float *span)
{
    float count = (float)count_shown_cells(b), at = (float)cell,
          row = floorf(at / (float)b->columns);
    switch (making) {
    case SAC_MADE_OF_PRODUCTS:
    case SAC_MADE_OF_PRODUCTS_T:
        *span = at < 3 ? 0.9f : 0.55f;
        return at < 3   ? 0.9f * at
               : at < 6 ? 2.7f + 0.4f * (at - 3)
                        : 3.9f + (at - 6) * fminf(0.12f, 1.6f / fmaxf(count - 6, 1));
    case SAC_MADE_SHARES:
    case SAC_MADE_SHARES_0:
        *span = row < 1 ? 2.6f : 1.9f;
        return row < 1 ? 0 : 2 + fminf(0.15f, 0.8f / count) * (row - 1);
    case SAC_MADE_OF_ROWS:
        *span = 1;
        return row < 1 ? 0 : 0.8f + fminf(0.25f, 1.4f / count) * (row - 1);
    case SAC_MADE_OF_NOTHING:
        *span = 0.3f;
        return 0.4f * row / (float)(b->rows * b->batches);
    default:
        *span = 1;
        return 0.8f * at / count;
    }
}

typedef struct times {
    float glide, total;                 /* seconds at the usual pace */
    float from[SAC_STEP_ARRAYS];        /* of the arrays that are made, since the glide ended … */
    float stretch;                      /* … and how much slower than they would be alone */
    sac_making making[SAC_STEP_ARRAYS]; /* of all arrays */
} times;

/* Of the way from one step to a later one; of the first to come in sight −1. */
static times compute_motion_times(const lesson_view *v, int from, int to)
{
    const lesson_spread *upper = &v->plan.spreads[to];
    times t = {.glide = from < 0 ? APPEAR : GLIDE, .stretch = 1};
    float sum = 0;
    for (int i = 0; i < upper->count; i++) {
        const lesson_block *b = &upper->blocks[i];
        float span;
        sac_operand one;
        bool none =
            !collect_visible_operands(v, upper, b->node, 0, 0, &one, 1); /* of them is in sight */
        t.making[i] = none ? SAC_MADE_OF_NOTHING : making_in_sight(v, upper, b->node);
        t.from[i] = sum;
        if (b->made_here)
            sum += cell_start_time(t.making[i], b, count_shown_cells(b) - 1, &span) + span;
    }
    if (sum > MOST_MAKING)
        t.stretch = MOST_MAKING / sum;
    t.total = t.glide + t.stretch * sum;
    return t;
}

/* Seconds since the way from the lower step to the upper one began. */
static float elapsed_motion_time(const lesson_view *v, const times *t)
{
    const lesson_motion *m = &v->motion;
    float passed = (float)(m->now - m->since) * lesson_pace(v);
    return m->back ? t->total - BACK * passed : passed;
}

/* How far cell number `cell` of block `i` is made: 0 not begun, 1 done. */
static float cell_progress(const lesson_view *v, const times *t, int i, size_t cell)
{
    const lesson_block *b = &v->plan.spreads[v->motion.upper].blocks[i];
    float span, from = cell_start_time(t->making[i], b, cell, &span);
    float at = elapsed_motion_time(v, t) - t->glide - t->stretch * (t->from[i] + from);
    return clamped_fraction(at, 0, t->stretch * span);
}

static size_t shown_cell_index(const sac_shown_array *array, const lesson_block *b, size_t number)
{
    size_t column = number % b->columns, line = number / b->columns;
    size_t row = b->first_row + line % b->rows, batch = b->first_batch + line / b->rows;
    return (batch * array->rows + row) * array->columns + b->first_column + column;
}

/* The last cell that has begun; of rows that are made as one their first. */
lesson_cell lesson_motion_cell(const lesson_view *v)
{
    const lesson_spread *upper = &v->plan.spreads[v->motion.upper];
    if (!lesson_moves(v) || v->motion.back || !is_planned(v))
        return (lesson_cell){0};
    times t = compute_motion_times(v, v->motion.lower, v->motion.upper);
    for (int i = upper->count; i-- > 0;) {
        const lesson_block *b = &upper->blocks[i];
        for (size_t n = count_shown_cells(b); b->made_here && n-- > 0;)
            if (cell_progress(v, &t, i, n) > 0) {
                bool rows = t.making[i] == SAC_MADE_SHARES || t.making[i] == SAC_MADE_SHARES_0;
                size_t cell = rows ? n - n % b->columns : n;
                return (lesson_cell){b->node, shown_cell_index(lesson_array(v, b->node), b, cell)};
            }
    }
    return (lesson_cell){0};
}

/* ---------------------------------------------------------------- flights */

/* An operand on its way into the cell at `to`, beside its middle. */
static void draw_flying_operand(const lesson_view *v, viz_canvas *canvas,
                                const lesson_spread *spread, sac_operand operand, viz_rect to,
                                float done, float beside, float size)
{
    const lesson_block *b = find(spread->blocks, spread->count, operand.array);
    const sac_shown_array *array = lesson_array(v, operand.array);
    viz_rect from = lesson_cell_rect(b, array, operand.cell);
    float t = viz_eased(clamped_fraction(done, 0.12f, LANDS)), scale = interpolate(1, size, t);
    if (from.w <= 0 || lesson_hides(v, operand.array))
        return;
    lesson_paint paint = lesson_paint_of(v, canvas, b);
    viz_rect r = {0, 0, scale * from.w, scale * from.h};
    r.x = interpolate(from.x + from.w / 2, to.x + to.w / 2 + beside * to.w, t) - r.w / 2;
    r.y = interpolate(from.y + from.h / 2, to.y + to.h / 2, t) - r.h / 2;
    paint.number = floorf(2 * scale * paint.number) / 2; /* few sizes of letters are drawn anew */
    paint.alpha = 1 - clamped_fraction(done, LANDS, 1);
    lesson_paint_number(canvas, &paint, r, array->numbers[operand.cell]);
}

/* The row's numbers become bars, as high as their exps beside the largest; these are squeezed until all
 * together have the height of a cell. */
static void draw_softmax_squeeze(const lesson_view *v, viz_canvas *canvas,
                                 const lesson_spread *spread, const lesson_block *b, size_t cell,
                                 float done)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    bool down = array->making == SAC_MADE_SHARES_0; /* columns add up to 1 */
    size_t batch = cell / (array->rows * array->columns) * array->rows * array->columns;
    size_t first = down ? batch + cell % array->columns : cell - cell % array->columns;
    float most = 0, share = array->numbers[cell];
    for (size_t k = 0; k < (down ? array->rows : array->columns); k++)
        most = fmaxf(most, array->numbers[first + k * (down ? array->columns : 1)]);
    viz_rect r = lesson_cell_rect(b, array, cell);
    sac_operand score = {array->inputs[0], cell};
    if (find(spread->blocks, spread->count, score.array))
        draw_flying_operand(v, canvas, spread, score, r, clamped_fraction(done, 0, 0.4f), 0, 1);
    r = lesson_cell_ground(r);
    float grown = viz_eased(clamped_fraction(done, 0.32f, 0.52f)),
          squeezed = viz_eased(clamped_fraction(done, 0.56f, 0.8f));
    float bar = most > 0 ? grown * interpolate(share / most, share, squeezed) * r.h : 0;
    viz_color color = viz_with_alpha(canvas->theme->accent, 1 - clamped_fraction(done, 0.86f, 1));
    viz_fill(canvas, (viz_rect){r.x, r.y + r.h - bar, r.w, bar}, color);
}

/* ---------------------------------------------------------------- looks */

typedef struct making {
    const lesson_view *v;
    const times *t;
    int block;
} making;

/* How much a cell of an array that is being made is seen. */
static float cell_opacity(const void *user, size_t cell)
{
    const making *m = user;
    const lesson_block *b = &m->v->plan.spreads[m->v->motion.upper].blocks[m->block];
    const sac_shown_array *array = lesson_array(m->v, b->node);
    size_t column = cell % array->columns, line = cell / array->columns;
    size_t row = line % array->rows - b->first_row, batch = line / array->rows - b->first_batch;
    size_t number = (batch * b->rows + row) * b->columns + column - b->first_column;
    return clamped_fraction(cell_progress(m->v, m->t, m->block, number), LANDS, 1);
}

static bool show_same_window(const lesson_block *a, const lesson_block *b)
{
    return a->first_batch == b->first_batch && a->batches == b->batches &&
           a->first_row == b->first_row && a->rows == b->rows &&
           a->first_column == b->first_column && a->columns == b->columns && a->across == b->across;
}

static void draw_making(const lesson_view *v, viz_canvas *canvas, const times *t, int i)
{
    const lesson_spread *upper = &v->plan.spreads[v->motion.upper];
    const lesson_block *b = &upper->blocks[i];
    const sac_shown_array *array = lesson_array(v, b->node);
    bool shares = t->making[i] == SAC_MADE_SHARES || t->making[i] == SAC_MADE_SHARES_0;
    bool products = is_product(t->making[i]), moves = t->making[i] == SAC_MADE_BY_MOVING;
    for (size_t n = 0; n < count_shown_cells(b); n++) {
        float done = cell_progress(v, t, i, n);
        size_t cell = shown_cell_index(array, b, n);
        sac_operand operands[NUMBERS];
        if (done <= 0 || done >= 1 || (products && n >= FLOWN))
            continue;
        if (shares) {
            draw_softmax_squeeze(v, canvas, upper, b, cell, done);
            continue;
        }
        size_t count = collect_visible_operands(v, upper, b->node, cell, 0, operands,
                                                products ? PRODUCTS : NUMBERS);
        for (size_t k = 0; k < count; k++) {
            bool second = operands[k].array != operands[0].array || (products && k % 2);
            draw_flying_operand(v, canvas, upper, operands[k], lesson_cell_rect(b, array, cell),
                                done, products ? second ? 0.22f : -0.22f : 0,
                                moves      ? 1
                                : products ? 0.55f
                                           : 0.8f);
        }
    }
}

void lesson_motion_draw(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_spread *upper = &v->plan.spreads[v->motion.upper], *lower = NULL;
    if (v->motion.lower >= 0)
        lower = &v->plan.spreads[v->motion.lower];
    times t = compute_motion_times(v, v->motion.lower, v->motion.upper);
    float glided = viz_eased(clamped_fraction(elapsed_motion_time(v, &t), 0, t.glide));
    if (lower) {
        const lesson_layout *l = &v->layout; /* the step before may have had fewer lines below */
        float bottom = l->unmentioned ? viz_height(canvas) : l->arithmetic_y - l->arithmetic;
        viz_clip(canvas, (viz_rect){0, 0, viz_width(canvas), bottom});
        /* What was there before: it glides, stays as a trace, or fades. */
        for (int i = 0; i < lower->past_count; i++)
            if (!find(upper->past, upper->past_count, lower->past[i].node))
                lesson_draw_past(v, canvas, &lower->past[i], 1 - glided);
        for (int i = 0; i < upper->past_count; i++) {
            bool was = find(lower->past, lower->past_count, upper->past[i].node) ||
                       find(lower->blocks, lower->count, upper->past[i].node);
            lesson_draw_past(v, canvas, &upper->past[i], was ? 1 : glided);
        }
        for (int i = 0; i < lower->count; i++) {
            const lesson_block *b = find(upper->blocks, upper->count, lower->blocks[i].node);
            if (!b || !show_same_window(&lower->blocks[i], b))
                lesson_draw_array(v, canvas, &lower->blocks[i], 1 - glided, NULL, NULL);
        }
        viz_clip_none(canvas);
    }
    for (int i = 0; i < upper->count; i++) {
        const lesson_block *b = &upper->blocks[i];
        const lesson_block *was = lower ? find(lower->blocks, lower->count, b->node) : NULL;
        const making m = {v, &t, i};
        if (was && show_same_window(was, b)) {
            lesson_block now = *b;
            float *const to[] = {&now.rect.x, &now.rect.y, &now.rect.w, &now.rect.h,
                                 &now.number, &now.cell_w, &now.cell_h, &now.gap_x,
                                 &now.gap_y,  &now.gutter, &now.name_h, &now.label_h};
            const float from[] = {was->rect.x, was->rect.y, was->rect.w, was->rect.h,
                                  was->number, was->cell_w, was->cell_h, was->gap_x,
                                  was->gap_y,  was->gutter, was->name_h, was->label_h};
            for (size_t n = 0; n < sizeof from / sizeof *from; n++)
                *to[n] = interpolate(from[n], *to[n], glided);
            lesson_draw_array(v, canvas, &now, 1, NULL, NULL);
        } else if (b->made_here) {
            lesson_draw_array(v, canvas, b, glided, cell_opacity, &m);
        } else {
            lesson_draw_array(v, canvas, b, glided, NULL, NULL);
        }
    }
    lesson_cell cell = lesson_motion_cell(v);
    sac_operand operands[DIRECT];
    if (cell.array)
        lesson_draw_cell_frames(
            v, canvas, upper->blocks, upper->count, operands,
            collect_visible_operands(v, upper, cell.array, cell.cell, 0, operands, DIRECT));
    for (int i = 0; i < upper->count; i++)
        if (upper->blocks[i].made_here)
            draw_making(v, canvas, &t, i);
}

/* ---------------------------------------------------------------- at a step */

static float step_rest_time(const lesson_view *v, int step)
{
    return LESSON_BEAT * (float)lesson_beat_count(v, step) + REST;
}

/* ---------------------------------------------------------------- the clock */

bool lesson_motion_play(lesson_view *v, bool plays)
{
    int last = v->lesson.step_count - 1;
    v->motion.plays = plays && v->pace != VIZ_PACE_STILL;
    bool goes_on = v->motion.plays && lesson_beat_count(v, v->step) > 0;
    v->motion.rests_since =
        v->motion.now - (goes_on ? 0 : step_rest_time(v, v->step)); /* the next one at once */
    if (v->motion.plays && !goes_on && v->step == last)
        lesson_turn(v, 0);
    return true;
}

/* The plan is made when the step is drawn first: the time begins there. */
bool lesson_motion_tick(lesson_view *v, double now)
{
    lesson_motion *m = &v->motion;
    m->has_clock = true;
    m->moves &= !m->exported;
    m->exported = false;
    m->now = now;
    if (m->begins || (m->moves && !is_planned(v))) { /* until it is drawn */
        m->begins = m->begins && !is_planned(v);
        m->since = now;
        return true;
    }
    if (m->moves) {
        times t = compute_motion_times(v, v->motion.lower, v->motion.upper);
        float at = elapsed_motion_time(v, &t);
        if (at < 0 || at >= t.total)
            lesson_motion_end(v);
        return true;
    }
    if (!v->known || v->lists || v->ends)
        return false;
    int beat = lesson_current_beat(v) + 1;
    bool other = beat != m->beat;
    if (other)
        lesson_follow_beat(v);
    m->beat = beat;
    if (!m->plays || now - m->rests_since < (double)(step_rest_time(v, v->step) / lesson_pace(v)))
        return other;
    m->plays = v->step + 1 < v->lesson.step_count;
    return lesson_turn(v, v->step + 1);
}

/* ---------------------------------------------------------------- frames of a file */

static bool can_move(const lesson_view *v)
{
    return v->pace != VIZ_PACE_STILL && !v->quiz && !v->base.figure && is_planned(v);
}

/* Seconds of the motion that leads to a step; 0: there is none. */
static float moving_seconds(const lesson_view *v, int step)
{
    return can_move(v) ? compute_motion_times(v, step - 1, step).total / lesson_pace(v) : 0;
}

/* The same with the time to read the step. */
static float total_step_seconds(const lesson_view *v, int step)
{
    return can_move(v) ? moving_seconds(v, step) + step_rest_time(v, step) / lesson_pace(v)
                       : LESSON_STEP_SECONDS;
}

static int first_step(const lesson_view *v)
{
    return v->pages == LESSON_ONE_PAGE ? v->step : 0;
}

static int last_step(const lesson_view *v)
{
    return v->pages == LESSON_ONE_PAGE ? v->step : v->lesson.step_count - 1;
}

int lesson_motion_frames(const lesson_view *v, int fps)
{
    float seconds = 0;
    for (int i = first_step(v); i <= last_step(v); i++)
        seconds += total_step_seconds(v, i);
    return (int)ceilf(seconds * (float)fps);
}

void lesson_motion_frame(lesson_view *v, int index, int fps)
{
    lesson_motion *m = &v->motion;
    int step = first_step(v), last = last_step(v);
    double at = (double)index / fps;
    for (; step < last && at >= (double)total_step_seconds(v, step); step++)
        at -= (double)total_step_seconds(v, step);
    v->step = step;
    v->hovered = (lesson_cell){0};
    *m = (lesson_motion){.lower = step - 1, .upper = step, .has_clock = m->has_clock, .now = at};
    m->exported = true;
    m->rests_since = (double)moving_seconds(v, step);
    m->moves = at < m->rests_since;
    lesson_follow_beat(v);
}
