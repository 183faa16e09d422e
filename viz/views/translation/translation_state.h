/* The translation view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_TRANSLATION_TRANSLATION_STATE_H
#define VIZ_TRANSLATION_TRANSLATION_STATE_H

#include "parts/controls/text_field.h"
#include "parts/generation/generation.h"
#include "translation/translation_layout.h"
#include "translation/translation_view.h"

enum { TYPED = VIZ_TEXT_FIELD_SIZE, WORDS = SAC_MAX_TOKENS };

/* The sentence that is translated, copied from the source when a result was taken. */
typedef struct translation_sentence {
    char text[sizeof((sac_source *)0)->speaker.text];
    char note[sizeof((sac_source *)0)->note];
    char unread[512]; /* why not all that was typed is read; empty: it is */
    int number;       /* the last one requested */
    bool has_truth;
    sac_alignment_truth truth;
} translation_sentence;

typedef struct translation_view {
    viz_generation g;
    translation_sentence sentence;
    viz_text_field field;
    sac_attribution attribution;
    int wanted_number;     /* the sentence to open; −1: the text of the field */
    uint8_t hidden[WORDS]; /* source words that the model may not look at */
    int hidden_of;         /* as many words the sentence has; 0: nothing is hidden */
    const char *source_words[WORDS], *target[WORDS]; /* its words */
    bool joins[WORDS]; /* of the translation: there is no blank before the word */

    translation_layout layout; /* as drawn last */
    viz_rect area;
    char value[VALUE_COUNT][48];
    int hover_row, hover_column; /* a word of either sentence, or a cell; −1: none */
    bool hides, hide_value;
} translation_view;

static inline translation_view *translation_of(viz_view *view)
{
    return (translation_view *)view;
}

/* False: the model looks at nothing, one vector stands for the sentence. */
static inline bool translation_attends(const translation_view *v)
{
    return v->g.caption.max_weight > 0;
}

static inline bool translation_is_hidden(const translation_view *v, int word)
{
    return v->hidden_of == v->g.caption.grid_w && v->hidden[word];
}

/* Another sentence, as typed: what was asked of the one before it ends with it. */
void translation_type(translation_view *v, const char *text);
void translation_hide(translation_view *v, int word, bool hidden);

/* ---- the class's functions in other files */

void translation_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void translation_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float translation_figure_height(viz_view *view, const viz_canvas *canvas, float width);
bool translation_event(viz_view *view, const viz_event *event);
void translation_spots(const viz_view *view, viz_spots *spots);
extern const viz_setting translation_settings[];
extern const viz_key_row translation_keys[];

#endif
