/* A row of weights summarised by a few numbers. */
#ifndef SAC_SCORES_FIGURES_H
#define SAC_SCORES_FIGURES_H

/* Of query i, which stands where key p is: the weights of its row, whose sum is 1 unless a sink takes
 * some, dropout changes it, or all keys are blocked. */
typedef struct sac_row_figures {
    float lse; /* natural log of the sum of exp(score); −inf where all is blocked */
    float sum;
    float entropy;    /* in bits, of the weights brought to sum 1; 0 where there are none */
    float distance;   /* Σ weight · |p − j|, in keys */
    float keys;       /* that have weight above 0 */
    float peak;       /* the largest weight, … */
    unsigned peak_at; /* … and the first key that has it */
    float first, diagonal, previous,
        next;   /* the weights of keys 0, p, p − 1, p + 1; 0: no such key */
    float near; /* of keys p − 3 to p + 3, together */
} sac_row_figures;

#define SAC_FIGURES_NEAR 3

#endif
