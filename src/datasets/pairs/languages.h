/* The two languages that a translator knows: their names, their words, and how a sentence is written in
 * the second one. */
#ifndef SAC_PAIRS_LANGUAGES_H
#define SAC_PAIRS_LANGUAGES_H

#include <stdatomic.h>

#include "pairs/tokens.h"
#include "pictures/text_table.h"
#include "saccade.h"

enum { SAC_SOURCE_SIDE = 0, SAC_TARGET_SIDE, SAC_SIDES };

enum {
    SAC_PAIR_WORDS = 40,    /* tokens of a sentence, at most */
    SAC_LANGUAGE_NAME = 24, /* bytes of a language's name with its end */
    SAC_PAIR_EXAMPLES = 24  /* that a model keeps */
};

/* The first numbers of either side stand for no word; words come from the most frequent down. */
enum { SAC_PAIR_PAD = 0, SAC_PAIR_START, SAC_PAIR_END, SAC_PAIR_UNKNOWN, SAC_PAIR_MARKS };

typedef struct sac_language_pair {
    atomic_int holders;
    char name[SAC_SIDES][SAC_LANGUAGE_NAME]; /* "de", "German"; empty: unknown */
    sac_text_table words[SAC_SIDES];         /* of the source in small letters */
    uint8_t *joins; /* [words[SAC_TARGET_SIDE].count], of SAC_JOINS_LEFT …; owned */
    bool capital;   /* sentences of the target begin with a capital letter */
    char stop[8];   /* the mark that most sentences of the source end with; empty: none */
    uint32_t seed;  /* by which pairs were held out */
    char *examples[SAC_PAIR_EXAMPLES][SAC_SIDES]; /* held-out pairs as they were written; owned */
    int example_count;
} sac_language_pair;

/* The marks alone, held once; NULL: no memory. */
sac_language_pair *sac_language_pair_create(void);
sac_language_pair *sac_language_pair_retain(sac_language_pair *languages); /* takes NULL */
void sac_language_pair_release(sac_language_pair *languages);              /* takes NULL */
/* Adds the next word. SAC_E_FORMAT: it is empty, has a blank or stands there already; SAC_E_MEMORY. */
sac_status sac_language_pair_add_word(sac_language_pair *languages, int side, const char *word,
                                      sac_error *error);
/* Adds an example, copied; more than there is room for are left out. False: no memory. */
bool sac_language_pair_add_example(sac_language_pair *languages, const char *source,
                                   const char *target);

/* "German" for "de", "deu" and "german"; NULL: a language that is not known. */
const char *sac_language_full_name(const char *name, size_t size);
/* What people call a side: "German", or what it was called, or "source" and "target". */
const char *sac_language_pair_name(const sac_language_pair *languages, int side);

/* The number of a word of a side; SAC_PAIR_UNKNOWN. */
int sac_language_pair_find(const sac_language_pair *languages, int side, const char *word,
                           size_t size);
const char *sac_language_pair_word(const sac_language_pair *languages, int side, int number);

/* Words [count] of the target, marks left out, as a sentence into text [size], which is returned; where each
 * ends in it into ends [count], NULL: not asked. */
char *sac_language_pair_join_words(const sac_language_pair *languages, const int *words, int count,
                                   char *text, size_t size, size_t *ends);

#endif
