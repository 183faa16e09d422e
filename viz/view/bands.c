/* A band between two words, as wide as its weight. */

#include "view/bands.h"

#include <math.h>

#include "view/glide.h"

/* The share of pixel `at` that lies between two places. */
static float covered(int at, float from, float to)
{
    return fmaxf(fminf(to, (float)(at + 1)) - fmaxf(from, (float)at), 0);
}

void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color)
{
    float d = canvas->density, a0 = (down ? y0 : x0) * d, a1 = (down ? y1 : x1) * d; /* along */
    float b0 = (down ? x0 : y0) * d, b1 = (down ? x1 : y1) * d;                      /* across */
    for (int a = (int)a0; a < (int)a1; a++) {
        float t = ((float)a + 0.5f - a0) / (a1 - a0),
              slope = 6 * t * (1 - t) * (b1 - b0) / (a1 - a0);
        float b = b0 + (b1 - b0) * viz_eased(t), half = width * d / 2 * sqrtf(1 + slope * slope);
        for (int at = (int)floorf(b - half); at <= (int)floorf(b + half); at++)
            viz_blend(canvas, down ? at : a, down ? a : at, color, covered(at, b - half, b + half));
    }
}
