/* The table of scores: name, weights, scale, formula, derivatives and bound of each. */

#include "scores/scores.h"

#include <math.h>
#include <string.h>

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

static double most_of_dot(const sac_score_sizes *sizes)
{
    return (double)sizes->dim * sizes->query * sizes->key;
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

static double most_of_additive(const sac_score_sizes *sizes)
{
    return sizes->weights;
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

static double most_of_gaussian(const sac_score_sizes *sizes)
{
    double difference = sizes->query + sizes->key;
    return (double)sizes->dim * difference * difference;
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

static const sac_score_class classes[SAC_SCORE_COUNT] = {
    [SAC_SCORE_SCALED_DOT] = {.name = "scaled-dot",
                              .form = SAC_SCORE_DOT,
                              .operations = 2,
                              .scale = inverse_root,
                              .raw = dot,
                              .slopes = dot_slopes,
                              .most = most_of_dot},
    [SAC_SCORE_DOT] = {.name = "dot",
                       .form = SAC_SCORE_DOT,
                       .operations = 2,
                       .scale = unit_scale,
                       .raw = dot,
                       .slopes = dot_slopes,
                       .most = most_of_dot},
    [SAC_SCORE_ADDITIVE] = {.name = "additive",
                            .form = SAC_SCORE_ADDITIVE,
                            .weights = SAC_WEIGHTS_HIDDEN,
                            .operations = 4,
                            .scale = unit_scale,
                            .raw = additive,
                            .slopes = additive_slopes,
                            .most = most_of_additive},
    [SAC_SCORE_BILINEAR] = {.name = "bilinear",
                            .form = SAC_SCORE_DOT,
                            .weights = SAC_WEIGHTS_BETWEEN,
                            .operations = 2,
                            .scale = inverse_fourth_root,
                            .raw = dot,
                            .slopes = dot_slopes,
                            .most = most_of_dot},
    [SAC_SCORE_GAUSSIAN] = {.name = "gaussian",
                            .form = SAC_SCORE_GAUSSIAN,
                            .operations = 3,
                            .scale = unit_scale,
                            .raw = gaussian,
                            .slopes = gaussian_slopes,
                            .kernel_factor = gaussian_factor,
                            .most = most_of_gaussian},
};

/* ---------------------------------------------------------------- its readers */

const sac_score_class *sac_score_class_of(sac_score score)
{
    return (size_t)score < SAC_SCORE_COUNT ? &classes[score] : NULL;
}

sac_score sac_score_form(sac_score score)
{
    return classes[score].form;
}

size_t sac_score_forms(sac_score forms[SAC_SCORE_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < SAC_SCORE_COUNT; i++)
        if (classes[i].form == (sac_score)i)
            forms[count++] = (sac_score)i;
    return count;
}

const char *sac_score_name(sac_score score)
{
    const sac_score_class *class = sac_score_class_of(score);
    return class ? class->name : "unknown score";
}

bool sac_score_from_name(const char *name, sac_score *score)
{
    for (size_t i = 0; name && score && i < SAC_SCORE_COUNT; i++)
        if (strcmp(classes[i].name, name) == 0) {
            *score = (sac_score)i;
            return true;
        }
    return false;
}
