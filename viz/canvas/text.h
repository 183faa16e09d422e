/* Text through Pango: in any script and direction, emoji in their colours; the house faces first,
 * then any font that has the character; what none has is written as its number. Needs no display.
 * Texts are kept as pixels, so that drawing one again is a copy. */
#ifndef VIZ_CANVAS_TEXT_H
#define VIZ_CANVAS_TEXT_H

#include "canvas/canvas.h"

typedef enum viz_face { VIZ_SANS = 0, VIZ_SANS_BOLD, VIZ_MONO, VIZ_FACE_COUNT } viz_face;
typedef enum viz_align { VIZ_LEFT = 0, VIZ_CENTER, VIZ_RIGHT } viz_align;

#define VIZ_TITLE 26.0f
#define VIZ_SENTENCE 22.0f
#define VIZ_BODY 14.0f
#define VIZ_LABEL 12.0f

/* `y` is the baseline. UTF-8. Returns the advance in logical units. */
float viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_align align,
               viz_color color, const char *utf8);
float viz_text_width(const viz_canvas *canvas, viz_face face, float size, const char *utf8);
/* Draws text rotated by 90° counter-clockwise (reads upwards); x is the baseline, y the start
 * (bottom). */
void viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y, viz_color color,
                 const char *utf8);
/* Shortened with "…" to fit `width`; `out` is returned. */
char *viz_text_fit(const viz_canvas *canvas, viz_face face, float size, float width,
                   const char *utf8, char *out, size_t out_size);
/* Draws it so shortened; nothing where there is no room. */
static inline float viz_text_within(viz_canvas *canvas, viz_face face, float size, float x, float y,
                                    float width, viz_align align, viz_color color, const char *utf8)
{
    char fit[2048];
    if (!(width > 0))
        return 0;
    viz_text_fit(canvas, face, size, width, utf8, fit, sizeof fit);
    return viz_text(canvas, face, size, x, y, align, color, fit);
}

/* How many bytes of the text stand in a first line of `width`: to the last blank, behind the last
 * slash of a path, or between two signs of Chinese, that fits; of a single word as many letters as
 * do, and at least one. What follows begins behind the blank, if one stands there. */
size_t viz_text_line_bytes(const viz_canvas *canvas, viz_face face, float size, float width,
                           const char *utf8);

/* True where there are fonts for all of the text's characters. Opens the fonts by itself. */
bool viz_text_has_fonts(const char *utf8);

/* Opens the fonts; SAC_E_FILE where the machine has none. Called once before the first text. */
sac_status viz_text_open(sac_error *error);
void viz_text_close(void);

#endif
