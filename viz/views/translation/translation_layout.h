/* The layout of the translation view: a pure function of the space and of the sentences. An empty
 * rectangle stands for a part that had no space. */
#ifndef VIZ_TRANSLATION_TRANSLATION_LAYOUT_H
#define VIZ_TRANSLATION_TRANSLATION_LAYOUT_H

#include "parts/controls/widgets.h"
#include "parts/figures/grid.h"
#include "sources/result.h"

/* The values that can be changed beside the timeline: temperature, beam, model (viz_demand). */
enum { VALUE_COUNT = 3 };

/* The content that the layout depends on, beside the space. */
typedef struct translation_content {
    const char *const *source_words, *const *target; /* the words; lent */
    int sources, targets;
    const bool
        *joins; /* [targets]: words that stand right behind the one before; lent; NULL: none */
    const bool *replaced; /* [SAC_MAX_TOKENS]: words of the translation with a cross; lent */
    const char *value[VALUE_COUNT]; /* texts; lent */
} translation_content;

/* Lays out the words of a sentence in one line, or alternately in two or three if they do not fit
 * in one; a long sentence line by line, as text. */
typedef struct translation_row {
    viz_rect word[SAC_MAX_TOKENS];
    float middle[SAC_MAX_TOKENS]; /* x of each word's bands */
    float size;                   /* of the letters */
    int levels;                   /* lines, by turns … */
    bool is_text;                 /* … or one after the other */
    int line[SAC_MAX_TOKENS];     /* of each word, from the upper one on */
    float height;
} translation_row;

typedef struct translation_panel {
    translation_row source_words, target;
    viz_rect cross[SAC_MAX_TOKENS]; /* behind words that a person chose */
    viz_rect bands;                 /* between the two */
    viz_rect readout;               /* below the translation: a line */
    viz_grid_layout grid;           /* no rows: no space for it */
    viz_rect bar;
} translation_panel;

typedef struct translation_layout {
    viz_rect field; /* what is typed */
    viz_rect hint;  /* a line below it */
    translation_panel panel;
    viz_rect rule; /* the line above the timeline */
    viz_rect play, track;
    viz_rect value[VALUE_COUNT];
    viz_caps caps;
} translation_layout;

/* Both sentences and the bands between them, by themselves. */
translation_panel viz_translation_figure(const viz_canvas *canvas, viz_rect room,
                                         const translation_content *content);
translation_layout viz_translation_layout(const viz_canvas *canvas, viz_rect area,
                                          const translation_content *content);

#endif
