#include "sources/words/peak.h"

#include <math.h>
#include <stdbool.h>

/* The weight of a cell with its neighbours', each half as much as the one before it. */
static float smoothed_weight(const float *map, int grid_w, int grid_h, int x, int y)
{
    float sum = 0, shares = 0;
    for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++) {
            int cx = x + a, cy = y + b;
            float share = (a ? 1.0f : 2.0f) * (b ? 1.0f : 2.0f);
            if (cx < 0 || cy < 0 || cx >= grid_w || cy >= grid_h)
                continue;
            sum += share * map[cy * grid_w + cx];
            shares += share;
        }
    return sum / shares;
}

int sac_map_peak(const float *map, int grid_w, int grid_h)
{
    const bool is_row = grid_w == 1 || grid_h == 1;
    int peak = 0;
    float most = 0;
    for (int i = 0; i < grid_w * grid_h; i++) {
        float here = map[i] > 0 && !is_row
                         ? smoothed_weight(map, grid_w, grid_h, i % grid_w, i / grid_w)
                         : map[i];
        peak = here > most ? i : peak;
        most = fmaxf(most, here);
    }
    return peak;
}

/* The way from the middle of a cell towards the heavier of its neighbours along one axis, at most
 * half a cell. */
static float offset_to_heavier_neighbour(float before, float here, float after)
{
    float sum = before + here + after;
    return sum > 0 ? fminf(fmaxf((after - before) / sum, -0.5f), 0.5f) : 0;
}

void sac_map_heaviest(const float *map, int grid_w, int grid_h, float *x, float *y)
{
    const int peak = sac_map_peak(map, grid_w, grid_h), cx = peak % grid_w, cy = peak / grid_w;
    const float here = map[peak];
    *x = (float)cx + 0.5f +
         offset_to_heavier_neighbour(cx > 0 ? map[peak - 1] : 0, here,
                                     cx + 1 < grid_w ? map[peak + 1] : 0);
    *y = (float)cy + 0.5f +
         offset_to_heavier_neighbour(cy > 0 ? map[peak - grid_w] : 0, here,
                                     cy + 1 < grid_h ? map[peak + grid_w] : 0);
}
