/* The found view's state, which its files share. */
#ifndef VIZ_FOUND_FOUND_STATE_H
#define VIZ_FOUND_FOUND_STATE_H

#include "canvas/heat.h"
#include "found/found_view.h"
#include "parts/controls/spots.h"
#include "view/request.h"

enum { FOUND_ROWS = 64, FOUND_MEAN = -1, FOUND_NAMED = VIZ_MAX_CHOICES - 1 };

typedef struct found_layout {
    viz_rect title, picture, bar;
    viz_rect rows[FOUND_ROWS]; /* of the things from `first` on */
    int first, count;
    viz_rect more;             /* “and 12 more”; empty: all are there */
    viz_choices layers, heads; /* count 0: of a figure, or too many to be named */
    viz_slider threshold;      /* of a figure empty */
    viz_rect note;             /* what the map is; empty: no room */
} found_layout;

typedef struct found_view {
    viz_view base;
    viz_request request;
    uint64_t revision; /* of scaled heads */
    char *scales;      /* the heads that are scaled; owned; NULL: none */
    sac_found found;   /* that came last; owned */
    float threshold;
    int thing;       /* the one that is chosen, by its place among all … */
    int layer, head; /* … and whose attention is drawn; FOUND_MEAN: of all */
    viz_heat_style style;
    int wanted, chosen; /* the picture of several; −1: none is chosen */
    bool dragging;
    int pointed; /* the thing under the pointer; −1: none */

    found_layout layout; /* as drawn last */
    viz_scaled kept;
    float *map; /* [grid_h,grid_w] what is drawn; owned */
} found_view;

static inline found_view *found_of(const viz_view *view)
{
    return (found_view *)view;
}

/* How many things are shown, and the one that is chosen; NULL: none is shown. */
int found_shown(const found_view *v);
const sac_detection *found_chosen(const found_view *v);
/* Fills the map of what is chosen. False: there is none. */
bool found_fill_map(found_view *v);
/* Where a thing's box lies: within the picture. */
viz_rect found_box(const found_view *v, const sac_detection *thing);
/* Names of layers and heads: "0" to "22", and at `count` “mean”. */
int found_names(size_t count, const char *names[VIZ_MAX_CHOICES]);

void found_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void found_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float found_figure_height(viz_view *view, const viz_canvas *canvas, float width);

#endif
