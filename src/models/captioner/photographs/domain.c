/* How far a picture is from those that a captioner was trained on, and which words are unsure. */
#include "captioner/photographs/domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/order.h"
#include "captioner/decode/encode.h"
#include "captioner/encoders/encoder.h"
#include "captioner/photographs/album.h"
#include "captioner/source/source.h"

enum {
    FITTED = 3000,         /* pictures that mean and covariance are of, at most */
    HELD_OUT = 1000,       /* pictures that the limit is of, at most */
    JUDGED_PICTURES = 250, /* pictures whose words are judged, at most */
    LEAST_WORDS = 100
};
static const double INSIDE = 0.99;  /* share of the pictures that were held out */
static const double GUESSED = 0.05; /* share of their captions that are called guesses */

/* ---------------------------------------------------------------- where it is kept */

static size_t width_of(const sac_captioner_shape *shape)
{
    return sac_encoder_of(shape)->known_width(shape);
}

static void declare(const sac_captioner_shape *shape, sac_parameters *domain)
{
    size_t width = width_of(shape);
    sac_parameter_vector(domain, "domain.mean", width);
    sac_parameter_add(domain, "domain.factor", sac_init_constant(0), 2, width, width);
}

void sac_domain_declare(const sac_captioner_shape *shape, sac_parameters *domain)
{
    if (shape->limit > 0 && width_of(shape) > 0)
        declare(shape, domain);
}

/* ---------------------------------------------------------------- one picture */

/* x of the picture that is encoded. */
static sac_status pool_features(sac_captioner *c, double *x, sac_error *error)
{
    sac_pass *pass = &c->base.pass;
    sac_tensor cells = c->encoder->known(c, &c->decode->f); /* [N,C] */
    float *numbers = malloc(sac_tensor_count(cells) * sizeof *numbers);
    if (!numbers)
        return sac_no_memory(error, "picture");
    sac_pass_read(pass, cells, numbers);
    sac_status status = sac_pass_end(pass, error);
    for (size_t k = 0; k < cells.width && status == SAC_OK; k++) {
        double sum = 0;
        for (size_t i = 0; i < cells.rows; i++)
            sum += (double)numbers[i * cells.width + k];
        x[k] = sum / (double)cells.rows;
    }
    free(numbers);
    return status;
}

/* |L⁻¹ (x − μ)|, by forward substitution in place of x. */
static double distance_of(double *x, const float *mean, const float *factor, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++) {
        double rest = x[i] - (double)mean[i];
        const float *row = factor + i * width;
        for (size_t k = 0; k < i; k++)
            rest -= (double)row[k] * x[k];
        x[i] = rest / (double)row[i];
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* μ and L from the device, once for all pictures. */
static sac_status read_domain(sac_captioner *c, sac_error *error)
{
    const sac_parameter *mean = c->domain.list[0], *factor = c->domain.list[1];
    float *numbers = malloc((mean->count + factor->count) * sizeof *numbers);
    if (!numbers)
        return sac_no_memory(error, "picture");
    sac_status status =
        sac_span_read(c->base.device, sac_tensor_span(mean->value), mean->count, numbers, error);
    if (status == SAC_OK)
        status = sac_span_read(c->base.device, sac_tensor_span(factor->value), factor->count,
                               numbers + mean->count, error);
    if (status == SAC_OK)
        c->domain_read = numbers;
    else
        free(numbers);
    return status;
}

sac_status sac_domain_distance(sac_captioner *c, float *distance, sac_error *error)
{
    *distance = 0;
    if (!c->domain.count)
        return SAC_OK;
    size_t width = c->domain.list[0]->count;
    sac_status status = c->domain_read ? SAC_OK : read_domain(c, error);
    double *x = status == SAC_OK ? malloc(width * sizeof *x) : NULL;
    if (status == SAC_OK)
        status = x ? pool_features(c, x, error) : sac_no_memory(error, "picture");
    if (status == SAC_OK)
        *distance = (float)distance_of(x, c->domain_read, c->domain_read + width, width);
    free(x);
    return status;
}

/* ---------------------------------------------------------------- many pictures */

/* x [count,C] of `count` pictures of a split, evenly spread over it. */
static sac_status pool_split_features(sac_captioner *c, sac_pictures_split split, size_t count,
                                      double *x, sac_error *error)
{
    const size_t all = c->album->pictures.of_split[split];
    const size_t width = width_of(&c->shape);
    float *grid = malloc(sac_album_grid_numbers(c) * sizeof *grid);
    sac_status status = grid ? SAC_OK : sac_no_memory(error, "pictures");
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        status = sac_album_encode(c, c->album->of_split[split][i * all / count], grid, error);
        if (status == SAC_OK)
            status = pool_features(c, x + i * width, error);
        if (status == SAC_OK)
            status = sac_cancel_check("pictures", error);
    }
    free(grid);
    return status;
}

