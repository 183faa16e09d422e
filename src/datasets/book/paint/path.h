/* Paths: contours of straight lines, flattened from a compact text. */
#ifndef SAC_BOOK_PAINT_PATH_H
#define SAC_BOOK_PAINT_PATH_H

#include <stdbool.h>

enum { SAC_PATH_POINTS = 3000, SAC_PATH_CONTOURS = 64 };

typedef struct sac_path {
    int points, contours;
    float point[SAC_PATH_POINTS][2];
    int end[SAC_PATH_CONTOURS]; /* one past the last point of each contour */
    bool closed[SAC_PATH_CONTOURS];
    bool full; /* something was left out */
} sac_path;

/* An affine map: x' = xx x + xy y + dx, y' = yx x + yy y + dy. */
typedef struct sac_place {
    float xx, xy, yx, yy, dx, dy;
} sac_place;

void sac_place_point(const sac_place *place, float x, float y, float placed[2]);

/* Adds the contours of `text`, placed. Numbers are whole or have one point; a command goes on with
 * as many groups of numbers as follow it.
 *   M x y        begins a contour          E x y rx ry    an ellipse
 *   L x y        a line                    R x y w h r    a rectangle with round corners
 *   C x y x y x y  a cubic Bézier curve    B x y …        a closed smooth curve through points
 *   Z            closes the contour        S x y …        an open one
 * False where the text is no such path, or is too long. */
bool sac_path_add(sac_path *path, const char *text, const sac_place *place);

/* An empty path; without clearing its points. */
void sac_path_start(sac_path *path);
/* One point more of a contour that sac_path_end ends. */
void sac_path_point(sac_path *path, float x, float y);
void sac_path_end(sac_path *path, bool closed);

/* box: x0, y0, x1, y1 of all points. */
void sac_path_box(const sac_path *path, float box[4]);

/* The outline of a line of `width` along the contours of `from`, with round ends. */
void sac_path_stroke(const sac_path *from, float width, sac_path *stroke);

#endif
