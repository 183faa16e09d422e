/* The figures that a captioner is held to, on scenes of the test stream, beside what it is to be
 * compared with. */
#ifndef SAC_CAPTIONER_EVALUATE_H
#define SAC_CAPTIONER_EVALUATE_H

#include "captioner/captioner.h"

typedef struct sac_pointing {
    size_t words;       /* colour and shape words that were looked at */
    double pointing;    /* share of them whose peak lies in the box */
    double mass_in_box; /* mean share of the heat in the box */
} sac_pointing;

typedef struct sac_evaluation {
    size_t count, seen, unseen; /* scenes; without and with a pair that training never showed */
    double exact;               /* of scenes of seen pairs alone */
    double exact_unseen_pairs;
    sac_pointing model, uniform, centre,
        shuffled;        /* shuffled: the model's own maps of a sentence, words permuted */
    double milliseconds; /* median per picture, beam search included */
} sac_evaluation;

typedef struct sac_evaluation_options {
    size_t count; /* 0: 1000 */
    uint64_t seed;
    int beam; /* 0: 3 */
} sac_evaluation_options;

sac_status sac_captioner_evaluate(sac_captioner *captioner, const sac_evaluation_options *options,
                                  const sac_progress *progress, sac_evaluation *evaluation,
                                  sac_error *error);

#endif
