/* Numbers at the ends of float32: masks of the lowest float, scores beyond it, values that only a
 * sum takes beyond it, and long sums that lose digits. */
#include <float.h>

#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define HALF_LOWEST -65504.0f

static float *numbers(const sac_array *array)
{
    return array->data;
}

/* ---------------------------------------------------------------- masks of the lowest float */

/* Rows that differ: all keys lowest, all but key 0, every other key, none, −inf before the lowest,
 * −inf alone. */
static void mask_rows(trial *t, float lowest)
{
    size_t queries = t->recipe.queries, keys = t->recipe.keys;
    sac_array *mask = trial_array(t, SAC_F32, 2, (size_t[]){queries, keys});
    for (size_t i = 0; i < queries; i++)
        for (size_t j = 0; j < keys; j++) {
            const float kinds[] = {
                lowest,   j ? lowest : 0, j % 2 ? lowest : 0, 0, j < keys / 2 ? -INFINITY : lowest,
                -INFINITY};
            numbers(mask)[i * keys + j] = kinds[i % COUNT(kinds)];
        }
    t->input.attn_mask = mask;
}

/* Where other numbers take no other kernel, there is nothing for the simulator to see that it does
 * not in attention_sweep. */
static void leave_out_on_oclgrind(void)
{
    if (is_oclgrind())
        skip();
}

TEST(a_lowest_float_hides_a_key_but_never_a_whole_row)
{
    leave_out_on_oclgrind();
    static const float lowest[] = {-FLT_MAX, -1e38f, -1e31f, -1e29f, -1e20f, HALF_LOWEST};
    int failures = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < COUNT(lowest); i++) {
            trial t;
            recipe r = {.spec = {.score = (sac_score)score, .heads = 2, .causal = i == 3},
                        .queries = 13,
                        .keys = 37};
            if (device_is_slow() && (score + (int)i) % 6 != 0)
                continue;
            trial_make(&t, &r, i);
            mask_rows(&t, lowest[i]);
            failures += trial_failures(&t);
            trial_free(&t);
        }
    assert_int_equal(failures, 0);
}

/* As in PyTorch: nothing is left of scores beside −3.4e38. */
TEST(a_row_of_lowest_floats_is_spread_evenly)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    trial t;
    recipe r = {.queries = 13, .keys = 37};
    trial_make(&t, &r, 1);
    mask_rows(&t, -FLT_MAX);
    for (int v = 0; v < count; v++) {
        results found = {0};
        OK(compute_device(test_device(), variants[v], &t, true, &found, NULL));
        for (size_t j = 0; j < 37; j++)
            assert_true(fabs(found.weights[j] - 1.0 / 37) < 1e-7);
        assert_true(found.weights[37] == 1);
        results_free(&found);
    }
    trial_free(&t);
}

/* ---------------------------------------------------------------- scores beyond float32 */

static void query_row_3_times_1e39(trial *t)
{
    for (size_t c = 0; c < 8; c++)
        numbers(t->input.query)[3 * 8 + c] *= 1e25f;
    for (size_t i = 0; i < 21 * 8; i++)
        numbers(t->input.key)[i] *= 1e14f;
}

/* Sums of +inf and −inf, which are neither. */
static void everything_1e30(trial *t)
{
    for (size_t i = 0; i < 5 * 8; i++)
        numbers(t->input.query)[i] *= 1e30f;
    for (size_t i = 0; i < 21 * 8; i++)
        numbers(t->input.key)[i] *= 1e30f;
}

static void scale_of_1e38(trial *t)
{
    t->spec.use_scale = true;
    t->spec.scale = -1e38f;
}

static void far_from_every_key(trial *t)
{
    t->spec.score = SAC_SCORE_GAUSSIAN;
    for (size_t c = 0; c < 8; c++)
        numbers(t->input.query)[4 * 8 + c] = 1e20f;
}

static const struct {
    void (*spoil)(trial *t);
    const char *where, *what;
} beyond[] = {
    {query_row_3_times_1e39, "query", "scores of row [0,0,3] are beyond float32"},
    {everything_1e30, "query", "scores of row [0,0,0] are beyond float32"},
    {scale_of_1e38, "query", "scores of row [0,0,0] are beyond float32"},
    {far_from_every_key, "query", "scores of row [0,0,4] are beyond float32"},
};

static void make_beyond(trial *t, size_t index)
{
    recipe r = {.queries = 5, .keys = 21, .query_dim = 8};
    trial_make(t, &r, index);
    beyond[index].spoil(t);
}

