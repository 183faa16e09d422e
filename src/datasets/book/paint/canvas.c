/* The canvas, and filling by exact coverage: every edge adds the areas to its right to the pixels
 * that it passes, and a running sum along each row gives the winding number that covers them. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "book/paint/canvas.h"

/* ---------------------------------------------------------------- paths */

void sac_place_transform_point(const sac_place *place, float x, float y, float placed[2])
{
    placed[0] = place->xx * x + place->xy * y + place->dx;
    placed[1] = place->yx * x + place->yy * y + place->dy;
}

void sac_path_start(sac_path *path)
{
    path->points = path->contours = 0;
    path->full = false;
}

void sac_path_add_point(sac_path *path, float x, float y)
{
    if (path->points < SAC_PATH_POINTS) {
        path->point[path->points][0] = x;
        path->point[path->points++][1] = y;
    } else {
        path->full = true;
    }
}

void sac_path_end_contour(sac_path *path, bool closed)
{
    int first = path->contours ? path->end[path->contours - 1] : 0;
    if (path->points == first)
        return;
    if (path->contours < SAC_PATH_CONTOURS) {
        path->closed[path->contours] = closed;
        path->end[path->contours++] = path->points;
    } else {
        path->full = true;
        path->points = first;
    }
}

void sac_path_box(const sac_path *path, float box[4])
{
    for (int k = 0; k < 2; k++) {
        float low = path->points ? path->point[0][k] : 0, high = low;
        for (int i = 1; i < path->points; i++) {
            low = path->point[i][k] < low ? path->point[i][k] : low;
            high = path->point[i][k] > high ? path->point[i][k] : high;
        }
        box[k] = low;
        box[k + 2] = high;
    }
}

/* ---------------------------------------------------------------- curves */

static float length_of(const float *a, const float *b)
{
    float dx = b[0] - a[0], dy = b[1] - a[1];
    return sqrtf(dx * dx + dy * dy);
}

/* n[8]: a curve from the path's last point by the points of n[2 …]; n[0], n[1] are that point. */
static void add_curve(sac_path *path, const sac_place *place, const float *n)
{
    float p[4][2];
    for (int i = 0; i < 4; i++)
        sac_place_transform_point(place, n[2 * i], n[2 * i + 1], p[i]);
    /* Lines from p[0], which is already there, to p[3]. */
    enum { MOST = 24 };
    float way = length_of(p[0], p[1]) + length_of(p[1], p[2]) + length_of(p[2], p[3]);
    int count = 3 + (int)(sqrtf(way) * 1.3f); /* errs by less than a tenth of a pixel */
    count = count > MOST ? MOST : count;
    for (int i = 1; i <= count; i++) {
        float t = (float)i / (float)count, s = 1 - t;
        float w[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}, at[2];
        for (int k = 0; k < 2; k++)
            at[k] = w[0] * p[0][k] + w[1] * p[1][k] + w[2] * p[2][k] + w[3] * p[3][k];
        sac_path_add_point(path, at[0], at[1]);
    }
}

static void add_point(sac_path *path, const sac_place *place, float x, float y)
{
    float p[2];
    sac_place_transform_point(place, x, y, p);
    sac_path_add_point(path, p[0], p[1]);
}

static const float kappa = 0.5522847f; /* quarter circles as cubic Béziers */

