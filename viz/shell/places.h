/* The bar above every view: what the program does, from left to right, and at the right what belongs to
 * the window. */
#ifndef VIZ_SHELL_PLACES_H
#define VIZ_SHELL_PLACES_H

#include "parts/controls/spots.h"

#define VIZ_TABS_HEIGHT 44.0f

enum { VIZ_PLACES_MOST = 16 };

/* A place of the bar: a view of what is open, or one that the window opens. */
typedef struct viz_place {
    const viz_view_class *class;
    int tab; /* of the shell; −1: it is not open */
    viz_rect rect;
} viz_place;

typedef struct viz_places {
    viz_place items[VIZ_PLACES_MOST];
    int count;
    viz_rect open, save; /* a file; nothing is saved while nothing is open: empty */
    float size;          /* of letters */
    bool marked;         /* there is room for the name of the program */
    viz_caps tools;
} viz_places;

struct viz_shell;
/* Lays it out in the width of the canvas. Where that is narrow, gaps and then letters are smaller, and
 * tools are left out from the left. */
void viz_places_lay(struct viz_shell *shell, const viz_canvas *canvas);
/* Where none is drawn: digits choose, and there is nothing to press. */
void viz_places_list(struct viz_shell *shell);
void viz_places_draw(const struct viz_shell *shell, viz_canvas *canvas);
void viz_places_spots(const struct viz_shell *shell, viz_spots *spots);
/* The item at a place; −1: none. */
int viz_places_hit(const struct viz_shell *shell, float x, float y);
/* Shows the item's view, or has the window open it; of the view that is shown, goes back to where it
 * begins. False: nothing changed. */
bool viz_places_choose(struct viz_shell *shell, int item);
bool viz_places_open(struct viz_shell *shell, const char *name); /* the same by its class's name */

#endif
