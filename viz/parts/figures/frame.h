/* The parts that figures for paper have in common: the names of axes, and the space round a panel
 * with its legend below. */
#ifndef VIZ_PARTS_FRAME_H
#define VIZ_PARTS_FRAME_H

#include "canvas/canvas.h"

/* The name of the axis that runs along `cells`: above them at baseline `y`, in their middle. */
void viz_axis_name_draw(viz_canvas *canvas, viz_rect cells, float y, const char *name);
/* The same at their left, upwards, with the baseline at `x`. */
void viz_axis_name_draw_up(viz_canvas *canvas, viz_rect cells, float x, const char *name);

/* ---- the frame of a figure: title, names of both axes, panel, colour bar */

#define VIZ_FIGURE_MARGIN 8.0f
#define VIZ_FIGURE_TALLEST 1.25f /* of a panel without a height of its own, in widths */

typedef struct viz_figure_frame {
    viz_rect panel;        /* what is left between the others */
    float title_y, name_y; /* baselines, above the panel; name_x: at its left */
    float name_x;
    float around; /* what the others take of the height */
} viz_figure_frame;

/* Lays out the frame in `area`. With a title there is a line for it, with names of axes one above
 * the panel and one at its left. The bar is VIZ_BAR_NAMED_HEIGHT high, below the panel. */
viz_figure_frame viz_figure_frame_lay(viz_rect area, bool titled, bool named);
/* The bar below cells: as wide as they are, and wide enough for its numbers. */
viz_rect viz_figure_bar(const viz_figure_frame *frame, viz_rect cells);
/* How far cells are moved to stand, with their bar, in the middle of the area. */
void viz_figure_centre(const viz_figure_frame *frame, viz_rect cells, float *dx, float *dy);

#endif
