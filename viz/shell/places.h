/* The bar above every view: what the program does, from left to right, and at the right what belongs to
 * the window. */
#ifndef VIZ_SHELL_PLACES_H
#define VIZ_SHELL_PLACES_H

#include "parts/controls/spots.h"

#define VIZ_TABS_HEIGHT 44.0f
#define VIZ_PLACES_MORE 40.0f /* of ⋯ at the right, with the gap before it */

enum { VIZ_PLACES_MOST = 16 };

/* A place of the bar: a view of what is open, or one that the window opens. */
typedef struct viz_place {
    const viz_view_class *class;
    int tab;     /* of the shell; −1: it is not open */
    bool leaves; /* it shows something else than what is open */
    bool folded; /* into the menu, as there is no room */
    viz_rect rect;
} viz_place;

typedef struct viz_places {
    viz_place items[VIZ_PLACES_MOST]; /* those of what is open, then those that leave it */
    int count;
    viz_rect open, save; /* a file; nothing is saved while nothing is open: empty */
    viz_rect mark;       /* the name of the program; empty: there is no room */
    viz_rect sample;     /* what is open came with the program; empty: it did not */
    viz_rect name;       /* of what is open; empty: there is no room, or it has none */
    float rules[2];      /* x of the lines between groups; 0: none */
    float size;          /* of letters */
    viz_caps tools;
    bool tools_folded[VIZ_MAX_CHOICES];
    viz_rect more, menu; /* ⋯, and what it opens: all that has no room; empty: not there */
} viz_places;

struct viz_shell;
/* Lays it out in the width of the canvas. Where that is narrow, gaps and then letters are smaller, and what still has
 * no room is in one menu, from the most needed on: "present" never. */
void viz_places_lay(struct viz_shell *shell, const viz_canvas *canvas);
/* Where none is drawn: digits choose, and there is nothing to press. */
void viz_places_list(struct viz_shell *shell);
void viz_places_draw(const struct viz_shell *shell, viz_canvas *canvas);
void viz_places_spots(const struct viz_shell *shell, viz_spots *spots);
/* Takes what opens and closes the menu, and where a presented view has no bar, what brings it: the pointer at the
 * upper edge. False: the event is neither, and *changed is left alone. */
bool viz_places_event(struct viz_shell *shell, const viz_event *event, bool *changed);
/* The bar or its menu lies over the view, as drawn last: that answers nothing. */
bool viz_places_cover_view(const struct viz_shell *shell);
/* A digit names one place, whatever is open: that of the table of keys. −1: it is not in the bar. */
int viz_places_by_key(const struct viz_shell *shell, int key);
/* The item at a place; −1: none. */
int viz_places_hit(const struct viz_shell *shell, float x, float y);
/* Shows the item's view, or has the window open it; of the view that is shown, goes back to where it
 * begins. False: nothing changed. */
bool viz_places_choose(struct viz_shell *shell, int item);
bool viz_places_open(struct viz_shell *shell, const char *name); /* the same by its class's name */

#endif
