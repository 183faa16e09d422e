/* A band from one word to another, as wide as the weight that it stands for. */
#ifndef VIZ_PARTS_BANDS_H
#define VIZ_PARTS_BANDS_H

#include "canvas/canvas.h"

/* From (x0, y0) to (x1, y1), level at both ends; from the left to the right, or where `down` is
 * true from above down. Drawn line by line of pixels, so that a transparent band stays even. */
void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color);

#endif
