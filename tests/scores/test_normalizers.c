/* src/library/scores/normalizers.h: what makes weights of a row of scores, and its derivatives. */
#include "base/random/random.h"
#include "scores/normalizers.h"
#include "test.h"

enum { MOST = 400 };

static void draw(size_t count, uint32_t row, double spread, double *scores)
{
    for (size_t j = 0; j < count; j++)
        scores[j] =
            spread * ((double)sac_philox_uniform((uint32_t)j, row, 7) - 0.5) * sqrt((double)count);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The threshold by sorting, as in the papers: Martins and Astudillo 2016, algorithm 1; Peters, Niculae and
 * Martins 2019, algorithm 2. */
static double threshold_by_sorting(sac_normalizer normalizer, size_t count, const double *scores)
{
    double sorted[MOST], sum = 0, squares = 0, threshold = 0;
    bool halves = normalizer == SAC_NORMALIZER_ENTMAX15;
    for (size_t j = 0; j < count; j++)
        sorted[j] = halves ? scores[j] / 2 : scores[j];
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t k = 1; k <= count; k++) {
        sum += sorted[k - 1];
        squares += sorted[k - 1] * sorted[k - 1];
        double mean = sum / (double)k, spread = squares - (double)k * mean * mean;
        double next = halves ? mean - sqrt(fmax(1 - spread, 0) / (double)k) : (sum - 1) / (double)k;
        if (spread > 1 && halves)
            break;
        if (next > sorted[k - 1])
            break;
        threshold = next;
    }
    return threshold;
}

TEST(thresholds_are_those_of_sorted_scores_and_weights_add_up_to_one)
{
    static const size_t counts[] = {1, 2, 3, 17, 64, 101, 399};
    double scores[MOST], weights[MOST];
    for (int n = SAC_NORMALIZER_ENTMAX15; n < SAC_NORMALIZER_COUNT; n++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int wide = 0; wide < 4; wide++) {
                double sum = 0, spread = pow(10, wide - 2), shift = wide == 2 ? 40 : 0;
                draw(counts[i], (uint32_t)(i + 10), spread, scores);
                for (size_t j = 0; j < counts[i]; j++)
                    scores[j] += shift;
                double right = threshold_by_sorting((sac_normalizer)n, counts[i], scores);
                double threshold = sac_normalize((sac_normalizer)n, counts[i], scores, weights);
                if (fabs(threshold - right) > 1e-11)
                    fail_msg("%s of %zu scores, spread %g: %.15g, by sorting %.15g",
                             sac_normalizer_name((sac_normalizer)n), counts[i], spread, threshold,
                             right);
                for (size_t j = 0; j < counts[i]; j++)
                    sum += weights[j];
                assert_true(fabs(sum - 1) < 1e-12);
            }
}

/* Of the Python package entmax 1.3, in float64. */
TEST(weights_are_those_of_the_package_entmax)
{
    static const double scores[] = {1.5, 0.25, -0.75, 1.0, 0.9, -3.0};
    static const double right[][6] = {
        [SAC_NORMALIZER_ENTMAX15] = {0.549868204981439, 0.0135794709783774, 0, 0.241602711380214,
                                     0.194949612659969, 0},
        [SAC_NORMALIZER_SPARSEMAX] = {0.7, 0, 0, 0.2, 0.1, 0}};
    double weights[6];
    for (int n = SAC_NORMALIZER_ENTMAX15; n < SAC_NORMALIZER_COUNT; n++) {
        sac_normalize((sac_normalizer)n, 6, scores, weights);
        for (int j = 0; j < 6; j++) {
            assert_true(fabs(weights[j] - right[n][j]) < 1e-14);
            assert_int_equal(weights[j] == 0, right[n][j] == 0);
        }
    }
}

TEST(blocked_scores_have_no_weight_and_rows_of_them_no_threshold)
{
    double scores[] = {-INFINITY, 2, -INFINITY, 2}, weights[4];
    for (int n = 0; n < SAC_NORMALIZER_COUNT; n++) {
        sac_normalize((sac_normalizer)n, 4, scores, weights);
        assert_true(weights[0] == 0 && weights[2] == 0);
        assert_true(fabs(weights[1] - 0.5) < 1e-15 && fabs(weights[3] - 0.5) < 1e-15);
        double threshold = sac_normalize((sac_normalizer)n, 1, scores, weights);
        assert_true(isinf(threshold) && weights[0] == 0);
        assert_int_equal(threshold > 0, n != SAC_NORMALIZER_SOFTMAX);
        assert_true(sac_normalizer_class_of((sac_normalizer)n)->weight(-INFINITY, threshold) == 0);
    }
}

/* Against differences of the weights, which are exact but for the curvature: where a key is at the
 * threshold no derivative exists, and no row has one within 1e-5 of it. */
TEST(gradients_are_those_of_differences)
{
    enum { COUNT = 23 };
    double scores[COUNT], dweights[COUNT], weights[COUNT], gradients[COUNT], step = 1e-6;
    for (int n = 0; n < SAC_NORMALIZER_COUNT; n++)
        for (uint32_t row = 0; row < 8; row++) {
            draw(COUNT, row, 1, scores);
            draw(COUNT, row + 100, 1, dweights);
            sac_normalize((sac_normalizer)n, COUNT, scores, weights);
            sac_normalize_back((sac_normalizer)n, COUNT, weights, dweights, gradients);
            for (size_t j = 0; j < COUNT; j++) {
                double moved[COUNT], loss[2] = {0, 0}, score = scores[j];
                for (int side = 0; side < 2; side++) {
                    scores[j] = score + (side ? step : -step);
                    sac_normalize((sac_normalizer)n, COUNT, scores, moved);
                    for (size_t i = 0; i < COUNT; i++)
                        loss[side] += moved[i] * dweights[i];
                }
                scores[j] = score;
                double slope = (loss[1] - loss[0]) / (2 * step);
                if (fabs(slope - gradients[j]) > 1e-6)
                    fail_msg("%s, row %u, score %zu: %g, by differences %g",
                             sac_normalizer_name((sac_normalizer)n), (unsigned)row, j, gradients[j],
                             slope);
                assert_true(weights[j] > 0 || gradients[j] == 0);
            }
        }
}

TEST(names_are_found_again)
{
    sac_normalizer normalizer = SAC_NORMALIZER_SPARSEMAX;
    for (int n = 0; n < SAC_NORMALIZER_COUNT; n++) {
        assert_true(sac_normalizer_from_name(sac_normalizer_name((sac_normalizer)n), &normalizer));
        assert_int_equal(normalizer, n);
    }
    assert_false(sac_normalizer_from_name("entmax", &normalizer));
    assert_false(sac_normalizer_from_name(NULL, &normalizer));
    assert_string_equal(sac_normalizer_name((sac_normalizer)99), "unknown normalizer");
    assert_null(sac_normalizer_class_of((sac_normalizer)-1));
}

TEST_MAIN(NULL, NULL)
