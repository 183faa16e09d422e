/* Pictures beside each other, out of arrays of brightness or of red, green and blue; weights lie over
 * them as over every picture of the program. */
#include <math.h>
#include <stdlib.h>

#include "canvas/text.h"
#include "lesson/drawings/drawings.h"

#define HEAD 1.7f   /* the line of the title, in sizes of the text, … */
#define CREDIT 0.8f /* … and the size of the author's name */

static const sac_drawing_mark *mark_of(const lesson_view *v, const sac_lesson_drawing *d, int panel)
{
    const sac_drawing_mark *shown = NULL;
    for (int i = 0; i < d->mark_count; i++)
        if (d->marks[i].panel == panel && lesson_is_now(v, d->marks[i].since, d->marks[i].before))
            shown = &d->marks[i];
    return shown;
}

static void lay(lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    lesson_drawing_layout *l = &v->layout.drawing;
    float gap = 1.2f * l->text, at = l->room.x, each;
    int shown = 0;
    (void)canvas;
    for (int i = 0; i < d->panel_count; i++)
        shown += mark_of(v, d, i) != NULL;
    each = (l->room.w + gap) / (float)(shown ? shown : 1) - gap;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = mark_of(v, d, i);
        lesson_panel *p = &l->panels[i];
        if (!mark)
            continue;
        const sac_shown_array *array = lesson_array(v, mark->y);
        float tall = (float)array->rows / (float)array->columns, head = HEAD * l->text;
        float foot = mark->credit ? 1.6f * CREDIT * l->text : 0;
        float w = fminf(each, (l->room.h - head - foot) / tall);
        p->rect = (viz_rect){at, l->room.y, each, l->room.h};
        p->frame = (viz_rect){at, l->room.y + head, w, w * tall};
        p->x_low = d->panels[i].x_low;
        p->x_high = d->panels[i].x_high;
        p->y_low = d->panels[i].y_low;
        p->y_high = d->panels[i].y_high;
        at += w + gap;
    }
    for (int i = 0; i < d->handle_count; i++) {
        const sac_drawing_handle *handle = &d->handles[i];
        const lesson_panel *p = &l->panels[handle->panel];
        lesson_handle *h = &l->handles[i];
        const float reach = 16;
        if (p->rect.w <= 0 || !lesson_is_now(v, handle->since, 0))
            continue;
        h->x = p->frame.x +
               p->frame.w * (lesson_operand(v, handle->x, 0) - p->x_low) / (p->x_high - p->x_low);
        h->y = p->frame.y +
               p->frame.h * (lesson_operand(v, handle->y, 0) - p->y_low) / (p->y_high - p->y_low);
        h->rect = (viz_rect){h->x - reach, h->y - reach, 2 * reach, 2 * reach};
        h->stride = p->frame.w / (p->x_high - p->x_low);
    }
}

static float spare(const lesson_view *v, const viz_canvas *canvas, const sac_lesson_drawing *d)
{
    const lesson_drawing_layout *l = &v->layout.drawing;
    float right = l->room.x;
    (void)canvas;
    for (int i = 0; i < d->panel_count; i++)
        right = fmaxf(right, l->panels[i].frame.x + l->panels[i].frame.w);
    return l->room.x + l->room.w - right;
}

static void at(const lesson_view *v, const sac_drawing_handle *handle, float x, float y,
               float *at_x, float *at_y)
{
    const lesson_panel *p = &v->layout.drawing.panels[handle->panel];
    float along = fminf(fmaxf((x - p->frame.x) / p->frame.w, 0), 1),
          down = fminf(fmaxf((y - p->frame.y) / p->frame.h, 0), 1);
    *at_x = p->x_low + along * (p->x_high - p->x_low);
    *at_y = p->y_low + down * (p->y_high - p->y_low);
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

/* Of several maps that of the column which is pointed at, where its array has as many columns; its first
 * number. */
static size_t map_of(const lesson_view *v, const sac_shown_array *weights)
{
    const sac_shown_array *current = v->current.array ? lesson_array(v, v->current.array) : weights;
    bool chosen = weights->batch > 1 && current->columns == weights->batch;
    size_t map = chosen ? v->current.cell % current->columns : 0;
    return map * weights->rows * weights->columns;
}

static void draw(const lesson_view *v, viz_canvas *canvas, const sac_lesson_drawing *d)
{
    float size = v->layout.drawing.text;
    for (int i = 0; i < d->panel_count; i++) {
        const sac_drawing_mark *mark = mark_of(v, d, i);
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
            viz_heat(canvas, NULL, p->frame, weights->numbers + map_of(v, weights),
                     (int)weights->columns, (int)weights->rows, &style);
        }
    }
}

const lesson_drawing_class lesson_picture = {.lay = lay, .spare = spare, .draw = draw, .at = at};
