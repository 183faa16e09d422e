/* The scores: a section and a row of the table in scores.c each. A new one is an enumerator of
 * saccade.h and a row; where its terms are those of no other, a form of cl/attention/score.clh too. The
 * viewer shows and explains whatever the table has. */
#ifndef SAC_SCORES_SCORES_H
#define SAC_SCORES_SCORES_H

#include "saccade.h"

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

/* What is known of queries and keys before their scores are. */
typedef struct sac_score_sizes {
    size_t dim;
    double query, key; /* the largest magnitudes */
    double weights;    /* Σ |w_v|; SAC_WEIGHTS_HIDDEN alone */
} sac_score_sizes;

/* The texts that describe the terms of a score's sum to the user. In `numbers` and `notice` {q},
 * {k}, {w} and {1/width} stand for the numbers of a coordinate, {+k} and {-k} for the key's with
 * its sign, and {d} for the number of coordinates. */
typedef struct sac_term_words {
    const char *name;     /* of all of them: "products" */
    const char *inner;    /* the class's `inner`; NULL: it has none */
    const char *term;     /* one of them: "product" */
    const char *sentence; /* how it is made, */
    const char *numbers;  /* the same as arithmetic: "{q} × {k}", */
    const char *notice;   /* and what to see in it */
} sac_term_words;

typedef struct sac_score_words {
    int place;               /* 0, 1 …: scores as a person meets them, simple ones first */
    const char *label;       /* "scaled dot" */
    const char *formula;     /* "q·k / √d" */
    const char *help;        /* one line */
    const char *meaning;     /* a sentence or two */
    const char *query, *key; /* what is compared: "W_q q" */
    const char *vectors;     /* why they look so; NULL: they come as they are */
    const char *sum;         /* the raw score in a few letters: "w·tanh" */
    const sac_term_words *terms;
    const char *scale;        /* the score's own, as it follows a number: " / √{d}", … */
    const char *scale_notice; /* … and why it has one; NULL: it is shown as a number */
} sac_score_words;

typedef struct sac_score_class {
    const char *name;
    sac_score_words words;
    /* The score whose terms kernels compute for this one, as cl/attention/score.clh counts them: itself, or
     * one that is the same of queries prepared otherwise, or with another scale. */
    sac_score form;
    sac_score_weights weights;
    bool has_width;    /* its terms depend on the inverse width */
    double operations; /* of a coordinate: additions, products, functions */
    double (*scale)(size_t query_dim, size_t key_dim); /* its own, where the spec gives none */
    /* The score before its scale, of q and k [dim] to which W_q, W_k or W_qk were applied. */
    double (*raw)(const double *q, const double *k, size_t dim, const sac_score_terms *terms);
    /* What a person is shown on the way to a term; NULL: nothing. */
    double (*inner)(double q, double k, const sac_score_terms *terms);
    /* Its derivatives by coordinate c: ∂raw/∂q[c], ∂raw/∂k[c], ∂raw/∂w_v[c]. */
    void (*derivatives)(double q, double k, size_t c, const sac_score_terms *terms,
                        double derivatives[3]);
    /* raw is this times what the form's kernels compute; NULL: 1. */
    double (*kernel_factor)(double inverse_width);
    /* What no sum of the form's terms exceeds in magnitude, on the way to it neither. */
    double (*most)(const sac_score_sizes *sizes);
} sac_score_class;

/* Lends the row of a score; NULL for what is none. */
const sac_score_class *sac_score_class_of(sac_score score);
/* The score at a place, 0 … SAC_SCORE_COUNT − 1, of those that a person chooses from. */
sac_score sac_score_at_place(int place);
/* The form of a score that there is: a score that is its own form. */
sac_score sac_score_form(sac_score score);
/* Every score that is its own form; returns their number. */
size_t sac_score_forms(sac_score forms[SAC_SCORE_COUNT]);

#endif
