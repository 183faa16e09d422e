/* Text that is longer than a line: broken between words, and between the signs of languages that
 * put no blanks there. */
#ifndef VIZ_PARTS_PARAGRAPH_H
#define VIZ_PARTS_PARAGRAPH_H

#include "canvas/text.h"

#define VIZ_LEADING 1.45f /* from baseline to baseline, in sizes of the text */

/* The number of lines in a column of `width`; 0 for an empty text. */
int viz_paragraph_lines(const viz_canvas *canvas, viz_face face, float size, float width,
                        const char *text);
static inline float viz_paragraph_height(const viz_canvas *canvas, viz_face face, float size,
                                         float width, const char *text)
{
    return VIZ_LEADING * size * (float)viz_paragraph_lines(canvas, face, size, width, text);
}
/* `y` is the first baseline, `leading` the way to the next. Returns the width of the last line. */
float viz_paragraph_draw_apart(viz_canvas *canvas, viz_face face, float size, float x, float y,
                               float width, float leading, viz_color color, const char *text);
static inline float viz_paragraph_draw(viz_canvas *canvas, viz_face face, float size, float x,
                                       float y, float width, viz_color color, const char *text)
{
    return viz_paragraph_draw_apart(canvas, face, size, x, y, width, VIZ_LEADING * size, color,
                                    text);
}

#endif