static void add_ellipse(sac_path *path, const sac_place *place, const float *n)
{
    static const float corner[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    sac_path_end_contour(path, false);
    add_point(path, place, n[0] + n[2], n[1]);
    for (int i = 0; i < 4; i++) {
        const float *a = corner[i], *b = corner[i + 1];
        const float curve[8] = {n[0] + n[2] * a[0],
                                n[1] + n[3] * a[1],
                                n[0] + n[2] * (a[0] + kappa * b[0]),
                                n[1] + n[3] * (a[1] + kappa * b[1]),
                                n[0] + n[2] * (b[0] + kappa * a[0]),
                                n[1] + n[3] * (b[1] + kappa * a[1]),
                                n[0] + n[2] * b[0],
                                n[1] + n[3] * b[1]};
        add_curve(path, place, curve);
    }
    sac_path_end_contour(path, true);
}

static void add_rectangle(sac_path *path, const sac_place *place, const float *n)
{
    float r = n[4], k = r * (1 - kappa);
    float x0 = n[0], y0 = n[1], x1 = n[0] + n[2], y1 = n[1] + n[3];
    const float curves[4][8] = {
        {x1 - r, y0, x1 - k, y0, x1, y0 + k, x1, y0 + r},
        {x1, y1 - r, x1, y1 - k, x1 - k, y1, x1 - r, y1},
        {x0 + r, y1, x0 + k, y1, x0, y1 - k, x0, y1 - r},
        {x0, y0 + r, x0, y0 + k, x0 + k, y0, x0 + r, y0},
    };
    sac_path_end_contour(path, false);
    for (int i = 0; i < 4; i++) {
        add_point(path, place, curves[i][0], curves[i][1]);
        if (r > 0)
            add_curve(path, place, curves[i]);
    }
    sac_path_end_contour(path, true);
}

/* The piece from point i to the next of a curve through all `count` points, which leaves each in
 * the direction from the point before to the one after (Catmull and Rom). */
static void add_smooth_piece(sac_path *path, const sac_place *place, float (*p)[2], int count,
                             int i, bool closed)
{
    int before = i > 0 ? i - 1 : closed ? count - 1 : 0;
    int next = (i + 1) % count;
    int after = next + 1 < count ? next + 1 : closed ? (next + 1) % count : next;
    float n[8];
    for (int k = 0; k < 2; k++) {
        n[k] = p[i][k];
        n[2 + k] = p[i][k] + (p[next][k] - p[before][k]) / 6;
        n[4 + k] = p[next][k] - (p[after][k] - p[i][k]) / 6;
        n[6 + k] = p[next][k];
    }
    add_curve(path, place, n);
}

static void add_smooth(sac_path *path, const sac_place *place, float (*p)[2], int count,
                       bool closed)
{
    sac_path_end_contour(path, false);
    add_point(path, place, p[0][0], p[0][1]);
    for (int i = 0; i < (closed ? count : count - 1); i++)
        add_smooth_piece(path, place, p, count, i, closed);
    sac_path_end_contour(path, closed);
}

/* ---------------------------------------------------------------- text */

typedef struct reader {
    const char *at;
    float x, y; /* the end of the last line or curve */
} reader;

static void skip(reader *r)
{
    while (*r->at == ' ' || *r->at == ',')
        r->at++;
}

/* A number, if one comes next. */
static bool read_number(reader *r, float *number)
{
    skip(r);
    const char *at = r->at;
    bool negative = *at == '-';
    int value = 0, scale = 1;
    at += negative;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9' && value < 100000; at++)
        value = 10 * value + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && scale < 1000; at++, scale *= 10)
            value = 10 * value + (*at - '0');
    *number = (float)(negative ? -value : value) / (float)scale;
    r->at = at;
    return true;
}

/* As many numbers as follow, at most `most`. */
static int read_numbers(reader *r, float *number, int most)
{
    int count = 0;
    while (count < most && read_number(r, &number[count]))
        count++;
    return count;
}

static bool read_smooth(reader *r, bool closed, sac_path *path, const sac_place *place)
{
    enum { MOST = 40 };
    float p[MOST][2];
    int count = read_numbers(r, &p[0][0], 2 * MOST);
    if (count % 2 || count < 4)
        return false;
    add_smooth(path, place, p, count / 2, closed);
    return true;
}

/* One group of numbers of command M, L, C, E or R. */
static void add_command_points(reader *r, char command, const float *n, sac_path *path,
                               const sac_place *place)
{
    if (command == 'E') {
        add_ellipse(path, place, n);
    } else if (command == 'R') {
        add_rectangle(path, place, n);
    } else if (command == 'C') {
        const float curve[8] = {r->x, r->y, n[0], n[1], n[2], n[3], n[4], n[5]};
        add_curve(path, place, curve);
        r->x = n[4];
        r->y = n[5];
    } else {
        if (command == 'M')
            sac_path_end_contour(path, false);
        add_point(path, place, n[0], n[1]);
        r->x = n[0];
        r->y = n[1];
    }
}

static bool read_command(reader *r, sac_path *path, const sac_place *place)
{
    char command = *r->at++;
    int group = command == 'M' || command == 'L' ? 2
                : command == 'C'                 ? 6
                : command == 'E'                 ? 4
                : command == 'R'                 ? 5
                                                 : 0;
    if (command == 'B' || command == 'S')
        return read_smooth(r, command == 'B', path, place);
    if (command == 'Z') {
        sac_path_end_contour(path, true);
        return true;
    }
    float n[6];
    int count = group ? read_numbers(r, n, group) : 0;
    if (!group || count < group)
        return false;
    for (; count == group; count = read_numbers(r, n, group))
        add_command_points(r, command, n, path, place);
    return count == 0;
}

bool sac_path_add(sac_path *path, const char *text, const sac_place *place)
{
    reader r = {.at = text};
    for (skip(&r); *r.at; skip(&r))
        if (!read_command(&r, path, place))
            return false;
    sac_path_end_contour(path, false);
    return !path->full;
}

