/* A message shown for a moment at the top right, where no picture and no control is. It wraps. */
#ifndef VIZ_SHELL_TOAST_H
#define VIZ_SHELL_TOAST_H

#include "canvas/text.h"

#define VIZ_TOAST_TEXTS 3

typedef struct viz_toast {
    const char *texts[VIZ_TOAST_TEXTS]; /* one below the other; lent; NULL: none */
    float strength;                     /* 0 … 1: it fades; 0 counts as 1 */
} viz_toast;

/* Where it stands with its upper edge at y, as wide as its text, at most as the canvas. */
viz_rect viz_toast_layout(const viz_canvas *canvas, float y, const viz_toast *toast);
/* Where the text of that number stands in it. */
viz_rect viz_toast_text(const viz_canvas *canvas, float y, const viz_toast *toast, int index);
void viz_toast_draw(viz_canvas *canvas, float y, const viz_toast *toast);

#endif
