/* The likeness view's state, which its files share. */
#ifndef VIZ_LIKENESS_LIKENESS_STATE_H
#define VIZ_LIKENESS_LIKENESS_STATE_H

#include "canvas/heat.h"
#include "likeness/likeness_view.h"
#include "parts/controls/spots.h"
#include "parts/controls/text_field.h"
#include "view/request.h"

/* What the middle of the colours is. */
typedef enum likeness_middle {
    MIDDLE_MEAN = 0, /* the mean of all patches */
    MIDDLE_ZERO,
    MIDDLE_PHRASES, /* at each patch the mean of all phrases, whose part in common is taken off */
    MIDDLE_COUNT
} likeness_middle;
extern const char *const likeness_middle_names[MIDDLE_COUNT];

typedef struct likeness_layout {
    viz_rect field, hint; /* of a figure empty */
    viz_rect title, picture, readout, bar;
    viz_rect rows[SAC_PHRASES]; /* the whole picture and each phrase */
    viz_choices ways, middles;  /* of a figure empty */
    viz_rect note;              /* what the way means; empty: no room */
} likeness_layout;

typedef struct likeness_view {
    viz_view base;
    viz_text_field field;
    viz_request request;
    uint64_t revision; /* of phrases, way and scaled heads */
    char *scales;      /* the heads that are scaled; owned; NULL: none */
    sac_likeness_way way;
    likeness_middle middle;
    int phrase; /* the one that is drawn */
    viz_heat_style style;
    sac_likeness likeness; /* that came last; owned */
    int wanted, chosen;    /* the picture of several; −1: none is chosen */
    bool pointed;
    int column, row; /* the patch under the pointer */

    likeness_layout layout; /* as drawn last */
    viz_scaled kept;
    float *map; /* [grid_h,grid_w] of the phrase, less the middle; owned … */
    float most; /* … its largest size … */
    float mean; /* … and the middle, where it is one number */
} likeness_view;

static inline likeness_view *likeness_of(const viz_view *view)
{
    return (likeness_view *)view;
}

/* Cosines [grid_h,grid_w] of the phrase that is drawn; NULL: none are known yet. */
const float *likeness_patches(const likeness_view *v);
/* Fills the map of the phrase that is drawn. False: there is none. */
bool likeness_fill_map(likeness_view *v);
/* What counted is shares of 1: from 0 on, as light or heat, and not around a middle. */
bool likeness_is_share(const likeness_view *v);

void likeness_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void likeness_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float likeness_figure_height(viz_view *view, const viz_canvas *canvas, float width);
extern const char *const likeness_way_notes[SAC_LIKENESS_WAYS];

#endif
