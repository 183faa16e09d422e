/* Where each head looks for the current query, beside and below the picture of its row: a strip of small
 * pictures of one layer, behind them the mean and the largest of its heads, with the layers to choose
 * from; and a grid of small maps of all layers, with the colour of what each head does. */
#ifndef VIZ_WEIGHTS_HEAD_MAPS_H
#define VIZ_WEIGHTS_HEAD_MAPS_H

#include "weights/weights_view.h"

typedef struct viz_head_maps {
    viz_row_panel *row; /* lent */

    struct {
        viz_rect maps;         /* all of them, with their names; empty: one head alone */
        size_t count, columns; /* heads, mean and max; beside each other */
        float width, height;   /* of one */
        viz_rect layers;       /* their numbers; empty: one layer alone */
        float layer_step;
        viz_scaled scaled;
    } strip;
    struct {
        viz_rect maps;            /* all of them, numbers not included; empty: they have no room */
        float width, height, gap; /* of one; and between two */
        size_t rows; /* layers one below the other; the next ones are in a block to the right, … */
        float block; /* … so far from those before */
    } grid;

    float *weights;      /* [layers,heads,columns]; owned */
    bool *known, *asked; /* [layers] there are rows of it; and they were asked for; owned */
    float *cells;        /* [grid_h,grid_w] scratch of one map; owned */
    size_t columns;
    size_t query;       /* whose rows are asked for, … */
    sac_head_choice of; /* … of these heads; layer and head are 0 */
} viz_head_maps;

void viz_head_maps_free(viz_head_maps *maps);
/* Lays the strip out in `room`, from its left edge, or the grid at its top; returns the height taken, 0:
 * there is no room, or one head or layer alone. */
float viz_head_strip_lay(viz_head_maps *maps, viz_rect room);
float viz_head_grid_lay(viz_head_maps *maps, viz_rect room);
void viz_head_strip_draw(viz_head_maps *maps, viz_canvas *canvas);
void viz_head_grid_draw(viz_head_maps *maps, viz_canvas *canvas);
/* The map of the grid at a place; false: none. */
bool viz_head_grid_at(const viz_head_maps *maps, float x, float y, size_t *layer, size_t *head);
/* A press on a map or a layer chooses it. */
bool viz_head_maps_event(viz_head_maps *maps, const viz_event *event);
void viz_head_strip_spots(const viz_head_maps *maps, viz_spots *spots);
/* The rows of the current layer, then of those of the grid; NULL: all are there, or on their way. */
viz_weights_job *viz_head_maps_create_job(viz_head_maps *maps);
/* Copies what belongs here out of a job that was done. */
void viz_head_maps_take(viz_head_maps *maps, const viz_weights_job *job);

#endif
