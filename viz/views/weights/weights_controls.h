/* The controls that the matrix view and the heads view share: a bar of choices at the bottom, and
 * the keys. */
#ifndef VIZ_WEIGHTS_WEIGHTS_CONTROLS_H
#define VIZ_WEIGHTS_WEIGHTS_CONTROLS_H

#include "parts/controls/controls.h"
#include "weights/weights_model.h"

typedef struct viz_weights_controls {
    viz_rect rect; /* the bar; its top edge is a line */
    viz_controls choices;
    viz_key_row keys[7]; /* that are worth a cap, the last one always … */
    int key_count;
    viz_caps caps; /* … as many as fit */
} viz_weights_controls;

/* Lays the controls along the bottom of `area`, in as many lines as they need; `pooled` and
 * `sorted` are whether there is something to pool and to sort. The rest of `area` is above
 * controls->rect. */
void viz_weights_controls_lay(viz_weights_controls *controls, const viz_canvas *canvas,
                              const viz_view *view, const viz_weights_model *model, viz_rect area,
                              bool pooled, bool sorted);
/* The same in one line for a low window: how weights lie over a picture, else the scale; keys alone
 * change the rest. */
void viz_weights_controls_lay_folded(viz_weights_controls *controls, const viz_canvas *canvas,
                                     const viz_view *view, const viz_weights_model *model,
                                     viz_rect area);
void viz_weights_controls_draw(const viz_weights_controls *controls, viz_canvas *canvas,
                               const viz_view *view);
/* A press on a choice. True where it changed something. */
bool viz_weights_controls_event(viz_weights_controls *controls, viz_view *view,
                                viz_weights_model *model, const viz_event *event);
/* The current map's title, and in the accent what it is mostly for; `y` is the baseline. */
void viz_weights_controls_draw_title(viz_canvas *canvas, const viz_weights_model *model, float x,
                                     float y, float right);
/* The head beside the current one, or the layer above or below, round and round. */
void viz_weights_controls_step(viz_weights_model *model, bool layers, int step);

#endif
