/* The attention of the current row to the known objects of its picture: their boxes, and the share
 * of the row's weight in each. */
#ifndef VIZ_WEIGHTS_ROW_BOXES_H
#define VIZ_WEIGHTS_ROW_BOXES_H

#include "weights/weights_model.h"

#define VIZ_ROW_BOX_LINE 22.0f

/* True where boxes are known, and not left out. */
bool viz_row_boxes_are_shown(const viz_weights_model *model);
/* How `cells` [grid_h,grid_w] look at thing `object`. False where they are not known
 * (NULL). */
bool viz_row_boxes_localize(const viz_weights_model *model, const float *cells, int object,
                            sac_localization *localization);
/* The objects that contain the largest weight are marked. */
void viz_row_boxes_draw(const viz_weights_model *model, viz_canvas *canvas, viz_rect picture,
                        const float *cells);
/* The height of a list of them, its title included; 0: there is none. */
float viz_row_boxes_height(const viz_weights_model *model, float room);
/* "dog  ▇▇▇|▇  0.62  0.18": the share of the heat that is in its boxes; and of the picture, which
 * evenly spread heat would have there, as a mark on the bar too. */
void viz_row_boxes_list(const viz_weights_model *model, viz_canvas *canvas, viz_rect list,
                        const float *cells);

#endif
