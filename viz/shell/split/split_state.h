/* The split's state, which its files share. */
#ifndef VIZ_SHELL_SPLIT_STATE_H
#define VIZ_SHELL_SPLIT_STATE_H

#include "parts/controls/spots.h"
#include "shell/split/split.h"
#include "view/snapshot.h"

#define SPLIT_SOURCES 2

typedef struct split_side {
    viz_view *view;              /* owned */
    int source;                  /* 0: the first side's, 1: that of the one beside it */
    viz_rect title, close, area; /* as drawn last */
    float shrink;    /* the view's units in one of the split's: 1, or more in a small window */
    viz_scaled kept; /* the picture below a difference */
} split_side;

typedef struct split_view {
    viz_view base;
    viz_view_class class; /* that of the sides, with the functions of the split in it */
    /* Those on show, and behind them views that were taken away: a job of one may be out, and undo
     * brings it back. */
    split_side side[SPLIT_SOURCES * VIZ_SPLIT_MOST];
    int count, made;
    int focus;
    int held; /* the side that a button was pressed in; −1: none */
    bool parted, difference;
    viz_rect minus;     /* as drawn last: the difference of two maps in a row with them, … */
    bool paired;        /* … which have the layout for that */
    bool out;           /* a job of one side is */
    unsigned takes;     /* results so far */
    viz_snapshot known; /* of the side in focus, when the others followed it last */

    bool pointed; /* at a cell: its place as a share of the map */
    float at_x, at_y;

    char **names; /* of the sides' settings; owned */
    size_t name_count;
} split_view;

static inline split_view *split_of(const viz_view *view)
{
    return (split_view *)view;
}

static inline viz_view *split_in_focus(const split_view *s)
{
    return s->side[s->focus].view;
}

static inline sac_source *split_source(const split_view *s, int which)
{
    sac_source *first = (sac_source *)s->side[0].view->source; /* the document lends it to views */
    for (int i = 0; i < s->made; i++)
        if (s->side[i].source == 0)
            first = (sac_source *)s->side[i].view->source;
    return which ? first->beside : first;
}

void split_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
/* Of a figure: panels beside each other, the height of a title, and before they are drawn, as panels. */
int split_figure_columns(const split_view *split, float width);
float split_title_height(const split_view *split);
void split_join_panels(split_view *split, const viz_canvas *canvas, float width);
/* What a side is called: its source, or the settings that are not the same in all. */
char *split_title(const split_view *s, int side, char *text, size_t size);

#endif
