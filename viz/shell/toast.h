/* A message at the lower left, in the line of status; one that is too long for it wraps, and grows
 * upwards. */
#ifndef VIZ_SHELL_TOAST_H
#define VIZ_SHELL_TOAST_H

#include "canvas/text.h"

#define VIZ_TOAST_TEXTS 3

typedef struct viz_toast {
    const char *texts[VIZ_TOAST_TEXTS]; /* one below the other; lent; NULL: none */
} viz_toast;

/* Where it stands with its lower edge at `bottom`, as wide as its text, at most as the canvas. */
viz_rect viz_toast_layout(const viz_canvas *canvas, float bottom, const viz_toast *toast);
/* Where the text of that number stands in it. */
viz_rect viz_toast_text(const viz_canvas *canvas, float bottom, const viz_toast *toast, int index);
void viz_toast_draw(viz_canvas *canvas, float bottom, const viz_toast *toast);

#endif
