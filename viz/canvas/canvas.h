/* Pixels: one RGBA picture that window and exporter share. Coordinates are logical (1/96 inch);
 * `density` pixels make one, and edges are rounded to whole pixels, so that lines stay sharp. */
#ifndef VIZ_CANVAS_CANVAS_H
#define VIZ_CANVAS_CANVAS_H

#include <errno.h>

#include "images/image.h"

typedef struct viz_color {
    uint8_t r, g, b, a; /* straight alpha */
} viz_color;

typedef struct viz_rect {
    float x, y, w, h; /* logical units */
} viz_rect;

/* The colours of everything that is not data; one table a theme. */
typedef struct viz_theme {
    const char *name;    /* "dark", "light" */
    viz_color ground;    /* behind everything … */
    viz_color paper;     /* … but a figure that stands by itself */
    viz_color panel;     /* chips, sheets, caps */
    viz_color line;      /* rules, tracks, frames of nothing in particular */
    viz_color text;      /* what is read first */
    viz_color text2;     /* labels and explanations */
    viz_color faint;     /* what is not live, what has not come yet */
    viz_color accent;    /* what is current, and only that */
    viz_color on_accent; /* text on the accent */
    viz_color pale;      /* marks over data: the query's frame, the scan path, knobs */
    viz_color masked;  /* a cell of a map that a mask keeps at 0 and that is too small for strokes:
                            a grey that is no colour of a map */
    viz_color between; /* the cells of a map: as the low end of its colours, so that no line cages
                            them */
    bool light;        /* maps of numbers rise from white, else from black */
    bool presents;     /* to an audience: no tab bar, no caps of keys */
} viz_theme;
extern const viz_theme viz_theme_dark, viz_theme_light;
/* The same two with the highest contrast, for a projector. */
extern const viz_theme viz_theme_dark_presented, viz_theme_light_presented;
const viz_theme *viz_theme_presented(const viz_theme *theme);
/* The density at which what is presented is as large as it can be: the canvas is then the smallest
 * that views are laid out for, and at 1280 × 800 pixels the least text has 22. Never below
 * `density`, that of the display. */
float viz_presented_density(int width, int height, float density);
/* The density at which type grows with a canvas that is larger than 1280 × 800 units of `density`, that
 * of the display: nearly as much as it is larger, in eighths, so that the least text keeps 1.4 % of the
 * height, as in a window of 800 units. */
float viz_usual_density(int width, int height, float density);
#define VIZ_LEAST_PRESENTED 11.0f /* size of text; where a row is too low for it, it has none */
#define VIZ_LEAST_WIDTH 640.0f
#define VIZ_LEAST_HEIGHT 400.0f

/* Whole pixels: [x0,x1) × [y0,y1). */
typedef struct viz_pixels {
    int x0, y0, x1, y1;
} viz_pixels;
static inline viz_pixels viz_common(viz_pixels a, viz_pixels b)
{
    return (viz_pixels){a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0,
                        a.x1 < b.x1 ? a.x1 : b.x1, a.y1 < b.y1 ? a.y1 : b.y1};
}
static inline bool viz_is_empty(viz_pixels p)
{
    return p.x0 >= p.x1 || p.y0 >= p.y1;
}

