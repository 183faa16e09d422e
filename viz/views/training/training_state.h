/* The training view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_TRAINING_TRAINING_STATE_H
#define VIZ_TRAINING_TRAINING_STATE_H

#include "canvas/heat.h"
#include "parts/controls/spots.h"
#include "parts/controls/widgets.h"
#include "parts/playback/glide.h"
#include "parts/playback/player.h"
#include "sources/source.h"
#include "training/training_view.h"
#include "view/request.h"

/* The layout of the training view: a pure function of the space and of the true sentences, which do
 * not change, so that nothing moves while the training goes on. An empty rectangle stands for a
 * part that had no space. */

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
    float height; /* of the highest picture, in widths; 0: 1, which is the most */
    const char *truth[TRAINING_PICTURES]; /* lent */
    bool writes;                          /* in place of pictures there is a text */
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
    viz_rect words[TRAINING_PICTURES];   /* below each: its caption and ground truth */
    int lines;                           /* of a generated caption, at most */
    viz_rect sample;                     /* what the model writes */
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

/* The two curves as a figure, without pictures. */
training_layout viz_training_curves_layout(viz_rect area);
float viz_training_curves_height(float width);

/* One picture's words in lines of its space, followed by those of the ground truth if they are
 * shown. Words that do not fit are left out, and `cut` is set. */
typedef struct training_words {
    viz_rect generated[SAC_MAX_TOKENS], truth[SAC_MAX_TOKENS];
    viz_rect verdict; /* below a generated caption: "right" */
    bool cut;
    viz_rect dots; /* where "…" stands then */
} training_words;
training_words viz_training_words(const viz_canvas *canvas, const training_layout *layout,
                                  int picture, const sac_result *caption, const char *const *truth,
                                  int truth_count);

#define TRAINING_WORD_SECONDS 0.7  /* from word to word */
#define TRAINING_REST_SECONDS 1.5  /* at the end of the longest sentence */
#define TRAINING_LOOK_SECONDS 0.25 /* between two looks at the training */

/* One watched picture, beside what the source's state holds of it. */
typedef struct training_picture {
    char text[256];                    /* the ground truth, cut into … */
    const char *truth[SAC_MAX_TOKENS]; /* … its words, which lie in `text` */
    int truth_count;
    bool right;                  /* the words are those of the ground truth */
    bool wrong[SAC_MAX_TOKENS];  /* generated, but not in the ground truth */
    bool missed[SAC_MAX_TOKENS]; /* in the ground truth, but not generated */
    viz_glide glide;
    viz_scaled kept;
    unsigned stamp; /* another image has another one */
} training_picture;

enum { TRAINING_CHIPS = 4 };

/* How a training of the window is steered, above the rest; without a trainer there is none of it. */
typedef struct training_steering {
    sac_training_progress seen;
    double seen_at;
    viz_choices chips; /* as drawn last: orders, or what follows when it has ended */
    bool opens;        /* for the window, once: source->trainer.next; … */
    bool shows;        /* … the file of the weights in the dialog of opening */
    char problem[512]; /* why that cannot be opened; empty: it can */
} training_steering;

typedef struct training_view {
    viz_view base;
    sac_source *source;          /* lent; asked on the worker only */
    sac_training_snapshot state; /* as it was seen last; owned */
    training_picture picture[TRAINING_PICTURES];
    bool looked, ended; /* at all; the state is the last one */
    double looked_at;
    viz_request request;
    training_steering steering;

    viz_heat_style style;

    viz_player player; /* its steps are the words of all captions at once */
    bool held;         /* a still shows a word that was chosen, not the last */

    training_layout layout; /* as drawn last */
    training_words words[TRAINING_PICTURES];
    float pointer_x, pointer_y;
    bool pointed; /* at a curve */
} training_view;

static inline training_view *training_of(viz_view *view)
{
    return (training_view *)view;
}

/* ---- words */

/* Cuts the ground truth into words and marks those that it does not share with the generated
 * caption. */
void training_compare_with_truth(training_picture *picture, const char *truth,
                                 const sac_result *caption);
/* The same after it, where the truth is one of several captions: words that none of them has. */
void training_compare_with_references(training_picture *picture, const bool *has_word, int count);

/* The current word of one caption, which may be shorter than others; −1: it has none. */
static inline int training_word_of(const training_view *v, int picture)
{
    int count = v->state.picture[picture].caption.count;
    return v->player.step < count ? v->player.step : count - 1;
}

#endif
