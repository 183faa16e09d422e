/* The sheet of keys that ? shows: what a view's keys do and those that work everywhere, by group.
 * Text wraps and shrinks until all of it is seen. */
#ifndef VIZ_SHELL_SHEET_H
#define VIZ_SHELL_SHEET_H

#include "canvas/canvas.h"
#include "view/keys.h"

#define VIZ_SHEET_ROWS 80

typedef struct viz_sheet_row {
    const char *title; /* of a group; NULL: a row of it */
    char caps[32];     /* "←  →" */
    const char *does;
    viz_rect rect; /* caps and text */
} viz_sheet_row;

typedef struct viz_sheet {
    viz_rect rect;
    float text_size, caps_width;
    int count;
    viz_sheet_row rows[VIZ_SHEET_ROWS];
} viz_sheet;

/* `keys` end with {NULL, NULL}; NULL: none. A row of them stands in place of what its first key means
 * everywhere. `view` is asked which of them act; NULL: all of them. */
viz_sheet viz_sheet_layout(const viz_canvas *canvas, const viz_key_row *keys, const viz_view *view,
                           bool split);
void viz_sheet_draw(viz_canvas *canvas, const viz_key_row *keys, const viz_view *view, bool split);

#endif
