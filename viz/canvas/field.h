/* Numbers over a grid, read out in rows of pixels: smoothly, or cell by cell. Used by what draws
 * weights over a picture. */
#ifndef VIZ_CANVAS_FIELD_H
#define VIZ_CANVAS_FIELD_H

#include "canvas/canvas.h"

enum { VIZ_TAPS = 4 }; /* cells along an axis that a pixel is interpolated from */

/* The cells and shares of a row of pixels. Pixels between the centres of the same two cells are a
 * run: they read the same cells, so that a run is computed by vector instructions. */
typedef struct viz_axis {
    int runs;
    int *end;               /* [runs] the pixel after the run's last */
    int (*cell)[VIZ_TAPS];  /* [runs] */
    float *share[VIZ_TAPS]; /* [count] each; the first holds the memory of all */
} viz_axis;

typedef struct viz_field {
    const float *cells; /* [grid_h,grid_w]; lent */
    int grid_w, grid_h, height;
    viz_axis along; /* a row of pixels */
    int y0, x0, width;
    bool blocky;
    int first, end; /* the columns of cells that these pixels are interpolated from */
    float *column;  /* [grid_w] the row of cells at one y */
} viz_field;

/* A grid that covers `whole`, of which the columns of `seen` are read. Smooth: bicubic (Catmull–Rom),
 * so that a cell's centre shows the cell's own number. False: no memory; close it all the same. */
bool viz_field_open(viz_field *field, viz_pixels whole, viz_pixels seen, const float *cells,
                    int grid_w, int grid_h, bool blocky);
/* The numbers along row y of the canvas into out[width], clamped below at 0. */
void viz_field_row(viz_field *field, int y, float *out);
void viz_field_close(viz_field *field); /* takes a zeroed one */

/* A line where a field crosses a level: a core, and around it an edge that is sharp, or a glow that
 * fades away. */
typedef struct viz_contour {
    float level;
    float core, edge; /* pixels from the middle of the line to the end of each */
    bool glows;
    viz_color color, around;
} viz_contour;
/* Draws the lines in the open part of the canvas, the outermost last; the distance to a line is estimated
 * from the gradient, for which the field has a pixel more on either side, where it goes on there. */
void viz_contours_draw(viz_canvas *canvas, viz_field *field, const viz_contour *lines, int count);

#endif
