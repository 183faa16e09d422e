/* The layout of the caption view: a pure function of the space and of the sentences, so that
 * drawing, hit-testing and tests agree. An empty rectangle stands for a part that had no space. */
#ifndef VIZ_CAPTION_CAPTION_LAYOUT_H
#define VIZ_CAPTION_CAPTION_LAYOUT_H

#include "parts/controls/widgets.h"
#include "sources/result.h"

/* The values that can be changed beside the timeline. */
typedef enum caption_value {
    VALUE_SPEED = 0,
    VALUE_TEMPERATURE,
    VALUE_SCORE,
    VALUE_BEAM,
    VALUE_LAYER,
    VALUE_HEAD,
    VALUE_ATTRIBUTION,
    VALUE_COUNT
} caption_value;
extern const char *const caption_value_names[VALUE_COUNT]; /* "" for the speed */

/* What is other in a sentence than in the one that the picture has by itself. */
typedef struct caption_changes {
    bool any;
    bool none;                  /* it is the same */
    bool fresh[SAC_MAX_TOKENS]; /* the word was not there */
    char gone[SAC_MAX_TOKENS + 1]
             [80]; /* what was, before each word and at the end; empty: nothing */
} caption_changes;

/* The content that the layout depends on, beside the space. */
typedef struct caption_content {
    const sac_result *caption;      /* lent */
    const caption_changes *changes; /* lent; NULL: none */
    int word;                       /* the current one, which is seen of a sentence that is long */
    bool plain;                     /* picture and sentence alone, without numbers */
    bool doors;           /* before the first action: ways to go on, in place of buttons */
    bool hides, ended;    /* cells are hidden; the last word is reached */
    const char *score;    /* that can be changed; NULL: none */
    const bool *replaced; /* [SAC_MAX_TOKENS] words with a cross; lent */
    bool note;            /* a line below the sentence */
    bool truth, turns;    /* there is one to show; there are other pictures */
    bool explains;        /* a weight can be taken apart */
    bool layered;         /* models have layers of heads */
    unsigned mapped;      /* the kinds of map that words have, as sac_speaker_source has them */
    float aspect;         /* of the picture: width by height; 0: 1 */
} caption_content;

/* The pictures. */
typedef struct caption_side_layout {
    viz_rect picture;
    viz_rect seconds;           /* below it, of a sound, its times */
    viz_rect readout, measures; /* below it: the pointer's cell at the left, the word's numbers */
    viz_rect matrix_title, matrix_names, matrix;
    viz_rect strip_title;
    viz_rect thumb[SAC_MAX_TOKENS]; /* of whole pixels, all of one size */
    viz_rect label[SAC_MAX_TOKENS]; /* below each: the word, and … */
    viz_rect small[SAC_MAX_TOKENS]; /* … a number, if there is space */
} caption_side_layout;

/* One sentence, in one line or more; of a long one the lines around the current word, and the others' words
 * are empty. */
typedef struct caption_line {
    viz_rect first;                    /* its first line, whether or not there are words */
    viz_rect word[SAC_MAX_TOKENS];     /* from above the letters to below the underline */
    viz_rect cross[SAC_MAX_TOKENS];    /* behind words that a person chose */
    viz_rect gone[SAC_MAX_TOKENS + 1]; /* what is gone, before each word and at the end */
    viz_rect plain;                    /* below it: where the word looked, in words */
    viz_rect note;                     /* below that */
} caption_line;

typedef struct caption_layout {
    bool roomy;
    caption_side_layout main;
    viz_rect bar;
    viz_rect rule; /* the line above the sentence */
    float text_size, note_size;
    caption_line line;
    viz_rect play, track;
    viz_rect value[VALUE_COUNT];
    viz_caps caps;
    /* Where there are no numbers: what can be done, with the key of each, and how weights lie over
     * the picture. */
    viz_choices buttons, modes;
    viz_choices maps;                         /* the kinds of map, in their order */
    const char *button_caps[VIZ_MAX_CHOICES]; /* NULL: it opens the lessons */
} caption_layout;

caption_layout viz_caption_layout(const viz_canvas *canvas, viz_rect area,
                                  const caption_content *content);

/* Words that changed are bold. */
viz_face viz_caption_word_face(const caption_content *content, int word);

/* The largest rectangle of that aspect (0: 1) that fits into `room`: at its left and foot. */
viz_rect viz_caption_fit(const viz_canvas *canvas, viz_rect room, float aspect);

/* Lays out the figure of a paper: the picture alone, then one panel for each word, as large as
 * fit. */
typedef struct caption_figure {
    int panels; /* 1 + words */
    float text_size;
    viz_rect panel[SAC_MAX_TOKENS + 1], label[SAC_MAX_TOKENS + 1];
} caption_figure;
/* The height at which that width has panels whose words can be read. */
float viz_caption_figure_height(float width, int words, float aspect);
caption_figure viz_caption_figure(const viz_canvas *canvas, viz_rect area, int words, float aspect);

#endif
