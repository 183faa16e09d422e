/* Every kind of attention, held to the float64 reference: within 2e-6, or within twice what a naive
 * float32 loop errs by where that is more (trial.c). Slow devices take a share of each list. */

#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Draws and computes trial `number` of a list; slow devices take one in seven or fewer, and only
 * where it is done in seconds. */
static int failures_of(const recipe *r, int number)
{
    size_t work = r->queries * r->keys * (r->query_dim + 4) * (r->batch + 1);
    if (device_is_slow() && (number % (is_oclgrind() ? 21 : 7) != 0 || work > 100000))
        return 0;
    return recipe_failures(r, (uint64_t)number);
}

TEST(every_score_mask_and_split)
{
    static const struct {
        int rank;
        sac_head_split split;
    } forms[] = {{3, SAC_SPLIT_TRANSPOSE}, {3, SAC_SPLIT_VIEW}, {4, SAC_SPLIT_TRANSPOSE}};
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask++)
            for (size_t form = 0; form < COUNT(forms); form++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .heads = 2,
                                     .split = forms[form].split,
                                     .seed = 5},
                            .batch = is_oclgrind() ? 1 : 3, /* it meets batches below */
                            .queries = 19,
                            .keys = 23,
                            .query_dim = 12,
                            .value_dim = 10,
                            .rank = forms[form].rank,
                            .mask = (trial_mask)mask};
                r.spec.dropout = number % 2 ? 0.3f : 0; /* as many with as without */
                failures += failures_of(&r, number++);
            }
    assert_int_equal(failures, 0);
}

/* 1, primes, and one off the tile sizes in use, in pairs: each size meets three others as number of
 * keys, and each pair takes the next score. */
