/* Pairs of an English sentence and its French translation, made by a grammar, with the alignment
 * that is true by construction: which English words each French word stands for. The same stream
 * and seed give the same pair on every machine. */
#ifndef SAC_GRAMMAR_SENTENCE_H
#define SAC_GRAMMAR_SENTENCE_H

#include <stddef.h>
#include <stdint.h>

#include "grammar/tree.h"
#include "saccade.h"

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
 * translate" (2015), as this grammar says it. */
void sac_sentence_of_figure(sac_sentence_pair *pair);

/* Says a tree in both languages. False where it is longer than a pair may be. */
bool sac_sentence_say(const sac_tree *tree, sac_sentence_pair *pair);
/* True where training never puts the two together. */
bool sac_text_pair_is_held_out(int noun, int adjective);
/* The reason for which a sentence is held out; SAC_HELD_NOT: training may have it. */
sac_held_out sac_sentence_held_out(const sac_sentence_pair *pair);

/* Words joined by blanks into `text`, which is returned. */
char *sac_sentence_join(const char (*words)[SAC_SENTENCE_WORD_SIZE], int count, char *text,
                        size_t size);

#endif
