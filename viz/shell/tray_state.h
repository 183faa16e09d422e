/* The tray's state, which its files share. */
#ifndef VIZ_SHELL_TRAY_STATE_H
#define VIZ_SHELL_TRAY_STATE_H

#include "parts/grid.h"
#include "parts/spots.h"
#include "shell/tray.h"

#define TRAY_KEPT 32 /* pins that undo can bring back */
#define TRAY_STEPS 64

/* The pins that are shown, by their places among those that are kept. */
typedef struct tray_row {
    int pins[VIZ_TRAY_MOST], count;
} tray_row;

typedef struct tray_panel {
    viz_rect title, close, map; /* `map`: the picture, or room for the grid */
    float value_y;              /* baseline of the cell's value; 0: no room */
    viz_grid_layout grid;       /* where the pin lies over no picture */
} tray_panel;

typedef struct tray_layout {
    tray_panel panels[VIZ_TRAY_MOST];
    float title_y;
    int title_lines;              /* above each map */
    viz_rect bar, difference_bar; /* empty: no map is coloured by it */
    viz_caps caps;
} tray_layout;

typedef struct tray_view {
    viz_view base;
    viz_view *below; /* lent; NULL: nothing else is open */

    viz_pin kept[TRAY_KEPT];    /* values NULL: free */
    unsigned stamps[TRAY_KEPT]; /* another pin in the same place has another one */
    viz_scaled scaled[TRAY_KEPT];
    unsigned last_stamp;
    tray_row now, past[TRAY_STEPS], future[TRAY_STEPS];
    int past_count, future_count;

    bool difference;
    int reference; /* the map that the others are compared with */
    viz_scale_kind scale;
    viz_heat_style style;

    /* The cell that is read, as a share of a map, so that it is found on every grid. */
    bool held, pointed;
    float held_x, held_y, pointed_x, pointed_y;
    tray_layout layout; /* as drawn last */
} tray_view;

static inline tray_view *tray_of(viz_view *view)
{
    return (tray_view *)view;
}

static inline const viz_pin *tray_pin(const tray_view *t, int panel)
{
    return &t->kept[t->now.pins[panel]];
}

/* The map that a panel shows: minus the reference's, where differences are shown. */
static inline bool tray_subtracts(const tray_view *t, int panel)
{
    return t->difference && t->now.count > 1 && panel != t->reference;
}
/* The number shown in a cell: NaN where it is hidden, or the maps differ in size. */
float tray_value(const tray_view *t, int panel, int cell);

/* The cell that is read; false: none is. */
bool tray_cursor(const tray_view *t, float *x, float *y);
/* Its place in a panel's map. */
void tray_cell_at(const viz_pin *pin, float x, float y, int *row, int *column);

void tray_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void tray_spots(const viz_view *view, viz_spots *spots);
/* The panel and cell at a point; false: none. */
bool tray_hit(const tray_view *t, float x, float y, int *panel, int *row, int *column);

#endif
