/* METEOR as Banerjee and Lavie defined it (2005, "METEOR: An Automatic Metric for MT Evaluation with Improved
 * Correlation with Human Judgments"), of which these two stages are here: equal words, then words of equal stem
 * (Porter 1980, "An algorithm for suffix stripping", of English). Their third stage, synonyms of WordNet, is not; neither
 * are the paraphrases, the weights of function words and the tuned parameters of METEOR 1.5, which pycocoevalcap runs: its
 * figures are other ones. */
#ifndef SAC_PICTURES_METEOR_H
#define SAC_PICTURES_METEOR_H

#include "saccade.h"

enum {
    SAC_METEOR_WORDS = 128
}; /* of a caption that may match; those behind them count as unmatched */

/* The best of a plain caption against each of the references, 0 to 1: with m words that match, in as few chunks
 * of neighbours as can be, F = 10 P R / (R + 9 P), P = m / words of the caption, R = m / words of the reference, and
 * F · (1 − ½ (chunks / m)³). SAC_E_MEMORY; SAC_E_CANCELLED. */
sac_status sac_meteor(const char *candidate, const char *const *references, int count,
                      double *score, sac_error *error);

/* The stem of an English word of small letters a to z, into `stem`, whose size is at least the word's and its end;
 * any other word as it is. */
void sac_porter_stem(const char *word, size_t size, char *stem);

#endif
