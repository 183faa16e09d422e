/* Matrix products by register tiles (cl/gemm/gemm_tiled.cl): C = A B where the rows of A, B and C lie
 * wherever counting over a grid of pixels leads. Plain matrices use gemm.h; convolutions, whose
 * rows are windows of pictures, come here. */
#ifndef SAC_GEMM_GEMM_TILED_H
#define SAC_GEMM_GEMM_TILED_H

#include "gemm/gemm_backends.h"

/* The place where row r = (picture, y, x) begins, in floats. A matrix has `width` rows, and `pixel`
 * is its row length. */
typedef struct sac_grid {
    cl_uint width, height;
    cl_uint pixel, line, picture;
} sac_grid;

/* Steps of an operand as k goes along its lines: between values, lines and pictures. */
typedef struct sac_walk {
    cl_uint step, line, picture;
} sac_walk;

/* The kernel's own struct: same order, same types. The caller fills m, n, k and, from `span` on, the
 * fields that the comment of a function names; sac_tiled_… fills the rest. */
typedef struct sac_tiled_gemm {
    cl_uint m, n, k;
    cl_uint splits, depth, rows, blocks, groups;
    cl_uint span, panels; /* columns in a row in B and C: n / span such spans … */
    cl_uint each;
    cl_uint b_span, b_panel; /* … so far apart in B … */
    cl_uint c_span;          /* … and in C */
    cl_uint length, lines;   /* k goes along lines of `length`, `lines` to a picture */
    cl_uint accumulate, bias, masked;
    cl_float ceiling; /* as in sac_gemm */
    sac_walk along_a, along_b;
    sac_grid a, c, mask; /* places of the rows; pieces of k need a dense C and no mask */
} sac_tiled_gemm;

/* The source of B, which is packed into panels: element (k, n) is b[start + outer·i + middle·j +
 * inner·l + column·n], where k counts through (i, j, l), j < middles and l < inners. */
typedef struct sac_packing {
    cl_uint n, k, panel, inners, middles;
    cl_int start, outer, middle, inner, column;
} sac_packing;

/* That products of many rows will be needed: sac_kernel_expect. */
void sac_tiled_expect(sac_device *device);
/* A's rows lie along k (step 1), in lines of which only the first picture is used, given by `a`,
 * `length` and along_a.line. B is packed first; one span. C becomes 0 where `mask`, unless that is
 * empty, is not above 0. */
sac_status sac_tiled_rows(sac_device *device, sac_tiled_gemm tiles, sac_packing packing, sac_span a,
                          sac_span b, sac_span bias, sac_span mask, sac_span c, sac_error *error);
/* The same with a B that was packed before, into floats of sac_tiled_panel_floats: for weights that many
 * products share. The work is cut finer, so that the few rows of a single picture occupy all
 * threads of a CPU. */
sac_status sac_tiled_rows_by_panels(sac_device *device, sac_tiled_gemm tiles, sac_span a,
                                    sac_span panels, sac_span bias, sac_span c, sac_error *error);
size_t sac_tiled_panel_floats(const sac_device *device, size_t n, size_t k);
sac_status sac_tiled_pack(sac_device *device, sac_packing packing, sac_span b, sac_span panels,
                          sac_error *error);
/* A is stored [k,m]: rows side by side. B is read where it lies, by along_b and b_span … */
sac_status sac_tiled_columns(sac_device *device, sac_tiled_gemm tiles, sac_span a, sac_span b,
                             sac_span bias, sac_span c, sac_error *error);

/* ---- plain matrices */

/* How op(B) [k,n] is packed that lies as [n,k], `transposed`, or as [k,n]. */
sac_packing sac_packing_of(size_t n, size_t k, bool transposed);
/* sac_gemm_tiled of a B that was packed before, cut finer; A is [m,k]. */
sac_status sac_gemm_by_panels(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span panels,
                              sac_span c, sac_error *error);
/* c [m,n] = Σ a [pieces,m,n] (+ bias) (+ c), then max(0, ·) on request. */
sac_status sac_gemm_add_pieces(sac_device *device, const sac_gemm *gemm, size_t pieces, sac_span a,
                               sac_span c, sac_error *error);

#endif
