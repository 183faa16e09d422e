/* What a person sees of a map that lies over a picture: the colours at the middles of its cells. */
#ifndef TESTS_VIZ_SEEN_HEAT_H
#define TESTS_VIZ_SEEN_HEAT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "color_difference.h"
#include "images/resample.h"
#include "test.h"

typedef struct seen_map {
    const viz_canvas *canvas;
    const sac_image *image; /* what is below, of any size */
    viz_rect picture;
    const float *weights; /* [grid_h,grid_w] */
    int grid_w, grid_h;
} seen_map;

static inline void lab_of(viz_color color, double lab[3])
{
    float single[3];
    viz_color_lab(color, single);
    for (int c = 0; c < 3; c++)
        lab[c] = (double)single[c];
}

/* The pixel at (u, v) of a cell, each 0 … 1. */
static inline viz_color cell_color_at(const seen_map *m, int cell, float u, float v)
{
    float x = m->picture.x + ((float)(cell % m->grid_w) + u) * m->picture.w / (float)m->grid_w;
    float y = m->picture.y + ((float)(cell / m->grid_w) + v) * m->picture.h / (float)m->grid_h;
    int px = (int)(x * m->canvas->density), py = (int)(y * m->canvas->density);
    const uint8_t *p = m->canvas->rgba + 4 * (py * m->canvas->width + px);
    return (viz_color){p[0], p[1], p[2], 255};
}

static inline int peak_of(const seen_map *m)
{
    int peak = 0;
    for (int i = 1; i < m->grid_w * m->grid_h; i++)
        peak = m->weights[i] > m->weights[peak] ? i : peak;
    return peak;
}

/* Where the scan path's ring covers the middle of a cell, its heat is seen beside it: of nine points
 * of the cell, how far the nearest is from what the bar has for the cell's weight. */
static inline double heat_of(const seen_map *m, int cell, const viz_color *bar,
                             const viz_scale *scale)
{
    double shown[3], reported[3], least = INFINITY;
    lab_of(bar[(int)(viz_scale_at(scale, m->weights[cell]) * 255 + 0.5f)], reported);
    for (int i = 0; i < 9; i++) {
        float u = 0.25f + 0.25f * (float)(i % 3), v = 0.25f + 0.25f * (float)(i / 3);
        lab_of(cell_color_at(m, cell, u, v), shown);
        least = fmin(least, color_difference(shown, reported));
    }
    return least;
}

/* Between the colour shown at the peak and the colour that the bar has for its weight. */
static inline double peak_difference(const seen_map *m, const viz_color *bar,
                                     const viz_scale *scale)
{
    return heat_of(m, peak_of(m), bar, scale);
}

/* The picture's own colour at (u, v) of a cell, as large as it is drawn. */
static inline viz_color own_color_at(const seen_map *m, const sac_image *scaled, int cell, float u,
                                     float v)
{
    float x = ((float)(cell % m->grid_w) + u) * (float)scaled->width / (float)m->grid_w;
    float y = ((float)(cell / m->grid_w) + v) * (float)scaled->height / (float)m->grid_h;
    const uint8_t *p = scaled->rgba + 4 * ((int)y * scaled->width + (int)x);
    return (viz_color){p[0], p[1], p[2], 255};
}

static inline sac_image own_picture(const seen_map *m)
{
    sac_image scaled = {0};
    viz_pixels p = viz_to_pixels(m->canvas, m->picture);
    assert_int_equal(sac_image_scale(m->image, p.x1 - p.x0, p.y1 - p.y0, true, &scaled, NULL),
                     SAC_OK);
    return scaled;
}

/* Of the cells of less than 1/N, the share in whose middle the picture keeps seven tenths of its
 * luma; what is nearly black has none to lose. */
static inline double bright_share(const seen_map *m)
{
    int count = m->grid_w * m->grid_h, some = 0, bright = 0;
    double mean = 0;
    sac_image own = own_picture(m);
    for (int i = 0; i < count; i++)
        mean += (double)m->weights[i] / count;
    for (int i = 0; i < count; i++) {
        viz_color shown = cell_color_at(m, i, 0.5f, 0.5f);
        viz_color below = own_color_at(m, &own, i, 0.5f, 0.5f);
        unsigned luma = viz_luma((const uint8_t *)&below);
        if ((double)m->weights[i] >= mean || luma <= 40)
            continue;
        some++;
        bright += viz_luma((const uint8_t *)&shown) + 1 >= 0.7f * (float)luma;
    }
    sac_image_free(&own);
    return some ? (double)bright / some : 1;
}

/* Of nine points of the heaviest cell, how far the nearest is from the picture's own colour. */
static inline double own_difference(const seen_map *m)
{
    int peak = peak_of(m);
    double shown[3], own[3], least = INFINITY;
    sac_image picture = own_picture(m);
    for (int i = 0; i < 9; i++) {
        float u = 0.25f + 0.25f * (float)(i % 3), v = 0.25f + 0.25f * (float)(i / 3);
        lab_of(cell_color_at(m, peak, u, v), shown);
        lab_of(own_color_at(m, &picture, peak, u, v), own);
        least = fmin(least, color_difference(shown, own));
    }
    sac_image_free(&picture);
    return least;
}

#endif
