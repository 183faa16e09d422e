/* Weights over a picture: three overlays that never hide it. */
#ifndef VIZ_CANVAS_HEAT_H
#define VIZ_CANVAS_HEAT_H

#include "canvas/colormap.h"

typedef enum viz_overlay {
    VIZ_HEAT = 0,  /* coloured, opacity grows with the weight */
    VIZ_SPOTLIGHT, /* what is not attended is darkened */
    VIZ_CONTOUR,   /* lines around 50 and 90 per cent of the mass */
    VIZ_OVERLAY_COUNT
} viz_overlay;
const char *viz_overlay_name(viz_overlay overlay);
/* False, and *overlay left as it is, where none has that name. */
bool viz_overlay_from_name(const char *name, viz_overlay *overlay);

typedef struct viz_heat_style {
    viz_overlay overlay;
    viz_colormap map;
    viz_scale scale;
    float opacity; /* 0 … 1 */
    bool blocky;   /* cells as they are; else smoothly interpolated */
    bool clear;    /* heat: nothing where there is no weight; else the picture steps back a little
                      everywhere */
} viz_heat_style;

/* `weights` [grid_h,grid_w] laid over `rect` of the canvas, on top of what is there. */
void viz_heat(viz_canvas *canvas, viz_rect rect, const float *weights, int grid_w, int grid_h,
              const viz_heat_style *style);
/* A matrix as cells, opaque: `values` [rows,cols]; rect need not be a multiple of either. */
void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               viz_colormap map, const viz_scale *scale);

#endif
