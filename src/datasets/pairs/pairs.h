/* Pairs of a sentence and its translation that a person has: one file of both, or one of each.
 *
 *     sac_pairs pairs;
 *     sac_status status = sac_pairs_open(&(sac_pairs_options){.files = {"deu.txt"}}, &pairs, error);
 *     … pairs.items[i].text[SAC_SOURCE_SIDE], pairs.items[i].words[SAC_TARGET_SIDE] …
 *     sac_pairs_free(&pairs);
 *
 * One file is a table with a tab between its columns, a pair a line: the first two columns that are text.
 * Numbers (Tatoeba: id, sentence, id, translation) and codes of languages are passed over, and what stands
 * behind the pair (the source that ManyThings' files for Anki name). A first line may name the languages.
 * Two files have a sentence a line, the same line of both is a pair. */
#ifndef SAC_PAIRS_PAIRS_H
#define SAC_PAIRS_PAIRS_H

#include "pairs/languages.h"
#include "pictures/rows.h"

typedef struct sac_pairs_options {
    const char *files[SAC_SIDES]; /* the second NULL: the first has both */
    const char *languages;        /* "de,en"; NULL: as the files name them */
    uint32_t seed;                /* by which pairs are held out */
    float held_out;               /* share of the source sentences; 0: a tenth */
    int least; /* words occur as often in the pairs that are trained on; 0: by their amount */
    sac_language_pair
        *known; /* held: whose words are taken, and whose seed; NULL: new ones are made */
} sac_pairs_options;

typedef struct sac_pair {
    char *text[SAC_SIDES]; /* as in the file, on one line */
    int *words[SAC_SIDES]; /* [count] numbers */
    int count[SAC_SIDES], unknown[SAC_SIDES];
    size_t
        same; /* the first pair with this very sentence, which may be this one: they share its split */
    bool held; /* out of the training */
} sac_pair;

/* What was left out. */
typedef enum sac_pairs_skip {
    SAC_PAIRS_BARE = 0, /* a line without a second text */
    SAC_PAIRS_EMPTY,    /* a side is empty */
    SAC_PAIRS_LONG,     /* a side has more than SAC_PAIR_WORDS tokens */
    SAC_PAIRS_TWICE,    /* the same pair was there before */
    SAC_PAIRS_SKIPS
} sac_pairs_skip;

typedef struct sac_pairs {
    sac_pair *items; /* [count], in the order of the file */
    size_t count, held;
    sac_language_pair *languages; /* held */
    bool *is_rare;                /* [words of the source]: it occurs once in the training; owned */
    int least;                    /* how often a word has to occur */
    double unknown[SAC_SIDES];    /* share of the words of held-out pairs that are unknown … */
    double unlearnt[SAC_SIDES];   /* … and of those that are trained on */
    sac_pictures_skipped skipped[SAC_PAIRS_SKIPS];
    char *note; /* such as that a file is not UTF-8; NULL: nothing */
} sac_pairs;

/* SAC_E_FILE; SAC_E_FORMAT: there are no pairs in it; SAC_E_ARGUMENT: two files of different length, or too
 * few pairs to hold one out; SAC_E_MEMORY; SAC_E_CANCELLED. *pairs is empty after a failure. */
sac_status sac_pairs_open(const sac_pairs_options *options, sac_pairs *pairs, sac_error *error);
void sac_pairs_free(sac_pairs *pairs);

/* The pairs that a model keeps as examples, none held out. SAC_E_FORMAT: one has no words, or too many;
 * SAC_E_MEMORY. *pairs is empty after a failure. */
sac_status sac_pairs_open_examples(sac_language_pair *languages, sac_pairs *pairs,
                                   sac_error *error);

/* Writes line `index` of the report to the user: how many pairs there are, the words of each language with
 * the share of unknown ones, and what was left out with its first lines. False: there are no more lines. */
bool sac_pairs_report_line(const sac_pairs *pairs, int index, char *text, size_t size);

/* A sentence of the source as numbers, at most `most`; returns how many tokens it has. Those that the
 * vocabulary has not are SAC_PAIR_UNKNOWN, and are added to the text `unknown` (may be NULL), with ", " between
 * two, as far as there is room. −1: no memory. */
int sac_language_pair_number(const sac_language_pair *languages, const char *sentence, int *numbers,
                             int most, char *unknown, size_t size);

#endif
