/* Rows that change places: each panel is a line of matrices, whose rows are strips of colour, and bands
 * go from a row to where it stands in the next matrix. A hand drags rows of a given permutation. */
#include <math.h>
#include <stdio.h>

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/drawings/drawings.h"
#include "parts/figures/lines.h"

#define HEAD 1.8f      /* the line of names above a panel, in sizes of the text */
#define GAP 0.55f      /* between matrices, of the width of one */
#define MOST_ROW 34.0f /* the height of a row, at most */
#define LEAST_CONTRAST 4.5f
#define NUMBER 1.5f /* before a strip: which row it is, in sizes of the text */

typedef struct strips {
    const sac_drawing_mark *marks[SAC_DRAWING_MARKS];
    int count;
} strips;

static strips panel_strips(const lesson_view *v, const sac_lesson_drawing *d, int panel)
{
    strips s = {.count = 0};
    for (int i = 0; i < d->mark_count; i++)
        if (d->marks[i].panel == panel && lesson_is_now(v, d->marks[i].since, d->marks[i].before))
            s.marks[s.count++] = &d->marks[i];
    return s;
}

static viz_rect strip_rect(const lesson_panel *p, int of, int column, size_t rows, size_t row)
{
    float w = p->frame.w / ((float)of + GAP * (float)(of - 1));
    float h = fminf(p->frame.h / (float)rows, MOST_ROW);
    return (viz_rect){p->frame.x + (1 + GAP) * w * (float)column, p->frame.y + h * (float)row + 2,
                      w, h - 4};
}

/* The row that stands before it, by the permutation between the two: the largest number of its row. */
static size_t row_before_permutation(const lesson_view *v, const sac_drawing_mark *mark, size_t row)
{
    if (!mark->weights)
        return row;
    const sac_shown_array *p = lesson_array(v, mark->weights);
    size_t found = 0;
    for (size_t c = 1; c < p->columns; c++)
        if (p->numbers[row * p->columns + c] > p->numbers[row * p->columns + found])
            found = c;
    return found;
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    float gap = 1.2f * l->text, height = 0;
    int shown = 0;
    (void)canvas;
    for (int i = 0; i < d->panel_count; i++)
        shown += panel_strips(v, d, i).count > 0;
    height = (l->room.h + gap) / (float)(shown ? shown : 1) - gap;
    for (int i = 0, at = 0; i < d->panel_count; i++) {
        lesson_panel *p = &l->panels[i];
        if (panel_strips(v, d, i).count == 0)
            continue;
        float y = l->room.y + (float)at++ * (height + gap), left = NUMBER * l->text;
        p->rect = (viz_rect){l->room.x, y, l->room.w, height};
        p->frame = (viz_rect){l->room.x + left, y + HEAD * l->text, l->room.w - left,
                              height - HEAD * l->text};
    }
    for (int i = 0; i < d->handle_count; i++) {
        const sac_drawing_handle *handle = &d->handles[i];
        strips s = panel_strips(v, d, handle->panel);
        if (s.count < 2 || !lesson_is_now(v, handle->since, 0))
            continue;
        viz_rect r = strip_rect(&l->panels[handle->panel], s.count, 1,
                                lesson_array(v, s.marks[1]->y)->rows, (size_t)i);
        l->handles[i] = (lesson_handle){r.x + r.w / 2, r.y + r.h / 2, r, r.h + 4,
                                        (int)row_before_permutation(v, s.marks[1], (size_t)i) + 1};
    }
}

/* ---------------------------------------------------------------- looks */

