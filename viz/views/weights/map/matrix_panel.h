/* One attention matrix, enlarged: cells with their labels, to zoom, pan and point at. The matrix
 * view and the heads view hold one each. Only the blocks that are seen are ever requested. */
#ifndef VIZ_WEIGHTS_MAP_MATRIX_PANEL_H
#define VIZ_WEIGHTS_MAP_MATRIX_PANEL_H

#include "weights/weights_model.h"

/* The rectangles of a panel, which viz_panel_layout finds from the panel's rectangle and the
 * camera. */
typedef struct viz_panel_layout {
    viz_rect area;  /* all of it: gutters and cells */
    viz_rect room;  /* what the cells may fill */
    viz_rect cells; /* what they do fill */
    float cell_w, cell_h;
    float stretch;                     /* so much wider than high a cell of a long map may be */
    double x, y;                       /* the map's column and row at the top left of `room` */
    size_t rows, columns;              /* of the map */
    size_t pool_rows, pool_cols;       /* so many weights become one dot */
    bool step_labels, position_labels; /* there is space for them; else numbers */
    bool upright;                      /* column labels read upwards */
    float label;                       /* size of their text */
} viz_panel_layout;

#define VIZ_PANEL_MOST_CELL 160.0f /* the longest side of a cell */

typedef struct viz_panel {
    viz_weights_model *model; /* lent by the view */
    viz_panel_layout layout;
    bool hidden;     /* nothing of it is drawn or pointed at; its row is wanted all the same */
    float least_end; /* the scale ends there, or later: beside another map; a layout resets it */
    bool zoomed;     /* false: the whole matrix fits */
    float cell_w, cell_h; /* the camera, where zoomed */
    double x, y;

    bool fits;    /* until it is moved, the camera shows … */
    sac_rect fit; /* … this region, as large as it can be */
    bool centers; /* the current row's largest weight comes into the middle once it is known */

    bool dragging;
    float drag_x, drag_y;
    bool steering; /* dragged in the small map */

    viz_block *blocks;
    size_t block_count, block_room;
    viz_block begun; /* computed in part; zeroed: none is */
    unsigned clock;

    float *weights, *weights_before; /* of the current row, and of the one before it */
    uint8_t *weights_masked;         /* of the current row: see viz_weights_job … */
    float *sides;                    /* … [2,columns] */
    size_t weights_count, weights_row;
    sac_head_choice weights_of;

    /* The glide from one map, or one row, to the next. */
    bool live; /* a window ticks: glide; else show what is current at once */
    sac_head_choice shown, before;
    bool has_before;
    double map_start, row_start, now;
} viz_panel;

void viz_panel_init(viz_panel *panel, viz_weights_model *model);
void viz_panel_free(viz_panel *panel);

/* Finds the layout and keeps it for events; needs only text widths of the canvas. */
void viz_panel_lay(viz_panel *panel, const viz_canvas *canvas, viz_rect area);
void viz_panel_draw(viz_panel *panel, viz_canvas *canvas);
bool viz_panel_event(viz_panel *panel, const viz_event *event);
bool viz_panel_tick(viz_panel *panel, double now);
/* Begins the glide to the current map now, without waiting until its blocks are there. */
void viz_panel_begin_glide(viz_panel *panel);
/* Forgets what it glides from, as before the first tick: an animation begins. */
void viz_panel_rewind(viz_panel *panel);
/* The next job for what is seen, or NULL. */
viz_weights_job *viz_panel_create_job(viz_panel *panel);
bool viz_panel_is_waiting(const viz_panel *panel); /* for the current row, which comes first */
/* Moves rows and blocks out of a job that was done. */
void viz_panel_take(viz_panel *panel, viz_weights_job *job);

/* Zooms about a point of the canvas, which stays where it is. */
void viz_panel_zoom(viz_panel *panel, float x, float y, float factor);
void viz_panel_pan(viz_panel *panel, float dx, float dy);
/* Brings a cell into the middle, with cells at least so large where the whole was seen. */
void viz_panel_center(viz_panel *panel, size_t row, size_t column, float least_cell);
/* Moves so far that the current cell is seen. */
void viz_panel_scroll_to_current(viz_panel *panel);
void viz_panel_select_cell(viz_panel *panel, size_t row, size_t column);
void viz_panel_step_row(viz_panel *panel, int step);

/* The scale of what is drawn now. */
viz_scale viz_panel_scale(const viz_panel *panel);
/* The current row's weights [columns], gliding; NULL while they are not known. `out` [columns]. */
const float *viz_panel_row(const viz_panel *panel, float *out);
/* “zone” → “area” 0.6127 at the left, row entropy 1.4 of 4.6 bits at the right, before it what a
 * head's sink took. */
void viz_panel_draw_readout(const viz_panel *panel, viz_canvas *canvas, float x, float y,
                            float width);
/* "mean of 6 × 6 weights" where the matrix is pooled; false where it is not. */
bool viz_panel_pooling(const viz_panel *panel, char *text, size_t size);

/* ---- what the drawing (matrix_panel_draw.c) needs of the rest */

/* Where the small map of the whole stands over the cells; empty: all is seen, or there is no room. */
viz_rect viz_minimap_rect(const viz_panel *panel);

/* The blocks that are seen at the present pooling: rows row0 … row1−1 of blocks, columns likewise.
 */
typedef struct viz_panel_seen {
    size_t row0, row1, col0, col1;
    size_t height, width; /* of a block, in weights */
} viz_panel_seen;
viz_panel_seen viz_panel_blocks_seen(const viz_panel_layout *layout);
/* The kept block of `map` at a place of blocks, NULL where it is not there. */
viz_block *viz_panel_block(const viz_panel *panel, const sac_head_choice *choice,
                           const viz_panel_seen *seen, size_t row, size_t column);
/* How much of what is seen is there as it should be. */
typedef struct viz_panel_progress {
    size_t blocks, done;         /* that are seen, and those that are there */
    size_t sampled_rows, stands; /* of the sampled picture in place of the others: so many rows of
                                    weights were read for each `stands`; 0: there is none */
} viz_panel_progress;
viz_panel_progress viz_panel_get_progress(const viz_panel *panel);
/* The map that is drawn: a window keeps the one before until the new one is there … */
sac_head_choice viz_panel_map_drawn(const viz_panel *panel);
/* … and how far it has glided in over `panel->before`: 1, all the way. */
float viz_panel_glide_progress(const viz_panel *panel);

#endif
