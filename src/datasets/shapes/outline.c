/* Outlines of the shapes, as polygons. */
#include <math.h>
#include <string.h>

#include "outline.h"

/* ---------------------------------------------------------------- numbers */

void sac_cosine_and_sine(double angle, double *cosine, double *sine)
{
    double term = 1;
    *cosine = 1;
    *sine = 0;
    for (int n = 1; n < 27; n++) { /* Taylor; π^27 / 27! is below 1e-14 */
        term *= angle / n;
        double signed_term = n & 2 ? -term : term; /* + + − − … from n = 0 */
        if (n & 1)
            *sine += signed_term;
        else
            *cosine += signed_term;
    }
}

/* ---------------------------------------------------------------- shapes */

/* Directions of a star's ten corners, an arm up first: sine, and cosine downwards. */
static const double spokes[10][2] = {
    {0, -1},
    {0.58778525229247313, -0.80901699437494742},
    {0.95105651629515357, -0.30901699437494742},
    {0.95105651629515357, 0.30901699437494742},
    {0.58778525229247313, 0.80901699437494742},
    {0, 1},
    {-0.58778525229247313, 0.80901699437494742},
    {-0.95105651629515357, 0.30901699437494742},
    {-0.95105651629515357, -0.30901699437494742},
    {-0.58778525229247313, -0.80901699437494742},
};

static int star(double form, double corner[][2])
{
    double inner = 0.38 + 0.08 * form; /* 0.382 is the pentagram's */
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 2; k++)
            corner[i][k] = spokes[i][k] * (i & 1 ? inner : 1);
    return 10;
}

static int cross(double form, double corner[][2])
{
    double bar = 0.3 + 0.08 * form; /* its half, where the arms reach 1: a third or so */
    const double corners[12][2] = {
        {-bar, -1}, {bar, -1}, {bar, -bar}, {1, -bar}, {1, bar},   {bar, bar},
        {bar, 1},   {-bar, 1}, {-bar, bar}, {-1, bar}, {-1, -bar}, {-bar, -bar},
    };
    memcpy(corner, corners, sizeof corners);
    return 12;
}

static int triangle(double form, double lean, double corner[][2])
{
    double height = 0.86 + 0.14 * form; /* of its base; 0.866 is equilateral */
    const double corners[3][2] = {{lean, -height}, {1, height}, {-1, height}};
    memcpy(corner, corners, sizeof corners);
    return 3;
}

static int square(double corner[][2])
{
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    memcpy(corner, corners, sizeof corners);
    return 4;
}

static int diamond(double form, double corner[][2])
{
    double width = form < 0 ? 1 + form : 1; /* of its height */
    const double corners[4][2] = {{0, -1}, {width, 0}, {0, 1}, {-width, 0}};
    memcpy(corner, corners, sizeof corners);
    return 4;
}

/* A shape without a name: 5 to 11 corners around a middle, near and far. */
static int blob_corners(uint32_t hand, double corner[][2])
{
    enum { OF_COUNT = 1000, OF_ANGLES = 1001, OF_RADII = 1101 };
    const double round = 6.283185307179586;
    int count = 5 + (int)(7 * sac_philox_uniform(hand, OF_COUNT, 0));
    for (int i = 0; i < count; i++) {
        double aside = 0.35 * sac_hand_strays(hand, (uint32_t)(OF_ANGLES + i));
        double radius = 0.66 + 0.34 * sac_hand_strays(hand, (uint32_t)(OF_RADII + i)), c, s;
        sac_cosine_and_sine((i + 0.5 + aside) * round / count - round / 2, &c, &s);
        corner[i][0] = radius * c;
        corner[i][1] = radius * s;
    }
    return count;
}

