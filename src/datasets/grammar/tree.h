/* The meaning of a sentence, before it is said in either language. A tree is a few small arrays;
 * its parts name one another by index, and −1 is none. */
#ifndef SAC_GRAMMAR_TREE_H
#define SAC_GRAMMAR_TREE_H

#include <stdbool.h>

enum { SAC_TREE_PHRASES = 12, SAC_TREE_CLAUSES = 4, SAC_TREE_ADJECTIVES = 4 };

/* A noun with what belongs to it, or a pronoun: "the new european area of the king". */
typedef struct sac_noun_phrase {
    int pronoun; /* of sac_pronouns; −1: a noun */
    int determiner, noun;
    bool plural;
    int adjectives[SAC_TREE_ADJECTIVES], adjective_count; /* in English order */
    int preposition, complement;                          /* "of" another phrase */
    int relative; /* a clause whose subject it is: "the man who sleeps" */
} sac_noun_phrase;

typedef enum sac_clause_kind {
    SAC_ACTIVE = 0, /* "the king signs the law", or without an object "the king sleeps" */
    SAC_PASSIVE,    /* "the law is signed by the king" */
    SAC_COPULA      /* "the king is happy" */
} sac_clause_kind;

typedef enum sac_place_kind { SAC_NO_PLACE = 0, SAC_AT_PHRASE, SAC_AT_NAME } sac_place_kind;

typedef enum sac_time_kind {
    SAC_NO_TIME = 0,
    SAC_MONTH_YEAR, /* "in august 1992" */
    SAC_YEAR,       /* "in 1992", "before 1992" */
    SAC_DATE,       /* "on 3 august 1992" */
    SAC_WEEKDAY,    /* "on monday" */
    SAC_YESTERDAY
} sac_time_kind;

typedef struct sac_clause {
    sac_clause_kind kind;
    int subject, object; /* phrases; of the passive, `object` is who does it */
    int verb, adjective; /* adjective: of the copula */
    int adverb;
    bool past, negated;
    sac_place_kind place_kind;
    int place_preposition, place; /* a phrase, or of sac_named_places */
    sac_time_kind time_kind;
    int time_word, day, month, year;
} sac_clause;

typedef struct sac_tree {
    sac_noun_phrase phrases[SAC_TREE_PHRASES];
    sac_clause clauses[SAC_TREE_CLAUSES];
    int phrase_count, clause_count;
    int main, conjunction, second; /* "MAIN because SECOND" */
} sac_tree;

#endif
