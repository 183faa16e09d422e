/* A small painter for the bundled pictures: shapes are functions, painted in linear light onto a
 * sheet with nine samples a pixel. The same numbers come out on every machine that has IEEE floats.
 * Coordinates: x from 0 to the sheet's aspect, y from 0 (top) to 1. */
#ifndef DRAW_PAINT_H
#define DRAW_PAINT_H

#include <stdbool.h>

typedef struct paint {
    float r, g, b, a; /* linear light, straight alpha */
} paint;

typedef struct sheet {
    int width, height; /* samples */
    float *rgb;        /* [height,width,3] */
} sheet;

typedef struct box {
    float x0, y0, x1, y1;
} box;

/* The paint that a shape puts at (x, y); alpha 0 where it is not. */
typedef paint brush(const void *shape, float x, float y);

bool sheet_create(sheet *s, int width, int height); /* in pixels */
void sheet_free(sheet *s);
void sheet_paint(sheet *s, box where, brush *with, const void *shape);
paint sheet_at(const sheet *s, float x, float y); /* bilinear, clamped to the edges */
/* Averages down to pixels, adds grain of so many 1/255, writes. 0: done. */
int sheet_save(const sheet *s, float grain, const char *path);

/* ---- colours and shapes */

paint hex(unsigned rgb); /* 0xRRGGBB, sRGB */
paint mix(paint a, paint b, float t);
paint shade(paint p, float light); /* multiplied, alpha kept */
paint with_alpha(paint p, float a);
/* Along colours at equal steps, t from 0 to 1. */
paint ramp(const unsigned *colors, int count, float t);

float clamp01(float t);
float smooth(float from, float to, float t); /* 0 to 1, with soft ends; from > to goes down */

/* ---- chance: the same every time */

float chance(int a, int b, int seed);                  /* 0 to 1 */
float noise(float x, float y, int seed);               /* smooth, 0 to 1 */
float clouds(float x, float y, int octaves, int seed); /* 0 to 1 */

#endif
