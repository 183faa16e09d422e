/* Distances from outlines, span by span. */

#include "figure.h"

#include <math.h>

static int within(float value, int side)
{
    return value < 0 ? 0 : value > (float)side ? side : (int)value;
}

void sac_figure_of(const sac_scene_object *object, int side, sac_figure *f)
{
    sac_outline outline;
    sac_outline_of(object, &outline);
    float scale = (float)side;
    *f = (sac_figure){outline.count, object->x * scale, object->y * scale, outline.radius * scale,
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

/* Goes over SAC_SPAN pixels from (x0, y): takes edge `i` into the squared distance to the outline,
 * and turns the sign (1: outside) where the edge crosses the ray to the right of a pixel. */
static void pass_edge(const sac_figure *f, int i, float x0, float y, float *squared, float *sign)
{
    float ex = f->edge[i][0], ey = f->edge[i][1], inverse = f->inverse[i];
    float py = y - f->corner[i][1];
    bool crosses = (py < 0) != (py - ey < 0);
    float crossing = crosses ? f->corner[i][0] + py / ey * ex : -INFINITY;
    for (int x = 0; x < SAC_SPAN; x++) {
        float px = x0 + (float)x - f->corner[i][0];
        float along = (px * ex + py * ey) * inverse;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        float dx = px - along * ex, dy = py - along * ey;
        float distance = dx * dx + dy * dy;
        squared[x] = distance < squared[x] ? distance : squared[x];
        sign[x] = x0 + (float)x < crossing ? -sign[x] : sign[x];
    }
}

void sac_figure_measure(const sac_figure *f, int left, int row, float *distance)
{
    float x0 = (float)left + 0.5f - f->x, y = (float)row + 0.5f - f->y;
    float squared[SAC_SPAN], sign[SAC_SPAN];
    for (int x = 0; x < SAC_SPAN; x++) {
        float px = x0 + (float)x;
        squared[x] = f->count ? INFINITY : px * px + y * y;
        sign[x] = 1;
    }
    for (int i = 0; i < f->count; i++)
        pass_edge(f, i, x0, y, squared, sign);
    for (int x = 0; x < SAC_SPAN; x++)
        distance[x] = sign[x] * sqrtf(squared[x]) - f->radius * (f->count == 0);
}
