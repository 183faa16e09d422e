/* attention/run/figures on a device: figures of rows, and the log-sum-exp of some, against float64. */
#include "trial.h"

#include "attention/run/figures.h"
#include "status.h"

#define BOUND 2e-5 /* of weights and entropies; distances are up to the number of keys times it */

static const recipe recipes[] = {
    {.batch = 2, .queries = 1, .keys = 1},
    {.batch = 2, .queries = 37, .keys = 1031, .spec = {.heads = 2}},
    {.queries = 131, .keys = 131, .mask = MASK_CAUSAL},
    {.queries = 127, .keys = 129, .mask = MASK_PADDING, .spec = {.heads = 3}},
    {.queries = 23, .keys = 1025, .mask = MASK_BLOCKED_ROWS},
    {.queries = 19, .keys = 67, .spec = {.score = SAC_SCORE_GAUSSIAN}},
    {.queries = 41, .keys = 43, .sinks = true, .spec = {.heads = 2}},
    {.queries = 29, .keys = 61, .spec = {.causal = true, .alignment = SAC_ALIGN_BOTTOM_RIGHT}},
};

static void near(const trial *t, const char *what, size_t row, double is, double expected,
                 double bound)
{
    if (!(fabs(is - expected) <= bound) && !(isinf(is) && is == expected))
        fail_msg("%s: %s of row %zu is %.9g, not %.9g", trial_text(t), what, row, is, expected);
}

static double at(const double *line, size_t keys, ptrdiff_t key)
{
    return key >= 0 && key < (ptrdiff_t)keys ? line[key] : 0;
}

static void check_row(const trial *t, size_t row, const sac_row_figures *f, const double *line,
                      double lse, size_t keys, ptrdiff_t place)
{
    double sum = 0, entropy = 0, distance = 0, peak = -1, beside = 0;
    for (size_t j = 0; j < keys; j++) {
        sum += line[j];
        distance += line[j] * fabs((double)place - (double)j);
        peak = fmax(peak, line[j]);
    }
    for (size_t j = 0; j < keys; j++)
        entropy -= line[j] > 0 ? line[j] / sum * log2(line[j] / sum) : 0;
    for (ptrdiff_t d = -SAC_FIGURES_NEAR; d <= SAC_FIGURES_NEAR; d++)
        beside += at(line, keys, place + d);
    near(t, "lse", row, (double)f->lse, lse, BOUND * fmax(1, fabs(lse)));
    near(t, "sum", row, (double)f->sum, sum, BOUND);
    near(t, "entropy", row, (double)f->entropy, entropy, 10 * BOUND);
    near(t, "distance", row, (double)f->distance, distance, BOUND * (double)keys);
    near(t, "peak", row, (double)f->peak, peak, BOUND);
    near(t, "where the peak is", row, line[f->peak_at], peak, BOUND);
    near(t, "first", row, (double)f->first, line[0], BOUND);
    near(t, "diagonal", row, (double)f->diagonal, at(line, keys, place), BOUND);
    near(t, "previous", row, (double)f->previous, at(line, keys, place - 1), BOUND);
    near(t, "next", row, (double)f->next, at(line, keys, place + 1), BOUND);
    near(t, "near", row, (double)f->near, beside, 7 * BOUND);
}

static void check(const recipe *wanted, sac_variant variant)
{
    trial t;
    sac_attention *attention;
    trial_make(&t, wanted, 7);
    t.spec.variant = variant;
    OK(sac_attention_create(test_device(), &t.spec, &t.input, &attention, &failure));
    const sac_attention_shape *s = &t.shape;
    size_t matrices = s->batch * s->heads, last = s->queries - s->queries / 3;
    double *lse = malloc(matrices * s->queries * sizeof *lse);
    double *weights = malloc(matrices * s->queries * s->keys * sizeof *weights);
    sac_row_figures *figures = malloc(s->queries * sizeof *figures);
    float *received = malloc(s->keys * sizeof *received), *some = malloc(last * sizeof *some);
    ptrdiff_t offset = t.spec.alignment == SAC_ALIGN_BOTTOM_RIGHT || s->queries < s->keys
                           ? (ptrdiff_t)s->keys - (ptrdiff_t)s->queries
                           : 0;
    OK(sac_attention_reference(&t.spec, &t.input, NULL, lse, weights, &failure));
    for (size_t m = 0; m < matrices; m++) {
        size_t from = s->queries - last; /* not from the first row, so that places count */
        const double *lines = weights + (m * s->queries + from) * s->keys;
        OK(sac_attention_figures(attention, m / s->heads, m % s->heads, from, last, figures,
                                 received, &failure));
        for (size_t r = 0; r < last; r++)
            check_row(&t, from + r, &figures[r], lines + r * s->keys,
                      lse[m * s->queries + from + r], s->keys, (ptrdiff_t)(from + r) + offset);
        for (size_t k = 0; k < s->keys; k++) {
            double sum = 0;
            for (size_t r = 0; r < last; r++)
                sum += lines[r * s->keys + k];
            near(&t, "received", k, (double)received[k], sum, BOUND * (double)last);
        }
        sac_tile tile = {m / s->heads, m % s->heads, from, last, 0, 1};
        OK(sac_attention_lse(attention, &tile, some, &failure));
        for (size_t r = 0; r < last; r++)
            assert_true(some[r] == figures[r].lse);
    }
    assert_int_equal(sac_attention_figures(attention, 0, 0, 1, s->queries, figures, NULL, &failure),
                     SAC_E_ARGUMENT);
    sac_attention_destroy(attention);
    free(lse);
    free(weights);
    free(figures);
    free(received);
    free(some);
    trial_free(&t);
}

TEST(figures_of_rows_are_those_of_float64)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        check(&recipes[i], SAC_VARIANT_AUTO);
        check(&recipes[i], SAC_VARIANT_NAIVE);
    }
}

TEST_MAIN(NULL, close_device)
