/* A matrix in each panel, with a curtain over the cells that are blocked. A hand draws the curtain over
 * a cell or lifts it, and paints on over others. */
#include <math.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"

#define HEAD 1.7f       /* heights of the lines above the cells, in sizes of the text */
#define MOST_CELL 58.0f /* the width of a cell, at most */

static const sac_drawing_mark *current_cells_mark(const lesson_view *v, const sac_lesson_drawing *d,
                                                  int panel)
{
    return lesson_mark(d, v->step, panel, SAC_MARK_CELLS);
}

/* Lays out the panels that are shown, in so many columns. Returns the size of the smallest cell. */
static float lay_panels_in_columns(lesson_view *v, const viz_canvas *canvas,
                                   const sac_lesson_drawing *d, int columns, int shown)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    float gutters[SAC_DRAWING_PANELS] = {0}, gap = 2 * l->text, least = MOST_CELL, shares = 0;
    float room = l->room.w - gap * (float)(columns - 1), x = l->room.x;
    float height = (l->room.h + gap) / (float)((shown + columns - 1) / columns) - gap;
    int at = 0;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        l->panels[i] = (lesson_panel){0};
        if (!mark)
            continue;
        /* The first panel of a line has the name of the rows, too. */
        const sac_shown_array *array = lesson_array(v, mark->y);
        char text[24];
        float size = v->layout.drawing.text;
        float widest = (at % columns == 0)
                           ? viz_text_width(canvas, VIZ_SANS, size, lesson_text(v, d->panels[i].y))
                           : 0;
        for (size_t r = 0; r < array->rows; r++)
            widest = fmaxf(widest, viz_text_width(canvas, VIZ_SANS, size,
                                                  lesson_label(v, array, true, r, text)));
        gutters[i] = widest + 0.8f * size;
        shares += at < columns ? lesson_panel_share(&d->panels[i]) : 0;
        room -= at++ < columns ? gutters[i] : 0;
    }
    at = 0;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        lesson_panel *p = &l->panels[i];
        if (!mark)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        float width = columns > 1 ? room * lesson_panel_share(&d->panels[i]) / shares : room,
              head = 2 * HEAD * l->text;
        x = at % columns ? x : l->room.x;
        p->rect = (viz_rect){x, l->room.y + (float)(at / columns) * (height + gap),
                             gutters[i] + width, height};
        float w = fminf(width / (float)array->columns, MOST_CELL);
        float h = fminf((height - head) / (float)array->rows, w);
        p->frame = (viz_rect){x + gutters[i], p->rect.y + head, w * (float)array->columns,
                              h * (float)array->rows};
        least = fminf(least, fminf(w, h));
        x += p->rect.w + gap;
        at++;
    }
    return least;
}

/* Beside each other, or below where their cells are no smaller so. */
static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    int shown = 0;
    for (int i = 0; i < d->panel_count; i++)
        shown += current_cells_mark(v, d, i) != NULL;
    if (shown == 0)
        return;
    float beside = lay_panels_in_columns(v, canvas, d, shown, shown);
    if (shown > 1 && lay_panels_in_columns(v, canvas, d, 1, shown) < beside)
        lay_panels_in_columns(v, canvas, d, shown, shown);
}

/* All panels of a line are as wide as the widest of them must be, for its cells and its title. */
static float spare_width(const lesson_view *v, const viz_canvas *canvas,
                         const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    float least = l->room.w, line = 0;
    for (int i = 0; i < d->panel_count; i++) {
        const lesson_panel *p = &l->panels[i];
        float title =
            viz_text_width(canvas, VIZ_SANS_BOLD, l->text, lesson_text(v, d->panels[i].title));
        if (p->rect.w <= 0)
            continue;
        least = fminf(least, p->rect.x + p->rect.w - p->frame.x - fmaxf(p->frame.w, title));
        line += p->rect.y <= l->room.y ? 1 : 0;
    }
    return fmaxf(least, 0) * line;
}

static viz_rect cell_rect(const lesson_panel *p, const sac_shown_array *array, size_t cell)
{
    float w = p->frame.w / (float)array->columns, h = p->frame.h / (float)array->rows;
    return (viz_rect){p->frame.x + w * (float)(cell % array->columns),
                      p->frame.y + h * (float)(cell / array->columns), w, h};
}