static int corners_of(const sac_scene_object *object, double corner[][2])
{
    switch (object->shape) {
    case SAC_TRIANGLE:
        return triangle(object->form, object->lean, corner);
    case SAC_STAR:
        return star(object->form, corner);
    case SAC_CROSS:
        return cross(object->form, corner);
    case SAC_SQUARE:
        return square(corner);
    case SAC_DIAMOND:
        return diamond(object->form, corner);
    case SAC_UNNAMED:
        return blob_corners(object->hand, corner);
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- by hand */

/* Points along the outline; their number, which all shapes' corners divide but the star's. */
static int subdivide_outline(int count, double corner[][2], double point[][2])
{
    int pieces = count ? SAC_OUTLINE_CORNERS / count : 0;
    for (int i = 0; i < count * pieces; i++) {
        const double *from = corner[i / pieces], *to = corner[(i / pieces + 1) % count];
        double share = (double)(i % pieces) / pieces;
        for (int k = 0; k < 2; k++)
            point[i][k] = from[k] + share * (to[k] - from[k]);
    }
    for (int i = 0; count == 0 && i < SAC_OUTLINE_CORNERS; i++) {
        const double round = 6.283185307179586;
        sac_cosine_and_sine((i + 0.5) * round / SAC_OUTLINE_CORNERS - round / 2, &point[i][0],
                            &point[i][1]);
    }
    return count ? count * pieces : SAC_OUTLINE_CORNERS;
}

/* A smooth periodic function between KNOTS random values; `axis` gives two different ones. */
static double wobble_offset(uint32_t hand, double around, uint32_t axis)
{
    enum { KNOTS = 12 };
    double at = around * KNOTS;
    uint32_t knot = (uint32_t)at;
    double share = at - knot, smooth = share * share * (3 - 2 * share);
    double from = sac_hand_strays(hand, 2 * knot + axis);
    double to = sac_hand_strays(hand, 2 * ((knot + 1) % KNOTS) + axis);
    return from + smooth * (to - from);
}

/* The outline as a hand draws it; returns its number of corners. */
static int wobble_outline(const sac_scene_object *object, int count, double corner[][2])
{
    double point[SAC_OUTLINE_CORNERS][2];
    int points = subdivide_outline(count, corner, point);
    for (int i = 0; i < points; i++)
        for (uint32_t axis = 0; axis < 2; axis++)
            corner[i][axis] =
                point[i][axis] +
                2 * (double)object->wobble * wobble_offset(object->hand, (double)i / points, axis);
    return points;
}

/* ---------------------------------------------------------------- placed */

void sac_outline_of(const sac_scene_object *object, sac_outline *outline)
{
    double corner[SAC_OUTLINE_CORNERS][2], low[2], high[2];
    int count = corners_of(object, corner);
    if (object->wobble > 0)
        count = wobble_outline(object, count, corner);
    *outline = (sac_outline){count, {{0}}, object->size / 2, object->size, object->size};
    if (count == 0)
        return;
    double c, s;
    sac_cosine_and_sine(object->angle, &c, &s);
    for (int i = 0; i < count; i++) {
        double x = corner[i][0], y = corner[i][1];
        corner[i][0] = c * x - s * y;
        corner[i][1] = s * x + c * y;
    }
    /* low, high [2]: the box of the corners. */
    for (int k = 0; k < 2; k++) {
        low[k] = high[k] = corner[0][k];
        for (int i = 1; i < count; i++) {
            low[k] = corner[i][k] < low[k] ? corner[i][k] : low[k];
            high[k] = corner[i][k] > high[k] ? corner[i][k] : high[k];
        }
    }
    double width = high[0] - low[0], height = high[1] - low[1];
    double scale = object->size / (width > height ? width : height);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            outline->corner[i][k] = (float)((corner[i][k] - (low[k] + high[k]) / 2) * scale);
    outline->width = (float)(width * scale);
    outline->height = (float)(height * scale);
}

/* ---------------------------------------------------------------- in pixels */

static int clamp_to_side(float value, int side)
{
    return value < 0 ? 0 : value > (float)side ? side : (int)value;
}

void sac_figure_of(const sac_scene_object *object, int side, float reach, sac_figure *f)
{
    sac_outline outline;
    sac_outline_of(object, &outline);
    float scale = (float)side;
    *f = (sac_figure){outline.count,
                      object->x * scale,
                      object->y * scale,
                      outline.radius * scale,
                      .reach = reach,
                      .box = {clamp_to_side(object->box[0] * scale - 1, side),
                              clamp_to_side(object->box[1] * scale - 1, side),
                              clamp_to_side(object->box[2] * scale + 2, side),
                              clamp_to_side(object->box[3] * scale + 2, side)}};
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 2; k++)
            f->corner[i][k] = outline.corner[i][k] * scale;
    for (int i = 0; i < f->count; i++) {
        const float *from = f->corner[i], *to = f->corner[(i + 1) % f->count];
        f->edge[i][0] = to[0] - from[0];
        f->edge[i][1] = to[1] - from[1];
        f->inverse[i] = 1 / (f->edge[i][0] * f->edge[i][0] + f->edge[i][1] * f->edge[i][1]);
    }
}

void sac_figure_move(sac_figure *f, float x, float y, float reach, int side)
{
    f->x += x;
    f->y += y;
    f->box[0] = clamp_to_side((float)f->box[0] + x - reach, side);
    f->box[1] = clamp_to_side((float)f->box[1] + y - reach, side);
    f->box[2] = clamp_to_side((float)f->box[2] + x + reach + 1, side);
    f->box[3] = clamp_to_side((float)f->box[3] + y + reach + 1, side);
}

/* Pixels that are measured together, beside the same edges. */
enum { PIECE = 16 };

/* True where edge `i` may be within reach of a pixel of the piece that begins at x0, y. */
static bool is_edge_near(const sac_figure *f, int i, float x0, float y)
{
    float x = f->corner[i][0], ex = f->edge[i][0], ey = f->edge[i][1], py = y - f->corner[i][1];
    float left = ex < 0 ? x + ex : x, right = ex < 0 ? x : x + ex;
    float above = ey < 0 ? ey : 0, below = ey < 0 ? 0 : ey;
    return py > above - f->reach && py < below + f->reach && x0 < right + f->reach &&
           x0 + PIECE > left - f->reach;
}

/* Takes edge `i` into the squared distances of the pixels `first` … of a span from (x0, y). */
static void shorten_distances_by_edge(const sac_figure *f, int i, float x0, float y, int first,
                                      float *squared)
{
    float ex = f->edge[i][0], ey = f->edge[i][1], inverse = f->inverse[i];
    float py = y - f->corner[i][1];
    for (int x = 0; x < PIECE; x++) {
        float px = x0 + (float)(first + x) - f->corner[i][0];
        float along = (px * ex + py * ey) * inverse;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        float dx = px - along * ex, dy = py - along * ey;
        float distance = dx * dx + dy * dy;
        squared[x] = distance < squared[x] ? distance : squared[x];
    }
}

/* Turns the sign (1: outside) where edge `i` crosses the ray to the right of a pixel. */
static void flip_signs_at_edge(const sac_figure *f, int i, float x0, float y, int first,
                               float *sign)
{
    float py = y - f->corner[i][1], ey = f->edge[i][1];
    if ((py < 0) == (py - ey < 0))
        return;
    float crossing = f->corner[i][0] + py / ey * f->edge[i][0];
    for (int x = 0; x < PIECE; x++)
        sign[x] = x0 + (float)(first + x) < crossing ? -sign[x] : sign[x];
}

static void measure_piece(const sac_figure *f, float x0, float y, int first, float *distance)
{
    float squared[PIECE], sign[PIECE];
    for (int x = 0; x < PIECE; x++) {
        float px = x0 + (float)(first + x);
        squared[x] = f->count ? INFINITY : px * px + y * y;
        sign[x] = 1;
    }
    for (int i = 0; i < f->count; i++) {
        if (is_edge_near(f, i, x0 + (float)first, y))
            shorten_distances_by_edge(f, i, x0, y, first, squared);
        flip_signs_at_edge(f, i, x0, y, first, sign);
    }
    for (int x = 0; x < PIECE; x++)
        distance[x] = sign[x] * sqrtf(squared[x]) - f->radius * (f->count == 0);
}

/* The pixels are counted from the span's first one, whose place is rounded once for all. */
void sac_figure_measure(const sac_figure *f, int left, int row, int count, float *distance)
{
    float x0 = (float)left + 0.5f - f->x, y = (float)row + 0.5f - f->y;
    for (int first = 0; first < count; first += PIECE)
        measure_piece(f, x0, y, first, distance + first);
}
