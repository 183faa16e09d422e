/* Beside the maps of heads: the legend of what they do, the list of those that are asked for, and the tokens
 * to choose a query from. */
#ifndef VIZ_WEIGHTS_HEAD_LISTS_H
#define VIZ_WEIGHTS_HEAD_LISTS_H

#include "parts/controls/spots.h"
#include "parts/figures/head_kinds.h"
#include "weights/weights_model.h"

/* ---- what heads do, each kind in a colour of its own, and the legend: kinds and how many heads are of each.
 * A kind of it that is pressed stands out alone */

#define VIZ_KINDS_LINE 20.0f

typedef struct viz_head_kinds {
    int count; /* of kinds that are there; 0: no legend */
    sac_weights_kind kind[SAC_KIND_COUNT];
    size_t heads[SAC_KIND_COUNT]; /* of each */
    viz_rect items[SAC_KIND_COUNT];
    float width, height; /* of all lines */
} viz_head_kinds;

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

/* ---- the heads that have most of what is asked for, as a list of bars: the weight of a pair of tokens, or the
 * score of a pattern */

typedef struct viz_asked_list {
    viz_rect rect; /* empty: nothing is requested, or there is no room */
    size_t lines;  /* that are drawn, … */
    size_t *maps;  /* … of these maps among layers × heads [all], the first has most; owned */
    float *scores; /* [all], by map; owned */
} viz_asked_list;

void viz_asked_list_free(viz_asked_list *list);
/* The map among layers × heads that has most, and how much; false: that is not known yet. */
bool viz_asked_best(viz_asked_list *list, const viz_weights_model *model, size_t *map,
                    float *score);
/* Ranks the heads and lays their list out in `rect`; without lines as long as nothing is known. */
void viz_asked_list_lay(viz_asked_list *list, const viz_weights_model *model, viz_rect rect);
void viz_asked_list_draw(const viz_asked_list *list, const viz_weights_model *model,
                         viz_canvas *canvas);
/* A press on a line opens its head. */
bool viz_asked_list_event(const viz_asked_list *list, viz_weights_model *model,
                          const viz_event *event);
void viz_asked_list_spots(const viz_asked_list *list, viz_spots *spots);

/* ---- the queries that are no cells of the picture, as a line of words to choose from: the class and registers
 * before the cells, the text around them, or the words of another sentence */

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
