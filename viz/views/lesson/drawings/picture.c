/* Pictures beside each other, out of arrays of brightness or of red, green and blue; weights lie over
 * them as over every picture of the program, and lines that cut them into cells, or a path. */
#include <math.h>
#include <stdlib.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"

#define HEAD 1.7f       /* the line of the title, in sizes of the text, … */
#define CREDIT 0.8f     /* … and the size of the author's name */
#define MOST_WORDS 1.6f /* of a picture's width, for these */

static const sac_drawing_mark *current_picture_mark(const lesson_view *v,
                                                    const sac_lesson_drawing *d, int panel)
{
    return lesson_mark(d, v->step, panel, SAC_MARK_PICTURE);
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    float gap = 1.2f * l->text, at = l->room.x, each;
    int shown = 0;
    (void)canvas;
    for (int i = 0; i < d->panel_count; i++)
        shown += current_picture_mark(v, d, i) != NULL;
    each = (l->room.w + gap) / (float)(shown ? shown : 1) - gap;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_picture_mark(v, d, i);
        lesson_panel *p = &l->panels[i];
        if (!mark)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        float tall = (float)array->rows / (float)array->columns, head = HEAD * l->text;
        float foot = mark->credit ? 1.6f * CREDIT * l->text : 0;
        float w = fminf(each, (l->room.h - head - foot) / tall);
        p->rect = (viz_rect){at, l->room.y, each, l->room.h};
        p->frame = (viz_rect){at, l->room.y + head, w, w * tall};
        p->x = (viz_axis){d->panels[i].x_low, d->panels[i].x_high, false};
        p->y = (viz_axis){d->panels[i].y_low, d->panels[i].y_high, false};
        at += w + gap;
    }
    for (int i = 0; i < d->handle_count; i++) {
        const sac_drawing_handle *handle = &d->handles[i];
        const lesson_panel *p = &l->panels[handle->panel];
        lesson_handle *h = &l->handles[i];
        const float reach = 16;
        if (p->rect.w <= 0 || !lesson_is_now(v, handle->since, 0))
            continue;
        h->x = p->frame.x + p->frame.w * (lesson_operand_value(v, handle->x, 0) - p->x.low) /
                                (p->x.high - p->x.low);
        h->y = p->frame.y + p->frame.h * (lesson_operand_value(v, handle->y, 0) - p->y.low) /
                                (p->y.high - p->y.low);
        h->rect = (viz_rect){h->x - reach, h->y - reach, 2 * reach, 2 * reach};
        h->stride = p->frame.w / (p->x.high - p->x.low);
    }
}

/* So much of the width is taken by no picture, and by no name or credit of a small one. */
static float spare_width(const lesson_view *v, const viz_canvas *canvas,
                         const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    float right = l->room.x;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_picture_mark(v, d, i);
        const lesson_panel *p = &l->panels[i];
        if (!mark)
            continue;
        float name = viz_text_width(canvas, VIZ_SANS_BOLD, l->text, lesson_text(v, mark->name));
        float credit =
            mark->credit ? viz_text_width(canvas, VIZ_SANS, CREDIT * l->text, mark->credit) : 0;
        float words = fminf(fmaxf(name, credit) + 2, MOST_WORDS * p->frame.w);
        right = fmaxf(right, p->frame.x + fmaxf(p->frame.w, words));
    }
    return fmaxf(l->room.x + l->room.w - right, 0);
}

static void pixel_to_values(const lesson_view *v, const sac_drawing_handle *handle, float x,
                            float y, float *at_x, float *at_y)
{
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    float along = fminf(fmaxf((x - p->frame.x) / p->frame.w, 0), 1),
          down = fminf(fmaxf((y - p->frame.y) / p->frame.h, 0), 1);
    *at_x = p->x.low + along * (p->x.high - p->x.low);
    *at_y = p->y.low + down * (p->y.high - p->y.low);
}

static void draw_picture(viz_canvas *canvas, const sac_shown_array *array, viz_rect rect,
                         bool smooth)
{
    size_t cells = array->rows * array->columns;
    bool colours = array->batch == 3;
    sac_image image = {.width = (int)array->columns, .height = (int)array->rows};
    image.rgba = malloc(4 * cells + 1);
    if (!image.rgba)
        return;
    for (size_t i = 0; i < cells; i++) {
        for (size_t c = 0; c < 3; c++) {
            float value = array->numbers[colours ? c * cells + i : i];
            image.rgba[4 * i + c] = (uint8_t)(255 * fminf(fmaxf(value, 0), 1) + 0.5f);
        }
        image.rgba[4 * i + 3] = 255;
    }
    viz_image(canvas, &image, rect, smooth);
    free(image.rgba);
}

/* Lines between the cells, and a frame round the one whose row is looked at. */
static void draw_cell_grid(const lesson_view *v, viz_canvas *canvas, const sac_drawing_mark *mark,
                           viz_rect frame)
{
    const viz_color dark = {0, 0, 0, 110}, light = {255, 255, 255, 200};
    int rows = mark->cut_rows, columns = mark->cut_columns;
    float w = frame.w / (float)columns, h = frame.h / (float)rows;
    for (int pass = 0; pass < 2; pass++) {
        float off = pass ? 0 : 1;
        viz_color color = pass ? light : dark;
        for (int i = 1; i < columns; i++)
            viz_fill(canvas, (viz_rect){frame.x + w * (float)i + off, frame.y, 1, frame.h}, color);
        for (int i = 1; i < rows; i++)
            viz_fill(canvas, (viz_rect){frame.x, frame.y + h * (float)i + off, frame.w, 1}, color);
    }
    const sac_shown_array *current = v->current.array ? lesson_array(v, v->current.array) : NULL;
    if (!current || current->batch > 1 || current->rows != (size_t)(rows * columns))
        return;
    int row = (int)(v->current.cell / current->columns);
    viz_rect cell = {frame.x + w * (float)(row % columns), frame.y + h * (float)(row / columns), w,
                     h};
    viz_frame_round(canvas, cell, 0, 2.5f, canvas->theme->accent);
}

