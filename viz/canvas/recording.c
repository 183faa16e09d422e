/* Records the shapes that a canvas draws, as a list. */

#include "canvas/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"

static void shape_free(viz_shape *shape)
{
    free(shape->points);
    free(shape->text);
    sac_image_free(&shape->image);
}

static void drop_last(viz_recording *recording)
{
    shape_free(&recording->shapes[--recording->count]);
}

void viz_record_clear(viz_canvas *canvas)
{
    while (canvas->recording && canvas->recording->count)
        drop_last(canvas->recording);
}

void viz_recording_free(viz_recording *recording)
{
    while (recording->count)
        drop_last(recording);
    free(recording->shapes);
    *recording = (viz_recording){0};
}

/* ---------------------------------------------------------------- boxes */

static bool is_inside(viz_pixels inner, viz_pixels outer)
{
    return inner.x0 >= outer.x0 && inner.y0 >= outer.y0 && inner.x1 <= outer.x1 &&
           inner.y1 <= outer.y1;
}

static viz_pixels points_box(const viz_shape *s)
{
    float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, out = s->thickness / 2;
    for (size_t i = 0; i < s->point_count; i++) {
        x0 = fminf(x0, s->points[i].x - out);
        x1 = fmaxf(x1, s->points[i].x + out);
        y0 = fminf(y0, s->points[i].y - out);
        y1 = fmaxf(y1, s->points[i].y + out);
    }
    return (viz_pixels){(int)floorf(x0), (int)floorf(y0), (int)ceilf(x1), (int)ceilf(y1)};
}

static viz_pixels extent(const viz_shape *s)
{
    if (s->kind == VIZ_SHAPE_TEXT) {
        float x = s->points[0].x, y = s->points[0].y, high = (float)s->size, low = 0.4f * high;
        if (s->upwards)
            return (viz_pixels){(int)(x - high), (int)(y - s->advance), (int)(x + low), (int)y};
        return (viz_pixels){(int)x, (int)(y - high), (int)(x + s->advance), (int)(y + low)};
    }
    return s->point_count ? points_box(s) : s->box;
}

bool viz_shape_is_cut(const viz_shape *shape)
{
    return !is_inside(extent(shape), shape->clip);
}

/* ---------------------------------------------------------------- adding */

static viz_shape *make_room_for_shape(viz_recording *r)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        viz_shape *shapes = realloc(r->shapes, room * sizeof *shapes);
        if (!shapes) {
            viz_drawing_lacks_memory();
            return NULL;
        }
        r->shapes = shapes;
        r->room = room;
    }
    return &r->shapes[r->count];
}

static viz_pixels moved(viz_pixels box, int dx, int dy)
{
    return (viz_pixels){box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy};
}

void viz_recording_move(viz_recording *to, viz_recording *from, int dx, int dy)
{
    for (size_t i = 0; i < from->count; i++) {
        viz_shape *place = make_room_for_shape(to);
        if (!place) { /* which is noted */
            viz_recording_free(from);
            return;
        }
        viz_shape *s = &from->shapes[i];
        s->box = moved(s->box, dx, dy);
        s->clip = moved(s->clip, dx, dy);
        for (size_t k = 0; k < s->point_count; k++) {
            s->points[k].x += (float)dx;
            s->points[k].y += (float)dy;
        }
        *place = *s;
        to->count++;
        *s = (viz_shape){0};
    }
    from->count = 0;
}

