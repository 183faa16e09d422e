/* Beside a picture: where every head of every layer looks for the current query, as small maps with
 * the colour of what the head does; a press opens it. */
#ifndef VIZ_WEIGHTS_HEAD_GRID_H
#define VIZ_WEIGHTS_HEAD_GRID_H

#include "weights/weights_view.h"

typedef struct viz_head_grid {
    viz_row_panel *row;       /* lent */
    viz_rect maps;            /* all of them, numbers not included; empty: they have no room */
    float width, height, gap; /* of one; and between two */
    size_t rows;    /* layers one below the other; the next ones are in a block to the right, … */
    float block;    /* … so far from those before */
    float *weights; /* [layers,heads,columns]; owned */
    bool *known;    /* [layers] which of them are there; owned */
    float *cells;   /* [grid_h,grid_w] scratch; owned */
    size_t columns, asked; /* asked: layers so far, in order */
    size_t query;          /* whose rows they are, … */
    sac_head_choice of;    /* … of these heads; layer and head are 0 */
} viz_head_grid;

void viz_head_grid_free(viz_head_grid *grid);
/* Lays it out at the top of `room`; returns the height taken, 0: there is no room, or one layer. */
float viz_head_grid_lay(viz_head_grid *grid, viz_rect room);
void viz_head_grid_draw(viz_head_grid *grid, viz_canvas *canvas);
viz_rect viz_head_grid_map(const viz_head_grid *grid, size_t layer, size_t head);
/* The map at a place; false: none. */
bool viz_head_grid_at(const viz_head_grid *grid, float x, float y, size_t *layer, size_t *head);
bool viz_head_grid_event(viz_head_grid *grid, const viz_event *event);
/* The rows of the next layer; NULL: all are there, or on their way. */
viz_weights_job *viz_head_grid_want(viz_head_grid *grid);
/* Copies what belongs here out of a job that was done. */
void viz_head_grid_take(viz_head_grid *grid, const viz_weights_job *job);

#endif
