/* The state of a view of a sentence, which its files share, and the steps that change it. */
#ifndef VIZ_SENTENCE_SENTENCE_STATE_H
#define VIZ_SENTENCE_SENTENCE_STATE_H

#include "canvas/heat.h"
#include "parts/controls/controls.h"
#include "parts/controls/text_field.h"
#include "parts/figures/grid.h"
#include "parts/playback/glide.h"
#include "parts/playback/player.h"
#include "sentence/sentence_view.h"
#include "sources/words/causal.h"
#include "view/request.h"

/* The picture, or the sentence, and what is known of it. The source's own may be changed by the
 * worker at any time; this copy changes only when a result is taken. */
typedef struct sentence_scene {
    sac_image image; /* owned; of a translation empty */
    unsigned stamp;  /* another picture has another one */
    sac_origin origin;
    char title[128], note[sizeof((sac_source *)0)->note],
        file[1024];   /* the picture's own, where `origin` is of a model */
    char unread[512]; /* why not all that was typed is read; empty: it is */
    bool has_truth, scenes;
    sac_caption_truth truth;
    sac_alignment_truth alignment;
    int pictures, picture; /* or the number of the sentence */
} sentence_scene;

/* The tokens that a sentence has to begin with: up to the last one that a person put in the place of
 * another, after which the model goes on by itself. */
typedef struct sentence_prefix {
    int words[SAC_MAX_TOKENS], count;
    bool replaced[SAC_MAX_TOKENS]; /* those that a person chose */
} sentence_prefix;

/* Does it matter where a word looked? While `on`, each word that is rested on
 * is asked about. */
typedef struct sentence_matters {
    bool on, known;    /* there is an answer, … */
    int word;          /* … of this word, … */
    unsigned revision; /* … the requests that it was generated for */
    sac_causal answer;
} sentence_matters;

/* What the model generates with nothing hidden or replaced; where it is held somewhere, by itself. */
typedef struct sentence_words {
    int count;
    sac_result_output words[SAC_MAX_TOKENS];
} sentence_words;

/* What is other in a sentence than in that one. */
typedef struct sentence_changes {
    bool any;
    bool none;                  /* it is the same */
    bool fresh[SAC_MAX_TOKENS]; /* the word was not there */
    char gone[SAC_MAX_TOKENS + 1]
             [80]; /* what was, before each word and at the end; empty: nothing */
} sentence_changes;

#define VIZ_WORD_LIST_MOST 1024
#define VIZ_WORD_LIST_ROW 24.0f
#define VIZ_WORD_LIST_WIDTH 190.0f
#define VIZ_WORD_LIST_HEAD 28.0f /* above the rows: what is typed */

/* Words to take in place of one that was generated. It has the most probable ones; "more …"
 * adds the whole vocabulary. Letters that are typed leave the words that begin so, and letters with
 * accents are found without them. */
typedef struct viz_word_list {
    bool open;
    const sac_source *source;          /* whose vocabulary it is; lent */
    const sac_result_output *chosen;   /* instead of this one; lent while the list is open */
    int word;                          /* its place in the sentence */
    char typed[24];                    /* only words that begin so */
    int count, selected, first, shown; /* items; the lit one; from the first shown on */
    bool more;                         /* the whole vocabulary is in it */
    struct {
        int word;          /* −1: "more …" */
        float probability; /* negative: not known */
    } item[VIZ_WORD_LIST_MOST];
    viz_rect rect, close; /* as drawn last; × closes it */
} viz_word_list;

typedef enum sentence_demo_state {
    DEMO_OFF = 0,
    DEMO_GENERATES, /* the sentence, word by word */
    DEMO_COVERS,    /* a thing is covered, and the caption is generated again */
    DEMO_TURN       /* the person is asked to cover something */
} sentence_demo_state;

typedef struct sentence_demo {
    sentence_demo_state state;
    int word;     /* that changed; −1: not known yet */
    int covered;  /* how many words' places were covered so far, without a truth */
    double since; /* of its last state */
} sentence_demo;

typedef enum sentence_drag {
    DRAGS_NOTHING = 0,
    DRAGS_CELLS,     /* hides them … */
    DRAGS_RECTANGLE, /* … from where the drag began, as words */
    DRAGS_GAZE,      /* the place where it looks */
    DRAGS_WORDS,     /* along the sentence */
    DRAGS_TRACK
} sentence_drag;