/* ---------------------------------------------------------------- strokes */

/* The points of one contour, without those that repeat the one before. */
typedef struct line {
    float point[SAC_PATH_POINTS][2];
    int count;
    bool closed;
} line;

static bool is_near(const float *a, const float *b)
{
    float dx = a[0] - b[0], dy = a[1] - b[1];
    return dx * dx + dy * dy < 1e-6f;
}

static void copy_contour(const sac_path *path, int contour, line *l)
{
    int first = contour ? path->end[contour - 1] : 0;
    l->count = 0;
    l->closed = path->closed[contour];
    for (int i = first; i < path->end[contour]; i++) {
        const float *point = path->point[i];
        if (l->count && is_near(point, l->point[l->count - 1]))
            continue;
        l->point[l->count][0] = point[0];
        l->point[l->count++][1] = point[1];
    }
    if (l->closed && l->count > 1 && is_near(l->point[0], l->point[l->count - 1]))
        l->count--;
}

/* The unit vector across the way from a to b, to its left. */
static void unit_normal(const float *a, const float *b, float normal[2])
{
    float dx = b[0] - a[0], dy = b[1] - a[1], length = sqrtf(dx * dx + dy * dy);
    normal[0] = -dy / length;
    normal[1] = dx / length;
}

/* The corner of the outline beside point i: where the two parallels meet, but where they meet far
 * away, the ends of both. `half` is below zero on the way back. */
static void add_corner(const line *l, int i, float half, sac_path *stroke)
{
    int before = i > 0 ? i - 1 : l->count - 1, after = i + 1 < l->count ? i + 1 : 0;
    const float *p = l->point[i];
    float a[2], b[2];
    unit_normal(l->point[before], p, a);
    unit_normal(p, l->point[after], b);
    float both[2] = {a[0] + b[0], a[1] + b[1]};
    float squared = both[0] * both[0] + both[1] * both[1];
    if (squared > 0.8f) { /* turns by less than about 127 degrees */
        float reach = 2 * half / squared;
        sac_path_add_point(stroke, p[0] + both[0] * reach, p[1] + both[1] * reach);
    } else {
        const float *first = half > 0 ? a : b, *second = half > 0 ? b : a; /* as the way goes */
        sac_path_add_point(stroke, p[0] + first[0] * half, p[1] + first[1] * half);
        sac_path_add_point(stroke, p[0] + second[0] * half, p[1] + second[1] * half);
    }
}

/* Half a circle around the end b of a line that comes from a, turning from the side of `half`. */
static void add_cap(const float *a, const float *b, float half, sac_path *stroke)
{
    static const float turn[5][2] = {
        {1, 0}, {0.7071068f, 0.7071068f}, {0, 1}, {-0.7071068f, 0.7071068f}, {-1, 0}};
    float n[2];
    unit_normal(a, b, n);
    for (int i = 0; i < 5; i++) /* (n[1], −n[0]) points along the line */
        sac_path_add_point(stroke, b[0] + half * (turn[i][0] * n[0] + turn[i][1] * n[1]),
                           b[1] + half * (turn[i][0] * n[1] - turn[i][1] * n[0]));
}

static void stroke_open(const line *l, float half, sac_path *stroke)
{
    int last = l->count - 1;
    for (int i = 1; i < last; i++)
        add_corner(l, i, half, stroke);
    add_cap(l->point[last - 1], l->point[last], half, stroke);
    for (int i = last - 1; i > 0; i--)
        add_corner(l, i, -half, stroke);
    add_cap(l->point[1], l->point[0], half, stroke);
    sac_path_end_contour(stroke, true);
}

void sac_path_stroke(const sac_path *from, float width, sac_path *stroke)
{
    line l;
    sac_path_start(stroke);
    for (int i = 0; i < from->contours; i++) {
        copy_contour(from, i, &l);
        if (l.count > 2 && l.closed) {
            float half = width / 2;
            for (int k = 0; k < l.count; k++)
                add_corner(&l, k, half, stroke);
            sac_path_end_contour(stroke, true);
            for (int k = l.count - 1; k >= 0; k--)
                add_corner(&l, k, -half, stroke);
            sac_path_end_contour(stroke, true);
        } else if (l.count > 1)
            stroke_open(&l, width / 2, stroke);
    }
}

/* ---------------------------------------------------------------- filled */

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
static void gradient_shares(const sac_paint *paint, int x, int y, int count, float *share)
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
            gradient_shares(paint, x + i, y, count - i < SPAN ? count - i : SPAN, share);
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
