/* Perceptually uniform colour maps, and the scales that take weights to them. Each map is a curve
 * through a few points of CIELAB along which lightness only rises, walked in steps of equal colour
 * difference (CIE 1976); they keep the familiar names of the maps they look like. */
#ifndef VIZ_CANVAS_COLORMAP_H
#define VIZ_CANVAS_COLORMAP_H

#include "canvas/canvas.h"

typedef enum viz_colormap {
    VIZ_INFERNO = 0,
    VIZ_VIRIDIS,
    VIZ_CIVIDIS,
    VIZ_DIVERGING, /* for differences: 0.5 is nothing */
    VIZ_COLORMAP_COUNT
} viz_colormap;
extern const char *const viz_colormap_names[VIZ_COLORMAP_COUNT];
const char *viz_colormap_name(viz_colormap map);
bool viz_colormap_from_name(const char *name, viz_colormap *map);
viz_color viz_colormap_color(viz_colormap map, float t); /* t clamped to 0…1 */
const viz_color *viz_colormap_table(viz_colormap map);   /* 256 colours */
/* The colours of a map of numbers on a theme's ground, 256: on a light one they begin with white and
 * darken, and nothing of a difference is white. */
const viz_color *viz_map_colors(const viz_theme *theme, viz_colormap map);
viz_color viz_map_color(const viz_theme *theme, viz_colormap map, float t); /* t clamped to 0…1 */
/* Text on a cell of this colour: dark or light, by luminance. */
viz_color viz_text_on(viz_color cell);
/* sRGB to CIELAB (D65): L* 0 … 100, a*, b*. */
void viz_color_lab(viz_color color, float lab[3]);
/* Relative luminance contrast of WCAG 2: 1 (none) … 21 (black on white). */
float viz_contrast(viz_color a, viz_color b);

/* Scales, by which a weight becomes a place on the colour bar. */
typedef enum viz_scale_kind {
    VIZ_PER_MAP = 0, /* 0 … the map's own maximum */
    VIZ_SHARED,      /* 0 … the maximum over all maps */
    VIZ_ROOT,        /* the same by the square root: a map that is spread out shows beside one that
                        is sharp */
    VIZ_LOG,         /* low … high, logarithmic */
    VIZ_FIXED,       /* 0 … 1 */
    VIZ_SCALE_COUNT
} viz_scale_kind;
/* "per map, linear", "shared", "shared scale, square root", "logarithmic", "fixed" */
extern const char *const viz_scale_names[VIZ_SCALE_COUNT];
const char *viz_scale_name(viz_scale_kind kind);
bool viz_scale_from_name(const char *name, viz_scale_kind *kind);

typedef struct viz_scale {
    viz_scale_kind kind;
    float low, high; /* in weights */
    bool
        about_zero; /* of differences: 0 stands at 0.5, what is below it as far down as what is above
                        it up; `low` counts only where the scale is logarithmic */
} viz_scale;
float viz_scale_at(const viz_scale *scale, float weight); /* 0 … 1, clamped; NaN: 0 */
/* The scale of that kind for weights of at most `most` (their own, or over all maps). The
 * logarithmic one reaches four decades down. */
viz_scale viz_scale_for(viz_scale_kind kind, float most);

#endif
