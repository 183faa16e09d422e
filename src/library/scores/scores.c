/* The table of scores: name, words, weights, scale, formula, derivatives and bound of each. */

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

static void dot_derivatives(double q, double k, size_t c, const sac_score_terms *terms,
                            double derivatives[3])
{
    (void)c;
    (void)terms;
    derivatives[0] = k;
    derivatives[1] = q;
    derivatives[2] = 0;
}

static double dot_score_bound(const sac_score_sizes *sizes)
{
    return (double)sizes->dim * sizes->query * sizes->key;
}

static const sac_term_words products = {
    .name = "products",
    .term = "product",
    .sentence = "Each number of the query times its neighbour in the key.",
    .numbers = "{q} × {k}",
    .notice = "Where both have the same sign the product is positive: there they agree.",
};

/* ---------------------------------------------------------------- additive */

static double tanh_of_sum(double q, double k, const sac_score_terms *terms)
{
    (void)terms;
    return tanh(q + k);
}

static double additive(const double *q, const double *k, size_t dim, const sac_score_terms *terms)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++)
        sum += terms->w_v[c] * tanh_of_sum(q[c], k[c], terms);
    return sum;
}

static void additive_derivatives(double q, double k, size_t c, const sac_score_terms *terms,
                                 double derivatives[3])
{
    double t = tanh_of_sum(q, k, terms);
    derivatives[0] = derivatives[1] = terms->w_v[c] * (1 - t * t);
    derivatives[2] = t;
}

static double additive_score_bound(const sac_score_sizes *sizes)
{
    return sizes->weights;
}

static const sac_term_words squeezed_sums = {
    .name = "tanh",
    .inner = "tanh(sum)",
    .term = "w·tanh",
    .sentence = "Each pair is added, squeezed by tanh between −1 and 1, and weighed by w.",
    .numbers = "{w} × tanh({q} {+k})",
    .notice = "No product of query and key: their sum decides, each of {d} votes at most its w.",
};

/* ---------------------------------------------------------------- gaussian */

static double scaled_difference(double q, double k, const sac_score_terms *terms)
{
    return (q - k) * terms->inverse_width;
}

static double gaussian(const double *q, const double *k, size_t dim, const sac_score_terms *terms)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++) {
        double difference = scaled_difference(q[c], k[c], terms);
        sum -= 0.5 * difference * difference;
    }
    return sum;
}

static void gaussian_derivatives(double q, double k, size_t c, const sac_score_terms *terms,
                                 double derivatives[3])
{
    (void)c;
    derivatives[0] = -terms->inverse_width * terms->inverse_width * (q - k);
    derivatives[1] = -derivatives[0];
    derivatives[2] = 0;
}

static double gaussian_factor(double inverse_width) /* the kernels' is −‖q − k‖² */
{
    return 0.5 * inverse_width * inverse_width;
}

static double gaussian_score_bound(const sac_score_sizes *sizes)
{
    double difference = sizes->query + sizes->key;
    return (double)sizes->dim * difference * difference;
}

