/* The caption view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_CAPTION_CAPTION_STATE_H
#define VIZ_CAPTION_CAPTION_STATE_H

#include "canvas/heat.h"
#include "caption/caption_layout.h"
#include "caption/caption_view.h"
#include "parts/glide.h"
#include "parts/player.h"
#include "parts/prefix.h"
#include "parts/spots.h"
#include "parts/word_list.h"
#include "sources/causal.h"
#include "view/request.h"
#include "view/settings.h"

#define WORD_SECONDS 0.8 /* from word to word at speed 1 */
#define REST_SECONDS 1.5 /* at the end, before it begins again */

#define LEAST_TEMPERATURE 0.25f
#define MOST_TEMPERATURE 4.0f

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

/* A picture, the models that speak of it, and what is asked of them alone. */
typedef struct caption_speaker {
    sac_source *source; /* lent; what `turn` changes is read on the worker only */
    caption_scene scene;
    int beam;
    int layer, head;        /* whose weights are shown, from 1; 0: the mean of all */
    uint8_t *hidden;        /* [source's grid]; owned */
    uint8_t *hidden_before; /* as they were when a rectangle was begun; owned */
    int hidden_count;
    viz_prefix prefix;
    viz_scaled picture_kept, thumb_kept;
} caption_speaker;

/* The sentence of one model, and its state on the screen. */
typedef struct caption_side {
    caption_speaker *speaker; /* the view's own, which both sides may share */
    int model;
    sac_caption caption; /* owned; count 0: nothing yet */
    viz_glide glide;
    sac_caption_mark marks[SAC_MAX_TOKENS]; /* where the truth is known */
    bool right;                             /* the words are those of the truth */
} caption_side;

/* Does it matter where a word looked? While `on`, each word of a side's sentence that is rested on
 * is asked about. */
typedef struct caption_matters {
    bool on, known; /* there is an answer, … */
    int side;
    int word;          /* … of this word, … */
    unsigned revision; /* … as it was said by these demands */
    sac_causal answer;
} caption_matters;

typedef enum caption_drag {
    CAPTION_DRAGS_NOTHING = 0,
    CAPTION_HIDES,
    CAPTION_HIDES_RECTANGLE, /* from the cell where the drag began */
    CAPTION_SCRUBS,          /* along the timeline */
    CAPTION_READS            /* along the sentence */
} caption_drag;

typedef struct caption_view {
    viz_view base;
    caption_speaker speaker[CAPTION_SIDES];
    int speakers;      /* 2: each side has its own, a source and what is beside it */
    bool same_picture; /* … of one picture: what is hidden is hidden in both */

    /* what is asked for */
    bool compare; /* one source's models; two sources are always seen both */
    float temperature;
    int wanted_picture;
    int failed_picture; /* could not be turned to: the next turn goes past it; −1: none */
    bool keeps_edits;   /* the picture to come is one that was saved: with its edits */
    unsigned revision;  /* counts changes of all that */

    /* what was asked for last, and what came back */
    viz_request request;
    caption_side side[CAPTION_SIDES];
    caption_matters matters;
    char message[96]; /* an answer to the last key; empty: none */

    /* how it looks */
    viz_heat_style style;
    viz_scale_kind scale;
    bool truth, figure;
    float scale_end; /* the largest weight of this picture so far: temperatures share one scale */

    /* time */
    bool fresh;        /* nobody chose a word yet */
    viz_player player; /* its steps are the words */

    /* the pointer */
    caption_layout layout; /* as drawn last */
    viz_rect area;
    bool pointed;       /* at a cell, … */
    int cell_x, cell_y; /* … this one, … */
    int cell_word;      /* … of this word's map; −1: the current one's, … */
    int cell_side;      /* … in this side's sentence; it stays when the pointer leaves */
    caption_drag drag;
    int hide_side;
    bool hide_mode, hide_value;
    int brush[2];
    viz_word_list list;
} caption_view;

static inline caption_view *caption_of(viz_view *view)
{
    return (caption_view *)view;
}

static inline int caption_sides(const caption_view *v)
{
    return v->compare || v->speakers > 1 ? 2 : 1;
}

/* The side that was pointed at last: what is asked of one alone is asked of it. */
static inline int caption_focus(const caption_view *v)
{
    return v->cell_side < caption_sides(v) ? v->cell_side : 0;
}

/* ---- time (caption_play.c) */

int caption_words(const caption_view *v); /* of the longer sentence on show */
/* The current word of one side, whose sentence may be the shorter one; −1: it has none. */
int caption_word_of(const caption_view *v, int side);
/* Makes `word` (clamped) current; the heat sets out for it. True where it was another. */
bool caption_go(caption_view *v, int word);
/* Play from here, or rest. */
void caption_play(caption_view *v, bool playing);
/* The heat sets out for the current word's map from whatever is shown. */
void caption_glide_to(caption_view *v, int side);
/* 0 … 1: where the knob of the timeline stands; moves with the heat. */
float caption_progress(const caption_view *v);

