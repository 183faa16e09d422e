/* Weights as figures for paper: one matrix, all heads side by side, or a picture under the weights of
 * the current row. */
#ifndef VIZ_WEIGHTS_WEIGHTS_FIGURE_H
#define VIZ_WEIGHTS_WEIGHTS_FIGURE_H

#include "parts/figures/frame.h"
#include "weights/weights_view.h"

/* The panel, "query" and "key" along it, the title where there are several maps, and the bar. */
void viz_matrix_figure_draw(viz_weights_view *v, viz_canvas *canvas, viz_rect area);
float viz_matrix_figure_height(viz_weights_view *v, const viz_canvas *canvas, float width);
/* The picture under the current row, what the row is, and the bar. */
void viz_row_figure_draw(viz_weights_view *v, viz_canvas *canvas, viz_rect area);
float viz_row_figure_height(viz_weights_view *v, float width);
/* The title of what is shown, from the left edge of `cells`. */
void viz_weights_figure_title(const viz_weights_view *v, viz_canvas *canvas,
                              const viz_figure_frame *frame, viz_rect cells, const char *text);
bool viz_weights_figure_titled(const viz_weights_view *v);

#endif
