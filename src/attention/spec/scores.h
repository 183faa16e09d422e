/* The scores: which weights each needs, how large it is by itself, its formula in double precision
 * with its derivatives, and which form of the kernels computes it. A new score is an enumerator of
 * saccade.h, its name in base/names.c and a row of the table in scores.c; where no form of the
 * kernels fits it, one more of cl/score.clh. */
#ifndef SAC_ATTENTION_SCORES_H
#define SAC_ATTENTION_SCORES_H

#include "saccade.h"

/* The forms of a score that kernels know, as in cl/score.clh. */
typedef enum sac_score_form {
    SAC_FORM_DOT = 0,
    SAC_FORM_GAUSSIAN,
    SAC_FORM_ADDITIVE,
    SAC_FORM_COUNT
} sac_score_form;

/* Trained weights that belong to a score. */
typedef enum sac_score_weights {
    SAC_WEIGHTS_NONE = 0, /* queries and keys are compared as they are, and as long as each other */
    SAC_WEIGHTS_HIDDEN,   /* W_q [h,dq] and W_k [h,dk] come first; w_v [h] weighs the sum */
    SAC_WEIGHTS_BETWEEN   /* W_qk [dq,dk]: queries become W_qkᵀ q first */
} sac_score_weights;

/* The numbers that a raw score depends on beside query and key. */
typedef struct sac_score_terms {
    const double *w_v; /* [dim]; SAC_WEIGHTS_HIDDEN alone */
    double inverse_width;
} sac_score_terms;

typedef struct sac_score_class {
    sac_score_weights weights;
    double (*scale)(size_t query_dim, size_t key_dim); /* its own, where the spec gives none */
    /* The score before its scale, of q and k [dim] to which W_q, W_k or W_qk were applied. */
    double (*raw)(const double *q, const double *k, size_t dim, const sac_score_terms *terms);
    /* Its derivatives by coordinate c: ∂raw/∂q[c], ∂raw/∂k[c], ∂raw/∂w_v[c]. */
    void (*slopes)(double q, double k, size_t c, const sac_score_terms *terms, double slopes[3]);
    double operations; /* of a coordinate: additions, products, functions */
    sac_score_form form;
    /* raw is this times what that form of the kernels computes. */
    double (*kernel_factor)(double inverse_width);
} sac_score_class;

/* Lends the row of a score; NULL for what is none. */
const sac_score_class *sac_score_class_of(sac_score score);
/* The form of a score that there is. */
sac_score_form sac_score_form_of(sac_score score);
/* "dot", "gaussian" or "additive". */
const char *sac_score_form_name(sac_score_form form);

#endif