/* The mean of x [count,width], and the factor of its shrunk covariance. */
static sac_status fit_mean_and_factor(const double *x, size_t count, size_t width, float *mean,
                                      float *factor, sac_error *error)
{
    double *sums = calloc(width * (width + 1), sizeof *sums), *cov = sums ? sums + width : NULL;
    double trace = 0, shrink = (double)width / (double)(width + count);
    if (!sums)
        return sac_no_memory(error, "pictures");
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < width; i++)
            sums[i] += x[n * width + i] / (double)count;
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < width; i++)
            for (size_t k = 0; k <= i; k++)
                cov[i * width + k] +=
                    (x[n * width + i] - sums[i]) * (x[n * width + k] - sums[k]) / (double)count;
    for (size_t i = 0; i < width; i++)
        trace += cov[i * width + i];
    for (size_t i = 0; i < width; i++) {
        mean[i] = (float)sums[i];
        for (size_t k = 0; k <= i; k++)
            cov[i * width + k] *= 1 - shrink;
        /* Pictures that are all alike have no covariance. */
        cov[i * width + i] += fmax(shrink * trace / (double)width, 1e-12);
    }
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k <= i; k++) { /* Cholesky */
            double rest = cov[i * width + k];
            for (size_t j = 0; j < k; j++)
                rest -= cov[i * width + j] * cov[k * width + j];
            cov[i * width + k] = k < i ? rest / cov[k * width + k] : sqrt(fmax(rest, 1e-12));
            factor[i * width + k] = (float)cov[i * width + k];
        }
    free(sums);
    return SAC_OK;
}

/* The distance that INSIDE of pictures x [count,width] are within; x is written over. */
static sac_status find_limit(double *x, size_t count, size_t width, const float *mean,
                             const float *factor, float *limit, sac_error *error)
{
    double *distances = malloc(count * sizeof *distances);
    if (!distances)
        return sac_no_memory(error, "pictures");
    for (size_t i = 0; i < count; i++)
        distances[i] = distance_of(x + i * width, mean, factor, width);
    qsort(distances, count, sizeof *distances, sac_compare_doubles);
    size_t at = (size_t)ceil(INSIDE * (double)count);
    *limit = (float)(ceil(100 * distances[(at < 1 ? 1 : at) - 1]) / 100);
    free(distances);
    return SAC_OK;
}

/* Keeps them in the model. Both stand in the file beside the weights. */
static sac_status store_domain(sac_captioner *c, const float *mean, const float *factor,
                               sac_error *error)
{
    sac_parameters *domain = &c->domain;
    sac_status status = SAC_OK;
    if (!domain->count) {
        declare(&c->shape, domain);
        status = sac_parameters_create(domain, c->base.device, false, 0, error);
    }
    const float *numbers[2] = {mean, factor};
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = sac_span_write(c->base.device, sac_tensor_span(domain->list[i]->value),
                                domain->list[i]->count, numbers[i], error);
    free(c->domain_read);
    c->domain_read = NULL;
    return status;
}

