/* A grid of numbers with labelled rows and columns: a small matrix of weights or scores, each cell
 * in the colour of its value, with the number in it where there is room. Drawing and hit-testing
 * read one layout, so that what is seen is what is hit. It is for matrices that need no zooming; a
 * large one is a viz_panel. */
#ifndef VIZ_PARTS_GRID_H
#define VIZ_PARTS_GRID_H

#include "canvas/colormap.h"

/* The content of the grid; all of it is lent. */
typedef struct viz_grid {
    const float *values; /* [rows,columns]; what is not finite has no number; NULL: not known yet */
    int rows, columns;
    const char *const *row_labels, *const *column_labels; /* [rows], [columns]; NULL: none */
    viz_scale scale;
    viz_colormap colors;
    int row, column;             /* the current cell, or row where column is −1; −1: none */
    int hover_row, hover_column; /* under the pointer; −1: none */
} viz_grid;

typedef struct viz_grid_layout {
    viz_rect area;  /* labels and cells */
    viz_rect cells; /* rows × columns of squares */
    int rows, columns;
    float cell;   /* the side of a square */
    bool upright; /* column labels read upwards */
    bool labels;  /* labels of both kinds have room; else none is drawn */
    bool numbers; /* every number fits its cell */
} viz_grid_layout;

/* Into `area`, from its top left; cells are at most `largest` wide. */
void viz_grid_lay(viz_grid_layout *layout, const viz_canvas *canvas, const viz_grid *grid,
                  viz_rect area, float largest);
void viz_grid_draw(const viz_grid_layout *layout, viz_canvas *canvas, const viz_grid *grid);
viz_rect viz_grid_cell(const viz_grid_layout *layout, int row, int column);
/* The cell at a point; false, and both −1, where there is none. */
bool viz_grid_hit(const viz_grid_layout *layout, float x, float y, int *row, int *column);

#endif
