/* One weight taken apart: what it is computed from, and every step of the way. */
#ifndef SAC_SOURCES_EXPLANATION_H
#define SAC_SOURCES_EXPLANATION_H

#include "saccade.h"
#include "sources/picture.h"
#include "sources/result.h"

/* The weight that is asked about. All that the request lends must stay until it is answered. */
typedef struct sac_explanation_request {
    size_t layer, batch, head, step, position; /* a picture: step is the query's cell; a caption:
                                                  step is the word */
    const sac_picture_request *picture;        /* of a source that has `attend`: its settings */
    const sac_result_request *caption;         /* of a source that generates: the sentence */
} sac_explanation_request;

/* A row of weights and what it comes from. With q the query, k a key, both projected where the
 * model does so:
 *     raw[j]    = Σ_c term(q[c], k[j,c])      as in scores/scores.h, such as q·k
 *     score[j]  = cap(raw[j] · scale / temperature) + bias[j]     cap(s) = softcap · tanh(s /
 * softcap) share[j]  = exp(score[j]) / (exp(sink) + Σ_j exp(score[j])) result[c] = gate · Σ_j
 * share[j] · value[j,c]
 * Of another normalizer than the softmax share[j] is [score[j] − τ]₊, or [score[j]/2 − τ]₊². Arrays are
 * owned. */
typedef struct sac_explanation {
    /* Off the device, or out of the file. */
    sac_score score;
    sac_normalizer normalizer;
    size_t keys, position; /* how many there are, and which one is asked about */
    size_t dim;            /* of query and key; 0: only weights are known */
    size_t value_dim;      /* 0: no values are known */
    double scale, temperature, inverse_width, gate;
    double softcap; /* 0: none */
    double sink;    /* where has_sink */
    bool has_sink;
    const char *const
        *features;  /* [dim]: what each number of query and key is, lent; NULL: they have
                                    no names */
    float *weights; /* [keys]: as the views show them */
    float *query;   /* [dim]; additive: W_q q, bilinear: W_qkᵀ q */
    float *key;     /* [keys,dim]; additive: W_k k */
    float *w_v;     /* [dim]; NULL: the score is not additive */
    float *bias;  /* [keys]: 0, what a mask adds, −inf where it hides; NULL: nothing is masked */
    float *value; /* [keys,value_dim]; NULL: no values are known */

    /* Computed from those in float64 by sac_explanation_compute. */
    double *terms;          /* [dim] of the key at `position` */
    double *scaled;         /* [keys]: before cap and mask */
    double *masked;         /* [keys] */
    double *powers;         /* [keys]: exp(masked − shift); what lies above the threshold */
    double *shares;         /* [keys] and the sink's, unless the normalizer is the softmax */
    double *result;         /* [value_dim] */
    double raw, shift, sum; /* of the position; subtracted from every score: the largest, or 0 where
                               no exp is large; of the powers, with the sink's */
    double threshold;       /* τ; of the softmax 0 */
} sac_explanation;

/* Fills the second part from the first, whose dim is above 0. SAC_E_MEMORY. */
sac_status sac_explanation_compute(sac_explanation *explanation, sac_error *error);
void sac_explanation_free(sac_explanation *explanation); /* takes zeroed ones */
/* Coordinate c of the raw score of the key at `position`. */
double sac_explanation_term(const sac_explanation *explanation, const float *key, size_t c);

#endif
