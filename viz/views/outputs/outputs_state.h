/* The state that both views of outputs share. */
#ifndef VIZ_OUTPUTS_OUTPUTS_STATE_H
#define VIZ_OUTPUTS_OUTPUTS_STATE_H

#include "canvas/heat.h"
#include "parts/controls/controls.h"
#include "parts/controls/text_field.h"
#include "view/request.h"

extern const viz_view_class viz_found_class, viz_likeness_class;

enum { OUTPUTS_ROWS = 64, OUTPUTS_CONTROLS = 4 };
#define OUTPUTS_FIELD 34.0f /* height of the field for phrases */

typedef struct outputs_layout {
    viz_rect header, title, picture, bar;
    viz_rect rows[OUTPUTS_ROWS]; /* of the outputs from `first` on */
    int first, count;
    viz_rect more; /* “and 12 more”; empty: all are there */
    viz_rect note; /* what the map is; empty: no room */
} outputs_layout;

/* What the middle of the colours is, of phrases. */
typedef enum outputs_middle {
    OUTPUTS_MEAN = 0, /* the mean of all patches */
    OUTPUTS_ZERO,
    OUTPUTS_BESIDE, /* at each patch the mean of all phrases, whose part in common is taken off */
    OUTPUTS_MIDDLES
} outputs_middle;

typedef struct outputs_view {
    viz_view base;
    bool of_phrases; /* its outputs are phrases, else objects … */
    bool is_asked;   /* … which phrases name */
    bool is_query;   /* the phrases are the words of a query */
    viz_request request;
    uint64_t revision; /* of what is asked for */
    char *scales;      /* the heads that are scaled; owned; NULL: none */
    viz_heat_style style;
    int output;         /* the one that is chosen */
    int wanted, chosen; /* the picture of several; −1: none is chosen */
    int pointed;        /* the object under the pointer, or of phrases the patch; −1: none */
    sac_result result;  /* that came last; owned */
    float *map;         /* [grid_h,grid_w] as drawn; owned */
    viz_scaled kept;
    viz_controls controls;
    outputs_layout layout; /* as drawn last */

    /* Of objects. */
    float threshold;
    int layer, head; /* whose attention is drawn; VIZ_MEAN: of all */

    /* Of phrases. */
    viz_text_field field;
    sac_likeness_way way;
    outputs_middle middle;
    float most, mean; /* the map's largest size; and its middle, where that is one number */
} outputs_view;

static inline outputs_view *outputs_of(const viz_view *view)
{
    return (outputs_view *)view;
}

int outputs_count(const outputs_view *view);       /* of outputs that are shown */
bool outputs_fill_map(outputs_view *view);         /* of the chosen output; false: none */
bool outputs_are_shares(const outputs_view *view); /* the map has shares of 1, and no middle */
bool outputs_are_lit(const outputs_view *view);    /* of a word of a query it is light */
int outputs_word_count(const outputs_view *view);  /* of a query, without its prompt */
/* Cosines [grid_h,grid_w] of the chosen phrase; NULL: none are known yet. */
const float *outputs_patch_weights(const outputs_view *view);
/* Where the box of an object lies within the picture. */
viz_rect outputs_box(const outputs_view *view, int object);

void outputs_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void outputs_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float outputs_figure_height(viz_view *view, const viz_canvas *canvas, float width);

#endif