/* A cell is as large as its label. */
static bool is_legible(const lesson_view *v, const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        const viz_rect cell =
            mark ? cell_rect(&l->panels[i], lesson_array(v, mark->y), 0) : (viz_rect){0};
        if (mark && fminf(cell.w, cell.h) < l->text)
            return false;
    }
    return true;
}

static bool is_covered(const lesson_view *v, const sac_drawing_mark *mark, size_t cell)
{
    return mark->weights && lesson_array(v, mark->weights)->numbers[cell] != 0;
}

/* ---------------------------------------------------------------- looks */

static void draw_labels(const lesson_view *v, viz_canvas *canvas, const sac_drawing_panel *panel,
                        const lesson_panel *p, const sac_shown_array *array)
{
    float size = v->layout.drawing.text, line = p->frame.y - 0.5f * size;
    char text[24], fit[64];
    viz_color ink = canvas->theme->text2;
    viz_text_fit(canvas, VIZ_SANS_BOLD, size, p->rect.w, lesson_text(v, panel->title), fit,
                 sizeof fit);
    float right = p->rect.x + p->rect.w, w = viz_text_width(canvas, VIZ_SANS_BOLD, size, fit);
    viz_text(canvas, VIZ_SANS_BOLD, size, fminf(p->frame.x, right - w), p->rect.y + size, VIZ_LEFT,
             canvas->theme->text, fit);
    const char *rows = lesson_text(v, panel->y);
    if (viz_text_width(canvas, VIZ_SANS, size, rows) <= p->frame.x - p->rect.x)
        viz_text(canvas, VIZ_SANS, size, p->frame.x - 0.6f * size, line, VIZ_RIGHT, ink, rows);
    for (size_t c = 0; c < array->columns; c++) {
        viz_rect r = cell_rect(p, array, c);
        const char *name = lesson_label(v, array, false, c, text);
        viz_text_fit(canvas, VIZ_SANS, size, r.w, name, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, size, r.x + r.w / 2, line, VIZ_CENTER, ink, fit);
    }
    for (size_t row = 0; row < array->rows; row++) {
        viz_rect r = cell_rect(p, array, row * array->columns);
        viz_text(canvas, VIZ_SANS, size, r.x - 0.6f * size, r.y + r.h / 2 + 0.36f * size, VIZ_RIGHT,
                 ink, lesson_label(v, array, true, row, text));
    }
}

#define NUMBER 1.4f /* in large cells, in sizes of the text */

/* Where the mask itself is shown, cells have no number: it is in the curtain. */
static bool has_numbers(const sac_drawing_mark *mark)
{
    return mark->y != mark->weights;
}

/* Of the digits in all panels: as large as they fit in the cells; 0: in some they do not. */
static float number_size(const lesson_view *v, const viz_canvas *canvas,
                         const sac_lesson_drawing *d)
{
    float text = v->layout.drawing.text, size = NUMBER * text;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        if (!mark || !has_numbers(mark))
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        viz_rect r = cell_rect(&v->layout.drawing.panels[i], array, 0);
        float letters = (float)lesson_format_of(array, 2).letters;
        float width = letters * viz_text_width(canvas, VIZ_MONO, text, "0") / text; /* for size 1 */
        size = fminf(size, fminf((r.w - 8) / width, 0.75f * r.h));
    }
    return size >= text - 0.5f ? size : 0;
}

