/* Weights over a picture: the one look of it, which every view uses, in three modes. */
#ifndef VIZ_CANVAS_HEAT_H
#define VIZ_CANVAS_HEAT_H

#include "canvas/colormap.h"

typedef enum viz_overlay {
    VIZ_LIGHT = 0, /* what is attended keeps its own colours, with a warm rim; the rest is dimmed */
    VIZ_HEAT,      /* what is attended is coloured by its weight; the rest is dimmed */
    VIZ_CONTOUR,   /* lines around 50 and 90 per cent of the weight; the picture is as it is */
    VIZ_OVERLAY_COUNT
} viz_overlay;
extern const char *const viz_overlay_names[VIZ_OVERLAY_COUNT];
extern const char *const viz_overlay_tips[VIZ_OVERLAY_COUNT]; /* what each of them shows */
const char *viz_overlay_name(viz_overlay overlay);

typedef struct viz_heat_style {
    viz_overlay overlay;
    viz_colormap map;
    viz_scale scale;  /* of heat's colours */
    float brightness; /* 0 … 1, of the picture where it is not attended; 1: as it is */
    float opacity;    /* 0 … 1, of heat, of the rim and of lines */
    bool blocky;      /* cells as they are; else smoothly interpolated */
    int cells;        /* so many can have weight: 1/N is the mean of theirs; 0: all */
} viz_heat_style;
#define VIZ_BRIGHTNESS 0.75f
#define VIZ_HEAT_OPACITY 0.85f
#define VIZ_HEAT_DEFAULTS .brightness = VIZ_BRIGHTNESS, .opacity = VIZ_HEAT_OPACITY

/* `weights` [grid_h,grid_w] laid over `rect` of the canvas, where `kept` (NULL: anyone) has drawn
 * the picture. A weight of 1/N shows nothing, four times that shows fully. Where no weight is much
 * above 1/N the picture is not dimmed either: all of it is looked at alike. What is made of the
 * picture is kept beside it, so that a frame that only moves the weights does not make it anew. */
void viz_heat(viz_canvas *canvas, viz_scaled *kept, viz_rect rect, const float *weights, int grid_w,
              int grid_h, const viz_heat_style *style);
/* True where weights are so even that nothing of them is seen: "looks everywhere alike". */
bool viz_heat_is_even(const float *weights, int count, int cells);
/* True where no weight has the rim of what is lit: little more of them is seen. */
bool viz_heat_is_faint(const float *weights, int count, int cells);
/* 256 colours for a scale's places in heat: the part of a map that stands out on any picture, after
 * a short rise from the colour of nothing. */
const viz_color *viz_heat_colors(const viz_theme *theme, viz_colormap map);
/* A few colours for a legend as light shows a picture that has them: in their own, with the rim, or as
 * they are dimmed beside it. */
void viz_light_sample(viz_canvas *canvas, viz_rect rect, float brightness, bool lit);
/* The weight that shows fully, in times of 1/N. */
#define VIZ_FULL_WEIGHT 4.0f

/* The contours around 50 and 90 per cent of the weight, and a piece of one for a legend. */
#define VIZ_CONTOUR_HALF 1.6f /* the light core, in logical units */
#define VIZ_CONTOUR_MOST 1.0f
void viz_contour_sample(viz_canvas *canvas, viz_rect rect, float width);

/* A matrix as cells, opaque: `values` [rows,cols] in `colors` [256] of the scale's places, NaN in
 * the theme's tone of what is masked; rect need not be a multiple of either. */
void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale);

#endif