static void draw_path(const lesson_view *v, viz_canvas *canvas, const sac_drawing_mark *mark,
                      const lesson_panel *p)
{
    const sac_shown_array *path = lesson_array(v, mark->y);
    const viz_color shade = {0, 0, 0, 150}, color = canvas->theme->accent;
    float size = v->layout.drawing.text, before_x = 0, before_y = 0;
    float scale = fminf(fmaxf(p->frame.w / 260, 0.5f), 1.2f);
    /* The place on a path that is looked at: that of the current row, or where its way leads. */
    const sac_shown_array *current = v->current.array ? lesson_array(v, v->current.array) : path;
    size_t row = v->current.cell / current->columns + (current->rows + 1 == path->rows);
    int beat = v->layout.drawing.beat;
    size_t place = beat >= 0 ? (size_t)beat : row < path->rows ? row : path->rows - 1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < path->rows; i++) {
            const float *at = path->numbers + i * path->columns;
            float x = p->frame.x + p->frame.w * (at[0] - p->x.low) / (p->x.high - p->x.low),
                  y = p->frame.y + p->frame.h * (at[1] - p->y.low) / (p->y.high - p->y.low);
            if (i > 0 && pass == 0) {
                viz_line(canvas, before_x, before_y, x, y, 5 * scale, shade);
                viz_line(canvas, before_x, before_y, x, y, 2.5f * scale, color);
            }
            before_x = x;
            before_y = y;
            if (pass == 0 || i == place)
                viz_disc(canvas, x, y, scale * (i == place ? 9 : 5), shade);
            if (pass == 0 || i == place)
                viz_disc(canvas, x, y, scale * (i == place ? 7 : 3.5f), color);
            if (pass == 0 || i != place || !path->row_labels)
                continue;
            const char *word = path->row_labels[i];
            float w = viz_text_width(canvas, VIZ_SANS_BOLD, size, word) + 0.8f * size;
            bool left = x + w + 14 > p->frame.x + p->frame.w;
            viz_rect chip = {left ? x - w - 14 : x + 14, y - 0.8f * size, w, 1.6f * size};
            viz_fill_round(canvas, chip, 4, canvas->theme->ground);
            viz_text(canvas, VIZ_SANS_BOLD, size, chip.x + w / 2, y + 0.36f * size, VIZ_CENTER,
                     canvas->theme->text, word);
        }
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    float size = v->layout.drawing.text;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = current_picture_mark(v, d, i);
        const lesson_panel *p = &v->layout.drawing.panels[i];
        char fit[128];
        if (!mark || p->rect.w <= 0)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        viz_text(canvas, VIZ_SANS_BOLD, size, p->frame.x, p->rect.y + size, VIZ_LEFT,
                 canvas->theme->text,
                 viz_text_fit(canvas, VIZ_SANS_BOLD, size, p->rect.w, lesson_text(v, mark->name),
                              fit, sizeof fit));
        draw_picture(canvas, array, p->frame, array->batch == 3);
        if (mark->credit)
            viz_text(canvas, VIZ_SANS, CREDIT * size, p->frame.x,
                     p->frame.y + p->frame.h + 1.4f * CREDIT * size, VIZ_LEFT, canvas->theme->text2,
                     viz_text_fit(canvas, VIZ_SANS, CREDIT * size, p->rect.w, mark->credit, fit,
                                  sizeof fit));
        if (mark->weights) {
            const sac_shown_array *weights = lesson_array(v, mark->weights);
            const viz_heat_style style = {VIZ_HEAT_DEFAULTS, .blocky = true};
            /* Of several maps that of the column which is pointed at, where its array has as many columns; its first
             * number. */
            const sac_shown_array *current =
                v->current.array ? lesson_array(v, v->current.array) : weights;
            bool chosen = weights->batch > 1 && current->columns == weights->batch;
            size_t map = chosen ? v->current.cell % current->columns : 0;
            viz_heat(canvas, NULL, p->frame,
                     weights->numbers + (map * weights->rows * weights->columns),
                     (int)weights->columns, (int)weights->rows, &style);
        }
        if (mark->cut_rows > 0)
            draw_cell_grid(v, canvas, mark, p->frame);
        const sac_drawing_mark *path = lesson_mark(d, v->step, i, SAC_MARK_LINE);
        if (path)
            draw_path(v, canvas, path, p);
    }
}

/* A path is gone along, place by place. */
static int beats(const lesson_view *v, const sac_lesson_drawing *d, int step)
{
    const sac_drawing_mark *path = lesson_mark(d, step, 0, SAC_MARK_LINE);
    return path ? (int)lesson_array(v, path->y)->rows : 0;
}

static lesson_cell beat_cell(const lesson_view *v, const sac_lesson_drawing *d, int beat)
{
    sac_node node = lesson_mark(d, v->step, 0, SAC_MARK_LINE)->y;
    return (lesson_cell){node, (size_t)beat * lesson_array(v, node)->columns};
}

const lesson_drawing_class lesson_picture = {.lay = lay,
                                             .spare = spare_width,
                                             .draw = draw,
                                             .at = pixel_to_values,
                                             .beats = beats,
                                             .beat_cell = beat_cell};
