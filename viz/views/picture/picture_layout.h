/* The layout of the picture view: a pure function of the space and the picture's shape, so that
 * drawing, hit-testing and tests agree. */
#ifndef VIZ_PICTURE_PICTURE_LAYOUT_H
#define VIZ_PICTURE_PICTURE_LAYOUT_H

#include "parts/widgets.h"

typedef enum picture_slider {
    SLIDE_WIDTH = 0,
    SLIDE_TEMPERATURE,
    SLIDE_POSITION,
    SLIDE_CELLS,
    SLIDE_OPACITY,
    SLIDE_COUNT
} picture_slider;

typedef enum picture_choice {
    CHOOSE_SCALE = 0,
    CHOOSE_OVERLAY,
    CHOOSE_MAP,
    CHOOSE_COUNT
} picture_choice;

/* Names and ranges of the sliders; their rectangles are a layout's. */
extern const viz_slider picture_sliders[SLIDE_COUNT];

/* Empty rectangles are left out for want of room. */
typedef struct picture_layout {
    viz_rect left_title, right_title;
    viz_rect left, right; /* the two pictures */
    viz_rect readout, entropy, bar;
    viz_rect rule; /* the line between pictures and controls */
    viz_rect score_title, formula, explanation;
    viz_choices scores;
    viz_slider sliders[SLIDE_COUNT];
    viz_rect choice_titles[CHOOSE_COUNT];
    viz_choices choices[CHOOSE_COUNT];
    viz_caps caps;
} picture_layout;

/* Roomy windows have the controls below the pictures, with the score explained; where upright
 * pictures gain by it, beside them; small windows have them below, in three dense rows. */
picture_layout viz_picture_layout(const viz_canvas *canvas, viz_rect area, int image_width,
                                  int image_height);

#endif
