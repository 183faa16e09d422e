/* Pixels: one RGBA picture that window and exporter share. Coordinates are logical (1/96 inch);
 * `density` pixels make one, and edges are rounded to whole pixels, so that lines stay sharp. */
#ifndef VIZ_CANVAS_CANVAS_H
#define VIZ_CANVAS_CANVAS_H

#include "formats/image.h"

typedef struct viz_color {
    uint8_t r, g, b, a; /* straight alpha */
} viz_color;

typedef struct viz_rect {
    float x, y, w, h; /* logical units */
} viz_rect;

/* The colours of everything that is not data; one table a theme. */
typedef struct viz_theme {
    const char *name;                     /* "dark", "light" */
    viz_color ground, panel, line, text, text2, faint, accent, on_accent, pale;
} viz_theme;
extern const viz_theme viz_theme_dark, viz_theme_light;

typedef struct viz_canvas {
    int width, height; /* pixels */
    float density;
    const viz_theme *theme;
    uint8_t *rgba; /* [height,width,4], opaque; owned */
    int clip_x0, clip_y0, clip_x1, clip_y1; /* pixels; drawing stays inside */
} viz_canvas;

sac_status viz_canvas_create(int width, int height, float density, const viz_theme *theme,
                             viz_canvas *canvas, sac_error *error);
/* Keeps the theme and density; the content is lost. */
sac_status viz_canvas_resize(viz_canvas *canvas, int width, int height, sac_error *error);
void viz_canvas_free(viz_canvas *canvas);
static inline float viz_width(const viz_canvas *canvas)
{
    return (float)canvas->width / canvas->density;
}
static inline float viz_height(const viz_canvas *canvas)
{
    return (float)canvas->height / canvas->density;
}
static inline bool viz_inside(viz_rect r, float x, float y)
{
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

void viz_clip(viz_canvas *canvas, viz_rect rect); /* intersects nothing: replaces the clip */
void viz_clip_none(viz_canvas *canvas);

void viz_clear(viz_canvas *canvas); /* to the theme's ground */
void viz_fill(viz_canvas *canvas, viz_rect rect, viz_color color);
void viz_fill_round(viz_canvas *canvas, viz_rect rect, float radius, viz_color color);
/* A frame of `thickness` that lies inside the rectangle. */
void viz_frame(viz_canvas *canvas, viz_rect rect, float thickness, viz_color color);
void viz_frame_round(viz_canvas *canvas, viz_rect rect, float radius, float thickness,
                     viz_color color);
void viz_line(viz_canvas *canvas, float x0, float y0, float x1, float y1, float thickness,
              viz_color color); /* antialiased, round ends */
void viz_disc(viz_canvas *canvas, float x, float y, float radius, viz_color color);

/* `image` scaled into rect: area-averaged when smaller, bicubic when larger; `smooth` false: nearest. */
void viz_image(viz_canvas *canvas, const sac_image *image, viz_rect rect, bool smooth);

static inline viz_color viz_with_alpha(viz_color color, float alpha)
{
    color.a = (uint8_t)(255.0f * (alpha < 0 ? 0 : alpha > 1 ? 1 : alpha) + 0.5f);
    return color;
}
viz_color viz_mix(viz_color a, viz_color b, float t); /* t = 0: a, 1: b */

#endif
