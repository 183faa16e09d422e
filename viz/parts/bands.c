/* A band between two words, as wide as its weight. */

#include "parts/bands.h"

#include <math.h>

#include "canvas/recording.h"
#include "parts/glide.h"

/* The share of pixel `at` that lies between two places. */
static float covered(int at, float from, float to)
{
    return fmaxf(fminf(to, (float)(at + 1)) - fmaxf(from, (float)at), 0);
}

/* A band in pixels: `along` is the axis from word to word, `across` the other one. */
typedef struct band {
    float along0, along1, across0, across1, width;
    bool down; /* along is y */
} band;

/* Both edges where t of the way is done. */
static void band_edges(const band *b, float t, float edges[2])
{
    float rise = b->across1 - b->across0;
    float slope = 6 * t * (1 - t) * rise / (b->along1 - b->along0);
    float middle = b->across0 + rise * viz_eased(t), half = b->width / 2 * sqrtf(1 + slope * slope);
    edges[0] = middle - half;
    edges[1] = middle + half;
}

/* The band as a polygon: one edge there, and the other back. */
static void record_band(viz_canvas *canvas, const band *b, viz_color color)
{
    enum { PIECES = 48, POINTS = 2 * (PIECES + 1) };
    viz_point points[POINTS];
    if (!canvas->recording)
        return;
    for (int i = 0; i <= PIECES; i++) {
        float t = (float)i / PIECES, along = b->along0 + t * (b->along1 - b->along0), edges[2];
        band_edges(b, t, edges);
        for (int k = 0; k < 2; k++)
            points[k ? POINTS - 1 - i : i] =
                b->down ? (viz_point){edges[k], along} : (viz_point){along, edges[k]};
    }
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_POLYGON,
                                    .points = points,
                                    .point_count = POINTS,
                                    .color = color});
}

void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color)
{
    float d = canvas->density, edges[2];
    band b = {.along0 = (down ? y0 : x0) * d,
              .along1 = (down ? y1 : x1) * d,
              .across0 = (down ? x0 : y0) * d,
              .across1 = (down ? x1 : y1) * d,
              .width = width * d,
              .down = down};
    for (int a = (int)b.along0; a < (int)b.along1; a++) {
        band_edges(&b, ((float)a + 0.5f - b.along0) / (b.along1 - b.along0), edges);
        for (int at = (int)floorf(edges[0]); at <= (int)floorf(edges[1]); at++)
            viz_blend(canvas, down ? at : a, down ? a : at, color, covered(at, edges[0], edges[1]));
    }
    record_band(canvas, &b, color);
}
