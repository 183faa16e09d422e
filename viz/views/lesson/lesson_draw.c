/* The looks of a lesson's page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/paragraph.h"
#include "parts/steps.h"

/* ---------------------------------------------------------------- arrays */

static void draw_name(const lesson_view *v, viz_canvas *canvas, const lesson_block *b)
{
    const viz_theme *theme = canvas->theme;
    const sac_shown_array *array = lesson_array(v, b->node);
    float size = v->layout.label, y = b->rect.y + size;
    char shape[96];
    float x = b->rect.x + viz_text(canvas, VIZ_SANS_BOLD, size, b->rect.x, y, VIZ_LEFT,
                                   b->made_here ? theme->text : theme->text2, array->name);
    viz_text(canvas, VIZ_MONO, size, x + 0.6f * size, y, VIZ_LEFT, theme->text2,
             lesson_block_shape(b, array, shape, sizeof shape));
}

static void draw_arrow(const lesson_view *v, viz_canvas *canvas, const lesson_block *b)
{
    float reach = 22 * v->layout.unit, head = 6 * v->layout.unit,
          thick = fmaxf(1.5f, v->layout.unit * 2);
    float x = b->rect.x - 1.1f * reach, y = b->rect.y + b->name_h + b->label_h + b->cell_h / 2;
    viz_color color = canvas->theme->faint;
    viz_line(canvas, x - reach / 2, y, x + reach / 2, y, thick, color);
    viz_line(canvas, x + reach / 2 - head, y - head, x + reach / 2, y, thick, color);
    viz_line(canvas, x + reach / 2 - head, y + head, x + reach / 2, y, thick, color);
}

/* The label of a row or column: its word, or its number. */
static const char *label_of(const char *const *labels, size_t index, char *text, size_t size)
{
    if (labels)
        return labels[index];
    snprintf(text, size, "%zu", index);
    return text;
}

static viz_color label_color(const lesson_view *v, const viz_canvas *canvas, const lesson_block *b,
                             bool current)
{
    return current && v->current.array == b->node ? canvas->theme->accent : canvas->theme->text2;
}

static void draw_column_labels(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                               size_t batch)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    float size = v->layout.label;
    char text[32], fit[64];
    for (size_t c = b->first_column; b->label_h > 0 && c < b->first_column + b->columns; c++) {
        viz_rect r =
            lesson_cell_rect(b, array, (batch * array->rows + b->first_row) * array->columns + c);
        bool current = v->current.cell % array->columns == c && !lesson_asks_row(v);
        const char *label = label_of(array->column_labels, c, text, sizeof text);
        viz_text_fit(canvas, VIZ_SANS, size, r.w, label, fit, sizeof fit);
        viz_text(canvas, array->column_labels ? VIZ_SANS : VIZ_MONO, size, r.x + r.w / 2,
                 r.y - 0.45f * size, VIZ_CENTER, label_color(v, canvas, b, current), fit);
    }
}

static void draw_row_label(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                           size_t line)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    viz_rect r = lesson_cell_rect(b, array, line * array->columns + b->first_column);
    size_t index = array->rows > 1 ? line % array->rows : line / array->rows;
    float size = v->layout.label;
    bool current = v->current.cell / array->columns == line;
    char text[32];
    if (b->gutter > 0)
        viz_text(canvas, array->row_labels ? VIZ_SANS : VIZ_MONO, size, r.x - 0.6f * size,
                 r.y + r.h / 2 + 0.36f * size, VIZ_RIGHT, label_color(v, canvas, b, current),
                 label_of(array->row_labels, index, text, sizeof text));
}

static void draw_number(const lesson_view *v, viz_canvas *canvas, const lesson_block *b,
                        const lesson_heat *heat, viz_rect r, float value)
{
    const viz_theme *theme = canvas->theme;
    float size = v->layout.number, gap = b->cell_h > 26 ? 2 : 1;
    char text[32];
    viz_color color = lesson_heat_color(heat, theme, value);
    viz_color ink = isfinite(value) ? viz_text_on(color) : theme->text;
    viz_rect cell = {r.x, r.y, r.w - gap, r.h - gap};
    if (lesson_hides(v, b->node)) {
        viz_fill(canvas, cell, theme->panel);
        return;
    }
    viz_fill(canvas, cell, color);
    viz_text(canvas, VIZ_MONO, size, cell.x + cell.w / 2, cell.y + cell.h / 2 + 0.36f * size,
             VIZ_CENTER, ink, lesson_number(&b->format, value, text, sizeof text));
}

