/* The normalisers, which make weights of a row of scores: a row of the table in normalizers.c each, and
 * a number of cl/common/normalizer.clh. */
#ifndef SAC_SCORES_NORMALIZERS_H
#define SAC_SCORES_NORMALIZERS_H

#include "saccade.h"

typedef struct sac_normalizer_words {
    const char *label;   /* "1.5-entmax" */
    const char *formula; /* of a weight: "[z/2 − τ]₊²" */
    const char *help;    /* one line */
    const char *meaning; /* a sentence or two */
} sac_normalizer_words;

typedef struct sac_normalizer_class {
    const char *name;
    sac_normalizer_words words;
    bool is_sparse; /* weights may be exactly 0 */
    double share;   /* of a score, that the threshold is taken off */
    /* The weight of a score z, by what its row has one of: the log-sum-exp of the softmax, the threshold τ of
     * the others. */
    double (*weight)(double z, double threshold);
    /* s of a weight: ∂p/∂z = diag(s) − s sᵀ/Σs. */
    double (*slope)(double weight);
} sac_normalizer_class;

/* Lends the row of a normaliser; NULL for what is none. */
const sac_normalizer_class *sac_normalizer_class_of(sac_normalizer normalizer);

/* Scores [count] → weights, which may be the same place, in float64. −inf is a score that is blocked;
 * where all are, or there are none, the weights are 0. Returns the log-sum-exp or the threshold: −inf, or
 * +inf, where all are blocked. */
double sac_normalize(sac_normalizer normalizer, size_t count, const double *scores,
                     double *weights);
/* Goes back from the gradients of the weights, before dropout, to those of the scores, which may be the same
 * place. */
void sac_normalize_back(sac_normalizer normalizer, size_t count, const double *weights,
                        const double *dweights, double *dscores);

#endif
