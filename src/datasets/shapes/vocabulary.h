/* The words of the scenes' captions. A word is its index; the order is part of the
 * trained weights' format and only ever grows at the end. */
#ifndef SAC_SHAPES_VOCABULARY_H
#define SAC_SHAPES_VOCABULARY_H

enum {
    SAC_COLOURS = 8, /* red, orange, yellow, green, blue, purple, white, black */
    SAC_SHAPES = 6   /* circle, square, triangle, star, cross, diamond */
};

enum {
    SAC_WORD_PAD = 0, /* never generated: fills the places after the end */
    SAC_WORD_START,   /* never generated: precedes the first word */
    SAC_WORD_END,
    SAC_WORD_A,
    SAC_WORD_AND,
    SAC_WORD_LEFT,
    SAC_WORD_RIGHT,
    SAC_WORD_OF,
    SAC_WORD_ABOVE,
    SAC_WORD_BELOW,
    SAC_WORD_SMALL,
    SAC_WORD_LARGE,
    SAC_WORD_COLOUR,                                /* the first colour */
    SAC_WORD_SHAPE = SAC_WORD_COLOUR + SAC_COLOURS, /* the first shape */
    SAC_WORD_NOTHING = SAC_WORD_SHAPE + SAC_SHAPES, /* what an empty ground shows */
    SAC_WORDS
};

/* "circle", …; "<pad>", "<start>", "<end>" for the three that are never generated. Lends a
 * constant. */
const char *sac_word_text(int word);
/* −1 where the vocabulary has no such word. */
int sac_word_find(const char *text);

#endif
