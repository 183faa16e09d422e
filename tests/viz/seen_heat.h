/* What a person sees of a map that lies over a picture: the colours at the middles of its cells. */
#ifndef TESTS_VIZ_SEEN_HEAT_H
#define TESTS_VIZ_SEEN_HEAT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "color_difference.h"

typedef struct seen_map {
    const viz_canvas *canvas;
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

/* Where the line of the contour covers the middle of a cell, its heat is seen beside the line: the
 * L*a*b* of that of nine points which is nearest to what the bar has for the cell's weight, and how
 * far it is from that. */
static inline double heat_of(const seen_map *m, int cell, const viz_color *bar,
                             const viz_scale *scale, double lab[3])
{
    double shown[3], told[3], least = INFINITY;
    lab_of(bar[(int)(viz_scale_at(scale, m->weights[cell]) * 255 + 0.5f)], told);
    for (int i = 0; i < 9; i++) {
        float u = 0.25f + 0.25f * (float)(i % 3), v = 0.25f + 0.25f * (float)(i / 3);
        lab_of(cell_color_at(m, cell, u, v), shown);
        double difference = color_difference(shown, told);
        if (difference < least) {
            least = difference;
            memcpy(lab, shown, sizeof shown);
        }
    }
    return least;
}

/* Between the colour shown at the peak and the colour that the bar has for its weight. */
static inline double peak_difference(const seen_map *m, const viz_color *bar,
                                     const viz_scale *scale)
{
    double lab[3];
    return heat_of(m, peak_of(m), bar, scale, lab);
}

static inline int by_weight(const void *a, const void *b)
{
    float x = **(const float *const *)a, y = **(const float *const *)b;
    return (x < y) - (x > y);
}

/* How much lighter the cells that hold half of the weight are, in the mean of their L*, than those
 * with less than a hundredth of the largest weight; NAN where there are none of those. */
static inline double lightness_gain(const seen_map *m, const viz_color *bar, const viz_scale *scale)
{
    int count = m->grid_w * m->grid_h, dark = 0, light = 0;
    const float **order = calloc((size_t)count, sizeof *order);
    double total = 0, sum = 0, attended = 0, unattended = 0, lab[3] = {0};
    for (int i = 0; order && i < count; i++) {
        order[i] = m->weights + i;
        total += (double)m->weights[i];
    }
    qsort(order, (size_t)count, sizeof *order, by_weight);
    for (int i = 0; i < count; i++) {
        int cell = (int)(order[i] - m->weights);
        if (sum < 0.5 * total) {
            heat_of(m, cell, bar, scale, lab);
            attended += lab[0];
            light++;
        } else if (*order[i] < 0.01f * *order[0]) {
            lab_of(cell_color_at(m, cell, 0.5f, 0.5f), lab);
            unattended += lab[0];
            dark++;
        }
        sum += (double)*order[i];
    }
    free(order);
    return dark ? attended / light - unattended / dark : (double)NAN;
}

#endif