typedef struct viz_canvas {
    int width, height; /* pixels */
    float density;
    const viz_theme *theme;
    uint8_t *rgba;                   /* [height,width,4], opaque; owned */
    viz_pixels clip;                 /* drawing stays inside, … */
    viz_pixels frame;                /* no clip reaches outside of it, … */
    bool has_frame;                  /* … where there is one */
    viz_pixels part;                 /* … and in the part of it that VIZ_EACH_PART opened */
    struct viz_tiles *tiles;         /* lent; NULL: all is drawn; or see canvas/tiles.h */
    struct viz_recording *recording; /* lent; NULL, or see canvas/recording.h */
    bool figure;   /* what is drawn is one: it has no caps of keys, and nothing marks what a person
                      points at */
    bool for_file; /* of a command, and not for a window: nothing that differs from run to run is
                      drawn */
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

/* The smallest text size in a row of controls: `usual`, or what is readable from across a room. */
static inline float viz_least_text(const viz_canvas *canvas, float usual)
{
    return canvas->theme->presents && usual < VIZ_LEAST_PRESENTED ? VIZ_LEAST_PRESENTED : usual;
}

/* The whole pixels that a rectangle covers, not clipped. */
viz_pixels viz_to_pixels(const viz_canvas *canvas, viz_rect rect);
/* Those of them that the clip shows. */
static inline viz_pixels viz_seen_part(const viz_canvas *canvas, viz_pixels pixels)
{
    return viz_common(pixels, canvas->clip);
}
static inline uint8_t *viz_pixel_at(viz_canvas *canvas, int x, int y)
{
    return canvas->rgba + 4 * ((size_t)y * (size_t)canvas->width + (size_t)x);
}

void viz_clip(viz_canvas *canvas, viz_rect rect); /* intersects nothing: replaces the clip */
void viz_clip_none(viz_canvas *canvas);

void viz_clear(viz_canvas *canvas); /* to the theme's ground, or the paper of a figure */
void viz_fill(viz_canvas *canvas, viz_rect rect, viz_color color);
void viz_fill_round(viz_canvas *canvas, viz_rect rect, float radius, viz_color color);
/* A frame of `thickness` that lies inside the rectangle. */
void viz_frame(viz_canvas *canvas, viz_rect rect, float thickness, viz_color color);
/* A pale one with a dark edge, which is seen on every colour of pictures and of maps. */
void viz_frame_apart(viz_canvas *canvas, viz_rect rect, float thickness);
void viz_frame_round(viz_canvas *canvas, viz_rect rect, float radius, float thickness,
                     viz_color color);
void viz_line(viz_canvas *canvas, float x0, float y0, float x1, float y1, float thickness,
              viz_color color); /* antialiased, round ends */
void viz_disc(viz_canvas *canvas, float x, float y, float radius, viz_color color);

/* Draws diagonal strokes on an opaque ground: a cell that is masked. Clipped to `room`, if given. */
void viz_hatch(viz_canvas *canvas, viz_rect rect, const viz_rect *room);

/* Coverage by a shape's edge: `color` over one pixel of the canvas, 0 … 1 of it covered, if the part
 * that is open includes it. */
void viz_blend(viz_canvas *canvas, int x, int y, viz_color color, float coverage);
/* The same over `count` pixels from (x, y) on. */
void viz_blend_row(viz_canvas *canvas, int x, int y, int count, viz_color color,
                   const float *coverage);
/* Column x from edge to edge, in pixels that need not be whole; or, `across`, row x. */
void viz_blend_span(viz_canvas *canvas, int x, float from, float to, bool across, viz_color color);

/* `image` scaled into rect by sac_image_scale, anew on each call; see viz_scaled. */
void viz_image(viz_canvas *canvas, const sac_image *image, viz_rect rect, bool smooth);

/* Of a pixel [4], 0 … 255. */
static inline unsigned viz_luma(const uint8_t *pixel)
{
    return (54u * pixel[0] + 183u * pixel[1] + 19u * pixel[2]) >> 8;
}

/* A scaled copy that is kept from frame to frame, as long as nothing about it changes. */
typedef struct viz_scaled {
    sac_image image; /* owned */
    unsigned stamp;
    bool smooth, opaque;
    uint64_t number;  /* of the image, among all that were scaled */
    sac_image dimmed; /* owned: the image as it is where it is not attended; viz_heat makes it */
    float brightness; /* of that */
} viz_scaled;
/* `stamp` identifies the contents: pass another number when the pixels of `image` change. */
void viz_image_kept(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                    viz_rect rect, bool smooth);
void viz_scaled_free(viz_scaled *kept);

static inline viz_color viz_with_alpha(viz_color color, float alpha)
{
    color.a = (uint8_t)(255.0f * (alpha < 0 ? 0 : alpha > 1 ? 1 : alpha) + 0.5f);
    return color;
}

/* ---- what a drawing lacked (drawing.c) */

/* Drawing gives no status. Where something is left out, for want of memory or of a font that cannot
 * be read, its errno is noted on the thread that draws, from viz_drawing_begin on:
 * viz_drawing_check then gives SAC_E_MEMORY or SAC_E_FILE, before a picture with a gap is written.
 * A window draws the next frame anew. */
void viz_drawing_begin(void);
void viz_drawing_report_failure(int code);
static inline void viz_drawing_lacks_memory(void)
{
    viz_drawing_report_failure(ENOMEM);
}
void *viz_allocate(size_t count, size_t size); /* calloc that notes it; free() what it gives */
sac_status viz_drawing_check(sac_error *error);

#endif
