/* Heads that are switched off or scaled: how maps of them are marked, and what the model makes of its
 * input then, beside what it makes of it with all heads. */
#ifndef VIZ_WEIGHTS_HEADS_EFFECT_H
#define VIZ_WEIGHTS_HEADS_EFFECT_H

#include "parts/controls/spots.h"
#include "weights/weights_model.h"

/* Over a map that is drawn in `rect`: a line through a head that is off, the factor of one that is
 * scaled. Nothing where it is at work as it is. */
void viz_head_draw_scale_mark(const viz_weights_model *model, viz_canvas *canvas, viz_rect rect,
                              size_t layer, size_t head);
/* "off", "× 0.5"; empty: as it is. */
char *viz_head_scale_name(const viz_weights_model *model, size_t layer, size_t head, char *text,
                          size_t size);

/* The sentence about what is switched off and what that changes; false: nothing is. */
bool viz_heads_effect_note(const viz_weights_model *model, char *text, size_t size);

/* The height of the panel of next words in a room of that height; 0: there are none, or no room for
 * them. */
float viz_heads_effect_height(const viz_weights_model *model, float room);
void viz_heads_effect_draw(const viz_weights_model *model, viz_canvas *canvas, viz_rect rect);
/* A press on a word puts it there. */
bool viz_heads_effect_event(viz_weights_model *model, viz_rect rect, const viz_event *event);
void viz_heads_effect_spots(const viz_weights_model *model, viz_rect rect, viz_spots *spots);

#endif
