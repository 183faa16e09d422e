/* The picture view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_PICTURE_PICTURE_STATE_H
#define VIZ_PICTURE_PICTURE_STATE_H

#include "canvas/heat.h"
#include "images/image.h"
#include "parts/controls/controls.h"
#include "parts/playback/glide.h"
#include "picture/picture_view.h"
#include "scores/normalizers.h"
#include "scores/scores.h"
#include "view/request.h"
#include "view/settings.h"

/* The layout of the picture view: a pure function of the space and the picture's shape, so that
 * drawing, hit-testing and tests agree. */

/* A rectangle is empty if there is no space for it. */
typedef struct picture_layout {
    viz_rect left_title, right_title;
    viz_rect left, right; /* the two pictures */
    viz_rect readout, entropy, bar;
    viz_rect rule; /* the line between pictures and controls */
    viz_rect score_title, formula, explanation;
    viz_controls controls;
    viz_caps caps;
} picture_layout;

/* The simulated scan path: the cells fixated so far, and the next one. It jumps to the cell that
 * has had the least attention so far. */

#define GAZE_PATH 6

typedef struct gaze_point {
    float x, y; /* share of the picture's width and height */
} gaze_point;

typedef struct viz_gaze {
    int grid_w, grid_h;
    float *seen;                /* [grid_h,grid_w] attention gathered so far; owned */
    float *pull;                /* [grid_h,grid_w] saliency of a cell; owned */
    gaze_point path[GAZE_PATH]; /* the last fixations, newest last */
    int path_count;
} viz_gaze;

/* Takes another grid of `image` and forgets the attention so far; the path keeps its places on the
 * picture. False: no memory, and nothing changed. */
bool viz_gaze_resize(viz_gaze *gaze, const sac_image *image, int grid_w, int grid_h);
void viz_gaze_forget(viz_gaze *gaze); /* what was seen and the path */
void viz_gaze_free(viz_gaze *gaze);
/* Records a fixation at (x, y), whose attention is `weights` [grid_h,grid_w]. */
void viz_gaze_fixate(viz_gaze *gaze, int x, int y, const float *weights);
/* The visible cell seen least. Among those that are as good as equal (within a quarter, or below a
 * quarter of an even share) the one that stands out most, away from the path. `hidden` may be NULL.
 * False where every cell is hidden. */
bool viz_gaze_next(const viz_gaze *gaze, const uint8_t *hidden, int *x, int *y);
/* The cell that stands out most: a place to start from. */
void viz_gaze_first(const viz_gaze *gaze, int *x, int *y);

#define REST_SECONDS 2.0   /* without the pointer, until the scan path moves on its own */
#define DWELL_SECONDS 0.35 /* a query held this long counts as a fixation */
#define JUMP_SECONDS 1.2   /* between jumps of the scan path, at speed 1 */

typedef struct picture_view {
    viz_view base;
    const sac_source *source; /* lent */
    sac_image shrunk; /* the picture as it is drawn, where the source's is larger than any screen
                       * needs; owned */

    /* what is requested */
    sac_picture_settings settings;
    viz_heat_style style; /* its scale is made anew from the weights at each draw */
    viz_scale_kind scale;
    int grid_w, grid_h;
    gaze_point look; /* the query, as a share of the picture, so that it survives another grid */
    uint8_t *hidden; /* [grid_h,grid_w]; owned */
    int hidden_count;
    unsigned revision; /* counts changes of settings and hidden cells */

    /* what was requested last, and what came back */
    viz_request heat, rebuild; /* only one of them is out */
    bool last_was_heat;
    double asked_at;
    viz_glide glide;      /* from one query's weights to the next one's: no centres */
    int shown_x, shown_y; /* the query whose weights are shown */
    unsigned shown_revision;
    float entropy, rebuild_max;
    double heat_ms, rebuild_ms;
    bool identical;    /* another query gave the same weights */
    sac_image rebuilt; /* [grid_h,grid_w]; owned */
    unsigned rebuilt_stamp;

    /* the current fixation */
    viz_gaze gaze;
    bool wanders, may_wander, fixated, held;
    float speed;
    double next_jump;

    /* time */
    bool has_clock; /* a window ticks; without one, results show at once */
    bool exporting; /* frame() sets the time */
    double now, query_since, last_touch;

    /* the pointer */
    picture_layout layout; /* as drawn last */
    bool pointed;          /* the pointer is over a cell */
    gaze_point pointer;    /* as a share of the picture */
    bool hides;            /* a stroke, until the button is released */
    bool hide_mode, hide_value;

    int wanted; /* the number of the last picture requested, even if it did not open */
    int chosen; /* the same until it is requested, then −1 */

    gaze_point brush;

    viz_scaled picture_kept, rebuilt_kept;
} picture_view;

static inline const sac_image *picture_image(const picture_view *view)
{
    return view->shrunk.rgba ? &view->shrunk : view->source->picture.image;
}

static inline picture_view *picture_of(viz_view *view)
{
    return (picture_view *)view;
}

/* The cell of a place, in 0 … cells − 1. */
static inline int picture_cell(float share, int cells)
{
    int cell = (int)(share * (float)cells);
    return cell < 0 ? 0 : cell > cells - 1 ? cells - 1 : cell;
}
static inline int picture_query_x(const picture_view *view)
{
    return picture_cell(view->look.x, view->grid_w);
}
static inline int picture_query_y(const picture_view *view)
{
    return picture_cell(view->look.y, view->grid_h);
}

static inline const sac_score_class *picture_score(const picture_view *view)
{
    return sac_score_class_of(view->settings.score);
}
/* Why nothing new came; empty: all is well. */
static inline const char *picture_problem(const picture_view *view)
{
    return view->heat.problem[0] ? view->heat.problem : view->rebuild.problem;
}

void picture_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void picture_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float picture_figure_height(viz_view *view, const viz_canvas *canvas, float width);

#endif
