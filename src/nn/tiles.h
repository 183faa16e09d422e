/* Products by register tiles, our own kernel (cl/product_cpu.cl): C = A B where the rows of A, B
 * and C lie wherever counting over a grid of pixels leads. Layers use nn/product.h; convolutions,
 * whose rows are windows of pictures, come here. */
#ifndef SAC_NN_TILES_H
#define SAC_NN_TILES_H

#include "nn/product.h"

/* Where row r = (picture, y, x) begins, in floats. A matrix: width rows, `pixel` its row length. */
typedef struct sac_grid {
    cl_uint width, height;
    cl_uint pixel, line, picture;
} sac_grid;

/* The kernel's own struct: same order, same types. Whoever calls fills from `m` to `k` and from
 * `span` on; the rest is sac_tiles_run's. */
typedef struct sac_tiles {
    cl_uint m, n, k;
    cl_uint splits, depth, blocks, groups, panels, b_span, b_panel, b_step;
    cl_uint span;   /* columns in a row in B and C; n / span such spans … */
    cl_uint c_span; /* … this far apart in C */
    cl_uint a_step; /* of A, along k */
    /* k goes along lines of `length`, `lines` to a picture, with these steps: */
    cl_uint length, lines, a_line, a_picture, b_line, b_picture;
    cl_uint accumulate, bias, relu;
    sac_grid a, c; /* the rows' places; pieces of k need a dense C */
} sac_tiles;

/* How B is packed into panels: element (k, n) is b[start + outer·i + middle·j + inner·l +
 * column·n], where k counts through (i, j, l), j < middles and l < inners. */
typedef struct sac_packing {
    cl_uint n, k, panel, inners, middles;
    cl_int start, outer, middle, inner, column;
} sac_packing;

/* A B packed first. `tiles`' steps along B are filled in here. */
sac_status sac_tiles_run_packed(sac_device *device, sac_tiles tiles, sac_packing packing,
                                sac_span a, sac_span b, sac_span bias, sac_span c,
                                sac_error *error);
/* B read where it lies: `b_step` floats between values of k, `b_span` between spans. Where a span
 * is no multiple of sac_tiles_width, up to 2 · 16 floats past its end are read, and not used. */
sac_status sac_tiles_run_direct(sac_device *device, sac_tiles tiles, sac_span a, sac_span b,
                                sac_span bias, sac_span c, sac_error *error);
cl_uint sac_tiles_width(const sac_device *device); /* floats of a vector */

#endif
