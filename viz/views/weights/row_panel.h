/* The panel of the current row's weights: over the picture, where there is one, and as a list of
 * the largest. The matrix view and the heads view show it beside the matrix. */
#ifndef VIZ_WEIGHTS_ROW_PANEL_H
#define VIZ_WEIGHTS_ROW_PANEL_H

#include "weights/map/matrix_panel.h"

typedef struct viz_row_panel {
    viz_panel *panel;       /* lent */
    viz_rect picture, list; /* empty if there is no space, or no picture */
    viz_scaled scaled;
    float *row;   /* [columns] scratch of the gliding row */
    float *cells; /* [grid_h,grid_w] scratch */
} viz_row_panel;

void viz_row_panel_free(viz_row_panel *side);
/* Lays it out in `room`, picture first; the picture takes at most `share` of the height. */
void viz_row_panel_lay(viz_row_panel *side, viz_rect room, float share);
/* Lays out the largest picture that fits into `room`; *rest is the space at its right. */
void viz_row_panel_lay_picture(viz_row_panel *side, viz_rect room, viz_rect *rest);
void viz_row_panel_lay_list(viz_row_panel *side, viz_rect room);
/* Height of the picture in widths; 0: there is none. */
float viz_row_panel_ratio(const viz_row_panel *side);
/* The scale of the heat over the picture. */
viz_scale viz_row_panel_heat_scale(const viz_row_panel *side);
/* Copies the weights of the cells alone out of `row` [columns] into `cells` [grid_h,grid_w]; false
 * where tokens that are cells were dropped. */
bool viz_row_panel_gather(const viz_row_panel *side, const float *row, float *cells);
/* Weights of the cells alone, [grid_h,grid_w], of `row` [columns] or NULL: lent until it is asked
 * again; NULL where tokens that are cells were dropped. */
const float *viz_row_panel_cells(viz_row_panel *side, const float *row);
/* How `cells` look at a known object of the picture. False where they are not known (NULL). */
bool viz_row_boxes_localize(const viz_weights_model *model, const float *cells, int object,
                            sac_localization *localization);
void viz_row_panel_draw(viz_row_panel *side, viz_canvas *canvas);
/* The legend of the heat over the picture. */
void viz_row_panel_draw_bar(viz_row_panel *side, viz_canvas *canvas, viz_rect rect);
/* The list's lines as drawn, without its title. */
size_t viz_row_panel_line_count(const viz_row_panel *side);
viz_rect viz_row_panel_line(const viz_row_panel *side, size_t line);
/* A cell of the picture: under the pointer it is the key that is read out; pressed, the query. A
 * line of the list that is pressed: its key. */
bool viz_row_panel_event(viz_row_panel *side, const viz_event *event);
/* The places of the largest values of row [count], largest first, at most `most`; returns how many.
 */
size_t viz_largest(const float *row, size_t count, size_t most, size_t *places);

#endif
