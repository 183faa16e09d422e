/* "Which head takes [it] to [animal]?": a line above the gallery, into which a person types two tokens, or in the
 * first field the name of a pattern; the heads are sorted by the answer, and the first of them is opened. */
#ifndef VIZ_WEIGHTS_ASK_LINE_H
#define VIZ_WEIGHTS_ASK_LINE_H

#include "parts/controls/text_field.h"
#include "weights/heads/head_lists.h"
#include "weights/weights_view.h"

#define VIZ_ASK_LINE 34.0f /* its height, with the space below it */

enum { VIZ_ASK_FIELDS = 2 }; /* the query, the key */

typedef struct viz_ask_line {
    viz_rect rect; /* empty: it is not shown */
    viz_rect rects[VIZ_ASK_FIELDS];
    viz_text_field field[VIZ_ASK_FIELDS];
    char hint[VIZ_ASK_FIELDS][64]; /* the current pair, where nothing is asked */
    float to_x, end_x;             /* of the words between and behind them */
    char why[96];                  /* why there is no answer to what was typed; empty: there is */
} viz_ask_line;

/* At most `width` wide; empty where that is too narrow. The fields have what is asked, unless it is typed. */
void viz_ask_line_lay(viz_ask_line *line, const viz_weights_model *model, const viz_canvas *canvas,
                      float x, float y, float width);
/* Draws the fields and, after the question, the head whose weight there is the largest; `list` ranks the heads. */
void viz_ask_line_draw(const viz_ask_line *line, viz_asked_list *list,
                       const viz_weights_model *model, viz_canvas *canvas);
bool viz_ask_line_typing(const viz_ask_line *line);
/* Types into the first field. */
void viz_ask_line_begin(viz_ask_line *line);
/* A press on a field, and keys while it is typed into: space, and Return in the first one, go on to the second, Return
 * and Esc end it. True where it took the event. */
bool viz_ask_line_event(viz_ask_line *line, viz_weights_view *view, const viz_event *event);
void viz_ask_line_spots(const viz_ask_line *line, viz_spots *spots);

#endif