TEST(scores_beyond_float32_name_their_row)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    for (size_t i = 0; i < COUNT(beyond); i++) {
        trial t;
        sac_error error = {0};
        double lse[5];
        make_beyond(&t, i);
        assert_int_equal(sac_attention_reference(&t.spec, &t.input, NULL, lse, NULL, &error),
                         SAC_E_VALUE);
        assert_string_equal(error.what, beyond[i].what);
        for (int v = 0; v < count; v++) {
            results found = {0};
            error = (sac_error){0};
            assert_int_equal(compute_device(test_device(), variants[v], &t, true, &found, &error),
                             SAC_E_VALUE);
            assert_string_equal(error.where, beyond[i].where);
            assert_string_equal(error.what, beyond[i].what);
        }
        trial_free(&t);
    }
}

/* A key that a row may not see counts for nothing in it, however large. */
TEST(what_is_blocked_may_be_as_large_as_it_likes)
{
    leave_out_on_oclgrind();
    int failures = 0;
    for (int kind = 0; kind < 3; kind++) {
        trial t;
        recipe r = {.queries = 5, .keys = 21, .query_dim = 8};
        trial_make(&t, &r, (uint64_t)kind);
        for (size_t c = 0; c < 8; c++)
            numbers(t.input.key)[20 * 8 + c] = 3e38f;
        size_t sizes[] = {5, 21};
        if (kind == 0) {
            t.spec.causal = true;
            t.spec.alignment = SAC_ALIGN_TOP_LEFT; /* no query sees the last key */
        } else if (kind == 1) {
            t.input.attn_mask = trial_array(&t, SAC_BOOL, 2, sizes);
            for (size_t i = 0; i < 5; i++)
                ((uint8_t *)t.input.attn_mask->data)[i * 21 + 20] = 1;
        } else {
            t.input.attn_mask = trial_array(&t, SAC_F32, 2, sizes);
            for (size_t i = 0; i < 5; i++)
                numbers(t.input.attn_mask)[i * 21 + 20] = -INFINITY;
        }
        failures += trial_failures(&t);
        trial_free(&t);
    }
    assert_int_equal(failures, 0);
}

/* ---------------------------------------------------------------- values and sums */

TEST(values_near_the_largest_float_are_averaged)
{
    static const struct {
        size_t queries, keys;
    } sizes[] = {{5, 21}, {1, 1500}, {200, 300}};
    int failures = 0;
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int mixed = 0; mixed < 2; mixed++) {
            trial t;
            recipe r = {.queries = sizes[s].queries, .keys = sizes[s].keys};
            if (device_is_slow() && s > 0)
                continue;
            trial_make(&t, &r, s);
            for (size_t i = 0; i < sac_array_count(t.input.value); i++)
                if (!mixed || i % 3 == 0)
                    numbers(t.input.value)[i] = 3e38f;
            failures += trial_failures(&t);
            trial_free(&t);
        }
    assert_int_equal(failures, 0);
}

TEST(a_projection_beyond_float32_is_reported)
{
    sac_attention *attention;
    trial t;
    recipe r = {.project = true};
    trial_make(&t, &r, 1);
    numbers(t.input.v_proj_weight)[0] = 3e38f;
    for (size_t i = 0; i < sac_array_count(t.input.value); i++)
        numbers(t.input.value)[i] = 4;
    REFUSES(SAC_E_VALUE, "value: numbers beyond float32 come out of its projection…",
            sac_attention_create(test_device(), &t.spec, &t.input, &attention, &failure));
    trial_free(&t);
}

/* The sum of so many squares is about 800, and a weight feels its last digit. */
TEST(the_gaussian_keeps_its_digits_in_wide_heads)
{
    leave_out_on_oclgrind();
    static const struct {
        size_t dim;
        float bandwidth;
    } cases[] = {{255, 1 / 1.849f}, {200, 1 / 1.345f}, {64, 1},
                 {64, 1 / 1.849f},  {16, 1},           {256, 2}};
    int count;
    const sac_variant *variants = test_variants(&count);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            trial t;
            results reference = {0};
            recipe r = {.spec = {.score = SAC_SCORE_GAUSSIAN, .bandwidth = cases[i].bandwidth},
                        .queries = 33,
                        .keys = 64,
                        .query_dim = cases[i].dim,
                        .value_dim = 3};
            if (device_is_slow() && (seed || i > 1))
                continue;
            trial_make(&t, &r, seed);
            compute_reference(&t, &reference);
            for (int v = 0; v < count; v++) {
                results found = {0};
                assert_int_equal(compute_device(test_device(), variants[v], &t, true, &found, NULL),
                                 SAC_OK);
                double error = relative_error(found.weights, reference.weights, found.cells);
                if (!(error <= 8e-6))
                    fail_msg("%s: %s: %.2g", sac_variant_name(variants[v]), trial_text(&t), error);
                results_free(&found);
            }
            results_free(&reference);
            trial_free(&t);
        }
}

TEST_MAIN(NULL, close_device)