TEST(sizes_of_one_primes_and_one_off_a_tile)
{
    static const size_t sizes[] = {1,  2,  3,  5,  7,  8,   13,  15,  16,  17,  31, 32,
                                   33, 63, 64, 65, 97, 127, 128, 129, 255, 256, 257};
    static const size_t steps[] = {0, 7, 16};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t step = 0; step < COUNT(steps); step++) {
            recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT)},
                        .queries = sizes[i],
                        .keys = sizes[(i + steps[step]) % COUNT(sizes)],
                        .query_dim = 16,
                        .value_dim = 17,
                        .mask = number % 3 == 1 ? MASK_CAUSAL : MASK_NONE};
            r.spec.alignment = (sac_alignment)(number / 3 % SAC_ALIGN_COUNT);
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* A head of every size meets a value of another size. */
TEST(head_sizes_from_1_to_256)
{
    static const size_t sizes[] = {1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 64, 80, 96, 128, 200, 256};
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < COUNT(sizes); i++) {
            recipe r = {.spec = {.score = (sac_score)score, .heads = 1 + number % 8},
                        .queries = 37,
                        .keys = 53,
                        .query_dim = sizes[i],
                        .value_dim = sizes[(i + (size_t)score * 3) % COUNT(sizes)],
                        .hidden = sizes[COUNT(sizes) - 1 - i],
                        .rank = 4};
            r.spec.bandwidth = 1 / 0.5f;
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* One of each size on its own, batch and heads together, and the three forms of input. */
TEST(batches_heads_and_forms_of_input)
{
    int failures = 0, number = 0;
    for (int rank = 2; rank <= 4; rank++)
        for (size_t batch = 1; batch <= 3; batch += 2)
            for (int heads = 1; heads <= 8; heads += heads < 4 ? 1 : 2) {
                recipe r = {.spec = {.heads = heads, .causal = heads == 3},
                            .batch = rank == 2 ? 1 : batch,
                            .queries = 33,
                            .keys = 65,
                            .query_dim = 8,
                            .value_dim = 5,
                            .rank = rank,
                            .mask = heads % 2 ? MASK_BOOL_HEADS : MASK_PADDING};
                failures += failures_of(&r, number++);
            }
    assert_int_equal(failures, 0);
}

/* Queries and keys of different sizes, which only these two scores take. */
TEST(queries_and_keys_of_different_sizes)
{
    static const size_t pairs[][2] = {{1, 7}, {7, 1}, {6, 9}, {33, 16}, {64, 80}, {100, 3}};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (int score = SAC_SCORE_ADDITIVE; score <= SAC_SCORE_BILINEAR; score++) {
            recipe r = {.spec = {.score = (sac_score)score, .heads = 2},
                        .queries = 20,
                        .keys = 31,
                        .query_dim = pairs[i][0],
                        .key_dim = pairs[i][1],
                        .hidden = 5 + 9 * i};
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* Products of ±1e4, of which float32 resolves 1e-3: all keys vanish but the best, and its
 * twin, whose score is about 1 away. */
TEST(logits_of_ten_thousand)
{
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask += 4) {
            recipe r = {.spec = {.score = (sac_score)score, .use_scale = true, .scale = 1},
                        .batch = 3,
                        .queries = 40,
                        .keys = 70,
                        .query_dim = 16,
                        .spread = 50,   /* 50² · √16 = 1e4 */
                        .twins = 0.005, /* 50 · √16 · 0.005 = 1 */
                        .mask = (trial_mask)mask};
            if (score == SAC_SCORE_ADDITIVE) { /* bounded by Σ|w_v|: the scale makes it large */
                r.spec.scale = 4000;
                r.spread = 1;
                r.twins = 0.0003;
            }
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* ‖q‖² and ‖k‖² are a million times ‖q − k‖² here: expanding the square would lose every digit. */
TEST(gaussian_far_from_the_origin)
{
    int failures = 0, number = 0;
    for (double offset = 10; offset <= 1e4; offset *= 10)
        for (size_t dim = 1; dim <= 64; dim *= 4) {
            recipe r = {.spec = {.score = SAC_SCORE_GAUSSIAN, .bandwidth = 1 / 0.7f},
                        .queries = 40,
                        .keys = 70,
                        .query_dim = dim,
                        .offset = offset,
                        .mask = dim == 4 ? MASK_CAUSAL : MASK_NONE};
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

TEST(scales_of_any_sign_and_size)
{
    static const float scales[] = {0, 1e-3f, 0.37f, -0.37f, -1, 8};
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < COUNT(scales); i++) {
            recipe r = {.spec = {.score = (sac_score)score, .use_scale = true, .scale = scales[i]},
                        .queries = 21,
                        .keys = 34,
                        .mask = number % 2 ? MASK_EVERYTHING : MASK_NONE};
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

TEST(projections_residual_and_layer_norm)
{
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int split = 0; split < 2; split++)
            for (int norm = 0; norm < 2; norm++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .heads = 4,
                                     .split = (sac_head_split)split,
                                     .causal = norm == 1},
                            .batch = 2,
                            .queries = 29,
                            .keys = 29,
                            .query_dim = 8,
                            .value_dim = 6,
                            .project = true,
                            .norm = norm == 1};
                failures += failures_of(&r, number++);
            }
    assert_int_equal(failures, 0);
}

/* Enough queries and keys for many tiles, and few queries with many keys, where the keys are shared
 * out. */
TEST(many_tiles)
{
    static const size_t sizes[][2] = {{700, 700}, {1, 3000}, {5, 1500}, {1500, 5}};
    int failures = 0, number = 0;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int mask = 0; mask < MASK_COUNT; mask += 5) {
            recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT), .heads = 2},
                        .queries = sizes[i][0],
                        .keys = sizes[i][1],
                        .query_dim = 24,
                        .mask = (trial_mask)mask};
            r.spec.alignment = (sac_alignment)(number % SAC_ALIGN_COUNT);
            failures += failures_of(&r, number++);
        }
    assert_int_equal(failures, 0);
}

/* One head of keys for all, for two heads each, and for each its own; windows narrower and wider
 * than a tile, with queries that see no key at all. */