static void draw_cells(const lesson_view *v, viz_canvas *canvas, const lesson_block *b)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    lesson_heat heat = lesson_heat_of(array, v->map);
    for (size_t batch = b->first_batch; batch < b->first_batch + b->batches; batch++) {
        if (batch == b->first_batch || b->beside)
            draw_column_labels(v, canvas, b, batch);
        for (size_t row = b->first_row; row < b->first_row + b->rows; row++) {
            size_t line = batch * array->rows + row;
            draw_row_label(v, canvas, b, line);
            for (size_t c = b->first_column; c < b->first_column + b->columns; c++) {
                size_t cell = line * array->columns + c;
                draw_number(v, canvas, b, &heat, lesson_cell_rect(b, array, cell),
                            array->numbers[cell]);
            }
        }
    }
}

/* ---------------------------------------------------------------- the cells that make one */

static bool is_operand(const lesson_view *v, sac_node node, size_t cell)
{
    for (size_t i = 0; i < v->arithmetic.count; i++)
        if (v->arithmetic.operands[i].array == node && v->arithmetic.operands[i].cell == cell)
            return true;
    return false;
}

/* A frame round cells, over the gaps between them. */
static void draw_frame(viz_canvas *canvas, const lesson_block *b, viz_rect r, viz_color color)
{
    float thick = b->cell_h > 26 ? 3 : 2, gap = b->cell_h > 26 ? 2 : 1;
    if (r.w > 0)
        viz_frame(canvas, (viz_rect){r.x - gap, r.y - gap, r.w + gap, r.h + gap}, thick, color);
}

