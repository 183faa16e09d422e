/* src/source/reduce: weights made fewer, and the figures that sum a map up. */

#include "sources/heads/reduce.h"
#include "sources/source.h"
#include "status.h"
#include "test.h"

/* Sums of a few float32 near 1 round to within this. */
#define ROUNDING 1e-6

static void assert_near(double a, double b, double bound)
{
    if (!(fabs(a - b) <= bound))
        fail_msg("%.9g is not %.9g (bound %g)", a, b, bound);
}

static void fill(float *weights, size_t count)
{
    for (size_t i = 0; i < count; i++)
        weights[i] = (float)((i * 37 + 11) % 101) / 101;
}

/* The definition, cell by cell. */
static float pooled_cell(const float *w, size_t rows, size_t cols, sac_pool pool, size_t out_rows,
                         size_t out_cols, size_t r, size_t c)
{
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t i = r * rows / out_rows; i < (r + 1) * rows / out_rows; i++)
        for (size_t j = c * cols / out_cols; j < (c + 1) * cols / out_cols; j++, count++) {
            sum += w[i * cols + j];
            most = fmax(most, w[i * cols + j]);
        }
    return (float)(pool == SAC_POOL_MEAN ? sum / (double)count : most);
}

TEST(pooling_is_the_mean_or_the_maximum_of_each_block)
{
    const size_t sizes[][4] = {{1, 1, 1, 1},    {7, 5, 7, 5},  {7, 5, 3, 2},
                               {13, 17, 1, 17}, {16, 9, 4, 1}, {10, 11, 4, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int pool = 0; pool < 2; pool++) {
            size_t rows = sizes[s][0], cols = sizes[s][1], out_r = sizes[s][2], out_c = sizes[s][3];
            float weights[17 * 17], scratch[17 * 17], pooled[17 * 17];
            fill(weights, rows * cols);
            memcpy(scratch, weights, sizeof scratch);
            sac_weights_pool(scratch, rows, cols, (sac_pool)pool, out_r, out_c, pooled);
            for (size_t r = 0; r < out_r; r++)
                for (size_t c = 0; c < out_c; c++)
                    assert_near(
                        pooled[r * out_c + c],
                        pooled_cell(weights, rows, cols, (sac_pool)pool, out_r, out_c, r, c),
                        ROUNDING);
        }
}

TEST(pooling_differences_by_max_keeps_the_sign)
{
    float differences[] = {0.1f, -0.7f, 0.2f, 0.3f}, pooled;
    sac_weights_pool(differences, 2, 2, SAC_POOL_MAX, 1, 1, &pooled);
    assert_true(pooled == -0.7f);
}

TEST(heads_reduce_to_mean_max_and_min)
{
    const float heads[3][2] = {{0.2f, 0.8f}, {0.6f, 0.4f}, {0.1f, 0.9f}};
    const float expected[][2] = {[SAC_REDUCE_MEAN] = {0.3f, 0.7f},
                                 [SAC_REDUCE_MAX] = {0.6f, 0.9f},
                                 [SAC_REDUCE_MIN] = {0.1f, 0.4f}};
    for (sac_reduce reduce = SAC_REDUCE_MEAN; reduce <= SAC_REDUCE_MIN; reduce++) {
        float total[2];
        for (size_t h = 0; h < 3; h++)
            sac_reduce_head(reduce, h, 3, heads[h], 2, total);
        assert_near(total[0], expected[reduce][0], ROUNDING);
        assert_near(total[1], expected[reduce][1], ROUNDING);
    }
}

/* Ā₁ = ½(A₁+I) = [[1,0],[¼,¾]], Ā₂ = [[¾,¼],[0,1]], and Ā₂·Ā₁ by hand. */
TEST(rollout_agrees_with_a_case_worked_by_hand)
{
    const float first[] = {1, 0, 0.5f, 0.5f}, second[] = {0.5f, 0.5f, 0, 1};
    const float one[] = {1, 0, 0.25f, 0.75f}, two[] = {0.8125f, 0.1875f, 0.25f, 0.75f};
    float below[4], rollout[4];
    sac_rollout_layer(first, NULL, 2, below);
    sac_rollout_layer(second, below, 2, rollout);
    for (int i = 0; i < 4; i++) {
        assert_near(below[i], one[i], ROUNDING);
        assert_near(rollout[i], two[i], ROUNDING);
    }
}

TEST(a_masked_prefix_leaves_rows_that_sum_to_1_or_nothing)
{
    float weights[] = {0.9f, 0.025f, 0.075f, 1, 0, 0};
    sac_weights_mask_prefix(weights, 2, 3, 1);
    const float expected[] = {0, 0.25f, 0.75f, 0, 0, 0};
    for (int i = 0; i < 6; i++)
        assert_near(weights[i], expected[i], ROUNDING);
}

TEST(entropy_is_log_n_when_uniform_and_0_on_one_key)
{
    float uniform[24], one[24] = {0}, none[24] = {0};
    for (int i = 0; i < 24; i++)
        uniform[i] = 1.0f / 24;
    one[7] = 1;
    assert_near(sac_entropy(uniform, 24), log2(24), 1e-5); /* log2f of each weight */
    assert_near(sac_entropy(one, 24), 0, 0);
    assert_near(sac_entropy(none, 24), 0, 0);
    uniform[0] = 0;
    assert_near(sac_entropy(uniform, 24), log2(23), 1e-5); /* brought to sum 1 */
}

/* A [6,6] map that puts `share` on key i + offset (the first key where `offset` is large) and
 * spreads the rest. */
static sac_weights_stats stats_of(int offset, float share)
{
    sac_weights_scan scan;
    OK(sac_weights_scan_begin(&scan, 6, 6, 1, NULL, NULL));
    for (int i = 0; i < 6; i++) {
        float row[6];
        int at = offset > 1 ? 0 : i + offset;
        at = at < 0 ? 0 : at > 5 ? 5 : at;
        for (int j = 0; j < 6; j++)
            row[j] = (1 - share) / 6 + (j == at ? share : 0);
        sac_weights_scan_row(&scan, row);
    }
    assert_int_equal(scan.next_row, 6);
    sac_weights_scan_free(&scan);
    return scan.stats;
}

TEST(a_head_is_named_after_what_it_attends_to)
{
    const struct {
        int offset;
        const char *full, *brief;
    } cases[] = {{-1, "previous token 0.82", "prev 0.82"},
                 {0, "itself 0.82", "self 0.82"},
                 {1, "next token 0.82", "next 0.82"},
                 {2, "first token 0.82", "first 0.82"}};
    char text[64];
    for (int i = 0; i < 4; i++) {
        /* 0.78 + 0.22/6 = 0.8167 */
        sac_weights_stats stats = stats_of(cases[i].offset, 0.78f);
        assert_string_equal(sac_weights_caption(&stats, false, text, sizeof text), cases[i].full);
        assert_string_equal(sac_weights_caption(&stats, true, text, sizeof text), cases[i].brief);
    }
    sac_weights_stats uniform = stats_of(0, 0);
    assert_string_equal(sac_weights_caption(&uniform, false, text, sizeof text),
                        "uniform, 2.6 of 2.6 bits");
}

/* What a head over these words is named that puts `share` of row i on key at[i], and spreads the
 * rest over the keys up to i. */
static sac_weights_kind kind_over(const char *const *words, const size_t *at, float share,
                                  sac_weights_stats *stats)
{
    enum { N = 8 };
    sac_weights_scan scan;
    OK(sac_weights_scan_begin(&scan, N, N, 1, words, NULL));
    for (size_t i = 0; i < N; i++) {
        float row[N] = {0};
        for (size_t j = 0; j <= i; j++)
            row[j] = (1 - share) / (float)(i + 1);
        row[at[i]] += share;
        sac_weights_scan_row(&scan, row);
        assert_near(scan.row_sum[i], 1, ROUNDING);
    }
    *stats = scan.stats;
    sac_weights_scan_free(&scan);
    return sac_weights_kind_of(stats, NULL);
}

TEST(a_head_is_named_after_words_that_come_again)
{
    static const char *const words[] = {"a", "cat", "saw", "a", "dog", "a", "cat", "ran"};
    static const size_t same[] = {0, 0, 0, 0, 0, 3, 1, 2}, follows[] = {0, 0, 0, 1, 0, 4, 2, 3},
                        one[] = {0, 1, 2, 2, 2, 2, 2, 2}, none[] = {0, 1, 2, 3, 4, 5, 6, 7};
    sac_weights_stats stats;
    assert_int_equal(kind_over(words, same, 0.9f, &stats), SAC_KIND_ALIKE);
    assert_int_equal(kind_over(words, follows, 0.9f, &stats), SAC_KIND_REPEATS);
    assert_int_equal(kind_over(words, one, 0.9f, &stats), SAC_KIND_ONE);
    assert_int_equal(stats.focus_column, 2);
    static const char *const marks[] = {"[CLS]", "cat", "·,", "a", "...", "·!a", "。", "<end>"};
    static const size_t at[] = {0, 0, 2, 2, 4, 2, 6, 7};
    assert_int_equal(kind_over(marks, at, 0.9f, &stats), SAC_KIND_DELIMITER);
    /* Rows 2 to 7 have 0.9, all have an even share of the rest. */
    double even = 0;
    static const double seen[] = {0, 0, 1, 1, 2, 2, 3, 4};
    for (int i = 0; i < 8; i++)
        even += 0.1 * seen[i] / (i + 1);
    assert_float_equal(stats.delimiter, (6 * 0.9 + even) / 8, 1e-5);
    assert_int_equal(kind_over(words, none, 0, &stats), SAC_KIND_BROAD);
    assert_int_equal(kind_over(NULL, same, 0.9f, &stats), SAC_KIND_FIRST);
}

/* Of 4 words over 3 × 3 cells behind a token; the first `before` rows, if any, are those cells and the token. */
static sac_weights_stats look_at_cells(const float *maps, size_t before)
{
    enum { CELLS = 9, WORDS = 4 };
    sac_weights_scan scan;
    const size_t columns = 1 + CELLS + (before ? WORDS : 0);
    OK(sac_weights_scan_begin(&scan, before + WORDS, columns, 1, NULL, NULL));
    sac_weights_scan_set_grid(&scan, 3, 3, 1);
    for (size_t i = 0; i < before + WORDS; i++) {
        float row[1 + CELLS + WORDS] = {0};
        row[i < before ? 1 + i % CELLS : 0] = 0.1f;
        if (i >= before)
            memcpy(row + 1, maps + (i - before) * CELLS, CELLS * sizeof *maps);
        sac_weights_scan_row(&scan, row);
    }
    const sac_weights_stats stats = scan.stats;
    sac_weights_scan_free(&scan);
    return stats;
}

/* Each word looks at a row of cells with 0.9, the third and the fourth at the same one: what lies there of the other words is
 * 0, 0, 0.3 and 0.3 in the mean. */
TEST(words_that_look_at_places_of_their_own_are_a_kind)
{
    float follows[4 * 9] = {0}, still[4 * 9] = {0};
    char text[64];
    for (int t = 0; t < 4; t++)
        for (int x = 0; x < 3; x++) {
            follows[t * 9 + (t < 2 ? t : 2) * 3 + x] = 0.3f;
            still[t * 9 + 3 + x] = 0.3f;
        }
    for (size_t before = 0; before <= 10; before += 10) { /* of words alone, and of one text */
        const sac_weights_stats stats = look_at_cells(follows, before);
        assert_float_equal(stats.gaze, 0.9 - 0.6 / 4, 1e-6);
        assert_float_equal(stats.gaze_entropy, 0, 1e-6);
        assert_float_equal(stats.on_picture, 0.9, 1e-6);
        assert_int_equal(sac_weights_kind_of(&stats, NULL), SAC_KIND_GAZE);
        assert_string_equal(sac_weights_caption(&stats, true, text, sizeof text), "gaze 0.75");
        const sac_weights_stats same = look_at_cells(still, before);
        assert_float_equal(same.gaze, 0, 1e-6);
        assert_true(sac_weights_kind_of(&same, NULL) != SAC_KIND_GAZE);
    }
}

/* Row 5 looks at "dog" (behind the "a" before it) with 0.9 and, evenly, at "cat" behind the first. */
TEST(the_row_is_found_that_shows_a_pattern_best)
{
    enum { N = 8 };
    static const char *const words[] = {"a", "cat", "saw", "a", "dog", "a", "cat", "ran"};
    static const size_t follows[] = {0, 0, 0, 1, 0, 4, 2, 3};
    sac_weights_scan scan;
    OK(sac_weights_scan_begin(&scan, N, N, 1, words, NULL));
    for (size_t i = 0; i < N; i++) {
        float row[N] = {0};
        for (size_t j = 0; j <= i; j++)
            row[j] = 0.1f / (float)(i + 1);
        row[follows[i]] += 0.9f;
        sac_weights_scan_row(&scan, row);
    }
    assert_int_equal(scan.kind_row[SAC_KIND_REPEATS], 5);
    assert_int_equal(scan.kind_row[SAC_KIND_FIRST], 1);
    /* Row 1 has 0.95 of the token before it, which is the first. */
    assert_int_equal(scan.kind_row[SAC_KIND_PREVIOUS], 5);
    sac_weights_scan_free(&scan);
}

/* A head over a grid of 8 × 8 behind a token, which looks at its query's own cell and those above and below
 * it: they are eight keys away. */
TEST(near_by_is_so_in_both_directions_of_a_picture)
{
    enum { SIDE = 8, N = SIDE * SIDE + 1 };
    for (int over = 0; over < 2; over++) {
        sac_weights_scan scan;
        float share;
        OK(sac_weights_scan_begin(&scan, N, N, 1, NULL, NULL));
        if (over)
            sac_weights_scan_set_grid(&scan, SIDE, SIDE, 1);
        for (int i = 0; i < N; i++) {
            float row[N];
            for (int j = 0; j < N; j++) {
                bool lit = i > 0 && j > 0 && (j == i || abs(j - i) == SIDE);
                row[j] = 0.1f / N + (lit ? 0.3f : 0);
            }
            sac_weights_scan_row(&scan, row);
        }
        assert_int_equal(sac_weights_kind_of(&scan.stats, &share),
                         over ? SAC_KIND_NEAR : SAC_KIND_MIXED);
        assert_true(over ? scan.stats.distance < 1.2f : scan.stats.distance > 4);
        sac_weights_scan_free(&scan);
    }
}

TEST(a_head_that_chooses_names_more_than_one_of_a_fixed_place)
{
    static const size_t chosen[] = {0, 0, 0, 1, 1, 3, 2, 4}, before[] = {0, 0, 1, 2, 3, 4, 5, 6};
    sac_weights_stats stats, fixed;
    assert_int_equal(kind_over(NULL, chosen, 0.9f, &stats), SAC_KIND_MIXED);
    kind_over(NULL, before, 0.9f, &fixed);
    assert_true(stats.information > 2 * fixed.information);
    assert_true(stats.informative_row >= 5);
    kind_over(NULL, chosen, 0, &fixed);
    assert_true(stats.information > 2 * fixed.information);
}

TEST(maps_that_are_the_same_for_every_query_are_found)
{
    sac_weights_stats first = stats_of(2, 0.5f), self = stats_of(0, 0.5f);
    assert_true(sac_weights_are_constant(&first));
    assert_false(sac_weights_are_constant(&self));
    sac_weights_scan scan;
    sac_weights_scan_begin(&scan, 2, 2, 1, NULL, NULL);
    sac_weights_scan_row(&scan, (float[]){0.5f, 0.5f});
    sac_weights_scan_row(&scan, (float[]){0.5f + 2e-6f, 0.5f - 2e-6f});
    assert_false(sac_weights_are_constant(&scan.stats));
    sac_weights_scan_free(&scan);
}

TEST(the_figures_of_a_map_are_what_they_show)
{
    sac_weights_scan scan;
    sac_weights_scan_begin(&scan, 2, 2, 1, NULL, NULL);
    sac_weights_scan_row(&scan, (float[]){1, 0});
    sac_weights_scan_row(&scan, (float[]){0.25f, 0.75f});
    const sac_weights_stats *s = &scan.stats;
    assert_near(s->low, 0, 0);
    assert_near(s->high, 1, 0);
    assert_near(s->self, 0.875, ROUNDING);
    assert_near(s->previous, 0.25, ROUNDING); /* the one row that has a key before it */
    assert_near(s->next, 0, 0);
    assert_near(s->first, 0.625, ROUNDING);
    assert_near(s->distance, 0.125, ROUNDING);
    assert_near(s->spread, 0.75, ROUNDING);
    assert_near(s->entropy, 0.5 * (0.25 * 2 + 0.75 * log2(4.0 / 3)), ROUNDING);
    sac_weights_scan_free(&scan);
}

TEST(names_are_found_again)
{
    sac_reduce reduce;
    for (int i = 0; i < SAC_REDUCE_COUNT; i++) {
        assert_true(sac_reduce_from_name(sac_reduce_name((sac_reduce)i), &reduce));
        assert_int_equal(reduce, i);
    }
    assert_false(sac_reduce_from_name("median", &reduce));
}

/* R = (I + E2)(I + E1): of gradients far under the identity's rounding, too. */
TEST(small_relevance_is_not_lost_beside_the_identity)
{
    const float scales[] = {1, 1e-5f, 1e-12f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        float layer[2][4] = {{0.3f, 0.1f, 0.2f, 0.7f}, {0.9f, 0.05f, 0.4f, 0.6f}}, one[4], two[4];
        double whole[4];
        for (size_t i = 0; i < 4; i++) {
            layer[0][i] *= scales[s];
            layer[1][i] *= scales[s];
        }
        for (size_t i = 0; i < 4; i++) {
            whole[i] = (double)layer[0][i] + (double)layer[1][i];
            for (size_t k = 0; k < 2; k++)
                whole[i] += (double)layer[1][i / 2 * 2 + k] * (double)layer[0][k * 2 + i % 2];
        }
        sac_relevance_layer(layer[0], NULL, 2, one);
        sac_relevance_layer(layer[1], one, 2, two);
        sac_relevance_normalize(two, 2, two);
        for (size_t i = 0; i < 4; i++)
            assert_near(two[i], whole[i] / (whole[i / 2 * 2] + whole[i / 2 * 2 + 1]), ROUNDING);
    }
}

TEST_MAIN(NULL, NULL)
