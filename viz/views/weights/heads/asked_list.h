/* The heads that have most of what is requested, as a list of bars: the weight of a pair of tokens, or
 * the score of a pattern. */
#ifndef VIZ_WEIGHTS_ASKED_LIST_H
#define VIZ_WEIGHTS_ASKED_LIST_H

#include "parts/controls/spots.h"
#include "weights/weights_model.h"

typedef struct viz_asked_list {
    viz_rect rect; /* empty: nothing is requested, or there is no room */
    size_t lines;  /* that are drawn, … */
    size_t *maps;  /* … of these maps among layers × heads [all], the first has most; owned */
    float *scores; /* [all], by map; owned */
} viz_asked_list;

void viz_asked_list_free(viz_asked_list *list);
/* Ranks the heads and lays their list out in `rect`; without lines as long as nothing is known. */
void viz_asked_list_lay(viz_asked_list *list, const viz_weights_model *model, viz_rect rect);
void viz_asked_list_draw(const viz_asked_list *list, const viz_weights_model *model,
                         viz_canvas *canvas);
/* A press on a line opens its head. */
bool viz_asked_list_event(const viz_asked_list *list, viz_weights_model *model,
                          const viz_event *event);
void viz_asked_list_spots(const viz_asked_list *list, viz_spots *spots);

#endif
