/* The arithmetic of one weight, from a query and its keys. */

#include "sources/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scores/normalizers.h"
#include "scores/scores.h"

/* Up to here exp(score) is a number that a person can read, and nothing need be subtracted. */
#define READABLE 12.0

double sac_explanation_term(const sac_explanation *e, const float *key, size_t c)
{
    double q = e->query[c], k = key[c], w = e->w_v ? (double)e->w_v[c] : 0;
    return sac_score_class_of(e->score)->raw(&q, &k, 1, &(sac_score_terms){&w, e->inverse_width});
}

static bool allocate_computed(sac_explanation *e)
{
    e->terms = calloc(e->dim, sizeof *e->terms);
    e->scaled = calloc(e->keys, sizeof *e->scaled);
    e->masked = calloc(e->keys, sizeof *e->masked);
    e->powers = calloc(e->keys, sizeof *e->powers);
    e->shares = calloc(e->keys + 1, sizeof *e->shares);
    e->result = calloc(e->value_dim + 1, sizeof *e->result);
    return e->terms && e->scaled && e->masked && e->powers && e->shares && e->result;
}

/* All shares are 0 where all keys are hidden. */
static void compute_softmax_shares(sac_explanation *e)
{
    double most = e->has_sink ? e->sink : -INFINITY;
    for (size_t j = 0; j < e->keys; j++)
        most = fmax(most, e->masked[j]);
    e->shift = most == -INFINITY || fabs(most) <= READABLE ? 0 : most;
    e->sum = e->has_sink ? exp(e->sink - e->shift) : 0;
    for (size_t j = 0; j < e->keys; j++) {
        e->powers[j] = exp(e->masked[j] - e->shift);
        e->sum += e->powers[j];
    }
    for (size_t j = 0; j < e->keys; j++)
        e->shares[j] = e->sum > 0 ? e->powers[j] / e->sum : 0;
}

static void compute_sparse_shares(sac_explanation *e)
{
    memcpy(e->shares, e->masked, e->keys * sizeof *e->shares);
    e->shares[e->keys] = e->has_sink ? e->sink : -INFINITY;
    e->threshold = sac_normalize(e->normalizer, e->keys + 1, e->shares, e->shares);
    for (size_t j = 0; j < e->keys; j++) {
        bool squared = e->normalizer == SAC_NORMALIZER_ENTMAX15;
        e->powers[j] = squared ? sqrt(e->shares[j]) : e->shares[j];
        e->sum += e->powers[j];
    }
}

sac_status sac_explanation_compute(sac_explanation *e, sac_error *error)
{
    if (!allocate_computed(e))
        return sac_no_memory(error, "weight");
    for (size_t j = 0; j < e->keys; j++) {
        double raw = 0;
        for (size_t c = 0; c < e->dim; c++) {
            double term = sac_explanation_term(e, e->key + j * e->dim, c);
            raw += term;
            if (j == e->position)
                e->terms[c] = term;
        }
        if (j == e->position)
            e->raw = raw;
        e->scaled[j] = raw * e->scale / e->temperature;
        e->masked[j] = e->softcap > 0 ? e->softcap * tanh(e->scaled[j] / e->softcap) : e->scaled[j];
        e->masked[j] += e->bias ? e->bias[j] : 0;
    }
    if (sac_normalizer_class_of(e->normalizer)->is_sparse) /* shares are the weights */
        compute_sparse_shares(e);
    else
        compute_softmax_shares(e);
    for (size_t j = 0; e->value && j < e->keys; j++)
        for (size_t c = 0; c < e->value_dim; c++)
            e->result[c] += e->gate * e->shares[j] * (double)e->value[j * e->value_dim + c];
    return SAC_OK;
}

void sac_explanation_free(sac_explanation *e)
{
    void *const arrays[] = {e->weights, e->query,  e->key,    e->w_v,    e->bias,   e->value,
                            e->terms,   e->scaled, e->masked, e->powers, e->shares, e->result};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    *e = (sac_explanation){0};
}
