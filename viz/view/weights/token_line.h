/* The tokens before the cells of a picture, such as the class and registers, as a line of words:
 * they are queries too. */
#ifndef VIZ_WEIGHTS_TOKEN_LINE_H
#define VIZ_WEIGHTS_TOKEN_LINE_H

#include "view/spots.h"
#include "weights/weights_model.h"

typedef struct viz_token_line {
    viz_choices choices; /* count 0: none are shown */
    char names[VIZ_MAX_CHOICES][48];
    const char *name[VIZ_MAX_CHOICES];
    char label[72]; /* before them: "query", or which cell is it, "query cell (3, 2), or" */
} viz_token_line;

void viz_token_line_lay(viz_token_line *line, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width);
void viz_token_line_draw(const viz_token_line *line, const viz_weights_model *model,
                         viz_canvas *canvas);
/* A press on a token makes it the query. */
bool viz_token_line_event(const viz_token_line *line, viz_weights_model *model,
                          const viz_event *event);
void viz_token_line_spots(const viz_token_line *line, viz_spots *spots);

#endif
