/* What plots have in common: axes, the round numbers along them, and the step from one to the next. */
#ifndef VIZ_PARTS_PLOT_H
#define VIZ_PARTS_PLOT_H

#include "canvas/canvas.h"

/* From the left to the right of a frame, or from its foot up. */
typedef struct viz_axis {
    float low, high; /* the values at its ends */
    bool by_ratio;   /* equal ways are equal factors */
} viz_axis;
/* Where a value stands, and the value at a part of the way, which is brought to 0 … 1. */
float viz_axis_x(const viz_axis *axis, viz_rect frame, float value);
float viz_axis_y(const viz_axis *axis, viz_rect frame, float value);
float viz_axis_value(const viz_axis *axis, float part);

/* The least of 1, 2 or 5 with zeros that divides `range` into at most `parts`. */
float viz_round_step(float range, float parts);

enum { VIZ_TICKS = 32 };
typedef struct viz_ticks {
    int count;
    float at[VIZ_TICKS];
    char text[VIZ_TICKS][16]; /* with as many decimals as their step needs */
} viz_ticks;
/* About seven round numbers, at least `each` apart along the length of an axis. By ratio they are powers
 * of ten; over one or two of these 2 and 5 times them, too, where there is room. */
viz_ticks viz_axis_ticks(const viz_axis *axis, float length, float each);

#endif
