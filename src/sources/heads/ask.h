/* "Which head takes *it* to *animal*?": heads ranked by the weight of one pair of tokens, or by how much
 * they show a pattern. */
#ifndef SAC_SOURCES_ASK_H
#define SAC_SOURCES_ASK_H

#include "sources/heads/head_choice.h"

typedef struct sac_ask {
    bool of_kind;          /* by the score of a pattern … */
    sac_weights_kind kind; /* … this one (sac_weights_score) … */
    size_t step, position; /* … or by the weight of this pair, in the source's own numbers */
} sac_ask;

/* Reads "it animal", a query and a key, each by its word or its number, of a word of several tokens the
 * last one; or the name of a pattern:
 * "previous", "diagonal", "next", "first", "duplicate", "induction", "delimiter", "gaze". Of a word that comes
 * again the query is the last, the key the nearest before the query, or else after it. SAC_E_ARGUMENT
 * where it is something else. */
sac_status sac_ask_read(const sac_source *source, size_t item, const char *text, sac_ask *ask,
                        sac_error *error);
/* A token's own letters, without the mark that it begins a word, or goes on with one: as it is typed. */
const char *sac_ask_letters(const char *label);
/* The name of a pattern; NULL: heads of it are not ranked. */
const char *sac_ask_pattern(sac_weights_kind kind);
/* What each head has of it into `scores` [layers,heads]. */
sac_status sac_ask_scores(const sac_source *source, size_t item, const sac_ask *ask, float *scores,
                          sac_error *error);
/* The places [count] of scores [count], the largest first. */
void sac_ask_rank(const float *scores, size_t count, size_t *places);

#endif
