/* Outlines of the shapes, as polygons. */

#include "outline.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

void sac_turn(double angle, double *cosine, double *sine)
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

static int star(double form, double corner[12][2])
{
    double inner = 0.38 + 0.08 * form; /* 0.382 is the pentagram's */
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 2; k++)
            corner[i][k] = spokes[i][k] * (i & 1 ? inner : 1);
    return 10;
}

static int cross(double form, double corner[12][2])
{
    double bar = 0.3 + 0.08 * form; /* its half, where the arms reach 1: a third or so */
    const double corners[12][2] = {
        {-bar, -1}, {bar, -1}, {bar, -bar}, {1, -bar}, {1, bar},   {bar, bar},
        {bar, 1},   {-bar, 1}, {-bar, bar}, {-1, bar}, {-1, -bar}, {-bar, -bar},
    };
    memcpy(corner, corners, sizeof corners);
    return 12;
}

static int triangle(double form, double corner[12][2])
{
    double height = 0.86 + 0.14 * form; /* of its base; 0.866 is equilateral */
    const double corners[3][2] = {{0, -height}, {1, height}, {-1, height}};
    memcpy(corner, corners, sizeof corners);
    return 3;
}

static int rectangle(bool on_its_corner, double corner[12][2])
{
    static const double square[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const double diamond[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    memcpy(corner, on_its_corner ? diamond : square, sizeof square);
    return 4;
}

static int corners_of(int shape, double form, double corner[12][2])
{
    switch (shape) {
    case SAC_TRIANGLE:
        return triangle(form, corner);
    case SAC_STAR:
        return star(form, corner);
    case SAC_CROSS:
        return cross(form, corner);
    case SAC_SQUARE:
    case SAC_DIAMOND:
        return rectangle(shape == SAC_DIAMOND, corner);
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- placed */

static void rotate(double angle, int count, double corner[12][2])
{
    double c, s;
    sac_turn(angle, &c, &s);
    for (int i = 0; i < count; i++) {
        double x = corner[i][0], y = corner[i][1];
        corner[i][0] = c * x - s * y;
        corner[i][1] = s * x + c * y;
    }
}

/* low, high [2]: the box of the corners. */
static void find_box(int count, double corner[12][2], double *low, double *high)
{
    for (int k = 0; k < 2; k++) {
        low[k] = high[k] = corner[0][k];
        for (int i = 1; i < count; i++) {
            low[k] = corner[i][k] < low[k] ? corner[i][k] : low[k];
            high[k] = corner[i][k] > high[k] ? corner[i][k] : high[k];
        }
    }
}

void sac_outline_of(const sac_scene_object *object, sac_outline *outline)
{
    double corner[12][2], low[2], high[2];
    int count = corners_of(object->shape, object->form, corner);
    *outline = (sac_outline){count, {{0}}, object->size / 2, object->size, object->size};
    if (count == 0)
        return;
    rotate(object->angle, count, corner);
    find_box(count, corner, low, high);
    double width = high[0] - low[0], height = high[1] - low[1];
    double scale = object->size / (width > height ? width : height);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            outline->corner[i][k] = (float)((corner[i][k] - (low[k] + high[k]) / 2) * scale);
    outline->width = (float)(width * scale);
    outline->height = (float)(height * scale);
}
