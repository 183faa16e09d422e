/* Pairs of an English sentence and its French translation, made by a grammar, with the alignment
 * that is true by construction: which English words each French word stands for. The same stream
 * and seed give the same pair on every machine. */
#ifndef SAC_GRAMMAR_SENTENCE_H
#define SAC_GRAMMAR_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saccade.h"

/* The meaning of a sentence, before it is written in either language. A tree is a few small arrays;
 * its parts refer to each other by index, and −1 is none. */

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

enum {
    SAC_SENTENCE_LEAST = 3,         /* English words, the full stop among them … */
    SAC_SENTENCE_MOST = 24,         /* … and of French ones a third more */
    SAC_SENTENCE_TRAINED_MOST = 20, /* training has none that are longer */
    SAC_SENTENCE_TARGET_MOST = 40,
    SAC_SENTENCE_WORD_SIZE = 24 /* bytes of the longest word, with its end */
};

/* Why a test sentence cannot occur in training. */
typedef enum sac_held_out {
    SAC_HELD_NOT = 0, /* it can */
    SAC_HELD_PAIR,    /* it has a noun and an adjective that training never puts together … */
    SAC_HELD_LENGTH,  /* … or is longer than all of training … */
    SAC_HELD_SENTENCE /* … or is one of the eighth of all sentences that are kept for tests */
} sac_held_out;

typedef enum sac_text_stream { SAC_TEXT_TEST = 0, SAC_TEXT_TRAINING } sac_text_stream;

typedef struct sac_sentence_pair {
    int source_count, target_count; /* words, the full stop among them */
    char source[SAC_SENTENCE_MOST][SAC_SENTENCE_WORD_SIZE];
    char target[SAC_SENTENCE_TARGET_MOST][SAC_SENTENCE_WORD_SIZE];
    uint32_t links[SAC_SENTENCE_TARGET_MOST]; /* bit i of links[t]: target word t stands for source
                                                 word i; 0: for none */
    bool has_unseen_pair;
    sac_held_out held_out;
} sac_sentence_pair;

/* Test sentences are held out, each by one of the three reasons in turn: a stream's seed modulo 3.
 * Training sentences are not. Lengths are spread evenly. Takes less than a millisecond. */
void sac_sentence_make(sac_text_stream stream, uint64_t seed, sac_sentence_pair *pair);
/* "the agreement on the european economic area was signed in august 1992 .", the sentence of figure
 * 3 of Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
 * translate" (2015), in the words of this grammar. */
void sac_sentence_make_for_figure(sac_sentence_pair *pair);

/* Writes a tree in both languages. False if it is longer than a pair may be. */
bool sac_sentence_write(const sac_tree *tree, sac_sentence_pair *pair);
/* True where training never puts the two together. */
bool sac_text_pair_is_held_out(int noun, int adjective);

/* Words joined by blanks into `text`, which is returned. */
char *sac_sentence_join(const char (*words)[SAC_SENTENCE_WORD_SIZE], int count, char *text,
                        size_t size);

#endif
