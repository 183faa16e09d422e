/* The training view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_TRAINING_TRAINING_STATE_H
#define VIZ_TRAINING_TRAINING_STATE_H

#include "canvas/heat.h"
#include "parts/glide.h"
#include "parts/player.h"
#include "parts/spots.h"
#include "training/training_layout.h"
#include "training/training_view.h"
#include "view/request.h"

#define TRAINING_WORD_SECONDS 0.7  /* from word to word */
#define TRAINING_REST_SECONDS 1.5  /* at the end of the longest sentence */
#define TRAINING_LOOK_SECONDS 0.25 /* between two looks at the training */

/* One watched picture, beside what the source's state holds of it. */
typedef struct training_picture {
    char text[256];                    /* the truth, cut into … */
    const char *truth[SAC_MAX_TOKENS]; /* … its words, which lie in `text` */
    int truth_count;
    bool right;                  /* the words are those of the truth */
    bool wrong[SAC_MAX_TOKENS];  /* said, but not true here */
    bool missed[SAC_MAX_TOKENS]; /* true, but not said */
    viz_glide glide;
    viz_scaled kept;
    unsigned stamp; /* another image has another one */
} training_picture;

typedef struct training_view {
    viz_view base;
    sac_source *source;          /* lent; asked on the worker only */
    sac_training_snapshot state; /* as it was seen last; owned */
    training_picture picture[TRAINING_PICTURES];
    bool looked, ended; /* at all; the state is the last one */
    double looked_at;
    viz_request request;

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

/* ---- words (training_words.c) */

/* Cuts the truth into words and marks those that what is said and it do not share. */
void training_judge(training_picture *picture, const char *truth, const sac_caption *caption);

/* ---- time and events (training_play.c) */

int training_longest(const training_view *v); /* words of the longest caption */
/* The current word of one caption, which may be shorter than others; −1: it has none. */
int training_word_of(const training_view *v, int picture);
/* The heat sets out for the current word's map from whatever is shown. */
void training_glide_to(training_view *v, int picture);
bool training_event(viz_view *view, const viz_event *event);
bool training_tick(viz_view *view, double now);
int training_frames(const viz_view *view, int fps);
void training_frame(viz_view *view, int index, int fps);

/* ---- looks (training_draw.c, training_curves.c) */

void training_spots(const viz_view *view, viz_spots *spots);
void training_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void training_draw_curves(training_view *v, viz_canvas *canvas);
/* The newest share of captions that are right; NaN: not measured yet. *step is when. */
float training_exact(const sac_training_snapshot *state, size_t *step);

#endif