/* ---- interventions (caption_edit.c) */

/* Something was asked for that is to be spoken anew. */
void caption_changed(caption_view *v);
void caption_hide_none(caption_view *v);
/* After cells of one source were hidden or shown. */
void caption_hidden_changed(caption_view *v, caption_speaker *speaker);
bool caption_set_temperature(caption_view *v, float temperature); /* clamped; true: another */
bool caption_set_beam(caption_view *v, caption_speaker *speaker, int beam);
/* Of a model that has layers of heads; wraps around, and 0 is the mean of all. False: it has none.
 */
bool caption_set_layer(caption_view *v, caption_speaker *speaker, int layer);
bool caption_set_head(caption_view *v, caption_speaker *speaker, int head);
/* The next layer, or head, of the side in focus; the other side follows where it has the same. */
bool caption_step_layer(caption_view *v, int step);
bool caption_step_head(caption_view *v, int step);
bool caption_set_model(caption_view *v, int side, int model);
bool caption_step_value(caption_view *v, caption_value value, bool down);
/* Says `word` of the vocabulary at place `at` of a side's sentence, and lets the model go on. */
void caption_replace(caption_view *v, int side, int at, int word);
/* Takes back the words from place `at` on that a person chose; −1: the last one chosen. */
bool caption_take_back(caption_view *v, int side, int at);
/* Turns to another picture; past the ends around, or to new scenes. */
bool caption_turn(caption_view *v, int step);
bool caption_compare(caption_view *v);

/* Opens the list of other words. */
void caption_list_open(caption_view *v, int side, int word);

/* ---- does it matter? (caption_matters.c) */

bool caption_matters_toggle(caption_view *v);
/* True where the current word is to be asked about. */
bool caption_matters_due(const caption_view *v);
void caption_matters_take(caption_view *v, int side, int word, const sac_causal *answer);
/* The cells that were hidden, on the picture; and the card that tells what was said then. */
void caption_matters_mark(const caption_view *v, viz_canvas *canvas, viz_rect picture);
void caption_matters_draw(const caption_view *v, viz_canvas *canvas);

/* ---- results (caption_view.c) */

/* Judges what a side says by the truth. */
void caption_judge(caption_view *v, int side);
caption_content caption_contents(const caption_view *v);
/* What a side is called: its model, or of two sources the picture and what speaks of it. */
const char *caption_name(const caption_view *v, int side);
/* The score of all that is on show; NULL: there are several, or no choice. */
const char *caption_score(const caption_view *v);
/* The line below the sentence: what a person should know of it; empty: nothing. */
void caption_note(const caption_view *v, int side, char *text, size_t size);
/* The message of the moment, over the picture; NULL: none. */
const char *caption_message(const caption_view *v);
int caption_visible_cells(const caption_view *v, int side);

/* ---- the class's functions that live in files of their own */

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
/* The panels of the figure: the picture's, then one a word. */
caption_figure caption_lay_figure(const caption_view *v, const viz_canvas *canvas, int side,
                                  viz_rect area);
void caption_draw_figure(caption_view *v, viz_canvas *canvas, viz_rect area);
/* A zigzag below a word of which the model is not sure, from (x, y) to the right. */
void caption_mark_unsure(viz_canvas *canvas, float x, float y, float width);
void caption_draw_bottom(const caption_view *v, viz_canvas *canvas);
/* The scale of one map [cells], and heat with it; one for all maps but where each has its own. */
viz_scale caption_scale_of(const caption_view *v, int side, const float *map);
viz_heat_style caption_heat_style(const caption_view *v, int side, const float *map);
/* The scale whose numbers the bar has: the current word's, of the first side; and what the bar says
 * of it. */
viz_scale caption_scale(const caption_view *v);
char *caption_scale_name(const caption_view *v, char *text, size_t size);
/* The weight that every visible cell would have, were all equal; 0: it is not the same on both
 * sides. */
float caption_uniform(const caption_view *v);
/* A thin frame around the box of each object, the word's own in the accent, or around that alone.
 */
void caption_draw_boxes(const caption_view *v, viz_canvas *canvas, viz_rect picture, int side,
                        int word, bool only_own, float thickness);
bool caption_event(viz_view *view, const viz_event *event);
bool caption_tick(viz_view *view, double now);
int caption_frames(const viz_view *view, int fps);
void caption_frame(viz_view *view, int index, int fps);
void caption_spots(const viz_view *view, viz_spots *spots);
bool caption_subject(const viz_view *view, viz_subject *subject);
char *caption_key_name(const viz_view *view, size_t position, char *text, size_t size);
bool caption_table(const viz_view *view, viz_table *table);
char *caption_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size);
sac_status caption_table_row(viz_view *view, size_t row, float *values, sac_error *error);
bool caption_map(const viz_view *view, viz_map *map);
viz_rect caption_map_rect(const viz_view *view);
extern const viz_setting caption_settings[];

#endif
