/* The axis of time below the picture of a sound. */
#ifndef VIZ_PARTS_SECONDS_H
#define VIZ_PARTS_SECONDS_H

#include "canvas/canvas.h"

#define VIZ_SECONDS_HEIGHT 22.0f

/* The first line of `axis`, which is as wide as the picture, touches it; it begins at `from`. `at`: a time that is marked, and
 * what follows until `until`; below 0: none is. */
void viz_seconds_draw(viz_canvas *canvas, viz_rect axis, float from, float seconds, float at,
                      float until);

/* The mark of that time alone, along the first line of `axis`. */
void viz_seconds_mark(viz_canvas *canvas, viz_rect axis, float from, float seconds, float at,
                      float until);

#endif