/* Words in lines, one after the other or by turns. An empty rectangle: there is no room for it. */
typedef struct sentence_row {
    viz_rect word[SAC_MAX_TOKENS];     /* from above the letters to below the underline */
    viz_rect cross[SAC_MAX_TOKENS];    /* behind words that a person chose */
    viz_rect gone[SAC_MAX_TOKENS + 1]; /* what is gone, before each word and at the end */
    viz_rect perhaps;                  /* before the words of a guess */
    float size;                        /* of the letters */
    /* Of a translation: */
    float middle[SAC_MAX_TOKENS]; /* x of each word's bands */
    int line[SAC_MAX_TOKENS];     /* of each word, from the upper one on */
    int levels;                   /* lines, by turns … */
    bool is_text;                 /* … or one after the other */
    float height;
} sentence_row;

enum { WORD_COMPLETIONS = 48 };

/* Words that a translator knows, and that go on with what is typed: as many as a line has room for. */
typedef struct word_completions {
    const char *word[WORD_COMPLETIONS]; /* [count], lent */
    viz_rect item[WORD_COMPLETIONS], end;
    int count, more;
} word_completions;

typedef struct sentence_layout {
    sentence_row line; /* the sentence that is generated */
    viz_rect play, track, rule;
    viz_caps caps;
    viz_rect readout, bar;

    /* Over a picture. */
    bool roomy;
    viz_rect picture, seconds; /* below it, of a sound, its times */
    viz_rect measures;         /* beside the readout of the pointer's cell: the word's numbers */
    viz_rect matrix_title, matrix_names, matrix, strip_title;
    viz_rect thumb[SAC_MAX_TOKENS]; /* of whole pixels, all of one size */
    viz_rect label[SAC_MAX_TOKENS]; /* below each: the word, and … */
    viz_rect small[SAC_MAX_TOKENS]; /* … a number, if there is space */
    viz_rect first;                 /* the sentence's first line, whether or not there are words */
    viz_rect plain;                 /* below it: where the word looked, in words */
    viz_rect note;                  /* below that */
    float note_size;
    viz_choices buttons; /* where there are no numbers: what can be done, with the key of each */
    const char *button_caps[VIZ_MAX_CHOICES]; /* NULL: it opens the lessons */

    /* Of a translation. */
    viz_rect field, hint;         /* what is typed, and a line below it … */
    word_completions completions; /* … which may have these */
    sentence_row source;
    viz_rect bands;       /* between the two */
    viz_grid_layout grid; /* no rows: no space for it */
} sentence_layout;

/* The figure of a paper: the picture alone, then one panel for each word. */
typedef struct caption_figure {
    int panels; /* 1 + words */
    float text_size;
    viz_rect panel[SAC_MAX_TOKENS + 1], label[SAC_MAX_TOKENS + 1];
} caption_figure;

typedef struct sentence_view {
    viz_view base;
    bool sees; /* the input is a picture; false: it is read, word by word */

    /* what is requested, */
    int model;
    float temperature;
    int normalizer; /* as of sac_result_request */
    int beam;
    float penalty;   /* of the search, for the length of a sentence */
    int layer, head; /* whose weights are shown; VIZ_MEAN: of all */
    bool no_sinks;   /* of an answer, as in sac_result_request */
    sac_attribution attribution;
    sentence_prefix prefix;
    uint8_t *hidden;        /* [cells or words], 1 = hidden; owned */
    uint8_t *hidden_before; /* as they were when a rectangle was begun; owned */
    int hidden_count;
    int hidden_of;      /* a sentence's: of so many words; 0: of those there are */
    sac_gaze gaze;      /* where it is held */
    int wanted;         /* the picture, or the sentence, to turn to; −1: that stays */
    int failed_picture; /* failed to open: the next step skips it; −1: none */
    int chosen_picture; /* that is to be opened with another model; −1: none */
    bool keeps_edits;   /* the picture to come is one that was saved: with its edits */
    unsigned revision;  /* counts what was requested */
    viz_request request;

    /* and what came */
    sentence_scene scene;
    sac_result result; /* owned; count 0: nothing yet */
    const char *row_names[SAC_MAX_TOKENS], *column_names[SAC_MAX_TOKENS]; /* words; its own */
    sac_caption_mark marks[SAC_MAX_TOKENS]; /* if the ground truth is known */
    bool right;                             /* the words are those of the ground truth */
    sentence_matters matters;
    sentence_words unasked;
    sentence_changes changes; /* of the sentence on show, from that */
    float scale_end; /* the largest weight of this picture so far: temperatures share one scale */

    /* time */
    viz_player player; /* its steps are the words */
    viz_glide glide;
    sentence_demo demo;
    bool fresh; /* no word was chosen yet */
    bool ended; /* the play is over, and rests on another word than the last */
    bool typed; /* what comes was typed: the whole of it is shown at once */

    /* how it looks */
    viz_heat_style style;
    viz_scale_kind scale;
    bool numbers; /* maps of all words, entropy and the rest beside the picture */
    bool truth;
    char message[96]; /* an answer to the last key; empty: none */
    viz_scaled picture_kept, thumb_kept;

    /* the pointer, and what it meets */
    viz_text_field field;
    viz_word_list list;
    viz_controls controls;
    sentence_layout layout; /* as drawn last */
    viz_rect area;
    int row, column; /* the word, and the cell or word of the input, that are pointed at; −1: none.
                        In the picture the word is none */
    sentence_drag drag;
    bool hide_mode, hide_value, gaze_mode;
    int brush[2];
} sentence_view;

