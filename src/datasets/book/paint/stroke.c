/* Strokes: the outline of a line of some width along a path. */

#include <math.h>

#include "book/paint/path.h"

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

static void take_contour(const sac_path *path, int contour, line *l)
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
static void across(const float *a, const float *b, float normal[2])
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
    across(l->point[before], p, a);
    across(p, l->point[after], b);
    float both[2] = {a[0] + b[0], a[1] + b[1]};
    float squared = both[0] * both[0] + both[1] * both[1];
    if (squared > 0.8f) { /* turns by less than about 127 degrees */
        float reach = 2 * half / squared;
        sac_path_point(stroke, p[0] + both[0] * reach, p[1] + both[1] * reach);
    } else {
        const float *first = half > 0 ? a : b, *second = half > 0 ? b : a; /* as the way goes */
        sac_path_point(stroke, p[0] + first[0] * half, p[1] + first[1] * half);
        sac_path_point(stroke, p[0] + second[0] * half, p[1] + second[1] * half);
    }
}

/* Half a circle around the end b of a line that comes from a, turning from the side of `half`. */
static void add_cap(const float *a, const float *b, float half, sac_path *stroke)
{
    static const float turn[5][2] = {
        {1, 0}, {0.7071068f, 0.7071068f}, {0, 1}, {-0.7071068f, 0.7071068f}, {-1, 0}};
    float n[2];
    across(a, b, n);
    for (int i = 0; i < 5; i++) /* (n[1], −n[0]) points along the line */
        sac_path_point(stroke, b[0] + half * (turn[i][0] * n[0] + turn[i][1] * n[1]),
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
    sac_path_end(stroke, true);
}

static void stroke_closed(const line *l, float half, sac_path *stroke)
{
    for (int i = 0; i < l->count; i++)
        add_corner(l, i, half, stroke);
    sac_path_end(stroke, true);
    for (int i = l->count - 1; i >= 0; i--)
        add_corner(l, i, -half, stroke);
    sac_path_end(stroke, true);
}

void sac_path_stroke(const sac_path *from, float width, sac_path *stroke)
{
    line l;
    sac_path_start(stroke);
    for (int i = 0; i < from->contours; i++) {
        take_contour(from, i, &l);
        if (l.count > 2 && l.closed)
            stroke_closed(&l, width / 2, stroke);
        else if (l.count > 1)
            stroke_open(&l, width / 2, stroke);
    }
}
