/* The attention of each head of a layer for the current query, as a strip of small pictures under a
 * large one, behind them the mean and the largest of all heads; and the layers, to choose from. */
#ifndef VIZ_WEIGHTS_HEAD_STRIP_H
#define VIZ_WEIGHTS_HEAD_STRIP_H

#include "weights/weights_view.h"

typedef struct viz_head_strip {
    viz_row_panel *row;    /* lent */
    viz_rect maps;         /* all small pictures, with their names; empty: one head alone */
    size_t count, columns; /* heads, mean and max; beside each other */
    float width, height;   /* of one of them */
    viz_rect layers;       /* their numbers; empty: one layer alone */
    float layer_step;

    float *weights; /* [heads,weight_columns]; owned; NULL: not known yet */
    size_t weight_columns;
    float *cells;       /* [grid_h,grid_w] scratch of one map; owned */
    size_t query;       /* whose rows they are, … */
    sac_head_choice of; /* … of this layer; its head does not count */
    bool asked;         /* for these, whether they came or not */
    viz_scaled scaled;
} viz_head_strip;

void viz_head_strip_free(viz_head_strip *strip);
/* Lays it out in `room`, from its left edge; returns the height taken. */
float viz_head_strip_lay(viz_head_strip *strip, viz_rect room);
void viz_head_strip_draw(viz_head_strip *strip, viz_canvas *canvas);
/* A press on a map or a layer chooses it. */
bool viz_head_strip_event(viz_head_strip *strip, const viz_event *event);
void viz_head_strip_spots(const viz_head_strip *strip, viz_spots *spots);
/* The next job of a view that shows the picture of its current row with this strip below: that row
 * first, then the heads' rows, then what else is seen. */
viz_job *viz_head_strip_want_first(viz_head_strip *strip, viz_weights_view *view);
/* True where that row and those of its layer's heads are there, or on their way. */
bool viz_head_strip_is_served(const viz_head_strip *strip);
/* Moves them out of a job that was done. */
void viz_head_strip_take(viz_head_strip *strip, viz_weights_job *job);
/* Into `cells` the map at a place: one head's, or the mean or the largest of all. False where
 * tokens that are cells were dropped. */
bool viz_head_strip_fill(viz_head_strip *strip, size_t place);
viz_rect viz_head_strip_map(const viz_head_strip *strip, size_t place);

#endif