/* The part of `image`, placed over `box`, that covers `part`. */
static bool copy_part(const sac_image *image, viz_pixels box, viz_pixels part, sac_image *copy)
{
    int width = part.x1 - part.x0, height = part.y1 - part.y0;
    if (sac_image_create(width, height, copy, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        return false;
    }
    for (int y = 0; y < height; y++) {
        size_t row = (size_t)(part.y0 - box.y0 + y), column = (size_t)(part.x0 - box.x0);
        memcpy(copy->rgba + 4 * (size_t)y * (size_t)width,
               image->rgba + 4 * (row * (size_t)image->width + column), 4 * (size_t)width);
    }
    return true;
}

/* Cells are kept whole, as the clip may cut through them. */
static bool copy_shape_image(viz_shape *own, const viz_shape *shape)
{
    viz_pixels whole = {0, 0, shape->image.width, shape->image.height};
    if (shape->kind == VIZ_SHAPE_CELLS)
        return copy_part(&shape->image, whole, whole, &own->image);
    own->box = viz_common(shape->box, own->clip);
    return copy_part(&shape->image, shape->box, own->box, &own->image);
}

static bool copy_shape_parts(viz_shape *own, const viz_shape *shape)
{
    own->image = (sac_image){0};
    own->points = NULL;
    own->text = NULL;
    if (shape->point_count) {
        own->points = viz_allocate(shape->point_count, sizeof *own->points);
        if (!own->points)
            return false;
        memcpy(own->points, shape->points, shape->point_count * sizeof *own->points);
    }
    if (shape->text && !(own->text = sac_printable_copy(shape->text))) {
        viz_drawing_lacks_memory();
        return false;
    }
    return !shape->image.rgba || copy_shape_image(own, shape);
}

void viz_record(viz_canvas *canvas, const viz_shape *shape)
{
    viz_shape *own = canvas->recording ? make_room_for_shape(canvas->recording) : NULL;
    if (!own || viz_is_empty(viz_common(extent(shape), canvas->clip)))
        return;
    *own = *shape;
    own->clip = canvas->clip;
    /* A rectangle can be noted as it is seen; round corners would move. */
    if (own->kind == VIZ_SHAPE_FILL && own->radius <= 0)
        own->box = viz_common(own->box, own->clip);
    if (copy_shape_parts(own, shape))
        canvas->recording->count++;
    else
        shape_free(own);
}

/* Images below, such as a picture under its heat, are seen no more. */
void viz_record_pixels(viz_canvas *canvas, viz_pixels box)
{
    viz_recording *r = canvas->recording;
    viz_pixels seen = viz_common(box, canvas->clip);
    if (!r || viz_is_empty(seen))
        return;
    while (r->count && r->shapes[r->count - 1].kind == VIZ_SHAPE_IMAGE &&
           is_inside(r->shapes[r->count - 1].box, seen))
        drop_last(r);
    viz_pixels all = {0, 0, canvas->width, canvas->height};
    viz_shape shape = {.kind = VIZ_SHAPE_IMAGE, .box = all};
    shape.image = (sac_image){canvas->width, canvas->height, canvas->rgba};
    viz_pixels clip = canvas->clip;
    canvas->clip = seen;
    viz_record(canvas, &shape);
    canvas->clip = clip;
}

/* ---------------------------------------------------------------- parts of a shape */

/* Strokes run where x + y is a multiple of the pitch, as viz_hatch draws them: pixel by pixel, so
 * that their middle lies half a pixel further. */
bool viz_shape_stroke(const viz_shape *s, int index, viz_point *from, viz_point *to)
{
    int begin = s->box.x0 + s->box.y0, end = s->box.x1 + s->box.y1;
    int first = (begin + s->pitch - 1) / s->pitch * s->pitch;
    int sum = first + index * s->pitch + 1;
    if (sum > end)
        return false;
    int left = sum - s->box.y1 > s->box.x0 ? sum - s->box.y1 : s->box.x0;
    int right = sum - s->box.y0 < s->box.x1 ? sum - s->box.y0 : s->box.x1;
    *from = (viz_point){(float)left, (float)(sum - left)};
    *to = (viz_point){(float)right, (float)(sum - right)};
    return true;
}

/* The first pixel of a cell: pixel i belongs to cell floor(i · cells / pixels), as in viz_cells. */
static int cell_edge(int start, int end, int cell, int cells)
{
    return start + (int)(((int64_t)cell * (end - start) + cells - 1) / cells);
}

viz_pixels viz_shape_cell(const viz_shape *s, int row, int column)
{
    viz_pixels b = s->box;
    viz_pixels cell = {cell_edge(b.x0, b.x1, column, s->image.width),
                       cell_edge(b.y0, b.y1, row, s->image.height),
                       cell_edge(b.x0, b.x1, column + 1, s->image.width),
                       cell_edge(b.y0, b.y1, row + 1, s->image.height)};
    return viz_common(cell, s->clip);
}

viz_color viz_shape_cell_color(const viz_shape *s, int row, int column)
{
    const uint8_t *c = s->image.rgba + 4 * ((size_t)row * (size_t)s->image.width + (size_t)column);
    return (viz_color){c[0], c[1], c[2], c[3]};
}