static void draw_matrix(const lesson_view *v, viz_canvas *canvas, const lesson_panel *p,
                        const strips *s, int column, const size_t *which)
{
    const sac_drawing_mark *mark = s->marks[column];
    const sac_shown_array *array = lesson_array(v, mark->y);
    float size = v->layout.drawing.text;
    char text[24], fit[64];
    viz_rect first = strip_rect(p, s->count, column, array->rows, 0);
    viz_text(canvas, VIZ_SANS_BOLD, size, first.x, p->rect.y + size, VIZ_LEFT, canvas->theme->text,
             viz_text_fit(canvas, VIZ_SANS_BOLD, size, (1 + GAP) * first.w - size,
                          lesson_text(v, mark->name), fit, sizeof fit));
    for (size_t row = 0; row < array->rows; row++) {
        viz_rect r = strip_rect(p, s->count, column, array->rows, row);
        viz_color ink = viz_head_color(canvas->theme, (int)which[row], (int)array->rows);
        if (viz_contrast(ink, canvas->theme->ground) < LEAST_CONTRAST)
            ink = (viz_color){(uint8_t)(0.9f * ink.r), (uint8_t)(0.9f * ink.g),
                              (uint8_t)(0.9f * ink.b), 255};
        snprintf(text, sizeof text, "%zu", which[row]);
        lesson_heat heat = lesson_heat_of(array, v->map);
        float w = r.w / (float)array->columns;
        for (size_t c = 0; c < array->columns; c++)
            viz_fill(
                canvas, (viz_rect){r.x + w * (float)c, r.y, w + 0.5f, r.h},
                lesson_heat_color(&heat, canvas->theme, array->numbers[row * array->columns + c]));
        if (r.h < size - 2)
            continue; /* bands identify the row */
        viz_text(canvas, VIZ_SANS_BOLD, size, r.x - 0.45f * size, r.y + r.h / 2 + 0.36f * size,
                 VIZ_RIGHT, ink, text);
    }
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    for (int i = 0; i < d->panel_count; i++) {
        const lesson_panel *p = &v->layout.drawing.panels[i];
        strips s = panel_strips(v, d, i);
        size_t before[SAC_DRAWING_HANDLES] = {0}, which[SAC_DRAWING_HANDLES];
        for (int k = 0; k < s.count; k++) {
            size_t rows = lesson_array(v, s.marks[k]->y)->rows;
            rows = rows < SAC_DRAWING_HANDLES ? rows : SAC_DRAWING_HANDLES;
            for (size_t row = 0; row < rows; row++) {
                size_t from = row_before_permutation(v, s.marks[k], row);
                which[row] = k ? before[from] : row;
                if (k == 0)
                    continue;
                viz_rect a = strip_rect(p, s.count, k - 1, rows, from),
                         b = strip_rect(p, s.count, k, rows, row);
                viz_band_draw(canvas, a.x + a.w + 3, a.y + a.h / 2,
                              b.x - NUMBER * v->layout.drawing.text, b.y + b.h / 2,
                              fminf(0.5f * a.h, 8), false,
                              viz_with_alpha(
                                  viz_head_color(canvas->theme, (int)which[row], (int)rows), 0.7f));
            }
            draw_matrix(v, canvas, p, &s, k, which);
            for (size_t row = 0; row < rows; row++)
                before[row] = which[row];
        }
    }
}

/* ---------------------------------------------------------------- a hand */

/* The row and the one at `y` change places in the permutation. Until it is computed with them they are
 * not changed again. */
static void drag(lesson_view *v, const sac_lesson_drawing *d, float x, float y)
{
    const sac_drawing_handle *handle = &d->handles[v->handle];
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    sac_node node = handle->x.array;
    const sac_shown_array *array = lesson_array(v, node);
    viz_rect first = strip_rect(p, 2, 1, array->rows, 0);
    float row = floorf((y - first.y + 2) / (first.h + 4));
    size_t from = (size_t)v->handle, to = (size_t)fminf(fmaxf(row, 0), (float)array->rows - 1);
    (void)x;
    if (from == to || v->moved_in == v->lesson.self)
        return;
    for (size_t c = 0; c < array->columns; c++) {
        size_t a = from * array->columns + c, b = to * array->columns + c;
        char name[LESSON_CELL_NAME];
        if (array->numbers[a] == array->numbers[b])
            continue;
        lesson_request_setting(v, lesson_cell_name(v, (lesson_cell){node, a}, name, sizeof name),
                               array->numbers[b], false);
        lesson_request_setting(v, lesson_cell_name(v, (lesson_cell){node, b}, name, sizeof name),
                               array->numbers[a], false);
    }
    v->handle = (int)to;
    v->moved_in = v->lesson.self;
}

const lesson_drawing_class lesson_rows = {.lay = lay, .draw = draw, .drag = drag};
