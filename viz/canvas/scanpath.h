/* A scan path, drawn as eye trackers draw it: hollow rings, numbered, joined by lines. */
#ifndef VIZ_CANVAS_SCANPATH_H
#define VIZ_CANVAS_SCANPATH_H

#include "canvas/canvas.h"

typedef struct viz_fixation {
    float x, y;      /* in logical units */
    int first, last; /* which steps rested here, counted from 1; they are written beside it,
                        unless `first` is 0 */
} viz_fixation;

/* Adds step `number` at (x, y): to the last fixation if that is within `near`, else as a new one.
 * Returns the new count. */
int viz_fixation_add(viz_fixation *path, int count, float x, float y, int number, float near);

/* Draws the path. The last fixation is the current one: its ring has `radius`; 0: it has its own
 * mark. Neither ring nor number covers the point `peak`. Older fixations are fainter. Numbers stay
 * inside `picture`. */
void viz_scan_path(viz_canvas *canvas, viz_rect picture, const viz_fixation *path, int count,
                   float radius, const float peak[2]);

/* The radius of a ring whose line leaves a point free at distance `away` from its centre: as near
 * to `radius` as possible, and not too small to be visible. */
float viz_ring_radius_beside(float radius, float away);

/* White with a dark rim; stands out on every colour and leaves what it surrounds as it is. */
void viz_ring(viz_canvas *canvas, float x, float y, float radius, float thickness, float alpha);

#endif
