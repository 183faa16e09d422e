/* The normalisers beside the softmax, held to the float64 reference as attention_sweep holds that: within
 * 2e-6, or within twice what a naive float32 loop errs by where that is more (trial.c). */

#include "extent.h"
#include "saccade.h"
#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Slow devices take some, and only those that are done in seconds. */
static int failures_of(const recipe *r, int number)
{
    size_t work = r->queries * r->keys * (r->query_dim + 4) * (r->batch + 1);
    if (device_is_slow() && (number % (is_oclgrind() ? 21 : 7) != 0 || work > 100000))
        return 0;
    return recipe_failures(r, (uint64_t)number);
}

static sac_normalizer nth(int number)
{
    return number % 2 ? SAC_NORMALIZER_SPARSEMAX : SAC_NORMALIZER_ENTMAX15;
}

TEST(every_score_mask_and_split)
{
    static const struct {
        int rank;
        sac_head_split split;
    } forms[] = {{3, SAC_SPLIT_TRANSPOSE}, {3, SAC_SPLIT_VIEW}, {4, SAC_SPLIT_TRANSPOSE}};
    int failures = 0, number = 0;
    for (int n = 1; n < SAC_NORMALIZER_COUNT; n++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++)
            for (int mask = 0; mask < MASK_COUNT; mask++)
                for (size_t form = 0; form < COUNT(forms); form++) {
                    recipe r = {.spec = {.score = (sac_score)score,
                                         .normalizer = (sac_normalizer)n,
                                         .heads = 2,
                                         .split = forms[form].split,
                                         .seed = 5},
                                .batch = is_oclgrind() ? 1 : 3,
                                .queries = 19,
                                .keys = 23,
                                .query_dim = 12,
                                .value_dim = 10,
                                .rank = forms[form].rank,
                                .mask = (trial_mask)mask};
                    r.spec.dropout = number % 2 ? 0.3f : 0;
                    if (test_is_full() || number % 5 == 0)
                        failures += failures_of(&r, number);
                    number++;
                }
    assert_int_equal(failures, 0);
}

/* 1, primes, and one off a tile or a block of keys, with capped scores, sinks, heads that share keys, windows
 * and every alignment. */
TEST(sizes_caps_sinks_shared_keys_and_windows)
{
    static const size_t sizes[] = {1,  2,  3,   7,   13,  16,  17,  31,  33,
                                   64, 97, 127, 129, 255, 257, 511, 513, 1025};
    static const float caps[] = {0, 3, 50};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t step = 0; step < 14; step += 5, number++) {
            recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT),
                                 .normalizer = nth(number / 3),
                                 .heads = 4,
                                 .key_heads = 1 << number % 3,
                                 .softcap = caps[number % COUNT(caps)],
                                 .alignment = (sac_alignment)(number % SAC_ALIGN_COUNT),
                                 .window = number % 5 == 2 ? 19 : 0,
                                 .causal = number % 4 == 1,
                                 .dropout = number % 7 == 3 ? 0.3f : 0,
                                 .seed = 5},
                        .queries = sizes[i],
                        .keys = sizes[(i + step) % COUNT(sizes)],
                        .query_dim = 16,
                        .value_dim = 17,
                        .mask = (trial_mask)(number % MASK_COUNT),
                        .project = number % 11 == 0,
                        .sinks = number % 3 > 0};
            failures += failures_of(&r, number);
        }
    assert_int_equal(failures, 0);
}

/* Values of every width, scores from nearly equal, where all keys count, to one key alone. */
TEST(values_of_1_to_256_and_scores_from_equal_to_far_apart)
{
    static const size_t widths[] = {1, 3, 8, 16, 17, 31, 33, 64, 65, 96, 128, 200, 256};
    static const double spreads[] = {1e-3, 0.3, 1, 2, 4};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(widths); i++)
        for (size_t s = 0; s < COUNT(spreads); s++) {
            recipe r = {.spec = {.normalizer = nth(number)},
                        .batch = 2,
                        .queries = 37,
                        .keys = 290,
                        .query_dim = 8,
                        .value_dim = widths[i],
                        .rank = 4,
                        .spread = spreads[s],
                        .mask = number % 4 == 3 ? MASK_CAUSAL : MASK_NONE};
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* Many tiles; few queries with many keys; more logits than go into memory at once. */
TEST(many_tiles_and_slabs)
{
    static const size_t sizes[][2] = {{700, 700}, {1, 3000}, {5, 9000}, {1500, 5}, {1100, 1900}};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int mask = 0; mask < MASK_COUNT; mask += 5) {
            recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT),
                                 .normalizer = nth(number),
                                 .heads = 2},
                        .queries = sizes[i][0],
                        .keys = sizes[i][1],
                        .query_dim = 24,
                        .mask = (trial_mask)mask};
            r.spec.alignment = (sac_alignment)(number % SAC_ALIGN_COUNT);
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

TEST(projections_residual_and_layer_norm)
{
    int failures = 0;
    for (int number = 0; number < 4; number++) {
        recipe r = {.spec = {.normalizer = nth(number), .heads = 4, .causal = number > 1},
                    .batch = 2,
                    .queries = 29,
                    .keys = 29,
                    .query_dim = 8,
                    .value_dim = 6,
                    .project = true,
                    .norm = number > 1};
        failures += failures_of(&r, number);
    }
    assert_int_equal(failures, 0);
}

/* A weight under the threshold is 0, not nearly so; a row's add up to 1. */
TEST(weights_are_exactly_0_and_add_up_to_1)
{
    for (int n = 1; n < SAC_NORMALIZER_COUNT; n++) {
        trial t;
        results found = {0};
        trial_make(&t,
                   &(recipe){.spec = {.normalizer = (sac_normalizer)n},
                             .queries = 9,
                             .keys = 200,
                             .query_dim = 8},
                   3);
        OK(compute_device(test_device(), SAC_VARIANT_AUTO, &t, true, &found, &failure));
        for (size_t i = 0; i < 9; i++) {
            double sum = 0;
            size_t zeros = 0;
            for (size_t j = 0; j < 200; j++) {
                sum += found.weights[i * 200 + j];
                zeros += found.weights[i * 200 + j] == 0;
            }
            assert_true(fabs(sum - 1) < 1e-6);
            assert_true(zeros > 100);
        }
        results_free(&found);
        trial_free(&t);
    }
}

TEST_MAIN(NULL, close_device)
