/* What heads do, each kind in a colour of its own, and the legend of them: kinds and how many heads
 * are of each. A kind of it that is pressed stands out alone. */
#ifndef VIZ_WEIGHTS_HEAD_KINDS_H
#define VIZ_WEIGHTS_HEAD_KINDS_H

#include "parts/controls/spots.h"
#include "weights/weights_model.h"

#define VIZ_KINDS_LINE 20.0f

typedef struct viz_head_kinds {
    int count; /* of kinds that are there; 0: no legend */
    sac_weights_kind kind[SAC_KIND_COUNT];
    size_t heads[SAC_KIND_COUNT]; /* of each */
    viz_rect items[SAC_KIND_COUNT];
    float width, height; /* of all lines */
} viz_head_kinds;

viz_color viz_kind_color(const viz_theme *theme, sac_weights_kind kind);
/* The kind of an entry that is known; a difference has none. */
bool viz_kind_of(const viz_head_entry *entry, sac_weights_kind *kind);
/* Lays the legend from (x, y) to the right, in as many lines as it needs; no kind has a place of its
 * own until all heads are known. */
void viz_head_kinds_lay(viz_head_kinds *kinds, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width);
void viz_head_kinds_draw(const viz_head_kinds *kinds, const viz_weights_model *model,
                         viz_canvas *canvas);
bool viz_head_kinds_event(const viz_head_kinds *kinds, viz_weights_model *model,
                          const viz_event *event);
void viz_head_kinds_spots(const viz_head_kinds *kinds, viz_spots *spots);

#endif
