/* The translation view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_TRANSLATION_TRANSLATION_STATE_H
#define VIZ_TRANSLATION_TRANSLATION_STATE_H

#include "parts/player.h"
#include "parts/prefix.h"
#include "parts/text_field.h"
#include "parts/word_list.h"
#include "translation/translation_layout.h"
#include "translation/translation_view.h"
#include "view/request.h"
#include "view/settings.h"

#define WORD_SECONDS 0.8 /* from word to word at speed 1 */
#define REST_SECONDS 1.5 /* at the end, before it begins again */
#define LEAST_TEMPERATURE 0.25f
#define MOST_TEMPERATURE 4.0f

enum { TYPED = VIZ_TEXT_FIELD_SIZE, WORDS = SAC_MAX_TOKENS };

/* The sentence that is translated, copied from the source when a result was taken. */
typedef struct translation_sentence {
    char text[sizeof((sac_source *)0)->speaker.text];
    char note[sizeof((sac_source *)0)->note];
    char unread[512]; /* why not all that was typed is read; empty: it is */
    int number;       /* the one that was turned to last */
    bool has_truth;
    sac_alignment_truth truth;
} translation_sentence;

typedef struct translation_view {
    viz_view base;
    sac_source *source; /* lent; what `read` and `turn` change is read on the worker only */
    translation_sentence sentence;

    /* what is asked for */
    viz_text_field field;
    int wanted_number; /* the sentence to turn to; −1: what the field says */
    int model;
    float temperature;
    int beam;
    uint8_t hidden[WORDS]; /* source words that the model may not look at */
    int hidden_of;         /* as many words the sentence has; 0: nothing is hidden */
    viz_prefix prefix;
    unsigned revision; /* counts changes of all that */

    viz_request request;
    sac_caption caption;                             /* owned; count 0: nothing yet */
    const char *source_words[WORDS], *target[WORDS]; /* its words */
    char message[96];                                /* an answer to the last key; empty: none */

    bool truth;
    bool fresh; /* nobody chose a word yet */
    bool typed; /* what comes was typed: the whole of it is shown at once */
    viz_player player;

    translation_layout layout; /* as drawn last */
    viz_rect area;
    char value[VALUE_COUNT][48];
    int hover_row, hover_column; /* a word of either sentence, or a cell; −1: none */
    bool scrubs, hides, hide_value;
    viz_word_list list;
} translation_view;

static inline translation_view *translation_of(viz_view *view)
{
    return (translation_view *)view;
}

/* ---- words (translation_view.c) */

/* The current word; −1: there is none. */
int translation_word_of(const translation_view *v);
bool translation_go(translation_view *v, int word);
/* False: the model looks at nothing, one vector stands for the sentence. */
bool translation_attends(const translation_view *v);
bool translation_is_hidden(const translation_view *v, int word);
translation_content translation_contents(translation_view *v);

/* ---- interventions (translation_edit.c) */

void translation_changed(translation_view *v);
/* Another sentence, as typed: what was asked of the one before it ends with it. */
void translation_type(translation_view *v, const char *text);
void translation_begin_typing(translation_view *v);
bool translation_field_key(translation_view *v, const viz_event *event);
bool translation_paste(translation_view *v, const char *text);
void translation_hide(translation_view *v, int word, bool hidden);
bool translation_show_all(translation_view *v);
bool translation_set_temperature(translation_view *v, float temperature);
bool translation_set_beam(translation_view *v, int beam);
bool translation_step_value(translation_view *v, translation_value value, bool down);
bool translation_turn(translation_view *v, int step);
void translation_replace(translation_view *v, int at, int word);

/* ---- the class's functions that live in files of their own */

void translation_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
bool translation_event(viz_view *view, const viz_event *event);
void translation_spots(const viz_view *view, viz_spots *spots);
extern const viz_setting translation_settings[];

#endif
