/* Weights over a picture: one look of heat for every view, and two overlays besides. */
#ifndef VIZ_CANVAS_HEAT_H
#define VIZ_CANVAS_HEAT_H

#include "canvas/colormap.h"

typedef enum viz_overlay {
    VIZ_HEAT = 0,  /* coloured, over a picture that steps back */
    VIZ_SPOTLIGHT, /* what is not attended is darkened */
    VIZ_CONTOUR,   /* lines around 50 and 90 per cent of the mass */
    VIZ_OVERLAY_COUNT
} viz_overlay;
extern const char *const viz_overlay_names[VIZ_OVERLAY_COUNT];
const char *viz_overlay_name(viz_overlay overlay);

typedef struct viz_heat_style {
    viz_overlay overlay;
    viz_colormap map;
    viz_scale scale;
    float opacity; /* 0 … 1; 0 leaves the picture as it is */
    bool blocky;   /* cells as they are; else smoothly interpolated */
} viz_heat_style;
#define VIZ_HEAT_OPACITY 0.9f /* the default */

/* `weights` [grid_h,grid_w] laid over `rect` of the canvas, on top of what is there. Heat: the
 * picture turns dark and half grey, weights from a few per cent of the largest on cover it in the
 * colours of their bar, and a contour runs around the cells that hold half of the weight. `kept` is
 * what viz_image_kept has drawn in `rect`: its tones are those that the dark picture spreads, and
 * that is kept beside it, so that a frame that only moves the heat does not make it anew. NULL:
 * what is there may have any tones. */
void viz_heat(viz_canvas *canvas, viz_scaled *kept, viz_rect rect, const float *weights, int grid_w,
              int grid_h, const viz_heat_style *style);
/* True where a contour of half of the weight is drawn in a picture of that size. */
bool viz_heat_has_contour(const viz_heat_style *style, viz_rect rect);

/* 256 colours for a scale's places in heat: the part of a map that is lighter than any picture
 * below, after a short rise from black. Diverging: the map itself. */
const viz_color *viz_heat_colors(viz_colormap map);
/* The colours of the bar beside an overlay: heat's, or for the spotlight from black to white. */
const viz_color *viz_overlay_colors(viz_overlay overlay, viz_colormap map);

/* The contours around 50 and 90 per cent of the weight, and a piece of one for a legend. */
#define VIZ_CONTOUR_HALF 1.6f /* the light core, in logical units */
#define VIZ_CONTOUR_MOST 1.0f
void viz_contour_sample(viz_canvas *canvas, viz_rect rect, float width);

/* A matrix as cells, opaque: `values` [rows,cols] in `colors` [256] of the scale's places, NaN in
 * viz_masked_tone; rect need not be a multiple of either. */
void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale);

#endif
