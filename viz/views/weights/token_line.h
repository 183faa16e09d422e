/* The queries that are no cells of the picture, as a line of words to choose from: the class and
 * registers before the cells, the text around them, or the words of another sentence. */
#ifndef VIZ_WEIGHTS_TOKEN_LINE_H
#define VIZ_WEIGHTS_TOKEN_LINE_H

#include "parts/controls/spots.h"
#include "weights/weights_model.h"

#define VIZ_FEW_TOKENS 8 /* if there is space for one line */

typedef struct viz_token_line {
    viz_choices choices; /* count 0: none are shown */
    char names[VIZ_MAX_CHOICES][48];
    const char *name[VIZ_MAX_CHOICES];
    char label[72]; /* before them: "query", or which cell is it, "query cell (3, 2), or" */
    size_t row[VIZ_MAX_CHOICES]; /* of the map, of each */
} viz_token_line;

/* At most `most` of them, those about the current one where there are more. */
void viz_token_line_lay(viz_token_line *line, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width, int most);
void viz_token_line_draw(const viz_token_line *line, const viz_weights_model *model,
                         viz_canvas *canvas);
/* A press on a token makes it the query. */
bool viz_token_line_event(const viz_token_line *line, viz_weights_model *model,
                          const viz_event *event);
void viz_token_line_spots(const viz_token_line *line, viz_spots *spots);

#endif
