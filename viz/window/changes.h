/* What of a canvas is not on the display yet, so that slow links carry only that. */
#ifndef VIZ_WINDOW_CHANGES_H
#define VIZ_WINDOW_CHANGES_H

#include <SDL.h>

#include "canvas/tiles.h"

/* How many rectangles a canvas may give. */
size_t viz_changes_most(const viz_canvas *canvas);
/* Copies the parts [count] of the canvas, none over another, each from the corner of a tile, to the
 * display's 0xxxRRGGBB words, `pitch` bytes a row. `changed` [viz_changes_most] gets what differs from
 * before, neighbours in a row as one rectangle; where `whole` all of it. Returns how many. */
int viz_changes_copy(const viz_canvas *canvas, const viz_pixels *parts, int count, void *pixels,
                     size_t pitch, bool whole, SDL_Rect *changed);

#endif
