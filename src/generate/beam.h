/* Beam search over sentences of any vocabulary: the tokens alone, without the model that weighs
 * them. Hypotheses go through a decoder as the rows of one batch. */
#ifndef SAC_GENERATE_BEAM_H
#define SAC_GENERATE_BEAM_H

#include "saccade.h"

enum { SAC_BEAM_WIDTH = 16 };

/* When a search of `width` sentences that ended goes on: its early_stopping. */
typedef enum sac_beam_patience {
    SAC_BEAM_WHILE_BETTER = 0, /* false: while one that goes on would be better if it ended now */
    SAC_BEAM_UNTIL_FULL,       /* true: never */
    SAC_BEAM_TO_THE_END,       /* "never": while one could become better */
} sac_beam_patience;

/* What else a search may be asked for by a file, and a list has: all of it is lent. Ids of no token
 * of the vocabulary have no effect. */
typedef struct sac_token_rules {
    const int *ends; /* tokens beside `end` that end a sentence too */
    int end_count;
    const int *banned; /* runs that must not occur: the length of each, and its tokens */
    int banned_count;  /* numbers of all that */
    const bool *once;  /* [vocabulary], true: tokens that occur once at most; NULL: none */
    const int *never;  /* tokens that must not occur … */
    int never_count;
    const int *not_first; /* … and those that must not come first, … */
    int not_first_count;
    int first_at;    /* … where a sentence has so many tokens, the start among them */
    int first_alone; /* a token that may come first, and nowhere else, as its number + 1; 0: none */
    bool counts_fresh; /* a sentence's least length is of tokens behind the start alone */
    int forced;        /* the token after the start, as its number + 1; 0: any */
    int times; /* the first of the tokens that stand for times, which are the last of all, behind the one
                  for no times; 0: there are none, or a sentence has none */
    int latest_first; /* times: the first one is before times + this; 0: any */
    bool
        renormalizes; /* the tokens that are left have a probability of 1 together, after all that */
} sac_token_rules;

typedef struct sac_beam_options {
    int width;           /* 1 (greedy) to SAC_BEAM_WIDTH */
    int vocabulary;      /* tokens 0 … vocabulary − 1 */
    int length;          /* tokens of a sentence, at most */
    int pad, start, end; /* tokens that never stand inside a sentence; pad may be −1 */
    bool as_generated;   /* the search is that of `generate` in Hugging Face's transformers, where
                              any token may occur, and sentences that ended stand by themselves */
    double
        length_penalty; /* a sentence of n tokens, its end among them, is worth its score / n^this */
    sac_beam_patience patience; /* as_generated */
    bool ends_at_length;        /* as_generated: the last token is the end, for certain */
    bool narrows;               /* each sentence that ends takes a place of the beam, any token may
                                   occur, and only where none has ended is one cut */
    /* What sac_beam_restrain forbids; zeroes: nothing. Lengths count the start. */
    int shortest;                 /* no end before so many tokens */
    int no_repeat;                /* no so many tokens in a row twice */
    const sac_token_rules *rules; /* lent; NULL: none */
    const int
        *before; /* tokens that precede the start, as those of a prompt; lent; lengths count them */
    int before_count;
    double repetition; /* the scores of tokens that stand there: divided by this, or where they are
                          below 0 multiplied */
} sac_beam_options;

/* A hypothesis: it goes on from row `parent` of the step before with `word`. */
typedef struct sac_beam_row {
    int parent, word;
    double score; /* sum of the words' log probabilities */
} sac_beam_row;

typedef struct sac_beam {
    sac_beam_options options;
    int step, rows; /* words so far, and of how many hypotheses; … */
    sac_beam_row (
        *row)[SAC_BEAM_WIDTH];    /* … row[step] are these, best first; [length + 1], owned */
    int ended_step, ended_row;    /* where the best sentence came to its end; −1: none did */
    double ended_score;           /* what it is worth */
    int ended_count;              /* narrows: how many have ended */
    double worth[SAC_BEAM_WIDTH]; /* as_generated: of the best that ended, best first … */
    int worth_count;              /* … and how many there are */
    bool is_cut;                  /* as_generated: one that was cut is better than all of them */
    int *tokens;                  /* [length + 1], owned: scratch of sac_beam_restrain */
} sac_beam;

/* One empty sentence, in a beam that is zeroed or was used before. */
sac_status sac_beam_begin(sac_beam *beam, const sac_beam_options *options, sac_error *error);
void sac_beam_free(sac_beam *beam);
/* The last word of each row, and the row of the step before that it goes on from: 0 in a
 * beam that has just begun. */
void sac_beam_last_words(const sac_beam *beam, int words[SAC_BEAM_WIDTH],
                         int parents[SAC_BEAM_WIDTH]);
/* Goes on by one word, from log_probability[rows,vocabulary]. `given`: the word that has to be
 * taken, −1: any but padding and start; a sentence has at least one word before its end (but see
 * as_generated). Ties go to
 * the earlier row, then to the lower word. Returns false once the search is over: no sentence that
 * still goes on can become better than the best that ended (but see patience), or the longest length is
 * reached. */
bool sac_beam_step(sac_beam *beam, const float *log_probability, int given);
/* True for a word that a sentence may have before its end: one that the search may choose, and so
 * one that may be given. */
bool sac_beam_may_hold(const sac_beam_options *options, int word);
/* True where the options have sac_beam_restrain change scores, and what it does to those of the
 * words that may follow a row, scores [vocabulary]: logits where the search is greedy, log
 * probabilities in a beam, as `generate` takes them. */
bool sac_beam_has_restrictions(const sac_beam_options *options);
/* The same without a search: of one sentence, tokens [count], with the start, or a text
 * that goes on, first. */
void sac_restrain(const sac_beam_options *options, const int *tokens, int count, float *scores);
/* True for a token that ends a sentence. */
bool sac_beam_is_end(const sac_beam_options *options, int word);
void sac_beam_restrain(const sac_beam *beam, int row, float *scores);
/* True where the best sentence has come to its end; false while it goes on, or was cut. */
bool sac_beam_has_ended(const sac_beam *beam);
/* The best sentence: words[length] without the end, and the row that each was taken from. Returns
 * how many words. */
int sac_beam_path(const sac_beam *beam, int *words, int *rows);

/* Scores what may come next: `step` gives the log probabilities [rows,vocabulary] of the token that
 * follows each hypothesis beam->row[beam->step]; they are lent until it is called again. */
typedef struct sac_beam_scorer {
    void *self;
    sac_status (*step)(void *self, const sac_beam *beam, const float **log_probability,
                       sac_error *error);
} sac_beam_scorer;
/* Begins and goes on until the search is over. The first prefix_count words are given. */
sac_status sac_beam_search(sac_beam *beam, const sac_beam_options *options,
                           const sac_beam_scorer *scorer, const int *prefix, int prefix_count,
                           sac_error *error);

#endif
