/* The table of normalisers, and what they make of a row of scores, in float64. */

#include "scores/normalizers.h"

#include <math.h>
#include <string.h>

static double softmax_weight(double z, double log_sum)
{
    return z == -INFINITY ? 0 : exp(z - log_sum);
}

static double softmax_slope(double weight)
{
    return weight;
}

static double entmax15_weight(double z, double threshold)
{
    double above = fmax(0.5 * z - threshold, 0);
    return above * above;
}

static double entmax15_slope(double weight)
{
    return sqrt(weight);
}

static double sparsemax_weight(double z, double threshold)
{
    return fmax(z - threshold, 0);
}

static double sparsemax_slope(double weight)
{
    return weight > 0;
}

static const sac_normalizer_class classes[SAC_NORMALIZER_COUNT] = {
    [SAC_NORMALIZER_SOFTMAX] =
        {.name = "softmax",
         .words = {.label = "softmax",
                   .formula = "exp(z) / Σ exp(z)",
                   .help = "exp(z) / Σ exp(z): every key gets a weight above 0.",
                   .meaning = "Each key's share of the exponentials. However low a score is, its "
                              "weight is never 0."},
         .share = 1,
         .weight = softmax_weight,
         .slope = softmax_slope},
    [SAC_NORMALIZER_ENTMAX15] =
        {.name = "entmax15",
         .words = {.label = "1.5-entmax",
                   .formula = "[z/2 − τ]₊²",
                   .help = "[z/2 − τ]₊²: between the softmax and sparsemax; low scores get exactly "
                           "0.",
                   .meaning =
                       "What stands above a threshold is squared, and the threshold is where "
                       "the weights add up to 1. Scores below it get exactly 0."},
         .is_sparse = true,
         .share = 0.5,
         .weight = entmax15_weight,
         .slope = entmax15_slope},
    [SAC_NORMALIZER_SPARSEMAX] =
        {.name = "sparsemax",
         .words = {.label = "sparsemax",
                   .formula = "[z − τ]₊",
                   .help = "[z − τ]₊: the nearest weights to the scores; few keys get any.",
                   .meaning = "What stands above a threshold is the weight, and the threshold is "
                              "where the weights add up to 1: of all weights those nearest to the "
                              "scores. Few keys get any."},
         .is_sparse = true,
         .share = 1,
         .weight = sparsemax_weight,
         .slope = sparsemax_slope},
};

const sac_normalizer_class *sac_normalizer_class_of(sac_normalizer normalizer)
{
    return (size_t)normalizer < SAC_NORMALIZER_COUNT ? &classes[normalizer] : NULL;
}

const char *sac_normalizer_name(sac_normalizer normalizer)
{
    const sac_normalizer_class *class = sac_normalizer_class_of(normalizer);
    return class ? class->name : "unknown normalizer";
}

bool sac_normalizer_from_name(const char *name, sac_normalizer *normalizer)
{
    for (size_t i = 0; name && normalizer && i < SAC_NORMALIZER_COUNT; i++)
        if (strcmp(classes[i].name, name) == 0) {
            *normalizer = (sac_normalizer)i;
            return true;
        }
    return false;
}

/* ---------------------------------------------------------------- a row */

/* log Σ exp(score); the largest is subtracted first, so that exp never overflows. */
static double log_sum(size_t count, const double *scores, double largest)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += exp(scores[j] - largest);
    return largest + log(sum);
}

/* Where the weights add up to 1. Their sum falls as the threshold rises, and is convex: Newton's method
 * from below stays below, and is done where rounding lets it rise no more. Weights are counted from the
 * largest score, so that none of them loses digits. */
static double find_threshold(sac_normalizer normalizer, size_t count, const double *scores,
                             double largest)
{
    bool squares = normalizer == SAC_NORMALIZER_ENTMAX15;
    double threshold = -1, before = -2;
    while (threshold > before) {
        double weights = 0, slopes = 0;
        for (size_t j = 0; j < count; j++) {
            double weight = classes[normalizer].weight(scores[j] - largest, threshold);
            weights += weight;
            slopes += classes[normalizer].slope(weight);
        }
        before = threshold;
        threshold += (weights - 1) / (squares ? 2 * slopes : slopes);
    }
    return threshold;
}

double sac_normalize(sac_normalizer normalizer, size_t count, const double *scores, double *weights)
{
    bool is_sparse = classes[normalizer].is_sparse;
    double largest = -INFINITY, threshold;
    for (size_t j = 0; j < count; j++)
        largest = fmax(largest, scores[j]);
    if (largest == -INFINITY) {
        memset(weights, 0, count * sizeof *weights);
        return is_sparse ? INFINITY : -INFINITY;
    }
    threshold = is_sparse ? find_threshold(normalizer, count, scores, largest)
                          : log_sum(count, scores, largest) - largest;
    for (size_t j = 0; j < count; j++)
        weights[j] = classes[normalizer].weight(scores[j] - largest, threshold);
    return threshold + classes[normalizer].share * largest;
}

void sac_normalize_back(sac_normalizer normalizer, size_t count, const double *weights,
                        const double *dweights, double *dscores)
{
    double slopes = 0, along = 0;
    for (size_t j = 0; j < count; j++) {
        double slope = classes[normalizer].slope(weights[j]);
        slopes += slope;
        along += slope * dweights[j];
    }
    for (size_t j = 0; j < count; j++)
        dscores[j] =
            slopes > 0 ? classes[normalizer].slope(weights[j]) * (dweights[j] - along / slopes) : 0;
}
