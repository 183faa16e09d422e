/* Distances from outlines, span by span. */

#include "figure.h"

#include <math.h>

static int within(float value, int side)
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
                      .box = {within(object->box[0] * scale - 1, side),
                              within(object->box[1] * scale - 1, side),
                              within(object->box[2] * scale + 2, side),
                              within(object->box[3] * scale + 2, side)}};
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
    f->box[0] = within((float)f->box[0] + x - reach, side);
    f->box[1] = within((float)f->box[1] + y - reach, side);
    f->box[2] = within((float)f->box[2] + x + reach + 1, side);
    f->box[3] = within((float)f->box[3] + y + reach + 1, side);
}

/* Pixels that are measured together, beside the same edges. */
enum { PIECE = 16 };

/* True where edge `i` may be within reach of a pixel of the piece that begins at x0, y. */
static bool is_near(const sac_figure *f, int i, float x0, float y)
{
    float x = f->corner[i][0], ex = f->edge[i][0], ey = f->edge[i][1], py = y - f->corner[i][1];
    float left = ex < 0 ? x + ex : x, right = ex < 0 ? x : x + ex;
    float above = ey < 0 ? ey : 0, below = ey < 0 ? 0 : ey;
    return py > above - f->reach && py < below + f->reach && x0 < right + f->reach &&
           x0 + PIECE > left - f->reach;
}

/* Takes edge `i` into the squared distances of the pixels `first` … of a span from (x0, y). */
static void approach_edge(const sac_figure *f, int i, float x0, float y, int first, float *squared)
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
static void cross_edge(const sac_figure *f, int i, float x0, float y, int first, float *sign)
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
        if (is_near(f, i, x0 + (float)first, y))
            approach_edge(f, i, x0, y, first, squared);
        cross_edge(f, i, x0, y, first, sign);
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