static void draw_cell(const lesson_view *v, viz_canvas *canvas, const sac_drawing_mark *mark,
                      viz_rect r, size_t cell, float size)
{
    const sac_shown_array *array = lesson_array(v, mark->y);
    viz_rect inner = {r.x + 1, r.y + 1, r.w - 2, r.h - 2};
    if (is_covered(v, mark, cell)) {
        viz_hatch(canvas, r, NULL);
        return;
    }
    if (!has_numbers(mark)) {
        viz_fill(canvas, inner, viz_with_alpha(lesson_ink(canvas->theme, SAC_INK_BLUE), 0.35f));
        return;
    }
    lesson_heat heat = lesson_heat_of(array, v->map);
    lesson_format format = lesson_format_of(array, 2);
    viz_color color = lesson_heat_color(&heat, canvas->theme, array->numbers[cell]);
    char text[32];
    viz_fill(canvas, inner, color);
    lesson_number(&format, array->numbers[cell], text, sizeof text);
    if (size > 0)
        viz_text(canvas, VIZ_MONO, size, r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size, VIZ_CENTER,
                 isfinite(array->numbers[cell]) ? viz_text_on(color) : canvas->theme->text, text);
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    float size = number_size(v, canvas, d);
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        const lesson_panel *p = &v->layout.drawing.panels[i];
        if (!mark || p->rect.w <= 0)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        draw_labels(v, canvas, &d->panels[i], p, array);
        for (size_t cell = 0; cell < array->rows * array->columns; cell++)
            draw_cell(v, canvas, mark, cell_rect(p, array, cell), cell, size);
        /* A hem between a covered cell and an open one. */
        viz_color ink = canvas->theme->accent;
        for (size_t row = 0; row < array->rows; row++)
            for (size_t c = 0; c < array->columns; c++) {
                size_t cell = row * array->columns + c;
                viz_rect r = cell_rect(p, array, cell);
                bool covered = is_covered(v, mark, cell);
                if (c + 1 < array->columns && covered != is_covered(v, mark, cell + 1))
                    viz_line(canvas, r.x + r.w, r.y, r.x + r.w, r.y + r.h, 2.5f, ink);
                if (row + 1 < array->rows && covered != is_covered(v, mark, cell + array->columns))
                    viz_line(canvas, r.x, r.y + r.h, r.x + r.w, r.y + r.h, 2.5f, ink);
            }
    }
}

/* ---------------------------------------------------------------- a hand */

/* The mark and its cell at a place; NULL: there is none that can be set. */
static const sac_drawing_mark *find_cell(const lesson_view *v, const sac_lesson_drawing *d, float x,
                                         float y, size_t *cell)
{
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        const lesson_panel *p = &v->layout.drawing.panels[i];
        if (!mark || !mark->sets.array || !viz_inside(p->frame, x, y))
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        size_t column = (size_t)((x - p->frame.x) / p->frame.w * (float)array->columns);
        size_t row = (size_t)((y - p->frame.y) / p->frame.h * (float)array->rows);
        *cell = row * array->columns + column;
        return row < array->rows && column < array->columns ? mark : NULL;
    }
    return NULL;
}

static bool event(lesson_view *v, const viz_event *e, const sac_lesson_drawing *d)
{
    size_t cell;
    char name[LESSON_CELL_NAME];
    const sac_drawing_mark *mark = find_cell(v, d, e->x, e->y, &cell);
    if (e->kind == VIZ_PRESS && e->button == 1) {
        v->paints = mark;
        v->covers = mark && !is_covered(v, mark, cell);
    }
    if ((e->kind == VIZ_PRESS || e->kind == VIZ_MOVE) && v->paints) {
        size_t column = mark ? cell % lesson_array(v, mark->y)->columns : 0;
        if (mark)
            lesson_request_setting(
                v,
                lesson_cell_name(v,
                                 (lesson_cell){mark->sets.array,
                                               mark->sets.cell + (mark->by_column ? column : cell)},
                                 name, sizeof name),
                v->covers ? mark->covered : mark->open, false);
        return true;
    }
    bool painted = v->paints;
    v->paints = false;
    return painted && e->kind == VIZ_RELEASE;
}

static void add_cell_spots(const lesson_view *v, const sac_lesson_drawing *d, viz_spots *list)
{
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_cells_mark(v, d, i);
        if (!mark || !mark->sets.array)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        for (size_t cell = 0; cell < array->rows * array->columns; cell++)
            viz_spots_add(list, cell_rect(&v->layout.drawing.panels[i], array, cell),
                          VIZ_SPOT_PRESSES,
                          "Draws the curtain over this cell, or lifts it; drag to go on.");
    }
}

const lesson_drawing_class lesson_matrix = {.lay = lay,
                                            .spare = spare_width,
                                            .legible = is_legible,
                                            .draw = draw,
                                            .event = event,
                                            .spots = add_cell_spots};