TEST(shared_keys_and_windows)
{
    static const size_t windows[] = {0, 1, 2, 17, 100, 1000};
    static const size_t sizes[][2] = {{45, 45}, {33, 290}, {290, 33}, {1, 700}};
    int failures = 0, number = 0;
    for (int key_heads = 1; key_heads <= 4; key_heads *= 2)
        for (size_t w = 0; w < COUNT(windows); w++)
            for (size_t i = 0; i < COUNT(sizes); i++) {
                recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT),
                                     .heads = 4,
                                     .key_heads = key_heads,
                                     .window = windows[w],
                                     .causal = number % 2 == 1,
                                     .alignment = (sac_alignment)(number / 2 % SAC_ALIGN_COUNT),
                                     .offset = number * 67 % 1201 - 600,
                                     .split = number % 7 == 3 ? SAC_SPLIT_VIEW : 0},
                            .batch = 2,
                            .queries = sizes[i][0],
                            .keys = sizes[i][1],
                            .query_dim = 12,
                            .value_dim = 9,
                            .rank = 3 + number % 3 / 2,
                            .mask = number % 5 == 0 ? MASK_PADDING : MASK_NONE,
                            .project = number % 6 == 1};
                failures += failures_of(&r, number++);
            }
    assert_int_equal(failures, 0);
}

/* With every score, mask and alignment, shared keys, windows and dropout; sizes of one, primes and
 * one off a tile, and few queries with keys in pieces: a sink counts once. */
TEST(capped_scores_and_sinks)
{
    static const size_t sizes[][2] = {{1, 1},   {1, 1500}, {7, 13},  {33, 127},
                                      {65, 64}, {129, 31}, {5, 257}, {97, 263}};
    static const float caps[] = {0, 0.5f, 3, 50};
    int failures = 0, number = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < COUNT(sizes); i++)
            for (size_t c = 0; c < COUNT(caps); c++, number++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .heads = 4,
                                     .key_heads = 1 << number % 3,
                                     .softcap = caps[c],
                                     .alignment = (sac_alignment)(number % SAC_ALIGN_COUNT),
                                     .window = number % 5 == 2 ? 19 : 0,
                                     .dropout = number % 7 == 3 ? 0.3f : 0,
                                     .seed = 5},
                            .batch = 1 + i % 2,
                            .queries = sizes[i][0],
                            .keys = sizes[i][1],
                            .query_dim = 16,
                            .value_dim = 17,
                            .mask = (trial_mask)(number % MASK_COUNT),
                            .project = number % 11 == 0,
                            .sinks = c == 0 || number % 3 > 0};
                failures += failures_of(&r, number);
            }
    assert_int_equal(failures, 0);
}

/* Before all keys, among them, behind them all, and as far as an offset may be. */
TEST(queries_that_stand_anywhere)
{
    static const int64_t offsets[] = {-(1 << 30), -290, -45, -44, -1, 0, 1, 20, 33, 289, 1 << 30};
    static const size_t sizes[][2] = {{45, 45}, {1, 700}, {290, 33}};
    static const size_t windows[] = {0, 17, 1000};
    int failures = 0, number = 0;
    for (size_t o = 0; o < COUNT(offsets); o++)
        for (size_t i = 0; i < COUNT(sizes); i++)
            for (size_t w = 0; w < COUNT(windows); w++)
                for (int causal = w == 0; causal < 2; causal++) {
                    recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT),
                                         .heads = 2,
                                         .causal = causal,
                                         .window = windows[w],
                                         .alignment = SAC_ALIGN_OFFSET,
                                         .offset = offsets[o]},
                                .queries = sizes[i][0],
                                .keys = sizes[i][1],
                                .query_dim = 12,
                                .value_dim = 9,
                                .sinks = number % 5 == 0};
                    failures += failures_of(&r, number++);
                }
    assert_int_equal(failures, 0);
}

TEST(weights_alone_where_there_is_no_value)
{
    int failures = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        recipe r = {.spec = {.score = (sac_score)score, .heads = 2}, .no_value = true};
        failures += recipe_failures(&r, (uint64_t)score);
    }
    assert_int_equal(failures, 0);
}

TEST_MAIN(NULL, close_device)
