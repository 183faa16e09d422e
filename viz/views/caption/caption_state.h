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

/* Does it matter where a word looked? While `on`, each word that is rested on
 * is asked about. */
typedef struct caption_matters {
    bool on, known;    /* there is an answer, … */
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
    sac_source *source; /* lent; what `turn` changes is read on the worker only */
    caption_scene scene;

    /* what is asked for */
    int model;
    int beam;
    int layer, head;        /* whose weights are shown, from 1; 0: the mean of all */
    uint8_t *hidden;        /* [source's grid]; owned */
    uint8_t *hidden_before; /* as they were when a rectangle was begun; owned */
    int hidden_count;
    viz_prefix prefix;
    float temperature;
    int wanted_picture;
    int failed_picture; /* could not be turned to: the next turn goes past it; −1: none */
    bool keeps_edits;   /* the picture to come is one that was saved: with its edits */
    unsigned revision;  /* counts changes of all that */

    /* what was asked for last, and what came back */
    viz_request request;
    sac_caption caption; /* owned; count 0: nothing yet */
    viz_glide glide;
    sac_caption_mark marks[SAC_MAX_TOKENS]; /* where the truth is known */
    bool right;                             /* the words are those of the truth */
    caption_matters matters;
    char message[96]; /* an answer to the last key; empty: none */

    /* how it looks */
    viz_heat_style style;
    viz_scale_kind scale;
    bool truth, figure;
    viz_scaled picture_kept, thumb_kept;
    float scale_end; /* the largest weight of this picture so far: temperatures share one scale */

    /* time */
    bool fresh;        /* nobody chose a word yet */
    viz_player player; /* its steps are the words */

    /* the pointer */
    caption_layout layout; /* as drawn last */
    viz_rect area;
    bool pointed;       /* at a cell, … */
    int cell_x, cell_y; /* … this one, … */
    int cell_word;      /* … of this word's map; −1: the current one's */
    caption_drag drag;
    bool hide_mode, hide_value;
    int brush[2];
    viz_word_list list;
} caption_view;

static inline caption_view *caption_of(viz_view *view)
{
    return (caption_view *)view;
}

/* ---- time (caption_play.c) */

/* The current word; −1: there is none. */
int caption_word_of(const caption_view *v);
/* Makes `word` (clamped) current; the heat sets out for it. True where it was another. */
bool caption_go(caption_view *v, int word);
/* Play from here, or rest. */
void caption_play(caption_view *v, bool playing);
/* The heat sets out for the current word's map from whatever is shown. */
void caption_glide_to(caption_view *v);
/* 0 … 1: where the knob of the timeline stands; moves with the heat. */
float caption_progress(const caption_view *v);

/* ---- interventions (caption_edit.c) */

/* Something was asked for that is to be spoken anew. */
void caption_changed(caption_view *v);
void caption_hide_none(caption_view *v);
/* After cells were hidden or shown. */
void caption_hidden_changed(caption_view *v);
bool caption_set_temperature(caption_view *v, float temperature); /* clamped; true: another */
bool caption_set_beam(caption_view *v, int beam);
/* Of a model that has layers of heads; wraps around, and 0 is the mean of all. False: it has none.
 */
bool caption_set_layer(caption_view *v, int layer);
bool caption_set_head(caption_view *v, int head);
bool caption_set_model(caption_view *v, int model);
bool caption_step_value(caption_view *v, caption_value value, bool down);
/* Says `word` of the vocabulary at place `at` of the sentence, and lets the model go on. */
void caption_replace(caption_view *v, int at, int word);
/* Takes back the words from place `at` on that a person chose; −1: the last one chosen. */
bool caption_take_back(caption_view *v, int at);
/* Turns to another picture; past the ends around, or to new scenes. */
bool caption_turn(caption_view *v, int step);

/* Opens the list of other words. */
void caption_list_open(caption_view *v, int word);

/* ---- does it matter? (caption_matters.c) */

bool caption_matters_toggle(caption_view *v);
/* True where the current word is to be asked about. */
bool caption_matters_due(const caption_view *v);
void caption_matters_take(caption_view *v, int word, const sac_causal *answer);
/* The cells that were hidden, on the picture; and the card that tells what was said then. */
void caption_matters_mark(const caption_view *v, viz_canvas *canvas, viz_rect picture);
void caption_matters_draw(const caption_view *v, viz_canvas *canvas);

/* ---- results (caption_view.c) */

/* Judges what is said by the truth. */
void caption_judge(caption_view *v);
caption_content caption_contents(const caption_view *v);
/* The score of the model; NULL: there is no choice. */
const char *caption_score(const caption_view *v);
/* The line below the sentence: what a person should know of it; empty: nothing. */
void caption_note(const caption_view *v, char *text, size_t size);
/* The message of the moment, over the picture; NULL: none. */
const char *caption_message(const caption_view *v);
int caption_visible_cells(const caption_view *v);

/* ---- the class's functions that live in files of their own */

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
/* The panels of the figure: the picture's, then one a word. */
caption_figure caption_lay_figure(const caption_view *v, const viz_canvas *canvas, viz_rect area);
void caption_draw_figure(caption_view *v, viz_canvas *canvas, viz_rect area);
/* A zigzag below a word of which the model is not sure, from (x, y) to the right. */
void caption_mark_unsure(viz_canvas *canvas, float x, float y, float width);
void caption_draw_bottom(const caption_view *v, viz_canvas *canvas);
/* The scale of one map [cells], and heat with it; one for all maps but where each has its own. */
viz_scale caption_scale_of(const caption_view *v, const float *map);
viz_heat_style caption_heat_style(const caption_view *v, const float *map);
/* The scale whose numbers the bar has: the current word's; and what the bar says
 * of it. */
viz_scale caption_scale(const caption_view *v);
char *caption_scale_name(const caption_view *v, char *text, size_t size);
/* The weight that every visible cell would have, were all equal; 0: it is not the same on both
 * sides. */
float caption_uniform(const caption_view *v);
/* A thin frame around the box of each object, the word's own in the accent, or around that alone.
 */
void caption_draw_boxes(const caption_view *v, viz_canvas *canvas, viz_rect picture, int word,
                        bool only_own, float thickness);
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
bool caption_follow(viz_view *view, const viz_view *leader, const char *key);
extern const viz_setting caption_settings[];

#endif