static inline sentence_view *sentence_of(const viz_view *view)
{
    return (sentence_view *)view;
}

static inline int sentence_cells(const sac_result *c)
{
    return c->grid_w * c->grid_h;
}

static inline const float *sentence_map(const sac_result *c, int word)
{
    return c->weights + (size_t)word * (size_t)sentence_cells(c);
}

/* ---- the list of other words (word_list.c) */

/* While the list is open everything else waits: a press beside it closes it. *chosen is the word
 * of the vocabulary that was chosen, which closes it too; −1: none was. */
bool viz_word_list_event(viz_word_list *list, const viz_event *event, int *chosen);
/* Opens it on word `word` of a sentence; false where there is no such word. */
bool viz_word_list_open(viz_word_list *list, const sac_source *source, const sac_result *sentence,
                        int word);
/* Inside `area`, above or below the rectangle of the word, where there is more room. */
void viz_word_list_draw(viz_word_list *list, viz_canvas *canvas, viz_rect area, viz_rect word);
void viz_word_list_spots(const viz_word_list *list, viz_spots *spots);
/* `rows` are wanted; *shown of them fit. */
viz_rect viz_word_list_layout(viz_rect area, viz_rect word, int rows, int *shown);
/* The text of a word of the source's vocabulary; "" for none. */
const char *viz_vocabulary(const sac_source *source, int word);

/* ---- steps (sentence_words.c) */

/* The grid of what can be hidden: the picture's cells, or a row of words. */
void sentence_grid(const sentence_view *v, int *w, int *h);
/* What is requested; hidden cells are lent. */
sac_result_request sentence_request(const sentence_view *v);
void sentence_mark_changed(viz_view *view); /* it is to be generated anew … */
void sentence_update_hidden_count(
    sentence_view *v); /* … after cells or words were hidden, or shown */
/* Ends what was asked of the picture, or the sentence, before this one. */
void sentence_forget_edits(sentence_view *v);
bool sentence_is_hidden(const sentence_view *v, int position);
bool sentence_is_held(const sentence_view *v, int word); /* by a person: it looks where that is */
bool sentence_holds(const viz_view *view);               /* the model can be held somewhere */
bool sentence_is_replaced(const sentence_view *v, int word); /* by a person */
bool sentence_has_truth(const viz_view *view);
bool sentence_has_layers(const viz_view *view);
bool sentence_has_maps(const viz_view *view);           /* of other kinds than attention */
bool sentence_answers_question(const viz_view *view);   /* it is asked a question of its picture */
bool sentence_has_other_pictures(const viz_view *view); /* pictures, or sentences, to turn to */
/* word_completions.c: while a sentence is typed, the caret at its end. */
void word_completions_lay(sentence_view *v, const viz_canvas *canvas, viz_rect room);
/* There are some, and a letter of theirs is typed. */
bool word_completions_are_of_a_part(const sentence_view *v);
void word_completions_draw(const sentence_view *v, viz_canvas *canvas);
void word_completions_spots(const sentence_view *v, viz_spots *spots);
int word_completions_hit(const sentence_view *v, float x, float y); /* −1: none */
/* Types the rest of one, and a blank. */
bool word_completions_take(sentence_view *v, int item);

