/* The true translation of a sentence, and which words of the sentence each word of that stands for.
 */
#ifndef SAC_SOURCES_ALIGNMENT_H
#define SAC_SOURCES_ALIGNMENT_H

#include "sources/caption.h"

typedef struct sac_alignment_truth {
    int count;
    char words[SAC_MAX_TOKENS][SAC_MAX_TOKEN_TEXT];
    uint64_t links[SAC_MAX_TOKENS]; /* bit i of links[t]: word t stands for source word i */
} sac_alignment_truth;

/* True where word t of a translation stands for source word i. As long as the translation says what
 * is true; from the first word that differs on nobody knows, and it is false. */
bool sac_alignment_is_true(const sac_alignment_truth *truth, const sac_caption *translation, int t,
                           int i);
/* True where the translation says all of the truth and nothing else. */
bool sac_alignment_is_exact(const sac_alignment_truth *truth, const sac_caption *translation);

#endif
