/* The gaze: the cells where it has been, and the next one. It jumps to the cell that has had the
 * least attention so far. */
#ifndef VIZ_PICTURE_PICTURE_GAZE_H
#define VIZ_PICTURE_PICTURE_GAZE_H

#include "images/image.h"

#define GAZE_PATH 6

typedef struct gaze_point {
    float x, y; /* share of the picture's width and height */
} gaze_point;

typedef struct viz_gaze {
    int grid_w, grid_h;
    float *seen;                /* [grid_h,grid_w] attention gathered so far; owned */
    float *pull;                /* [grid_h,grid_w] how much a cell stands out by itself; owned */
    gaze_point path[GAZE_PATH]; /* the last fixations, newest last */
    int path_count;
} viz_gaze;

/* Takes another grid of `image` and forgets what was seen; the path stays where it was on the
 * picture. False: no memory, and the gaze is as before. */
bool viz_gaze_resize(viz_gaze *gaze, const sac_image *image, int grid_w, int grid_h);
void viz_gaze_forget(viz_gaze *gaze); /* what was seen and the path */
void viz_gaze_free(viz_gaze *gaze);
/* The gaze rested on (x, y) and attended with `weights` [grid_h,grid_w]. */
void viz_gaze_fixate(viz_gaze *gaze, int x, int y, const float *weights);
/* The visible cell seen least. Among those that are as good as equal (within a quarter, or below a
 * quarter of an even share) the one that stands out most, away from the path. `hidden` may be NULL.
 * False where every cell is hidden. */
bool viz_gaze_next(const viz_gaze *gaze, const uint8_t *hidden, int *x, int *y);
/* The cell that stands out most: a place to start from. */
void viz_gaze_first(const viz_gaze *gaze, int *x, int *y);

#endif