static const sac_term_words squared_differences = {
    .name = "differences",
    .inner = "(q−k)w",
    .term = "−½(…)²",
    .sentence = "Each difference, times w, is squared, halved and made negative.",
    .numbers = "−½ (({q} {-k}) × {1/width})²",
    .notice = "The score of equal vectors is 0, the largest there is; distance only takes away.",
};

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
    [SAC_SCORE_SCALED_DOT] =
        {.name = "scaled-dot",
         .words = {.place = 1,
                   .label = "scaled dot",
                   .formula = "q·k / √d",
                   .help = "q·k / √d: divided by the root of the number of features d, so that "
                           "scores stay small.",
                   .meaning = "The same, divided by the root of the number of features: scores "
                              "stay small, and the softmax stays soft.",
                   .query = "q",
                   .key = "k",
                   .sum = "q·k",
                   .terms = &products,
                   .scale = " / √{d}",
                   .scale_notice = "Sums over more numbers are larger by themselves; the root of "
                                   "their count takes that out again."},
         .form = SAC_SCORE_DOT,
         .operations = 2,
         .scale = inverse_root,
         .raw = dot,
         .derivatives = dot_derivatives,
         .most = dot_score_bound},
    [SAC_SCORE_DOT] =
        {.name = "dot",
         .words = {.place = 0,
                   .label = "dot",
                   .formula = "q·k",
                   .help = "q·k: the query times the key.",
                   .meaning = "How far two cells point the same way. Nothing holds the numbers "
                              "down, so one strong cell can take it all.",
                   .query = "q",
                   .key = "k",
                   .sum = "q·k",
                   .terms = &products},
         .form = SAC_SCORE_DOT,
         .operations = 2,
         .scale = unit_scale,
         .raw = dot,
         .derivatives = dot_derivatives,
         .most = dot_score_bound},
    [SAC_SCORE_ADDITIVE] =
        {.name = "additive",
         .words = {.place = 3,
                   .label = "additive",
                   .formula = "w·tanh(Wq q + Wk k)",
                   .help = "w·tanh(W q + W k): a small network compares query and key.",
                   .meaning = "A small network scores each pair; the tanh keeps any one feature "
                              "from running away.",
                   .query = "W_q q",
                   .key = "W_k k",
                   .vectors = "The additive score multiplies each by a trained matrix first: W_q q "
                              "and W_k k are shown.",
                   .sum = "w·tanh",
                   .terms = &squeezed_sums},
         .form = SAC_SCORE_ADDITIVE,
         .weights = SAC_WEIGHTS_HIDDEN,
         .operations = 4,
         .scale = unit_scale,
         .raw = additive,
         .inner = tanh_of_sum,
         .derivatives = additive_derivatives,
         .most = additive_score_bound},
    [SAC_SCORE_BILINEAR] =
        {.name = "bilinear",
         .words = {.place = 2,
                   .label = "bilinear",
                   .formula = "qᵀ W k / ⁴√(dq·dk)",
                   .help = "q·W·k: a learned matrix stands between query and key.",
                   .meaning = "A matrix decides which features of the query are compared with "
                              "which of the key.",
                   .query = "Wᵀq",
                   .key = "k",
                   .vectors = "The bilinear score has a trained matrix between them: the query is "
                              "shown as it comes out of it, Wᵀq.",
                   .sum = "qᵀWk",
                   .terms = &products},
         .form = SAC_SCORE_DOT,
         .weights = SAC_WEIGHTS_BETWEEN,
         .operations = 2,
         .scale = inverse_fourth_root,
         .raw = dot,
         .derivatives = dot_derivatives,
         .most = dot_score_bound},
    [SAC_SCORE_GAUSSIAN] =
        {.name = "gaussian",
         .words = {.place = 4,
                   .label = "Gaussian",
                   .formula = "-½ ‖(q - k)·w‖²",
                   .help = "−½ |(q − k) w|²: near keys count most; w is an inverse width.",
                   .meaning = "A narrow kernel attends to look-alikes only and gives the picture "
                              "back; a wide one attends to everything and gives its average.",
                   .query = "q",
                   .key = "k",
                   .sum = "−½‖·‖²",
                   .terms = &squared_differences},
         .form = SAC_SCORE_GAUSSIAN,
         .has_width = true,
         .operations = 3,
         .scale = unit_scale,
         .raw = gaussian,
         .inner = scaled_difference,
         .derivatives = gaussian_derivatives,
         .kernel_factor = gaussian_factor,
         .most = gaussian_score_bound},
};

/* ---------------------------------------------------------------- its readers */

const sac_score_class *sac_score_class_of(sac_score score)
{
    return (size_t)score < SAC_SCORE_COUNT ? &classes[score] : NULL;
}

sac_score sac_score_at_place(int place)
{
    int score = SAC_SCORE_COUNT - 1;
    while (score > 0 && classes[score].words.place != place)
        score--;
    return (sac_score)score;
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