/* A frame round each run of cells in a row; a column of runs has one frame. */
static void draw_operands(const lesson_view *v, viz_canvas *canvas, const lesson_block *b)
{
    const sac_shown_array *array = lesson_array(v, b->node);
    size_t lines = array->batch * array->rows;
    viz_rect open = {0};
    for (size_t line = 0; line <= lines; line++) {
        viz_rect run = {0};
        for (size_t c = 0; line < lines && c < array->columns; c++) {
            size_t cell = line * array->columns + c;
            viz_rect r = lesson_cell_rect(b, array, cell);
            if (r.w <= 0 || !is_operand(v, b->node, cell))
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

/* The cell that is looked at, or the row that is asked about. */
static viz_rect current_rect(const lesson_view *v, const lesson_block *b)
{
    viz_rect r = lesson_cell_rect(b, lesson_array(v, b->node), v->current.cell);
    r.w *= lesson_asks_row(v) ? (float)b->columns : 1;
    return r;
}

static void draw_arrays(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_layout *l = &v->layout;
    for (int i = 0; i < l->block_count; i++) {
        const lesson_block *b = &l->blocks[i];
        draw_name(v, canvas, b);
        if (b->arrow)
            draw_arrow(v, canvas, b);
        draw_cells(v, canvas, b);
    }
    for (int i = 0; i < l->block_count; i++) {
        const lesson_block *b = &l->blocks[i];
        draw_operands(v, canvas, b);
        if (b->node == v->current.array)
            draw_frame(canvas, b, current_rect(v, b), canvas->theme->accent);
    }
}

/* ---------------------------------------------------------------- text */

/* The arithmetic, and behind it what it gives: in the next line where there is no room. */
static void draw_arithmetic(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    float size = l->arithmetic, letter = viz_text_width(canvas, VIZ_MONO, size, "0");
    float x = l->area.x, y = l->arithmetic_y;
    int lines = viz_paragraph_lines(canvas, VIZ_MONO, size, l->area.w, l->told);
    float end = viz_paragraph_draw(canvas, VIZ_MONO, size, x, y, l->area.w, theme->text, l->told);
    float result = 2 * letter + viz_text_width(canvas, VIZ_MONO, size, l->result);
    bool behind = end + letter + result <= l->area.w;
    x += behind ? end + letter : 0;
    y += VIZ_LEADING * size * (float)(behind ? lines - 1 : lines);
    viz_text(canvas, VIZ_MONO, size, x, y, VIZ_LEFT, theme->text, "=");
    viz_text(canvas, VIZ_MONO, size, x + 2 * letter, y, VIZ_LEFT, theme->accent, l->result);
}

static void draw_head(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const lesson_layout *l = &v->layout;
    char text[64], fit[256];
    if (l->reset.w > 0)
        viz_text(canvas, VIZ_SANS, l->turns.size, l->reset.x, l->reset.y + 1.1f * l->turns.size,
                 VIZ_LEFT, theme->accent, lesson_text(v, lesson_reset_text));
    snprintf(text, sizeof text, "%d / %d", v->step + 1, v->lesson.step_count);
    float count = viz_text(canvas, VIZ_MONO, l->turns.size, l->area.x + l->area.w, l->title_y,
                           VIZ_RIGHT, theme->text2, text);
    viz_text_fit(canvas, VIZ_SANS_BOLD, l->title, l->area.w - count - l->title,
                 lesson_text(v, v->lesson.title), fit, sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, l->title, l->area.x, l->title_y, VIZ_LEFT, theme->text, fit);
    viz_turns_draw(&l->turns, canvas);
    const sac_lesson_step *step = lesson_step(v);
    viz_paragraph_draw(canvas, VIZ_SANS, l->sentence, l->area.x, l->sentence_y, l->area.w,
                       theme->text, lesson_text(v, step->sentence));
    if (step->formula)
        viz_text(canvas, VIZ_MONO, l->formula, l->area.x, l->formula_y, VIZ_LEFT, theme->text,
                 step->formula);
}

/* ---------------------------------------------------------------- what can be changed */

static void draw_switch(const lesson_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.switches[i];
    bool on = v->lesson.values[i] != 0;
    float y = r.y + r.h / 2;
    viz_rect track = {r.x, y - 8, 30, 16};
    viz_fill_round(canvas, track, 8, on ? theme->accent : theme->line);
    viz_disc(canvas, on ? track.x + 22 : track.x + 8, y, 6, on ? theme->on_accent : theme->faint);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + 40, y + 4, VIZ_LEFT,
             on ? theme->text : theme->text2, lesson_text(v, v->lesson.parameters[i].label));
}

static void draw_controls(const lesson_view *v, viz_canvas *canvas)
{
    const lesson_layout *l = &v->layout;
    char text[32];
    for (int i = 0; i < l->control_count; i++)
        if (l->switches[i].w > 0)
            draw_switch(v, canvas, i);
        else
            viz_slider_draw(canvas, &l->sliders[i], v->lesson.values[i],
                            viz_number(v->lesson.values[i], text, sizeof text));
}

static const viz_key_help caps[] = {
    {"↑  ↓", "cell"}, {"←  →", "step"}, {"#", "PyTorch"}, {"S", "PNG"}, {"?", "keys"}};

static void draw_foot(lesson_view *v, viz_canvas *canvas, viz_rect foot)
{
    lesson_layout *l = &v->layout;
    float margin = viz_page_margin(foot), right = foot.x + foot.w - margin;
    float x = viz_turns_draw_foot(&l->turns, canvas, foot, margin);
    l->caps = viz_caps_layout(canvas, right, foot.y + 14, right - x - 16, caps,
                              sizeof caps / sizeof *caps);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- the page */

static void draw_problem(const lesson_view *v, viz_canvas *canvas, viz_rect area)
{
    const char *text = v->request.problem[0] ? v->request.problem : "computing …";
    float width = fminf(area.w - 2 * VIZ_MARGIN, 720);
    viz_paragraph_draw(canvas, VIZ_SANS, VIZ_SENTENCE, area.x + (area.w - width) / 2,
                       area.y + area.h / 2, width, canvas->theme->text2, text);
}

void lesson_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    lesson_view *v = lesson_of(view);
    viz_rect foot = {area.x, area.y + area.h - VIZ_FOOT, area.w, VIZ_FOOT};
    bool presents = canvas->theme->presents || v->figure;
    if (v->lists) {
        v->layout = (lesson_layout){0};
        lesson_list_draw(v, canvas, area);
        return;
    }
    if (!v->known) {
        v->layout = (lesson_layout){0};
        draw_problem(v, canvas, area);
        return;
    }
    area.h -= presents ? 0 : VIZ_FOOT;
    lesson_look(v);
    lesson_lay(v, canvas, area);
    draw_head(v, canvas);
    lesson_block_draw(v, canvas);
    lesson_doors_draw(v, canvas);
    lesson_code_draw(v, canvas);
    draw_arrays(v, canvas);
    if (lesson_asks(v))
        viz_paragraph_draw(canvas, VIZ_SANS, v->layout.arithmetic, v->layout.area.x,
                           v->layout.arithmetic_y, v->layout.area.w, canvas->theme->accent,
                           v->layout.told);
    else if (!v->layout.code_alone)
        draw_arithmetic(v, canvas);
    viz_paragraph_draw(canvas, VIZ_SANS, v->layout.notice, v->layout.area.x, v->layout.notice_y,
                       v->layout.area.w, canvas->theme->text2, v->layout.noticed);
    lesson_bar_draw(v, canvas);
    draw_controls(v, canvas);
    if (!presents)
        draw_foot(v, canvas, foot);
}
