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
    SAC_TALE_PAD = 0, /* never generated: fills the places after the end */
    SAC_TALE_START,   /* never generated: precedes the first word */
    SAC_TALE_END,
    SAC_TALE_A,
    SAC_TALE_AN,
    SAC_TALE_THE,
    SAC_TALE_TWO,
    SAC_TALE_THREE,
    SAC_TALE_AND,
    SAC_TALE_OF,
    SAC_TALE_AT,
    SAC_TALE_IN,
    SAC_TALE_ON,
    SAC_TALE_UNDER,
    SAC_TALE_OVER,
    SAC_TALE_LEFT,
    SAC_TALE_RIGHT,
    SAC_TALE_BESIDE,
    SAC_TALE_BEHIND,
    SAC_TALE_FRONT,
    SAC_TALE_BETWEEN,
    SAC_TALE_AFTER,
    SAC_TALE_WITH,
    SAC_TALE_THROUGH,
    SAC_TALE_ROOF,
    SAC_TALE_SNOW, /* what falls, and where it lies */
    SAC_TALE_RAIN,
    SAC_TALE_NIGHT,
    SAC_TALE_SUNSET,
    SAC_TALE_SPOT,                                      /* the first spot but snow */
    SAC_TALE_COLOUR = SAC_TALE_SPOT + SAC_SPOTS,        /* the first colour */
    SAC_TALE_VERB = SAC_TALE_COLOUR + SAC_BOOK_COLOURS, /* of one: "sails" */
    SAC_TALE_VERBS = SAC_TALE_VERB + SAC_VERBS,         /* of several: "sail" */
    SAC_TALE_NOUN = SAC_TALE_VERBS + SAC_VERBS,         /* one: "boat" */
    SAC_TALE_NOUNS = SAC_TALE_NOUN + SAC_NOUNS,         /* several: "boats" */
    SAC_TALE_VOCABULARY = SAC_TALE_NOUNS + SAC_NOUNS
};

/* "boat", …; "<pad>", "<start>", "<end>" for the three that are never generated. Lends a
 * constant. */
const char *sac_book_word_text(int word);
/* −1 where the vocabulary has no such word. Of two places with one text, the first. */
int sac_book_word_find(const char *text);
/* "a dog runs after a red ball" into `text`, which is returned. */
char *sac_book_sentence(const int *word, int words, char *text, size_t size);

#endif
