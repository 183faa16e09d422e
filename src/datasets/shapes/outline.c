/* Outlines of the shapes, as polygons. */

#include "outline.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

void sac_rope_use(double angle, double *cosine, double *sine)
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
static int blob(uint32_t hand, double corner[][2])
{
    enum { OF_COUNT = 1000, OF_ANGLES = 1001, OF_RADII = 1101 };
    const double round = 6.283185307179586;
    int count = 5 + (int)(7 * sac_philox_uniform(hand, OF_COUNT, 0));
    for (int i = 0; i < count; i++) {
        double aside = 0.35 * sac_hand_strays(hand, (uint32_t)(OF_ANGLES + i));
        double radius = 0.66 + 0.34 * sac_hand_strays(hand, (uint32_t)(OF_RADII + i)), c, s;
        sac_rope_use((i + 0.5 + aside) * round / count - round / 2, &c, &s);
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
        return blob(object->hand, corner);
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- by hand */

/* Points along the outline; their number, which all shapes' corners divide but the star's. */
static int divide(int count, double corner[][2], double point[][2])
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
        sac_rope_use((i + 0.5) * round / SAC_OUTLINE_CORNERS - round / 2, &point[i][0],
                     &point[i][1]);
    }
    return count ? count * pieces : SAC_OUTLINE_CORNERS;
}

/* A smooth periodic function between KNOTS random values; `axis` gives two different ones. */
static double stray(uint32_t hand, double around, uint32_t axis)
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
static int waver(const sac_scene_object *object, int count, double corner[][2])
{
    double point[SAC_OUTLINE_CORNERS][2];
    int points = divide(count, corner, point);
    for (int i = 0; i < points; i++)
        for (uint32_t axis = 0; axis < 2; axis++)
            corner[i][axis] = point[i][axis] + 2 * (double)object->wobble *
                                                   stray(object->hand, (double)i / points, axis);
    return points;
}

/* ---------------------------------------------------------------- placed */

void sac_outline_of(const sac_scene_object *object, sac_outline *outline)
{
    double corner[SAC_OUTLINE_CORNERS][2], low[2], high[2];
    int count = corners_of(object, corner);
    if (object->wobble > 0)
        count = waver(object, count, corner);
    *outline = (sac_outline){count, {{0}}, object->size / 2, object->size, object->size};
    if (count == 0)
        return;
    double c, s;
    sac_rope_use(object->angle, &c, &s);
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
