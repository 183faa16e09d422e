/* A line of text as Pango sets it: in the order in which it is read, its letters joined, each from a
 * font that contains it. Pixels and PDF are drawn from the same line. Used from one thread. */
#ifndef VIZ_CANVAS_SHAPING_H
#define VIZ_CANVAS_SHAPING_H

#include <pango/pangocairo.h>

#include "canvas/text.h"

/* For one line; g_object_unref. Text runs from the left to the right as a whole, whatever its first
 * word; places between pixels are kept. */
PangoLayout *viz_layout_create(cairo_hint_style_t hinting);
/* `size`: units of the place where it is drawn. The line is lent until the next call. */
PangoLayoutLine *viz_layout_set(PangoLayout *layout, viz_face face, double size, const char *utf8);

/* The text as it is drawn, recorded and written: no control characters, U+FFFD in place of what is no
 * character, and of what no font has, such as an emoji, its number, "U+1F642". free(); NULL: no
 * memory. */
char *viz_readable_copy(PangoLayout *layout, viz_face face, const char *utf8);
/* The same of the character that *utf8 begins with; *utf8 moves past it. Returns the bytes written,
 * 0 at the end. */
size_t viz_readable_next(PangoLayout *layout, viz_face face, const char **utf8, char out[16]);

#endif
