/* The canvas, and filling by exact coverage: every edge adds the areas to its right to the pixels
 * that it passes, and a running sum along each row gives the winding number that covers them. */

#include "book/paint/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sac_status sac_canvas_create(int side, sac_canvas *canvas, sac_error *error)
{
    size_t width = (size_t)side;
    *canvas = (sac_canvas){side, calloc(width * width, 4 * sizeof(float)),
                           calloc(width * (width + 2), sizeof(float))};
    if (canvas->rgb && canvas->cover)
        return SAC_OK;
    sac_canvas_free(canvas);
    return sac_fail(error, SAC_E_MEMORY, "scene", "draw it smaller",
                    "out of memory for %d × %d pixels", side, side);
}

void sac_canvas_free(sac_canvas *canvas)
{
    free(canvas->rgb);
    free(canvas->cover);
    *canvas = (sac_canvas){0};
}

void sac_canvas_read(const sac_canvas *canvas, uint8_t *rgb)
{
    size_t pixels = (size_t)canvas->side * (size_t)canvas->side;
    for (size_t i = 0; i < pixels; i++)
        for (int k = 0; k < 3; k++) {
            float value = canvas->rgb[4 * i + (size_t)k];
            rgb[3 * i + (size_t)k] = (uint8_t)(value < 0   ? 0
                                               : value > 1 ? 255
                                                           : value * 255 + 0.5f);
        }
}

/* ---------------------------------------------------------------- coverage */

static float limit(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* The part of an edge in one row: from x0 to x1 (x0 ≤ x1, within the canvas), `height` of the row,
 * signed. */
static void cover_row(float *row, float x0, float x1, float height)
{
    int first = (int)x0, last = (int)x1;
    if (first == last) { /* one pixel: a trapezoid */
        float area = height * (1 - ((x0 + x1) / 2 - (float)first));
        row[first] += area;
        row[first + 1] += height - area;
        return;
    }
    float slope = height / (x1 - x0), left = (float)(first + 1) - x0;
    float covered = slope * left * left / 2, before = covered;
    row[first] += covered;
    for (int x = first + 1; x < last; x++) { /* what is right of the edge, pixel by pixel */
        float reached = slope * ((float)x + 0.5f - x0);
        row[x] += reached - before;
        before = reached;
    }
    float rest = x1 - (float)last;
    float reached = height - slope * rest * rest / 2;
    row[last] += reached - before;
    row[last + 1] += height - reached;
}

/* An edge that leaves the canvas sideways is bent along its border, so that what lies to the right
 * of it stays covered. */
static void cover_within(sac_canvas *canvas, int y, float x0, float x1, float height)
{
    float side = (float)canvas->side;
    float *row = canvas->cover + (size_t)y * (size_t)(canvas->side + 2);
    if (x0 > x1) {
        float swapped = x0;
        x0 = x1;
        x1 = swapped;
    }
    if (x1 <= 0 || x0 >= side || (x0 >= 0 && x1 <= side)) {
        cover_row(row, limit(x0, 0, side), limit(x1, 0, side), height);
        return;
    }
    float each = height / (x1 - x0), from = limit(x0, 0, side), to = limit(x1, 0, side);
    cover_row(row, 0, 0, each * (from - x0));
    cover_row(row, from, to, each * (to - from));
    cover_row(row, side, side, each * (x1 - to));
}

static void cover_edge(sac_canvas *canvas, const float *from, const float *to)
{
    float sign = from[1] < to[1] ? 1 : -1;
    const float *top = sign > 0 ? from : to, *bottom = sign > 0 ? to : from;
    if (top[1] == bottom[1] || bottom[1] <= 0 || top[1] >= (float)canvas->side)
        return;
    float slope = (bottom[0] - top[0]) / (bottom[1] - top[1]);
    float y0 = limit(top[1], 0, (float)canvas->side);
    float y1 = limit(bottom[1], 0, (float)canvas->side);
    float x = top[0] + slope * (y0 - top[1]);
    for (int y = (int)y0; y < canvas->side && (float)y < y1; y++) {
        float until = (float)(y + 1) < y1 ? (float)(y + 1) : y1;
        float next = top[0] + slope * (until - top[1]);
        cover_within(canvas, y, x, next, sign * (until - y0));
        x = next;
        y0 = until;
    }
}

/* ---------------------------------------------------------------- colours */

/* share [count]: how far each pixel of a row from (x, y) on lies between the paint's colours. */
static void shares_of(const sac_paint *paint, int x, int y, int count, float *share)
{
    float px = (float)x + 0.5f - paint->x0, py = (float)y + 0.5f - paint->y0;
    if (paint->kind == SAC_PAINT_RADIAL) {
        float each = 1 / paint->x1;
        py *= paint->y1;
        for (int i = 0; i < count; i++) {
            float dx = px + (float)i, distance = sqrtf(dx * dx + py * py) * each;
            share[i] = distance > 1 ? 1 : distance;
        }
        return;
    }
    float dx = paint->x1 - paint->x0, dy = paint->y1 - paint->y0;
    float squared = dx * dx + dy * dy;
    bool flat = paint->kind == SAC_PAINT_FLAT || squared <= 0;
    float each = flat ? 0 : dx / squared, begin = flat ? 0 : (px * dx + py * dy) / squared;
    for (int i = 0; i < count; i++)
        share[i] = limit(begin + (float)i * each, 0, 1);
}

/* Blends a row of `count` pixels; the coverage that it used up is zero again. */
static void blend_row(sac_canvas *canvas, int x, int y, int count, const sac_paint *paint)
{
    enum { SPAN = 128 };
    float share[SPAN], winding = 0;
    float *cover = canvas->cover + (size_t)y * (size_t)(canvas->side + 2) + x;
    float *pixel = canvas->rgb + ((size_t)y * (size_t)canvas->side + (size_t)x) * 4;
    const float *from = paint->from;
    float way[4];
    for (int k = 0; k < 4; k++)
        way[k] = paint->kind == SAC_PAINT_FLAT ? 0 : paint->to[k] - from[k];
    for (int i = 0; i < count; i++, pixel += 4) {
        if (i % SPAN == 0)
            shares_of(paint, x + i, y, count - i < SPAN ? count - i : SPAN, share);
        winding += cover[i];
        cover[i] = 0;
        float covered = winding < 0 ? -winding : winding;
        if (covered < 1 / 1024.0f)
            continue;
        float t = share[i % SPAN];
        float opacity = (covered > 1 ? 1 : covered) * (from[3] + t * way[3]);
        for (int k = 0; k < 4; k++)
            pixel[k] += opacity * (from[k] + t * way[k] - pixel[k]);
    }
    cover[count] = 0;
    cover[count + 1] = 0;
}

void sac_canvas_fill(sac_canvas *canvas, const sac_path *path, const sac_paint *paint)
{
    float box[4], side = (float)canvas->side;
    sac_path_box(path, box);
    if (path->points == 0 || box[2] <= 0 || box[3] <= 0 || box[0] >= side || box[1] >= side)
        return;
    for (int k = 0, first = 0; k < path->contours; first = path->end[k++])
        for (int i = first; i < path->end[k]; i++)
            cover_edge(canvas, path->point[i], path->point[i + 1 < path->end[k] ? i + 1 : first]);
    int left = (int)limit(box[0] - 0.01f, 0, side - 1); /* a crossing may be rounded outwards */
    int right = (int)limit(box[2] + 1.01f, 0, side);
    int bottom = (int)limit(box[3] + 1, 0, side);
    for (int y = (int)limit(box[1], 0, side); y < bottom; y++)
        blend_row(canvas, left, y, right - left, paint);
}