/* Another sentence to read, as it is typed. */
void sentence_set_typed_text(sentence_view *v, const char *text);
int sentence_current_word(const sentence_view *v); /* the current one; −1: there is none */
/* Makes the word current that a new sentence begins with: in a window the first, else the last. */
void sentence_select_start_word(sentence_view *v);
/* The play is over: it rests on sac_result_narrowest's word, where there is one. */
void sentence_rest_at_narrowest_word(sentence_view *v);
/* The heat starts moving to the current word's map from whatever is shown. */
void sentence_glide(sentence_view *v);
/* Makes `word` (clamped) current. True where it was another. */
bool sentence_go(sentence_view *v, int word);
/* The same for a person, who takes over. */
bool sentence_stop_at_word(sentence_view *v, int word);
/* Opens the list of other words; false: there is no such word. */
bool sentence_open_list(sentence_view *v, int word);
/* Puts `word` of the vocabulary in the place of word `at` of the sentence, and lets the model go on. */
void sentence_replace(sentence_view *v, int at, int word);
/* Takes back the words from `word` on that a person chose. */
void sentence_take_back(sentence_view *v, int word);

/* The row of the timeline at y: play, a track to `end` or where the values need the room, values, and `caps`
 * [count], those that act, to the right edge. */
void sentence_lay_transport(sentence_view *v, const viz_canvas *canvas, viz_rect area, float y,
                            float end, const viz_key_row *caps, int count);
void sentence_draw_transport(const sentence_view *v, viz_canvas *canvas);
void sentence_draw_cross(viz_canvas *canvas, float x,
                         float y); /* behind a word that a person chose */

/* ---- what changed, and does it matter? (sentence_changes.c) */

void sentence_changes_find(const sentence_words *before, const sac_result *now,
                           sentence_changes *changes);
/* True where the current word is to be asked about. */
bool sentence_matters_due(const sentence_view *v);
/* The cells, or words, that were hidden for the answer; false: there is none. Then draws the card with
 * the words generated without them. */
enum { SENTENCE_MARKED = 64 * 64 };
bool sentence_matters_mark(const sentence_view *v, uint8_t top[SENTENCE_MARKED]);
void sentence_matters_draw(const sentence_view *v, viz_canvas *canvas);

/* ---- the first ten seconds (sentence_demo.c) */

bool sentence_introduce(viz_view *view);
bool sentence_demo_runs(const sentence_view *v);
/* Everything is as it was before; `whole`: it is the person's turn. */
void sentence_demo_end(sentence_view *v, bool whole);
bool sentence_demo_tick(sentence_view *v);
/* The line below the sentence, perhaps in `text`; NULL: the usual one. */
const char *sentence_demo_line(const sentence_view *v, char *text, size_t size);

/* ---- over a picture (caption_layout.c, caption_draw.c) */

/* The line below the sentence: what a person should know of it; empty: nothing. */
void caption_note(const sentence_view *v, char *text, size_t size);
/* "box: the look of 3 of 24 heads: 2.3, 1.0, 0.4": those of the boxes of the words. */
void caption_write_gaze_heads(const sentence_view *v, char *text, size_t size);
/* From which word on it is held, in how many heads, and what the sentence is without that. */
void caption_write_gaze(const sentence_view *v, char *text, size_t size);
void caption_lay(sentence_view *v, const viz_canvas *canvas, viz_rect area);
/* Words that changed are bold. */
viz_face caption_word_face(const sentence_view *v, int word);
/* The largest rectangle of the picture's aspect that fits into `room`: at its left and foot. */
viz_rect caption_fit_picture(const sentence_view *v, const viz_canvas *canvas, viz_rect room);
float caption_aspect(const sentence_view *v);
/* The height at which that width has panels whose words can be read. */
float caption_panels_height(float width, int words, float aspect);
caption_figure caption_lay_panels(const viz_canvas *canvas, viz_rect area, int words, float aspect);
caption_figure caption_lay_figure(const sentence_view *v, const viz_canvas *canvas, viz_rect area);
/* The scale of one map [cells]: one for all maps but where each has its own; and of the bar's numbers,
 * the current word's. */
viz_scale caption_map_scale(const sentence_view *v, const float *map);
viz_scale caption_current_scale(const sentence_view *v);
void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void caption_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float caption_figure_height(viz_view *view, const viz_canvas *canvas, float width);

/* ---- between words (translation_draw.c) */

void translation_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void translation_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float translation_figure_height(viz_view *view, const viz_canvas *canvas, float width);

/* ---- what a person does (sentence_events.c), and settings (sentence_settings.c) */

bool sentence_event(viz_view *view, const viz_event *event);
void sentence_spots(const viz_view *view, viz_spots *spots);
extern const viz_key_row caption_keys[], translation_keys[];
extern const viz_setting caption_origin[], translation_origin[], sentence_settings[],
    caption_settings[];

#endif
