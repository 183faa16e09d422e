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
    bool writes;                          /* in place of pictures there is a text … */
    size_t layers, heads;                 /* … and maps of so many heads; 0: none */
    bool compares;                        /* the chosen one's at two steps */
    size_t steps;
    bool playing; /* or, of a model that writes, it shows the newest step */
} training_content;

/* A curve: its name and value in a line, the axis' numbers at the left, the lines themselves. */
typedef struct training_plot {
    viz_rect title, numbers, plot;
} training_plot;

#define TRAINING_SCORE_LINE 17.0f
enum { MAP_A = 0, MAP_B, MAP_MINUS, TRAINING_MAPS };

/* The heads of a model that writes: a grid of small maps, a row for each layer, and the chosen one at its right; where
 * two steps are compared, below it: A, B and A − B. */
typedef struct training_heads_layout {
    viz_rect title;
    viz_rect grid;                   /* numbers not included; empty: there is none */
    float cell, step_x, step_y, bar; /* a map's side; from one to the next; of the bar below it */
    bool captions;                   /* below that its score */
    viz_rect map[TRAINING_MAPS];     /* one alone: the first */
    viz_rect readout;
    viz_rect scores; /* of the chosen head: a line for each kind; empty: no room */
} training_heads_layout;

typedef struct training_layout {
    float text_size, truth_size;
    viz_rect picture[TRAINING_PICTURES]; /* of whole pixels, all of one size */
    viz_rect words[TRAINING_PICTURES];   /* below each: its caption and ground truth */
    int lines;                           /* of a generated caption, at most */
    viz_rect sample;                     /* what the model writes */
    training_heads_layout heads;
    training_plot loss, exact;           /* of a model that writes the first has both losses … */
    training_plot scores;                /* … and there are those of its heads */
    viz_rect legend[SAC_TRAINING_KINDS]; /* of these */
    viz_rect steps[2]; /* numbers of the steps below the curves; one where they share an axis */
    viz_rect bar;      /* what the colours mean */
    viz_rect rule;     /* the line above the figures */
    viz_rect track;    /* how far the training is */
    viz_rect figure[FIGURE_COUNT];
    viz_caps caps;
} training_layout;

training_layout viz_training_layout(const viz_canvas *canvas, viz_rect area,
                                    const training_content *content);

/* The curves as a figure, without pictures. */
training_layout viz_training_curves_layout(viz_rect area, const training_content *content);
float viz_training_curves_height(float width, const training_content *content);

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
#define TRAINING_REST_SECONDS 1.5  /* at the end of the longest sentence, and of all steps: */
#define TRAINING_STORY_SECONDS 6.0 /* of an animation, through the steps that are kept */
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

enum { TRAINING_CHIPS = 3 + SAC_TRAINING_USES };

/* What is seen of the heads. */
typedef struct training_heads {
    int at, beside; /* the steps A and B; at 0: the newest one that there is; beside 0: they are not
                       compared */
    int chosen;     /* layer · heads + head; −1: that which is most of an induction head */
    /* As they came last: */
    int asked[2];                     /* at and beside, for which they were asked */
    size_t step[2];                   /* which they are of; 0: none */
    char sample[SAC_TRAINING_SAMPLE]; /* of A */
    size_t layers, heads, tokens;
    float *maps[TRAINING_MAPS]; /* [layers,heads,T,T], owned; NULL: not there */
    float most;                 /* of all differences, by magnitude */
    sac_labels labels;          /* [T] */
} training_heads;

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
    training_heads heads;

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

/* ---- curves (training_curves.c) */

void training_draw_curves(training_view *v, viz_canvas *canvas);
float training_last_exact(const sac_training_snapshot *state, size_t *step);
/* The step at x of the curves. */
float training_step_at(const training_view *v, float x);
/* The point of the heads' scores that is nearest to a step; SIZE_MAX: there is none. */
size_t training_heads_point(const sac_training_heads *heads, float step);
/* The point that is read: under the pointer, else that of the step A. */
size_t training_heads_point_read(const training_view *v);

/* ---- heads (training_heads.c) */

static inline bool training_has_heads(const training_view *v)
{
    return v->state.heads.points > 0;
}
/* The head that is shown large. */
size_t training_chosen_head(const training_view *v);
void training_draw_heads(training_view *v, viz_canvas *canvas);
void training_heads_spots(const training_view *v, viz_spots *spots);
/* A press on a map, the legend or a curve. */
bool training_heads_event(training_view *v, const viz_event *event);
bool training_press_heads_key(training_view *v, int key, int step);
bool training_compares(const training_view *v); /* two steps, whose maps are there */
/* The step at a share 0 … 1 of the way through those that are kept; 0: the newest. */
int training_step_of_story(const training_view *v, double share);
/* Work for the worker: what is to be seen is not there yet. */
bool training_wants_heads(const training_view *v);
typedef struct training_heads_work {
    int at, beside;
    training_heads got; /* owned */
} training_heads_work;
sac_status training_fetch_heads(sac_source *source, training_heads_work *work, sac_error *error);
/* Takes what was fetched out of it. */
void training_take_heads(training_view *v, training_heads_work *work);
void training_heads_free(training_heads *heads); /* takes a zeroed one */

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
