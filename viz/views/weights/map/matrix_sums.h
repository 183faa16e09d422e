/* What stands around a matrix: what its axes are, the sum of each row (1, of weights that are
 * shares), and of each column: the attention that a key receives from all queries. */
#ifndef VIZ_WEIGHTS_MAP_MATRIX_SUMS_H
#define VIZ_WEIGHTS_MAP_MATRIX_SUMS_H

#include "weights/map/matrix_panel.h"

#define VIZ_SUMS_LEFT 18.0f  /* the name of the rows */
#define VIZ_SUMS_TOP 16.0f   /* the name of the columns */
#define VIZ_SUMS_RIGHT 54.0f /* the sums of rows, gap included */
#define VIZ_SUMS_BELOW 54.0f /* those of columns, as bars, and a line that reads them */

/* Where they are drawn around a panel that was laid with that room around it. */
viz_rect viz_sums_of_rows(const viz_panel *panel);
viz_rect viz_sums_of_columns(const viz_panel *panel);
/* There is room for the number of each row's sum: where there is none, the sums are summarised, and
 * bars show how far each row spreads. */
bool viz_sums_are_numbered(const viz_panel *panel);
void viz_sums_draw(const viz_panel *panel, viz_canvas *canvas);

#endif
