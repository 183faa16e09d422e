/* Maps whose weights are differences of two sides (sources/difference.h): of either sign, on a scale with
 * zero in its middle. The weights of both sides are shown with them, and the largest is marked. */
#ifndef VIZ_WEIGHTS_DIFFERENCES_H
#define VIZ_WEIGHTS_DIFFERENCES_H

#include "weights/map/matrix_panel.h"

bool viz_is_difference(const viz_weights_model *model);
/* The same, or numbers of either sign that have no sides: attributions. */
bool viz_is_signed(const viz_weights_model *model);
/* The map's weights are one side less the other as the source has them, so that both can be shown. */
bool viz_difference_has_sides(const viz_weights_model *model, const sac_head_choice *choice);
/* Both sides of `columns` weights of a row of the map into `sides` [2,columns]; nothing where it has
 * none. On the worker. */
sac_status viz_difference_read(const viz_weights_model *model, const sac_head_choice *choice,
                               size_t row, size_t column, size_t columns, float *sides,
                               sac_error *error);

/* The largest weight of a map whose figures are known, of a difference by magnitude. */
float viz_head_entry_most(const viz_head_entry *entry);
/* "+0.0012": with its sign. */
char *viz_signed_number(float value, char *text, size_t size);
/* Opens the head and the row that differ most, or of a large map the row of the current head, unless
 * something was chosen or they are not known yet; true: it did. */
bool viz_difference_open(viz_weights_model *model);
/* Where the current map is largest and what both sides have there, or that no weight differs. Empty:
 * it is not known. */
char *viz_difference_peak(const viz_weights_model *model, char *text, size_t size);
/* Puts the sides before the title of a map of differences, or in its place where there is but one map. */
void viz_difference_title(const viz_weights_model *model, char *title, size_t size);
/* What the colours mean. */
char *viz_difference_legend(const viz_weights_model *model, char *text, size_t size);

/* A ring around the largest of the map, where it is seen. */
void viz_difference_mark_draw(const viz_panel *panel, viz_canvas *canvas);
/* What both sides have in the current cell, at the right end of a line; returns its width. */
float viz_difference_sides_draw(const viz_panel *panel, viz_canvas *canvas, float right, float y,
                                float most);

#endif
