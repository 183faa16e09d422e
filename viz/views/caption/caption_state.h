/* The caption view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_CAPTION_CAPTION_STATE_H
#define VIZ_CAPTION_CAPTION_STATE_H

#include "canvas/heat.h"
#include "caption/caption_layout.h"
#include "caption/caption_view.h"
#include "parts/generation/generation.h"
#include "parts/playback/glide.h"
#include "sources/words/causal.h"

/* The picture and what is known of it. The source's own may be changed by the worker at any time;
 * this copy changes only when a result is taken. */
typedef struct caption_scene {
    sac_image image; /* owned */
    unsigned stamp;  /* another picture has another one */
    sac_origin origin;
    char title[128], note[sizeof((sac_source *)0)->note],
        file[1024]; /* the picture's own, where `origin` is of a model */
    bool has_truth, scenes;
    sac_caption_truth truth;
    int pictures, picture;
} caption_scene;

/* Does it matter where a word looked? While `on`, each word that is rested on
 * is asked about. */
typedef struct caption_matters {
    bool on, known;    /* there is an answer, … */
    int word;          /* … of this word, … */
    unsigned revision; /* … the requests that it was generated for */
    sac_causal answer;
} caption_matters;

/* What the model generates for the picture with nothing hidden or replaced. */
typedef struct earlier_caption {
    int count;
    sac_result_output words[SAC_MAX_TOKENS];
} earlier_caption;

typedef enum caption_demo_state {
    DEMO_OFF = 0,
    DEMO_GENERATES, /* the sentence, word by word */
    DEMO_COVERS,    /* a thing is covered, and the caption is generated again */
    DEMO_TURN,      /* the person is asked to cover something … */
    DEMO_TURNS      /* … and did nothing: the next picture is to come */
} caption_demo_state;

typedef struct caption_demo {
    caption_demo_state state;
    int word;     /* that changed; −1: not known yet */
    int covered;  /* how many words' places were covered so far, without a truth */
    double since; /* of its last state */
} caption_demo;

typedef enum caption_drag {
    CAPTION_DRAGS_NOTHING = 0,
    CAPTION_HIDES,
    CAPTION_HIDES_RECTANGLE, /* from the cell where the drag began */
    CAPTION_READOUT          /* along the sentence */
} caption_drag;

typedef struct caption_view {
    viz_generation g;
    caption_scene scene;

    /* what is requested */
    int layer, head;             /* whose weights are shown, from 1; 0: the mean of all */
    bool no_sinks;               /* of an answer, as in sac_result_request */
    sac_attribution attribution; /* the same */
    uint8_t *hidden;             /* [source's grid]; owned */
    uint8_t *hidden_before;      /* as they were when a rectangle was begun; owned */
    int hidden_count;
    int wanted_picture;
    int failed_picture; /* failed to open: the next step skips it; −1: none */
    int chosen_picture; /* that is to be opened with another model; −1: none */
    bool keeps_edits;   /* the picture to come is one that was saved: with its edits */

    viz_glide glide;
    sac_caption_mark marks[SAC_MAX_TOKENS]; /* if the ground truth is known */
    bool right;                             /* the words are those of the ground truth */
    caption_matters matters;
    caption_demo demo;
    earlier_caption unasked;
    caption_changes changes; /* of the sentence on show, from that */

    /* how it looks */
    viz_heat_style style;
    viz_scale_kind scale;
    bool numbers; /* maps of all words, entropy and the rest beside the picture */
    viz_scaled picture_kept, thumb_kept;
    float scale_end; /* the largest weight of this picture so far: temperatures share one scale */

    /* the pointer */
    caption_layout layout; /* as drawn last */
    viz_rect area;
    bool pointed;       /* at a cell, … */
    int cell_x, cell_y; /* … this one, … */
    int cell_word;      /* … of this word's map; −1: the current one's */
    caption_drag drag;
    bool hide_mode, hide_value;
    int brush[2];
} caption_view;

static inline caption_view *caption_of(viz_view *view)
{
    return (caption_view *)view;
}

static inline size_t caption_cells(const caption_view *v)
{
    return (size_t)v->g.source->picture.grid_w * (size_t)v->g.source->picture.grid_h;
}

/* The heat starts moving to the current word's map from whatever is shown. */
void caption_glide_to(viz_view *view);
/* After cells were hidden or shown. */
void caption_hidden_changed(caption_view *v);
/* The head, or the layer, whose weights are shown, of a model that has layers of heads; wraps
 * around, and 0 is the mean of all. False: it has none. */
bool caption_set_part(caption_view *v, bool head, int number);

/* ---- does it matter? (caption_matters.c) */

bool caption_matters_toggle(caption_view *v);
/* True where the current word is to be asked about. */
bool caption_matters_due(const caption_view *v);
void caption_matters_take(caption_view *v, int word, const sac_causal *answer);
/* Draws the hidden cells on the picture, and the card with the words generated without them. */
void caption_matters_mark(const caption_view *v, viz_canvas *canvas, viz_rect picture);
void caption_matters_draw(const caption_view *v, viz_canvas *canvas);

/* ---- what changed (caption_changes.c) */

void caption_changes_find(const earlier_caption *before, const sac_result *now,
                          caption_changes *changes);
/* After a sentence came: `asked`, cells were hidden for it or words given. */
void caption_changes_take(caption_view *v, bool asked);

/* ---- the first ten seconds (caption_demo.c) */

bool caption_introduce(viz_view *view);
bool caption_demo_runs(const caption_view *v);
/* Everything is as it was before; `whole`: it is the person's turn. */
void caption_demo_end(caption_view *v, bool whole);
bool caption_demo_tick(caption_view *v);
/* The pointer moves: a person is there. */
void caption_demo_wait(caption_view *v);
/* The line below the sentence, perhaps in `text`; NULL: the usual one. */
const char *caption_demo_line(const caption_view *v, char *text, size_t size);

/* ---- results (caption_view.c) */

/* Compares the sentence with the ground truth. */
void caption_judge(caption_view *v);

/* ---- what is on show (caption_draw.c) */

/* The line below the sentence: what a person should know of it; empty: nothing. */
void caption_note(const caption_view *v, char *text, size_t size);
/* The message of the moment, over the picture; NULL: none. */
const char *caption_message(const caption_view *v);

/* ---- the class's functions in other files */

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void caption_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float caption_figure_height(viz_view *view, const viz_canvas *canvas, float width);
/* The panels of the figure: the picture's, then one a word. */
caption_figure caption_lay_figure(const caption_view *v, const viz_canvas *canvas, viz_rect area);
/* The scale of one map [cells]: one for all maps but where each has its own; and the text of its bar. */
viz_scale caption_scale_of(const caption_view *v, const float *map);
char *caption_scale_name(const caption_view *v, char *text, size_t size);
viz_scale caption_scale(const caption_view *v); /* of the bar's numbers: the current word's */
bool caption_event(viz_view *view, const viz_event *event);
bool caption_tick(viz_view *view, double now);
int caption_frames(const viz_view *view, int fps);
void caption_frame(viz_view *view, int index, int fps);
void caption_spots(const viz_view *view, viz_spots *spots);
bool caption_follow(viz_view *view, const viz_view *leader, const char *key);
extern const viz_setting caption_settings[];
extern const viz_key_row caption_keys[];

#endif
