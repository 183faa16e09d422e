/* The table of scores: name, weights, scale, formula and derivatives of each. */

#include "attention/spec/scores.h"

#include <math.h>

/* ---------------------------------------------------------------- dot products */

static double dot(const double *q, const double *k, size_t dim, const sac_score_terms *terms)
{
    double sum = 0;
    (void)terms;
    for (size_t c = 0; c < dim; c++)
        sum += q[c] * k[c];
    return sum;
}

static void dot_slopes(double q, double k, size_t c, const sac_score_terms *terms, double slopes[3])
{
    (void)c;
    (void)terms;
    slopes[0] = k;
    slopes[1] = q;
    slopes[2] = 0;
}

/* ---------------------------------------------------------------- additive */

static double additive(const double *q, const double *k, size_t dim, const sac_score_terms *terms)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++)
        sum += terms->w_v[c] * tanh(q[c] + k[c]);
    return sum;
}

static void additive_slopes(double q, double k, size_t c, const sac_score_terms *terms,
                            double slopes[3])
{
    double t = tanh(q + k);
    slopes[0] = slopes[1] = terms->w_v[c] * (1 - t * t);
    slopes[2] = t;
}

/* ---------------------------------------------------------------- gaussian */

static double gaussian(const double *q, const double *k, size_t dim, const sac_score_terms *terms)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++) {
        double difference = (q[c] - k[c]) * terms->inverse_width;
        sum -= 0.5 * difference * difference;
    }
    return sum;
}

static void gaussian_slopes(double q, double k, size_t c, const sac_score_terms *terms,
                            double slopes[3])
{
    (void)c;
    slopes[0] = -terms->inverse_width * terms->inverse_width * (q - k);
    slopes[1] = -slopes[0];
    slopes[2] = 0;
}

static double gaussian_factor(double inverse_width) /* the kernels' is −‖q − k‖² */
{
    return 0.5 * inverse_width * inverse_width;
}

/* ---------------------------------------------------------------- the table */

static double unit_scale(size_t query_dim, size_t key_dim)
{
    (void)query_dim;
    (void)key_dim;
    return 1;
}

static double inverse_root(size_t query_dim, size_t key_dim)
{
    (void)key_dim;
    return 1 / sqrt((double)query_dim);
}

static double inverse_fourth_root(size_t query_dim, size_t key_dim)
{
    return 1 / sqrt(sqrt((double)query_dim * (double)key_dim));
}

static double unit_factor(double inverse_width)
{
    (void)inverse_width;
    return 1;
}

static const sac_score_class classes[SAC_SCORE_COUNT] = {
    [SAC_SCORE_SCALED_DOT] = {SAC_WEIGHTS_NONE, inverse_root, dot, dot_slopes, 2, SAC_FORM_DOT,
                              unit_factor},
    [SAC_SCORE_DOT] = {SAC_WEIGHTS_NONE, unit_scale, dot, dot_slopes, 2, SAC_FORM_DOT, unit_factor},
    [SAC_SCORE_ADDITIVE] = {SAC_WEIGHTS_HIDDEN, unit_scale, additive, additive_slopes, 4,
                            SAC_FORM_ADDITIVE, unit_factor},
    [SAC_SCORE_BILINEAR] = {SAC_WEIGHTS_BETWEEN, inverse_fourth_root, dot, dot_slopes, 2,
                            SAC_FORM_DOT, unit_factor},
    [SAC_SCORE_GAUSSIAN] = {SAC_WEIGHTS_NONE, unit_scale, gaussian, gaussian_slopes, 3,
                            SAC_FORM_GAUSSIAN, gaussian_factor},
};

const sac_score_class *sac_score_class_of(sac_score score)
{
    return (size_t)score < SAC_SCORE_COUNT ? &classes[score] : NULL;
}

sac_score_form sac_score_form_of(sac_score score)
{
    return sac_score_class_of(score)->form;
}

const char *sac_score_form_name(sac_score_form form)
{
    static const char *const names[SAC_FORM_COUNT] = {
        [SAC_FORM_DOT] = "dot", [SAC_FORM_GAUSSIAN] = "gaussian", [SAC_FORM_ADDITIVE] = "additive"};
    return names[form];
}
