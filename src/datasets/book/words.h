/* The words of the picture book. A word is its index; the order is part of the trained weights'
 * format and only ever grows at the end. */
#ifndef SAC_BOOK_WORDS_H
#define SAC_BOOK_WORDS_H

#include "book/nouns/nouns.h"

typedef enum sac_verb {
    SAC_SAIL = 0,
    SAC_FLY,
    SAC_HOLD,
    SAC_SIT,
    SAC_SLEEP,
    SAC_RUN,
    SAC_JUMP,
    SAC_STAND,
    SAC_DRIVE,
    SAC_ROLL,
    SAC_SWIM,
    SAC_SHINE,
    SAC_GROW,
    SAC_HANG,
    SAC_FLOAT,
    SAC_FALL,
    SAC_LIE,
    SAC_PLAY,
    SAC_WALK,
    SAC_VERBS
} sac_verb;

/* How who and to whom belong together. */
typedef enum sac_relation {
    SAC_ALONE = 0,
    SAC_DIRECT, /* "holds a balloon", "flies a kite" */
    SAC_ON,
    SAC_ON_ROOF, /* "on the roof of" */
    SAC_UNDER,
    SAC_OVER,
    SAC_LEFT,
    SAC_RIGHT,
    SAC_BESIDE,
    SAC_BEHIND,
    SAC_FRONT,
    SAC_BETWEEN,
    SAC_IN,
    SAC_AFTER,
    SAC_WITH,
    SAC_RELATIONS
} sac_relation;

/* Where it is. */
typedef enum sac_spot {
    SAC_MEADOW = 0,
    SAC_HILLS,
    SAC_SEA,
    SAC_BEACH,
    SAC_STREET,
    SAC_FOREST,
    SAC_IN_SNOW,
    SAC_MOUNTAINS,
    SAC_SPOTS
} sac_spot;

enum {
    SAC_SAY_PAD = 0, /* never generated: fills the places after the end */
    SAC_SAY_START,   /* never generated: precedes the first word */
    SAC_SAY_END,
    SAC_SAY_A,
    SAC_SAY_AN,
    SAC_SAY_THE,
    SAC_SAY_TWO,
    SAC_SAY_THREE,
    SAC_SAY_AND,
    SAC_SAY_OF,
    SAC_SAY_AT,
    SAC_SAY_IN,
    SAC_SAY_ON,
    SAC_SAY_UNDER,
    SAC_SAY_OVER,
    SAC_SAY_LEFT,
    SAC_SAY_RIGHT,
    SAC_SAY_BESIDE,
    SAC_SAY_BEHIND,
    SAC_SAY_FRONT,
    SAC_SAY_BETWEEN,
    SAC_SAY_AFTER,
    SAC_SAY_WITH,
    SAC_SAY_THROUGH,
    SAC_SAY_ROOF,
    SAC_SAY_SNOW, /* what falls, and where it lies */
    SAC_SAY_RAIN,
    SAC_SAY_NIGHT,
    SAC_SAY_SUNSET,
    SAC_SAY_SPOT,                                     /* the first spot but snow */
    SAC_SAY_COLOUR = SAC_SAY_SPOT + SAC_SPOTS,        /* the first colour */
    SAC_SAY_VERB = SAC_SAY_COLOUR + SAC_BOOK_COLOURS, /* of one: "sails" */
    SAC_SAY_VERBS = SAC_SAY_VERB + SAC_VERBS,         /* of several: "sail" */
    SAC_SAY_NOUN = SAC_SAY_VERBS + SAC_VERBS,         /* one: "boat" */
    SAC_SAY_NOUNS = SAC_SAY_NOUN + SAC_NOUNS,         /* several: "boats" */
    SAC_SAYS = SAC_SAY_NOUNS + SAC_NOUNS
};

/* "boat", …; "<pad>", "<start>", "<end>" for the three that are never generated. Lends a
 * constant. */
const char *sac_book_word_text(int word);
/* −1 where the vocabulary has no such word. Of two places with one text, the first. */
int sac_book_word_find(const char *text);
/* "a dog runs after a red ball" into `text`, which is returned. */
char *sac_book_sentence(const int *word, int words, char *text, size_t size);

#endif
