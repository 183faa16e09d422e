/* The layout of the training view: a pure function of the space and of the true sentences, which do
 * not change, so that nothing moves while the training goes on. An empty rectangle stands for a
 * part that had no space. */
#ifndef VIZ_TRAINING_TRAINING_LAYOUT_H
#define VIZ_TRAINING_TRAINING_LAYOUT_H

#include "parts/widgets.h"
#include "sources/source.h"

enum { TRAINING_PICTURES = 6 };

typedef enum training_figure {
    FIGURE_STEP = 0, /* "step 1200 of 6000" */
    FIGURE_SPEED,    /* "310 samples/s" */
    FIGURE_TIME,     /* "8 min left" */
    FIGURE_COUNT
} training_figure;

/* The content that the layout depends on, beside the space. */
typedef struct training_content {
    int pictures;
    const char *truth[TRAINING_PICTURES]; /* lent */
    size_t steps;
    bool playing;
} training_content;

/* A curve: its name and value in a line, the axis' numbers at the left, the lines themselves. */
typedef struct training_plot {
    viz_rect title, numbers, plot;
} training_plot;

typedef struct training_layout {
    float text_size, truth_size;
    viz_rect picture[TRAINING_PICTURES]; /* of whole pixels, all of one size */
    viz_rect words[TRAINING_PICTURES];   /* below each: what is said, and the truth */
    int lines;                           /* of what is said, at most */
    training_plot loss, exact;
    viz_rect steps[2]; /* numbers of the steps below the curves; one where they share an axis */
    viz_rect bar;      /* what the colours mean */
    viz_rect rule;     /* the line above the figures */
    viz_rect track;    /* how far the training is */
    viz_rect figure[FIGURE_COUNT];
    viz_caps caps;
} training_layout;

training_layout viz_training_layout(const viz_canvas *canvas, viz_rect area,
                                    const training_content *content);

/* One picture's words in lines of its space; those of the truth follow where they are wanted. Words
 * that do not fit are left out, and `cut` says so. */
typedef struct training_words {
    viz_rect said[SAC_MAX_TOKENS], truth[SAC_MAX_TOKENS];
    viz_rect verdict; /* below what is said: "right" */
    bool cut;
    viz_rect dots; /* where "…" stands then */
} training_words;
training_words viz_training_words(const viz_canvas *canvas, const training_layout *layout,
                                  int picture, const sac_caption *caption, const char *const *truth,
                                  int truth_count);

#endif
