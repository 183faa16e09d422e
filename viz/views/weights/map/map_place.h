/* Places of a large map: text that names them, and the line into which a place is typed. */
#ifndef VIZ_WEIGHTS_MAP_MAP_PLACE_H
#define VIZ_WEIGHTS_MAP_MAP_PLACE_H

#include "parts/controls/text_field.h"
#include "weights/map/matrix_panel.h"

/* A place as a person types it: "row 1234", "column 56", "1234, 56", "rows 100:200 columns 0:50". A
 * size of 0: the text does not name rows, or columns; of 1: one of them; else a region. False, and
 * what is wrong in `why`: there is no such place in a map of that size. */
typedef struct viz_map_place {
    size_t row, rows, column, columns;
} viz_map_place;
bool viz_map_place_read(const char *text, size_t rows, size_t columns, viz_map_place *place,
                        char *why, size_t size);
/* Shows it: a region fills the panel; one row or column becomes the current one, in the middle, near
 * enough that cells can be distinguished. */
void viz_panel_go(viz_panel *panel, const viz_map_place *place);

/* ---- the line of text */

typedef struct viz_go_line {
    viz_text_field field;
    bool open;
    char why[96];  /* the last text was no place; empty: it was one */
    viz_rect rect; /* where it was drawn; empty: it was not */
} viz_go_line;

void viz_go_line_begin(viz_go_line *line);
/* Return goes there; Esc, or a press elsewhere, closes it. True where it took the event. */
bool viz_go_line_event(viz_go_line *line, viz_panel *panel, const viz_event *event);
void viz_go_line_draw(viz_go_line *line, const viz_panel *panel, viz_canvas *canvas);

#endif