static sac_status measure_limit(sac_captioner *c, sac_error *error)
{
    const size_t *of_split = c->album->pictures.of_split;
    const size_t width = width_of(&c->shape);
    sac_pictures_split judged = of_split[SAC_SPLIT_VAL] ? SAC_SPLIT_VAL : SAC_SPLIT_TRAIN;
    size_t fitted = of_split[SAC_SPLIT_TRAIN] < FITTED ? of_split[SAC_SPLIT_TRAIN] : FITTED;
    size_t others = of_split[judged] < HELD_OUT ? of_split[judged] : HELD_OUT;
    double *x = malloc((fitted + others) * width * sizeof *x);
    float *mean = calloc(width * (width + 1), sizeof *mean);
    sac_status status = x && mean ? SAC_OK : sac_no_memory(error, "pictures");
    if (status == SAC_OK)
        status = pool_split_features(c, SAC_SPLIT_TRAIN, fitted, x, error);
    if (status == SAC_OK)
        status = pool_split_features(c, judged, others, x + fitted * width, error);
    if (status == SAC_OK)
        status = fit_mean_and_factor(x, fitted, width, mean, mean + width, error);
    if (status == SAC_OK)
        status = find_limit(x + fitted * width, others, width, mean, mean + width, &c->shape.limit,
                            error);
    if (status == SAC_OK)
        status = store_domain(c, mean, mean + width, error);
    free(x);
    free(mean);
    return status;
}

/* ---------------------------------------------------------------- words */

typedef struct judged_word {
    double probability;
    bool right;
} judged_word;

/* The words of a picture's caption but those that any sentence may have, and the mean log probability of
 * all. */
static sac_status judge_words(sac_captioner *c, size_t picture, float *grid, judged_word *words,
                              size_t *count, double *mean_log, sac_error *error)
{
    sac_result caption = {0};
    sac_status status = sac_album_encode(c, picture, grid, error);
    if (status == SAC_OK)
        status = sac_captioner_generate(c, &(sac_result_request){0}, &caption, error);
    for (int i = 0; i < caption.count && status == SAC_OK; i++) {
        const sac_result_output *word = &caption.outputs[i];
        if (c->shape.words->once[word->word])
            words[(*count)++] =
                (judged_word){word->probability,
                              sac_picture_has_word(&c->album->pictures.items[picture], word->word)};
    }
    *mean_log = (double)sac_caption_mean_log(&caption, 0);
    sac_result_free(&caption);
    return status;
}

/* The share GUESSED of them is below; of a few none. */
static float find_least_log(double *mean_logs, size_t count)
{
    qsort(mean_logs, count, sizeof *mean_logs, sac_compare_doubles);
    return (float)(round(1000 * mean_logs[(size_t)(GUESSED * (double)count)]) / 1000);
}

/* The probability below which there are as many more wrong than right ones as can be. */
static float find_threshold(judged_word *words, size_t count)
{
    size_t best = 0;
    int more = 0, most = 0;
    qsort(words, count, sizeof *words, sac_compare_doubles); /* by what they begin with */
    for (size_t i = 0; i < count; i++) {
        more += words[i].right ? -1 : 1;
        if (more > most) {
            most = more;
            best = i + 1;
        }
    }
    double below = best ? words[best - 1].probability : 0;
    double above = best < count ? words[best].probability : 1;
    return (float)(round(500 * (below + above)) / 1000);
}

static sac_status measure_words(sac_captioner *c, sac_error *error)
{
    const size_t all = c->album->pictures.of_split[SAC_SPLIT_VAL];
    const size_t pictures = all < JUDGED_PICTURES ? all : JUDGED_PICTURES;
    size_t count = 0;
    judged_word *words = malloc((pictures * SAC_MAX_TOKENS + 1) * sizeof *words);
    float *grid = malloc(sac_album_grid_numbers(c) * sizeof *grid);
    double *mean_logs = calloc(pictures + 1, sizeof *mean_logs);
    sac_status status = words && grid && mean_logs ? SAC_OK : sac_no_memory(error, "pictures");
    for (size_t i = 0; i < pictures && status == SAC_OK; i++)
        status = judge_words(c, c->album->of_split[SAC_SPLIT_VAL][i * all / pictures], grid, words,
                             &count, &mean_logs[i], error);
    if (status == SAC_OK) {
        c->shape.sure = count >= LEAST_WORDS ? find_threshold(words, count) : 0;
        c->shape.least_log = pictures ? find_least_log(mean_logs, pictures) : 0;
    }
    free(words);
    free(grid);
    free(mean_logs);
    return status;
}

sac_status sac_domain_measure(sac_captioner *c, sac_error *error)
{
    sac_activity_begin("measuring what the captioner is sure of");
    sac_status status = measure_limit(c, error);
    if (status == SAC_OK)
        status = measure_words(c, error);
    sac_activity_end();
    return status;
}
