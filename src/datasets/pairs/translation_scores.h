/* Scores of translations against those of people, as sacrebleu computes them with its defaults: BLEU
 * of the whole corpus (Papineni et al. 2002; tokenizer 13a, exponential smoothing; Post 2018), and
 * chrF2 (Popović 2015). Text in a script that sets no words apart is cut into characters for BLEU, as
 * sacrebleu's tokenizers "zh" and "char" do. */
#ifndef SAC_PAIRS_TRANSLATION_SCORES_H
#define SAC_PAIRS_TRANSLATION_SCORES_H

#include <stddef.h>

#include "saccade.h"

/* A translation and those of people; lent. */
typedef struct sac_scored_translation {
    const char *candidate;
    const char *const *references; /* [reference_count], at least one */
    int reference_count;
} sac_scored_translation;

typedef struct sac_translation_scores {
    double bleu, chrf; /* 0 to 100 */
} sac_translation_scores;

/* All is NaN where there are none. SAC_E_MEMORY; SAC_E_CANCELLED. */
sac_status sac_translation_score(const sac_scored_translation *translations, size_t count,
                                 sac_translation_scores *scores, sac_error *error);

/* A text as BLEU's tokens with a space between two; free() it. NULL: no memory. */
char *sac_bleu_tokens(const char *text);

#endif
