/* A painter of filled paths. Pictures are the same bytes on every machine: the painter adds,
 * multiplies, divides and takes square roots of 32-bit floats alone, which IEEE 754 rounds in one
 * way; the compiler fuses no products (CMakeLists.txt), and nothing calls libm. Who
 * draws random numbers never draws two in one call's arguments, whose order is the compiler's own.
 *
 *     sac_path_start(&path);
 *     sac_path_add(&path, "M10 90L50 10L90 90Z", &place);
 *     sac_canvas_fill(&canvas, &path, &(sac_paint){.kind = SAC_PAINT_FLAT, .from = {1, 0, 0, 1}});
 */
#ifndef SAC_BOOK_PAINT_CANVAS_H
#define SAC_BOOK_PAINT_CANVAS_H

#include <stdbool.h>

#include "saccade.h"

/* Paths: contours of straight lines, flattened from a compact text. */
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

void sac_place_transform_point(const sac_place *place, float x, float y, float placed[2]);

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
/* One point more of a contour that sac_path_end_contour ends. */
void sac_path_add_point(sac_path *path, float x, float y);
void sac_path_end_contour(sac_path *path, bool closed);

/* box: x0, y0, x1, y1 of all points. */
void sac_path_box(const sac_path *path, float box[4]);

/* The outline of a line of `width` along the contours of `from`, with round ends. */
void sac_path_stroke(const sac_path *from, float width, sac_path *stroke);

/* Colours are sRGB values of 0 … 1 and are blended as they are, as drawing programs do. */
typedef struct sac_canvas {
    int side;
    float *rgb;   /* [side,side,4], the fourth unused */
    float *cover; /* [side,side + 2]: changes of coverage along a row; zero between fills */
} sac_canvas;

/* SAC_E_MEMORY. */
sac_status sac_canvas_create(int side, sac_canvas *canvas, sac_error *error);
void sac_canvas_free(sac_canvas *canvas);
/* rgb [side,side,3] */
void sac_canvas_read(const sac_canvas *canvas, uint8_t *rgb);

typedef enum sac_paint_kind {
    SAC_PAINT_FLAT = 0,
    SAC_PAINT_LINEAR, /* `from` at (x0, y0), `to` at (x1, y1) */
    SAC_PAINT_RADIAL  /* `from` at (x0, y0), `to` on an ellipse around it and beyond: x1 to the
                         sides, x1 / y1 up and down */
} sac_paint_kind;

typedef struct sac_paint {
    sac_paint_kind kind;
    float from[4], to[4]; /* red, green, blue, opacity */
    float x0, y0, x1, y1; /* pixels */
} sac_paint;

/* Fills by the winding number (not zero: inside), with the exact share of each pixel. */
void sac_canvas_fill(sac_canvas *canvas, const sac_path *path, const sac_paint *paint);

#endif
